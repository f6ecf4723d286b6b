// Does the suite notice? Bugs are put into a copy of the built product, one at a time, and the bad night is
// run against each. A bug that goes unnoticed is a violation, and so is a clean product that is accused.
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runBadNight } from './bad-night';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { LATE } from './second-look';
import { BUGS, type Bug } from './seeded-bugs';

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
  readonly name: string;
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
      options.say(`  ${outcome.found.length === 0 ? 'nothing found' : 'noticed'}: ${outcome.name}`);
    }
  });
  await Promise.all(runners);
  return {
    cases: outcomes.length,
    violations: outcomes.flatMap(toViolations),
    figures: {
      'bugs put in': outcomes.length - 1,
      noticed: outcomes.filter(({ name, found }) => name !== NO_BUG && found.length > 0).length,
    },
    tables: [tabulate(outcomes)],
  };
}

const NO_BUG = 'no bug at all';

function toViolations({ name, found }: Outcome): Violation[] {
  if (name === NO_BUG) return found.map(violation => ({ ...violation, case: NO_BUG }));
  const what = 'the bug was put in, and nothing was found';
  return found.length > 0 ? [] : [{ invariant: 'the suite notices', case: name, what }];
}

function tabulate(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ name, found }) => `  ${name}\n      ${found[0]?.invariant ?? 'nothing found'}`,
  );
  return ['  bug, and the first invariant that told:', ...rows].join('\n');
}

async function tryOne(bug: Bug | undefined, dist: string): Promise<Outcome> {
  if (bug === undefined) return { name: NO_BUG, found: await runBadNight({ dist, case: NO_BUG }) };
  const found = await withBugs([bug], dist, copy => runBadNight({ dist: copy, case: bug.name }));
  // That a machine is slow shows no bug.
  return { name: bug.name, found: found.filter(({ invariant }) => invariant !== LATE) };
}

/**
 * Runs it on a copy of the built product with these bugs. The stand-ins of other cases live in this process:
 * nothing here holds it up.
 */
export async function withBugs<Result>(
  bugs: readonly Bug[],
  dist: string,
  run: (copy: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'drawbridge-bug-'));
  try {
    const copy = join(folder, 'dist');
    await cp(dist, copy, { recursive: true });
    symlinkSync(join(dirname(dist), 'node_modules'), join(folder, 'node_modules'));
    for (const bug of bugs) await putIn(bug, copy);
    return await run(copy);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Throws when the place is not there any more: a bug that cannot be put in proves nothing. */
async function putIn({ name, file, from, to }: Bug, dist: string): Promise<void> {
  const path = join(dist, file);
  const code = readFileSync(path, 'utf8');
  if (code.split(from).length !== 2)
    throw new Error(`The bug "${name}" has no place of its own in ${file} any more`);
  writeFileSync(
    path,
    code.replace(from, () => to),
  );
  // Workflows run from their bundle.
  if (!file.startsWith('workflows/')) return;
  await promisify(execFile)(process.execPath, [join(dist, 'workers', 'bundle.js')]).catch(
    (error: unknown) => {
      throw new Error(`The bundle with the bug "${name}" cannot be built`, { cause: error });
    },
  );
}
