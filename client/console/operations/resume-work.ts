// Looks what stopped short, and goes on with it as `drawbridge resume` does.
import { registerSearchAttributes } from '../../../workers/temporal/search-attributes';
import { BatchContinuer } from '../../resume/continue-batch';
import { resumeBatches } from '../../resume/resume-batches';
import type { BatchRow } from '../../resume/stopped-table';
import { BatchStarter } from '../../session/start-batch';
import type { ResumeTold } from '../contract/operations';
import { type ConsoleDeps, ConsoleProblem, type Person } from '../serve/module';
import { texts } from '../texts/texts';
import type { Lookout, SeenStopped } from './lookout';
import { causeKey } from './tell-operations';

export interface Wanted {
  readonly look: boolean;
  readonly cause?: string | undefined;
  readonly batches?: readonly string[] | undefined;
}

export async function resumeWork(
  { deps, lookout }: { readonly deps: ConsoleDeps; readonly lookout: Lookout },
  wanted: Wanted,
  person: Person,
): Promise<ResumeTold> {
  const client = await deps.temporal().catch(() => {
    throw new ConsoleProblem(503, texts.operations.cannotResume);
  });
  const ids = wanted.batches === undefined ? undefined : new Set(wanted.batches);
  const mayResume = resumersOf(deps, person);
  const { stopped } = await lookout.findStopped(client);
  const found = stopped.filter(
    batch =>
      batch.state !== 'held' &&
      (wanted.cause === undefined || causeKey(batch) === wanted.cause) &&
      (ids === undefined || ids.has(batch.batchId)) &&
      mayResume(batch),
  );
  // A look starts nothing, and changes nothing at Temporal either.
  const hasSearchAttributes =
    !wanted.look &&
    (await registerSearchAttributes(client.connection as never, client.options.namespace)).kind ===
      'registered';
  const starter = new BatchStarter(client, { hasSearchAttributes });
  const continuer = new BatchContinuer(client, starter);
  const rows: BatchRow[] = [];
  try {
    // One after the other: where trouble comes, what was done by then is known.
    for (const batch of found) rows.push(...(await resumeBatches(continuer, [batch], wanted.look)));
  } finally {
    if (!wanted.look) {
      lookout.forget();
      for (const { batch, plan, result } of rows)
        deps.logger.info(
          {
            event: 'console-resumed',
            who: person.name,
            batchId: batch.batchId,
            plan: plan.kind,
            result: result?.kind,
          },
          'Resumed on the page',
        );
      deps.changed(['operations', 'jobs', 'waiting']);
    }
  }
  const documents = new Map(found.map(each => [each.batchId, each.documents]));
  return { isLook: wanted.look, batches: rows.map(row => tellRow(row, documents.get(row.batch.batchId))) };
}

/** Which batches a person may resume: one whose share nobody knows, only who operates all shares. */
export function resumersOf(
  { shares }: Pick<ConsoleDeps, 'shares'>,
  person: Person,
): (batch: Pick<SeenStopped, 'shareName'>) => boolean {
  return ({ shareName }) =>
    shareName === undefined
      ? shares().every(({ config }) => person.may('operate', config.name))
      : person.may('operate', shareName);
}

function tellRow(
  { batch, plan, result }: BatchRow,
  documents: SeenStopped['documents'],
): ResumeTold['batches'][number] {
  return {
    batchId: batch.batchId,
    share: batch.shareName ?? null,
    cause: batch.reason.text,
    since: batch.sinceMs === undefined ? null : new Date(batch.sinceMs).toISOString(),
    documents: documents ?? null,
    deed: plan.kind === 'signal' ? 'resume' : plan.kind,
    hint: plan.kind === 'none' ? plan.hint : null,
    result: result?.kind ?? null,
    why: result?.kind === 'failed' ? result.why : null,
  };
}
