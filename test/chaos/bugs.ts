// Does the suite notice? Bugs are put into a copy of the built product, one at a time, and the bad night is
// run against each. A bug that goes unnoticed is a violation, and so is a clean product that is accused.
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { putIn } from '../mutate/bug';
import { runBadNight } from './bad-night';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { BUGS, type Bug, type Edit, type Sought } from './seeded-bugs';

/**
 * Each is a worker process that computes while it starts; the short form, with its control, is two rounds.
 */
const MOST_AT_ONCE = 4;
/** In the short form: the ones that cost most trust. */
const SHORT_FORM = 6;

export const bugs: ChaosPart = {
  name: 'bugs',
  about: 'bugs put in on purpose: each must be noticed',
  run: runBugs,
};

interface Outcome {
  /** None in the control. */
  readonly bug?: Bug | undefined;
  readonly found: readonly Violation[];
}

async function runBugs(options: PartOptions): Promise<PartResult> {
  const chosen = BUGS.filter(({ name }) => options.only === undefined || name.includes(options.only));
  const outcomes: Outcome[] = [];
  const isShort = options.form === 'short' && options.only === undefined;
  // The control comes first: no bug, nothing to be found.
  const queue: { readonly bug?: Bug }[] = [
    {},
    ...(isShort ? chosen.slice(0, SHORT_FORM) : chosen).map(bug => ({ bug })),
  ];
  const runners = Array.from({ length: Math.min(MOST_AT_ONCE, options.atOnce) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const outcome = await tryOne(next.bug, options.dist);
      outcomes.push(outcome);
      options.say(`  ${tellOutcome(outcome)}`);
    }
  });
  await Promise.all(runners);
  return {
    cases: outcomes.length,
    violations: outcomes.flatMap(({ bug, found }) => (bug === undefined ? found : judgeNotice(bug, found))),
    figures: {
      'bugs put in': outcomes.length - 1,
      noticed: outcomes.filter(({ bug, found }) => bug !== undefined && isNoticed(bug, found)).length,
    },
    tables: [
      ['  bug, and the invariants that told:', ...outcomes.map(outcome => `  ${tellOutcome(outcome)}`)].join(
        '\n',
      ),
    ],
  };
}

const NO_BUG = 'no bug at all';

function tellOutcome({ bug, found }: Outcome): string {
  return bug === undefined ? `${NO_BUG}: ${tellFound(found)}` : tellNotice(bug, found);
}

async function tryOne(bug: Bug | undefined, dist: string): Promise<Outcome> {
  if (bug === undefined) return { found: await runBadNight({ dist, case: NO_BUG }) };
  const run = (copy: string) => runBadNight({ dist: copy, case: bug.name });
  return { bug, found: await withBug(bug.name, [bug], dist, run) };
}

export function tellNotice(bug: Sought, found: readonly Violation[]): string {
  return `${isNoticed(bug, found) ? 'noticed' : 'not noticed'}: ${bug.name}: ${tellFound(found)}`;
}

function isNoticed({ tells }: Sought, found: readonly Violation[]): boolean {
  return found.some(({ invariant }) => tells.includes(invariant));
}

/** A violation where none of what must tell has told. */
export function judgeNotice(bug: Sought, found: readonly Violation[]): Violation[] {
  if (isNoticed(bug, found)) return [];
  const what = `the bug was put in, and not noticed by ${bug.tells.join(' or ')}: ${tellFound(found)}`;
  return [{ invariant: 'the suite notices', case: bug.name, what }];
}

function tellFound(found: readonly Violation[]): string {
  return [...new Set(found.map(({ invariant }) => invariant))].join('; ') || 'nothing found';
}

/**
 * Runs it on a copy of the built product with this bug. The stand-ins of other cases live in this process:
 * nothing here holds it up.
 */
export async function withBug<Result>(
  name: string,
  edits: readonly Edit[],
  dist: string,
  run: (copy: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'drawbridge-bug-'));
  try {
    const copy = join(folder, 'dist');
    await cp(dist, copy, { recursive: true });
    symlinkSync(join(dirname(dist), 'node_modules'), join(folder, 'node_modules'));
    for (const edit of edits) await putInto(copy, name, edit);
    return await run(copy);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Throws when the place is not there any more: a bug that cannot be put in proves nothing. */
async function putInto(dist: string, name: string, edit: Edit): Promise<void> {
  const { file } = edit;
  const path = join(dist, file);
  const code = putIn(readFileSync(path, 'utf8'), edit);
  if (code === undefined) throw new Error(`The bug "${name}" has no place of its own in ${file} any more`);
  writeFileSync(path, code);
  // Workflows run from their bundle.
  if (!file.startsWith('workflows/')) return;
  await promisify(execFile)(process.execPath, [join(dist, 'workers', 'bundle.js')]).catch(
    (error: unknown) => {
      throw new Error(`The bundle with the bug "${name}" cannot be built`, { cause: error });
    },
  );
}
