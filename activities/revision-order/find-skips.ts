// Which documents of a batch are not to be sent, by the ledgers of the project: asked when the batch is
// opened, and again when the turn of a document has come.
import type { Reason } from '../../workflows/contract';
import type { KnownProgress } from '../../workflows/ingest/ingest-contract';
import type { LedgerShare, SkipFinder } from '../ledger/served-ledgers';
import type { Manifest } from '../share/batch/manifest';
import type { OpenBatches } from '../share/share';
import { findTurnsOf, type LineShare, type TurnsDeps } from './turns';

type Skips = ReadonlyMap<number, Reason>;

interface OpeningDeps extends TurnsDeps {
  readonly share: LineShare & LedgerShare;
  readonly ledgers: SkipFinder;
}

/**
 * Of documents that nothing was begun for. One that comes after another which is still to be sent may be
 * needed after it: that is seen when its turn comes.
 */
export async function findSkipsAtOpening(
  deps: OpeningDeps,
  manifest: Manifest,
  known: readonly KnownProgress[],
): Promise<Skips> {
  const begun = new Set(
    known.flatMap(({ index, uploadId, outcome }) => ((uploadId ?? outcome) === undefined ? [] : [index])),
  );
  const fresh = manifest.files.filter(({ index, refused }) => refused === undefined && !begun.has(index));
  const skips = new Map(await deps.ledgers.findSkips(deps.share, manifest, fresh));
  for (const index of await findLate(deps, manifest.batchId, [...skips.keys()])) skips.delete(index);
  return skips;
}

/**
 * Those with another document in front that is not one of them. The coordinator takes what it is told to have
 * ended for ended; so of the documents of this batch only this share is asked.
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

/** Of documents whose turn has come. A person has let the confirmed ones go. */
export async function findSkipsNow(
  {
    share,
    ledgers,
  }: { readonly share: LedgerShare & Pick<OpenBatches, 'readSeal'>; readonly ledgers: SkipFinder },
  batchId: string,
  uploads: readonly { readonly index: number }[],
  confirmed: readonly number[],
): Promise<Skips> {
  const going = uploads.filter(({ index }) => !confirmed.includes(index));
  if (going.length === 0) return new Map();
  const { manifest } = await share.readSeal(batchId);
  return await ledgers.findSkips(
    share,
    manifest,
    going.flatMap(({ index }) => manifest.files[index] ?? []),
  );
}
