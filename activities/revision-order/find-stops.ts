// Which documents of a batch are not to be sent, or not before somebody says so, by the ledgers of the
// project: asked when the batch is opened, and again when the turn of a document has come.
import type { KnownProgress } from '../../workflows/ingest/ingest-contract';
import type { LedgerShare, StopFinder, Stops } from '../ledger/served-ledgers';
import type { Manifest } from '../share/batch/manifest';
import type { OpenBatches } from '../share/share';
import { findTurnsOf, type QueueShare, type TurnsDeps } from './turns';

interface OpeningDeps extends TurnsDeps {
  readonly share: QueueShare & LedgerShare;
  readonly ledgers: StopFinder;
}

/**
 * Stops of documents for which nothing was begun. A document that is the present revision already, but comes
 * after an earlier one that is still to be sent, may be needed again after that one: so it is not skipped
 * here, but looked at once more when its turn comes.
 */
export async function findStopsAtOpening(
  deps: OpeningDeps,
  manifest: Manifest,
  known: readonly KnownProgress[],
): Promise<Stops> {
  const begun = new Set(
    known.flatMap(({ index, uploadId, outcome }) => ((uploadId ?? outcome) === undefined ? [] : [index])),
  );
  const files = manifest.files.filter(({ index, refused }) => refused === undefined && !begun.has(index));
  // Documents that were overtaken are held for that anyway: a later revision does not stop them here, too.
  const overtaken = known.flatMap(({ index, overtakenBy }) => (overtakenBy === undefined ? [] : [index]));
  const meant = new Map(overtaken.map(index => [index, ['later-there']] as const));
  const { share, ledgers } = deps;
  const stops = new Map(await ledgers.findStops({ share, manifest, files, meant, isOpening: true }));
  const skipped = [...stops].flatMap(([index, { kind }]) => (kind === 'skip' ? [index] : []));
  for (const index of await findLate(deps, manifest.batchId, skipped)) stops.delete(index);
  return stops;
}

/**
 * Which of these documents stand in line behind one that is not among them. What the coordinator is told to
 * have ended, it takes for ended; so only this share is asked what would be if these documents had ended.
 */
async function findLate(
  deps: OpeningDeps,
  batchId: string,
  indexes: readonly number[],
): Promise<ReadonlySet<number>> {
  if (indexes.length === 0) return new Set();
  const { waiting: here } = await deps.share.findWaiting({ batchId, indexes, ended: indexes });
  const request = { batchId, indexes, ended: [], matches: [], confirmed: [], isLook: true };
  const { waiting } = await findTurnsOf(deps, request);
  const late = new Set(here.map(({ index }) => index));
  const isLate = ({ behind }: (typeof waiting)[number]) =>
    behind.batchId !== batchId || !indexes.includes(behind.index) || late.has(behind.index);
  for (let before = -1; before !== late.size; ) {
    before = late.size;
    for (const one of waiting) if (isLate(one)) late.add(one.index);
  }
  return late;
}

/**
 * Stops of documents whose turn has come.
 * @param confirmed a person has let these go, whatever is there.
 */
export async function findStopsNow(
  deps: {
    readonly share: LedgerShare & Pick<OpenBatches, 'readSeal'>;
    readonly ledgers: StopFinder;
  },
  batchId: string,
  uploads: readonly { readonly index: number }[],
  { confirmed, meant }: { readonly confirmed: readonly number[]; readonly meant: readonly Meant[] },
): Promise<Stops> {
  const { share, ledgers } = deps;
  const going = uploads.filter(({ index }) => !confirmed.includes(index));
  if (going.length === 0) return new Map();
  const { manifest } = await share.readSeal(batchId);
  const files = going.flatMap(({ index }) => manifest.files[index] ?? []);
  const codes = new Map(meant.map(one => [one.index, one.codes] as const));
  return await ledgers.findStops({ share, manifest, files, meant: codes });
}

/** The codes of what a document was held for, and a person has let pass. */
export interface Meant {
  readonly index: number;
  readonly codes: readonly string[];
}
