// Trouble with one sheet keeps no other from being read.
import { SheetError } from '../../registers/sheet/sheet-error';
import { SHEET_LIMITS } from '../../registers/sheet/sheet-limits';
import { describeTrouble } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { openSheetFile } from '../register/open-sheet';
import type { SheetNews } from './sheet-news';
import type { Sightings } from './sheet-sightings';

/** @throws ShareError of the whole share; all other trouble becomes news of this sheet. */
export async function guardSheet(
  layout: ShareLayout,
  path: string,
  work: () => Promise<readonly SheetNews[]>,
): Promise<readonly SheetNews[]> {
  try {
    return await work();
  } catch (error) {
    const why = describeTrouble(error);
    await layout.fs.look(layout.root);
    return [{ kind: 'trouble', path, why, error }];
  }
}

/** Reads a sheet that has stood still. One that cannot be read just now is tried again a little later. */
export async function readSeen(
  layout: ShareLayout,
  sightings: Sightings,
  path: string,
  work: (bytes: Buffer, tries: number) => Promise<readonly SheetNews[]>,
): Promise<readonly SheetNews[]> {
  const seen = sightings.of(path);
  if (seen === undefined) return [];
  const { facts, tries } = seen;
  try {
    return await work(
      await openSheetFile(layout, layout.root, { path, facts }, SHEET_LIMITS.packedBytes),
      tries,
    );
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    sightings.again(path);
    return [{ kind: 'waits', path, why: error.message }];
  }
}
