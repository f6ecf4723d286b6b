// Whether a delivery carries one of our secrets, in a time that tells nothing about them.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../activities/service/secret';

/** Answers whether a header's value is one of the secrets. Without secrets, nothing is. */
export function secretCheck(secrets: readonly Secret[]): (given: unknown) => boolean {
  const expected = secrets.map(secret => digest(secret.reveal()));
  return given => {
    const actual = digest(typeof given === 'string' ? given : '');
    // All are compared, whichever fits: digests are of one length, and nothing is left out early.
    const fits = expected.map(each => timingSafeEqual(each, actual));
    return typeof given === 'string' && fits.includes(true);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
