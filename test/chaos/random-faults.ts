// The part `random-faults`: seeded cases in which any fault strikes at any time. Half of them are judged
// while the faults go on (safety), half after they have stopped and everything has ended (liveness).
import { availableParallelism } from 'node:os';
import { findThinCells, LEAST_HITS, sumCoverage, tabulateCoverage } from './coverage';
import { type FaultPlan, planFaults } from './fault-plan';
import { inTurns } from './fault-turns';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { type CaseResult, runCase } from './random-case';

const CASES = { short: 8, long: 40 } as const;
/**
 * Of a machine on which so little is done between two faults that a cell was hit too seldom: so many more.
 */
const MOST_FURTHER_CASES = 6;
const FURTHER_AT_ONCE = 2;
const DOCUMENTS_A_CASE = 250;
/**
 * A case has several processes that work, and are killed and started. More of them at one time wait for each
 * other until the faults end, and little is sent that a fault could strike.
 */
const MOST_AT_ONCE = 2 * availableParallelism();
/** Violations of a case that are told while it is fresh. */
const MOST_SAID = 6;

export const randomFaults: ChaosPart = {
  name: 'random-faults',
  about: 'any fault at any time, by seed: safety while faults go on, liveness when they stop',
  // Starved, its processes read late that they are to wait, and do little that a fault could strike.
  needs: 'the machine for itself',
  run: runRandomFaults,
};

async function runRandomFaults(options: PartOptions): Promise<PartResult> {
  const played: Played = { results: [], broken: [] };
  const play = async (from: number, count: number) => {
    const plans = Array.from({ length: count }, (_, index) =>
      planFaults(options.seed, from + index + 1, DOCUMENTS_A_CASE),
    ).filter(({ name }) => options.only === undefined || name === options.only);
    const atOnce = Math.min(options.atOnce, MOST_AT_ONCE);
    await inTurns(plans, atOnce, plan => playCase(plan, options, played));
  };
  const coverageNow = () => sumCoverage(played.results.map(each => each.coverage));
  // One case alone proves nothing about coverage.
  const thinNow = () => (options.only === undefined ? findThinCells(coverageNow()) : []);

  let begun = CASES[options.form];
  await play(0, begun);
  for (const most = begun + MOST_FURTHER_CASES; thinNow().length > 0 && begun < most; ) {
    const cells = thinNow().map(({ cell, hits }) => `cell ${cell} (${hits})`);
    options.say(`hit less than ${LEAST_HITS} times: ${cells.join(', ')}. Further seeds`);
    await play(begun, FURTHER_AT_ONCE);
    begun += FURTHER_AT_ONCE;
  }
  const { results, broken } = played;
  return {
    cases: results.length + broken.length,
    violations: [
      ...broken,
      ...results.flatMap(each => each.violations),
      ...thinNow().map(({ cell, hits }) => ({
        invariant: `every decisive cell is hit at least ${LEAST_HITS} times`,
        case: `seed ${options.seed}`,
        what: `cell ${cell} was hit ${hits} times`,
      })),
    ],
    figures: toFigures(results),
    tables: tabulateCoverage(coverageNow()),
  };
}

interface Played {
  readonly results: CaseResult[];
  /** Cases that did not come to their judge. */
  readonly broken: Violation[];
}

async function playCase(plan: FaultPlan, options: PartOptions, { results, broken }: Played): Promise<void> {
  const began = performance.now();
  try {
    const result = await runCase(plan, options);
    results.push(result);
    options.say(
      `${plan.name} (${plan.mode}): ${result.revisions} of ${result.documents} documents are revisions, ${result.requests} requests, ${result.violations.length} violations, ${Math.round((performance.now() - began) / 1_000)} s`,
    );
    if (result.violations.length > 0) options.say(`  again: ${replay(options, plan.name)}`);
    for (const { invariant, what } of result.violations.slice(0, MOST_SAID))
      options.say(`  ${invariant}: ${what}`);
  } catch (error: unknown) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    broken.push({ invariant: 'the case runs', case: plan.name, what });
  }
}

function toFigures(results: readonly CaseResult[]): Record<string, number | string> {
  const sum = (countOf: (result: CaseResult) => number) =>
    results.reduce((total, result) => total + countOf(result), 0);
  const deeds = new Map<string, number>();
  for (const result of results) {
    for (const [kind, count] of result.deeds) deeds.set(kind, (deeds.get(kind) ?? 0) + count);
  }
  const recoveries = results.flatMap(({ recoveryMs }) => (recoveryMs === undefined ? [] : [recoveryMs]));
  return {
    documents: sum(({ documents }) => documents),
    revisions: sum(({ revisions }) => revisions),
    requests: sum(({ requests }) => requests),
    strikes: sum(({ coverage }) => [...coverage.strikes.values()].reduce((all, count) => all + count, 0)),
    'done to processes, hosts, files and by people': [...deeds]
      .sort()
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', '),
    'longest way back once faults stop, s': Math.round(Math.max(0, ...recoveries) / 1_000),
  };
}

function replay({ seed, form }: PartOptions, name: string): string {
  return `npm run chaos -- random-faults --seed ${seed}${form === 'long' ? ' --long' : ''} --only "${name}"`;
}
