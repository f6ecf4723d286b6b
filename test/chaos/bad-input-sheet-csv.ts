// CSV files whose every cell is known, in every dialect that offices have.

import type { CsvDialect } from '../../activities/registers/sheet/csv-dialect';
import { writeCsv } from '../../activities/registers/write/write-csv';
import type { Dice } from './bad-input-mutate';
import type { KnownSheet } from './bad-input-sheet-book';
import { HEADERS } from './bad-input-sheet-words';

export interface KnownCsv {
  readonly bytes: Buffer;
  readonly sheet: KnownSheet;
  readonly ways: readonly string[];
}

const WORDS = [
  '0042',
  '1-2',
  '1E5',
  'Höhe über Grund',
  'a;b,c\td',
  '6" pipe',
  'say "hello"',
  'line\nbreak',
  '-',
  '',
  'TRUE',
  '3,5',
  '1.500,00',
  '03.04.2026',
  'Müller & Söhne',
  '=1+1',
];
/** No code page of the west has them. */
const WIDE_WORDS = ['日本語の図面', 'مخطط', '\u200Fשרטוט', '🏗️'];

export function makeCsv(dice: Dice): KnownCsv {
  const dialect: CsvDialect = {
    encoding: dice.pick(['utf-8', 'utf-8', 'windows-1252', 'utf-16le', 'utf-16be']),
    bom: dice.below(2) === 0,
    delimiter: dice.pick([',', ';', '\t']),
    lineEnd: dice.pick(['\r\n', '\n', '\r']),
  };
  const words = dialect.encoding === 'windows-1252' ? WORDS : [...WORDS, ...WIDE_WORDS];
  const columns = dice.below(60) === 0 ? 300 : HEADERS.length;
  const header = Array.from({ length: columns }, (_, at) => HEADERS[at] ?? `Extra ${at}`);
  const body = Array.from({ length: 1 + dice.below(8) }, (_, row) => [
    `A-${row}.pdf`,
    ...Array.from({ length: columns - 1 }, () => dice.pick(words)),
  ]);
  const again = dice.below(6) === 0 ? [header] : [];
  const rows = [header, ...again, ...body];
  const known = rows.map(cells => cells.map(text => ({ text: text.trim() === '' ? '' : text })));
  const { bytes } = writeCsv(rows, dialect);
  return {
    bytes,
    sheet: {
      name: '',
      rows: known.map(cells => cells.slice(0, 1 + cells.findLastIndex(({ text }) => text !== ''))),
    },
    ways: [JSON.stringify(dialect)],
  };
}
