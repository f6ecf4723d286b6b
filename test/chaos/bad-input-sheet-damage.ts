// What becomes of a workbook on its way: bytes spoilt, parts of its archive lost, doubled or exchanged, XML
// cut and altered, and archives that were made to fill somebody's memory.
import { strFromU8, strToU8, zipSync } from 'fflate';
import { type Dice, spoilBytes } from './bad-input-mutate';
import { pack } from './bad-input-sheet-book';

export type Parts = Readonly<Record<string, Uint8Array>>;

export interface Damaged {
  readonly bytes: Buffer;
  readonly way: string;
  /** As they are after the damage; absent when only the bytes of the archive were touched. */
  readonly parts?: Parts;
}

/** Parts that say something about cells. */
const CELL_PARTS = [
  'xl/worksheets/sheet1.xml',
  'xl/worksheets/sheet1.xml',
  'xl/sharedStrings.xml',
  'xl/sharedStrings.xml',
  'xl/workbook.xml',
  'xl/_rels/workbook.xml.rels',
];

export function damageBook(dice: Dice, parts: Parts): Damaged {
  switch (dice.below(8)) {
    case 0:
    case 1:
      return { bytes: spoilBytes(dice, pack(parts, dice.pick([0, 1]))), way: 'bytes' };
    case 2:
      return toDamaged('parts', damageParts(dice, parts));
    default:
      return toDamaged('xml', damageXml(dice, parts));
  }
}

function toDamaged(way: string, parts: Parts): Damaged {
  return { bytes: pack(parts), way, parts };
}

/** Lost, empty, under another name, or two of them exchanged. */
function damageParts(dice: Dice, parts: Parts): Parts {
  const names = Object.keys(parts);
  const [one, other] = [dice.pick(names), dice.pick(names)];
  const damaged = { ...parts };
  switch (dice.below(4)) {
    case 0:
      delete damaged[one];
      return damaged;
    case 1:
      return { ...damaged, [one]: new Uint8Array() };
    case 2:
      delete damaged[one];
      return { ...damaged, [one.toUpperCase()]: parts[one] ?? new Uint8Array() };
    default:
      return { ...damaged, [one]: parts[other] ?? new Uint8Array(), [other]: parts[one] ?? new Uint8Array() };
  }
}

function damageXml(dice: Dice, parts: Parts): Parts {
  const name = dice.pick(CELL_PARTS.filter(each => parts[each] !== undefined));
  const text = strFromU8(parts[name] ?? new Uint8Array());
  return { ...parts, [name]: strToU8(alter(dice, text)) };
}

function alter(dice: Dice, text: string): string {
  const tags = [...text.matchAll(/<[^>]*>/g)];
  const tag = tags[dice.below(tags.length)];
  const [at, length] = [tag?.index ?? 0, tag?.[0].length ?? 0];
  const anywhere = dice.below(text.length);
  switch (dice.below(9)) {
    case 0:
      return text.slice(0, anywhere);
    case 1:
      return text.slice(0, at) + text.slice(at + length);
    case 2:
      return text.slice(0, at + length) + (tag?.[0] ?? '') + text.slice(at + length);
    case 3:
      return (
        text.slice(0, anywhere) +
        dice.pick(['<', '>', '&', '"', '\0', '&nbsp;', '<x>', '</x>', ']]>']) +
        text.slice(anywhere)
      );
    case 4:
      return text.slice(0, anywhere) + text.slice(anywhere + 1 + dice.below(40));
    case 5:
      return exchangeNumber(dice, text);
    case 6:
      return text.replace('?>', `?>${dice.pick(DOCUMENT_TYPES)}`).replace(/(<t[^>]*>)/, '$1&b;');
    case 7:
      // Whole rows or texts again, as a program leaves them that was stopped in the middle.
      return text.replace(/<(x:)?(row|si)\b[\s\S]*?<\/(x:)?\2>/, whole => whole + whole);
    default:
      return text.slice(0, anywhere) + String.fromCharCode(32 + dice.below(95)) + text.slice(anywhere + 1);
  }
}

const DOCUMENT_TYPES = [
  '<!DOCTYPE a [<!ENTITY b "spoilt">]>',
  '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
  '<!DOCTYPE a [<!ENTITY c "xxxxxxxxxx"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY b "&d;&d;&d;&d;&d;&d;">]>',
];

/** A place, an index or a style that is not there, far away, or another one. */
function exchangeNumber(dice: Dice, text: string): string {
  const numbers = [...text.matchAll(/(?<=["'>A-Z])\d+(?=["'<])/g)];
  const chosen = numbers[dice.below(Math.max(1, numbers.length))];
  if (chosen === undefined) return text;
  const other = dice.pick(['0', '1', '2', '7', '99', '100000', '1048576', '99999999', '-1', '1e9', '']);
  return text.slice(0, chosen.index) + other + text.slice(chosen.index + chosen[0].length);
}

/** Made once: each is far larger unpacked than packed, or asks a library for far more than it holds. */
export function makeBombs(base: Parts): readonly Damaged[] {
  const sheet = 'xl/worksheets/sheet1.xml';
  const open = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">';
  const bomb = (way: string, xml: string): Damaged => ({
    way: `bomb ${way}`,
    bytes: pack({ ...base, [sheet]: strToU8(xml) }, 1),
  });
  const cell = (place: string) => `<c r="${place}" t="inlineStr"><is><t>x</t></is></c>`;
  const many = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, at) => [`xl/media/p${at}`, new Uint8Array()]),
  );
  const far = `${open}<sheetData><row r="1048576">${cell('XFD1048576')}</row></sheetData></worksheet>`;
  const beyond = `${open}<sheetData><row r="999999999">${cell('ZZZZZ999999999')}</row></sheetData></worksheet>`;
  const wide = Array.from({ length: 600 }, () => '<c t="inlineStr"><is><t>x</t></is></c>').join('');
  const merges = '<mergeCell ref="A1:XFD1048576"/>'.repeat(200);
  const deep = `${'<a>'.repeat(50_000)}${'</a>'.repeat(50_000)}`;
  return [
    bomb('of blanks', `${open}${' '.repeat(65 * 1024 ** 2)}</worksheet>`),
    bomb('far away', far),
    bomb('beyond the last cell', beyond),
    bomb('600 columns', `${open}<sheetData><row>${wide}</row></sheetData></worksheet>`),
    bomb(
      'merges',
      `${open}<sheetData><row>${cell('A1')}</row></sheetData><mergeCells>${merges}</mergeCells></worksheet>`,
    ),
    bomb('depth', `${open}<sheetData>${deep}</sheetData></worksheet>`),
    { way: 'bomb parts', bytes: Buffer.from(zipSync({ ...base, ...many }, { level: 0 })) },
  ];
}

/** Other kinds of file under the name of a workbook. */
export function pickForeign(dice: Dice): Damaged {
  const bytes = dice.pick([
    Buffer.alloc(0),
    Buffer.from('%PDF-1.7\n'),
    Buffer.from('File;Number\r\nA-1.pdf;0042\r\n'),
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    Buffer.from(zipSync({ 'content.xml': strToU8('<a/>'), 'META-INF/manifest.xml': strToU8('<a/>') })),
    Buffer.from(zipSync({ 'word/document.xml': strToU8('<a/>') })),
    Buffer.from(zipSync({ '[Content_Types].xml': strToU8('<a/>'), 'xl/workbook.bin': strToU8('a') })),
    Buffer.from('PK'),
    Buffer.alloc(4_096),
  ]);
  return { bytes, way: 'another kind of file' };
}
