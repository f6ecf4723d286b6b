// What happens in the grid by keys, pointer and clipboard: which cell is active, which is written, which
// rows are chosen.
import { useRef, useState } from 'preact/hooks';
import type { Fields } from '../../../parts/values/use-fields';
import { announceNow } from '../../../shell/announce';
import { isOfControl } from '../../../shell/keys';
import { type ActiveCell, cellAt, findCell, type Place } from '../model/active-cell';
import { type CellText, fillDown, type History, textAt, undo } from '../model/edits';
import { fieldOf, type GridColumn, type GridRow, isOpenRow, openIds, stateOf } from '../model/grid';
import { type PasteTargets, planPaste, readTable, writeTable } from '../model/paste';

interface Editing {
  readonly id: string;
  readonly field: string;
  readonly text: string;
  readonly isOpen: boolean;
}

export interface GridInput {
  readonly rows: readonly GridRow[];
  readonly columns: readonly GridColumn[];
  readonly fields: Fields;
  readonly history: History;
  readonly change: (next: (before: History) => History) => void;
  /** Writes, and tells what is wrong with the first of them. */
  readonly put: (cells: readonly CellText[]) => void;
  readonly selected: ReadonlySet<string>;
  readonly select: (ids: ReadonlySet<string>) => void;
  /** Asks a person before it pastes: a whole column, or more than there is room for. */
  readonly askPaste: (paste: AskedPaste) => void;
  readonly mayWrite: boolean;
  /** Ids of rows that were saved, and that are about to go: nothing more is written into them. */
  readonly fading: ReadonlySet<string>;
}

/** A paste that waits for a person's word. It is kept, whatever becomes of the grid meanwhile. */
export interface AskedPaste {
  readonly text: string;
  /** Of the column that it begins with. */
  readonly label: string;
  readonly to: PasteTargets;
}

export type GridWork = ReturnType<typeof useGrid>;
const PAGE = 15;
/** Keys that end the writing in a cell: what was typed before them belonged to it. */
const ENDS: ReadonlySet<string> = new Set(['Enter', 'Tab', 'Escape', 'ArrowUp', 'ArrowDown']);

