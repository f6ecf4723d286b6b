// Beside the scroll bar: where those rows are that need a person.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { texts } from '../../shell/texts';

interface MarksProps<Row> {
  readonly rows: readonly Row[];
  readonly markOf: (row: Row) => 'held' | 'set-apart' | undefined;
  readonly onGo: (index: number) => void;
}

/** The strip has this many places: rows that fall on the same place share one mark. */
const PLACES = 400;

export function Marks<Row>({ rows, markOf, onGo }: MarksProps<Row>): JSX.Element | null {
  const places = useMemo(() => {
    const found = new Map<number, 'held' | 'set-apart'>();
    for (const [index, row] of rows.entries()) {
      const mark = markOf(row);
      const place = Math.floor((index / rows.length) * PLACES);
      if (mark !== undefined && found.get(place) !== 'set-apart') found.set(place, mark);
    }
    return [...found];
  }, [rows, markOf]);
  if (places.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: N goes from one to the next
    <svg
      class="row-marks"
      viewBox={`0 0 6 ${PLACES}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.job.marks}
      onClick={event => {
        const { top, height } = event.currentTarget.getBoundingClientRect();
        onGo(Math.floor(((event.clientY - top) / height) * rows.length));
      }}
    >
      {places.map(([place, mark]) => (
        <rect key={place} class={`part of-${mark}`} x="0" y={place} width="6" height="2" />
      ))}
    </svg>
  );
}
