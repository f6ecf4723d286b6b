// The fields of the projects of some shares, with what may stand in them.
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { FieldsPage } from '../../../contract/waiting';
import { ask } from '../../shell/api';
import { type CheckedField, checkedFields } from './check-cell';

/** How soon to ask again while the server does not have them from the service yet. */
const SOON_MS = 1_000;
/** When they are this old, the server asks the service for them anew. */
const LATER_MS = 10 * 60_000;

export interface Fields {
  readonly of: (share: string) => readonly CheckedField[];
  /** The fields of some of the shares are not here yet. */
  readonly isAsked: boolean;
}

const NONE: readonly CheckedField[] = [];

export function useFields(shares: readonly string[]): Fields {
  const [pages, setPages] = useState<ReadonlyMap<string, FieldsPage>>(new Map());
  const wanted = [...new Set(shares)].join(' ');
  useEffect(() => {
    const names = wanted === '' ? [] : wanted.split(' ');
    const ended = new AbortController();
    const timers = new Map<string, ReturnType<typeof setTimeout>>();
    const load = async (share: string) => {
      const page = await ask('GET /api/fields/:share', { params: { share } }, ended.signal).catch(
        () => undefined,
      );
      if (ended.signal.aborted) return;
      // An equal answer changes nothing, so that the checks keep what they remember.
      if (page !== undefined)
        setPages(before =>
          JSON.stringify(before.get(share)) === JSON.stringify(page)
            ? before
            : new Map(before).set(share, page),
        );
      const isThere = page !== undefined && page.at !== null;
      timers.set(
        share,
        setTimeout(() => void load(share), isThere ? LATER_MS : SOON_MS),
      );
    };
    for (const share of names) void load(share);
    return () => {
      ended.abort();
      for (const timer of timers.values()) clearTimeout(timer);
    };
  }, [wanted]);
  const checked = useMemo(
    () => new Map([...pages].map(([share, page]) => [share, checkedFields(page)])),
    [pages],
  );
  return {
    of: useCallback((share: string) => checked.get(share) ?? NONE, [checked]),
    isAsked: shares.some(share => (pages.get(share)?.at ?? null) === null),
  };
}
