// An attempt that ends to go on later: when the next one comes, and what it begins with. Temporal may hand it
// out before its time.
import { MockActivityEnvironment } from '@temporalio/testing';
import { type ActivityScope, inScope } from '../../../activities/scope/activity-scope';

const PAUSE_MS = 5_000;
const never = new AbortController().signal;

/** Runs an attempt with what the one before has told: how it ended, and what it tells the next one. */
async function attempt(
  heartbeatDetails: unknown,
  work: (scope: ActivityScope) => Promise<unknown>,
  number = 3,
): Promise<{ readonly ended: unknown; readonly told: unknown }> {
  const environment = new MockActivityEnvironment({ attempt: number, heartbeatDetails });
  let told: unknown;
  environment.on('heartbeat', details => {
    told = details;
  });
  const ended = await environment.run(() => inScope(never, work)).catch((error: unknown) => error);
  return { ended, told };
}

const comeBack = async (scope: ActivityScope) => scope.comeBack(PAUSE_MS, { seen: 7 }, 'not yet');
const attemptAndDetails = async (scope: ActivityScope) => [scope.attempt, scope.lastDetails];

test('the next attempt goes on from what it was told, and counts as none', async () => {
  const { ended, told } = await attempt({ comebacks: 1 }, comeBack);
  expect(ended).toMatchObject({ type: 'NOT_YET', nonRetryable: false });
  expect(told).toMatchObject({ seen: 7, comebacks: 2 });
});

test('an attempt that comes before its time does nothing, and one comes when it is time', async () => {
  const { told: before } = await attempt({ comebacks: 1 }, comeBack);
  const work = jest.fn(attemptAndDetails);
  const { ended, told } = await attempt(before, work, 4);
  expect(work).not.toHaveBeenCalled();
  expect(ended).toMatchObject({ type: 'NOT_YET', nonRetryable: false });
  const { nextRetryDelay } = ended as { readonly nextRetryDelay: number };
  expect(nextRetryDelay).toBeGreaterThan(PAUSE_MS - 2_000);
  expect(nextRetryDelay).toBeLessThanOrEqual(PAUSE_MS);
  expect(told).toMatchObject({ seen: 7, comebacks: 3 });
  // It is put off once: where the clocks of two hosts differ, nothing is put off for ever.
  const after = await attempt(told, attemptAndDetails, 5);
  expect(after.ended).toEqual([2, expect.objectContaining({ seen: 7 })]);
});

test('one that comes in time works', async () => {
  const back = { atMs: Date.now() - 1, afterMs: PAUSE_MS };
  const { ended } = await attempt({ seen: 7, comebacks: 1, back }, attemptAndDetails);
  expect(ended).toEqual([2, expect.objectContaining({ seen: 7 })]);
});

test('where the clock of the host before is ahead by an hour, it waits no longer than the pause was', async () => {
  const back = { atMs: Date.now() + 3_600_000, afterMs: PAUSE_MS };
  const { ended } = await attempt({ seen: 7, comebacks: 1, back }, attemptAndDetails);
  expect(ended).toMatchObject({ type: 'NOT_YET' });
  expect((ended as { readonly nextRetryDelay: number }).nextRetryDelay).toBeLessThanOrEqual(PAUSE_MS);
});

test.each([undefined, null, 'text', { back: 'soon' }, { back: { atMs: 'later' } }])(
  'what is no such word of an earlier attempt puts nothing off: %j',
  async details => {
    const { ended } = await attempt(details, attemptAndDetails);
    expect(ended).toEqual([3, details]);
  },
);
