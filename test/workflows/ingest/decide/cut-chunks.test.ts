import fc from 'fast-check';
import { cutChunks, halve, splitLong } from '../../../../workflows/ingest/decide/cut-chunks';

const MIB = 1024 * 1024;
const sized = (...mebibytes: readonly number[]) =>
  mebibytes.map((size, index) => ({ index, sizeBytes: size * MIB }));
const shape = (chunks: readonly (readonly { index: number }[])[]) =>
  chunks.map(chunk => chunk.map(({ index }) => index));

describe('cutChunks', () => {
  test.each([
    ['nothing', [], 10, []],
    ['by count', [1, 1, 1, 1, 1], 2, [[0, 1], [2, 3], [4]]],
    [
      'by bytes',
      [300, 200, 300, 100],
      10,
      [
        [0, 1],
        [2, 3],
      ],
    ],
    ['a load of exactly 512 MiB is one chunk', [512, 1], 10, [[0], [1]]],
    ['a file over the limit travels alone', [1, 3_000, 1], 10, [[0], [1], [2]]],
    ['empty files count as files', [0, 0, 0], 2, [[0, 1], [2]]],
    ['one at a time', [1, 1], 1, [[0], [1]]],
  ])('%s', (_claim, sizes, most, expected) => {
    expect(shape(cutChunks(sized(...sizes), most))).toEqual(expected);
  });

  test('keeps every item once and in order, fills no chunk too full, and cuts no sooner than it must', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(700), { maxLength: 100 }),
        fc.integer({ min: 1, max: 12 }),
        (sizes, most) => {
          const items = sized(...sizes);
          const chunks = cutChunks(items, most);
          expect(chunks.flat()).toEqual(items);
          const bytes = (chunk: readonly { sizeBytes: number }[]) =>
            chunk.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
          for (const [position, chunk] of chunks.entries()) {
            expect(chunk.length).toBeGreaterThan(0);
            expect(chunk.length).toBeLessThanOrEqual(most);
            if (chunk.length > 1) expect(bytes(chunk)).toBeLessThanOrEqual(512 * MIB);
            const next = chunks[position + 1]?.[0];
            if (next !== undefined && chunk.length < most)
              expect(bytes([...chunk, next])).toBeGreaterThan(512 * MIB);
          }
        },
      ),
    );
  });
});

describe('splitLong', () => {
  test('sets files of more than one segment apart, in order', () => {
    const { long, others } = splitLong(sized(1, 101, 100, 3_000));
    expect(shape([long, others])).toEqual([
      [1, 3],
      [0, 2],
    ]);
  });
});

describe('halve', () => {
  test('gives both halves something, loses nothing, and so ends at single items', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 2, maxLength: 100 }), items => {
        const [first, second] = halve(items);
        expect([...first, ...second]).toEqual(items);
        expect(first.length).toBeGreaterThan(0);
        expect(second.length).toBeGreaterThan(0);
        expect(Math.abs(first.length - second.length)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
