// The part `long-waits`: what a waiting of days costs, with a worker whose clock runs so fast that an hour is
// a second. Events and requests are counted from the histories and the stand-in's log; afterwards every
// document must still be carried.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleWorkflowCode } from '@temporalio/worker';
import { startTestServer } from '../setup/temporal-server';
import { FAST_CLOCK_VARIABLE, type FastClockOrder } from './fast-clock-preload';
import { CLOCK_PLACE } from './fast-clock-workflows';
import { lookAtRuns } from './fault-people';
import type { Preload } from './fault-process';
import { Stage } from './fault-stage';
import { inTurns } from './fault-turns';
import { judge } from './judge';
import { collectEvidence } from './judge-evidence';
import { excusedRemarks } from './judge-rules-remarks';
import { WAITINGS, type Waiting } from './long-waits-cases';
import { type Bound, beyond, type Cost, costOf, readEventTimes } from './long-waits-cost';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';

const HOUR_MS = 3_600_000;
/**
 * The server's own clock stays as it is: a pause of minutes must be long beside the
 * milliseconds that a try takes.
 */
const FORMS = {
  short: { hours: 25, scale: HOUR_MS / 1_000, documents: 30, isBounded: true },
  long: { hours: 30 * 24, scale: HOUR_MS / 3_000, documents: 100 },
} as const satisfies Record<string, WaitForm>;
/**
 * Of the long form, of which nobody has told what each case costs: its clock is a third as fast, so more of
 * the tries that are planned for an hour come. Some forty an hour, and a hundred are asked for. One hour is
 * three seconds here or less, so what falls into it is blurred.
 */
const WIDE: Bound = { eventsADay: 2_000, requestsADay: 1_000, requestsAnHour: 200 };
const NO_COST: Cost = { events: 0, eventsADay: 0, requestsADay: 0, requestsAnHour: 0, requests: 0 };
const BEGINS_WITHIN_MS = 240_000;
const BACK_WITHIN_MS = 240_000;
/** Once its days are over; ten days more by the clock of the short form. */
const ASKS_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 100;
/** By itself the server leaves a second between a short pause and its end. */
const NO_PAUSES = 'history.timerProcessorMaxTimeShift="1ms"';

export interface WaitForm {
  /** Of the worker's time. */
  readonly hours: number;
  /** So many of its milliseconds pass in one. */
  readonly scale: number;
  readonly documents: number;
  /** By what each case was seen to cost with this clock and so many documents. */
  readonly isBounded?: boolean;
}

interface WaitEnd {
  readonly name: string;
  readonly cost: Cost;
  readonly violations: readonly Violation[];
}

interface Scene {
  readonly options: WaitOptions;
  readonly form: WaitForm;
  readonly address: string;
  /** With the place for the clock in it. */
  readonly bundle: string;
  readonly folder: string;
}

type WaitOptions = Pick<PartOptions, 'dist' | 'temporalCli' | 'atOnce' | 'say'>;

export const longWaits: ChaosPart = {
  name: 'long-waits',
  about:
    'days of waiting (30 in the long form) by a fast clock: events and requests are counted, then all is carried',
  run: runLongWaits,
};

async function runLongWaits(options: PartOptions): Promise<PartResult> {
  const chosen = WAITINGS.filter(({ name, isLong = false }) =>
    options.only === undefined ? options.form === 'long' || !isLong : name.includes(options.only),
  );
  const form = FORMS[options.form];
  const ends = await runWaitings(chosen, form, options);
  return {
    cases: chosen.length,
    violations: ends.flatMap(({ violations }) => violations),
    figures: {
      'waited, h of simulated time': form.hours,
      documents: chosen.length * form.documents,
      ...Object.fromEntries(
        ends.flatMap(({ name, cost }) => (cost === NO_COST ? [] : [[name, describe(cost)]])),
      ),
    },
  };
}

