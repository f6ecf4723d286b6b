// The part `two-temporals`: two Temporals, each with a server, a worker and a watcher of its own, see one
// share. One is killed, stands still, loses its database, or has its batches taken by an operator's word
// while it is at work. Whichever of them ends a batch, every file is one revision, and its receipt is true.
import { setTimeout as delay } from 'node:timers/promises';
import { attendToRuns } from './fault-people';
import { inTurns } from './fault-turns';
import { createChance, shuffle } from './kill-points';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { DEEDS, type Deed, TwoTemporals } from './two-temporals-bed';

const NIGHTS = { short: 1, long: 8 } as const;
/** One after the other on the same share: sides change their parts. */
const DEEDS_A_NIGHT = { short: 2, long: 12 } as const;
/** Writing requests of a night's deed, the moments at which it is done. */
const MOST_REQUESTS = 16;
/** The longest pause between two tries is a minute. */
const PATIENCE_MS = 180_000;
const ATTEND_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 100;

export const twoTemporals: ChaosPart = {
  name: 'two-temporals',
  about: 'two Temporals on one share: kills, standing still, lost databases, take-overs by word',
  run: runTwoTemporals,
};

interface NightResult {
  readonly deeds: readonly Deed[];
  readonly documents: number;
  readonly violations: readonly Violation[];
}

async function runTwoTemporals(options: PartOptions): Promise<PartResult> {
  const nights = Array.from({ length: NIGHTS[options.form] }, (_, index) => `night ${index + 1}`);
  const wanted = nights.filter(name => options.only === undefined || name === options.only);
  const results: NightResult[] = [];
  const broken: Violation[] = [];
  await inTurns(wanted, Math.max(1, Math.floor(options.atOnce / 4)), async name => {
    try {
      results.push(await runNight(name, options));
    } catch (error: unknown) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      options.say(`  ${name}: ${what}`);
      broken.push({ invariant: 'the case runs', case: name, what });
    }
  });
  const deeds = results.flatMap(each => each.deeds);
  return {
    cases: deeds.length,
    violations: [...broken, ...results.flatMap(each => each.violations)],
    figures: {
      documents: results.reduce((sum, each) => sum + each.documents, 0),
      'done to one of the two': DEEDS.map(
        deed => `${deed} ${deeds.filter(each => each === deed).length}`,
      ).join(', '),
    },
  };
}

async function runNight(name: string, options: PartOptions): Promise<NightResult> {
  const chance = createChance(options.seed * 1_000 + Number(name.replaceAll(/\D/g, '')));
  const deeds = Array.from({ length: Math.ceil(DEEDS_A_NIGHT[options.form] / DEEDS.length) }, () =>
    shuffle(DEEDS, chance),
  )
    .flat()
    .slice(0, DEEDS_A_NIGHT[options.form]);
  const bed = await TwoTemporals.open(options);
  const done: Deed[] = [];
  const violations: Violation[] = [];
  try {
    if (!(await bed.saysWhoseItIs()))
      violations.push({
        invariant: 'a watcher of another Temporal says so',
        case: name,
        what: 'The second watcher did not say that the share is watched elsewhere.',
      });
    for (const deed of deeds) {
      const moment = 1 + Math.floor(chance() * MOST_REQUESTS);
      const where = `${name}: ${deed} at request ${moment}`;
      const began = performance.now();
      await bed.carryOut(deed, moment, chance);
      const ended = await settle(bed);
      if (!ended) violations.push({ invariant: 'the case ends', case: where, what: 'Not settled in time.' });
      violations.push(...(await bed.judge(where)));
      done.push(deed);
      options.say(
        `  ${where}: ${violations.length} violations, ${Math.round((performance.now() - began) / 1_000)} s`,
      );
      if (violations.length > 0) break;
    }
    for (const { case: where, invariant, what } of violations)
      options.say(`  ${where}: ${invariant}: ${what}`);
    return { deeds: done, documents: bed.documents, violations };
  } finally {
    await bed.close();
  }
}

/** Until nothing is left on the share, and no run of either side goes on. */
async function settle(bed: TwoTemporals): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let attendedMs = 0; performance.now() < deadline; ) {
    bed.requireProcesses();
    if (bed.isSettled) {
      // Runs of the one that is not there end with the batch, too, once it is.
      await bed.bringBack();
      if (!(await bed.isAnyRunning())) return true;
    }
    if (performance.now() - attendedMs > ATTEND_EVERY_MS) {
      for (const client of bed.clients) await attendToRuns(client);
      attendedMs = performance.now();
    }
    await delay(LOOK_EVERY_MS);
  }
  return false;
}
