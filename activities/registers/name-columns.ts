// What each column of a register stands for, by its header; and all that is wrong with the headers, at once.
import { editDistance } from '../host/edit-distance';
import { listNearest } from '../host/resolve-value';
import { foldHeader, isFileHeader, type KnownField, usualFieldOf } from './column-words';
import { findReceiptColumns } from './receipt/receipt-columns';
import { joinWords, quote, type RegisterFault } from './register-fault';
import { columnLetter } from './sheet/column-letter';

export type ColumnMeaning =
  | { readonly kind: 'file' }
  /** `field` is the field's name. */
  | { readonly kind: 'field'; readonly field: string }
  /** Travels through untouched. */
  | { readonly kind: 'other' };

export interface RegisterColumn {
  /** From 0. */
  readonly index: number;
  readonly letter: string;
  /** As it is written, on one line; empty where the column has none. */
  readonly header: string;
  readonly meaning: ColumnMeaning;
}

export interface NamedColumns {
  readonly columns: readonly RegisterColumn[];
  /** They keep the register from being read. */
  readonly faults: readonly RegisterFault[];
  /** Worth a look; nothing is held up by them. */
  readonly notices: readonly RegisterFault[];
}

/** What headers may mean: the fields, and other words for them of the share's configuration. */
export interface ColumnWords {
  readonly fields: readonly KnownField[];
  /** `fields` are all of the project's, so that what is not among them can be told. */
  readonly isComplete: boolean;
  /** Header to the name or label of a field, or to `File`. */
  readonly synonyms: Readonly<Record<string, string>>;
}

/** `ColumnWords` made ready to be asked for many headers. */
export interface WordIndex extends ColumnWords {
  meaningOf(header: string): HeaderMeaning;
  /** What the configuration says that a header stands for. */
  synonymOf(header: string): string | undefined;
}

export type HeaderMeaning =
  | ColumnMeaning
  /** By a usual word for the field: it counts where no other column gives the field by its own name. */
  | { readonly kind: 'field'; readonly field: string; readonly isUsual: true }
  | { readonly kind: 'several'; readonly labels: readonly string[] };

/** A spelling is taken for a slip up to so many letters away. */
const MOST_SLIPS = 2;

export function indexWords(words: ColumnWords): WordIndex {
  const synonyms = new Map(
    Object.entries(words.synonyms).map(([synonym, meant]) => [foldHeader(synonym), meant]),
  );
  const names = groupBy(words.fields, ({ name }) => foldHeader(name));
  const labels = groupBy(words.fields, ({ label }) => foldHeader(label));
  const synonymOf = (header: string) => synonyms.get(foldHeader(header));
  const meaningOf = (header: string): HeaderMeaning => {
    const meant = synonymOf(header);
    const text = foldHeader(meant ?? header);
    if (text === '') return { kind: 'other' };
    if (text === 'file') return { kind: 'file' };
    const [field, ...others] = names.get(text) ?? labels.get(text) ?? [];
    if (field === undefined && isFileHeader(text)) return { kind: 'file' };
    const usual = field === undefined ? names.get(usualFieldOf(text) ?? '')?.[0] : undefined;
    if (usual !== undefined) {
      const known = { kind: 'field', field: usual.name } as const;
      return meant === undefined ? { ...known, isUsual: true } : known;
    }
    // The fields are not known everywhere: then the share's configuration is believed that this is one.
    if (field === undefined) return meant === undefined ? { kind: 'other' } : { kind: 'field', field: meant };
    if (others.length === 0) return { kind: 'field', field: field.name };
    return { kind: 'several', labels: [field, ...others].map(({ name }) => name) };
  };
  return { ...words, meaningOf, synonymOf };
}

/** What each header means beside the others. */
export function meaningsOf(headers: readonly string[], words: WordIndex): readonly HeaderMeaning[] {
  // A receipt of ours that comes back as a register: what we put around its columns says nothing.
  const ours = new Set(findReceiptColumns(headers));
  const meanings = headers.map(
    (header, column): HeaderMeaning => (ours.has(column) ? { kind: 'other' } : words.meaningOf(header)),
  );
  const named = new Set(
    meanings.flatMap(meaning => (meaning.kind === 'field' && !isUsual(meaning) ? [meaning.field] : [])),
  );
  return meanings.map(meaning =>
    isUsual(meaning) && named.has(meaning.field) ? { kind: 'other' } : meaning,
  );
}

type UsualMeaning = Extract<HeaderMeaning, { readonly isUsual: true }>;

function isUsual(meaning: HeaderMeaning): meaning is UsualMeaning {
  return 'isUsual' in meaning;
}

/**
 * Names all columns. `headers` are the texts of the header row; `filled` says which columns have cells below
 * it, for a column without a header that nobody uses is nothing to tell.
 */
export function nameColumns(
  headers: readonly string[],
  filled: (column: number) => boolean,
  words: WordIndex,
): NamedColumns {
  const ours = new Set(findReceiptColumns(headers));
  const meanings = meaningsOf(headers, words);
  const columns = headers.map(
    (header, index): RegisterColumn => ({
      index,
      letter: columnLetter(index),
      header: header.trim().replace(/\s+/g, ' '),
      meaning: toColumnMeaning(meanings[index]),
    }),
  );
  const theirs = columns.filter(({ index }) => !ours.has(index));
  return {
    columns,
    faults: [...tellSeveral(columns, meanings), ...tellDoubles(columns), ...tellSynonyms(columns, words)],
    notices: [...tellBlank(theirs, filled), ...tellOtherDoubles(theirs), ...tellUnread(theirs, words)],
  };
}

