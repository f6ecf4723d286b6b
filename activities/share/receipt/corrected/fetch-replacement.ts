// A mended file takes the place of one that was set apart. Whoever moves the old one away, by one rename, has
// it: of two at one time one goes on, and the other is told. The old one is held beside our folder until the
// new one has gone its way, and is then put where people find it.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isGone, troubleOf } from '../../../host/file-trouble';
import { quote } from '../../../registers/register-fault';
import type { FileHasher } from '../../../transfer/hashing/hash-file';
import { removeEmptyFolders } from '../../claim/put-back';
import { ifThere, isThere, openIfThere } from '../../files/if-there';
import { isMissing } from '../../files/missing';
import { moveFile } from '../../files/move-file';
import { lastNameOf, parentOf, requireInPlace } from '../../files/open-folder';
import { inRealFolder } from '../../files/real-folder';
import { Place } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import { wholeFileOf } from '../../jobs/uploads/upload-place';
import type { Correction } from './correction-record';
import type { FinishedJob } from './decide-correction';
import { moveIfSame } from './fetch-file';

/** Follows on the name of a correction's folder: what is held beside it. */
export const HELD = ' replaced';
/** Where files that others have taken the place of lie, below the job's folder in `attention/`. */
const REPLACED = 'replaced';

type Row = Correction['rows'][number] & { readonly upload: string };

/** Into our folder. @returns why it is not there; undefined when it is. */
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
  if (!(await isThere(fs, to)) && !(await holdOld(layout, job, own, path)))
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
  // Else somebody else has brought both on their way since.
  if (!(await isMissing(fs, own, layout.own))) await putOld(layout, job, own, path);
  return `Row ${number}: the file that was given for ${quote(path)} is not there any more. Give it again.`;
}

/** Once the new one has gone its way. */
export async function putReplacedAway(
  layout: ShareLayout,
  job: FinishedJob,
  { folder, rows }: Correction,
): Promise<void> {
  const [row] = rows;
  if (folder === undefined || row?.upload === undefined) return;
  await putOld(layout, job, join(layout.corrections, folder), `${REPLACED}/${row.path}`);
}

/** Whether it is held now. */
async function holdOld(
  layout: ShareLayout,
  { record }: FinishedJob,
  own: string,
  path: string,
): Promise<boolean> {
  const { fs, root } = layout;
  const held = `${own}${HELD}`;
  if ((await listHeld(layout, held)).length > 0) return true;
  const from = below(join(layout.attention, record.place), path);
  const open = await openIfThere(fs, root, parentOf(from));
  try {
    const place = open && new Place(open, lastNameOf(from));
    if (place !== undefined && (await isThere(fs, place))) {
      await fs.makeFolders(layout.own, held);
      // A name that nothing can have: a rename would take its place.
      await inRealFolder(fs, layout.own, held, folder =>
        takeAway(layout, place, new Place(folder, randomBytes(8).toString('hex'))),
      );
      await fs.syncFolder(held);
    }
  } finally {
    await open?.close();
  }
  if ((await listHeld(layout, held)).length > 0) return true;
  await removeEmptyFolders(fs, held);
  return false;
}

/** By one rename: of several at one time it is one that finds the file. */
async function takeAway({ fs }: ShareLayout, from: Place, to: Place): Promise<void> {
  await requireInPlace(from, to);
  try {
    await fs.rename(from, to);
  } catch (error) {
    if (isGone(error)) return;
    if (troubleOf(error) !== 'other-device') throw error;
    await moveFile(fs, from, to);
  }
}

/** Never over another file. */
async function putOld(
  layout: ShareLayout,
  { record }: FinishedJob,
  own: string,
  path: string,
): Promise<void> {
  const { fs, root } = layout;
  const held = `${own}${HELD}`;
  const to = below(join(layout.attention, record.place), path);
  for (const name of await listHeld(layout, held)) {
    await inRealFolder(fs, root, parentOf(to), async folder => {
      await moveFile(fs, join(held, name), new Place(folder, lastNameOf(to)));
      await fs.syncFolder(new Place(folder, '.'));
    });
  }
  await removeEmptyFolders(fs, held);
}

async function listHeld({ fs }: ShareLayout, held: string): Promise<readonly string[]> {
  const list = async () => {
    const names: string[] = [];
    for await (const { name } of fs.entries(held)) names.push(name.toString('latin1'));
    return names;
  };
  return (await ifThere(list())) ?? [];
}
