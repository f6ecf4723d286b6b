// The name that a corrected sheet gets which was dropped by itself, among the files of its job in
// `attention/`. By it the sheet is read there like one that was saved there, whatever its name was. Pure.
import { sheetFormatOf } from '../../registers/sheet/read-sheet';
import { findNameFault } from '../drop/drop-names';

const PREFIX = 'dropped-';
/** In bytes. File systems take 255; a second sheet of the same name gets a number behind it. */
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
