// What a repeated attempt waits for before it makes anew what may be there already.
import { Making } from '../../../activities/scope/making';
import { NotYetError } from '../../../activities/scope/not-yet';
import { NotFoundError, RateLimitedError, ServiceUnavailableError } from '../../../activities/service/errors';

const LOST = new ServiceUnavailableError('lost', { effect: 'unknown', fault: 'network' });
const NOT_SENT = new ServiceUnavailableError('not sent', { effect: 'not-sent', fault: 'network' });
const LIMITED = new RateLimitedError('later', { effect: 'rejected', retryAtMs: 0 });
const REFUSED = new NotFoundError('no such contract', { effect: 'rejected' });

interface Course {
  /** How its look failed; absent: it looked and found nothing. */
  readonly look?: Error;
  /** How its requests ended, one after the other; absent: one, and it made something. */
  readonly makes?: readonly (Error | undefined)[];
}

/** What came of attempts one after the other: `later` is the pause for a list, `made` a request that left. */
async function play(courses: readonly Course[], isOfOtherRun = false): Promise<readonly string[]> {
  const story: string[] = [];
  let lastDetails: unknown;
  let attempt = isOfOtherRun ? 2 : 1;
  for (const { look, makes = [undefined] } of courses) {
    const scope = {
      attempt,
      lastDetails,
      report: (details: object) => {
        lastDetails = details;
      },
      comeBack: (inMs: number, details: object): never => {
        expect(inMs).toBe(30_000);
        lastDetails = details;
        throw new RangeError('another attempt');
      },
    };
    try {
      const making = new Making(scope);
      await making.look(async () => {
        if (look !== undefined) throw look;
      });
      making.waitUntilListed('package');
      story.push('made');
      for (const end of makes) {
        const one = making.make(async () => {
          if (end !== undefined) throw end;
        });
        // A refusal is a result, and the next line item is made all the same.
        await one.catch((error: unknown) => {
          if (error !== REFUSED) throw error;
        });
      }
    } catch (error: unknown) {
      if ((error as Error).message === 'another attempt') {
        story.push('later');
        continue;
      }
    }
    attempt++;
  }
  return story;
}

test.each<[string, readonly Course[], readonly string[]]>([
  ['the first attempt makes it at once', [{}], ['made']],
  ['after a lost answer it looks twice', [{ makes: [LOST] }, {}, {}], ['made', 'later', 'made']],
  [
    'and twice again after another',
    [{ makes: [LOST] }, {}, { makes: [LOST] }, {}, {}],
    ['made', 'later', 'made', 'later', 'made'],
  ],
  ['what did not leave is waited for by nobody', [{ makes: [NOT_SENT] }, {}], ['made', 'made']],
  ['nor what the service turned away', [{ makes: [LIMITED] }, {}], ['made', 'made']],
  [
    'of several, what was made before may not be listed',
    [{ makes: [undefined, LIMITED] }, {}, {}],
    ['made', 'later', 'made'],
  ],
  [
    'a refusal of one says nothing of the next',
    [{ makes: [REFUSED, LOST] }, {}, {}],
    ['made', 'later', 'made'],
  ],
  ['nor what was never begun', [{ look: LOST }, { look: LOST }, {}], ['made']],
  [
    'a look that failed takes no doubt away',
    [{ makes: [LOST] }, { look: LOST }, {}, {}],
    ['made', 'later', 'made'],
  ],
  [
    'once it was looked for twice, a refusal leaves no doubt',
    [{ makes: [LOST] }, {}, { makes: [NOT_SENT] }, {}],
    ['made', 'later', 'made', 'made'],
  ],
])('%s', async (_, courses, expected) => {
  expect(await play(courses)).toEqual(expected);
});

test('the second look comes half a minute later, or as late as it is told', () => {
  const pauseOf = (options?: { readonly listedAfterMs: number }) => {
    let pauseMs: number | undefined;
    const scope = {
      attempt: 2,
      lastDetails: undefined,
      report: () => undefined,
      comeBack: (inMs: number): never => {
        pauseMs = inMs;
        throw new RangeError('another attempt');
      },
    };
    expect(() => new Making(scope, options).waitUntilListed('package')).toThrow('another attempt');
    return pauseMs;
  };
  expect([pauseOf(), pauseOf({ listedAfterMs: 200 })]).toEqual([30_000, 200]);
});

test('what another run has asked for is in doubt from the first attempt', async () => {
  expect(await play([{}, {}], true)).toEqual(['later', 'made']);
});

