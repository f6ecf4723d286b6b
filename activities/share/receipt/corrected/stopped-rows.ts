// Which changed rows of a receipt stay all the same, and what is said of them: those whose document may have
// its revision by now, unless somebody says in the row that they have looked and it is to go. Pure.
import { foldHeader } from '../../../registers/column-words';
import { type CorrectedRow, tellRows } from '../../../registers/corrections/read-corrections';
import { readAction } from '../../../registers/words/action-words';
import type { DocumentWords } from '../../drop/document-words';
import { ACTION } from '../held/corrected-before';
import type { NeededInRow } from './set-apart-safety';

const LOOK = 'Look for it in the service. Only if no revision of it is there, and it is to go,';

/** What a person is told of such rows, by the reason why they stay. */
const STOPS = {
  'look-first': (rows: string) =>
    `${rows}: a revision may be there already, or somebody has decided about it, so that what was changed does not send it again. ${LOOK} write "send" for it into a column "Action", and save.`,
  'sent-before': (rows: string) =>
    `${rows}: a revision may be there already, or somebody has decided about it, and the "send" in its column "Action" is from before that. ${LOOK} have it tried again on the page, or drop it with a register that lists it.`,
  'same-revision': (rows: string) =>
    `${rows}: the service has this revision already, so that what was changed does not send it again. Write the next revision, or the right Name or Number if it is another document, or, if it is to go as it is, "send" for it into a column "Action", and save.`,
  'set-apart': (rows: string) => `${rows}: "set apart" was written into the column "Action", so it stays.`,
};
type Stop = keyof typeof STOPS;

export class StoppedRows {
  readonly #headers: readonly string[];
  /** By column; with another revision, or as another document, it is not the one of the service. */
  readonly #isKnownBy: readonly boolean[];
  readonly #stopped = new Map<Stop, number[]>();

  constructor(headers: readonly string[], words: DocumentWords) {
    this.#headers = headers;
    this.#isKnownBy = words.isKnownBy(headers);
  }

  /** Whether the row stays, though it was changed; `tell` says so then. */
  stops(row: CorrectedRow, needed: NeededInRow): boolean {
    const stop = this.#findStop(row, needed);
    if (stop === undefined) return false;
    this.#stopped.set(stop, [...(this.#stopped.get(stop) ?? []), row.number]);
    return true;
  }

  /** A sentence for each reason, with its rows. */
  tell(): readonly string[] {
    return [...this.#stopped].map(([stop, rows]) => STOPS[stop](tellRows(rows)));
  }

  #findStop({ cells, changed }: CorrectedRow, needed: NeededInRow): Stop | undefined {
    const actionAt = (at: number) =>
      foldHeader(this.#headers[at] ?? '') === ACTION ? readAction(cells[at]) : undefined;
    const written = changed.map(actionAt);
    if (written.includes('set-apart')) return 'set-apart';
    if (needed === 'anything' || written.includes('send')) return undefined;
    if (needed === 'revision') return changed.some(at => this.#isKnownBy[at]) ? undefined : 'same-revision';
    return cells.some((_, at) => actionAt(at) === 'send') ? 'sent-before' : 'look-first';
  }
}
