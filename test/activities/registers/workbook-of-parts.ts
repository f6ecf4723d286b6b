// Makes workbooks from the XML that programs write, so that a test can say exactly what a file holds.
import { zipSync } from 'fflate';

const NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

export interface WorkbookXml {
  /** Contents of `sheetData`, one for each sheet. */
  readonly sheets?: readonly string[];
  /** `<si>` elements. */
  readonly strings?: string;
  /** Contents of `numFmts`: the first has id 164, its cells style 1. */
  readonly formats?: readonly string[];
  readonly date1904?: boolean;
  /** What stands behind `sheetData`. */
  readonly behind?: string;
  /** What stands before `sheetData`. */
  readonly before?: string;
  /** Further parts, or other contents of usual ones. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly state?: string;
}

export function partsOf(xml: WorkbookXml): Readonly<Record<string, string>> {
  const sheets = xml.sheets ?? [''];
  const formats = xml.formats ?? [];
  const rel = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`;
  const rels = (content: string) =>
    `<Relationships xmlns="${PACKAGE}/relationships">${content}</Relationships>`;
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': rels(rel('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook xmlns="${NAMESPACE}" xmlns:r="${RELATIONS}"><workbookPr${xml.date1904 === true ? ' date1904="1"' : ''}/><sheets>${sheets
      .map(
        (_, at) =>
          `<sheet name="Sheet ${at + 1}" sheetId="${at + 1}"${xml.state ?? ''} r:id="rId${at + 10}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': rels(
      rel('rId1', 'styles', 'styles.xml') +
        rel('rId2', 'sharedStrings', 'sharedStrings.xml') +
        sheets.map((_, at) => rel(`rId${at + 10}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)).join(''),
    ),
    'xl/styles.xml': `<styleSheet xmlns="${NAMESPACE}"><numFmts>${formats
      .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escapeXml(code)}"/>`)
      .join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats
      .map((_, at) => `<xf numFmtId="${164 + at}" applyNumberFormat="1"/>`)
      .join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${NAMESPACE}">${xml.strings ?? ''}</sst>`,
    ...Object.fromEntries(
      sheets.map((data, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet xmlns="${NAMESPACE}">${xml.before ?? ''}<sheetData>${data}</sheetData>${xml.behind ?? ''}</worksheet>`,
      ]),
    ),
    ...xml.parts,
  };
}

export function workbookOf(xml: WorkbookXml): Buffer {
  return zipOf(partsOf(xml));
}

export function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const bytes = Object.entries(parts).map(([name, part]): [string, Uint8Array] => [
    name,
    typeof part === 'string' ? Buffer.from(part) : part,
  ]);
  return Buffer.from(zipSync(Object.fromEntries(bytes)));
}

/** Rows of inline texts, the first one being row 1; an empty text makes no cell. */
export function sheetDataOf(rows: readonly (readonly string[])[]): string {
  return rows
    .map(
      (cells, row) =>
        `<row r="${row + 1}">${cells
          .map((text, column) =>
            text === ''
              ? ''
              : `<c r="${String.fromCharCode(65 + column)}${row + 1}" t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`,
          )
          .join('')}</row>`,
    )
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
