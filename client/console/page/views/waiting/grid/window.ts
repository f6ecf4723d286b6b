// Which rows of a long list are drawn: those that are seen, and some around them.
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export interface Seen {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

const AROUND = 12;

/** @param tops where each item begins, and behind the last one where all of them end */
export function useWindow(scroller: RefObject<HTMLElement | null>, tops: readonly number[]): Seen {
  const [seen, setSeen] = useState<Seen>({ from: 0, to: 60 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => {
      const from = Math.max(0, findItem(tops, element.scrollTop) - AROUND);
      const to = Math.min(
        tops.length - 1,
        findItem(tops, element.scrollTop + element.clientHeight) + 1 + AROUND,
      );
      setSeen(before => (before.from === from && before.to === to ? before : { from, to }));
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [tops, scroller]);
  return seen;
}

/** The last item that begins at or above `at`. */
function findItem(tops: readonly number[], at: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
