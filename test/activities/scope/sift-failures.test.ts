import { type Sifting, sendSingly, sendTogether } from '../../../activities/scope/sift-failures';
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
