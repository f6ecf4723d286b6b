// Work on a share whose mount hangs: noticed, although nothing of the file system ever returns.
import type { ActivityScope } from '../../../activities/scope/activity-scope';
import { unlessHung } from '../../../activities/scope/hung-share';
import type { Reachability } from '../../../activities/share/files/reachability';

const TIMES = { lookEveryMs: 5, answerWithinMs: 1_000 };
const REACHABLE: Reachability = { kind: 'reachable' };

function scopeOf(signal = new AbortController().signal): ActivityScope {
  const comeBack = (): never => {
    throw new Error('It was to stay');
  };
  return {
    signal,
    attempt: 1,
    isOfOtherRun: false,
    lastDetails: undefined,
    temporalMs: () => Date.now(),
    report: () => undefined,
    comeBack,
  };
}

/** Answers these in turn, the last one for ever. */
function shareThatIs(...answers: readonly Reachability[]) {
  const looks: (number | undefined)[] = [];
  return {
    looks,
    isReachable: async (timeoutMs?: number): Promise<Reachability> => {
      looks.push(timeoutMs);
      return answers[Math.min(looks.length, answers.length) - 1] ?? REACHABLE;
    },
  };
}

test('work that never returns ends with the share away, and is told to stop', async () => {
  const share = shareThatIs(REACHABLE, { kind: 'hung' });
  let stopped: AbortSignal | undefined;
  const work = async ({ signal }: ActivityScope): Promise<never> => {
    stopped = signal;
    return await new Promise<never>(() => undefined);
  };
  await expect(unlessHung(share, scopeOf(), work, TIMES)).rejects.toMatchObject({ code: 'share-away' });
  expect(stopped?.aborted).toBe(true);
  expect(share.looks).toEqual([1_000, 1_000]);
});

test('slow work on a share that answers, or whose look fails, goes on', async () => {
  const share = shareThatIs(REACHABLE, { kind: 'failing', code: 'EIO' }, { kind: 'missing' });
  const work = async (): Promise<string> => {
    while (share.looks.length < 4) await new Promise(resolve => setTimeout(resolve, 1));
    return 'done';
  };
  expect(await unlessHung(share, scopeOf(), work, TIMES)).toBe('done');
});

test('short work costs no look, and its own error is the one to tell', async () => {
  const share = shareThatIs({ kind: 'hung' });
  const error = new Error('its own');
  await expect(unlessHung(share, scopeOf(), async () => await Promise.reject(error), TIMES)).rejects.toBe(
    error,
  );
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(share.looks).toEqual([]);
});

test('the signal of the activity is still heard', async () => {
  const stop = new AbortController();
  const reason = new Error('stop');
  const work = async ({ signal }: ActivityScope): Promise<never> =>
    await new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  const running = unlessHung(shareThatIs(REACHABLE), scopeOf(stop.signal), work, TIMES);
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
});
