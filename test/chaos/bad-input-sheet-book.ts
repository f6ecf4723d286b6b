// Workbooks whose every cell is known: each text, number and date is stored in one of the many ways in which
// spreadsheet programs store it. Made from a workbook of our own writer.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { columnLetter } from '../../activities/registers/sheet/column-letter';
import { writeWorkbook } from '../../activities/registers/write/write-workbook';
import type { Dice } from './bad-input-mutate';
import { HEADERS, WORDS } from './bad-input-sheet-words';

/** What a cell says to whoever opens the sheet; `error`: nothing that anybody could work with. */
export interface KnownCell {
  readonly text: string;
  /** Its text is any. */
  readonly isError?: boolean;
}

export interface KnownSheet {
  readonly name: string;
  readonly rows: readonly (readonly KnownCell[])[];
  /** A cell of the fourth column that is merged with the one below it: its row, from 0. */
  readonly merged?: number;
}

export const MERGED_COLUMN = 3;

export interface KnownBook {
  readonly parts: Readonly<Record<string, Uint8Array>>;
  readonly sheets: readonly KnownSheet[];
  /** How it was made, for whoever has to find a case again. */
  readonly ways: readonly string[];
}

const DAY_MS = 86_400_000;
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) } as const;

/** A workbook of our own writer, to be filled anew. */
export async function makeBase(): Promise<Record<string, Uint8Array>> {
  const rows = [HEADERS.map(text => ({ text, look: 'text' as const }))];
  const sheets = ['Data', 'Besides'].map(name => ({ name, widths: HEADERS.map(() => 12), rows }));
  const bytes = await writeWorkbook({ title: 'Register', madeAt: new Date(0), sheets });
  // Colours and the title are of no use here, and most of the bytes.
  return unzipSync(bytes, { filter: ({ name }) => !/theme|docProps/.test(name) });
}

export function pack(parts: Readonly<Record<string, Uint8Array>>, level: 0 | 1 = 0): Buffer {
  return Buffer.from(zipSync({ ...parts }, { level }));
}

/** Any number of rows of a register, and another sheet beside it. */
export function makeBook(dice: Dice, base: Readonly<Record<string, Uint8Array>>): KnownBook {
  const maker = new BookMaker(dice);
  const data = maker.fill('Data', dice.below(60) === 0 ? 300 : HEADERS.length, 1 + dice.below(8));
  const besides = maker.fill('Besides', 3, dice.below(3));
  const parts: Record<string, Uint8Array> = {
    ...base,
    'xl/worksheets/sheet1.xml': strToU8(maker.sheetXml(data)),
    'xl/worksheets/sheet2.xml': strToU8(maker.sheetXml(besides)),
    'xl/sharedStrings.xml': strToU8(maker.stringsXml()),
    'xl/styles.xml': strToU8(maker.stylesXml(strFromU8(base['xl/styles.xml'] ?? new Uint8Array()))),
    'xl/workbook.xml': strToU8(maker.workbookXml(strFromU8(base['xl/workbook.xml'] ?? new Uint8Array()))),
  };
  maker.rename(parts);
  return { parts, sheets: [data.known, besides.known], ways: maker.ways };
}

interface Filled {
  readonly known: KnownSheet;
  /** The inside of each cell, and its attributes but for its place. */
  readonly stored: readonly (readonly StoredAs[])[];
}

interface StoredAs extends KnownCell {
  readonly attributes: string;
  readonly inside: string;
}

const NOTHING: StoredAs = { text: '', attributes: '', inside: '' };

