// What runs say of a job that somebody looks at: what has changed since they were asked is told.
import type { Client } from '@temporalio/client';
import { LiveProgress } from '../../../../client/console/jobs/live-progress';
import type { BatchProgress } from '../../../../workflows/ingest/ingest-contract';

const BATCH = { workflowId: 'ingest/2/b', batchId: 'b' };
const said = (held: number): BatchProgress => ({
  batchId: 'b',
  share: 'tender',
  documents: 2,
  stages: { held },
  held: [],
});

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function create(progress: () => BatchProgress) {
  const client = {
    withDeadline: async (_: number, work: () => Promise<unknown>) => await work(),
    workflow: { getHandle: () => ({ query: async () => await Promise.resolve().then(progress) }) },
  } as unknown as Client;
  return new LiveProgress({ temporal: async () => await Promise.resolve(client), nowMs: () => Date.now() });
}

test('what is asked about a moment after the last answer is told when that is old', async () => {
  let held = 0;
  const live = create(() => said(held));
  const news = jest.fn();
  expect(await live.of([BATCH], news)).toEqual([said(0)]);
  held = 1;
  jest.advanceTimersByTime(1_000);
  expect(await live.of([BATCH], news)).toEqual([said(0)]);
  expect(news).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(news).toHaveBeenCalledTimes(1);
  expect(await live.of([BATCH], news)).toEqual([said(1)]);
  // Nothing has changed since: it is asked once more, and nobody is told.
  await jest.advanceTimersByTimeAsync(60_000);
  expect(news).toHaveBeenCalledTimes(1);
});

test('a run that did not answer is asked once more', async () => {
  let isThere = false;
  const live = create(() => {
    if (!isThere) throw new Error('nobody answers');
    return said(1);
  });
  const news = jest.fn();
  expect(await live.of([BATCH], news)).toEqual([]);
  isThere = true;
  await jest.advanceTimersByTimeAsync(5_000);
  expect(news).toHaveBeenCalledTimes(1);
});

test('of more batches than are asked at one time all are asked in turn', async () => {
  const batches = Array.from({ length: 120 }, (_, at) => ({
    workflowId: `ingest/2/${at}`,
    batchId: `${at}`,
  }));
  let asked = 0;
  const live = create(() => {
    asked += 1;
    return said(1);
  });
  const news = jest.fn();
  expect(await live.of(batches, news)).toHaveLength(50);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(news).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(news).toHaveBeenCalledTimes(2);
  expect(asked).toBe(150);
  // Those that were asked longest ago are asked again first, and no more of them.
  expect(await live.of(batches, news)).toHaveLength(120);
  expect(asked).toBe(170);
});
