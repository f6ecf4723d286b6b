// What the fields of a revision must say, before anything is sent: by what is written of where a value comes
// from (docs/configuration.md) and by the contract, never by the product. The values of the project and what
// its analysis finds in a document are the stand-in's own.
import { parse } from 'csv-parse/sync';
import { projectFields } from '../sandbox/content/fields';
import type { SandboxUpload } from '../sandbox/control';
import { guessValues } from '../sandbox/rules/processing';
import { nameOf } from './judge-documents';

/** By field: its name, or its label in any case. */
type Given = Readonly<Record<string, string>>;

/** What a share's settings and the sheets that are dropped say of values. */
export interface ShareValues {
  readonly defaults: Given;
  readonly fileNamePattern?: string;
  readonly documentName: 'stem' | 'file';
  /** By the path of the file: its row in the register. */
  readonly rows?: ReadonlyMap<string, Given>;
}

/** What the service itself makes of a document when nobody says anything of it. */
type Analysed = Pick<SandboxUpload, 'analysis' | 'fileName'>;

const FIELDS = projectFields('plain');
/** An ending is letters and digits, and begins with a letter: in "Report v1.2" there is none. */
const ENDING = /(?<=.)\.[a-z][a-z0-9]{0,9}$/i;

/**
 * By the name of the field; one that nobody gives a value is not among them. Of several values for one field
 * the last counts: defaults, what the service finds, the file's name, its row. What a document is called is
 * the file's own name, unless the pattern or the row says otherwise; it is never found, and has no default.
 */
export function foretell(path: string, share: ShareValues, upload: Analysed | undefined): Given {
  return {
    ...toFields(share.defaults),
    ...toFields(upload?.analysis === 'completed' ? guessValues(upload.fileName) : {}),
    name: nameOfDocument(nameOf(path), share.documentName),
    ...givenByPeople(path, share),
  };
}

/** What the name of a file and its row say, which is known before anything is sent. */
export function givenByPeople(path: string, share: ShareValues): Given {
  return { ...toFields(groupsOf(path, share)), ...toFields(share.rows?.get(path) ?? {}) };
}

/** What is wrong with these values, in words; not of the fields in `letBe`, which people have written. */
export function compareValues(
  fields: Readonly<Record<string, readonly string[]>>,
  foretold: Given,
  letBe: ReadonlySet<string>,
): readonly string[] {
  const names = new Set([...Object.keys(foretold), ...Object.keys(fields)]);
  return [...names].flatMap(name => {
    const values = fields[name] ?? [];
    const right = foretold[name];
    if (letBe.has(name) || JSON.stringify(values) === JSON.stringify(right === undefined ? [] : [right]))
      return [];
    const has = values.length === 0 ? 'nothing' : JSON.stringify(values.join(', '));
    return [
      `${has} as its ${name}, where ${right === undefined ? 'nothing' : JSON.stringify(right)} is right`,
    ];
  });
}

/** Rows of CSV registers by the path of their file: it lies in the folder of its register. */
export function readRows(registers: Readonly<Record<string, Buffer>>): ReadonlyMap<string, Given> {
  return new Map(
    Object.entries(registers).flatMap(([path, text]) => {
      const folder = path.slice(0, path.length - nameOf(path).length);
      const rows = parse(text, { columns: true }) as Record<string, string>[];
      return rows.map(({ File: file = '', ...values }) => [`${folder}${file}`, values] as const);
    }),
  );
}

/** Names go out composed, as most systems write them. */
function nameOfDocument(fileName: string, naming: ShareValues['documentName']): string {
  const composed = fileName.normalize('NFC');
  return naming === 'file' ? composed : composed.replace(ENDING, '');
}

function groupsOf(path: string, { fileNamePattern }: ShareValues): Given {
  if (fileNamePattern === undefined) return {};
  const groups = new RegExp(fileNamePattern).exec(nameOf(path).normalize('NFC'))?.groups ?? {};
  return Object.fromEntries(Object.entries(groups).filter(([, text]) => text !== undefined && text !== ''));
}

/** By the names of fields, with the labels of list values, which people give by label or code. */
function toFields(given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, text]) => {
      const field = FIELDS.find(({ name, label }) => isSame(name, key) || isSame(label, key));
      if (field === undefined || text === '') return [];
      const value = field.values.find(({ code, label }) => isSame(code, text) || isSame(label, text));
      return [[field.name, value?.label ?? text]];
    }),
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
