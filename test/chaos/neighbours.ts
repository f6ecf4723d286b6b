// People who may write to the share beside people who may not: strangers exchange, link, replace and
// plant, many times, at moments of chance, and get nothing carried that is not theirs. With a user of
// their own where the suite may have one.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeNotice, tellNotice, withBug } from './bugs';
import { tryAttachments } from './neighbour-attachments';
import { tryBeforehand } from './neighbour-beforehand';
import { NEIGHBOUR_BUGS, type NeighbourBug } from './neighbour-bugs';
import { tryClaims } from './neighbour-claims';
import type { NeighbourCase, NeighbourRun } from './neighbour-run';
import { tryService } from './neighbour-service';
import { whyNoOtherUser } from './neighbour-stranger';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';

export const neighbours: ChaosPart = {
  name: 'neighbours',
  about: 'people who may write to the share exchange, link, replace and plant what is carried',
  // Strangers are at it for seconds; starved, the product is at what they left for minutes.
  needs: 'the machine for itself',
  run: runNeighbours,
};

const CASES: readonly NeighbourCase[] = [
  { name: 'a dropper beside the whole product', run: tryService, ms: { short: 4_000, long: 240_000 } },
  { name: 'claims, one after the other', run: tryClaims, ms: { short: 6_000, long: 240_000 } },
  { name: 'attachments of observations', run: tryAttachments, ms: { short: 3_000, long: 60_000 } },
  { name: 'folders of ours made beforehand', run: tryBeforehand, ms: { short: 0, long: 0 } },
];

async function runNeighbours(options: PartOptions): Promise<PartResult> {
  const whyNot = whyNoOtherUser();
  const violations: Violation[] = [];
  const facts: string[] = [];
  const chosen = CASES.filter(({ name }) => options.only === undefined || name.includes(options.only));
  const tryAll = async (cases: readonly NeighbourCase[]): Promise<void> => {
    for (const each of cases) {
      const found = await tryOne(each, options, options.dist, whyNot === undefined);
      violations.push(...found.violations);
      facts.push(...found.facts);
      options.say(`  ${found.violations.length === 0 ? 'held' : 'did not hold'}: ${each.name}`);
    }
  };
  // The product mostly waits; the others want this process for themselves, one at a time.
  const isOfProduct = ({ run }: NeighbourCase): boolean => run === tryService;
  await Promise.all([tryAll(chosen.filter(isOfProduct)), tryAll(chosen.filter(each => !isOfProduct(each)))]);
  const bugs = options.form === 'long' && options.only === undefined ? NEIGHBOUR_BUGS : [];
  for (const bug of bugs) violations.push(...(await noticeOf(bug, options, whyNot === undefined)));
  return {
    cases: chosen.length + bugs.length,
    violations,
    figures: {
      'as another user': whyNot === undefined ? 'yes' : `not run: ${whyNot}; as our own user instead`,
      'bugs put in': bugs.length,
    },
    tables: facts,
  };
}

async function tryOne(
  { name, run, ms }: NeighbourCase,
  options: PartOptions,
  dist: string,
  isOtherUser: boolean,
): Promise<{ readonly violations: Violation[]; readonly facts: string[] }> {
  const violations: Violation[] = [];
  const facts: string[] = [];
  // Where another user can reach it; what is private in it says so itself. In memory, where that can be
  // had, nothing waits for a disk.
  const parent = run !== tryService && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(parent, 'drawbridge-neighbours-'));
  chmodSync(folder, 0o755);
  const input: NeighbourRun = {
    name,
    options,
    dist,
    folder,
    isOtherUser,
    ms: ms[options.form],
    note: fact => void facts.push(`  ${name}: ${fact}`),
    object: (invariant, what) => void violations.push({ invariant, case: name, what: what.slice(0, 2_000) }),
  };
  try {
    await run(input);
  } catch (error) {
    input.object('the case runs', error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return { violations, facts };
}

/**
 * A protection that is missed by nobody protects nothing: each is taken out of a copy of the
 * product, and that must be noticed.
 */
async function noticeOf(bug: NeighbourBug, options: PartOptions, isOtherUser: boolean): Promise<Violation[]> {
  return await withBug(bug.name, bug.edits, options.dist, async dist => {
    const tried = CASES.find(({ name }) => name === bug.case);
    const found = tried && (await tryOne(tried, { ...options, form: 'short' }, dist, isOtherUser));
    const violations = found?.violations ?? [];
    options.say(`  ${tellNotice(bug, violations)}`);
    return judgeNotice(bug, violations);
  });
}
