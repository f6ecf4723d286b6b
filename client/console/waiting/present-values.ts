// What is known here of a document's values before the service has any: by the share's settings, the row of
// the register, the file's name and its folders, in the order in which they count. Pure.

import { foldHeader } from '../../../activities/registers/column-words';
import { type HeaderMeaning, indexWords, meaningsOf } from '../../../activities/registers/name-columns';
import { columnLetter } from '../../../activities/registers/sheet/column-letter';
import type { BatchContents } from '../../../activities/share/batch/read-batch';
import { tellSource } from '../../../activities/share/receipt/tell-source';
import type { ShareConfig } from '../../../activities/share/share-config';
import type { ValuesByField } from '../../../workflows/contract';
import { emptyWordOf } from '../../../workflows/ingest/decide/empty-word';

type Manifest = BatchContents['manifest'];

export interface PresentValue {
  /** Name of the field. */
  readonly field: string;
  readonly text: string;
  readonly from: string;
}

export interface KnownName {
  readonly name: string;
  readonly label: string;
}

/** What every project calls these fields: for as long as those of the project are not known. */
const USUAL: readonly KnownName[] = [
  { name: 'number', label: 'Number' },
  { name: 'revision', label: 'Revision' },
  { name: 'name', label: 'Name' },
];

/** Which fields words mean, by name. */
export interface FieldIndex {
  /** The field that the name of a value means. */
  fieldOf(word: string): string | undefined;
  /** Those of a register's headers, each beside the others. */
  fieldsOf(headers: readonly string[]): readonly (string | undefined)[];
}

/** Made once for all documents of a share. */
export function indexNames(
  fields: readonly KnownName[] | undefined,
  { policy }: Pick<ShareConfig, 'policy'>,
): FieldIndex {
  const synonyms = policy.register?.synonyms ?? {};
  // Nothing is told here of headers that mean no field: for that, all of the project's would be needed.
  const words = indexWords({ fields: fields ?? USUAL, isComplete: false, synonyms });
  // All documents of a register have the same array of headers.
  const known = new WeakMap<readonly string[], readonly (string | undefined)[]>();
  return {
    fieldOf: word => toField(words.meaningOf(word)),
    fieldsOf: headers => {
      const found = known.get(headers) ?? meaningsOf(headers, words).map(toField);
      known.set(headers, found);
      return found;
    },
  };
}

function toField(meaning: HeaderMeaning): string | undefined {
  return meaning.kind === 'field' ? meaning.field : undefined;
}

export function listPresent(
  { files, registers = [] }: Pick<Manifest, 'files' | 'registers'>,
  index: number,
  { policy }: Pick<ShareConfig, 'policy'>,
  names: FieldIndex,
): readonly PresentValue[] {
  const file = files[index];
  if (file === undefined) return [];
  const found = new Map<string, PresentValue>();
  const add = (field: string | undefined, text: string, from: string) => {
    if (field !== undefined && text.trim() !== '' && !found.has(field))
      found.set(field, { field, text, from });
  };
  const addAll = (values: ValuesByField, from: string) => {
    for (const [name, value] of Object.entries(values))
      add(names.fieldOf(name), typeof value === 'string' ? value : value.join('; '), from);
  };
  addAll(policy.values ?? {}, tellSource('share', undefined));
  const { row } = file.entry ?? {};
  const fields = names.fieldsOf(registers[file.entry?.register ?? -1]?.headers ?? []);
  for (const [column, text] of row?.cells.entries() ?? []) {
    if (text === emptyWordOf(policy)) continue;
    const from = tellSource(`row ${columnLetter(column)}`, row?.number);
    add(fields[column], text, from);
  }
  addAll(file.values, tellSource('name', undefined));
  addAll(policy.defaults, tellSource('default', undefined));
  return [...found.values()];
}

/** What people call the document. A name or a description may stand for its title. */
export function nameDocument(values: readonly PresentValue[]): {
  readonly number: string | null;
  readonly revision: string | null;
  readonly title: string | null;
} {
  const of = (...names: readonly string[]) =>
    values.find(({ field }) => names.includes(foldHeader(field)))?.text ?? null;
  return { number: of('number'), revision: of('revision'), title: of('title', 'name', 'description') };
}
