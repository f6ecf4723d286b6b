// The grid of values: rows grouped by what is asked, as a spreadsheet has them.
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { WaitingPage } from '../../../../contract/waiting';
import { sharedPart } from '../../../parts/shared-part';
import type { Fields } from '../../../parts/values/use-fields';
import { useKeys } from '../../../shell/keys';
import { preferences } from '../../../shell/preferences';
import { texts as catalogue } from '../../../shell/texts';
import type { History } from '../model/edits';
import {
  type GridColumn,
  type GridGroup,
  type GridRow,
  isOpenRow,
  listColumns,
  openIds,
} from '../model/grid';
import { GroupRow } from './group-row';
import { HeadRow } from './head-row';
import { type GridInput, useGrid } from './use-grid';
import { ValueRow } from './value-row';
import { useWindow } from './window';

const texts = catalogue.waiting;

export interface GridViewProps extends Omit<GridInput, 'rows' | 'columns'> {
  readonly groups: readonly GridGroup[];
  readonly used: WaitingPage['used'];
  readonly withJob: boolean;
  readonly fields: Fields;
  readonly history: History;
}

type Item =
  | { readonly kind: 'group'; readonly group: GridGroup }
  | { readonly kind: 'row'; readonly row: GridRow; readonly at: number };

const ROW_PX = { compact: 28, normal: 32, roomy: 40 };
const STANDARD_PX = 16;

interface Heights {
  readonly group: number;
  readonly row: number;
}

/** In pixels, by the size of text that the browser is set to. */
function heightsOf(density: keyof typeof ROW_PX): Heights {
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / STANDARD_PX;
  return { group: 36 * scale, row: ROW_PX[density] * scale };
}

export function GridView(props: GridViewProps) {
  const { groups, fields, withJob, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => groups.flatMap(group => group.rows), [groups]);
  const all = useMemo(() => columnsOf(rows, fields), [rows, fields]);
  const open = all.filter(({ isOpen }) => isOpen);
  const grid = useGrid({
    ...props,
    rows,
    columns: open,
  });
  const next = () => {
    // The grid takes the focus first: then the cell that becomes active gets it.
    scroller.current?.focus({ preventScroll: true });
    grid.goNext();
  };
  useKeys({ N: next, 'Alt+N': next });
  const { density } = preferences.value;
  const heights = useMemo(() => heightsOf(density), [density]);
  const { items, tops } = useMemo(() => layOut(groups, heights), [groups, heights]);
  const seen = useWindow(scroller, tops);
  useActiveCell(scroller, grid.active, grid.editing !== undefined, { items, tops, heights }, seen.from);
  const names = useMemo(() => sharedPart(rows.map(({ held }) => held.number)), [rows]);

  return (
    <div
      ref={scroller}
      class="waiting-grid"
      role="grid"
      aria-label={texts.grid}
      aria-rowcount={items.length + 1}
      aria-multiselectable="true"
      tabIndex={-1}
      style={{
        '--waiting-columns': template(all, withJob),
        '--waiting-width': `${widthOf(all, withJob)}px`,
      }}
      onKeyDown={grid.onKeyDown}
      onCopy={grid.onCopy}
      onPaste={grid.onPaste}
    >
      <HeadRow
        columns={all}
        withJob={withJob}
        mayWrite={props.mayWrite}
        isAll={rows.length > 0 && rows.every(row => !isOpenRow(row) || selected.has(row.id))}
        selected={grid.selectedOpen.length}
        selectAll={isOn => grid.toggle(openIds(rows), isOn)}
        fill={grid.fillSelected}
        paste={grid.askPaste}
      />
      <div class="waiting-rows" role="rowgroup" style={{ height: `${tops.at(-1) ?? 0}px` }}>
        {items.slice(seen.from, seen.to).map((item, position) => {
          const index = seen.from + position;
          const top = tops[index] ?? 0;
          if (item.kind === 'group')
            return (
              <GroupRow
                key={item.group.key}
                group={item.group}
                top={top}
                index={index + 2}
                selected={selected}
                mayWrite={props.mayWrite}
                toggle={grid.toggle}
              />
            );
          const { row, at } = item;
          const isActive = grid.active.row === at;
          return (
            <ValueRow
              key={row.id}
              row={row}
              at={at}
              top={top}
              index={index + 2}
              columns={all}
              fields={fields.of(row.held.share)}
              edits={props.history.now.get(row.id)}
              shared={names}
              withJob={withJob}
              isFading={props.fading.has(row.id)}
              isSelected={selected.has(row.id)}
              active={isActive ? grid.active.column : undefined}
              editing={isActive ? grid.editing : undefined}
              grid={grid}
              used={props.used}
              mayWrite={props.mayWrite}
            />
          );
        })}
      </div>
    </div>
  );
}

