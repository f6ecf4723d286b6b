// What is known here of a document's values before the service has any: by the share's settings, the row of
// the register, the file's name and its folders, in the order in which they count. Pure.

import { foldHeader } from '../../../activities/registers/column-words';
import { indexWords, meaningsOf, type WordIndex } from '../../../activities/registers/name-columns';
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

/** Made once for all documents of a share. */
export function indexNames(
  fields: readonly KnownName[] | undefined,
  { policy }: Pick<ShareConfig, 'policy'>,
): WordIndex {
  const synonyms = policy.register?.synonyms ?? {};
  return indexWords({ fields: fields ?? USUAL, isComplete: fields !== undefined, synonyms });
}

export function listPresent(
  { files, registers = [] }: Pick<Manifest, 'files' | 'registers'>,
  index: number,
  { policy }: Pick<ShareConfig, 'policy'>,
  names: WordIndex,
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
      add(nameOf(names, name), typeof value === 'string' ? value : value.join('; '), from);
  };
  addAll(policy.values ?? {}, tellSource('share', undefined));
  const { row } = file.entry ?? {};
  const meanings = meaningsOf(registers[file.entry?.register ?? -1]?.headers ?? [], names);
  for (const [column, text] of row?.cells.entries() ?? []) {
    if (text === emptyWordOf(policy)) continue;
    const from = tellSource(`row ${columnLetter(column)}`, row?.number);
    const meaning = meanings[column];
    add(meaning?.kind === 'field' ? meaning.field : undefined, text, from);
  }
  addAll(file.values, tellSource('name', undefined));
  addAll(policy.defaults, tellSource('default', undefined));
  return [...found.values()];
}

/** The field that a header, or the name of a value, means. */
export function nameOf(names: WordIndex, word: string): string | undefined {
  const meaning = names.meaningOf(word);
  return meaning.kind === 'field' ? meaning.field : undefined;
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
