// What a document is known by, its name, number and revision, as the patterns of a share and the headers of
// registers call it. What they call it is decided as where the values are planned: else a document would be
// sent as one, and compared with what was sent before as another.
import type { ValuesByField } from '../../../workflows/contract';
import type { RegisterRules } from '../../../workflows/ingest/ingest-contract';
import { foldText } from '../../host/fold-text';
import { findField, foldHeader, type KnownField } from '../../registers/column-words';
import { indexWords, meaningsOf } from '../../registers/name-columns';
import { readCell } from '../../registers/read-cell';
import type { Cell } from '../../registers/sheet/grid';

export type DocumentField = 'name' | 'number' | 'revision';

/** What headers stand for on the share, what says "leave it empty" in a cell, and the project's fields. */
export interface Wording extends Partial<Pick<RegisterRules, 'synonyms' | 'emptyWord'>> {
  /** Absent where they are not known: then the names that the service has for them count alone. */
  readonly fields?: readonly KnownField[] | undefined;
}

const OWN_NAMES: readonly KnownField[] = [
  { name: 'name', label: 'Name' },
  { name: 'number', label: 'Number' },
  { name: 'revision', label: 'Revision' },
];
/** A column that says what is done with a document; it is no field of the project. */
const ACTION = 'action';

export class DocumentWords {
  readonly #emptyWord: string | undefined;
  readonly #fields: readonly KnownField[];
  readonly #words: ReturnType<typeof indexWords>;
  /** By what patterns call it: there are few of them, and many files. */
  readonly #named = new Map<string, string | undefined>();
  /** Of each list of headers, which column is first to give a field, or the action. */
  readonly #columns = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

  constructor({ synonyms = {}, emptyWord, fields = [] }: Wording = {}) {
    this.#emptyWord = emptyWord;
    // A project may have none of these, or not let us write it: then it is only compared.
    const absent = OWN_NAMES.filter(own => fields.every(({ name }) => name !== own.name));
    this.#fields = [...fields, ...absent];
    this.#words = indexWords({ fields: this.#fields, isComplete: false, synonyms });
  }

  /** What the project calls a field. */
  labelOf(field: DocumentField): string {
    return this.#fields.find(({ name }) => name === field)?.label ?? field;
  }

  /** The text of a field by its name or its label; of several, the last counts, as in the planning. */
  textOf(values: ValuesByField, field: DocumentField): string | undefined {
    const [, text] =
      Object.entries(values).findLast(
        ([name, value]) => typeof value === 'string' && value.trim() !== '' && this.#fieldOf(name) === field,
      ) ?? [];
    return typeof text === 'string' ? text.trim() : undefined;
  }

  /** What a row says in the column of a field; undefined for an empty cell. */
  cellOf(headers: readonly string[], cells: readonly string[], field: DocumentField | typeof ACTION) {
    const text = cells[this.#columnOf(headers, field)]?.trim() ?? '';
    return text === '' ? undefined : text;
  }

  /** By column: whether it says which revision of which document it is. */
  isKnownBy(headers: readonly string[]): readonly boolean[] {
    const columns = OWN_NAMES.map(({ name }) => this.#columnOf(headers, name));
    return headers.map((_, at) => columns.includes(at));
  }

  /** Whether a cell says that its field stays empty. */
  isLeftEmpty(cell: string): boolean {
    return this.#emptyWord !== undefined && foldText(cell) === foldText(this.#emptyWord);
  }

  /**
   * What a row orders its document by. Not what people are asked about: rows that show the same error, or the
   * same number that a program made, are no one document.
   */
  orderOf(headers: readonly string[], cells: readonly Cell[]): Readonly<Record<string, string>> {
    const rules = { emptyWord: this.#emptyWord ?? '' };
    return Object.fromEntries(
      OWN_NAMES.flatMap(({ name, label }) => {
        const cell = cells[this.#columnOf(headers, name)];
        if (cell === undefined) return [];
        const reading = readCell(cell, { name, label, takes: 'text', isIdentity: true }, rules);
        const text = reading.kind === 'values' ? reading.values[0] : undefined;
        return text === undefined ? [] : [[name, text]];
      }),
    );
  }

  #fieldOf(given: string): string | undefined {
    if (!this.#named.has(given)) this.#named.set(given, findField(this.#fields, given)?.name);
    return this.#named.get(given);
  }

  #columnOf(headers: readonly string[], wanted: string): number {
    const columns = this.#columns.get(headers) ?? this.#readHeaders(headers);
    this.#columns.set(headers, columns);
    return columns.get(wanted) ?? -1;
  }

  #readHeaders(headers: readonly string[]): ReadonlyMap<string, number> {
    const columns = new Map<string, number>();
    for (const [column, meaning] of meaningsOf(headers, this.#words).entries()) {
      if (meaning.kind === 'field' && !columns.has(meaning.field)) columns.set(meaning.field, column);
    }
    const action = headers.findIndex(
      header => foldHeader(this.#words.synonymOf(header) ?? header) === ACTION,
    );
    return columns.set(ACTION, action);
  }
}
