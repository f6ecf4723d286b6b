// What the view knows: what waits, the fields of each share, and rows that others have answered meanwhile.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FieldsPage, GivenAnswer, WaitingPage } from '../../../../contract/waiting';
import { ask } from '../../../shell/api';
import { type Asked, useAsked } from '../../../shell/asked';
import { type CheckedField, checkedFields } from './check-cell';
import { type GridRow, idOf, toGridRow } from './grid';

/** The server looks for changes only while somebody asks. */
const ASK_EVERY_MS = 20_000;
const FIELDS_EVERY_MS = 3_000;

export function useWaitingPage(): Asked<'GET /api/waiting'> {
  const asked = useAsked('GET /api/waiting', {}, { topics: ['waiting'] });
  const { again } = asked;
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return asked;
}

export interface Fields {
  readonly of: (share: string) => readonly CheckedField[];
  /** Some are still asked for. */
  readonly isAsked: boolean;
}

const NONE: readonly CheckedField[] = [];

/** Asked again until the service has been asked for them. */
export function useFields(shares: readonly string[]): Fields {
  const [pages, setPages] = useState<ReadonlyMap<string, FieldsPage>>(new Map());
  const wanted = [...new Set(shares)].join(' ');
  useEffect(() => {
    const names = wanted === '' ? [] : wanted.split(' ');
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (share: string) => {
      const page = await ask('GET /api/fields/:share', { params: { share } }, ended.signal).catch(
        () => undefined,
      );
      if (ended.signal.aborted) return;
      if (page !== undefined) setPages(before => new Map(before).set(share, page));
      if (page?.at === null || page === undefined)
        timer = setTimeout(() => void load(share), FIELDS_EVERY_MS);
    };
    for (const share of names) void load(share);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [wanted]);
  const checked = useMemo(
    () => new Map([...pages].map(([share, page]) => [share, checkedFields(page)])),
    [pages],
  );
  return {
    of: share => checked.get(share) ?? NONE,
    isAsked: shares.some(share => (pages.get(share)?.at ?? null) === null),
  };
}

/**
 * Rows in the order in which they were first seen: what goes leaves a gap for nobody, what comes stands at
 * the
 * end of its batch. What another person has answered, or what is gone while something is written for it,
 * stays
 * and is locked.
 * @param isMine whether this window has answered it
 * @param isWritten whether something is written for it
 */
export function useRows(
  page: WaitingPage | undefined,
  fields: Fields,
  isMine: (id: string) => boolean,
  isWritten: (id: string) => boolean,
): readonly GridRow[] {
  const seen = useRef(new Map<string, GridRow>());
  return useMemo(() => {
    if (page === undefined) return [];
    const answered = new Map(page.answered.map(given => [idOf(given), given]));
    const rows = new Map<string, GridRow>();
    for (const held of page.rows) {
      const id = idOf(held);
      if (!isMine(id)) rows.set(id, toGridRow(held, fields.of(held.share)));
    }
    for (const [id, before] of seen.current) {
      if (rows.has(id) || isMine(id)) continue;
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
  }, [page, fields.of, isMine, isWritten]);
}

/** Answered elsewhere, or its time was over: nobody has told here. */
function goneOf({ held: { share, batchId, index } }: GridRow, at: string): GivenAnswer {
  return { share, batchId, index, by: '', at, said: '', values: {} };
}
