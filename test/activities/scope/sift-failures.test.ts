import {
  type Sifting,
  sendOneFirst,
  sendSingly,
  sendTogether,
} from '../../../activities/scope/sift-failures';
import { InternalServiceError } from '../../../activities/service/errors';

type Done = { readonly done: readonly string[] } | { readonly refused: string };

/** Fails those requests that `isLost` names, by what they are for and their number, from 1. */
function sifting(isLost: (items: readonly string[], request: number) => boolean) {
  const sent: (readonly string[])[] = [];
  const how: Sifting<string, Done> = {
    attempt: 3,
    send: async items => {
      sent.push(items);
      if (isLost(items, sent.length))
        throw new InternalServiceError('no reason', { effect: 'unknown', status: 500 });
      return { done: items };
    },
    doneOf: (items, result) => ('done' in result ? items[0] : undefined),
    refuse: item => ({ refused: item }),
  };
  return { how, sent };
}

const FOUR = ['a', 'b', 'c', 'd'];

function refusedOf(results: readonly Done[]): readonly string[] {
  return results.flatMap(result => ('refused' in result ? [result.refused] : []));
}

test('one that fails whenever it is sent is refused, in ten requests', async () => {
  const { how, sent } = sifting(items => items.includes('c'));
  const results = await sendTogether(FOUR, how);
  expect(refusedOf(results)).toEqual(['c']);
  expect(sent.length).toBe(10);
});

test.each([0, 1])(
  'where every second request fails, from the first or the second on, nobody is refused (%i)',
  async which => {
    const { how } = sifting((_, request) => request % 2 === which);
    const together = await sendTogether(FOUR, how).catch(() => []);
    const singly = await sendSingly(FOUR, { ...how, knownGood: 'z' }).catch(() => []);
    expect([refusedOf(together), refusedOf(singly)]).toEqual([[], []]);
  },
);

test('two failures around the passing of another one are no verdict', async () => {
  // All; d; a and b; c; d again; c twice: there it gets through.
  const { how } = sifting((items, request) => items.includes('c') && request < 7);
  const results = await sendTogether(FOUR, how);
  expect(refusedOf(results)).toEqual([]);
});

test('an outage that begins before another one has got through the second time is thrown, and nobody is refused', async () => {
  for (let from = 2; from <= 8; from++) {
    const { how } = sifting((items, request) => items.includes('c') || request >= from);
    await expect(sendTogether(FOUR, how)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  }
});

test('of two that are sent one by one, the other one tells', async () => {
  const { how } = sifting(items => items.includes('a'));
  expect(refusedOf(await sendSingly(['a', 'b'], { ...how, knownGood: undefined }))).toEqual(['a']);
});

describe('one first', () => {
  const begun = { open: async (items: readonly string[]) => items, one: async () => undefined };

  test.each([2, 3, 50])(
    'an outage costs a request an attempt, of another one each time (attempt %i)',
    async attempt => {
      const { how, sent } = sifting(() => true);
      const sending = sendOneFirst(FOUR, { ...how, attempt }, begun);
      await expect(sending).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
      expect(sent).toEqual([[FOUR[(attempt - 2) % 4]]]);
    },
  );

  test('one that fails whenever it is sent is refused, once another one has gone first', async () => {
    const { how } = sifting(items => items.includes('b'));
    const sending = sendOneFirst(FOUR, how, begun);
    await expect(sending).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(refusedOf(await sendOneFirst(FOUR, { ...how, attempt: 4 }, begun))).toEqual(['b']);
  });

  test('what is done is not sent, and what is not asked for is not looked at', async () => {
    const { how, sent } = sifting(items => items.includes('c'));
    const asked: string[] = [];
    const open = async (items: readonly string[]) => {
      asked.push(...items);
      return items.filter(item => item !== 'b');
    };
    const sending = sendOneFirst(FOUR, { ...how, attempt: 2 }, { ...begun, open });
    await expect(sending).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(sent).toEqual([['a'], ['c', 'd']]);
    const later = sendOneFirst(FOUR, { ...how, attempt: 4 }, { ...begun, open });
    await expect(later).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(asked).toEqual([...FOUR, 'c']);
  });

  test('the last one is refused where one that is done gets through, and not in an outage', async () => {
    const last = { ...begun, one: async () => 'z' };
    const { how } = sifting(items => items.includes('c'));
    expect(refusedOf(await sendOneFirst(['c'], how, last))).toEqual(['c']);
    const away = sifting(() => true);
    const sending = sendOneFirst(['c'], away.how, last);
    await expect(sending).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(away.sent).toEqual([['c'], ['z']]);
  });
});
