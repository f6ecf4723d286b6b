// The cases of the part `rate-limits`: callers that are killed, four workers, and four
// workers of which each is killed once.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Operation, SandboxControl } from '../sandbox/control';
import { startSandbox } from '../sandbox/server';
import type { SandboxSettings } from '../sandbox/settings';
import { SeededChance } from './fault-random';
import { Stage } from './fault-stage';
import { judge } from './judge';
import { collectEvidence } from './judge-evidence';
import type { PartOptions, Violation } from './part';
import { type Pace, paceOf, type WindowRule } from './rate-windows';

export interface RateCaseResult {
  readonly name: string;
  readonly pace: Pace;
  readonly refused: number;
  readonly kills: number;
  readonly violations: readonly Violation[];
}

/**
 * Two windows: `spike` requests in `spikeMs`, `hourly` in `hourMs`, as they are on the stand-in's own clock.
 */
export interface Windows {
  readonly spike: number;
  readonly spikeMs: number;
  readonly hourly: number;
  readonly hourMs: number;
}

export interface WorkersInput {
  readonly name: string;
  readonly documents: number;
  readonly windows: Windows;
  /** Each worker once, in turns, when so much of the time that is allowed has gone by. */
  readonly kills?: boolean;
}

const WORKERS = 4;
const CALLERS = 4;
const PATIENCE_MS = 900_000;
const MOST_BETWEEN_KILLS = 20;

