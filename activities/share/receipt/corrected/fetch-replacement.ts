// A mended file takes the place of one that was set apart. Of two at one time, the one that takes the old
// file goes on, and the other is told. The old file stays beside our folder until the new one has gone its
// way, and is then put where people find it.
import { join } from 'node:path';
import { quote } from '../../../registers/register-fault';
import type { FileHasher } from '../../../transfer/hashing/hash-file';
import { removeEmptyFolders } from '../../batch/put-back';
import { isThere, openIfThere } from '../../files/if-there';
import { isMissing } from '../../files/missing';
import { lastNameOf, parentOf } from '../../files/open-folder';
import { Place } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import { wholeFileOf } from '../../jobs/uploads/upload-place';
import type { Correction } from './correction-record';
import type { FinishedJob } from './decide-correction';
import { moveIfSame } from './fetch-file';
import { listTaken, putTaken, TAKEN, takeFile } from './take-file';

/** The folder of old files that were replaced, below the job's folder in `attention/`. */
export const REPLACED = 'replaced';

type Row = Correction['rows'][number] & { readonly upload: string };

/** Brings the given file into our folder. @returns why it is not there; undefined when it is. */
export async function fetchReplacement(
  layout: ShareLayout,
  job: FinishedJob,
  own: string,
  row: Row,
  hasher: FileHasher,
): Promise<string | undefined> {
  const { fs } = layout;
  const { path, number, upload } = row;
  const to = below(own, path);
  if (!(await isThere(fs, to)) && !(await takeOld(layout, job, own, row)))
    return `Row ${number}: the file ${quote(path)} does not lie here any more: somebody took it up. The one that was given for it did not go.`;
  const from = wholeFileOf({ layout: () => layout }, upload);
  const open = await openIfThere(fs, layout.own, parentOf(from));
  try {
    // Also where it is there: of a crash in the middle of its move it may have both names.
    if (open !== undefined) await moveIfSame(layout, new Place(open, lastNameOf(from)), own, row, hasher);
  } finally {
    await open?.close();
  }
  if (await isThere(fs, to)) return undefined;
  // If our folder is gone, somebody else has brought both on their way since.
  if (!(await isMissing(fs, own, layout.own))) await putTaken(layout, job.record.place, own, row, path);
  return `Row ${number}: the file that was given for ${quote(path)} is not there any more. Give it again.`;
}

/** Takes the old file. @returns false when it was not there. */
async function takeOld(
  layout: ShareLayout,
  { record }: FinishedJob,
  own: string,
  row: Row,
): Promise<boolean> {
  const { fs, root } = layout;
  if ((await listTaken(layout, own, row)).length > 0) return true;
  const from = below(join(layout.attention, record.place), row.path);
  const open = await openIfThere(fs, root, parentOf(from));
  try {
    const place = open && new Place(open, lastNameOf(from));
    if (place !== undefined && (await isThere(fs, place))) await takeFile(layout, place, own, row);
  } finally {
    await open?.close();
  }
  if ((await listTaken(layout, own, row)).length > 0) return true;
  await removeEmptyFolders(fs, `${own}${TAKEN}`);
  return false;
}
