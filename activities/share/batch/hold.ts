// The fence of a batch: which Temporal carries it. A workflow id is unique in one namespace of one
// server only, so what must happen once on a share needs its guard on the share: written once, by the
// first run that opens the batch.
import { join } from 'node:path';
import { z } from 'zod';
import { isGone } from '../../host/file-trouble';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import { temporaryName } from '../files/share-fs';
import type { BatchPaths } from '../files/share-layout';
import { nameOnce, writeOnce } from '../files/write-whole';

const word = z.string().min(1).max(500);

/** A Temporal as people and we tell it from others. */
export const temporalSchema = z.strictObject({
  /** The id of its namespace: it differs between namespaces and databases, and stays after a restart. */
  id: word,
  namespace: word,
  address: word,
  /** Of the process that wrote this. */
  host: word,
});
export type TemporalName = z.infer<typeof temporalSchema>;

/** The Temporal that this process works for. */
export interface OurTemporal extends TemporalName {
  /**
   * Ids that answered by the same address and name before, as far as this host
   * knows: their databases are gone.
   */
  readonly former: readonly string[];
}

/**
 * A run that wants to carry a batch. Two runs of one id in one namespace are kept apart by Temporal itself.
 */
export interface Holder {
  readonly temporal: OurTemporal;
  readonly workflowId: string;
  readonly runId: string;
}

const holdSchema = z.strictObject({
  version: z.literal(1),
  temporal: temporalSchema,
  workflowId: word,
  /** The run that began; those that follow it by a reset or as its continuation have others. */
  runId: word,
  since: z.iso.datetime(),
});
/** What `hold.json` says. */
export type Hold = z.infer<typeof holdSchema>;

export type Held =
  | { readonly kind: 'ours'; readonly isNew: boolean }
  /** `isFormer`: as far as this host knows its database is gone, so it is only watched for a moment more. */
  | { readonly kind: 'other'; readonly hold: Hold; readonly isFormer: boolean };

const MARK: MarkKind<Hold> = { kind: 'hold', label: 'The hold of a batch', schema: holdSchema };

/** Undefined when no run has opened the batch yet; what is not ours, or torn, holds nothing. */
export async function readHold(paths: BatchPaths, onNotOurs: OnNotOurs): Promise<Hold | undefined> {
  const hold = await look(paths, paths.hold, onNotOurs);
  return hold === NOT_OURS ? undefined : hold;
}

async function look(
  paths: BatchPaths,
  path: string,
  onNotOurs: OnNotOurs,
): Promise<Hold | typeof NOT_OURS | undefined> {
  return await readMark(paths.fs, paths.seals, MARK, path, paths.batchId, onNotOurs);
}

/**
 * Takes the batch for this run's Temporal if nobody holds it, or if the Temporal that does is gone. A hold
 * that is not sealed with our key is taken away: if it was a torn one, its holder finds at its next look that
 * the batch is another's.
 * @param isGone asked about another Temporal that holds it.
 */
export async function takeHold(
  paths: BatchPaths,
  holder: Holder,
  now: Date,
  isGone: (temporalId: string) => Promise<boolean>,
  onNotOurs: OnNotOurs,
): Promise<Held> {
  for (;;) {
    const hold = await look(paths, paths.hold, onNotOurs);
    if (hold === NOT_OURS) await removeHold(paths, hold);
    else if (hold?.temporal.id === holder.temporal.id) return { kind: 'ours', isNew: false };
    else if (hold !== undefined) {
      if (!(await isGone(hold.temporal.id))) {
        return { kind: 'other', hold, isFormer: holder.temporal.former.includes(hold.temporal.id) };
      }
      await removeHold(paths, hold);
    }
    if (await writeOnce(paths.fs, paths.hold, toText(paths, holder, now)))
      return { kind: 'ours', isNew: true };
  }
}

/** Renaming it away succeeds for one process only; one that gets another hold than it saw puts it back. */
async function removeHold(paths: BatchPaths, known: Hold | typeof NOT_OURS): Promise<void> {
  const { fs } = paths;
  const aside = join(paths.folder, temporaryName());
  try {
    await fs.rename(paths.hold, aside);
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  const taken = await look(paths, aside, () => undefined);
  const isTheSame =
    taken === known ||
    (typeof taken === 'object' &&
      typeof known === 'object' &&
      taken.temporal.id === known.temporal.id &&
      taken.since === known.since);
  if (isTheSame) await fs.unlink(aside).catch(() => undefined);
  else await nameOnce(fs, aside, paths.hold);
}

function toText(paths: BatchPaths, { temporal, workflowId, runId }: Holder, now: Date): string {
  const { former: _former, ...name } = temporal;
  const hold: Hold = { version: 1, temporal: name, workflowId, runId, since: now.toISOString() };
  return toMarkText(paths.seals, MARK, paths.batchId, hold);
}

/** Which Temporal it is, in the words of whoever has to find it. */
export function describeTemporal({ namespace, address, host }: TemporalName): string {
  return `namespace "${namespace}" at ${address}, on host ${host}`;
}
