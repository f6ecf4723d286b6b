// In which order the revisions of one document come. Promised is (docs/decisions.md, "Order of revisions"):
// by their revision values where all can be compared, else by the time of their claim, among what is on its
// way at one time. So what was claimed earlier, and does not say that it is the later revision, never comes
// after what was claimed later: it was in line before the other one could ask whose turn it is.
import type { SandboxRevision } from '../sandbox/control';
import { givenByPeople, type ShareValues } from './foretold-values';
import { type DocumentIndex, groupBy } from './judge-documents';
import type { Evidence } from './judge-evidence';
import type { Judgement, Rule } from './judge-rule';
import { ourRevisions } from './judge-rules-service';

export const ORDER_RULES: readonly Rule[] = [
  { invariant: '29 revisions of a document are in their order', find: findDisorder },
  { invariant: '29 what was claimed first comes first', find: findOvertaken },
  { invariant: '29 a claim is told with its time', find: findEarlyClaims },
];

/** A revision with where it came from, as the share shows it. */
interface Claimed extends SandboxRevision {
  readonly path: string;
  readonly batchId: string;
  readonly claimedAtMs: number;
}

/** By upload, of those that were about to be submitted. */
function claims({ share }: Evidence): ReadonlyMap<string, Pick<Claimed, 'path' | 'batchId' | 'claimedAtMs'>> {
  return new Map(
    share.batches.flatMap(({ batchId, manifest, journal }) => {
      const claimedAtMs = Date.parse(manifest?.createdAt ?? '');
      const paths = new Map(manifest?.files.map(({ index, path }) => [index, path]));
      return journal.flatMap(({ record }) =>
        record.kind === 'intent'
          ? record.uploads.map(
              ({ index, uploadId }) =>
                [uploadId as string, { path: paths.get(index) ?? '', batchId, claimedAtMs }] as const,
            )
          : [],
      );
    }),
  );
}

/** The revisions of each document, in the order in which they came. */
function byDocument(evidence: Evidence): readonly (readonly Claimed[])[] {
  const known = claims(evidence);
  const claimed = ourRevisions(evidence).flatMap((revision): Claimed[] => {
    const claim = known.get(revision.uploadId ?? '');
    return claim === undefined ? [] : [{ ...revision, ...claim }];
  });
  const groups = groupBy(claimed, ({ containerId }) => containerId);
  return [...groups.values()].map(group => group.sort((one, other) => one.version - other.version));
}

/** Within one batch, by values that are single letters or whole numbers. */
function findDisorder(evidence: Evidence): string[] {
  return byDocument(evidence).flatMap(revisions =>
    toPairs(revisions).flatMap(([first, later]) =>
      first.batchId === later.batchId && isAfter(first.revision, later.revision)
        ? [`${later.name}: revision ${later.revision} came after revision ${first.revision}`]
        : [],
    ),
  );
}

/** Of different batches. Values that defaults give or the service finds put nobody in another place. */
function findOvertaken(evidence: Evidence, _: DocumentIndex, { values }: Judgement): string[] {
  return byDocument(evidence).flatMap(revisions =>
    toPairs(revisions).flatMap(([first, later]) => {
      const isOvertaken = later.claimedAtMs < first.claimedAtMs && !isSaidToBeLater(values, later, first);
      if (!isOvertaken) return [];
      return [
        `${later.path} of batch ${later.batchId} came after ${first.path} of batch ${first.batchId}, which was claimed ${first.claimedAtMs - later.claimedAtMs} ms later`,
      ];
    }),
  );
}

/** The times of claims are the product's word; when a file was dropped is the case's own. */
function findEarlyClaims(evidence: Evidence, documents: DocumentIndex): string[] {
  return byDocument(evidence)
    .flat()
    .flatMap(({ path, sha256, claimedAtMs }) => {
      const droppedAtMs = documents.droppedAtMs(path, sha256);
      return droppedAtMs !== undefined && claimedAtMs < droppedAtMs
        ? [`${path} is said to be claimed ${droppedAtMs - claimedAtMs} ms before it was dropped`]
        : [];
    });
}

function isSaidToBeLater(values: ShareValues, one: Claimed, other: Claimed): boolean {
  const [said, otherSaid] = [one, other].map(({ path }) => givenByPeople(path, values).revision);
  return said !== undefined && otherSaid !== undefined && isAfter(said, otherSaid);
}

/** Each with each that came later. */
function toPairs<Item>(items: readonly Item[]): readonly (readonly [first: Item, later: Item])[] {
  return items.flatMap((first, at) => items.slice(at + 1).map(later => [first, later] as const));
}

/** False where nothing is known of the two. */
function isAfter(revision: string, other: string): boolean {
  const [one, two] = [revision, other].map(rank);
  return one !== undefined && two !== undefined && one.scheme === two.scheme && one.at > two.at;
}

function rank(revision: string): { readonly scheme: string; readonly at: number } | undefined {
  if (/^\d{1,4}$/.test(revision)) return { scheme: 'numbers', at: Number(revision) };
  return /^[A-Z]$/.test(revision) ? { scheme: 'letters', at: revision.charCodeAt(0) } : undefined;
}
