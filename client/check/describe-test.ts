// A test run on a terminal: first the sum, then what is wrong, each with its row and what to do.

import { FORETOLD, FORETOLD_WORDS, type Foretold } from '../../activities/registers/words/foretold-words';
import { tellCount } from '../../activities/registers/words/outcome-words';
import type { CheckReport } from '../../activities/test-run/check-report';
import { pathInFolder, tellCost, tellTime } from '../../activities/test-run/check-report';
import { tellRound } from '../../activities/test-run/explain-requirement';
import type { ForetoldFile } from '../../activities/test-run/foretell-job';
import { type Colour, type Paint, toVisible } from '../session/terminal-text';

/** Of each kind that a screen can use; `--json` and `-o` have all. */
const MOST_OF_A_KIND = 50;

const COLOURS: Readonly<Record<Foretold, Colour>> = {
  through: 'green',
  'already-there': 'dim',
  open: 'dim',
  held: 'yellow',
  'set-apart': 'red',
  'not-there': 'red',
};

export function describeTest(report: CheckReport, paint: Paint): string {
  const { folder, share, project } = report;
  const head = `TEST of "${toVisible(folder)}" for share ${share} (project ${project.projectId}). Nothing was sent or moved.`;
  const wrong = (['set-apart', 'not-there', 'held', 'open'] as const).flatMap(kind =>
    describeKind(report, kind, paint),
  );
  return [
    paint('bold', head),
    '',
    ...describeSum(report, paint),
    ...wrong,
    ...describeRequirements(report, paint),
    '',
    `Cost  ${tellCost(report)}`,
    `Time  ${tellTime(report)}`,
    ...report.notices.map(notice => toVisible(notice)),
    ...(report.notCompared === undefined
      ? []
      : [`Duplicates were not looked for: ${toVisible(report.notCompared)}.`]),
    ...describeIgnored(report),
    '',
    paint('dim', 'Only the service can tell:'),
    ...report.onlyService.map(text => paint('dim', `  ${text}`)),
  ].join('\n');
}

function describeSum({ tally, register }: CheckReport, paint: Paint): readonly string[] {
  const kinds = FORETOLD.filter(kind => tally[kind] > 0);
  const all = kinds.reduce((sum, kind) => sum + tally[kind], 0);
  const width = tellCount(all).length + 2;
  const line = (count: number, text: string) => `${tellCount(count).padStart(width)}  ${text}`;
  return [
    ...kinds.map(kind => paint(COLOURS[kind], line(tally[kind], FORETOLD_WORDS[kind].afterNumber))),
    line(all, register === undefined ? 'in all, without a register' : `in all, by ${toVisible(register)}`),
  ];
}

interface Told {
  readonly row?: number | undefined;
  readonly path: string;
  readonly text: string;
  readonly fix: string;
}

function describeKind(
  report: CheckReport,
  kind: 'set-apart' | 'not-there' | 'held' | 'open',
  paint: Paint,
): readonly string[] {
  const all: readonly Told[] =
    kind === 'not-there'
      ? report.notThere.map(({ row, file, text }) => ({ row, path: file, text, fix: '' }))
      : report.files.filter(({ foretold }) => foretold === kind).map(file => toTold(report, file));
  if (all.length === 0) return [];
  const shown = all.slice(0, MOST_OF_A_KIND).flatMap(describeOne);
  const more = all.length - MOST_OF_A_KIND;
  return [
    '',
    paint(COLOURS[kind], FORETOLD_WORDS[kind].word),
    ...shown,
    ...(more > 0 ? [`  and ${tellCount(more)} more: -o result.xlsx has them all`] : []),
  ];
}

function toTold(report: CheckReport, { path, row, reason, requirement }: ForetoldFile): Told {
  const rounds = requirement === undefined ? [] : [requirement.now, ...requirement.later];
  const lacking = rounds.filter(({ lacks }) => lacks.length > 0).map(round => `If ${tellRound(round)}.`);
  return {
    row,
    path: pathInFolder(report, path),
    text: reason?.text ?? lacking.join('\n'),
    fix: reason?.fix ?? '',
  };
}

function describeOne({ row, path, text, fix }: Told): readonly string[] {
  const where = row === undefined ? '' : `row ${row}  `;
  return [
    `  ${where}${toVisible(path)}`,
    ...text.split('\n').map(line => `      ${toVisible(line)}`),
    ...(fix === '' ? [] : [`      -> ${toVisible(fix)}`]),
  ];
}

/** Which requirement applies to how many of the files. */
function describeRequirements({ files }: CheckReport, paint: Paint): readonly string[] {
  const counts = new Map<string, number>();
  for (const { requirement } of files) {
    if (requirement === undefined) continue;
    counts.set(requirement.now.when, (counts.get(requirement.now.when) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  return [
    '',
    paint('bold', 'What the project requires'),
    ...[...counts].map(([when, count]) => `  ${tellCount(count)} by: ${toVisible(when)}`),
  ];
}

function describeIgnored({ ignored, left }: CheckReport): readonly string[] {
  return [
    ...tellNames('Left where they lie', ignored),
    ...tellNames('No row is about them, so they stay', left),
  ];
}

function tellNames(what: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const names = paths.slice(0, 5).map(path => toVisible(path));
  const more = paths.length - names.length;
  return [`${what}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`];
}
