// What a person has written into the grid and not saved: cell by cell, with a way back. Pure.
export type RowId = string;
/** Name of a field to the text as it was written. */
export type RowEdits = ReadonlyMap<string, string>;
export type Edits = ReadonlyMap<RowId, RowEdits>;

export interface CellPlace {
  readonly id: RowId;
  readonly field: string;
}
export interface CellText extends CellPlace {
  readonly text: string;
}

export interface History {
  readonly past: readonly Edits[];
  readonly now: Edits;
}

export const NO_EDITS: History = { past: [], now: new Map() };
const MOST_STEPS = 200;

/** One step, however many cells it writes; an empty text takes back what was written there. */
export function write(history: History, cells: readonly CellText[]): History {
  const changed = cells.filter(({ id, field, text }) => textAt(history.now, { id, field }) !== text.trim());
  if (changed.length === 0) return history;
  const now = new Map(history.now);
  for (const { id, field, text } of changed) {
    const row = new Map(now.get(id));
    if (text.trim() === '') row.delete(field);
    else row.set(field, text.trim());
    if (row.size === 0) now.delete(id);
    else now.set(id, row);
  }
  return { past: [...history.past, history.now].slice(-MOST_STEPS), now };
}

export function undo({ past, now }: History): History {
  return { past: past.slice(0, -1), now: past.at(-1) ?? now };
}

/** Takes these rows out, which were saved: no undo leads back to them. */
export function forget({ past, now }: History, ids: ReadonlySet<RowId>): History {
  const without = (edits: Edits): Edits => new Map([...edits].filter(([id]) => !ids.has(id)));
  // A step that wrote into no other rows is no step any more.
  const steps = [...past, now].map(without).filter((step, at, all) => !isSame(step, all[at + 1]));
  return { past: steps.slice(0, -1), now: steps.at(-1) ?? now };
}

export function textAt(edits: Edits, { id, field }: CellPlace): string {
  return edits.get(id)?.get(field) ?? '';
}

function isSame(one: Edits, other: Edits | undefined): boolean {
  if (other === undefined || one.size !== other.size) return false;
  return [...one].every(([id, row]) => {
    const there = other.get(id);
    return there?.size === row.size && [...row].every(([field, text]) => there.get(field) === text);
  });
}

/** The text of the first of these cells in all others: `Ctrl D`. */
export function fillDown(edits: Edits, ids: readonly RowId[], field: string): readonly CellText[] {
  const [first, ...others] = ids;
  const text = first === undefined ? '' : textAt(edits, { id: first, field });
  return text === '' ? [] : others.map(id => ({ id, field, text }));
}
