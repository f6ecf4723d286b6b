// Whether all that a workbook speaks of is there: its sheets, and the texts that their cells share. The
// library passes over a sheet that is lost as if it were a chart, and takes a lost text for an empty one.
import type { WorkbookParts } from './unpack-workbook';

const WITHOUT_CELLS = /\/(?:chartsheet|dialogsheet|xlMacrosheet|xlIntlMacrosheet)$/i;
const BOOK = /^(.*\/|)(workbook[^/]*\.xml)$/i;

export function hasAllSheets(parts: WorkbookParts): boolean {
  for (const [name, part] of parts) {
    const [, folder, file] = BOOK.exec(name) ?? [];
    if (folder === undefined) continue;
    const relations = parts.get(`${folder}_rels/${file}.rels`);
    if (relations === undefined) return false;
    const targets = listTargets(folder, textOf(relations));
    for (const sheet of tagsOf(textOf(part), 'sheet')) {
      const target = targets.get(attributeOf(sheet, 'id') ?? '');
      if (target === undefined || attributeOf(sheet, 'name') === undefined) return false;
      if (!(target.isWithoutCells || (target.isSheet && parts.has(target.path)))) return false;
    }
  }
  return true;
}

/** The part with the texts that cells share; undefined when there is none. */
export function findSharedTexts(parts: WorkbookParts): Uint8Array | undefined {
  for (const [name, part] of parts) {
    const folder = /^(.*\/|)_rels\/workbook[^/]*\.xml\.rels$/i.exec(name)?.[1];
    if (folder === undefined) continue;
    for (const { path, isTexts } of listTargets(folder, textOf(part)).values()) {
      if (isTexts) return parts.get(path);
    }
  }
  return undefined;
}

/**
 * Whether each cell of these sheets has one value at most, and each that shows a shared text has one. Runs in
 * a thread as text (workbook-thread.ts): nothing from outside is used.
 */
export function hasWholeCells(sheets: readonly Uint8Array[], texts: Uint8Array | undefined): boolean {
  const decoder = new TextDecoder();
  const count = texts === undefined ? 0 : decoder.decode(texts).split(/<(?:[\w.-]+:)?si[\s/>]/).length - 1;
  const CELL = /<(?:[\w.-]+:)?c\s[^<>]*\bt\s*=\s*["']s["'][^<>]*>\s*<(?:[\w.-]+:)?v(?:\s[^<>]*)?>\s*(\d+)/g;
  const TWO_VALUES = /<\/(?:[\w.-]+:)?v\s*>[^<]*<(?:[\w.-]+:)?v[\s/>]/;
  for (const sheet of sheets) {
    const text = decoder.decode(sheet);
    if (TWO_VALUES.test(text)) return false;
    for (const [, index] of text.matchAll(CELL)) if (Number(index) >= count) return false;
  }
  return true;
}

interface Target {
  readonly path: string;
  readonly isSheet: boolean;
  /** Charts, dialogs and macros may be listed as sheets as well. */
  readonly isWithoutCells: boolean;
  readonly isTexts: boolean;
}

function listTargets(folder: string, relations: string): ReadonlyMap<string, Target> {
  return new Map(
    tagsOf(relations, 'Relationship').map(tag => {
      const path = resolve(folder, attributeOf(tag, 'Target') ?? '');
      const type = attributeOf(tag, 'Type') ?? '';
      const target = {
        path,
        isSheet: type.endsWith('/worksheet'),
        isWithoutCells: WITHOUT_CELLS.test(type),
        isTexts: type.endsWith('/sharedStrings'),
      };
      return [attributeOf(tag, 'Id') ?? '', target];
    }),
  );
}

function textOf(part: Uint8Array): string {
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('utf8');
}

function tagsOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`<(?:[\\w.-]+:)?${name}\\s(?:"[^"]*"|'[^']*'|[^"'>])*>`, 'g'))].map(
    ([tag]) => tag,
  );
}

function attributeOf(tag: string, name: string): string | undefined {
  const [, one, other] =
    new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? [];
  return one ?? other;
}

/** From the root of the archive, however it is addressed. */
function resolve(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of (target.startsWith('/') ? target : `${folder}${target}`).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}