export function useGrid(input: GridInput) {
  const { rows, columns, history, change, put, selected, select, fields, mayWrite, fading } = input;
  const [written, setEditing] = useState<Editing | undefined>();
  const [, draw] = useState({});
  const kept = useRef<ActiveCell>({ row: 0, column: 0 });
  kept.current = findCell(kept.current, rows, columns);
  const active = kept.current;
  const row = rows[active.row];
  const column = columns[active.column];
  const isHere = written?.id === active.id && written?.field === active.field;
  const editing = isHere && !fading.has(written?.id ?? '') ? written : undefined;
  const present = useRef(rows);
  present.current = rows;

  const setActive = (place: Place) => {
    kept.current = cellAt(place, rows, columns);
    setEditing(undefined);
    draw({});
  };
  const edit = (text: string, isOpen: boolean) => {
    if (!mayWrite || row === undefined || column === undefined) return;
    const { id } = row;
    if (isOpenRow(row) || fading.has(id)) setEditing({ id, field: column.name, text, isOpen });
  };
  const move = (rowsBy: number, columnsBy: number) =>
    setActive({ row: active.row + rowsBy, column: active.column + columnsBy });
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    select(next);
  };
  /** Rows that a paste lies beside, in order: the chosen ones if several, else all from the active one. */
  const targets = (): { readonly ids: readonly string[]; readonly isChosen: boolean } => {
    const chosen = rows.filter(one => isOpenRow(one) && selected.has(one.id)).map(({ id }) => id);
    if (chosen.length > 1) return { ids: chosen, isChosen: true };
    return { ids: rows.slice(active.row).map(({ id }) => id), isChosen: false };
  };
  const targetsFrom = (first: GridColumn): PasteTargets => ({
    ...targets(),
    fields: columns.slice(columns.indexOf(first)).map(({ name }) => name),
  });
  const selectedOpen = rows.filter(one => isOpenRow(one) && selected.has(one.id));

  const commit = (text: string, then: 'stay' | 'down' | 'right' | 'left' | 'fill') => {
    // A field that goes together with its row loses the focus: that is no wish to write.
    if (row === undefined || column === undefined || !present.current.some(({ id }) => id === row.id)) return;
    setEditing(undefined);
    const ids = then === 'fill' ? new Set([row.id, ...selectedOpen.map(({ id }) => id)]) : new Set([row.id]);
    put([...ids].map(id => ({ id, field: column.name, text })));
    if (then === 'down') move(1, 0);
    if (then === 'right') move(0, 1);
    if (then === 'left') move(0, -1);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (editing !== undefined || column === undefined || isOfControl(event)) return;
    const isCtrl = event.ctrlKey || event.metaKey;
    if (written !== undefined && !isCtrl) {
      // The cell goes, or is gone: the rest of the word is not for the one that comes in its place.
      if (ENDS.has(event.key)) setEditing(undefined);
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const text = row === undefined ? '' : textAt(history.now, { id: row.id, field: column.name });
    const act = isCtrl ? withCtrl(event.key) : plain(event, text);
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const plain = (event: KeyboardEvent, text: string): (() => void) | undefined => {
    const extend = (by: number) => () => {
      const next = rows[active.row + by];
      toggle(
        [row, next].filter(isOpenRow).map(({ id }) => id),
        true,
      );
      move(by, 0);
    };
    const isEdge = event.shiftKey ? active.column === 0 : active.column === columns.length - 1;
    const keys: Readonly<Record<string, (() => void) | undefined>> = {
      ArrowDown: event.altKey ? () => edit(text, true) : event.shiftKey ? extend(1) : () => move(1, 0),
      ArrowUp: event.shiftKey ? extend(-1) : () => move(-1, 0),
      ArrowLeft: () => move(0, -1),
      ArrowRight: () => move(0, 1),
      PageDown: () => move(PAGE, 0),
      PageUp: () => move(-PAGE, 0),
      Home: () => move(0, -columns.length),
      End: () => move(0, columns.length),
      Enter: () => move(event.shiftKey ? -1 : 1, 0),
      // At the edge Tab leaves the grid, as it leaves anything else.
      Tab: isEdge ? undefined : () => move(0, event.shiftKey ? -1 : 1),
      F2: () => edit(text, false),
      Delete: () => put(clearOf()),
      Backspace: () => put(clearOf()),
      ' ': () => isOpenRow(row) && toggle([row.id], !selected.has(row.id)),
      Escape: selected.size === 0 ? undefined : () => select(new Set()),
    };
    if (Object.hasOwn(keys, event.key)) return keys[event.key];
    return event.key.length === 1 && !event.altKey ? () => edit(event.key, false) : undefined;
  };
  /** What was written where somebody else was first can be taken back, too. */
  const clearOf = (): readonly CellText[] => {
    if (row === undefined || column === undefined || !mayWrite) return [];
    const { id } = row;
    return isOpenRow(row) || history.now.has(id) ? [{ id, field: column.name, text: '' }] : [];
  };
  const withCtrl = (key: string): (() => void) | undefined => {
    const keys: Readonly<Record<string, () => void>> = {
      a: () =>
        toggle(
          rows.filter(isOpenRow).map(({ id }) => id),
          true,
        ),
      d: () => {
        const ids = selectedOpen.length > 1 ? selectedOpen.map(({ id }) => id) : besides();
        if (column !== undefined) put(fillDown(history.now, ids, column.name));
      },
      z: () => change(undo),
      Home: () => move(-rows.length, 0),
      End: () => move(rows.length, 0),
    };
    return keys[key.length === 1 ? key.toLowerCase() : key];
  };
  const isLacking = (one: GridRow | undefined) =>
    isOpenRow(one) && stateOf(one, history.now.get(one.id), fields.of(one.held.share)).kind !== 'ready';
  /** For Ctrl D where no rows are chosen: the row above and this one, as in a spreadsheet. */
  const besides = (): readonly string[] => [rows[active.row - 1], row].filter(isOpenRow).map(({ id }) => id);

  return {
    active,
    editing,
    row,
    column,
    selectedOpen,
    setActive,
    edit,
    commit,
    toggle,
    put,
    askPaste: (column: GridColumn) =>
      input.askPaste({ text: '', label: column.label, to: targetsFrom(column) }),
    onKeyDown,
    cancel: () => setEditing(undefined),
    /** Goes to the next row that still needs something; behind the last, it begins again at the first. */
    goNext: () => {
      const order = [...rows.keys()].map(by => (active.row + 1 + by) % rows.length);
      const at = order.find(each => isLacking(rows[each]));
      const [need = ''] = rows[at ?? -1]?.needs ?? [];
      if (at !== undefined)
        setActive({
          row: at,
          column: Math.max(
            0,
            columns.findIndex(({ name }) => name === need),
          ),
        });
    },
    fillSelected: (name: string) => {
      const text = row === undefined ? '' : textAt(history.now, { id: row.id, field: name });
      const from = text === '' ? firstText(selectedOpen, history, name) : text;
      if (from !== '') put(selectedOpen.map(({ id }) => ({ id, field: name, text: from })));
    },
    onCopy: (event: ClipboardEvent) => {
      if (editing !== undefined || column === undefined) return;
      const copied = selectedOpen.length > 0 ? selectedOpen : row === undefined ? [] : [row];
      const texts = copied.map(({ id, known }) => [
        textAt(history.now, { id, field: column.name }) || (known.get(column.name) ?? ''),
      ]);
      event.clipboardData?.setData('text/plain', writeTable(texts));
      event.preventDefault();
    },
    onPaste: (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (written !== undefined || column === undefined || text === '' || !mayWrite) return;
      event.preventDefault();
      const to = targetsFrom(column);
      const plan = planPaste(readTable(text), to, new Set(openIds(rows)));
      if (plan.left > 0) input.askPaste({ text, label: column.label, to });
      else put(plan.cells);
    },
  };
}

function firstText(rows: readonly GridRow[], { now }: History, field: string): string {
  return rows.map(({ id }) => textAt(now, { id, field })).find(text => text !== '') ?? '';
}

/** Tells screen readers what is wrong with the cell, and in which row. */
export function tellFault(
  rows: readonly GridRow[],
  fields: Fields,
  { id, field: name, text }: CellText,
): void {
  const row = rows.find(one => one.id === id);
  const field = row === undefined ? undefined : fieldOf(row, fields.of(row.held.share), name);
  const checked = text === '' ? undefined : field?.check(text);
  if (checked?.kind !== 'fault' || row === undefined) return;
  const where = row.held.row === null ? (row.held.number ?? row.held.file) : `Row ${row.held.row}`;
  announceNow(`${where}: ${checked.text}`);
}
