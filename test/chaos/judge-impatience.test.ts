// Who came too early, and who linked what was COMPLETED: excused by moment and by
// upload, never for a whole case.
import type { Operation } from '../sandbox/control';
import { judge } from './judge';
import type { Evidence } from './judge-evidence';
import type { Interruption } from './judge-rule';

const TOLD = 100_000;
const killed = (from: number, until = from + 50): Interruption => ({ kind: 'killed', from, until });
const frozen = (from: number, until: number): Interruption => ({ kind: 'frozen', from, until });

function evidenceOf(
  serviceViolations: readonly Operation[],
  operations: readonly Operation[] = [],
): Evidence {
  return {
    operations,
    serviceViolations,
    revisions: [],
    uploads: [],
    fileUploads: [],
    share: { files: [], batches: [], receipts: [], foreign: [], temporary: [] },
    dropped: [],
  };
}

function operation(at: number, what: string, detail: Record<string, unknown>): Operation {
  return { seq: at, at, kind: 'violation', route: 'files.create', request: at, what, detail };
}

const early = (at: number, announcedAt: readonly number[] = [TOLD], what = 'retry-after-undercut') =>
  operation(at, what, { tooEarlyMs: 500, announcedAt });
const relinked = (at: number, uploadId = 'U1') =>
  operation(at, 'completed-upload-relinked', { uploadId, fileName: 'a.pdf' });
const completed = (at: number, uploadId = 'U1') => operation(at, 'upload-completed', { uploadId });

function findings(evidence: Evidence, interruptions?: readonly Interruption[]): string[] {
  const more = interruptions === undefined ? {} : { interruptions };
  const values = { defaults: {}, documentName: 'stem' } as const;
  const judgement = {
    mode: 'underway',
    case: 'c',
    projectId: '7001',
    values,
    mostRequests: 0,
    ...more,
  } as const;
  return judge(evidence, judgement).map(({ invariant }) => invariant);
}

const LIMITS = ['16 limits are kept'];
const LINKED = ['8 a file upload is linked once'];

test.each(['retry-after-undercut', 'request-while-limited'])('%s counts where every process lived', what => {
  expect(findings(evidenceOf([early(TOLD + 1_500, [TOLD], what)]))).toEqual(LIMITS);
  // Killed long before it was told, or when it had long been read: the next
  // process read what was written down.
  for (const at of [TOLD - 5_000, TOLD + 5_000])
    expect(findings(evidenceOf([early(TOLD + 6_000, [TOLD], what)]), [killed(at)])).toEqual(LIMITS);
});

test('an answer that was given in the moment of a kill, or to a process that stood still, may be known to nobody', () => {
  const evidence = evidenceOf([early(TOLD + 1_500)]);
  expect(findings(evidence, [killed(TOLD + 400)])).toEqual([]);
  expect(findings(evidence, [killed(TOLD - 20)])).toEqual([]);
  expect(findings(evidence, [frozen(TOLD - 20_000, TOLD + 13_000)])).toEqual([]);
});

test('of two answers the one that was read counts', () => {
  const evidence = evidenceOf([early(TOLD + 4_000, [TOLD, TOLD + 3_000])]);
  expect(findings(evidence, [killed(TOLD + 3_100)])).toEqual(LIMITS);
  expect(findings(evidence, [killed(TOLD + 3_100), killed(TOLD + 100)])).toEqual([]);
});

test('what was on its way when the answer came is forgiven, a storm is not', () => {
  const crossing = (count: number) =>
    evidenceOf(Array.from({ length: count }, (_, index) => early(TOLD + 300 + index)));
  expect(findings(crossing(16))).toEqual([]);
  expect(findings(crossing(17))).toEqual(['16 what the service says is heard at once']);
});

test('a link to what was COMPLETED counts, whatever happened to processes that were killed', () => {
  const evidence = evidenceOf([relinked(TOLD)], [completed(TOLD - 2_000)]);
  expect(findings(evidence)).toEqual(LINKED);
  expect(findings(evidence, [killed(TOLD)])).toEqual(LINKED);
});

test('it is explained for an upload whose link, first or second, came from a process that had stood still', () => {
  const stood = [frozen(TOLD, TOLD + 33_000)];
  // The one believed dead linked it when it went on; the file that was sent anew met it.
  expect(findings(evidenceOf([relinked(TOLD + 90_000)], [completed(TOLD + 34_000)]), stood)).toEqual([]);
  // Or it came second itself.
  expect(findings(evidenceOf([relinked(TOLD + 34_000)], [completed(TOLD - 60_000)]), stood)).toEqual([]);
});

test('it is explained for no other upload of the same case, and not twice', () => {
  const stood = [frozen(TOLD, TOLD + 33_000)];
  const operations = [completed(TOLD + 34_000, 'U1'), completed(TOLD + 60_000, 'U2')];
  const objections = [relinked(TOLD + 70_000, 'U1'), relinked(TOLD + 71_000, 'U2')];
  expect(findings(evidenceOf(objections, operations), stood)).toEqual(LINKED);
  const twice = [relinked(TOLD + 70_000), relinked(TOLD + 80_000)];
  expect(findings(evidenceOf(twice, operations), stood)).toEqual(LINKED);
});
