// Which documents of a job are shown, and in which order. Pure.
import type { JobRow } from '../../../contract/jobs';

/** What rows can be sorted by, besides the register's own columns; all else leaves the register's order. */
const SORTS = ['row', 'outcome', 'number', 'revision', 'title', 'reason', 'since'] as const;

const URGENCY: Readonly<Record<JobRow['outcome'], number>> = {
  held: 0,
  'set-apart': 1,
  'on-the-way': 2,
  'in-line': 3,
  'already-there': 4,
  through: 5,
};

export interface Shown {
  readonly outcome: string;
  readonly q: string;
  /** `number`, `-number`, `own:<header>`, or '' for the register's order. */
  readonly sort: string;
  /** Headers that `cells` of the rows are of. */
  readonly own?: readonly string[];
}

/** The key of a register's own column is this and its header. */
export const OWN = 'own:';

/** What rows are sorted by, without its direction; '' for the register's order. */
export function sortedBy(sort: string): string {
  return sort.replace(/^-/, '');
}

export function showRows(rows: readonly JobRow[], { outcome, q, sort, own = [] }: Shown): readonly JobRow[] {
  const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fit = rows.filter(row => {
    if (outcome !== '' && row.outcome !== outcome) return false;
    if (words.length === 0) return true;
    const { number, file, revision, title, reason, cells = [] } = row;
    const text = [number, file, revision, title, reason, ...cells].join(' ').toLocaleLowerCase();
    return words.every(word => text.includes(word));
  });
  const sign = sort.startsWith('-') ? -1 : 1;
  const wanted = sortedBy(sort);
  const by = SORTS.find(one => one === wanted);
  if (by !== undefined) return fit.toSorted((one, other) => sign * compare(by, one, other));
  const at = wanted.startsWith(OWN) ? own.indexOf(wanted.slice(OWN.length)) : -1;
  if (at < 0) return fit;
  const cell = ({ cells }: JobRow) => cells?.[at] ?? '';
  return fit.toSorted((one, other) => sign * collator.compare(cell(one), cell(other)));
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compare(by: (typeof SORTS)[number], one: JobRow, other: JobRow): number {
  if (by === 'row') return (one.row ?? 0) - (other.row ?? 0);
  if (by === 'outcome') return URGENCY[one.outcome] - URGENCY[other.outcome];
  if (by === 'number') return collator.compare(one.number ?? one.file, other.number ?? other.file);
  return collator.compare(one[by] ?? '', other[by] ?? '');
}

export function needsPerson({ outcome }: Pick<JobRow, 'outcome'>): boolean {
  return outcome === 'held' || outcome === 'set-apart';
}

/** The next row after `from` that needs a person, round again behind the end; undefined where none does. */
export function nextThatNeeds(rows: readonly JobRow[], from: number, step: 1 | -1): JobRow | undefined {
  for (let count = 1; count <= rows.length; count += 1) {
    const at = (((from + step * count) % rows.length) + rows.length) % rows.length;
    const row = rows[at];
    if (row !== undefined && needsPerson(row)) return row;
  }
  return undefined;
}

/** What it is called: its number, else the last part of its file. */
export function labelOf({ number, file }: Pick<JobRow, 'number' | 'file'>): string {
  return number ?? file.slice(file.lastIndexOf('/') + 1);
}
