// How a case ended, in a form that two runs of the same files can be compared by (invariant 13), and what a
// second recovery did on an end that should have nothing left to do (invariant 14).
import { nameOf } from './judge-documents';
import type { Evidence } from './judge-evidence';
import { ourRevisions } from './judge-rules-service';
import type { Violation } from './part';

/** Routes that change something at the service. */
const WRITES = new Set([
  'uploads.create',
  'uploads.patch',
  'files.create',
  'files.patch',
  'storage.put',
  'revisions.create',
]);

/**
 * Sorted lines without ids and times: where each file lies, how its receipt calls
 * it, which revisions there are.
 */
export function describeEnd(evidence: Evidence): readonly string[] {
  const { share } = evidence;
  const files = share.files.map(({ place, path, sha256 }) => `file ${place} ${path} ${sha256}`);
  const rows = share.batches.flatMap(({ receipt }) =>
    (receipt?.files ?? []).map(({ path, outcome, reason }) =>
      `receipt ${path} ${outcome} ${reason?.code ?? ''}`.trimEnd(),
    ),
  );
  const revisions = ourRevisions(evidence).map(({ fileName, sha256, fields }) =>
    `revision ${fileName} ${sha256} ${(fields.number ?? []).join(' ')}`.trimEnd(),
  );
  return [...files, ...rows, ...revisions].sort();
}

/**
 * What differs from the end of the run without a fault; orphaned uploads and
 * unlinked files are no difference.
 */
export function compareEnds(evidence: Evidence, faultless: Evidence, caseName: string): Violation[] {
  const [here, there] = [describeEnd(evidence), describeEnd(faultless)];
  const invariant = '13 the end is that of the run without a fault';
  return [
    ...without(there, here).map(what => ({ invariant, case: caseName, what: `missing: ${what}` })),
    ...without(here, there).map(what => ({ invariant, case: caseName, what: `additional: ${what}` })),
  ];
}

/** A recovery on an end writes nothing, neither at the service nor on the share. */
export function judgeFixedPoint(before: Evidence, after: Evidence, caseName: string): Violation[] {
  const lastSeq = before.operations.at(-1)?.seq ?? 0;
  const written = after.operations.filter(
    ({ seq, kind, route }) => seq > lastSeq && kind === 'request' && WRITES.has(route),
  );
  const invariant = '14 recovering from an end writes nothing';
  return [
    ...written.map(({ route, request }) => ({
      invariant,
      case: caseName,
      what: `request ${request}, ${route}`,
    })),
    ...without(listShare(after), listShare(before)).map(what => ({ invariant, case: caseName, what })),
    ...without(listShare(before), listShare(after)).map(what => ({
      invariant,
      case: caseName,
      what: `gone: ${what}`,
    })),
  ];
}

function listShare({ share }: Evidence): string[] {
  return [
    ...share.files.map(({ place, batchId = '', path, sha256 }) => `${place}/${batchId}/${path} ${sha256}`),
    ...share.receipts.map(({ place, batchId, name }) => `${place}/${batchId}/${name}`),
    ...share.batches.map(
      ({ batchId, isFinished, journal, manifest }) =>
        `batch ${batchId}, ${isFinished ? 'finished' : 'open'}, ${journal.length} records, ${
          manifest?.files.map(({ path }) => nameOf(path)).join(' ') ?? 'no manifest'
        }`,
    ),
  ];
}

/** Those of `one` that `other` does not have, with repetitions. */
function without(one: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const each of other) left.set(each, (left.get(each) ?? 0) + 1);
  return one.filter(each => {
    const count = left.get(each) ?? 0;
    if (count > 0) left.set(each, count - 1);
    return count === 0;
  });
}
