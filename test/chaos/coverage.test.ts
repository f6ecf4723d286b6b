// Coverage is counted from what came about, not from what was ordered.
import type { Operation, OrderedFault } from '../sandbox/control';
import { CELLS, coverCase, findThinCells, LEAST_HITS, sumCoverage, tabulateCoverage } from './coverage';

const NOTHING = { operations: [], faults: [], expiredFiles: 0, oddNames: 0, hits: new Map<number, number>() };

function fault(route: string, action: OrderedFault['action'], fired: number): OrderedFault {
  return { id: `${route}-${fired}`, route, action, skip: 0, times: 9, matched: fired, fired };
}

function log(entries: readonly Partial<Operation>[]): Operation[] {
  return entries.map((entry, index) => ({
    seq: index + 1,
    at: 1,
    kind: 'effect',
    route: 'test',
    request: 1,
    ...entry,
  }));
}

test('a fault that was ordered and never fired is no strike', () => {
  const { strikes, cells } = coverCase({
    ...NOTHING,
    faults: [
      fault('revisions.create', { kind: 'reply-lost' }, 2),
      fault('revisions.create', { kind: 'cut-answer' }, 0),
      fault('uploads.patch', { kind: 'drop-from-207' }, 1),
    ],
  });
  expect([...strikes]).toEqual([
    ['reply-lost revisions.create', 2],
    ['drop-from-207 uploads.patch', 1],
  ]);
  expect([cells.get(1), cells.get(3), cells.get(4)]).toEqual([2, 1, 0]);
});

test('a look at an upload is ambiguous while it is hidden or consumed, and counts once', () => {
  const look = { kind: 'request' as const, route: 'uploads.show', detail: { uploads: ['U1'] } };
  const made = { what: 'uploads-created', detail: { uploads: [{ uploadId: 'U1', fileName: 'a' }] } };
  const completed = { what: 'upload-completed', detail: { uploadId: 'U1' } };
  const submitted = { what: 'revision-created', detail: { uploadId: 'U1' } };
  const ambiguous = (...entries: Partial<Operation>[]) =>
    coverCase({ ...NOTHING, operations: log(entries) }).cells.get(2);
  expect(ambiguous(made, completed, look)).toBe(0);
  expect(ambiguous(made, look, look)).toBe(1);
  expect(ambiguous(made, completed, submitted, look)).toBe(1);
});

test('several requests that find the token expired are one hit', () => {
  const refused = { kind: 'request' as const, route: 'files.create', status: 401 };
  const token = { kind: 'request' as const, route: 'oauth.token', status: 200 };
  const operations = log([refused, refused, refused, token, refused, token]);
  expect(coverCase({ ...NOTHING, operations }).cells.get(11)).toBe(1);
});

test('cases add up; cells below the least are named; the table shows all cells', () => {
  const one = coverCase({ ...NOTHING, oddNames: LEAST_HITS - 1, hits: new Map([[5, LEAST_HITS]]) });
  const two = coverCase({ ...NOTHING, oddNames: 1 });
  const sum = sumCoverage([one, two]);
  expect(sum.cells.get(14)).toBe(LEAST_HITS);
  const thin = findThinCells(sum).map(({ cell }) => cell);
  expect(thin).not.toContain(5);
  expect(thin).not.toContain(14);
  expect(thin).toHaveLength(Object.keys(CELLS).length - 2);
  expect(tabulateCoverage(sum).filter(line => /^\s+\d+\s+\d+ /.test(line))).toHaveLength(14);
});
