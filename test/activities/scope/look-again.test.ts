// When a look that may have come too early is made again, and when it is believed.
import { lookAgainWhereEarly } from '../../../activities/scope/look-again';

/** The pauses until a look is believed, of the attempt that goes on from these details. */
function pausesOf(lastDetails?: object, options?: { readonly listedAfterMs: number }): readonly number[] {
  const { looked: _, ...others } = (lastDetails ?? {}) as { readonly looked?: object };
  const pauses: number[] = [];
  let details = lastDetails;
  let isBelieved = false;
  const comeBack = (inMs: number, next: object): never => {
    pauses.push(inMs);
    details = next;
    throw new RangeError('another attempt');
  };
  while (!isBelieved) {
    try {
      lookAgainWhereEarly({ attempt: 2, lastDetails: details, comeBack }, 'not shown yet', {
        ...options,
        details: { made: '7' },
      });
      isBelieved = true;
    } catch {
      expect(details).toMatchObject({ ...others, made: '7' });
    }
  }
  return pauses;
}

test('looks come after growing pauses, for half a minute or as long as is told', () => {
  const sum = (pauses: readonly number[]) => pauses.reduce((total, pause) => total + pause, 0);
  expect(pausesOf()).toEqual([500, 1_000, 2_000, 4_000, 8_000, 14_500]);
  expect(sum(pausesOf())).toBe(30_000);
  expect(pausesOf(undefined, { listedAfterMs: 200 })).toEqual([200]);
});

test('looks of an older attempt do not count, and what else it told is handed on', () => {
  const told = { lookedIn: 2, other: 'kept' };
  expect(pausesOf({ ...told, looked: { attempt: 2, looks: 5 } })).toEqual([14_500]);
  expect(pausesOf(told)).toHaveLength(6);
  expect(pausesOf({ looked: { attempt: 1, looks: 6 } }).length).toBe(6);
});
