import fc from 'fast-check';
import type { CsvDialect } from '../../../../activities/registers/sheet/csv-dialect';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import { writeCsv } from '../../../../activities/registers/write/write-csv';

const PLAIN: CsvDialect = { encoding: 'utf-8', bom: false, delimiter: ',', lineEnd: '\n' };

const dialects = fc.oneof(
  fc.record<CsvDialect>({
    encoding: fc.constantFrom('utf-8'),
    bom: fc.boolean(),
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\r\n', '\n'),
  }),
  fc.record<CsvDialect>({
    encoding: fc.constantFrom('utf-16le', 'utf-16be'),
    bom: fc.constant(true),
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\r\n', '\n'),
  }),
);

describe('writeCsv', () => {
  test.each<[Partial<CsvDialect>, string]>([
    [{}, '61 2c c3 a9 0a'],
    [{ bom: true }, 'ef bb bf 61 2c c3 a9 0a'],
    [{ delimiter: ';', lineEnd: '\r\n' }, '61 3b c3 a9 0d 0a'],
    [{ encoding: 'windows-1252' }, '61 2c e9 0a'],
    [{ encoding: 'utf-16le', bom: true }, 'ff fe 61 00 2c 00 e9 00 0a 00'],
    [{ encoding: 'utf-16be', bom: true }, 'fe ff 00 61 00 2c 00 e9 00 0a'],
  ])('writes the dialect %j', (change, hex) => {
    const { bytes } = writeCsv([['a', 'é']], { ...PLAIN, ...change });
    expect(bytes.toString('hex')).toBe(hex.replaceAll(' ', ''));
  });

  test('Windows-1252 has the characters of its upper half', () => {
    const { bytes, dialect } = writeCsv([['€“”Ž']], { ...PLAIN, encoding: 'windows-1252' });
    expect(bytes.toString('hex')).toBe('8093948e0a');
    expect(dialect.encoding).toBe('windows-1252');
  });

  test('a character that the encoding lacks is never lost: then it is UTF-8, and said', () => {
    const unsafe = writeCsv([['Höhe', 'Foo±Bar']], { ...PLAIN, encoding: 'windows-1252' });
    expect(unsafe.dialect).toMatchObject({ encoding: 'utf-8', bom: true });
    const { bytes, dialect } = writeCsv([['図面']], { ...PLAIN, encoding: 'windows-1252' });
    expect(dialect).toEqual({ ...PLAIN, encoding: 'utf-8', bom: true });
    expect(bytes.toString()).toBe('\uFEFF図面\n');
  });

  test('every row has the same cells', () => {
    expect(writeCsv([['a'], ['b', 'c', 'd'], []], PLAIN).bytes.toString()).toBe('a,,\nb,c,d\n,,\n');
  });

  test('what is written is read back cell for cell', async () => {
    // A text within: what is nothing but blanks says nothing to who reads.
    const cell = fc
      .string({ unit: fc.constantFrom('a', 'é', '図', '0', ',', ';', '\t', '"', "'", ' ', '\n') })
      .map(text => (text === '' ? '' : `x${text}x`));
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rows, dialects, async (body, dialect) => {
        const written = [['File', 'Title', 'Status'], ...body.map(row => ['x', ...row.slice(1)])];
        const { grids } = await readSheet(writeCsv(written, dialect).bytes, 'register.csv');
        const read = (grids[0]?.rows ?? []).map(row => row.map(({ text }) => text));
        const cut = written.map(row => row.slice(0, row.findLastIndex(text => text !== '') + 1));
        expect(read).toEqual(cut);
      }),
      { numRuns: 60 },
    );
  });
});
