// The table has a line for every figure, measured or not, and says of each whether it was reached.
import {
  atMost,
  completeTable,
  forInformation,
  isMeasured,
  partsOfOthers,
  renderFigures,
  row,
} from './figures';
import { PART_LIST } from './part-list';
import { ROWS } from './rows';

test('a figure is reached at its limit, missed beyond it', () => {
  expect(row('events', 100)).toMatchObject({ row: 4, measured: '100', reach: '<= 100', verdict: 'reached' });
  expect(row('events', 101).verdict).toBe('MISSED');
  expect(row('speedScript', 1.2)).toMatchObject({ reach: '>= 1.2', verdict: 'reached' });
  expect(row('speedScript', 1.19).verdict).toBe('MISSED');
});

test('what nothing is asked of has no verdict', () => {
  expect(forInformation('CPU', 1.2345, 's')).toMatchObject({ measured: '1.23', reach: '', verdict: '' });
});

test('the table is whole, each figure once, whatever was measured; what was told besides follows', () => {
  const measured = [
    atMost('besides', 1, 2),
    row('payload', 12),
    row('speedRclone', 'rclone is not installed'),
  ];
  const table = completeTable(measured);
  expect(table).toHaveLength(Object.keys(ROWS).length + 1);
  expect(new Set(table.map(({ row: number }) => number).filter(each => each !== undefined)).size).toBe(15);
  expect(table.filter(({ measured: found }) => found !== '')).toEqual([row('payload', 12), measured[0]]);
  const text = renderFigures(table);
  expect(text).toMatch(/^4 +largest payload of it +KiB +12\.0 +<= 64 +reached +temporal-cost$/m);
  expect(text).toMatch(/over rclone to S3 .* not measured: rclone is not installed +transfer$/m);
  expect(text).toMatch(/^4 +history events.* not measured: this part has not run +temporal-cost$/m);
});

test('every row names a part that there is, and what must be alone comes last', () => {
  const names: readonly string[] = PART_LIST.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.values(ROWS).filter(({ part }) => !names.includes(part))).toEqual([]);
  expect(PART_LIST.map(({ needs }) => needs).indexOf('alone')).toBe(PART_LIST.length - 1);
});

test('a record says which parts were measured on this build', () => {
  const record = [
    { ...row('payload', 12), build: 'this' },
    { ...row('speedRclone', 'rclone is not installed'), build: 'this' },
    { ...row('dropMemory', 140), build: 'another' },
    row('shortWork', 0.6),
  ];
  const names = ['temporal-cost', 'transfer', 'drop', 'short-work', 'suite'];
  expect(names.filter(name => isMeasured(record, name, 'this'))).toEqual(['temporal-cost', 'transfer']);
  expect(partsOfOthers(record, 'this')).toEqual(['drop', 'short-work']);
});
