// Below the table: what is in sight, what is chosen, and the keys.
import type { ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { tellNumber } from '../../shell/format';
import { preferences } from '../../shell/preferences';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';

interface FootProps {
  readonly range: ReadonlySignal<readonly [number, number]>;
  readonly count: number;
  /** What the rows are sorted by; undefined for the register's order. */
  readonly sortedBy: string | undefined;
  readonly chosen: number;
  readonly onCopy: () => void;
  readonly onClear: () => void;
  readonly hasNeedy: boolean;
}

export function TableFoot({
  range,
  count,
  sortedBy,
  chosen,
  onCopy,
  onClear,
  hasNeedy,
}: FootProps): JSX.Element {
  const words = texts.job;
  const tell = (number: number) => tellNumber(number, reader());
  const [from, to] = range.value;
  return (
    <footer class="table-foot">
      {chosen > 0 ? (
        <span class="actions">
          <strong>{words.selected(tell(chosen))}</strong>
          <button type="button" class="link-button" onClick={onCopy}>
            {words.copyRows}
          </button>
          <button type="button" class="link-button" onClick={onClear}>
            {words.clearSelection}
          </button>
        </span>
      ) : (
        <span class="nums">
          {count === 0 ? '' : words.rows(tell(from + 1), tell(Math.min(count, to + 1)), tell(count))}
          {count === 0 ? '' : sortedBy === undefined ? words.registerOrder : words.sortedBy(sortedBy)}
        </span>
      )}
      {preferences.value.singleKeys ? (
        <span class="keys">
          <kbd>↑</kbd> <kbd>↓</kbd> {words.next}
          {hasNeedy ? (
            <>
              <kbd>N</kbd> {words.nextHeld}
            </>
          ) : null}
        </span>
      ) : null}
    </footer>
  );
}
