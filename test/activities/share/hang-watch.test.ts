// A mount that hangs is found out by a look that does not come back and a child process that does
// not either; its answer at once.

import type { Reachability } from '../../../activities/share/files/reachability';
import { createHangWatch } from '../../../activities/share/hang-watch';

const TIMES = { lookEveryMs: 1, lookWithinMs: 5, answerWithinMs: 1_000, againEveryMs: 60_000 };
const REACHABLE: Reachability = { kind: 'reachable' };

const watch = createHangWatch(TIMES);
const signal = new AbortController().signal;

/** Looks that come back only when they are let; the child's answers in turn, the last one for ever. */
function shareThatHangs(...answers: readonly Reachability[]) {
  const end: { back?: (isInPlace: boolean) => void; fail?: (error: unknown) => void } = {};
  const look = new Promise<boolean>((resolve, reject) => {
    end.back = resolve;
    end.fail = reject;
  });
  const asked: (number | undefined)[] = [];
  return {
    asked,
    comeBack: () => end.back?.(true),
    failWith: () => end.fail?.(new Error('ENOTCONN')),
    isInPlace: async () => await look,
    isReachable: async (withinMs?: number) => {
      asked.push(withinMs);
      return answers[Math.min(asked.length, answers.length) - 1] ?? REACHABLE;
    },
  };
}

test('a share that is only slow is asked by a child, and does not hang', async () => {
  const share = shareThatHangs(REACHABLE, REACHABLE, { kind: 'failing', code: 'EIO' }, { kind: 'hung' });
  await expect(watch.untilHung(share, signal)).resolves.toBeDefined();
  expect(share.asked).toEqual([1_000, 1_000, 1_000, 1_000]);
});

test('looks that come back cost no child process', async () => {
  let looks = 0;
  const stop = new AbortController();
  const isInPlace = async (): Promise<boolean> => {
    looks += 1;
    if (looks === 5) stop.abort();
    // What is away is no hung mount.
    throw new Error('ENOENT');
  };
  const isReachable = jest.fn();
  await expect(watch.untilHung({ isInPlace, isReachable }, stop.signal)).resolves.toBeUndefined();
  expect(isReachable).not.toHaveBeenCalled();
});

test.each(['comeBack', 'failWith'] as const)('the look that waited tells that it answers: %s', async how => {
  const share = shareThatHangs({ kind: 'hung' }, REACHABLE);
  const hang = await watch.untilHung(share, signal);
  const answers = watch.untilAnswers(share, hang!, signal);
  share[how]();
  await answers;
  expect(share.asked).toHaveLength(2);
});

test('a mount that was made anew is found although the look never comes back', async () => {
  const share = shareThatHangs({ kind: 'hung' }, { kind: 'hung' }, { kind: 'missing' });
  const soon = createHangWatch({ ...TIMES, againEveryMs: 1 });
  const hang = await soon.untilHung(share, signal);
  await soon.untilAnswers(share, hang!, signal);
  expect(share.asked).toHaveLength(3);
});

test('whoever is to end does not wait for it', async () => {
  const stop = new AbortController();
  const share = shareThatHangs({ kind: 'hung' });
  const hang = await watch.untilHung(share, stop.signal);
  const answers = watch.untilAnswers(share, hang!, stop.signal);
  stop.abort();
  await answers;
});
