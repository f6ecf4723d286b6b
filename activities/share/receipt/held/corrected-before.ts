// What people have corrected before in rows that are held, by what was sealed of their sheets: what of it was
// taken up, and what the sheet made next is to show of it. Pure.

import { foldHeader } from '../../../registers/column-words';
import type { ShownRow } from '../../../registers/receipt/corrected-cells';
import { type SaidRow, type Step, toSaidRow } from '../../../registers/receipt/said-row';
import type { Answered, SavedRows } from './held-marks';

/** The header, folded, of the column that says what is to become of a row. */
export const ACTION = 'action';

export interface CorrectedBefore {
  /**
   * Corrections that were taken up, or that nobody asked for, in their order; the last one may have been
   * refused afterwards.
   */
  readonly steps: readonly Step[];
  /** What the row said in the last sheet that had an answer for it; without its word where nobody asked. */
  readonly last: SaidRow;
  /** Whether that was taken up, and not refused afterwards. */
  readonly isTaken: boolean;
}

/**
 * By the path of the file below the job's folder.
 * @param earlier the latest last
 * @param isAskedAgain what was taken up last of this file was refused by the service afterwards
 */
export function listBefore(
  earlier: readonly SavedRows[],
  answered: ReadonlyMap<string, Answered>,
  isAskedAgain: (path: string) => boolean,
): ReadonlyMap<string, CorrectedBefore> {
  const before = new Map<string, CorrectedBefore>();
  for (const { sha256, headers, rows } of earlier) {
    const answer = answered.get(sha256);
    const refusedOf = new Map(answer?.refused.map(each => [each.file, each]));
    for (const { file, cells, isSent } of rows) {
      const said = toSaidRow(headers, cells);
      const refused = refusedOf.get(file);
      const isTaken = answer !== undefined && refused === undefined;
      const { steps = [] } = before.get(file) ?? {};
      if (refused?.isUnasked === true) {
        const shows = withoutAction(said);
        before.set(file, { steps: [...steps, { said, shows, isUnasked: true }], last: shows, isTaken });
        continue;
      }
      const step = { said, shows: isSent ? withoutAction(said) : said };
      before.set(file, { steps: isTaken ? [...steps, step] : steps, last: said, isTaken });
    }
  }
  for (const [path, { steps, last }] of before) {
    const step = steps.at(-1);
    if (step === undefined || step.isUnasked === true || !isAskedAgain(path)) continue;
    before.set(path, { steps: steps.with(-1, { ...step, isRefused: true }), last, isTaken: false });
  }
  return before;
}

/** What the row of a held document shows. */
export function toShown([path, { steps, last, isTaken }]: [string, CorrectedBefore]): [string, ShownRow] {
  return [path, { corrections: steps.length, said: (isTaken ? steps.at(-1)?.shows : undefined) ?? last }];
}

/** The word was carried out, or not asked for: for what the row is held for since, it is to be said anew. */
function withoutAction(said: SaidRow): SaidRow {
  return new Map([...said].map(([key, text]) => [key, foldHeader(key) === ACTION ? '' : text]));
}
