// On a mount that hangs, calls of the file system do not return, while timers, and with them heartbeats, go
// on: to Temporal the work seems alive for as long as it may take. So long work on a share asks now and then
// whether the share answers.

import { ShareError } from '../share/files/share-error';
import type { ShareMount } from '../share/share';
import type { ActivityScope } from './activity-scope';
import type { Around } from './to-activities';

export interface HungTimes {
  /** Work that ends sooner costs no look. */
  readonly lookEveryMs: number;
  /** Far longer than a busy share takes. */
  readonly answerWithinMs: number;
}

const TIMES: HungTimes = { lookEveryMs: 60_000, answerWithinMs: 30_000 };

/**
 * Runs work on a share. When the share hangs, the work is abandoned where it stands; if it goes on once the
 * mount answers again, it finds its signal aborted.
 * @throws ShareError `share-away` then: it is repeated, here or on a host whose mount answers.
 */
export async function unlessHung<Scope extends Pick<ActivityScope, 'signal'>, Result>(
  share: Pick<ShareMount, 'isReachable'>,
  scope: Scope,
  work: (scope: Scope) => Promise<Result>,
  times: HungTimes = TIMES,
): Promise<Result> {
  const left = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const hung = new Promise<never>((_resolve, reject) => {
    const look = async (): Promise<void> => {
      const found = await share.isReachable(times.answerWithinMs);
      if (isOver) return;
      if (found.kind !== 'hung') {
        lookLater();
        return;
      }
      const error = new ShareError('share-away', 'The share does not answer: its mount hangs.');
      left.abort(error);
      reject(error);
    };
    const lookLater = (): void => {
      timer = setTimeout(() => void look().catch(lookLater), times.lookEveryMs);
    };
    lookLater();
  });
  try {
    const signal = AbortSignal.any([scope.signal, left.signal]);
    return await Promise.race([work({ ...scope, signal }), hung]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** What all activities of a share run in. */
export function whileShareAnswers(share: Pick<ShareMount, 'isReachable'>): Around {
  return async (scope, work) => await unlessHung(share, scope, work);
}
