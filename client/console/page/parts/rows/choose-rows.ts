// Which rows are chosen, as keys and pointer say it. Pure.

export interface Chosen {
  readonly keys: ReadonlySet<string>;
  /** Where a range begins. */
  readonly anchor: string | undefined;
}

export const NONE_CHOSEN: Chosen = { keys: new Set(), anchor: undefined };

export function toggle({ keys }: Chosen, key: string): Chosen {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return { keys: next, anchor: key };
}

/** From the anchor to that row, in the order in which rows are shown; what was chosen besides stays. */
export function extendTo({ keys, anchor }: Chosen, key: string, order: readonly string[]): Chosen {
  const from = order.indexOf(anchor ?? key);
  const to = order.indexOf(key);
  if (from < 0 || to < 0) return { keys: new Set([...keys, key]), anchor: key };
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { keys: new Set([...keys, ...range]), anchor: order[from] };
}

/** All that fit the filter, or none when all of them are chosen. */
export function chooseAll({ keys }: Chosen, order: readonly string[]): Chosen {
  const isAll = order.length > 0 && order.every(key => keys.has(key));
  return isAll ? NONE_CHOSEN : { keys: new Set(order), anchor: order[0] };
}

/** Text to paste into a sheet: no tab or line break within a cell ends it, and no cell begins a formula. */
export function toClipboardTable(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map(row => row.map(cell => toCell(cell ?? '')).join('\t')).join('\r\n');
}

function toCell(text: string): string {
  const flat = text.replaceAll(/[\t\r\n]+/g, ' ');
  return /^[=+\-@]/.test(flat) ? `'${flat}` : flat;
}
