import {
  type AskedFields,
  describeDifference,
  differencesOf,
  type ShownFields,
} from '../../../../workflows/change-orders/decide/compare-change-order';

const shown = {
  title: 'Glazing',
  description: 'North side\r\nand south',
  dueDate: '2026-03-01T00:00:00Z',
  scheduleImpactDays: '-3',
  grandTotal: '10.10',
} satisfies ShownFields;
const nothing: ShownFields = {
  title: '',
  description: null,
  dueDate: null,
  scheduleImpactDays: null,
  grandTotal: null,
};

test.each<[string, AskedFields]>([
  ['nothing was asked for', {}],
  ['all is the same', { ...shown, dueDate: '2026-03-01', scheduleImpactDays: -3, grandTotal: '10.1' }],
  ['line ends and space differ', { description: ' North side\nand south ', title: 'Glazing ' }],
  ['an amount differs by rounding', { grandTotal: '10.104' }],
])('%s: no difference', (_, asked) => {
  expect(differencesOf(shown, asked)).toEqual([]);
});

test.each<[keyof AskedFields, AskedFields, string]>([
  ['title', { title: 'glazing' }, 'The request 7 has "Glazing" as its title, not "glazing".'],
  [
    'description',
    { description: '' },
    'The request 7 has "North side\r\nand south" as its description, not "".',
  ],
  [
    'dueDate',
    { dueDate: '2026-03-02' },
    'The request 7 has "2026-03-01T00:00:00Z" as its due date, not "2026-03-02".',
  ],
  [
    'scheduleImpactDays',
    { scheduleImpactDays: 3 },
    'The request 7 has "-3" as its schedule impact, not "3".',
  ],
  ['grandTotal', { grandTotal: '10.11' }, 'The request 7 has "10.10" as its amount, not "10.11".'],
])('another %s is a difference, in words', (field, asked, text) => {
  const found = differencesOf(shown, asked);
  expect(found.map(difference => difference.field)).toEqual([field]);
  expect(describeDifference('request 7', found[0]!)).toBe(text);
});

test('what is not shown is not as asked', () => {
  const asked = {
    title: 'x',
    description: 'x',
    dueDate: '2026-03-01',
    scheduleImpactDays: 0,
    grandTotal: '0',
  };
  const found = differencesOf(nothing, asked);
  expect(found.map(({ field }) => field)).toEqual(Object.keys(asked));
  expect(describeDifference('package 1', found[1]!)).toBe(
    'The package 1 has nothing as its description, not "x".',
  );
  expect(differencesOf(nothing, { description: '' })).toEqual([]);
});

test('a long text is cut for people', () => {
  const [difference] = differencesOf(shown, { description: 'x'.repeat(20_000) });
  expect(difference?.wanted).toHaveLength(80);
});
