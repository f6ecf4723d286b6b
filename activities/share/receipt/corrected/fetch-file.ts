// Brings the file of a row to where it comes together with its register: a folder of ours. Every step can be
// repeated, by several at one time.
import { join } from 'node:path';
import { isTaken } from '../../../host/file-trouble';
import { quote } from '../../../registers/register-fault';
import type { FileHasher } from '../../../transfer/hashing/hash-file';
import { planSegments } from '../../../transfer/segment-plan';
import { isThere, lookIfThere, openIfThere, unlinkIfThere } from '../../files/if-there';
import { moveFile } from '../../files/move-file';
import { lastNameOf, parentOf } from '../../files/open-folder';
import { Place } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import type { Correction } from './correction-record';
import type { FinishedJob } from './decide-correction';

type Row = Correction['rows'][number];

/** Into our folder. @returns why it is not there; undefined when it is. */
export async function fetchFile(
  layout: ShareLayout,
  { record }: FinishedJob,
  own: string,
  row: Row,
  hasher: FileHasher,
): Promise<string | undefined> {
  const { fs, root } = layout;
  const { path, number } = row;
  const to = below(own, path);
  const from = below(join(layout.attention, record.place), path);
  const open = await openIfThere(fs, root, parentOf(from));
  try {
    const place = open && new Place(open, lastNameOf(from));
    const trouble = place && (await moveIfSame(layout, place, own, row, hasher));
    if (trouble !== undefined) return trouble;
  } finally {
    await open?.close();
  }
  if (await isThere(fs, to)) return undefined;
  return `Row ${number}: its file ${quote(path)} does not lie here any more. Drop it with a register that lists it.`;
}

/** @returns what is to be told where it stays. */
export async function moveIfSame(
  layout: ShareLayout,
  place: Place,
  own: string,
  { path, sha256, number }: Row,
  hasher: FileHasher,
): Promise<string | undefined> {
  const { fs } = layout;
  const to = below(own, path);
  const facts = await lookIfThere(fs, place);
  if (facts === undefined) return undefined;
  const had = await lookIfThere(fs, to);
  // Of a crash in the middle of its move, under both names. Anything else came since, and is not asked for.
  if (had !== undefined) {
    if (had.identity === facts.identity && had.links > 1) await unlinkIfThere(fs, place);
    return undefined;
  }
  const isFile = facts.kind === 'file' && facts.links === 1;
  const segments = planSegments(facts.sizeBytes);
  if (!isFile || (await hasher.hashFile(place.path.toString(), { segments })).sha256 !== sha256) {
    return `Row ${number}: ${quote(path)} is another file than the one that was set apart. Drop it anew, with a register that lists it.`;
  }
  await makeInside(layout, own, path);
  const folder = await fs.openFolder(layout.own, parentOf(to));
  try {
    await moveFile(fs, place, new Place(folder, lastNameOf(to)));
    await fs.syncFolder(new Place(folder, '.'));
  } finally {
    await folder.close();
  }
  return undefined;
}

/** The folders above a file of ours. Never our own one: once that has gone its way, it must not come back. */
export async function makeInside({ fs }: ShareLayout, own: string, path: string): Promise<void> {
  const parts = path.split('/').slice(0, -1);
  for (const [at] of parts.entries()) {
    await fs.makeFolder(join(own, ...parts.slice(0, at + 1))).catch(error => {
      if (!isTaken(error)) throw error;
    });
  }
}