/** By the fields of all shares that have rows: their projects may have different ones. */
function columnsOf(rows: readonly GridRow[], fields: Fields): readonly GridColumn[] {
  const shares = [...new Set(rows.map(({ held }) => held.share))];
  const known = new Map(shares.flatMap(share => fields.of(share)).map(field => [field.name, field]));
  return listColumns(rows, [...known.values()]);
}

/** Least width in px, and which part of the room that is left it gets; 0 for a column of fixed width. */
type Width = readonly [least: number, share: number];

function widthsOf(columns: readonly GridColumn[], withJob: boolean): readonly Width[] {
  const ofFields = columns.map(({ isOpen }): Width => (isOpen ? [150, 1.2] : [110, 0.7]));
  const job: readonly Width[] = withJob ? [[120, 0.6]] : [];
  return [[40, 0], [52, 0], [200, 0.4], [56, 0], [140, 2], ...job, ...ofFields, [140, 0.3]];
}

function template(columns: readonly GridColumn[], withJob: boolean): string {
  return widthsOf(columns, withJob)
    .map(([least, share]) => (share === 0 ? `${least}px` : `minmax(${least}px, ${share}fr)`))
    .join(' ');
}

/** Least width in px of the head and of every row, however long the texts in them are. */
function widthOf(columns: readonly GridColumn[], withJob: boolean): number {
  return widthsOf(columns, withJob).reduce((sum, [least]) => sum + least, 0);
}

interface LaidOut {
  readonly items: readonly Item[];
  readonly tops: readonly number[];
  readonly heights: Heights;
}

function layOut(groups: readonly GridGroup[], heights: Heights): LaidOut {
  const items: Item[] = [];
  const tops: number[] = [];
  let top = 0;
  let at = 0;
  for (const group of groups) {
    items.push({ kind: 'group', group });
    tops.push(top);
    top += heights.group;
    for (const row of group.rows) {
      items.push({ kind: 'row', row, at });
      tops.push(top);
      top += heights.row;
      at += 1;
    }
  }
  return { items, tops: [...tops, top], heights };
}

/** Keeps the active cell in sight, and gives it the focus while the focus is in the grid. */
function useActiveCell(
  scroller: { readonly current: HTMLDivElement | null },
  active: { readonly row: number; readonly column: number },
  isEditing: boolean,
  { items, tops, heights }: LaidOut,
  drawnFrom: number,
): void {
  const before = useRef(`${active.row} ${active.column}`);
  const hadFocus = useRef(false);
  const element = scroller.current;
  if (element?.contains(document.activeElement) === true) hadFocus.current = true;
  // As soon as it is drawn: what is typed next is meant for it.
  useLayoutEffect(() => {
    const now = `${active.row} ${active.column}`;
    const grid = scroller.current;
    if (grid === null || isEditing || !hadFocus.current) return;
    const index = items.findIndex(item => item.kind === 'row' && item.at === active.row);
    if (now !== before.current && index >= 0) {
      const top = tops[index] ?? 0;
      const head = heights.group;
      if (top < grid.scrollTop + heights.group) grid.scrollTop = Math.max(0, top - head);
      const bottom = grid.scrollTop + grid.clientHeight - head;
      if (top + heights.row > bottom) grid.scrollTop = top + heights.row + head - grid.clientHeight;
    }
    before.current = now;
    const isHere = grid.contains(document.activeElement) || document.activeElement === document.body;
    const cell = grid.querySelector<HTMLElement>(`[data-at="${active.row}-${active.column}"]`);
    if (isHere && document.activeElement?.closest('.waiting-head') == null)
      cell?.focus({ preventScroll: true });
    hadFocus.current = grid.contains(document.activeElement);
  }, [active.row, active.column, isEditing, drawnFrom, items]);
}
