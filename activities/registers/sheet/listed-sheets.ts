// Whether all that a workbook speaks of is there: its sheets, and the texts that their cells share. The
// library passes over a sheet that is lost as if it were a chart, and takes a lost text for an empty one.
import type { WorkbookParts } from './unpack-workbook';

/**
 * True when each sheet that is listed is there, each cell has one value at most, and each shared text that a
 * cell shows exists. The source of this function runs in a thread (workbook-thread.ts), so it uses nothing
 * from outside itself. The XML must be whole (whole-xml.ts).
 */
export function hasAllListed(parts: WorkbookParts): boolean {
  const WITHOUT_CELLS = /\/(?:chartsheet|dialogsheet|xlMacrosheet|xlIntlMacrosheet)$/i;
  const CELL = /<(?:[\w.-]+:)?c\s[^<>]*\bt\s*=\s*["']s["'][^<>]*>\s*<(?:[\w.-]+:)?v(?:\s[^<>]*)?>\s*(\d+)/g;
  const TWO_VALUES = /<\/(?:[\w.-]+:)?v\s*>[^<]*<(?:[\w.-]+:)?v[\s/>]/;
  const decoder = new TextDecoder();
  let texts: Uint8Array | undefined;
  for (const [name, part] of parts) {
    const [, folder, file] = /^(.*\/|)(workbook[^/]*\.xml)$/i.exec(name) ?? [];
    if (folder === undefined) continue;
    const relations = parts.get(`${folder}_rels/${file}.rels`);
    if (relations === undefined) return false;
    const targets = listTargets(folder, decoder.decode(relations));
    for (const sheet of tagsOf(decoder.decode(part), 'sheet')) {
      const target = targets.get(attributeOf(sheet, 'id') ?? '');
      if (target === undefined || attributeOf(sheet, 'name') === undefined) return false;
      const isThere = target.type.endsWith('/worksheet') && parts.has(target.path);
      if (!isThere && !WITHOUT_CELLS.test(target.type)) return false;
    }
    const shared = [...targets.values()].find(({ type }) => type.endsWith('/sharedStrings'));
    texts ??= shared && parts.get(shared.path);
  }
  const count = texts === undefined ? 0 : decoder.decode(texts).split(/<(?:[\w.-]+:)?si[\s/>]/).length - 1;
  for (const [name, part] of parts) {
    if (!/\/worksheets\/[^/]+\.xml$/i.test(name)) continue;
    const text = decoder.decode(part);
    if (TWO_VALUES.test(text)) return false;
    for (const [, index] of text.matchAll(CELL)) if (Number(index) >= count) return false;
  }
  return true;

  /** By their ids. */
  function listTargets(folder: string, relations: string) {
    return new Map(
      tagsOf(relations, 'Relationship').map(tag => {
        const path = resolve(folder, attributeOf(tag, 'Target') ?? '');
        return [attributeOf(tag, 'Id') ?? '', { path, type: attributeOf(tag, 'Type') ?? '' }];
      }),
    );
  }

  function tagsOf(text: string, name: string): string[] {
    const tag = new RegExp(`<(?:[\\w.-]+:)?${name}\\s(?:"[^"<]*"|'[^'<]*'|[^"'<>])*>`, 'g');
    return [...text.matchAll(tag)].map(([found]) => found);
  }

  function attributeOf(tag: string, name: string): string | undefined {
    const [, one, other] =
      new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? [];
    return one ?? other;
  }

  /** The path of a target from the root of the archive, whether it is given from there or from `folder`. */
  function resolve(folder: string, target: string): string {
    const steps: string[] = [];
    for (const step of (target.startsWith('/') ? target : `${folder}${target}`).split('/')) {
      if (step === '..') steps.pop();
      else if (step !== '' && step !== '.') steps.push(step);
    }
    return steps.join('/');
  }
}
