import fc from 'fast-check';
import { expandWrites, tabulateWrites } from '../../../../workflows/ingest/decide/tabulate-writes';

const write = fc.record({
  fieldId: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', ''),
  values: fc.array(fc.string(), { maxLength: 3 }),
});

describe('a table of writes', () => {
  test('says the same as the rows it was made from, after JSON too, and each field id once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(write, { maxLength: 5 }), { maxLength: 8 }), rows => {
        const table: ReturnType<typeof tabulateWrites> = JSON.parse(JSON.stringify(tabulateWrites(rows)));
        expect(table.rows.map(row => expandWrites(table.fieldIds, row))).toEqual(rows);
        expect(new Set(table.fieldIds).size).toBe(table.fieldIds.length);
      }),
    );
  });

  test('keeps a hundred documents of ten fields well under 64 KiB', () => {
    const id = (index: number) => `01JAZZZZZZZZZZZZZZZZZZZZ${10 + index}`;
    const row = Array.from({ length: 10 }, (_, index) => ({ fieldId: id(index), values: [id(index)] }));
    const table = tabulateWrites(Array.from({ length: 100 }, () => row));
    expect(JSON.stringify(table).length).toBeLessThan(48 * 1024);
  });

  test.each([-1, 2, 0.5, Number.NaN])(
    'a position of %j is refused: half a document is never written',
    position => {
      expect(() =>
        expandWrites(
          ['a', 'b'],
          [
            [0, ['x']],
            [position, ['y']],
          ],
        ),
      ).toThrow(RangeError);
    },
  );
});
