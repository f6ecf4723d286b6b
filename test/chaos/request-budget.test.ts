// How many requests a case may make: what is cheap stays within the bound, and a storm does not.
import type { OrderedFault } from '../sandbox/control';
import type { BatchOnShare } from './judge-share';
import { countStrikes, type Load, mostRequests, mostRequestsOf, NO_ROOM } from './request-budget';

const CLEAN: Load = { documents: 100, batches: 1, workers: 1 };

test.each<[what: string, load: Load, most: number]>([
  ['nothing', { documents: 0, batches: 0, workers: 0 }, 0],
  ['a clean batch of a hundred', CLEAN, 2 * (400 + 11 + 8)],
  ['a document alone', { documents: 1, batches: 1, workers: 1 }, 2 * (4 + 11 + 8)],
  [
    'a file in five pieces',
    { documents: 1, batches: 1, workers: 1, furtherSegments: 4 },
    2 * (4 + 11 + 8 + 4),
  ],
  ['a cut in the middle: sixteen files again', { ...CLEAN, interruptions: 1 }, 2 * (419 + 64 + 2)],
  ['three documents, cut twice', { documents: 3, batches: 1, workers: 1, interruptions: 2 }, 2 * (31 + 28)],
  ['twenty batches, cut', { ...CLEAN, batches: 20, interruptions: 1 }, 2 * (400 + 220 + 8 + 64 + 16)],
  ['faults', { ...CLEAN, strikes: 10 }, 2 * (419 + 40)],
  ['people', { ...CLEAN, deeds: 3 }, 2 * (419 + 15)],
  ['a kill, with no room', { ...CLEAN, workers: 2, interruptions: 1, room: NO_ROOM }, 427 + 66],
])('%s', (_, load, most) => {
  expect(mostRequests(load)).toBe(most);
});

/** With the bytes of each, which docs/figures.md leaves out. */
test.each([
  ['a client of 3.06 requests a document', 306 + 100, true],
  ['one that looks at uploads one by one', 503 + 100, true],
  ['one that asks for everything one by one, and looks every five seconds', 1_650 + 100, false],
])('a batch of a hundred: %s', (_, requests, isWithin) => {
  expect(requests <= mostRequests(CLEAN)).toBe(isWithin);
});

test('documents count as often as they were dropped, and batches as far as there are documents for them', () => {
  const batch: BatchOnShare = { batchId: 'b', isFinished: true, journal: [], damaged: [] };
  const share = { files: [], receipts: [], foreign: [], temporary: [], batches: Array(9).fill(batch) };
  const dropped = [
    { path: 'a', sha256: 'a', drops: 2 },
    { path: 'b', sha256: 'b' },
  ];
  expect(mostRequestsOf({ dropped, share }, { workers: 2 })).toBe(
    mostRequests({ documents: 3, batches: 3, workers: 2 }),
  );
});

test('a fault counts as often as it struck, one without end not for ever, and what only delays not at all', () => {
  const fault = (fired: number, action: OrderedFault['action']): OrderedFault => ({
    id: 'f',
    route: 'files.create',
    action,
    skip: 0,
    times: 0,
    matched: fired,
    fired,
  });
  const faults = [
    fault(3, { kind: 'reply-lost' }),
    fault(1_000, { kind: 'reply-lost' }),
    fault(50, { kind: 'delay', ms: 10, when: 'before' }),
  ];
  expect(countStrikes(faults)).toBe(3 + 25);
});
