// Which documents of a job are shown, and in which order. Pure.
import type { JobRow } from '../../../contract/jobs';

/** Of everything else the register's order stays. */
export const SORTS = ['row', 'outcome', 'number', 'revision', 'title', 'reason', 'since'] as const;

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
  /** `number`, `-number`, or '' for the register's order. */
  readonly sort: string;
}

export function showRows(rows: readonly JobRow[], { outcome, q, sort }: Shown): readonly JobRow[] {
  const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fit = rows.filter(row => {
    if (outcome !== '' && row.outcome !== outcome) return false;
    if (words.length === 0) return true;
    const text = [row.number, row.file, row.revision, row.title, row.reason].join(' ').toLocaleLowerCase();
    return words.every(word => text.includes(word));
  });
  const isBackwards = sort.startsWith('-');
  const by = SORTS.find(one => one === sort.replace('-', ''));
  if (by === undefined) return fit;
  const sign = isBackwards ? -1 : 1;
  return fit.toSorted((one, other) => sign * compare(by, one, other));
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

/** From there on and round again; undefined where no row needs a person. */
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
