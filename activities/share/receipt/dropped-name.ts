// What a sheet is called, among the files of its job in `attention/`, that was dropped by itself: by this it
// is read there as one that was saved there, whatever it was called before. Pure.
import { sheetFormatOf } from '../../registers/sheet/read-sheet';
import { findNameFault } from '../drop/drop-names';

const PREFIX = 'dropped-';
/** File systems take names of 255 bytes; another one of the name gets a number. */
const LONGEST_NAME = 200;

export function nameDropped(name: string): string {
  const isFit = findNameFault(name) === undefined && Buffer.byteLength(name) <= LONGEST_NAME;
  return `${PREFIX}${isFit ? name : `sheet.${sheetFormatOf(name)}`}`;
}

export function isDropped(name: string): boolean {
  return name.startsWith(PREFIX) && sheetFormatOf(name) !== undefined;
}

/** A person waits to hear of it, also where there was nothing to do. */
export const NOTHING_CHANGED =
  'No row that could be corrected says anything else than before, so that there was nothing to do.';
