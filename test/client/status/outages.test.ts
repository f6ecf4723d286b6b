import { Outages } from '../../../client/status/outages';

const SINCE = Date.parse('2026-04-03T09:00:00Z');
const waits = (dependency: 'api' | 'share' | 'storage', sinceMs: number | null) => ({
  workflowId: 'w',
  dependency,
  why: '',
  sinceMs,
  nextAttemptMs: null,
});

test('a few batches are asked, seldom; each that is away is told once, by its earliest time', async () => {
  const asked: string[] = [];
  let nowMs = 0;
  const outages = new Outages({
    waitsFor: async batchId => {
      asked.push(batchId);
      return [waits('api', SINCE + asked.length), waits('share', SINCE), waits('storage', null)];
    },
    nowMs: () => nowMs,
  });
  const told = [{ what: 'api', since: '2026-04-03T09:00:00.001Z' }];
  expect(await outages.of('job', ['a', 'b', 'c'])).toEqual(told);
  nowMs = 14_999;
  expect(await outages.of('job', ['a'])).toEqual(told);
  expect(asked).toEqual(['a', 'b']);
  nowMs = 15_000;
  expect(await outages.of('job', ['a'])).toEqual([{ what: 'api', since: '2026-04-03T09:00:00.003Z' }]);
});

test('where nobody answers, nothing is told', async () => {
  const waitsFor = async () => {
    throw new Error('away');
  };
  expect(await new Outages({ waitsFor, nowMs: () => 0 }).of('job', ['a'])).toEqual([]);
});
