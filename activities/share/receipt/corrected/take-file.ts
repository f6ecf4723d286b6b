// Takes files from where people have them, so that of several who want one at one time exactly one has it: by
// one rename, to a name of its own beside the folder of the correction. From there whoever carries that
// correction on brings it in, also when the process that took it has died.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isGone, troubleOf } from '../../../host/file-trouble';
import { removeEmptyFolders } from '../../batch/put-back';
import { ifThere } from '../../files/if-there';
import { moveFile } from '../../files/move-file';
import { lastNameOf, parentOf, requireInPlace } from '../../files/open-folder';
import { inRealFolder } from '../../files/real-folder';
import { Place } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import { hash } from '../receipt-files';
import type { Correction } from './correction-record';

/** Follows on the name of a correction's folder: what was taken for it. */
export const TAKEN = ' taken';

type Row = Pick<Correction['rows'][number], 'number' | 'path'>;

/** A file that was taken for a row and has come no further. */
export interface TakenFile {
  readonly path: string;
  /**
   * An earlier version has taken it: it is named by the number of the row alone, and in what that version
   * recorded, another row can have the same number.
   */
  readonly isByNumber: boolean;
}

export async function takeFile(layout: ShareLayout, from: Place, own: string, row: Row): Promise<void> {
  const { fs } = layout;
  const folder = `${own}${TAKEN}`;
  await fs.makeFolders(layout.own, folder);
  await inRealFolder(fs, layout.own, folder, async open => {
    // A random name, for a rename would replace a file that has the name already.
    const to = new Place(open, `${markOf(row)}${randomBytes(8).toString('hex')}`);
    await requireInPlace(from, to);
    try {
      await fs.rename(from, to);
    } catch (error) {
      if (isGone(error)) return;
      if (troubleOf(error) !== 'other-device') throw error;
      await moveFile(fs, from, to);
    }
  });
  await fs.syncFolder(folder);
}

export async function listTaken({ fs }: ShareLayout, own: string, row: Row): Promise<readonly TakenFile[]> {
  const folder = `${own}${TAKEN}`;
  const byNumber = new RegExp(`^${row.number}-[0-9a-f]{16}$`);
  const list = async () => {
    const found: TakenFile[] = [];
    for await (const { name } of fs.entries(folder)) {
      const text = name.toString('latin1');
      const isByNumber = byNumber.test(text);
      if (isByNumber || text.startsWith(markOf(row))) found.push({ path: join(folder, text), isByNumber });
    }
    return found;
  };
  return (await ifThere(list())) ?? [];
}

/** Puts what was taken for the row, and did not go, where people find it: never over another file. */
export async function putTaken(
  layout: ShareLayout,
  place: string,
  own: string,
  row: Row,
  path: string,
): Promise<void> {
  const { fs, root } = layout;
  const to = below(join(layout.attention, place), path);
  for (const taken of await listTaken(layout, own, row)) {
    await inRealFolder(fs, root, parentOf(to), async folder => {
      await moveFile(fs, taken.path, new Place(folder, lastNameOf(to)));
      await fs.syncFolder(new Place(folder, '.'));
    });
  }
  await removeEmptyFolders(fs, `${own}${TAKEN}`);
}

/** With the path: a file must never be found as that of another row. Earlier versions look for the number. */
function markOf({ number, path }: Row): string {
  return `${number}-${hash(path).slice(0, 16)}-`;
}
