import fc from 'fast-check';
import type { StorageFaultKind } from '../../../activities/transfer/errors';
import {
  type AfterFault,
  decideAfterFault,
  NO_FAULTS,
  type PutFaults,
} from '../../../activities/transfer/put-retry';

const LIMITS = { random: 0, longestWaitMs: 30_000, isAway: false };

function follow(kinds: readonly StorageFaultKind[]): AfterFault[] {
  let faults: PutFaults = NO_FAULTS;
  return kinds.map(kind => {
    const next = decideAfterFault(faults, { kind, retryAfterMs: undefined }, LIMITS);
    if ('faults' in next) faults = next.faults;
    return next;
  });
}

function kindsOf(kinds: readonly StorageFaultKind[]): string[] {
  return follow(kinds).map(next => next.kind);
}

test.each<StorageFaultKind>(['reset', 'busy', 'unreachable'])(
  'of a storage that is known to be away, two faults (%s) are enough',
  kind => {
    const faults = { ...NO_FAULTS, passing: 1, resetsInRow: 1 };
    const next = (isAway: boolean) =>
      decideAfterFault(faults, { kind, retryAfterMs: undefined }, { ...LIMITS, isAway });
    expect(next(true)).toMatchObject({ kind: 'unavailable' });
    expect(next(false)).not.toMatchObject({ kind: 'unavailable' });
  },
);

test('an address that it refuses then was fresh: the session is left', () => {
  const refused = { kind: 'refused', retryAfterMs: undefined } as const;
  expect(decideAfterFault(NO_FAULTS, refused, { ...LIMITS, isAway: true })).toEqual({
    kind: 'leave-session',
  });
});

test.each<[StorageFaultKind[], string[]]>([
  [['refused'], ['renew']],
  [
    ['refused', 'refused', 'refused'],
    ['renew', 'renew', 'leave-session'],
  ],
  [
    ['reset', 'reset', 'reset', 'reset'],
    ['repeat', 'renew', 'repeat', 'renew'],
  ],
  [
    ['reset', 'busy', 'reset'],
    ['repeat', 'repeat', 'repeat'],
  ],
  [
    ['busy', 'busy', 'busy', 'busy', 'busy', 'busy'],
    ['repeat', 'repeat', 'repeat', 'repeat', 'repeat', 'unavailable'],
  ],
  [
    ['unreachable', 'stalled', 'malformed'],
    ['repeat', 'repeat', 'repeat'],
  ],
])('after %j come %j', (kinds, expected) => {
  expect(kindsOf(kinds)).toEqual(expected);
});

test('the delays double', () => {
  const delays = follow(['busy', 'busy', 'busy', 'busy']).map(next => ('delayMs' in next ? next.delayMs : 0));
  expect(delays).toEqual([500, 1_000, 2_000, 4_000]);
});

test('a named wait is kept, and a long one is left to the caller', () => {
  const wait = (retryAfterMs: number) => decideAfterFault(NO_FAULTS, { kind: 'busy', retryAfterMs }, LIMITS);
  expect(wait(7_000)).toMatchObject({ kind: 'repeat', delayMs: 7_000 });
  expect(wait(31_000)).toEqual({ kind: 'unavailable', retryAfterMs: 31_000 });
});

test('every run of faults comes to an end soon', () => {
  const kind = fc.constantFrom<StorageFaultKind>(
    'refused',
    'busy',
    'reset',
    'stalled',
    'unreachable',
    'malformed',
  );
  fc.assert(
    fc.property(fc.array(kind, { minLength: 9, maxLength: 9 }), kinds => {
      const end = kindsOf(kinds).findIndex(next => next === 'leave-session' || next === 'unavailable');
      return end >= 0;
    }),
  );
});
