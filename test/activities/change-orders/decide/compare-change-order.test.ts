import {
  differencesOf,
  type ShownFields,
} from '../../../../activities/change-orders/decide/compare-change-order';
import type { AskedFields } from '../../../../workflows/change-orders/decide/describe-difference';

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

test.each<[keyof AskedFields, AskedFields, string, string]>([
  ['title', { title: 'glazing' }, 'Glazing', 'glazing'],
  ['description', { description: '' }, 'North side\r\nand south', ''],
  ['dueDate', { dueDate: '2026-03-02' }, '2026-03-01T00:00:00Z', '2026-03-02'],
  ['scheduleImpactDays', { scheduleImpactDays: 3 }, '-3', '3'],
  ['grandTotal', { grandTotal: '10.11' }, '10.10', '10.11'],
])('another %s is a difference', (field, asked, have, wanted) => {
  expect(differencesOf(shown, asked)).toEqual([{ field, shown: have, wanted }]);
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
  expect(found[1]).toEqual({ field: 'description', shown: null, wanted: 'x' });
  expect(differencesOf(nothing, { description: '' })).toEqual([]);
});

test('a long text is cut for people', () => {
  const [difference] = differencesOf(shown, { description: 'x'.repeat(20_000) });
  expect(difference?.wanted).toHaveLength(80);
});
