// The head of the grid: what its columns are, and what can be done with a whole one.

import { Icon } from '../../../parts/icons';
import { texts as catalogue } from '../../../shell/texts';
import type { GridColumn } from '../model/grid';

const texts = catalogue.waiting;

interface HeadRowProps {
  readonly columns: readonly GridColumn[];
  readonly withJob: boolean;
  readonly mayWrite: boolean;
  readonly isAll: boolean;
  /** How many rows are chosen. */
  readonly selected: number;
  readonly selectAll: (isOn: boolean) => void;
  readonly fill: (name: string) => void;
  readonly paste: (column: GridColumn) => void;
}

export function HeadRow({
  columns,
  withJob,
  mayWrite,
  isAll,
  selected,
  selectAll,
  fill,
  paste,
}: HeadRowProps) {
  return (
    <div class="waiting-head" role="rowgroup">
      <div class="waiting-row" role="row" aria-rowindex={1}>
        <div role="columnheader" class="waiting-cell">
          {mayWrite && (
            <input
              type="checkbox"
              aria-label={texts.selectAll}
              checked={isAll}
              onChange={event => selectAll(event.currentTarget.checked)}
            />
          )}
          {!mayWrite && <span class="unseen">{texts.columns.select}</span>}
        </div>
        <div role="columnheader">{texts.columns.row}</div>
        <div role="columnheader">{texts.columns.number}</div>
        <div role="columnheader">{texts.columns.revision}</div>
        <div role="columnheader">{texts.columns.title}</div>
        {withJob && <div role="columnheader">{texts.columns.job}</div>}
        {columns.map(column => (
          <div role="columnheader" key={column.name} class="waiting-line">
            <bdi class="cut">{column.label}</bdi>
            {column.isOpen && mayWrite && (
              <details class="waiting-menu" onKeyDown={closeOnEscape} onFocusOut={closeOutside}>
                <summary aria-label={texts.menu(column.label)}>
                  <Icon name="chevron-down" />
                </summary>
                <div>
                  <button
                    type="button"
                    disabled={selected === 0}
                    onClick={event => close(event.currentTarget, () => fill(column.name))}
                  >
                    {texts.fillSelected(selected)}
                  </button>
                  <button type="button" onClick={event => close(event.currentTarget, () => paste(column))}>
                    {texts.pasteColumn}
                  </button>
                </div>
              </details>
            )}
          </div>
        ))}
        <div role="columnheader" class="waiting-line">
          {texts.columns.answer}
        </div>
      </div>
    </div>
  );
}

function close(button: HTMLElement, act: () => void): void {
  button.closest('details')?.removeAttribute('open');
  act();
}

function closeOnEscape(event: KeyboardEvent & { readonly currentTarget: HTMLDetailsElement }): void {
  // The grid around it would act on the key as well.
  event.stopPropagation();
  if (event.key !== 'Escape') return;
  event.currentTarget.open = false;
  event.currentTarget.querySelector('summary')?.focus();
}

function closeOutside(event: FocusEvent & { readonly currentTarget: HTMLDetailsElement }): void {
  const to = event.relatedTarget;
  if (!(to instanceof Node) || !event.currentTarget.contains(to)) event.currentTarget.open = false;
}
