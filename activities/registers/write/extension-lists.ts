// Drop-downs that point at another sheet are kept by newer versions of Excel in an extension that the library
// does not read. They are taken over as ordinary ones, which every program reads. Pure but for the workbook.
import type { DataValidation, Workbook } from 'hucre';
import { readXml } from 'hucre/xml';
import type { Parts } from './lost-parts';

/** Adds the lists of the extension to the sheets that they belong to. */
export function addExtensionLists(workbook: Workbook, parts: Parts): void {
  const paths = listSheetPaths(parts);
  for (const sheet of workbook.sheets) {
    const text = textOf(parts, paths.get(sheet.name));
    const lists = blocksOf(text, 'x14:dataValidation').flatMap(toLists);
    if (lists.length > 0) sheet.dataValidations = [...(sheet.dataValidations ?? []), ...lists];
  }
}

function toLists(fields: Record<string, unknown>): DataValidation[] {
  const text = (key: string) => (fields[key] === undefined ? undefined : String(fields[key]));
  const isSet = (key: string) => ['1', 'true'].includes(text(key) ?? '');
  const formula1 = text('formula1.f');
  const range = text('sqref')?.trim() ?? '';
  if (text('@type') !== 'list' || formula1 === undefined || !RANGES.test(range)) return [];
  const list = {
    type: 'list' as const,
    range,
    formula1,
    allowBlank: isSet('@allowBlank'),
    showErrorMessage: isSet('@showErrorMessage'),
    showInputMessage: isSet('@showInputMessage'),
    ...pick('errorTitle', text('@errorTitle')),
    ...pick('errorMessage', text('@error')),
    ...pick('inputTitle', text('@promptTitle')),
    ...pick('inputMessage', text('@prompt')),
  };
  return [list];
}

const RANGES = /^[A-Z]+\d*(:[A-Z]+\d*)?( [A-Z]+\d*(:[A-Z]+\d*)?)*$/;

function pick(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value };
}

/** Name of a sheet to the part that holds it. */
function listSheetPaths(parts: Parts): ReadonlyMap<string, string> {
  const targets = new Map(
    blocksOf(textOf(parts, 'xl/_rels/workbook.xml.rels'), 'Relationship').map(fields => [
      String(fields['@Id']),
      String(fields['@Target']).replace(/^\/xl\//, ''),
    ]),
  );
  return new Map(
    blocksOf(textOf(parts, 'xl/workbook.xml'), 'sheet').map(fields => [
      String(fields['@name']),
      `xl/${targets.get(String(fields['@id'] ?? fields['@r:id'])) ?? ''}`,
    ]),
  );
}

/** The elements of a name that stand in the element of its plural, each as its attributes and texts. */
function blocksOf(xml: string, tag: string): Record<string, unknown>[] {
  const block = new RegExp(`<${tag}s[\\s>].*?</${tag}s>`, 's').exec(xml)?.[0];
  if (block === undefined) return [];
  return readXml(block, { rowTag: tag.replace(/^.*:/, ''), stripNamespaces: true, flatten: true }).data;
}

function textOf(parts: Parts, path: string | undefined): string {
  const bytes = path === undefined ? undefined : parts[path];
  return bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
}
