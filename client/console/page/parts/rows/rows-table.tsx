// A table of thousands of rows, of which only those in sight exist. One tab stop: arrows walk inside.
import './rows-table.css';
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { isOfControl } from '../../shell/keys';
import { texts } from '../../shell/texts';
import { type Chosen, chooseAll, extendTo, toggle } from './choose-rows';
import { Marks } from './marks';
import { useRowHeight, useVirtualRows } from './virtual-rows';

export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isSortable?: boolean;
  /** Names the style of its cells, `of-<look>`; its key when absent. */
  readonly look?: string;
  /** Its width, as a track of a CSS grid. */
  readonly track: string;
}

interface RowsTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Its least width in rem: where there is less room, the table is scrolled sideways. */
  readonly leastRem: number;
  readonly keyOf: (row: Row) => string;
  /** What screen readers say of a row first. */
  readonly nameOf: (row: Row) => string;
  readonly active: string | undefined;
  readonly onActive: (key: string) => void;
  readonly onOpen: (key: string) => void;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
  /** The key of a column, or `-key` from the last to the first; '' for the order of `rows`. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly markOf: (row: Row) => 'held' | 'set-apart' | undefined;
  /** Told the indexes of the first and the last row in sight. */
  readonly onRange: (from: number, to: number) => void;
}

export function RowsTable<Row>(props: RowsTableProps<Row>): JSX.Element {
  const { rows, columns, keyOf, active, chosen, onChoose } = props;
  const id = useId();
  const grid = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const { items, total, scrollTo } = useVirtualRows(grid, rows.length, height, props.onRange);
  const order = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const at = active === undefined ? -1 : order.indexOf(active);
  // Not when rows come or go before the active one: whoever has scrolled away from it stays where they are.
  useEffect(() => {
    if (at >= 0) scrollTo(at);
  }, [active, props.sort, scrollTo]);
  const now = useRef({ props, order });
  now.current = { props, order };
  const isAll =
    order.length > 0 && chosen.keys.size >= order.length && order.every(key => chosen.keys.has(key));
  const isShown = items.some(({ index }) => index === at);
  return (
    <div class="rows-table">
      {/* biome-ignore lint/a11y/useSemanticElements: rows that are in sight are laid out by place, which a table cannot */}
      <div
        ref={grid}
        class="rows-scroll"
        style={{
          '--rows-tracks': ['1.25rem', ...columns.map(({ track }) => track)].join(' '),
          '--rows-least': `${props.leastRem}rem`,
        }}
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-activedescendant={isShown ? `${id}-${at}` : undefined}
        onKeyDown={event => actOnKey(event, props, order, at, pageOf(grid.current, height))}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons are */}
        <div class="rows-head row" role="row" aria-rowindex={1}>
          {/* biome-ignore lint/a11y/useSemanticElements: see above */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: what stands in it is */}
          <div role="columnheader" class="cell of-choose">
            <input
              type="checkbox"
              class="check"
              checked={isAll}
              aria-label={texts.job.selectAll}
              onChange={() => onChoose(chooseAll(chosen, order))}
            />
          </div>
          {columns.map(column => (
            <HeadCell key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div class="rows-body" role="rowgroup" style={{ height: `${total}px` }}>
          {items.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const key = keyOf(row);
            return (
              <BodyRow
                key={key}
                now={now}
                row={row}
                columns={columns}
                id={`${id}-${index}`}
                index={index}
                start={start}
                height={height}
                isActive={index === at}
                isChosen={chosen.keys.has(key)}
              />
            );
          })}
        </div>
      </div>
      <Marks rows={rows} markOf={props.markOf} onGo={scrollTo} />
    </div>
  );
}

/**
 * Some forty of these stand in each frame of a scrolling table. A component that reads a signal, as this one
 * does where a cell tells a time, is drawn anew only when that signal or one of its props changes: so what
 * changes with every frame comes through `now`, a ref that stays the same.
 */
function BodyRow<Row>(props: {
  /** The props that the table was drawn with last, and the keys of its rows. */
  readonly now: RefObject<{ readonly props: RowsTableProps<Row>; readonly order: readonly string[] }>;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly id: string;
  readonly index: number;
  readonly start: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly isChosen: boolean;
}): JSX.Element {
  const { now, row, columns, id, index, start, height, isActive, isChosen } = props;
  const table = () => now.current as NonNullable<typeof now.current>;
  const { keyOf, nameOf, markOf } = table().props;
  const key = keyOf(row);
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
    <div
      id={id}
      class={`row ${markOf(row) ?? ''} ${isActive ? 'is-active' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-label={nameOf(row)}
      style={{ transform: `translateY(${start}px)`, height: `${height}px` }}
      onClick={event => {
        const { props: last, order } = table();
        if (event.shiftKey) last.onChoose(extendTo(last.chosen, key, order));
        else if (event.ctrlKey || event.metaKey) last.onChoose(toggle(last.chosen, key));
        else last.onOpen(key);
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Space chooses */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
      <div role="gridcell" class="cell of-choose" onClick={event => event.stopPropagation()}>
        <input
          type="checkbox"
          class="check"
          tabIndex={-1}
          checked={isChosen}
          aria-label={texts.job.select(nameOf(row))}
          onChange={() => table().props.onChoose(toggle(table().props.chosen, key))}
        />
      </div>
      {columns.map(column => (
        // biome-ignore lint/a11y/useSemanticElements: see above
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
        <div key={column.key} role="gridcell" class={`cell of-${column.look ?? column.key}`}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

function HeadCell<Row>(props: {
  readonly column: Column<Row>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}): JSX.Element {
  const { column, sort, onSort } = props;
  const { key, label, isSortable = true, look = key } = column;
  const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  const next = direction === 'none' ? key : direction === 'ascending' ? `-${key}` : '';
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: its button is
    <div role="columnheader" class={`cell of-${look}`} aria-sort={direction}>
      {isSortable ? (
        <button type="button" class="sort" onClick={() => onSort(next)}>
          {label}
          <span aria-hidden="true">
            {direction === 'ascending' ? ' ↑' : direction === 'descending' ? ' ↓' : ''}
          </span>
        </button>
      ) : (
        label
      )}
    </div>
  );
}

function pageOf(grid: HTMLElement | null, height: number): number {
  return Math.max(1, Math.floor((grid?.clientHeight ?? 0) / height) - 2);
}

function actOnKey<Row>(
  event: KeyboardEvent,
  { onActive, onOpen, chosen, onChoose, rows }: RowsTableProps<Row>,
  order: readonly string[],
  at: number,
  page: number,
): void {
  if (isOfControl(event)) return;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -rows.length,
    End: rows.length,
  };
  const step = steps[event.key];
  const here = order[at];
  if (step !== undefined) {
    const from = at < 0 && step > 0 ? -1 : at;
    const key = order[Math.max(0, Math.min(order.length - 1, from + step))];
    if (key === undefined) return;
    if (event.shiftKey) onChoose(extendTo({ ...chosen, anchor: chosen.anchor ?? here }, key, order));
    onActive(key);
  } else if (event.key === ' ' && here !== undefined) onChoose(toggle(chosen, here));
  else if (event.key === 'Enter' && here !== undefined) onOpen(here);
  else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey))
    onChoose(chooseAll({ ...chosen, keys: new Set() }, order));
  else return;
  event.preventDefault();
}
