import fc from 'fast-check';
import { decodeCsv } from '../../../../activities/registers/sheet/decode-csv';

test('a text in UTF-8 or UTF-16 is read as it was written, with and without a byte order mark', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter(each => !/\p{Cc}/u.test(each));
  fc.assert(
    fc.property(text, written => {
      // Without a mark UTF-16 is known by its Western letters alone.
      const line = `Document No;Title;File\n${written}`;
      const marked = `\uFEFF${line}`;
      expect(decodeCsv(Buffer.from(marked)).text).toBe(line);
      expect(decodeCsv(Buffer.from(line)).text).toBe(line);
      expect(decodeCsv(Buffer.from(marked, 'utf16le')).text).toBe(line);
      expect(decodeCsv(Buffer.from(marked, 'utf16le').swap16()).text).toBe(line);
    }),
    { numRuns: 200, seed: 7 },
  );
});

test.each([
  ['é as the only letter beyond ASCII, at the end', Buffer.from('a;caf\xe9', 'latin1'), 'a;café'],
  ['letters of one byte', Buffer.from('Gr\xf6\xdfe;\x84x\x93', 'latin1'), 'Größe;„x“'],
])('Windows-1252: %s', (_, bytes, text) => {
  expect(decodeCsv(bytes)).toEqual({ encoding: 'windows-1252', bom: false, text });
});

test.each([
  ['code page 850', 'a;H\x94he'],
  ['code page 850', 'a;Stra\xe1e;T\x81r'],
  ['Macintosh', 'a;H\x9ahe\rb;x'],
  ['code page 1250 with a sign of its own', 'a;Po\xb3ska'],
  ['ISO-8859-15 with a sign of its own', 'a;n\xbdud'],
])('what is no Windows-1252 is refused: %s', (_, text) => {
  expect(() => decodeCsv(Buffer.from(text, 'latin1'))).toThrow(/Save it as "CSV UTF-8"/);
});

test.each([
  'l\x92été',
  'Süd\x96Ost',
  'mer\x97été',
  'Col·labora',
  'B×é',
  'Haus\xa0Ä',
  '20°C é',
  '0,24 W/m²K',
  '"é" a\x85',
])('signs that stand between letters in Windows-1252 are read: %j', text => {
  expect(decodeCsv(Buffer.from(text, 'latin1')).encoding).toBe('windows-1252');
});
