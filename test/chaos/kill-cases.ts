// Runs kill cases: a run without a kill that lists the boundaries, then each case on a bed
// of its own, so many at a time.

import { FreshServers } from './fresh-servers';
import type { Evidence } from './judge-evidence';
import { KillBed, type KillBedOptions, toViolation } from './kill-bed';
import type { KillPlay } from './kill-plays';
import { type CaseEnd, fingerprintOf, KillRecord } from './kill-record';
import type { PartOptions, PartResult, Violation } from './part';

/** Where a process is killed, one start after the other; the last start is left alone. */
export interface KillPlan {
  readonly kills: readonly string[];
}

export type Killed = 'worker' | 'watch';

export interface KillCases {
  /** Of the part, for the record of a long run. */
  readonly part: string;
  readonly killed: Killed;
  readonly play: KillPlay;
  readonly planOf: (boundaries: readonly string[]) => readonly KillPlan[];
}

/** Runs a case with the address of a Temporal server; undefined for the one that all parts share. */
type Lend = <Result>(work: (address: string | undefined) => Promise<Result>) => Promise<Result>;

interface Bench {
  readonly play: KillPlay;
  readonly dist: string;
  readonly lend: Lend;
}

/**
 * A case waits most of its time, for the half minute after which a killed activity is found: of many, where
 * nothing runs beside them, more fit.
 */
const CASES_FOR_ONE = { short: 1, long: 3 } as const;
/**
 * When a boundary was not reached, because the run went another way by chance,
 * the case is run again this often.
 */
const MORE_TRIES = 1;

export async function runKills(
  { part, killed, play, planOf }: KillCases,
  options: PartOptions,
): Promise<PartResult> {
  const census = await takeCensus(killed, play, options);
  const record = openRecord(part, options, census.boundaries);
  const plans = planOf(record?.boundaries ?? census.boundaries).filter(
    plan => options.only === undefined || nameOf(killed, plan).includes(options.only),
  );
  options.say(`  ${census.boundaries.length} boundaries in a run without a kill, ${plans.length} cases`);
  const violations: Violation[] = [...census.violations];
  const counts = { kills: 0, whole: 0, partly: 0, never: 0 };
  const notReached: string[] = [];
  const queue = [...plans];
  const servers = options.form === 'long' ? new FreshServers(options.temporalCli) : undefined;
  const lend: Lend = async work => await (servers === undefined ? work(undefined) : servers.lend(work));
  const runner = async (): Promise<void> => {
    for (let plan = queue.shift(); plan !== undefined; plan = queue.shift()) {
      const name = nameOf(killed, plan);
      const known = record?.endOf(name);
      const bench = { play, dist: options.dist, lend };
      const end = known ?? (await tryCase(killed, plan, bench, census.evidence));
      if (known === undefined) record?.note(name, end);
      counts.kills += end.reached;
      if (end.reached === plan.kills.length) counts.whole += 1;
      else if (end.reached > 0) counts.partly += 1;
      else counts.never += 1;
      if (end.reached < plan.kills.length) notReached.push(name);
      violations.push(...end.violations);
      for (const { case: where, invariant, what } of end.violations)
        options.say(`  ${where}: ${invariant}: ${what}`);
      const done = counts.whole + counts.partly + counts.never;
      if (done % 10 === 0) options.say(`  ${done} of ${plans.length} cases, ${counts.kills} kills`);
    }
  };
  const runners = Math.min(CASES_FOR_ONE[options.form] * options.atOnce, plans.length);
  try {
    await Promise.all(Array.from({ length: runners }, runner));
  } finally {
    await servers?.close();
  }
  return {
    cases: plans.length + 1,
    violations,
    figures: {
      'boundaries of a run without a kill': census.boundaries.length,
      'cases with one kill': plans.filter(({ kills }) => kills.length === 1).length,
      'cases with two kills': plans.filter(({ kills }) => kills.length === 2).length,
      kills: counts.kills,
      'cases in which every ordered kill was reached': counts.whole,
      'cases in which only the first was reached': counts.partly,
      'cases in which none was reached': counts.never,
    },
    tables: notReached.length === 0 ? [] : [['  not wholly reached:', ...notReached].join('\n    ')],
  };
}

/** Cases that are asked for by name are run, whatever was seen of them. */
function openRecord(
  part: string,
  { record, only, form, seed, dist }: PartOptions,
  boundaries: readonly string[],
): KillRecord | undefined {
  if (record === undefined || only !== undefined) return undefined;
  return new KillRecord(record, `${part}-${form}-${seed}`, fingerprintOf(dist), boundaries);
}

async function takeCensus(
  killed: Killed,
  play: KillPlay,
  { dist }: PartOptions,
): Promise<{ boundaries: string[]; evidence: Evidence; violations: Violation[] }> {
  const bed = await KillBed.open({ play, dist, case: 'without a kill' });
  try {
    const counted = await begin(bed, killed);
    await bed.untilSettledOrEnded(counted);
    const evidence = await bed.evidence();
    const boundaries = bed.boundaries(killed);
    return { boundaries, evidence, violations: await bed.judgeEnd(undefined) };
  } finally {
    await bed.close();
  }
}

async function tryCase(
  killed: Killed,
  plan: KillPlan,
  { play, dist, lend }: Bench,
  faultless: Evidence,
): Promise<CaseEnd> {
  const name = nameOf(killed, plan);
  let best: CaseEnd = { reached: 0, violations: [] };
  for (let turn = 0; turn <= MORE_TRIES; turn++) {
    const end = await lend(async address => {
      const bedOptions = {
        play,
        dist,
        case: name,
        ...(address === undefined ? {} : { temporalAddress: address }),
      };
      return await runCase(bedOptions, killed, plan, faultless);
    }).catch((error: unknown) => ({
      reached: plan.kills.length,
      violations: [toViolation(error, name)],
    }));
    if (end.violations.length > 0 || end.reached >= best.reached) best = end;
    if (end.violations.length > 0 || end.reached === plan.kills.length) break;
  }
  return best;
}

async function runCase(
  options: KillBedOptions,
  killed: Killed,
  { kills }: KillPlan,
  faultless: Evidence,
): Promise<CaseEnd> {
  const bed = await KillBed.open(options);
  try {
    let reached = 0;
    let process = await begin(bed, killed, kills[0]);
    for (;;) {
      if ((await bed.untilSettledOrEnded(process)) === 'settled') break;
      reached += 1;
      process = bed.start(killed, kills[reached]);
    }
    return { reached, violations: await bed.judgeEnd(faultless) };
  } finally {
    await bed.close();
  }
}

/** Starts the process that is watched, and the other one, which is not. */
async function begin(bed: KillBed, killed: Killed, killAt?: string) {
  if (killed === 'worker') await bed.rig.startWatcher();
  else bed.start('worker');
  return bed.start(killed, killAt);
}

function nameOf(killed: Killed, { kills }: KillPlan): string {
  return `${killed === 'watch' ? 'watcher' : killed} killed at ${kills.join(', then at ')}`;
}
