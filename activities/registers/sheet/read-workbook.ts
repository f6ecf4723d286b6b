// An .xlsx becomes grids: it is unpacked within limits, what holds cells goes to the library, cells become
// texts.
import type { Grid } from './grid';
import { SheetError, tooLargeSheet, tornSheet } from './sheet-error';
import type { SheetLimits } from './sheet-limits';
import { toShownCell } from './shown-value';
import { unpackWorkbook, type WorkbookParts } from './unpack-workbook';
import { readInThread, type StoredSheet } from './workbook-thread';

/** @throws SheetError empty, torn, encrypted, wrong-kind or too-large. */
export async function readWorkbook(bytes: Buffer, limits: SheetLimits): Promise<readonly Grid[]> {
  const parts = await unpackWorkbook(bytes, limits);
  requireFewStrings(parts, limits.sharedStrings);
  requireWholeSheets(parts);
  const sheets = await readInThread(parts, limits);
  if (sheets.length === 0)
    throw new SheetError('empty', 'The workbook is empty: it has no sheet with cells.');
  return sheets.map(toGrid);
}

/**
 * Shared texts are counted first: the library makes objects of all before it can be asked how many there are.
 */
function requireFewStrings(parts: WorkbookParts, most: number): void {
  for (const [name, part] of parts) {
    if (!/sharedStrings[^/]*\.xml$/i.test(name)) continue;
    const text = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let count = 0;
    for (let at = text.indexOf('</si>'); at >= 0; at = text.indexOf('</si>', at + 1)) {
      count++;
      if (count > most) throw tooLargeSheet(`The workbook has more than ${most} different texts`);
    }
  }
}

/**
 * The library takes what there is of a sheet that ends in the middle: its last rows would be missing in
 * silence.
 */
function requireWholeSheets(parts: WorkbookParts): void {
  for (const [name, part] of parts) {
    const end = Buffer.from(part.subarray(-200)).toString('latin1');
    if (/\/worksheets\/[^/]+\.xml$/i.test(name) && !/worksheet>\s*$/.test(end)) throw tornSheet();
  }
}

function toGrid({ name, hidden, rows, merges }: StoredSheet): Grid {
  return { name, hidden, merges, rows: rows.map(row => row.map(toShownCell)) };
}
