// One incident is told once, whoever fails, however often; and told to be over with how much had waited.
import {
  DependencyBoard,
  type DependencyFailure,
  type IncidentEvent,
} from '../../../activities/scope/dependency-board';

const API: DependencyFailure = {
  dependency: 'api',
  tried: 'GET /x',
  why: 'no connection (ECONNREFUSED)',
  tookMs: 1,
};
const PROOF = { dependency: 'api', tried: 'GET /x' } as const;

let told: IncidentEvent[];
let board: DependencyBoard;
beforeEach(() => {
  told = [];
  board = new DependencyBoard(event => told.push(event));
});

function waiting(workflowId: string, ...documents: number[]): DependencyFailure {
  return { ...API, waiting: { workflowId, documents } };
}

test('forty failures of ten batches are one incident', () => {
  for (let n = 0; n < 40; n++)
    board.failed(waiting(`ingest/7/batch-${n % 10}`, n % 10, 20 + (n % 10)), 1_000 + n);
  board.failed(waiting('timesheet/7/monday'), 2_000);
  expect(told).toEqual([
    { event: 'dependency-away', dependency: 'api', sinceMs: 1_000, why: API.why, again: false },
  ]);
  board.worked(PROOF, 61_000);
  board.worked(PROOF, 61_001);
  expect(told.slice(1)).toEqual([
    {
      event: 'dependency-back',
      dependency: 'api',
      sinceMs: 1_000,
      lastedMs: 60_000,
      batches: 10,
      documents: 20,
      others: 1,
    },
  ]);
});

test('answers since when it is away, from its first failure on', () => {
  expect(board.failed(API, 5)).toBe(5);
  expect(board.failed({ ...API, tried: 'GET /y' }, 900)).toBe(5);
  board.worked(PROOF, 1_000);
  expect(board.failed(API, 2_000)).toBe(2_000);
});

test('a fault that the next attempt cures is no incident, one attempt that hangs is', () => {
  board.failed(API, 0);
  board.worked(PROOF, 1_000);
  expect(told).toEqual([]);
  board.failed({ ...API, tookMs: 30_000 }, 40_000);
  expect(told).toMatchObject([{ event: 'dependency-away', sinceMs: 40_000 }]);
});

test('dependencies, and shares, are told apart', () => {
  for (const ref of [
    { dependency: 'storage' },
    { dependency: 'share', share: 'a' },
    { dependency: 'share', share: 'b' },
  ] as const) {
    board.failed({ ...API, ...ref }, 0);
    board.failed({ ...API, ...ref }, 1);
  }
  board.worked({ dependency: 'share', share: 'b', tried: API.tried }, 2);
  expect(told.map(({ event, dependency, share }) => [event, dependency, share])).toEqual([
    ['dependency-away', 'storage', undefined],
    ['dependency-away', 'share', 'a'],
    ['dependency-away', 'share', 'b'],
    ['dependency-back', 'share', 'b'],
  ]);
});

test('another route that answers does not end it, unless nothing has failed for a while', () => {
  board.failed(API, 0);
  board.failed(API, 1_000);
  board.worked({ ...PROOF, tried: 'GET /other' }, 2_000);
  expect(told).toHaveLength(1);
  board.worked({ ...PROOF, tried: 'GET /other' }, 122_000);
  expect(told).toMatchObject([{ event: 'dependency-away' }, { event: 'dependency-back', lastedMs: 122_000 }]);
});

test('what comes and goes does not flood, and is told when it stays away', () => {
  let nowMs = 0;
  for (let n = 0; n < 100; n++) {
    board.failed(API, nowMs);
    board.failed(API, nowMs + 500);
    board.worked(PROOF, nowMs + 1_000);
    nowMs += 2_000;
  }
  // In 200 s: once.
  expect(told.map(({ event }) => event)).toEqual(['dependency-away', 'dependency-back']);
  board.failed(API, nowMs);
  board.failed(API, nowMs + 60_000);
  expect(told).toHaveLength(2);
  board.failed(API, nowMs + 120_000);
  expect(told.at(-1)).toMatchObject({ event: 'dependency-away', sinceMs: nowMs, again: true });
});

test('a success without an incident says nothing', () => {
  board.worked(PROOF, 1);
  expect(told).toEqual([]);
});