/** Each on a server of its own that all of them share. One that does not come to its end is a violation. */
export async function runWaitings(
  chosen: readonly Waiting[],
  form: WaitForm,
  options: WaitOptions,
): Promise<readonly WaitEnd[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-waits-'));
  const [server, bundle] = await Promise.all([
    startTestServer({
      cli: options.temporalCli,
      folder,
      logLevel: 'error',
      dynamicConfig: [NO_PAUSES],
    }),
    makeBundle(options.dist),
  ]);
  const ends: WaitEnd[] = [];
  try {
    const scene = { options, form, address: server.address, bundle, folder };
    await inTurns(chosen, options.atOnce, async waiting => {
      try {
        const end = await waitFor(waiting, scene);
        ends.push({ name: waiting.name, ...end });
        options.say(`${waiting.name}: ${describe(end.cost)}, ${end.violations.length} violations`);
      } catch (error: unknown) {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        const violation = { invariant: 'the waiting runs', case: waiting.name, what };
        ends.push({ name: waiting.name, cost: NO_COST, violations: [violation] });
      }
    });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return ends;
}

function describe({ eventsADay, requestsADay, requestsAnHour }: Cost): string {
  return `at most ${eventsADay} events and ${requestsADay} requests in 24 h, ${requestsAnHour} requests in an hour`;
}

async function makeBundle(dist: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(dist, 'workflows', 'index.js'),
    workflowInterceptorModules: [join(__dirname, 'fast-clock-workflows.js')],
    webpackConfigHook: config => ({ ...config, devtool: 'inline-nosources-source-map' }),
    logger: { ...console, trace: none, debug: none, info: none, log: none },
  });
  return code;
}

function none(): void {
  // The bundler has nothing to say to anybody.
}

async function openStage(waiting: Waiting, { options, form, address }: Scene): Promise<Stage> {
  const { scale, documents } = form;
  return await Stage.open({
    dist: options.dist,
    temporalAddress: address,
    // A file is kept for a day of the worker's time; a token lasts.
    sandbox: {
      timeScale: 100,
      linkWithinSeconds: (100 * 24 * HOUR_MS) / 1_000 / scale,
      tokenLifetimeSeconds: 1e9,
    },
    share: {
      batch: { quiet: 500, maxFiles: documents },
      documentName: 'file',
      hold: '90d',
      ...waiting.share,
    },
    // What the rate limit makes wait is handed to Temporal as soon as may be; a time-out of a request is not
    // what is tried here.
    limits: { maxWait: '2s' },
    service: { timeouts: { headers: 30_000, body: 30_000, total: 60_000 } },
  });
}

/** Started now, with the clock of now. */
function makeClock(waiting: Waiting, { form, bundle, folder }: Scene): Preload {
  const clock: FastClockOrder = {
    scale: form.scale,
    originMs: Date.now(),
    bundle: join(folder, `${waiting.name.replaceAll(/\W/g, '-')}.js`),
  };
  writeFileSync(clock.bundle, bundle.replaceAll(CLOCK_PLACE, `${clock.scale}/${clock.originMs}`));
  return {
    module: join(__dirname, 'fast-clock-preload.js'),
    env: { [FAST_CLOCK_VARIABLE]: JSON.stringify(clock) },
  };
}

