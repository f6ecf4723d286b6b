import {
  checkLines,
  leftOver,
  originIdsOf,
  planLines,
} from '../../../../workflows/change-orders/decide/plan-change-order';

const lines = [
  { description: 'Piles', quantity: '12', unitCost: '1850.10' },
  { key: 'mob', description: 'Mobilisation', amount: '5' },
];

test('parts are named by their key, or by their place', () => {
  expect(originIdsOf('CO', 'r', [{}, { key: 'north' }, {}])).toEqual(['CO/r1', 'CO/north', 'CO/r3']);
});

test('a line item is calculated from quantity and unit cost, else its amount is given', () => {
  expect(planLines('CO/p1', lines)).toMatchObject([
    { originId: 'CO/p1/l1', amount: '22201.20', fields: { extendedType: 'calculated' } },
    { originId: 'CO/p1/mob', amount: '5', fields: { extendedType: 'manual', amount: '5' } },
  ]);
});

describe('what is read back', () => {
  const planned = planLines('CO/p1', lines);
  const right = [
    { originId: 'CO/p1/l1', amount: '22201.20', quantity: '12.0', unitCost: '1850.10', description: 'Piles' },
    { originId: 'CO/p1/mob', amount: '5.00', quantity: null, unitCost: null, description: 'Mobilisation' },
  ];

  test.each<[string, Parameters<typeof checkLines>[1], string | null, readonly RegExp[]]>([
    ['is right', right, '22206.20', []],
    ['is right without a total', right, null, []],
    ['lacks one', right.slice(1), '5.00', [/"Piles" is not there/]],
    ['has one twice', [...right, right[1]!], '22211.20', [/"Mobilisation" is there 2 times/]],
    ['has another amount', [right[0]!, { ...right[1]!, amount: '5.01' }], null, [/is 5\.01, not 5/]],
    ['has no amount', [right[0]!, { ...right[1]!, amount: null }], null, [/without an amount, not 5/]],
    [
      'is right in sum only',
      [{ ...right[0]!, quantity: '24', unitCost: '925.05' }, right[1]!],
      null,
      [/quantity 24, not 12/, /unit cost 925\.05, not 1850\.10/],
    ],
    ['has another name', [right[0]!, { ...right[1]!, description: 'Cranes' }], null, [/is called "Cranes"/]],
    ['has another total', right, '22206.21', [/add up to 22206\.20, but the total is 22206\.21/]],
    [
      'has other people’s line items too',
      [...right, { ...right[1]!, originId: null, amount: '1', description: 'Theirs' }],
      '22207.20',
      [],
    ],
  ])('%s', (_, shown, total, faults) => {
    const found = checkLines(planned, shown, total);
    expect(found).toHaveLength(faults.length);
    for (const [index, fault] of faults.entries()) expect(found[index]).toMatch(fault);
  });

  test('a name that says the same with other line ends, or letters of another form, is the same', () => {
    const named = planLines('CO/p1', [{ description: 'Mobilisation\r\nBu\u0308ro', amount: '5' }]);
    const shown = { ...right[1]!, originId: 'CO/p1/l1', description: 'Mobilisation\nB\u00fcro ' };
    expect(checkLines(named, [shown], '5.00')).toEqual([]);
  });

  test('only what carries this origin and is not wanted is left over', () => {
    const shown = [
      { id: '1', ...right[0]! },
      { ...right[1]!, id: '2', originId: 'CO/p1/l9' },
      { ...right[1]!, id: '3', originId: 'CO/p10/l1' },
      { ...right[1]!, id: '4', originId: null },
    ];
    expect(leftOver('CO/p1', planned, shown).map(({ id }) => id)).toEqual(['2']);
  });
});
