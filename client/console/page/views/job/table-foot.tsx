// Below the table: what is in sight, what is chosen, and the keys.
import type { JSX } from 'preact';
import { tellNumber } from '../../shell/format';
import { preferences } from '../../shell/preferences';
import { reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { SORTS } from './shown-rows';

interface FootProps {
  readonly range: readonly [number, number];
  readonly count: number;
  readonly sort: string;
  readonly chosen: number;
  readonly onCopy: () => void;
  readonly onClear: () => void;
  readonly hasNeedy: boolean;
}

export function TableFoot({ range, count, sort, chosen, onCopy, onClear, hasNeedy }: FootProps): JSX.Element {
  const words = texts.job;
  const tell = (number: number) => tellNumber(number, reader());
  const by = SORTS.find(one => one === sort.replace('-', ''));
  const [from, to] = range;
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
          {count === 0 ? '' : by === undefined ? words.registerOrder : words.sortedBy(words.columns[by])}
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
