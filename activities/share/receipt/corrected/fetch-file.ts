// Brings the file of a row to where it comes together with its register: a folder of ours. Every step can be
// repeated, by several at one time.
import { join } from 'node:path';
import { isTaken } from '../../../host/file-trouble';
import { quote } from '../../../registers/register-fault';
import type { FileHasher } from '../../../transfer/hashing/hash-file';
import { planSegments } from '../../../transfer/segment-plan';
import { ifThere, isThere, lookIfThere, openIfThere, unlinkIfThere } from '../../files/if-there';
import { moveFile } from '../../files/move-file';
import { lastNameOf, parentOf } from '../../files/open-folder';
import { type FileFacts, type FsPlace, Place } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import type { Correction } from './correction-record';
import type { FinishedJob } from './decide-correction';
import { listTaken, takeFile } from './take-file';

type Row = Correction['rows'][number];

/** Brings the row's file into our folder. @returns why it is not there; undefined when it is. */
export async function fetchFile(
  layout: ShareLayout,
  { record }: FinishedJob,
  own: string,
  row: Row,
  hasher: FileHasher,
): Promise<string | undefined> {
  const { fs, root } = layout;
  const { path, number } = row;
  const from = below(join(layout.attention, record.place), path);
  const open = await openIfThere(fs, root, parentOf(from));
  let found: 'none' | 'same' | 'other' = 'none';
  try {
    const place = open && new Place(open, lastNameOf(from));
    if (place !== undefined) found = await compare(layout, place, own, row, hasher);
    if (place !== undefined && found === 'same') await takeFile(layout, place, own, row);
  } finally {
    await open?.close();
  }
  // After the looks above: a file goes from there to the taken ones, and from these into our folder.
  await bringIn(layout, own, row, hasher);
  if (await isThere(fs, below(own, path))) return undefined;
  if (found === 'other')
    return `Row ${number}: ${quote(path)} is another file than the one that was set apart. Drop it anew, with a register that lists it.`;
  return `Row ${number}: its file ${quote(path)} does not lie here any more. Drop it with a register that lists it.`;
}

/** Moves a file into our folder if it is the row's; for a place that nobody else takes files from. */
export async function moveIfSame(
  layout: ShareLayout,
  place: Place,
  own: string,
  row: Row,
  hasher: FileHasher,
): Promise<void> {
  if ((await compare(layout, place, own, row, hasher)) === 'same') await moveInto(layout, place, own, row);
}

/** How what lies there stands to the row. `none` also where the row has its file already. */
async function compare(
  { fs }: ShareLayout,
  place: Place,
  own: string,
  { path, sha256 }: Row,
  hasher: FileHasher,
): Promise<'none' | 'same' | 'other'> {
  const facts = await lookIfThere(fs, place);
  if (facts === undefined) return 'none';
  const had = await lookIfThere(fs, below(own, path));
  // A crash in the middle of its move has left it under both names. Any other file came later, for no row.
  if (had !== undefined) {
    if (had.identity === facts.identity && had.links > 1) await unlinkIfThere(fs, place);
    return 'none';
  }
  if (facts.kind !== 'file' || facts.links !== 1) return 'other';
  const hashed = await hashOf(hasher, place.path.toString(), facts);
  if (hashed === undefined) return 'none';
  return hashed === sha256 ? 'same' : 'other';
}

/** Undefined where it is not there: somebody else may take it meanwhile. */
async function hashOf(
  hasher: FileHasher,
  path: string,
  facts: FileFacts | undefined,
): Promise<string | undefined> {
  if (facts === undefined) return undefined;
  const segments = planSegments(facts.sizeBytes);
  return (await ifThere(hasher.hashFile(path, { segments })))?.sha256;
}

/** Brings in what was taken for the row: by this process, or by another one, which may have died since. */
async function bringIn(layout: ShareLayout, own: string, row: Row, hasher: FileHasher): Promise<void> {
  const { fs } = layout;
  for (const { path, isByNumber } of await listTaken(layout, own, row)) {
    const facts = await lookIfThere(fs, path);
    const had = await lookIfThere(fs, below(own, row.path));
    // If the row has its file, this is another one of the name that was taken later: it goes back in the end.
    if (had !== undefined && had.identity !== facts?.identity) continue;
    if (!isByNumber || (await hashOf(hasher, path, facts)) === row.sha256)
      await moveInto(layout, path, own, row);
  }
}

async function moveInto(
  layout: ShareLayout,
  from: FsPlace,
  own: string,
  { path }: Pick<Row, 'path'>,
): Promise<void> {
  const { fs } = layout;
  const to = below(own, path);
  await makeInside(layout, own, path);
  const folder = await fs.openFolder(layout.own, parentOf(to));
  try {
    await moveFile(fs, from, new Place(folder, lastNameOf(to)));
    await fs.syncFolder(new Place(folder, '.'));
  } finally {
    await folder.close();
  }
}

/** Makes the folders above a file, never `own` itself: once that has gone its way, it must not come back. */
export async function makeInside({ fs }: ShareLayout, own: string, path: string): Promise<void> {
  const parts = path.split('/').slice(0, -1);
  for (const [at] of parts.entries()) {
    await fs.makeFolder(join(own, ...parts.slice(0, at + 1))).catch(error => {
      if (!isTaken(error)) throw error;
    });
  }
}
