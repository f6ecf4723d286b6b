// Whether a delivery carries one of our secrets, in a time that tells nothing about them.
import { createHash, timingSafeEqual } from 'node:crypto';
import { systemClock } from '../../activities/host/clock';
import type { WebhookSecret } from '../../workers/config/config-webhooks';

/** Answers whether a header's value is one of the secrets. Without secrets, nothing is. */
export function secretCheck(
  secrets: readonly WebhookSecret[],
  now: () => number = systemClock.wallMs,
): (given: unknown) => boolean {
  const expected = secrets.map(({ secret, untilMs }) => ({ digest: digest(secret.reveal()), untilMs }));
  return given => {
    const actual = digest(typeof given === 'string' ? given : '');
    const nowMs = now();
    // All are compared, whichever fits: digests are of one length, and nothing is left out early.
    const fits = expected.map(
      each => timingSafeEqual(each.digest, actual) && (each.untilMs === undefined || nowMs < each.untilMs),
    );
    return typeof given === 'string' && fits.includes(true);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