/** Callers on one gate, killed and started again at random moments until so many requests were answered. */
export async function runCallers(
  input: { readonly name: string; readonly windows: Windows; readonly requests: number },
  options: PartOptions,
): Promise<RateCaseResult> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-rate-'));
  const sandbox = await startSandbox({ settings: toSettings(input.windows) });
  const chance = new SeededChance(options.seed);
  const start = (): ChildProcess =>
    fork(join(options.dist, 'test', 'chaos', 'rate-caller.js'), [folder, sandbox.apiUrl, String(CALLERS)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  const callers = Array.from({ length: WORKERS }, start);
  const control = new SandboxControl(sandbox.controlUrl);
  let kills = 0;
  try {
    // By what was done rather than by time: on a busy machine nobody would live long enough to do anything.
    for (let next = 0; next < input.requests; next += chance.between(1, MOST_BETWEEN_KILLS)) {
      await until(`${next} requests are answered`, async () => sumOf(await control.requests()) >= next);
      const at = chance.between(0, WORKERS - 1);
      await delay(chance.between(0, 50));
      await kill(callers[at]);
      kills += 1;
      callers[at] = start();
    }
  } finally {
    await Promise.all(callers.map(kill));
    rmSync(folder, { recursive: true, force: true });
  }
  const operations = await control.operations();
  await sandbox.close();
  // What a process sent just before it was killed may be read by the service after the
  // window's end, and count in the next.
  const excused = CALLERS + Math.floor(kills / 25);
  return toResult(input.name, operations, input.windows, kills, [], excused);
}

/** Documents carried by four workers; the judge looks at the documents as well. */
export async function runWorkers(input: WorkersInput, options: PartOptions): Promise<RateCaseResult> {
  const scaled = (ms: number) => Math.max(100, Math.round((ms * input.windows.hourMs) / 3_600_000));
  const stage = await Stage.open({
    dist: options.dist,
    temporalAddress: options.temporalAddress,
    sandbox: toSettings(input.windows),
    share: {
      batch: { quiet: 1_000, maxFiles: Math.min(100, Math.ceil(input.documents / WORKERS)) },
      analysis: {
        firstLook: scaled(5_000),
        every: scaled(8_000),
        typical: scaled(28_000),
        for: scaled(180_000) + 5_000,
      },
    },
  });
  try {
    // Longer waits are handed back to Temporal: both ways of waiting are tried.
    amend(stage, { limits: { maxWait: '4s' } });
    for (let n = 0; n < WORKERS; n++) stage.startWorker();
    // All of them shall be at work from the first request on.
    await untilAllPoll(stage);
    for (let n = 0; n < input.documents; n++) {
      stage.drop(`report-${n}.pdf`, `%PDF-1.7 ${n}`, { healthy: true });
    }
    stage.startWatcher();
    const kills = input.kills === true ? await killEachOnce(stage, input) : 0;
    await untilSettled(stage, input.documents);
    const evidence = await collectEvidence(stage.control, stage.shareFolder, stage.dropped);
    const violations = judge(evidence, {
      mode: 'at-rest',
      case: input.name,
      ...stage.judgement(evidence, { interruptions: kills }),
    });
    return toResult(input.name, evidence.operations, input.windows, kills, violations);
  } finally {
    await stage.close();
  }
}

function toSettings({ spike, spikeMs, hourly, hourMs }: Windows): Partial<SandboxSettings> {
  const timeScale = 3_600_000 / hourMs;
  return {
    timeScale,
    limits: { hourly, spike, spikeWindowSeconds: (spikeMs / 1_000) * timeScale },
    // These run with the scaled clock too, and are not what this part is about.
    tokenLifetimeSeconds: 3_600 * timeScale,
    urlLifetimeSeconds: 3_600 * timeScale,
  };
}

function toResult(
  name: string,
  operations: readonly Operation[],
  windows: Windows,
  kills: number,
  found: readonly Violation[],
  excused = 0,
): RateCaseResult {
  const counted = operations.filter(({ kind, route }) => kind === 'request' && isPaid(route));
  const refused = counted.filter(({ status }) => status === 429).length;
  const early = operations.filter(
    ({ kind, what }) => kind === 'violation' && what === 'request-while-limited',
  );
  const rules: readonly WindowRule[] = [
    { limit: windows.spike, lengthMs: windows.spikeMs },
    { limit: windows.hourly, lengthMs: windows.hourMs },
  ];
  const timesMs = counted.filter(({ status }) => status !== 429).map(({ at }) => at);
  const limited = [
    ...(refused > excused ? [`${refused} requests were answered 429`] : []),
    ...(early.length > excused ? [`${early.length} requests while the limit was known to be spent`] : []),
  ];
  return {
    name,
    pace: paceOf({ timesMs, rules }),
    refused,
    kills,
    violations: [
      ...found,
      ...limited.map(what => ({ invariant: '16 no request while the window is spent', case: name, what })),
    ],
  };
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What counts against the limit: neither bytes to storage nor calls to the authentication host. */
function isPaid(route: string): boolean {
  return !route.startsWith('storage.') && !route.startsWith('oauth.');
}

async function killEachOnce(stage: Stage, { documents, windows }: WorkersInput): Promise<number> {
  const requests = 3 * documents;
  const allowedMs = Math.max(
    (requests / windows.spike) * windows.spikeMs,
    (requests / windows.hourly) * windows.hourMs,
  );
  const first = [...stage.workers];
  for (const worker of first) {
    await delay(allowedMs / (WORKERS + 2));
    await worker.kill();
    stage.startWorker();
  }
  return first.length;
}

function amend(stage: Stage, settings: Readonly<Record<string, unknown>>): void {
  const file = join(stage.folder, 'drawbridge.json');
  const written = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...written, ...settings }));
}

async function untilAllPoll(stage: Stage): Promise<void> {
  const { workflowService } = stage.client;
  await until('all workers poll', async () => {
    if (stage.workers.some(({ isRunning }) => !isRunning)) throw new Error('a worker has ended by itself');
    const { pollers } = await workflowService.describeTaskQueue({
      namespace: stage.namespace,
      taskQueue: { name: 'drawbridge' },
      taskQueueType: 2,
    });
    return new Set(pollers?.map(({ identity }) => identity)).size >= WORKERS;
  });
}

async function untilSettled(stage: Stage, documents: number): Promise<void> {
  await until('all documents are revisions and put away', async () => {
    const revisions = (await stage.control.revisions()).filter(({ uploadId }) => uploadId !== null);
    return revisions.length >= documents && stage.isSettled;
  });
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS / 1_000} s: ${what}`);
    await delay(100);
  }
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
