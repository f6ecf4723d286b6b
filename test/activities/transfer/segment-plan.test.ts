import fc from 'fast-check';
import {
  MAX_FILE_BYTES,
  MAX_SEGMENT_BYTES,
  MAX_SEGMENTS,
  planSegments,
  TOO_SMALL_SEGMENT_BYTES,
} from '../../../activities/transfer/segment-plan';

const MEBIBYTE = 1024 * 1024;

describe('planSegments', () => {
  test.each([
    [1, [1]],
    [5 * MEBIBYTE, [5 * MEBIBYTE]],
    [100 * MEBIBYTE, [100 * MEBIBYTE]],
    [100 * MEBIBYTE + 1, [51 * MEBIBYTE, 49 * MEBIBYTE + 1]],
    [200 * MEBIBYTE, [100 * MEBIBYTE, 100 * MEBIBYTE]],
    [300 * MEBIBYTE + 7, [76 * MEBIBYTE, 76 * MEBIBYTE, 76 * MEBIBYTE, 72 * MEBIBYTE + 7]],
  ])('a file of %d bytes is cut into %j', (sizeBytes, sizes) => {
    expect(planSegments(sizeBytes).map(segment => segment.sizeBytes)).toEqual(sizes);
  });

  test('the largest file has exactly as many segments as are allowed', () => {
    const segments = planSegments(MAX_FILE_BYTES);
    expect(segments).toHaveLength(MAX_SEGMENTS);
    expect(segments.at(-1)?.sizeBytes).toBe(MAX_SEGMENT_BYTES);
  });

  test.each([
    [0, 'FILE_EMPTY'],
    [MAX_FILE_BYTES + 1, 'FILE_TOO_BIG'],
  ])('a file of %d bytes is refused as %s', (sizeBytes, code) => {
    expect(() => planSegments(sizeBytes)).toThrow(expect.objectContaining({ code }));
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 53])('%d is no size', sizeBytes => {
    expect(() => planSegments(sizeBytes)).toThrow(RangeError);
  });

  test.each([5 * MEBIBYTE, 101 * MEBIBYTE])('segments of %d bytes cannot be preferred', preferredBytes => {
    expect(() => planSegments(10, preferredBytes)).toThrow(RangeError);
  });

  test('every plan covers the file without a gap, within the rules of the upload', () => {
    const sizes = fc.oneof(
      fc.integer({ min: 1, max: 400 * MEBIBYTE }),
      fc.integer({ min: 1, max: MAX_FILE_BYTES }),
    );
    const preferred = fc.integer({ min: TOO_SMALL_SEGMENT_BYTES + 1, max: MAX_SEGMENT_BYTES });
    fc.assert(
      fc.property(sizes, preferred, (sizeBytes, preferredBytes) => {
        const segments = planSegments(sizeBytes, preferredBytes);
        let end = 0;
        for (const [index, segment] of segments.entries()) {
          if (segment.offset !== end || segment.sizeBytes <= 0 || segment.sizeBytes > MAX_SEGMENT_BYTES)
            return false;
          if (index < segments.length - 1 && segment.sizeBytes <= TOO_SMALL_SEGMENT_BYTES) return false;
          end += segment.sizeBytes;
        }
        return end === sizeBytes && segments.length <= MAX_SEGMENTS;
      }),
      { numRuns: 300 },
    );
  });
});
