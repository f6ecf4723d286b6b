// One table of figures: what was measured, what is to be reached, and whether it was.

export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly reach: string;
  readonly isReached: boolean;
}

/** Ratios and counts from one run; absolute speeds of a machine say little. */
export function renderFigures(figures: readonly Figure[]): string {
  const rows = [
    ['Figure', 'Measured', 'Reach', ''],
    ...figures.map(({ what, measured, reach, isReached }) => [
      what,
      measured,
      reach,
      isReached ? 'ok' : 'MISSED',
    ]),
  ];
  const widths = [0, 1, 2, 3].map(column => Math.max(...rows.map(row => (row[column] ?? '').length)));
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function atMost(what: string, value: number, limit: number, unit = '', digits = 2): Figure {
  return {
    what,
    measured: `${value.toFixed(digits)}${unit}`,
    reach: `<= ${limit}${unit}`,
    isReached: value <= limit,
  };
}

export function atLeast(what: string, value: number, limit: number, unit = '', digits = 2): Figure {
  return {
    what,
    measured: `${value.toFixed(digits)}${unit}`,
    reach: `>= ${limit}${unit}`,
    isReached: value >= limit,
  };
}
