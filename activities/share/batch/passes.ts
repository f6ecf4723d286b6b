// Which batch was the last to pass a step of the service. A batch that gets no further looks here whether
// others of its project do: that tells a document's fault from an outage, whoever carries them, also
// after a restart of everything.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { JournalRecord } from '../../../workflows/ingest/ingest-contract';
import { readOwnJson } from '../files/own-json';
import type { ShareLayout } from '../files/share-layout';
import { writeOver } from '../files/write-whole';

const STEPS = ['linking', 'submitting'] as const;
type Step = (typeof STEPS)[number];

/** By step: another text after each passing of any document of the project; empty before the first one. */
export type Passes = Readonly<Record<Step, string>> & {
  /**
   * By step: when that one had passed, Unix ms of Temporal's clock. Absent where nobody noted it, as by a
   * worker of an earlier version.
   */
  readonly passedAtMs?: Readonly<Partial<Record<Step, number>>>;
};

const passSchema = z.strictObject({
  version: z.literal(1),
  projectId: z.string(),
  batchId: z.string(),
  /** Compared, and nothing else. */
  mark: z.string(),
  /**
   * When the run heard that it had passed, Unix ms. By the clock of Temporal, for those of hosts differ. The
   * record may be noted much later.
   */
  passedAtMs: z.number().optional(),
});

/**
 * Called once the record is in the journal. If the mark cannot be written there is one piece of evidence
 * less, which costs patience and no document: so that is no error.
 * @param passedAtMs see `Passes`.
 */
export async function notePass(
  layout: ShareLayout,
  batchId: string,
  record: JournalRecord,
  passedAtMs: number | undefined,
): Promise<void> {
  const step = stepOf(record);
  if (step === undefined) return;
  const { projectId } = layout.project;
  const at = passedAtMs === undefined ? {} : { passedAtMs };
  const pass = passSchema.parse({ version: 1, projectId, batchId, mark: randomUUID(), ...at });
  await writeOver(layout.fs, placeOf(layout, step), `${JSON.stringify(pass)}\n`).catch(() => undefined);
}

export async function readPasses(layout: ShareLayout): Promise<Passes> {
  const [linking, submitting] = await Promise.all(STEPS.map(step => readPass(layout, step)));
  return {
    linking: linking?.mark ?? '',
    submitting: submitting?.mark ?? '',
    passedAtMs: {
      ...(linking?.passedAtMs === undefined ? {} : { linking: linking.passedAtMs }),
      ...(submitting?.passedAtMs === undefined ? {} : { submitting: submitting.passedAtMs }),
    },
  };
}

/** One that cannot be read is no evidence. */
async function readPass(layout: ShareLayout, step: Step): Promise<z.infer<typeof passSchema> | undefined> {
  const pass = await readOwnJson(layout.fs, placeOf(layout, step), `passed-${step}.json`, passSchema).catch(
    () => undefined,
  );
  return pass?.value.projectId === layout.project.projectId ? pass.value : undefined;
}

function placeOf(layout: ShareLayout, step: Step): string {
  return join(layout.own, `passed-${step}.json`);
}

function stepOf(record: JournalRecord): Step | undefined {
  if (record.kind === 'completed') return 'linking';
  if (record.kind !== 'outcome') return undefined;
  // What a look found to be submitted passed nobody knows when.
  const isTold = record.outcomes.some(one => one.kind === 'submitted' && one.paired !== 'unknown');
  return isTold ? 'submitting' : undefined;
}