test('a look that comes back by itself leaves what it has told', async () => {
  const told: object[] = [];
  const comeBack = (): never => {
    throw new RangeError('not asked for');
  };
  const report = (details: object) => told.push(details);
  const making = new Making({ attempt: 1, lastDetails: undefined, report, comeBack });
  const look = (error: Error) => making.look(() => Promise.reject(error)).catch(() => undefined);
  await look(new NotYetError('the sheet is not shown yet', 0));
  expect(told).toEqual([]);
  await look(LOST);
  expect(told).toEqual([{ madeNothingIn: 1 }]);
});

test('that a request was sent and not answered is kept for all later attempts', async () => {
  let lastDetails: unknown;
  const attempt = async (number: number, error: Error) => {
    const report = (details: object) => {
      lastDetails = details;
    };
    const making = new Making({ attempt: number, lastDetails, report, comeBack: fail });
    await making.make(() => Promise.reject(error)).catch(() => undefined);
    return making.isSent;
  };
  expect([await attempt(1, NOT_SENT), lastDetails]).toEqual([false, { madeNothingIn: 1 }]);
  expect([await attempt(2, LOST), lastDetails]).toEqual([false, { madeNothingIn: 1, isSent: true }]);
  expect([await attempt(3, NOT_SENT), lastDetails]).toEqual([true, { madeNothingIn: 3, isSent: true }]);
});

test('a second look that fails, for what a run before may have made, has made nothing', async () => {
  const told: object[] = [];
  const report = (details: object) => told.push(details);
  const making = new Making({ attempt: 1, lastDetails: { lookedIn: 1 }, report, comeBack: fail });
  await making.look(() => Promise.reject(LOST)).catch(() => undefined);
  expect([making.isInDoubt, told]).toEqual([true, [{ madeNothingIn: 1 }]]);
});

describe('after a run before of the same id', () => {
  /** What each attempt does that finds nothing: how long it waits, or that it makes it. */
  async function attempts(sinceMs: readonly (number | Error)[]): Promise<readonly unknown[]> {
    const story: unknown[] = [];
    let lastDetails: unknown;
    for (const since of sinceMs) {
      const comeBack = (inMs: number, details: object): never => {
        lastDetails = details;
        throw new RangeError(`${inMs}`);
      };
      const report = (details: object) => {
        lastDetails = details;
      };
      const sinceRunBefore = async () => {
        if (since instanceof Error) throw since;
        return since;
      };
      const making = new Making({ attempt: 1, lastDetails, report, comeBack }, { sinceRunBefore });
      const waits = (error: unknown) => Number((error as Error).message);
      const waited = await making.waitUntilAllListed('package').catch(waits);
      story.push(waited ?? (making.isInDoubt ? 'made in doubt' : 'made'));
    }
    return story;
  }

  test.each<[string, readonly number[], readonly unknown[]]>([
    ['where there was none', [Number.POSITIVE_INFINITY], ['made']],
    ['that has ended half a minute ago', [30_000], ['made']],
    [
      'what it has made is looked for once more, once a list can show it',
      [4_000, 4_000],
      [26_000, 'made in doubt'],
    ],
    ['that ends just now', [0, 0], [30_000, 'made in doubt']],
  ])('%s', async (_, sinceMs, expected) => {
    expect(await attempts(sinceMs)).toEqual(expected);
  });

  test('a question that nobody answers has made nothing', async () => {
    const reported: object[] = [];
    const making = new Making(
      { attempt: 1, lastDetails: undefined, report: details => reported.push(details), comeBack: fail },
      { sinceRunBefore: () => Promise.reject(LOST) },
    );
    await expect(making.waitUntilAllListed('package')).rejects.toBe(LOST);
    expect(reported).toEqual([{ madeNothingIn: 1 }]);
  });
});

test('what we know by its id, and is not there, is asked for once more, and what was told is kept', () => {
  const details: object[] = [];
  const come = (lastDetails: unknown) => {
    const comeBack = (_: number, next: object): never => {
      details.push(next);
      throw new RangeError('another attempt');
    };
    new Making({ attempt: 2, lastDetails, report: fail, comeBack }).waitUntilShown('observation 510001');
  };
  expect(() => come({ madeNothingIn: 1 })).toThrow('another attempt');
  expect(details).toEqual([{ madeNothingIn: 1, missedIn: 2 }]);
  come(details[0]);
  expect(() => come({ missedIn: 1 })).toThrow('another attempt');
});

function fail(): never {
  throw new Error('It was not to be called');
}
