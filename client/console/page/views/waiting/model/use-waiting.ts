// What the view knows: what waits, the fields of each share, and rows that others have answered meanwhile.
import { useMemo, useRef } from 'preact/hooks';
import type { GivenAnswer, HeldRow, WaitingPage } from '../../../../contract/waiting';
import type { Fields } from '../../../parts/values/use-fields';
import { type Asked, useAsked } from '../../../shell/asked';
import { type GridRow, idOf, toGridRow } from './grid';

export function useWaitingPage(): Asked<'GET /api/waiting'> {
  return useAsked('GET /api/waiting', {}, { topics: ['waiting'], isLookedAt: true });
}

interface RowsInput {
  readonly page: WaitingPage | undefined;
  readonly fields: Fields;
  readonly mayAnswer: (share: string) => boolean;
  /** Whether this window has answered what is asked there. */
  readonly isMine: (held: HeldRow) => boolean;
  /** Whether something is written for it. */
  readonly isWritten: (id: string) => boolean;
}

/**
 * Rows in the order in which they were first seen: those that go leave no gap, those that come go to the end.
 * One that another person has answered, or that is gone while something is written for it, stays, locked.
 */
export function useRows({ page, fields, mayAnswer, isMine, isWritten }: RowsInput): readonly GridRow[] {
  const seen = useRef(new Map<string, GridRow>());
  return useMemo(() => {
    if (page === undefined) return [];
    const answered = new Map(page.answered.map(given => [idOf(given), given]));
    const rows = new Map<string, GridRow>();
    for (const held of page.rows) {
      const id = idOf(held);
      if (!isMine(held)) rows.set(id, toGridRow(held, fields.of(held.share), !mayAnswer(held.share)));
    }
    for (const [id, before] of seen.current) {
      if (rows.has(id) || isMine(before.held)) continue;
      const given = answered.get(id) ?? (isWritten(id) ? goneOf(before, page.at) : undefined);
      if (given !== undefined) rows.set(id, { ...before, answered: given });
    }
    const order = [...seen.current.keys()];
    const place = new Map(order.map((id, at) => [id, at]));
    const all = [...rows.values()].sort(
      (one, other) => (place.get(one.id) ?? order.length) - (place.get(other.id) ?? order.length),
    );
    seen.current = new Map(all.map(row => [row.id, row]));
    return all;
  }, [page, fields.of, mayAnswer, isMine, isWritten]);
}

/** For a row that was answered elsewhere, or whose time was over: which of them is not known here. */
function goneOf({ held: { share, batchId, index } }: GridRow, at: string): GivenAnswer {
  return { share, batchId, index, by: '', at, said: '', values: {} };
}
