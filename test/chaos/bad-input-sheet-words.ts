// What stands in the cells of made registers.
export const HEADERS = ['File', 'Number', 'Title', 'Revision', 'Remarks'];
/** What has been lost, rounded, turned into a date or taken for a formula somewhere. */
export const WORDS = [
  'Höhe über Grund',
  'a & b < c > "d"',
  '0042',
  '1-2',
  '1E5',
  '  blanks at both ends  ',
  '日本語の図面',
  'مخطط الطابق',
  '\u200Fשרטוט',
  "o'brien",
  '=SUM(A1:A2)',
  '@home',
  '_x0041_ as it stands',
  'line\nbreak',
  '🏗️ crane',
  'x'.repeat(300),
  '-',
  'TRUE',
  '2026-02-30',
  '1,5',
  '#N/A as text',
];
