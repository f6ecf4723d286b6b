// What only a person can repair is waited for by asking again now and then: what that costs does not grow
// with how many calls of a run stand still for it.
import { setImmediate as turn } from 'node:timers/promises';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { ServiceCalls } from '../../../workflows/run/activity-calls';

const DAY_MS = 24 * 3_600_000;

interface Wait {
  readonly isOver: () => boolean;
  readonly dueMs: number;
  readonly resume: () => void;
}

/** The workflow's own time, which passes when everybody waits. */
let nowMs = 0;
let waits: Wait[] = [];
let asked = 0;
let inputs: unknown[] = [];
/** How many calls the service lets through, and what the others lack. */
let open = 0;
let type = 'LOGIN_REQUIRED';

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  patched: () => true,
  condition: (isOver: () => boolean, forMs = Number.POSITIVE_INFINITY) =>
    isOver()
      ? Promise.resolve(true)
      : new Promise<boolean>(resolve => {
          waits.push({ isOver, dueMs: nowMs + forMs, resume: () => resolve(isOver()) });
        }),
  proxyActivities: () => {
    const work = {
      executeWithOptions: async (_options: unknown, [input]: readonly unknown[]) => {
        asked++;
        inputs.push(input);
        if (open-- > 0) return 'done';
        const cause = ApplicationFailure.create({ type, message: 'not so' });
        throw new ActivityFailure('failed', 'work', '1', 'MAXIMUM_ATTEMPTS_REACHED', undefined, cause);
      },
    };
    return { work, submitRevisions: work, submitAgain: work, linkUploads: work };
  },
}));

interface Work {
  work(input: unknown): Promise<string>;
}

async function pass(untilMs: number): Promise<void> {
  for (;;) {
    await turn();
    const next =
      waits.find(({ isOver }) => isOver()) ?? [...waits].sort((one, other) => one.dueMs - other.dueMs)[0];
    if (next === undefined || (!next.isOver() && next.dueMs > untilMs)) break;
    if (!next.isOver()) nowMs = next.dueMs;
    waits = waits.filter(wait => wait !== next);
    next.resume();
  }
  nowMs = untilMs;
}

function standStill(calls: number, lacking = 'LOGIN_REQUIRED') {
  [nowMs, waits, asked, inputs, open, type] = [0, [], 0, [], 0, lacking];
  const run = { resumes: 0, block: jest.fn(), unblock: jest.fn(), triesAgain: jest.fn() };
  const service = new ServiceCalls<Work>();
  // What is reloaded is asked for like everything else.
  service.whenBlocked(run, async () => {
    await service.service.work(() => 'reload', 'Reload');
  });
  const ended: string[] = [];
  for (let n = 0; n < calls; n++)
    void service.service.work(() => n, 'Work').then(result => ended.push(result));
  return { run, ended };
}

test.each([1, 3, 10, 100])(
  '%i calls that stand still for a day ask some eighty times, and once more each',
  async calls => {
    standStill(calls);
    await pass(DAY_MS);
    // A try is some eleven events; below 2,000 of them were promised for a day of waiting.
    expect(asked).toBeGreaterThan(40);
    expect(asked).toBeLessThan(110 + calls);
  },
);

test.each([1, 3])(
  'what is reloaded before %i calls are tried again is asked for as often as one of them',
  async calls => {
    const { ended } = standStill(calls, 'MISCONFIGURED');
    await pass(DAY_MS);
    expect(asked).toBeGreaterThan(40);
    expect(asked).toBeLessThan(75 + 60 * calls);
    open = Number.POSITIVE_INFINITY;
    await pass(DAY_MS + 46 * 60_000);
    expect(ended).toHaveLength(calls);
  },
);

test('as soon as one of them is through, all are asked for again', async () => {
  const { run, ended } = standStill(5);
  await pass(DAY_MS);
  open = 5;
  await pass(DAY_MS + 46 * 60_000);
  expect(ended).toHaveLength(5);
  expect(run.unblock).toHaveBeenCalledTimes(1);
});

test('all are asked for again at once when somebody says resume', async () => {
  const { run, ended } = standStill(5);
  await pass(DAY_MS);
  open = 5;
  run.resumes++;
  await pass(DAY_MS);
  expect(ended).toHaveLength(5);
});

test('that one asks again is told, for it may last long once the cause is repaired', async () => {
  const { run } = standStill(1);
  await pass(DAY_MS);
  expect(run.triesAgain).toHaveBeenCalledTimes(asked - 1);
  expect(run.unblock).not.toHaveBeenCalled();
});

test('a call that is made again says so, where its input says who asks', async () => {
  standStill(0);
  const run = { resumes: 0, block: jest.fn(), unblock: jest.fn() };
  const calls = new ServiceCalls<Work>();
  calls.whenBlocked(run);
  const asking = { runId: 'R' };
  void calls.service.work(() => ({ asked: asking, of: 'one' }), 'Work');
  await pass(DAY_MS);
  const [first, second, third] = inputs;
  expect(first).toEqual({ asked: asking, of: 'one' });
  expect([second, third]).toEqual(
    Array(2).fill({ asked: { runId: 'R', again: true }, again: true, of: 'one' }),
  );
  expect(asking).toEqual({ runId: 'R' });
});

test.each([
  ['submitRevisions', 1],
  ['submitAgain', 1],
  ['linkUploads', 0],
])('before %s is made again, it is seen %d times whether it may be', async (name, looks) => {
  standStill(0);
  let isSeen = (): void => undefined;
  const maySubmit = jest.fn(async () => {
    await new Promise<void>(resolve => {
      isSeen = resolve;
    });
  });
  const calls = new ServiceCalls<Record<string, Work['work']>>();
  const run = { resumes: 0, block: jest.fn(), unblock: jest.fn() };
  calls.whenBlocked(run, async () => undefined, maySubmit);
  void calls.service[name]?.(() => 0, 'Work');
  await pass(0);
  expect(maySubmit).not.toHaveBeenCalled();
  open = 1;
  await pass(DAY_MS);
  expect(maySubmit).toHaveBeenCalledTimes(looks);
  expect(asked).toBe(2 - looks);
  isSeen();
  await pass(2 * DAY_MS);
  expect(asked).toBe(2);
});

test('a call whose input does not say who asks is made again as it was', async () => {
  standStill(1);
  await pass(DAY_MS);
  expect(new Set(inputs)).toEqual(new Set([0]));
});
