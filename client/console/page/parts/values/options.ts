// What the cell offers: values that fit what is typed, the nearest first, and of equally near ones those that
// this job uses most. Pure.
import { foldText } from '../../../../../activities/host/fold-text';
import type { WaitingPage } from '../../../contract/waiting';
import type { CheckedField } from './check-cell';

export interface Option {
  readonly label: string;
  readonly code: string;
  /** Rows of this job that have it; 0 for none. */
  readonly rows: number;
  /** Leaves the field empty; `label` is the word for it. */
  readonly isEmpty?: boolean;
}

const MOST_OFFERED = 50;

/** How often each value of the field stands in other rows of the job, by its label. */
export function countLabels(
  field: CheckedField,
  used: WaitingPage['used'],
  of: { readonly share: string; readonly job: string },
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { share, job, field: name, text, rows } of used) {
    if (share !== of.share || job !== of.job || name !== field.name) continue;
    const checked = field.check(text);
    for (const label of checked.kind === 'value' ? checked.texts : []) {
      counts.set(label, (counts.get(label) ?? 0) + rows);
    }
  }
  return counts;
}

export function listOptions(
  field: CheckedField,
  typed: string,
  counts: ReadonlyMap<string, number>,
): { readonly options: readonly Option[]; readonly fit: number } {
  const readings = listReadings(field, typed).map(label => ({ label, code: '', rows: 0 }));
  if (readings.length > 0) return { options: readings, fit: readings.length };
  const empty = leaveEmpty(field, typed);
  const last = field.takes === 'many-of' ? (typed.split(';').at(-1) ?? '') : typed;
  const wanted = foldText(last);
  const fitting = field.values.flatMap(({ label, code }) => {
    const rank = rankOf(wanted, foldText(label), foldText(code));
    return rank === undefined ? [] : [{ label, code, rows: counts.get(label) ?? 0, rank }];
  });
  fitting.sort((one, other) => one.rank - other.rank || other.rows - one.rows);
  const options = fitting.slice(0, MOST_OFFERED).map(({ rank: _rank, ...option }) => option);
  return {
    options: typed.trim() === '' ? [...options, ...empty] : [...empty, ...options],
    fit: fitting.length,
  };
}

/** Leaving it empty: offered behind the values while nothing is typed, and before them when its word is. */
function leaveEmpty({ emptyWord }: CheckedField, typed: string): readonly Option[] {
  if (emptyWord === undefined || ![emptyWord, ''].includes(typed.trim())) return [];
  return [{ label: emptyWord, code: '', rows: 0, isEmpty: true }];
}

/** Both readings of a date whose day and month could be either, as `2026-04-03`; else none. */
export function listReadings({ takes, check }: CheckedField, typed: string): readonly string[] {
  const checked = takes === 'date' ? check(typed.trim()) : undefined;
  return checked?.kind === 'fault' ? checked.nearest : [];
}

/** Lower is nearer; undefined fits not at all. */
function rankOf(wanted: string, label: string, code: string): number | undefined {
  if (wanted === '' || code === wanted || label === wanted) return 0;
  if (code.startsWith(wanted)) return 1;
  if (label.split(/[\s/,()-]+/).some(word => word.startsWith(wanted))) return 1;
  return label.includes(wanted) || code.includes(wanted) ? 2 : undefined;
}

/** What is typed, with the option in the place of the part that is being typed. */
export function withOption(
  field: CheckedField,
  typed: string,
  { label, isEmpty = false }: Pick<Option, 'label' | 'isEmpty'>,
): string {
  if (field.takes !== 'many-of' || isEmpty) return label;
  const before = typed
    .split(';')
    .slice(0, -1)
    .map(part => part.trim());
  return [...before.filter(part => part !== label), label].join('; ');
}

/** The parts of a text that were typed, for showing them bold. */
export function markTyped(
  text: string,
  typed: string,
): readonly { readonly text: string; readonly isTyped: boolean }[] {
  const wanted = typed.split(';').at(-1)?.trim().toLowerCase() ?? '';
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted);
  if (at < 0) return [{ text, isTyped: false }];
  return [
    { text: text.slice(0, at), isTyped: false },
    { text: text.slice(at, at + wanted.length), isTyped: true },
    { text: text.slice(at + wanted.length), isTyped: false },
  ].filter(part => part.text !== '');
}