function toColumnMeaning(meaning: HeaderMeaning | undefined): ColumnMeaning {
  if (meaning === undefined || meaning.kind === 'several') return { kind: 'other' };
  return isUsual(meaning) ? { kind: 'field', field: meaning.field } : meaning;
}

function tellSeveral(
  columns: readonly RegisterColumn[],
  meanings: readonly HeaderMeaning[],
): readonly RegisterFault[] {
  return meanings.flatMap((meaning, index) => {
    const column = columns[index];
    if (meaning.kind !== 'several' || column === undefined) return [];
    const fields = joinWords(meaning.labels.map(quote));
    const text = `The header ${quote(column.header)} fits several fields of the project: ${fields}. Write one of these names.`;
    return [{ row: null, column: column.letter, text }];
  });
}

/** Two columns for one field, or for the file: nothing says which of them counts. */
function tellDoubles(columns: readonly RegisterColumn[]): readonly RegisterFault[] {
  const known = columns.filter(({ meaning }) => meaning.kind !== 'other');
  const groups = [...groupBy(known, ({ meaning }) => keyOf(meaning)).values()];
  return groups
    .filter(group => group.length > 1)
    .map(group => {
      const [first] = group;
      const letters = joinWords(group.map(({ letter }) => letter));
      const headers = joinWords([...new Set(group.map(({ header }) => quote(header)))]);
      const what = first?.meaning.kind === 'field' ? quote(first.meaning.field) : 'the file';
      const text = `Columns ${letters} (${headers}) ${group.length === 2 ? 'both' : 'all'} give ${what}. Keep one of them, or give the others another header.`;
      return { row: null, column: first?.letter ?? null, text };
    });
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function keyOf(meaning: ColumnMeaning): string {
  return meaning.kind === 'field' ? `field ${meaning.field}` : meaning.kind;
}

/** The configuration names a field that is not there: a fault of the share, not of the sheet. */
function tellSynonyms(columns: readonly RegisterColumn[], words: WordIndex): readonly RegisterFault[] {
  if (!words.isComplete) return [];
  return columns.flatMap(({ header, letter, meaning }) => {
    const meant = words.synonymOf(header);
    if (meaning.kind !== 'field' || meant === undefined) return [];
    if (words.fields.some(({ name }) => name === meaning.field)) return [];
    const text = `${quote(header)} stands for the field ${quote(meant)} by this share's configuration, but the project has none of that name. ${nearestField(meant, words.fields)}`;
    return [{ row: null, column: letter, text: text.trim() }];
  });
}

function tellBlank(
  columns: readonly RegisterColumn[],
  filled: (column: number) => boolean,
): readonly RegisterFault[] {
  return columns
    .filter(({ header, index }) => header === '' && filled(index))
    .map(({ letter }) => ({
      row: null,
      column: letter,
      text: 'The column has values but no header, so they say nothing. Give it a header if they should count.',
    }));
}

function tellOtherDoubles(columns: readonly RegisterColumn[]): readonly RegisterFault[] {
  const others = columns.filter(({ header, meaning }) => meaning.kind === 'other' && header !== '');
  return [...groupBy(others, ({ header }) => foldHeader(header)).values()]
    .filter(group => group.length > 1)
    .map(group => ({
      row: null,
      column: group[0]?.letter ?? null,
      text: `Columns ${joinWords(group.map(({ letter }) => letter))} have the same header ${quote(group[0]?.header ?? '')}.`,
    }));
}

/**
 * A header that is almost a field's, or a usual word for one that another column gives: it travels through
 * untouched, which its writer may not have meant.
 */
function tellUnread(
  columns: readonly RegisterColumn[],
  { fields, isComplete, meaningOf }: WordIndex,
): readonly RegisterFault[] {
  if (!isComplete) return [];
  const taken = new Set(columns.map(({ meaning }) => keyOf(meaning)));
  return columns.flatMap(({ header, letter, meaning }) => {
    if (meaning.kind !== 'other') return [];
    const alone = meaningOf(header);
    if (isUsual(alone)) {
      const giver = columns.find(column => keyOf(column.meaning) === keyOf(alone));
      const text = `${quote(header)} is not read, for column ${giver?.letter} gives ${quote(alone.field)}.`;
      return [{ row: null, column: letter, text }];
    }
    const folded = foldHeader(header);
    if (folded.length < 4) return [];
    const near = fields.find(
      ({ name, label }) =>
        !taken.has(`field ${name}`) && [name, label].some(word => isSlipOf(folded, foldHeader(word))),
    );
    if (near === undefined) return [];
    const text = `${quote(header)} is no field of the project and is not read. Nearest: ${near.label}.`;
    return [{ row: null, column: letter, text }];
  });
}

function isSlipOf(text: string, word: string): boolean {
  return Math.abs(text.length - word.length) <= MOST_SLIPS && editDistance(text, word) <= MOST_SLIPS;
}

function nearestField(text: string, fields: readonly KnownField[]): string {
  const candidates = fields.map(({ name, label }) => ({
    id: name,
    label,
    alternatives: [name],
    active: true,
  }));
  const nearest = listNearest(text, candidates);
  return nearest.length === 0 ? '' : `Nearest: ${nearest.join(', ')}.`;
}
