// A second, independent reading of a workbook: strict where the product has to be sure, and far simpler. What
// it does not understand it does not answer, and nothing is said of that cell.
import { strFromU8 } from 'fflate';

interface Node {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (Node | string)[];
}

/** Texts by `sheet name!row,column`, from 0; undefined for a cell that only the product can judge. */
export type SecondReading = ReadonlyMap<string, string | undefined>;

/** Undefined when a part that cells depend on is missing, or is no well-formed XML. */
export function readAgain(parts: Readonly<Record<string, Uint8Array>>): SecondReading | undefined {
  try {
    return readBook(name => {
      const bytes = parts[name];
      if (bytes === undefined) throw new NotWhole();
      return parseXml(strFromU8(bytes));
    });
  } catch (error) {
    if (error instanceof NotWhole) return undefined;
    throw error;
  }
}

class NotWhole extends Error {}

function readBook(partOf: (name: string) => Node): SecondReading {
  const targets = new Map(
    all(partOf('xl/_rels/workbook.xml.rels'), 'Relationship').map(each => [
      each.attributes.get('Id') ?? '',
      each.attributes.get('Target') ?? '',
    ]),
  );
  const strings = all(partOf('xl/sharedStrings.xml'), 'si').map(textOf);
  const texts = new Map<string, string | undefined>();
  for (const sheet of all(partOf('xl/workbook.xml'), 'sheet')) {
    const target = targets.get(sheet.attributes.get('id') ?? '');
    if (target === undefined) throw new NotWhole();
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    readSheet(partOf(path), sheet.attributes.get('name') ?? '', strings, texts);
  }
  return texts;
}

function readSheet(
  sheet: Node,
  name: string,
  strings: readonly string[],
  texts: Map<string, string | undefined>,
): void {
  let y = -1;
  for (const row of all(sheet, 'row')) {
    y = numberOf(row.attributes.get('r'), y + 1);
    let x = -1;
    for (const cell of row.children) {
      if (typeof cell === 'string' || cell.name !== 'c') continue;
      const place = cell.attributes.get('r');
      x = place === undefined ? x + 1 : columnOf(place);
      // A cell that says that it is in another row is there.
      const at = place === undefined ? y : numberOf(/\d+$/.exec(place)?.[0], y);
      texts.set(`${name}!${at},${x}`, readCell(cell, strings));
    }
  }
}

function readCell(cell: Node, strings: readonly string[]): string | undefined {
  const [value] = all(cell, 'v').map(textOf);
  switch (cell.attributes.get('t')) {
    case 's':
      return /^\d+$/.test(value ?? '') ? strings[Number(value)] : undefined;
    case 'inlineStr':
      return all(cell, 'is').map(textOf).join('');
    case 'str':
      return value;
    case 'b':
      return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : undefined;
    default:
      return cell.attributes.get('s') === undefined && /^-?\d{1,12}$/.test(value ?? '') ? value : undefined;
  }
}

/** Of all below, whatever they are called in front of a colon. */
function all(node: Node, name: string): Node[] {
  return node.children.flatMap(child => {
    if (typeof child === 'string') return [];
    return child.name === name ? [child] : all(child, name);
  });
}

/** Without how it is spoken. */
function textOf(node: Node): string {
  const said = node.children.map(child =>
    typeof child === 'string'
      ? child
      : child.name === 'rPh' || child.name === 'phoneticPr'
        ? ''
        : textOf(child),
  );
  const text = said.join('');
  if (node.name !== 't' && node.name !== 'v') return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function columnOf(place: string): number {
  const letters = /^([A-Z]{1,3})\d+$/.exec(place.toUpperCase())?.[1];
  if (letters === undefined) throw new NotWhole();
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function numberOf(row: string | undefined, next: number): number {
  if (row === undefined) return next;
  if (!/^\d{1,7}$/.test(row)) throw new NotWhole();
  return Number(row) - 1;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s>]+)\s*>|<([^\s/>!?]+)((?:\s+[^\s=>/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const NAME = /^(?:[\p{L}_][\p{L}\p{N}_.-]*:)?([\p{L}_][\p{L}\p{N}_.-]*)$/u;

/** @throws NotWhole for whatever is not well formed, and for a document type. */
function parseXml(source: string): Node {
  const text = source.replace(/^\ufeff/, '');
  const root: Node = { name: '', attributes: new Map(), children: [] };
  const open: { readonly node: Node; readonly tag: string }[] = [{ node: root, tag: '' }];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const top = open.at(-1);
    if (match === null || top === undefined) throw new NotWhole();
    const [, cdata, closing, opening, attributes = '', isEmpty, words] = match;
    if (words !== undefined) top.node.children.push(unescapeXml(words));
    else if (cdata !== undefined) top.node.children.push(cdata);
    else if (closing !== undefined) {
      if (closing !== top.tag || open.length === 1) throw new NotWhole();
      open.pop();
    } else if (opening !== undefined) {
      const node: Node = { name: localName(opening), attributes: readAttributes(attributes), children: [] };
      top.node.children.push(node);
      if (isEmpty !== '/') open.push({ node, tag: opening });
    }
  }
  const roots = root.children.filter(child => typeof child !== 'string' || child.trim() !== '');
  if (open.length !== 1 || roots.length !== 1) throw new NotWhole();
  return root;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', one, other] of text.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    const local = localName(name);
    if (attributes.has(local)) throw new NotWhole();
    attributes.set(local, unescapeXml(one ?? other ?? ''));
  }
  return attributes;
}

function localName(name: string): string {
  const local = NAME.exec(name)?.[1];
  if (local === undefined) throw new NotWhole();
  return local;
}

function unescapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of them
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)) throw new NotWhole();
  return text.replace(/\r\n?/g, '\n').replace(/&([^;&]*);?/g, (whole, entity: string) => {
    if (!whole.endsWith(';')) throw new NotWhole();
    const code = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(entity);
    const point = code?.[1] === undefined ? Number(code?.[2]) : Number.parseInt(code[1], 16);
    if (code !== null && point > 0 && point <= 0x10ffff) return String.fromCodePoint(point);
    const named = NAMED[entity];
    if (named === undefined) throw new NotWhole();
    return named;
  });
}
