// The only way in from bytes of other people to a grid: what kind of sheet it is is seen from the bytes, and
// has to agree with the name.
import type { SheetFile } from './grid';
import { readCsv } from './read-csv';
import { readWorkbook } from './read-workbook';
import { encryptedSheet, SheetError, tooLargeSheet, tornSheet } from './sheet-error';
import { SHEET_LIMITS, type SheetLimits } from './sheet-limits';

type SheetFormat = SheetFile['format'];

const OLE_BEGINS = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');
const ZIP_BEGINS = Buffer.from('PK');

/** Other kinds that spreadsheet programs save. */
const NOT_READ: ReadonlySet<string | undefined> = new Set(['xlsm', 'xls', 'xlsb', 'ods', 'tsv']);

/** What the ending of a name promises; undefined for names of no sheet that is read. */
export function sheetFormatOf(name: string): SheetFormat | undefined {
  const ending = endingOf(name);
  return ending === 'xlsx' || ending === 'csv' ? ending : undefined;
}

/** Whether it is a sheet by its name, of a kind that is read or not. */
export function hasSheetEnding(name: string): boolean {
  return sheetFormatOf(name) !== undefined || NOT_READ.has(endingOf(name));
}

/** @throws SheetError wrong-kind where its name is that of no sheet that is read. */
export function requireFormat(name: string): SheetFormat {
  const format = sheetFormatOf(name);
  if (format !== undefined) return format;
  throw wrongKind(
    'A register has to be .xlsx or .csv. Open this one, and save it as .xlsx. If it is no register, give it another name.',
  );
}

/**
 * Reads a sheet whole. `name` is only looked at for its ending. Formulas count with their stored values;
 * macros, links and references to other files are not even unpacked.
 * @throws SheetError, and nothing else.
 */
export async function readSheet(
  bytes: Buffer,
  name: string,
  limits: SheetLimits = SHEET_LIMITS,
): Promise<SheetFile> {
  const format = requireFormat(name);
  if (bytes.length === 0)
    throw new SheetError('empty', 'The sheet is empty: the file has no content at all.');
  if (bytes.length > limits.packedBytes) {
    throw tooLargeSheet(`The sheet has more than ${Math.floor(limits.packedBytes / 1024 / 1024)} MB`);
  }
  requireKind(bytes, format);
  if (format === 'csv') {
    const { grid, csv } = await readCsv(bytes, limits);
    return { format: 'csv', grids: [grid], csv };
  }
  return { format: 'xlsx', grids: await readWorkbook(bytes, limits) };
}

function requireKind(bytes: Buffer, format: SheetFormat): void {
  if (begins(bytes, OLE_BEGINS)) {
    if (bytes.includes(ENCRYPTED_STREAM)) throw encryptedSheet();
    throw wrongKind('This is a workbook of the old kind (.xls). Save it as .xlsx, and drop it again.');
  }
  // Nothing but zeros: room was made for the file, and its content has not come yet.
  if (bytes.subarray(0, 512).every(byte => byte === 0)) throw tornSheet();
  const isZip = begins(bytes, ZIP_BEGINS);
  if (format === 'csv' && isZip && bytes[2] !== undefined && bytes[2] < 0x20) {
    throw wrongKind('This is a workbook, though it is named .csv. Name it .xlsx, and drop it again.');
  }
  if (format === 'xlsx' && !isZip) {
    throw wrongKind('This is no workbook, though it is named .xlsx. Save the register as .xlsx or .csv.');
  }
}

function endingOf(name: string): string | undefined {
  return /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase();
}

function begins(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

function wrongKind(message: string): SheetError {
  return new SheetError('wrong-kind', message);
}
