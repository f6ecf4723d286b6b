// The guard before every workbook of other people: takes its archive apart within limits. A workbook is a zip
// of XML files; one of 40 KB may claim, or turn out, to hold gigabytes. Nothing is written to disk and no
// name of a part is ever used as a path.
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { encryptedSheet, SheetError, tooLargeSheet, tornSheet } from './sheet-error';
import type { SheetLimits } from './sheet-limits';

/** Parts of a workbook by their names, such as `xl/worksheets/sheet1.xml`. */
export type WorkbookParts = ReadonlyMap<string, Uint8Array>;

/** Parts that hold no cells and say nothing about them: macros, links to other files, pictures, printing. */
const WITHOUT_CELLS =
  /(^|\/)(docProps|customXml|theme|media|drawings|charts|chartsheets|dialogsheets|macrosheets|diagrams|embeddings|activeX|ctrlProps|externalLinks|externalReferences|pivotCache|pivotTables|tables|queryTables|slicers|slicerCaches|timelines|timelineCaches|comments|threadedComments|persons|printerSettings|webextensions|worksheets\/_rels)\/|(^|\/)(comments\d*|connections|calcChain)\.xml$/i;

const IS_ENCRYPTED = 1;
const MOST_NAME_LENGTH = 512;

/**
 * The parts of a workbook: with `cells` only those that cells depend on, so that macros and links to other
 * files are not even unpacked; with `all` everything, against the same limits.
 * @throws SheetError torn, encrypted, wrong-kind or too-large.
 */
export async function unpackWorkbook(
  bytes: Buffer,
  limits: SheetLimits,
  which: 'cells' | 'all' = 'cells',
): Promise<WorkbookParts> {
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true });
    if (zip.entryCount > limits.parts) throw tooLargeSheet(`The workbook has ${zip.entryCount} parts`);
    return await unpackEntries(zip, limits, which);
  } catch (error: unknown) {
    // Whatever else is wrong with the archive, no program has written it like that.
    throw error instanceof SheetError ? error : tornSheet(error);
  }
}

async function unpackEntries(
  zip: ZipFile,
  limits: SheetLimits,
  which: 'cells' | 'all',
): Promise<WorkbookParts> {
  const parts = new Map<string, Uint8Array>();
  const names = new Set<string>();
  let leftBytes = limits.unpackedBytes;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    if ((entry.generalPurposeBitFlag & IS_ENCRYPTED) !== 0) throw encryptedSheet();
    if (names.has(name) || name.length > MOST_NAME_LENGTH) throw tornSheet();
    names.add(name);
    if (name.endsWith('/') || (which === 'cells' && !mayHoldCells(name))) continue;
    const part = await unpackEntry(zip, entry, leftBytes);
    leftBytes -= part.byteLength;
    parts.set(name, part);
  }
  requireWorkbook(names);
  return parts;
}

function mayHoldCells(name: string): boolean {
  return /\.(xml|rels)$/i.test(name) && !WITHOUT_CELLS.test(name);
}

/** Throws where the size or checksum that a part declares is wrong. */
async function unpackEntry(zip: ZipFile, entry: Entry, leftBytes: number): Promise<Uint8Array> {
  const tooMuch = tooLargeSheet('Unpacked, the workbook takes more memory than is allowed');
  if (entry.uncompressedSize > leftBytes) throw tooMuch;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Ends with an error as soon as there is more than the entry declared.
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    chunks.push(chunk as Buffer);
    sizeBytes += (chunk as Buffer).byteLength;
    if (sizeBytes > leftBytes) throw tooMuch;
  }
  const part = Buffer.concat(chunks, sizeBytes);
  if (crc32(part) !== entry.crc32) throw tornSheet();
  return part;
}

/** Other files are zips as well; the kinds that people take for a workbook are named in the error. */
function requireWorkbook(names: ReadonlySet<string>): void {
  if (names.has('xl/workbook.bin')) {
    throw new SheetError(
      'wrong-kind',
      'This is a binary workbook (.xlsb). Save it as .xlsx, and drop it again.',
    );
  }
  if (names.has('[Content_Types].xml') && [...names].some(name => /workbook[^/]*\.xml$/i.test(name))) return;
  if (names.has('content.xml') && names.has('META-INF/manifest.xml')) {
    throw new SheetError(
      'wrong-kind',
      'This is an OpenDocument file (.ods) under another name. Save it as .xlsx, and drop it again.',
    );
  }
  throw new SheetError(
    'wrong-kind',
    'This is an archive, but no Excel workbook. Save the register as .xlsx or .csv.',
  );
}
