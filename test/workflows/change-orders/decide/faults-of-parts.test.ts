import { faultsOfParts } from '../../../../workflows/change-orders/decide/faults-of-parts';

const places = (input: unknown) => faultsOfParts(input).map(({ path }) => path.join('.'));
const request = (count: number) => ({ potentialChangeOrders: Array.from({ length: count }, () => ({})) });

test.each<[string, unknown, readonly string[]]>([
  ['nothing is wrong', { requests: [{ key: 'a' }, {}, { key: 'r4' }] }, []],
  [
    'a key is given three times',
    { lineItems: [{ key: 'a' }, { key: 'a' }, { key: 'a' }] },
    ['lineItems.1', 'lineItems.2'],
  ],
  ['a key is the name that another one has by its place', { requests: [{ key: 'r2' }, {}] }, ['requests.1']],
  [
    'at every level',
    {
      requests: [
        { key: 'a', potentialChangeOrders: [{ lineItems: [{}, { key: 'l1' }] }, { key: 'p1' }] },
        { key: 'a' },
      ],
    },
    ['requests.1', 'requests.0.potentialChangeOrders.1', 'requests.0.potentialChangeOrders.0.lineItems.1'],
  ],
  [
    'the same key below two parents',
    { requests: [{ potentialChangeOrders: [{ key: 'a' }] }, { potentialChangeOrders: [{ key: 'a' }] }] },
    [],
  ],
  ['as many as a run carries', { requests: [request(50), request(50)] }, []],
  ['one more', { requests: [request(50), request(50), request(1)] }, ['requests']],
  [
    'what is no list, no part and no key',
    { requests: [null, 'x', { key: 1 }, { potentialChangeOrders: {} }], lineItems: 7 },
    [],
  ],
  ['no input at all', null, []],
])('%s', (_, input, expected) => {
  expect(places(input)).toEqual(expected);
});

test('in words', () => {
  expect(faultsOfParts({ lineItems: [{}, { key: 'l1' }] })[0]?.message).toBe(
    '"l1" names another one beside it; give it another "key"',
  );
  expect(faultsOfParts({ requests: [request(101)] })[0]?.message).toMatch(
    /^101 potential .* carries \(100\)/,
  );
});

test('a list far longer than it may be costs no more than to look at each part once', () => {
  const lineItems = Array.from({ length: 100_000 }, () => ({}));
  const begunMs = performance.now();
  expect(faultsOfParts({ lineItems })).toEqual([]);
  expect(performance.now() - begunMs).toBeLessThan(2_000);
});