class BookMaker {
  readonly #dice: Dice;
  readonly #strings: string[] = [];
  readonly #epoch: 1900 | 1904;
  readonly #hasPlaces: boolean;
  readonly #quote: '"' | "'";
  readonly #gap: string;
  readonly #prefix: string;
  readonly ways: string[] = [];

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#epoch = dice.below(3) === 0 ? 1904 : 1900;
    this.#hasPlaces = dice.below(6) > 0;
    this.#quote = dice.below(6) === 0 ? "'" : '"';
    this.#gap = dice.pick(['', '', '\n', '\r\n  ', '<!-- a > b -->']);
    this.#prefix = dice.below(8) === 0 ? 'x:' : '';
    this.ways.push(`epoch ${this.#epoch}`, `places ${this.#hasPlaces}`, `gap ${JSON.stringify(this.#gap)}`);
    this.ways.push(`quote ${this.#quote}`, `prefix ${this.#prefix}`);
  }

  fill(name: string, columns: number, rows: number): Filled {
    const dice = this.#dice;
    const above = dice.below(5) === 0 ? [[this.#text('Transmittal 12')]] : [];
    const header = Array.from({ length: columns }, (_, at) => this.#text(HEADERS[at] ?? `Extra ${at}`));
    const again = dice.below(6) === 0 ? [header] : [];
    const body = Array.from({ length: rows }, (_, row) => [
      this.#text(`A-${row}.pdf`),
      ...Array.from({ length: columns - 1 }, () => this.#anyCell()),
    ]);
    const isMerged = body.length > 1 && columns > MERGED_COLUMN && dice.below(4) === 0;
    if (isMerged) body[1]?.splice(MERGED_COLUMN, 1, NOTHING);
    const stored = [...above, header, ...again, ...body];
    const cut = stored.map(cells => cells.slice(0, 1 + cells.findLastIndex(({ text }) => text !== '')));
    const known = cut.map(cells =>
      cells.map(({ text, isError }) => ({ text, ...(isError ? { isError } : {}) })),
    );
    const merged = isMerged ? { merged: stored.length - body.length } : {};
    return { known: { name, rows: known, ...merged }, stored };
  }

  #text(text: string): StoredAs {
    const dice = this.#dice;
    switch (dice.below(6)) {
      case 0:
        return { text, attributes: this.#attribute('t', 'inlineStr'), inside: `<is>${this.#t(text)}</is>` };
      case 1:
        return {
          text,
          attributes: this.#attribute('t', 'str'),
          inside: `<f>A1&amp;""</f><v>${xml(text)}</v>`,
        };
      case 2: {
        const at = dice.below(text.length + 1);
        const [one, other] = [text.slice(0, at), text.slice(at)];
        // Between the halves of a character of two units there is no place to cut.
        const isCut = /[\ud800-\udbff]$/.test(one);
        const runs = isCut ? this.#run(text) : this.#run(one) + this.#run(other);
        return { text, ...this.#shared(runs + (dice.below(3) === 0 ? RUBY : '')) };
      }
      default:
        return { text, ...this.#shared(this.#t(text)) };
    }
  }

  #anyCell(): StoredAs {
    const dice = this.#dice;
    switch (dice.below(13)) {
      case 0:
        return NOTHING;
      case 1: {
        const value = dice.below(100_000);
        return { text: String(value), attributes: '', inside: `<v>${value}</v>` };
      }
      case 2: {
        const value = dice.below(12_000);
        return {
          text: String(value).padStart(4, '0'),
          attributes: this.#style(0),
          inside: `<v>${value}</v>`,
        };
      }
      case 3:
        return dice.pick([
          { text: '1500', attributes: '', inside: '<v>1.5E3</v>' },
          { text: '0.3', attributes: '', inside: '<v>0.30000000000000004</v>' },
          { text: '-0.001', attributes: '', inside: '<v>-1E-3</v>' },
        ]);
      case 4:
      case 5:
        return this.#date();
      case 6:
        return { text: 'TRUE', attributes: this.#attribute('t', 'b'), inside: '<v>1</v>' };
      case 7:
        return { text: '?', isError: true, attributes: this.#attribute('t', 'e'), inside: '<v>#REF!</v>' };
      case 8:
        return { text: '?', isError: true, attributes: '', inside: '<f>VLOOKUP(A1,Z:Z,1)</f>' };
      case 9:
        return { text: '12.5', attributes: '', inside: '<f>25/2</f><v>12.5</v>' };
      default:
        return this.#text(dice.pick(WORDS));
    }
  }

  #date(): StoredAs {
    const day = Date.UTC(1990, 0, 1) + this.#dice.below(20_000) * DAY_MS;
    const serial = (day - EPOCHS[this.#epoch]) / DAY_MS;
    const text = new Date(day).toISOString().slice(0, 10);
    if (this.#dice.below(2) === 0) return { text, attributes: this.#style(1), inside: `<v>${serial}</v>` };
    return { text: `${text}T06:00:00`, attributes: this.#style(2), inside: `<v>${serial + 0.25}</v>` };
  }

  #attribute(name: string, value: string): string {
    return ` ${name}=${this.#quote}${value}${this.#quote}`;
  }

  #style(at: number): string {
    return this.#attribute('s', String(FIRST_STYLE + at));
  }

  #shared(inside: string): Pick<StoredAs, 'attributes' | 'inside'> {
    const at = this.#strings.push(inside) - 1;
    return { attributes: this.#attribute('t', 's'), inside: `<v>${at}</v>` };
  }

  #run(text: string): string {
    const look = this.#dice.below(2) === 0 ? '<rPr><b/></rPr>' : '';
    return text === '' ? '' : `<r>${look}${this.#t(text)}</r>`;
  }

  #t(text: string): string {
    return `<t xml:space="preserve">${this.#dice.below(8) === 0 ? numbered(text) : xml(text)}</t>`;
  }

  sheetXml({ known, stored }: Filled): string {
    const rows = stored.map((cells, y) => {
      const inside = cells.map((cell, x) => {
        if (cell.inside === '' && this.#hasPlaces) return '';
        const place = this.#hasPlaces ? this.#attribute('r', `${columnLetter(x)}${y + 1}`) : '';
        return cell.inside === '' ? '<c/>' : `<c${place}${cell.attributes}>${cell.inside}</c>`;
      });
      const place = this.#hasPlaces ? this.#attribute('r', String(y + 1)) : '';
      return `<row${place}>${inside.join(this.#gap)}</row>`;
    });
    const view = this.#dice.below(4) === 0 ? ' rightToLeft="1"' : '';
    const width = Math.max(...known.rows.map(({ length }) => length));
    const lies = this.#dice.below(5) === 0 ? 'A1' : `A1:${columnLetter(width - 1)}${known.rows.length}`;
    const body = `<worksheet xmlns="${MAIN}"><dimension ref="${lies}"/><sheetViews><sheetView${view} workbookViewId="0"/></sheetViews><sheetData>${rows.join(this.#gap)}</sheetData>${mergesXml(known)}</worksheet>`;
    return `${this.#dice.below(6) === 0 ? '\ufeff' : ''}${DECLARATION}${this.#withPrefix(body)}`;
  }

  stringsXml(): string {
    const items = this.#strings.map(inside => `<si>${inside}</si>`).join(this.#gap);
    return `${DECLARATION}${this.#withPrefix(`<sst xmlns="${MAIN}">${items}</sst>`)}`;
  }

  stylesXml(base: string): string {
    const formats = ['0000', 'dd\\.mm\\.yyyy', 'yyyy\\-mm\\-dd hh:mm']
      .map((code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${code}"/>`)
      .join('');
    const styles = [170, 171, 172]
      .map(id => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`)
      .join('');
    return base.replace('</numFmts>', `${formats}</numFmts>`).replace('</cellXfs>', `${styles}</cellXfs>`);
  }

  workbookXml(base: string): string {
    if (this.#epoch === 1900) return base;
    return base.replace('<bookViews>', '<workbookPr date1904="1"/><bookViews>');
  }

  /** The first sheet may lie under any name; what points at it says so from the root of the archive. */
  rename(parts: Record<string, Uint8Array>): void {
    if (this.#dice.below(6) > 0) return;
    const rels = strFromU8(parts['xl/_rels/workbook.xml.rels'] ?? new Uint8Array());
    const first = parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array();
    delete parts['xl/worksheets/sheet1.xml'];
    parts['xl/worksheets/Blatt-Ä.xml'] = first;
    parts['xl/_rels/workbook.xml.rels'] = strToU8(
      rels.replace('"worksheets/sheet1.xml"', '"/xl/worksheets/Blatt-Ä.xml"'),
    );
    this.ways.push('sheet renamed');
  }

  #withPrefix(body: string): string {
    if (this.#prefix === '') return body;
    const named = body.replace(/<(\/?)([a-zA-Z])/g, `<$1${this.#prefix}$2`);
    return named.replace(' xmlns="', ` xmlns:${this.#prefix.slice(0, -1)}="`);
  }
}

const FIRST_STYLE = 2;
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** How a text is spoken; not a part of it. */
const RUBY = '<rPh sb="0" eb="1"><t>カナ</t></rPh>';

function mergesXml({ merged }: KnownSheet): string {
  if (merged === undefined) return '';
  return `<mergeCells count="1"><mergeCell ref="D${merged + 1}:D${merged + 2}"/></mergeCells>`;
}

function xml(text: string): string {
  return text
    .replace(/_x([0-9A-Fa-f]{4})_/g, '_x005F_x$1_')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/** Each character by its number. */
function numbered(text: string): string {
  return [...text.replace(/_x([0-9A-Fa-f]{4})_/g, '_x005F_x$1_')]
    .map(each => (each === '_' ? each : `&#x${each.codePointAt(0)?.toString(16)};`))
    .join('');
}
