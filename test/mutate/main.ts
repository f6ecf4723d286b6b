// `npm run mutate`: puts each bug of the list into a copy of the tree and runs the tests that must notice it.
// Exit code 1 when fewer than 95 of 100 are noticed, or when one of the list proves nothing any more.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Bug, isNoticed, type Judged, putIn, ROOMS, type Score, scoreOf } from './bug';
import { BUGS } from './bugs';
import { failedIn, fateOfFailed, fateOfFirst, patternFor, type Verdict, whyOf } from './fate';
import { type Run, Workshop } from './workshop';

const ROOT = join(__dirname, '..', '..', '..');
const LEAST_PERCENT = 95;
/** Tests that hang with a bug are given up after a multiple of their time without it. */
const CLEAN_LIMIT_MS = 5 * 60_000;
const LEAST_LIMIT_MS = 60_000;
const TIMES_AS_LONG = 3;

interface Options {
  readonly only?: string;
  readonly room?: string;
  readonly json?: string;
  readonly rest?: boolean;
  readonly atOnce: number;
}

/** Bugs that the same tests notice: without a bug these are run once. */
interface Group {
  readonly tests: readonly string[];
  readonly only: string | undefined;
  readonly bugs: Bug[];
}

async function main({ only = '', room, json, rest, atOnce }: Options): Promise<void> {
  const began = performance.now();
  const judged: Judged[] = rest === true && json !== undefined ? readNoticed(json) : [];
  const known = new Set(judged.map(({ bug }) => JSON.stringify(bug)));
  const chosen = BUGS.filter(
    bug =>
      (room === undefined || bug.room === room) &&
      `${bug.file} ${bug.why} ${bug.from}`.includes(only) &&
      !known.has(JSON.stringify(bug)),
  );
  const waiting = groupsOf(chosen);
  const work = async () => {
    const workshop = new Workshop(ROOT);
    try {
      for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
        for await (const one of judgeGroup(workshop, group)) {
          judged.push(one);
          tell(one);
          // After each: a run that is broken off has said what it saw, and --rest goes on from there.
          if (json !== undefined) writeFileSync(json, `${JSON.stringify(judged, null, 1)}\n`);
        }
      }
    } finally {
      workshop.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, waiting.length) }, work));
  const isGood = summarise(judged, Math.round((performance.now() - began) / 1_000));
  if (!isGood || judged.length === 0) process.exitCode = 1;
}

/** What an earlier run saw noticed, as far as the list still has it. */
function readNoticed(file: string): Judged[] {
  const listed = new Set(BUGS.map(bug => JSON.stringify(bug)));
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as readonly Judged[];
  return earlier.filter(judged => isNoticed(judged) && listed.has(JSON.stringify(judged.bug)));
}

/** The largest first: what is left at the end is small. */
function groupsOf(bugs: readonly Bug[]): Group[] {
  const groups = new Map<string, Group>();
  for (const bug of bugs) {
    const key = JSON.stringify([bug.tests, bug.only]);
    const group = groups.get(key) ?? { tests: bug.tests, only: bug.only, bugs: [] };
    group.bugs.push(bug);
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => other.bugs.length - one.bugs.length);
}

async function* judgeGroup(workshop: Workshop, { tests, only, bugs }: Group): AsyncGenerator<Judged> {
  const order = { tests, ...(only === undefined ? {} : { only }) };
  const began = performance.now();
  const clean = await workshop.run(order, CLEAN_LIMIT_MS);
  const limitMs = Math.max(LEAST_LIMIT_MS, TIMES_AS_LONG * (performance.now() - began));
  const isGreen = clean.kind === 'ended' && clean.failed + clean.broken === 0 && clean.passed > 0;
  for (const bug of bugs) {
    const bugBegan = performance.now();
    const seconds = () => Math.round((performance.now() - bugBegan) / 100) / 10;
    const text = putIn(readFileSync(join(workshop.root, bug.file), 'utf8'), bug);
    if (text === undefined) yield { bug, fate: 'does not apply', seconds: 0 };
    else if (!isGreen)
      yield { bug, fate: 'proves nothing', seconds: 0, detail: `red without it: ${whyOf(clean)}` };
    else {
      const run = await workshop.runWith(bug.file, text, order, limitMs);
      const fate = fateOfFirst(run) ?? (await lookAgain(workshop, run, { bug, text, tests, limitMs }));
      yield { bug, ...fate, seconds: seconds() };
    }
  }
}

interface Failed {
  readonly bug: Bug;
  /** Of its file, with the bug in it. */
  readonly text: string;
  readonly tests: readonly string[];
  readonly limitMs: number;
}

/** The tests that failed once more, with the bug and without it. */
async function lookAgain(workshop: Workshop, first: Run, failed: Failed): Promise<Verdict> {
  const { bug, text, tests, limitMs } = failed;
  const order = { tests, only: patternFor(failedIn(first)) };
  const again = await workshop.runWith(bug.file, text, order, limitMs);
  return fateOfFailed(first, again, await workshop.run(order, limitMs));
}

function tell({ bug, fate, seconds, detail }: Judged): void {
  const more = detail === undefined ? '' : `\n  ${detail.replaceAll('\n', '\n  ')}`;
  process.stderr.write(`${fate.padEnd(9)} ${seconds} s  ${bug.file}: ${bug.why}${more}\n`);
}

/** @returns whether enough were noticed and all still prove something. */
function summarise(judged: readonly Judged[], seconds: number): boolean {
  const unnoticed = judged.filter(
    one => one.bug.harmless === undefined && !isNoticed(one) && ['survived', 'hung'].includes(one.fate),
  );
  const empty = judged.filter(({ fate }) => fate === 'does not apply' || fate === 'proves nothing');
  const all = scoreOf(judged);
  const rooms = ROOMS.map(room => scoreOf(judged, room)).filter(({ counted }) => counted > 0);
  const lines = [
    ...rooms.map(score => `${score.room.padEnd(11)} ${describe(score)}`),
    ...unnoticed.map(({ bug, fate }) => `${fate.toUpperCase()} ${bug.file}: ${bug.why}`),
    ...empty.map(({ bug, fate }) => `${fate.toUpperCase()} ${bug.file}: ${bug.why}`),
    ...judged.flatMap(({ bug, fate }) =>
      bug.harmless === undefined ? [] : [`harmless (${fate}) ${bug.file}: ${bug.why}. ${bug.harmless}`],
    ),
    `${describe(all)}, in ${seconds} s`,
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  return all.percent >= LEAST_PERCENT && empty.length === 0;
}

function describe({ noticed, hung, survived, counted, percent }: Score): string {
  return `${noticed} of ${counted} bugs noticed, ${percent} %; ${hung} hung, ${survived} survived`;
}

function toNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on');
  return value;
}

// Ended by hand, the copies go, too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

new Command('mutate')
  .description('Puts known bugs into a copy of the tree, one at a time; the tests must notice each.')
  .option('--only <text>', 'only bugs whose file, snippet or description contains this')
  .option('--room <room>', `only those of one room (${ROOMS.join(', ')})`)
  .option('--json <file>', 'write the results to this file as well, after each bug')
  .option('--rest', 'only those that the results in --json do not call noticed, which are kept there')
  .option(
    '--at-once <copies>',
    'copies of the tree that are worked in at one time',
    toNumber,
    availableParallelism(),
  )
  .action(main)
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
