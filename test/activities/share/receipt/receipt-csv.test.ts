import { readCsv } from '../../../../activities/registers/sheet/read-csv';
import { SHEET_LIMITS } from '../../../../activities/registers/sheet/sheet-limits';
import type { Receipt, ReceiptRow } from '../../../../activities/share/batch/kept-receipt';
import { toCsv } from '../../../../activities/share/receipt/receipt-csv';

const row = (overrides: Partial<ReceiptRow>): ReceiptRow => ({
  index: 0,
  path: 'a.pdf',
  outcome: 'submitted',
  revisionId: 'R1',
  paired: 'certain',
  uploadId: 'U1',
  stored: [],
  notes: [],
  sizeBytes: 12,
  sha256: 'ab',
  submittedAt: '2026-01-31T09:30:00.000Z',
  ...overrides,
});

const receipt = (...files: ReceiptRow[]): Receipt => ({
  version: 1,
  batchId: '20260131-093000-k3f2a2',
  share: 'tender',
  project: { companyId: '1', projectId: '2' },
  manifestSha256: 'm',
  claimedAt: '2026-01-31T09:00:00.000Z',
  writtenAt: '2026-01-31T10:00:00.000Z',
  final: true,
  files,
});

/** RFC 4180, written for this test alone. */
function parse(csv: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r\n|$)/y;
  cell.lastIndex = 1;
  while (cell.lastIndex < csv.length) {
    const [, text = '', end] = cell.exec(csv) ?? [];
    record.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

describe('toCsv', () => {
  test('is UTF-8 with a byte order mark and CRLF, one row a file', () => {
    const csv = toCsv(receipt(row({ path: 'plans/図面 é.pdf' }), row({ index: 1, path: 'b.pdf' })));
    expect(csv.startsWith('\uFEFFfile,folder,outcome,')).toBe(true);
    expect(csv.split('\r\n')).toHaveLength(4);
    expect(csv.replaceAll('\r\n', '')).not.toContain('\n');
    expect(parse(csv)[1]?.slice(0, 5)).toEqual(['図面 é.pdf', 'plans', 'submitted', 'R1', 'U1']);
  });

  test.each([',', ';', '\t'] as const)(
    'parted by %j it is read back as it was, cell by cell',
    async delimiter => {
      const texts = ['12,5', '1.5', 'a;b', 'a\tb', 'said "so"', 'two\nlines', '0042'];
      const stored = texts.map((value, at) => ({ label: `F${at}`, value }));
      const csv = toCsv(receipt(row({ path: 'a, b; c.pdf', stored })), { delimiter });
      const { grid, csv: dialect } = await readCsv(Buffer.from(csv), SHEET_LIMITS);
      expect(dialect).toEqual({ encoding: 'utf-8', bom: true, delimiter, lineEnd: '\r\n' });
      const [head = [], cells = []] = grid.rows.map(each => each.map(({ text }) => text));
      expect(cells[head.indexOf('file')]).toBe('a, b; c.pdf');
      expect(texts.map((_, at) => cells[head.indexOf(`F${at}`)])).toEqual(texts);
    },
  );

  test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', '=HYPERLINK("x")'])('defuses %j', text => {
    const csv = toCsv(receipt(row({ path: text, stored: [{ label: text, value: text }], notes: [text] })));
    for (const cell of parse(csv).flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    expect(parse(csv)[1]?.[0]).toBe(`'${text}`);
  });

  test.each([
    "plan;=cmd|'/c calc'!A1.pdf",
    'plan;"=1+1".pdf',
    'plan; \t@SUM(A1).pdf',
    'one\n=1+1',
    'one\r\n"-1',
    'a\t+1',
    'a;;=1',
    '\t=1+1',
    '\n"@x',
    ';=1',
  ])('defuses %j where lists are separated by semicolons or tabs', text => {
    const csv = toCsv(receipt(row({ path: text, stored: [{ label: text, value: text }], notes: [text] })));
    // A spreadsheet that looks for another separator takes our quotes for text, and cuts everywhere.
    for (const piece of csv.slice(1).split(/[;\t\r\n]/)) expect(piece).not.toMatch(/^[\s"]*[=+\-@]/);
    expect(parse(csv)[1]?.length).toBe(parse(csv)[0]?.length);
  });

  test('leaves ordinary texts as they are', () => {
    const plain = ['A-101; B-102', 'x = 1; y = 2', 'to +49 30', 'Level -1', 'a;b'];
    for (const text of plain) expect(parse(toCsv(receipt(row({ notes: [text] }))))[1]?.at(-1)).toBe(text);
  });

  test('says that its times are UTC', () => {
    expect(parse(toCsv(receipt(row({}))))[0]).toEqual(
      expect.arrayContaining(['claimed_at_utc', 'submitted_at_utc']),
    );
  });

  test('quotes commas, quotes and line breaks so that every row has the same cells', () => {
    const csv = toCsv(
      receipt(
        row({ path: 'a,"b".pdf', notes: ['one\r\ntwo, "three"'] }),
        row({ index: 1, path: 'b\nc.pdf' }),
      ),
    );
    const records = parse(csv);
    expect(records).toHaveLength(3);
    expect(new Set(records.map(record => record.length)).size).toBe(1);
    expect(records[1]?.[0]).toBe('a,"b".pdf');
    expect(records[2]?.[0]).toBe('b\nc.pdf');
  });

  test('has one column for each field label, and tells a field called like a column apart', () => {
    const csv = toCsv(
      receipt(
        row({
          stored: [
            { label: 'Number', value: 'N-1' },
            { label: 'File', value: 'x' },
          ],
        }),
        row({
          index: 1,
          stored: [
            { label: 'Type', value: 'Drawing' },
            { label: 'Type', value: 'Plan' },
          ],
        }),
      ),
    );
    const [headings = [], first = [], second = []] = parse(csv);
    expect(headings).toContain('File (field)');
    expect(first[headings.indexOf('Number')]).toBe('N-1');
    expect(second[headings.indexOf('Number')]).toBe('');
    expect(second[headings.indexOf('Type')]).toBe('Drawing; Plan');
  });

  test('says how many more were left than it names, and nothing where it names all', () => {
    const left = ['A/1.pdf', 'A/2.pdf'];
    const told = (ofJob: object) =>
      parse(toCsv(receipt(row({})), { left, ignored: ['~$x'], ...ofJob })).slice(2);
    expect(
      told({ leftInAll: 1_202, ignoredInAll: 3 }).map(([file, , outcome, , , reason]) => [
        file,
        outcome,
        reason,
      ]),
    ).toEqual([
      ['1.pdf', 'left', expect.any(String)],
      ['2.pdf', 'left', expect.any(String)],
      ['', 'left', 'and 1,200 more, which are not named here'],
      ['~$x', 'ignored', expect.any(String)],
      ['', 'ignored', 'and 2 more, which are not named here'],
    ]);
    expect(told({ leftInAll: 2, ignoredInAll: 1 })).toEqual(told({}));
  });

  test('says why a file was set apart and what to do, and that a revision id was lost', () => {
    const csv = toCsv(
      receipt(
        row({
          outcome: 'set-apart',
          reason: { code: 'empty-file', text: 'It is empty.', fix: 'Copy it again.' },
        }),
        row({ index: 1, revisionId: null, paired: 'unknown' }),
      ),
    );
    expect(csv).toContain('set apart');
    expect(csv).toContain('It is empty.,Copy it again.');
    expect(csv).toContain('answer that named its revision was lost');
  });

  test('says of a file with a row that it loses that when it is dropped again by itself', () => {
    const reason = { code: 'x', text: 'x', fix: 'Mend it.' };
    const [head = [], ...records] = parse(
      toCsv(
        receipt(
          row({ outcome: 'set-apart', reason, row: 2 }),
          row({ index: 1, outcome: 'set-apart', reason }),
          row({ index: 2, outcome: 'held', reason, row: 3 }),
        ),
      ),
    );
    expect(records.map(record => record[head.indexOf('what_to_do')])).toEqual([
      'Mend it. A file that is dropped again needs a register that lists it: alone it goes without its row.',
      'Mend it.',
      'Mend it.',
    ]);
  });
});

test('times are such as a spreadsheet reads', () => {
  const [head = [], record = []] = parse(toCsv(receipt(row({}))));
  const times = record.filter((_, column) => /_utc$/.test(head[column] ?? ''));
  expect(times).toEqual(['2026-01-31 09:00:00', '2026-01-31 09:30:00']);
});
