// File names that have broken programs, and random ones between them.
import { type Dice, MEMBER_NAMES } from './bad-input-mutate';

/** What file systems take, and the service. */
export const MOST_NAME_BYTES = 255;

export const CORPUS: readonly (string | Buffer)[] = [
  'A-101.pdf',
  'a&b+c%20d#e?f=g;h,i.pdf',
  '..pdf',
  '...',
  ' leading.pdf',
  'trailing ',
  'trailing.',
  '-rf.pdf',
  '=1+1.csv',
  '@SUM(A1).csv',
  '+1.csv',
  'CON',
  'nul.txt',
  'COM1.pdf',
  'a:b.pdf',
  'a\\b.pdf',
  '"quoted".pdf',
  "o'brien.pdf",
  '<script>.pdf',
  '$(reboot).pdf',
  '{resourceId}.pdf',
  '%00.pdf',
  '%2e%2e%2f.pdf',
  'line\nbreak.pdf',
  'carriage\rreturn.pdf',
  'tab\tname.pdf',
  'bell\u0007.pdf',
  'del\u007f.pdf',
  'c1\u0085.pdf',
  'sep\u2028.pdf',
  'gpj.\u202efdp',
  'iso\u2066late.pdf',
  'zero\u200bwidth.pdf',
  '\ufeffbom.pdf',
  'e\u0301.pdf',
  '\u00e9.pdf',
  'E\u0301.PDF',
  'straße.pdf',
  'STRASSE.pdf',
  '日本語.pdf',
  '🏗️.pdf',
  '\ud83d\ude00'.repeat(60),
  'x'.repeat(255),
  `${'ü'.repeat(125)}.pdf`,
  'no-extension',
  '   ',
  '\u3000',
  '.hidden',
  '~$lock.docx',
  'half.part',
  'Thumbs.db',
  'receipt.csv',
  'receipt.json',
  'receipt-so-far.csv',
  'RECEIPT.CSV',
  'batch.json',
  'claim.json',
  'name.pdf.exe',
  'name (2).pdf',
  '\ufffd.pdf',
  Buffer.from([0xff, 0xfe, 0x2e, 0x70]),
  Buffer.from([0xc3, 0x28]),
  Buffer.from([0x61, 0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from([0xc0, 0xae, 0xc0, 0xae]),
  Buffer.concat([Buffer.from('latin-'), Buffer.from([0xe9]), Buffer.from('.pdf')]),
  ...MEMBER_NAMES,
];

/** Bytes that a file system takes as a name; often no UTF-8. */
export function randomName(dice: Dice): Buffer {
  const corpus = dice.below(2) === 0 ? Buffer.from(dice.pick(CORPUS)) : Buffer.from('name.pdf');
  const at = dice.below(corpus.length);
  const odd = dice.below(3) === 0 ? dice.bytes(1 + dice.below(dice.pick([3, 12, 200]))) : randomText(dice);
  const mixed = Buffer.concat([corpus.subarray(0, at), odd, corpus.subarray(at)]);
  const clean = mixed.filter(byte => byte !== 0 && byte !== 0x2f).subarray(0, MOST_NAME_BYTES);
  return Buffer.from(clean.length === 0 ? [0x61] : clean);
}

/** Characters from all over Unicode. */
function randomText(dice: Dice): Buffer {
  const from = dice.pick([
    0x20, 0x20, 0xa0, 0x300, 0x590, 0x2000, 0x2060, 0x3000, 0xf900, 0xfe00, 0x1f300, 0xe0000,
  ]);
  const points = Array.from({ length: 1 + dice.below(30) }, () => from + dice.below(96));
  return Buffer.from(String.fromCodePoint(...points));
}
