// Where a value is from, in the words of a receipt. Pure.
import type { ValueSource } from '../../../workflows/ingest/ingest-contract';
import { entryOf } from '../../host/entry-of';

type PlainSource = Exclude<ValueSource, `row ${string}`>;

const WORDS: Readonly<Record<PlainSource, string>> = {
  share: 'set for this share',
  person: 'answered by a person',
  name: 'file name',
  folder: 'folder',
  service: 'found by the service',
  default: 'default of this share',
};

/** `from` as the outcome has it; `row` is that of the register, where there is one. */
export function tellSource(from: string, row: number | undefined): string {
  const column = /^row ([A-Z]+)$/.exec(from)?.[1];
  if (column !== undefined) return row === undefined ? 'register' : `register row ${row}, column ${column}`;
  return entryOf(WORDS, from) ?? from;
}
