// A request that waits behind a look is seen whether it gets its permit, is sent away, or gets none at all.
import { type Asked, behindLooks, waitedMs } from './waits';

const END_MS = 60_000;

const other = (times: Partial<Asked>): Asked => ({ isLook: false, atMs: 1_000, ...times });
const lookAt = (givenMs?: number): Asked => ({
  isLook: true,
  atMs: 500,
  ...(givenMs === undefined ? {} : { givenMs }),
});

test.each<[string, Partial<Asked>, number]>([
  ['given at once', { givenMs: 1_000 }, 0],
  ['given later', { givenMs: 3_500 }, 2_500],
  ['told to come back', { endsMs: 11_000 }, 10_000],
  ['told to come back after the end', { endsMs: 90_000 }, 59_000],
  ['given up', { endsMs: 1_200 }, 200],
  ['never', {}, 59_000],
])('%s', (_, times, waited) => {
  expect(waitedMs(other(times), END_MS)).toBe(waited);
});

test.each<[string, Partial<Asked>, readonly Asked[], boolean]>([
  ['a look went while it waited', { givenMs: 3_500 }, [lookAt(2_000)], true],
  ['a look went in the last second of it', { givenMs: 3_500 }, [lookAt(2_600)], false],
  ['it waited a second', { givenMs: 2_000 }, [lookAt(1_500)], false],
  ['the look went before', { givenMs: 3_500 }, [lookAt(900)], false],
  ['the look went after', { givenMs: 3_500 }, [lookAt(4_000)], false],
  ['no look got a permit', { givenMs: 3_500 }, [lookAt()], false],
  ['it was sent away, and a look went before it was to come back', { endsMs: 11_000 }, [lookAt(5_000)], true],
  ['it was sent away, and a look went after that', { endsMs: 11_000 }, [lookAt(12_000)], false],
  ['it never got one', {}, [lookAt(40_000)], true],
  ['it never got one, and no look did since', {}, [lookAt(900), lookAt()], false],
])('%s', (_, times, looks, isBehind) => {
  const one = other(times);
  expect(behindLooks([one], looks, END_MS)).toEqual(isBehind ? [one] : []);
});
