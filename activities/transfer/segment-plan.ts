// How a file is cut into segments for the unified upload. Pure.

import { TransferError } from './errors';
import type { ByteRange } from './ports';

const MEBIBYTE = 1024 * 1024;

/** Unified upload: a segment holds at most 100 MiB. */
export const MAX_SEGMENT_BYTES = 100 * MEBIBYTE;
/** Unified upload: every segment but the last holds more than 5 MiB; exactly 5 MiB is refused. */
export const TOO_SMALL_SEGMENT_BYTES = 5 * MEBIBYTE;
/** Unified upload: at most so many segments a file. */
export const MAX_SEGMENTS = 10_000;
export const MAX_FILE_BYTES = MAX_SEGMENT_BYTES * MAX_SEGMENTS;

/** Says why a file of this size can have no plan; `code` is `FILE_EMPTY` or `FILE_TOO_BIG`. */
class SegmentPlanError extends TransferError {
  readonly code: 'FILE_EMPTY' | 'FILE_TOO_BIG';

  constructor(code: 'FILE_EMPTY' | 'FILE_TOO_BIG', detail: string) {
    super(detail);
    this.code = code;
  }
}

/**
 * Cuts `sizeBytes` into contiguous segments in file order: one up to `preferredBytes` (100 MiB unless given),
 * else equal ones in whole MiB, so that parallel segments end together; the last may be smaller. Throws
 * SegmentPlanError, or RangeError for what is no size.
 */
export function planSegments(sizeBytes: number, preferredBytes = MAX_SEGMENT_BYTES): ByteRange[] {
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    throw new RangeError(`not a file size: ${sizeBytes}`);
  if (!(preferredBytes > TOO_SMALL_SEGMENT_BYTES && preferredBytes <= MAX_SEGMENT_BYTES)) {
    throw new RangeError(`a segment is more than 5 MiB and at most 100 MiB, not ${preferredBytes} bytes`);
  }
  if (sizeBytes === 0) throw new SegmentPlanError('FILE_EMPTY', 'the file is empty');
  if (sizeBytes > MAX_FILE_BYTES) {
    throw new SegmentPlanError(
      'FILE_TOO_BIG',
      `the file has ${sizeBytes} bytes, at most ${MAX_FILE_BYTES} fit`,
    );
  }
  if (sizeBytes <= preferredBytes) return [{ offset: 0, sizeBytes }];

  const count = Math.min(MAX_SEGMENTS, Math.ceil(sizeBytes / preferredBytes));
  const segmentBytes = segmentSize(sizeBytes, count);
  const segments: ByteRange[] = [];
  for (let offset = 0; offset < sizeBytes; offset += segmentBytes) {
    segments.push({ offset, sizeBytes: Math.min(segmentBytes, sizeBytes - offset) });
  }
  return segments;
}

// Whole MiB keep reads aligned. Two equal halves of a little more than 5 MiB each would fall on the
// refused size: hence the floor.
function segmentSize(sizeBytes: number, count: number): number {
  const even = Math.ceil(sizeBytes / count / MEBIBYTE) * MEBIBYTE;
  return Math.min(MAX_SEGMENT_BYTES, Math.max(even, TOO_SMALL_SEGMENT_BYTES + MEBIBYTE));
}
