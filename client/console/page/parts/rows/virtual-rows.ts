// Which rows of a scrolled table are in sight.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useMedia } from '../../shell/media';
import { preferences } from '../../shell/preferences';

const PHONE = '(max-width: 760px)';
const REMS = { compact: 1.75, normal: 2, roomy: 2.5 } as const;
const PHONE_REM = 3.75;
const BEYOND = 12;

/** In pixels, by the density that the person has chosen and the size of letters of their browser. */
export function useRowHeight(): number {
  const isPhone = useMedia(PHONE);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return Math.round((isPhone ? PHONE_REM : REMS[preferences.value.density]) * rem);
}

interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly total: number;
  readonly scrollTo: (index: number) => void;
}

/** @param onRange told the indexes of the first and the last row in sight, without those drawn around them */
export function useVirtualRows(
  place: RefObject<HTMLElement | null>,
  count: number,
  height: number,
  onRange: (from: number, to: number) => void,
): VirtualRows {
  const [, setSeen] = useState(0);
  const range = useRef(onRange);
  range.current = onRange;
  const options = {
    count,
    estimateSize: () => height,
    getScrollElement: () => place.current,
    overscan: BEYOND,
    // The head covers as much as a row at the top, wherever the table is scrolled to.
    scrollPaddingStart: height,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: (one: Virtualizer<HTMLElement, Element>) => {
      setSeen(seen => seen + 1);
      const offset = one.scrollOffset ?? 0;
      const head = place.current?.querySelector<HTMLElement>('.rows-head')?.offsetHeight ?? 0;
      const inSight = (place.current?.clientHeight ?? 0) - head;
      const from = Math.ceil(offset / height);
      range.current(from, Math.max(from, Math.floor((offset + inSight) / height) - 1));
    },
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLElement, Element>(options), []);
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const scrollTo = useMemo(
    () => (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    [virtualizer],
  );
  return { items: virtualizer.getVirtualItems(), total: virtualizer.getTotalSize(), scrollTo };
}
