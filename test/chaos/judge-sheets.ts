// The receipt of a job as people open it, read for the judge without a reader of the product: a CSV or a
// workbook with our columns around those of the register that it goes back with. Pure.
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';

/** A row that says what became of a file. */
export interface SheetRow {
  readonly outcome: string;
  readonly reason: string;
  readonly revisionId: string;
  readonly uploadId: string;
  readonly sha256: string;
  /** Whose receipt this is, and which row of the register: `4f2a9c row 43`, `4f2a9c not listed`. */
  readonly mark: string;
  /** As the register calls the file; undefined where its column has a name that the judge does not know. */
  readonly file?: string;
}

/** Read, or not to be read at all. */
export type SheetOfJob = readonly SheetRow[] | 'unreadable';

const OURS = ['Outcome', 'What to do', 'Receipt row'] as const;
const FILE_HEADER = /^(file|file name|filename)$/i;
const DELIMITERS = [',', ';', '\t'] as const;

/** Undefined for a text that is no receipt of a job, as a file that was dropped under such a name. */
export function readCsvSheet(text: string): SheetOfJob | undefined {
  if (!OURS.every(header => text.includes(header))) return undefined;
  for (const delimiter of DELIMITERS) {
    try {
      const rows = toRows(parse(text, { bom: true, delimiter, relax_column_count: true }) as string[][]);
      if (rows !== undefined) return rows;
    } catch {
      // Another delimiter may be the one.
    }
  }
  return 'unreadable';
}

/** Undefined for a workbook that no sheet of is a receipt of a job, and for what is no workbook. */
export function readWorkbookSheet(bytes: Uint8Array): SheetOfJob | undefined {
  if (strFromU8(bytes.subarray(0, 2)) !== 'PK') return undefined;
  try {
    const parts = unzipSync(bytes);
    const texts = textsOf(strFromU8(parts['xl/sharedStrings.xml'] ?? new Uint8Array()));
    const sheets = Object.keys(parts).filter(name => /^xl\/worksheets\/[^/]+\.xml$/.test(name));
    for (const name of sheets) {
      const rows = toRows(gridOf(strFromU8(parts[name] ?? new Uint8Array()), texts));
      if (rows !== undefined) return rows;
    }
    return undefined;
  } catch {
    return 'unreadable';
  }
}

/** Undefined where no row has our headers; rows above it and those without a word of ours are left out. */
function toRows(grid: readonly (readonly string[])[]): readonly SheetRow[] | undefined {
  const at = grid.findIndex(cells => OURS.every(header => cells.includes(header)));
  const headers = grid[at];
  if (headers === undefined) return undefined;
  // The register may have columns with these names: ours stand in front of it, and behind the mark.
  const mark = headers.indexOf('Receipt row');
  const columns = {
    outcome: headers.indexOf('Outcome'),
    reason: headers.indexOf('Reason'),
    revisionId: headers.indexOf('Revision id'),
    uploadId: headers.indexOf('Upload', mark),
    sha256: headers.indexOf('SHA-256', mark),
    mark,
  };
  const file = headers.findIndex(header => FILE_HEADER.test(header.trim()));
  return grid.slice(at + 1).flatMap(cells => {
    const textOf = (column: number) => cells[column] ?? '';
    const row = {
      outcome: textOf(columns.outcome),
      reason: textOf(columns.reason),
      revisionId: textOf(columns.revisionId),
      uploadId: textOf(columns.uploadId),
      sha256: textOf(columns.sha256),
      mark: textOf(columns.mark),
      ...(file < 0 ? {} : { file: textOf(file) }),
    };
    return row.outcome === '' && row.mark === '' && row.uploadId === '' ? [] : [row];
  });
}

/** The texts that cells name by their number. */
function textsOf(xml: string): readonly string[] {
  return [...xml.matchAll(/<si(?:\s[^>]*)?>(.*?)<\/si>|<si\s*\/>/gs)].map(([, item = '']) => textIn(item));
}

function gridOf(xml: string, texts: readonly string[]): string[][] {
  return [...xml.matchAll(/<row\b[^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, row = '']) => {
    const cells: string[] = [];
    for (const [, given = '', content = ''] of row.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
      const letters = /\br="([A-Z]+)\d+"/.exec(given)?.[1];
      const column = letters === undefined ? cells.length : columnOf(letters);
      const value = /<v[^>]*>(.*?)<\/v>/s.exec(content)?.[1];
      while (cells.length <= column) cells.push('');
      if (/\bt="s"/.test(given)) cells[column] = texts[Number(value)] ?? '';
      else cells[column] = value === undefined ? textIn(content) : toPlain(value);
    }
    return cells;
  });
}

/** A is 0. */
function columnOf(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** A text may be in pieces, each with its own look; how it is read aloud is none of it. */
function textIn(xml: string): string {
  const spoken = xml.replace(/<rPh\b.*?<\/rPh>/gs, '');
  return [...spoken.matchAll(/<t(?:\s[^>]*)?>(.*?)<\/t>/gs)].map(([, text = '']) => toPlain(text)).join('');
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function toPlain(text: string): string {
  return text
    .replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name = '') => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return Number.isNaN(code) ? (NAMED[name] ?? whole) : String.fromCodePoint(code);
    })
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
