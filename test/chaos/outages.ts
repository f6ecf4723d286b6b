// The part `outages`: in the middle of ten batches, each dependency is away for an hour of the stand-in's
// time, then all of them together, then Temporal's database is gone. Every batch must end, and no
// document may be worse off for it.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePorts } from '../setup/free-port';
import { LogFollower } from './fault-log';
import { lookAtRuns } from './fault-people';
import { Stage } from './fault-stage';
import { inTurns } from './fault-turns';
import { judge } from './judge';
import { collectEvidence } from './judge-evidence';
import { sayWhyLate } from './longest-waits';
import { ABSENCES, type Absence, comeBack, DrillServer, killsServer, leave } from './outage-drills';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import { judgeLateness, untilEnded } from './waiting';

const BATCHES = 10;
const HOUR_MS = 3_600_000;
/**
 * An hour of the stand-in's time in so much of ours. Pauses between tries and heartbeats run in real time.
 */
const FORMS = {
  short: { files: 6, awayMs: 12_000 },
  long: { files: 50, awayMs: 60_000 },
} as const;
/** The longest pause between two tries, and between two looks of the watcher, is a minute each. */
const BACK_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 100;

interface DrillResult {
  readonly absence: Absence;
  readonly violations: readonly Violation[];
  /** When it began. */
  readonly openBatches: number;
  readonly unfinishedDocuments: number;
  readonly requests: number;
  readonly backMs: number;
}

export const outages: ChaosPart = {
  name: 'outages',
  about: 'each dependency away for an hour in the middle of ten batches, all together, the database gone',
  run: runOutages,
};

async function runOutages(options: PartOptions): Promise<PartResult> {
  const chosen = ABSENCES.filter(name => options.only === undefined || name.includes(options.only));
  const results: DrillResult[] = [];
  const broken: Violation[] = [];
  await inTurns(chosen, options.atOnce, async absence => {
    try {
      const result = await drill(absence, options);
      results.push(result);
      options.say(
        `${absence}: ${result.openBatches} batches with ${result.unfinishedDocuments} unfinished documents waited, all ended ${(result.backMs / 1_000).toFixed(0)} s after it was back, ${result.violations.length} violations`,
      );
    } catch (error: unknown) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      broken.push({ invariant: 'the drill runs', case: absence, what });
    }
  });
  const { awayMs, files } = FORMS[options.form];
  return {
    cases: chosen.length,
    violations: [...broken, ...results.flatMap(({ violations }) => violations)],
    figures: {
      documents: results.length * BATCHES * files,
      'away, s of real time': `${awayMs / 1_000} (an hour of the stand-in's time; pauses between tries are real)`,
      'batches waiting / s until all had ended': results
        .map(
          ({ absence, openBatches, backMs }) => `${absence} ${openBatches} / ${Math.round(backMs / 1_000)}`,
        )
        .join(', '),
    },
  };
}

async function drill(absence: Absence, options: PartOptions): Promise<DrillResult> {
  const server = killsServer(absence) ? await openServer(options) : undefined;
  try {
    return await drillOn(server, absence, options);
  } finally {
    await server?.stop();
  }
}

async function openServer({ temporalCli }: PartOptions): Promise<DrillServer> {
  const [port = 0] = await findFreePorts(1);
  const server = new DrillServer(temporalCli, port, mkdtempSync(join(tmpdir(), 'drawbridge-drill-')));
  await server.start();
  return server;
}

async function drillOn(
  server: DrillServer | undefined,
  absence: Absence,
  options: PartOptions,
): Promise<DrillResult> {
  const { awayMs, files } = FORMS[options.form];
  const stage = await Stage.open({
    dist: options.dist,
    temporalAddress: server?.address ?? options.temporalAddress,
    // The one that a server without a database has again.
    ...(server === undefined ? {} : { namespace: 'default' }),
    sandbox: { timeScale: HOUR_MS / awayMs },
    share: { batch: { quiet: 200, maxFiles: files, maxOpen: 2 * BATCHES } },
  });
  try {
    // Slow enough that the outage meets every batch in its middle.
    await stage.control.addFault({ route: 'storage.put', times: 0, action: { kind: 'delay', ms: 250 } });
    for (let index = 0; index < BATCHES * files; index++) {
      const path = `Package ${Math.floor(index / files)}/${absence.replaceAll(/\W/g, '')}-${index}.pdf`;
      stage.drop(path, `%PDF ${absence} ${index}`, { healthy: true });
    }
    stage.startWorker();
    stage.startWatcher();
    const log = new LogFollower(stage.control);
    await untilMidway(stage, log, files);
    const openBatches = stage.openBatches().length;
    const unfinishedDocuments = BATCHES * files - log.revisions;
    await leave(absence, stage, server);
    await delay(awayMs);
    await comeBack(absence, stage, server);
    const ending = await untilEnded({
      isOver: () => stage.isSettled,
      withinMs: BACK_WITHIN_MS,
      lookEveryMs: LOOK_EVERY_MS,
      meanwhile: () => stage.requireProcesses(),
    });
    await sayWhyLate(ending, absence, stage.client, options);
    const judged = await judgeDrill(absence, stage, openBatches);
    return {
      absence,
      openBatches,
      unfinishedDocuments,
      backMs: ending.afterMs ?? Number.POSITIVE_INFINITY,
      requests: judged.requests,
      violations: [...judged.violations, ...judgeLateness(ending, BACK_WITHIN_MS, absence)],
    };
  } finally {
    await stage.close();
  }
}

/** Every batch is open, and a quarter of all files have been sent. */
async function untilMidway(stage: Stage, log: LogFollower, files: number): Promise<void> {
  const deadline = performance.now() + BACK_WITHIN_MS;
  while (stage.openBatches().length < BATCHES || log.requests('storage.put') < (BATCHES * files) / 4) {
    if (performance.now() > deadline) throw new Error('The batches did not get under way.');
    stage.requireProcesses();
    await log.follow();
    await delay(LOOK_EVERY_MS);
  }
}

async function judgeDrill(
  absence: Absence,
  stage: Stage,
  openBatches: number,
): Promise<Pick<DrillResult, 'violations' | 'requests'>> {
  const { stopped, histories } = await lookAtRuns(stage.client);
  await stage.killAll();
  const evidence = {
    ...(await collectEvidence(stage.control, stage.shareFolder, stage.dropped)),
    histories,
  };
  const middle = openBatches < BATCHES ? [`only ${openBatches} batches were open`] : [];
  return {
    requests: evidence.operations.filter(({ kind }) => kind === 'request').length,
    violations: [
      ...judge(evidence, {
        mode: 'at-rest',
        case: absence,
        // The one absence, in the middle of everything.
        ...stage.judgement(evidence, { interruptions: 1 }),
      }),
      ...stopped.map(what => ({ invariant: '15 no run ends but by finishing', case: absence, what })),
      ...middle.map(what => ({ invariant: 'the outage meets ten batches', case: absence, what })),
    ],
  };
}