async function waitFor(
  waiting: Waiting,
  ofAll: Scene,
): Promise<{ readonly cost: Cost; readonly violations: readonly Violation[] }> {
  const scene = { ...ofAll, form: { ...ofAll.form, ...waiting.clock } };
  const { hours, scale, documents, isBounded = waiting.clock !== undefined } = scene.form;
  const stage = await openStage(waiting, scene);
  try {
    const names = waiting.nameFiles?.(documents) ?? nameEach(documents);
    await waiting.prepare(stage, names);
    for (const name of names) stage.drop(name, `%PDF ${waiting.name} ${name}`, { healthy: true });
    stage.startWorker(makeClock(waiting, scene));
    stage.startWatcher();
    await until(stage, BEGINS_WITHIN_MS, 'the waiting has begun', () => waiting.isWaiting(stage));
    // One scan of an empty folder after the other is no part of this.
    await stage.watcher?.kill();
    const before = await countRequests(stage);
    const planned = { fromMs: Date.now(), toMs: Date.now() + (hours * HOUR_MS) / scale };
    await waiting.meanwhile?.(stage, planned);
    await delay(Math.max(0, planned.toMs - Date.now()));
    // What never asks has not waited by the clock, whatever its bound. On a machine with much to do it asks
    // late.
    const hasAsked = async () => (await countRequests(stage)) > before;
    await until(stage, ASKS_WITHIN_MS, 'what waits asks once', hasAsked);
    const span = { ...planned, toMs: Date.now() };
    await waiting.end(stage, names);
    await until(stage, BACK_WITHIN_MS, 'everything is carried', async () => stage.isSettled);
    const bound = (isBounded ? waiting.bound : undefined) ?? WIDE;
    return await judgeWaiting(waiting, stage, { ...span, scale, bound });
  } finally {
    await stage.close();
  }
}

async function countRequests({ control }: Stage): Promise<number> {
  return Object.values(await control.requests()).reduce((sum, count) => sum + count, 0);
}

function nameEach(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `sheet-${n}.pdf`);
}

async function until(
  stage: Stage,
  withinMs: number,
  what: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await isSo()); await delay(LOOK_EVERY_MS)) {
    stage.requireProcesses();
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs / 1_000} s: ${what}`);
  }
}

async function judgeWaiting(
  waiting: Waiting,
  stage: Stage,
  span: { readonly fromMs: number; readonly toMs: number; readonly scale: number; readonly bound: Bound },
): Promise<{ readonly cost: Cost; readonly violations: readonly Violation[] }> {
  const { stopped, histories } = await lookAtRuns(stage.client);
  const events = await readEventTimes(stage.client);
  await stage.killAll();
  const evidence = {
    ...(await collectEvidence(stage.control, stage.shareFolder, stage.dropped)),
    histories,
  };
  const requests = evidence.operations.flatMap(({ kind, at }) => (kind === 'request' ? [at] : []));
  const cost = costOf({ events, requests }, span);
  const days = ((span.toMs - span.fromMs) * span.scale) / (24 * HOUR_MS);
  const found = beyond(cost, span.bound);
  // A machine that is too slow for the clock proves nothing.
  const isTooSlow = cost.requests < waiting.leastRequestsADay * days;
  const carried = evidence.revisions.filter(({ uploadId }) => uploadId !== null).length;
  return {
    cost,
    violations: [
      ...judge(evidence, {
        mode: 'at-rest',
        case: waiting.name,
        ...stage.judgement(evidence),
        // What is waited for strikes each try, and people answer; the clock is none of the stand-in's.
        excused: excusedRemarks({ strikes: 1, deeds: 1 }),
        mostRequests: { any: 'as many as its days allow, and those have bounds of their own' },
      }),
      ...stopped.map(what => ({ invariant: '15 no run ends but by finishing', case: waiting.name, what })),
      ...found.map(what => ({ invariant: 'waiting costs next to nothing', case: waiting.name, what })),
      ...(waiting.find?.(evidence) ?? []).map(what => ({
        invariant: 'what waits is not done again',
        case: waiting.name,
        what,
      })),
      ...(isTooSlow
        ? [
            {
              invariant: 'the machine keeps up with the fast clock',
              case: waiting.name,
              what: `only ${cost.requests} requests in all`,
            },
          ]
        : []),
      ...(carried === stage.dropped.length
        ? []
        : [
            {
              invariant: 'all are carried',
              case: waiting.name,
              what: `${carried} of ${stage.dropped.length}`,
            },
          ]),
    ],
  };
}
