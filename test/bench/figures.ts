// One table of figures: what was measured, what is to be reached, and whether it was.
import { ROWS, type RowName } from './rows';

type Verdict = 'reached' | 'MISSED' | '' | `not measured: ${string}`;

export interface Figure {
  /** Of the table; none for what a part tells besides. */
  readonly row?: number;
  readonly what: string;
  readonly unit: string;
  readonly measured: string;
  readonly reach: string;
  readonly verdict: Verdict;
  /** `npm run bench -- PART` prints it. */
  readonly part?: string;
  /** A fingerprint of what was measured; a record keeps it. */
  readonly build?: string;
}

interface Limits {
  readonly unit?: string;
  readonly digits?: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/**
 * The one way in which a part reports a figure of the table. Ratios and counts of one run; absolute speeds of
 * a machine say little.
 * @param found a sentence where it could not be measured: why.
 */
export function row(name: RowName, found: number | string): Figure {
  const { row: number, part, what, ...limits } = { ...ROWS[name] } as (typeof ROWS)[RowName] & Limits;
  return { row: number, part, ...judge(what, found, limits) };
}

/** What a part tells besides the table. */
export function atMost(what: string, value: number, limit: number, unit = '', digits = 2): Figure {
  return judge(what, value, { unit: unit.trim(), digits, atMost: limit });
}

export function atLeast(what: string, value: number, limit: number, unit = '', digits = 2): Figure {
  return judge(what, value, { unit: unit.trim(), digits, atLeast: limit });
}

export function forInformation(what: string, value: number, unit = '', digits = 2): Figure {
  return judge(what, value, { unit, digits });
}

/** Every figure of the table in its order, then what was told besides. */
export function completeTable(measured: readonly Figure[]): readonly Figure[] {
  const names = Object.keys(ROWS) as RowName[];
  const table = names.map(name => {
    const blank = row(name, 'this part has not run');
    return measured.find(one => isSame(one, blank)) ?? blank;
  });
  return [...table, ...measured.filter(one => !table.some(other => isSame(one, other)))];
}

/** Of a part that has run on this build, whatever it found. */
export function isMeasured(figures: readonly Figure[], part: string, build: string): boolean {
  return figures.some(one => one.part === part && one.build === build);
}

/** Parts with figures of another build, or of one that is not told. */
export function partsOfOthers(figures: readonly Figure[], build: string): readonly string[] {
  return [
    ...new Set(
      figures.flatMap(({ part, build: its }) => (part === undefined || its === build ? [] : [part])),
    ),
  ];
}

export function isSame(one: Figure, other: Figure): boolean {
  return one.part === other.part && one.what === other.what;
}

export function renderFigures(figures: readonly Figure[]): string {
  const lines = [
    ['#', 'Figure', 'Unit', 'Measured', 'To be reached', 'Verdict', 'npm run bench --'],
    ...figures.map(each => [
      each.row === undefined ? '' : String(each.row),
      each.what,
      each.unit,
      each.measured,
      each.reach,
      each.verdict,
      each.part ?? '',
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map(line => (line[column] ?? '').length)),
  );
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function judge(what: string, found: number | string, limits: Limits): Figure {
  const { unit = '', digits = 2, atMost: most, atLeast: least } = limits;
  const reach = [
    ...(most === undefined ? [] : [`<= ${most.toLocaleString('en')}`]),
    ...(least === undefined ? [] : [`>= ${least.toLocaleString('en')}`]),
  ].join(', ');
  if (typeof found === 'string')
    return { what, unit, measured: '', reach, verdict: `not measured: ${found}` };
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const isReached = found <= (most ?? Infinity) && found >= (least ?? -Infinity);
  const verdict = reach === '' ? '' : isReached ? 'reached' : 'MISSED';
  return { what, unit, measured: found.toLocaleString('en', format), reach, verdict };
}
