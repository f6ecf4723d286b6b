// How much is kept of the corrected sheets of one job: all of it is read at each look, so that whoever may
// drop files could otherwise fill the memory of the watcher. Pure.

/** Records of sheets, file replacements and rows sent again, of one job. */
const MOST_RECORDS = 200;
const MOST_BYTES_OF_JOB = 64 * 1024 ** 2;
/** Far below what one record may have to be read again. */
const MOST_BYTES_OF_RECORD = 8 * 1024 ** 2;
const MOST_TOLD = 500;

export const NO_ROOM =
  'Nothing of it is taken up: as many corrections as are kept were made of this job. Answer on the page for what is held; drop what was set apart again with a register.';
const TOO_MUCH =
  'Nothing of it is taken up: more is corrected in it than goes at once. Correct fewer rows at a time.';

/** Whether the job has as many records as it may have; a further one is not written. */
export function isJobFull(earlier: readonly object[]): boolean {
  if (earlier.length >= MOST_RECORDS) return true;
  return earlier.reduce((sum, each) => sum + bytesOf(each), 0) > MOST_BYTES_OF_JOB;
}

/**
 * Why the rows of a record cannot be kept; undefined where they can.
 * @param isFull what `isJobFull` has said of the job. It is asked once, for it goes through all that is kept.
 */
export function findNoRoom(
  record: { readonly rows: readonly object[] },
  isFull: boolean,
): string | undefined {
  if (record.rows.length === 0) return undefined;
  if (isFull) return NO_ROOM;
  return bytesOf(record) > MOST_BYTES_OF_RECORD ? TOO_MUCH : undefined;
}

/** With a long list cut: nobody reads thousands of sentences, and they are kept with the record. */
export function cutTold(told: readonly string[]): string[] {
  const rest = told.length - MOST_TOLD;
  return rest > 0
    ? [...told.slice(0, MOST_TOLD), `The same or more is to be said of ${rest} further rows.`]
    : [...told];
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
