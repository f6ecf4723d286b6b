// A drop of 100,000 small files: how soon the watcher claims the first once its folder is whole, how
// many claims a second, and how much memory and CPU it takes; the same for a million, and for a
// share on which a million documents are finished. The watcher runs in a process of its own,
// with the limits of the product's, so that its memory is its own.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openShare } from '../../../activities/share/open-share';
import { SHARE_DEFAULTS } from '../../../activities/share/share-config';
import { HashPool } from '../../../activities/transfer/hashing/hash-file';
import { watchShare } from '../../../client/watch/watcher';
import { PROJECT, writeFinishedShare } from '../page/finished-share';

export interface WatcherFigures {
  readonly files: number;
  /** From the moment the first folder can have settled, and been quiet, to the claim of its first file. */
  readonly firstClaimMs: number;
  readonly claimsPerSecond: number;
  /** Of its last tenth over its first: below 1 where it grows slower. */
  readonly lastOverFirst: number;
  /** User and system, threads included; of a claimed file. */
  readonly cpuMsPerFile: number;
  readonly peakRssMiB: number;
}

export interface WatcherBench {
  readonly files?: number;
  /** Jobs of a hundred documents that are finished already. */
  readonly finishedJobs?: number;
}

const FOLDERS = 50;
const DOCUMENTS_A_JOB = 100;
const KEY = Buffer.alloc(32, 7);
const LIMITS = require.resolve('../../../workers/process-limits');

export async function benchWatcher({
  files = 100_000,
  finishedJobs = 0,
}: WatcherBench = {}): Promise<WatcherFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'drawbridge-bench-'));
  try {
    await fillDrop(join(folder, 'drop'), files);
    const jobs = Array.from({ length: finishedJobs }, () => DOCUMENTS_A_JOB);
    if (jobs.length > 0) await writeFinishedShare({ root: folder, key: KEY, jobs });
    const input = JSON.stringify({ folder, files });
    const child = spawn(process.execPath, ['--require', LIMITS, __filename, input], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text;
    });
    const code = await new Promise<number | null>(resolve => child.once('close', resolve));
    if (code !== 0) throw new Error(`The watcher's process ended with ${code}.`);
    return JSON.parse(output) as WatcherFigures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fillDrop(drop: string, files: number): Promise<void> {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    await mkdir(join(drop, `folder ${folder}`), { recursive: true });
  }
  const content = Buffer.alloc(200, 'x');
  for (let index = 0; index < files; index += 500) {
    const portion = Array.from({ length: Math.min(500, files - index) }, (_, offset) => index + offset);
    await Promise.all(
      portion.map(async number => {
        await writeFile(join(drop, `folder ${number % FOLDERS}`, `plan ${number}.pdf`), content);
      }),
    );
  }
}

async function watchToTheEnd(input: { readonly folder: string; readonly files: number }): Promise<void> {
  const hasher = new HashPool();
  const logger = { info: () => undefined, warn: () => undefined };
  const share = await openShare(
    {
      ...SHARE_DEFAULTS,
      name: 'bench',
      folder: input.folder,
      project: PROJECT,
      maxOpenBatches: Number.MAX_SAFE_INTEGER,
      policy: {
        conflict: { kind: 'ask' },
        missing: 'hold',
        holdMs: 1,
        conflictRetryMs: 1,
        lookAgain: { everyMs: 1, forMs: 1 },
        analysis: { firstLookMs: 1, everyMs: 1, typicalMs: 1, forMs: 1 },
        transferChunk: 10,
        linkWithinMs: 1,
        naming: 'file',
        patternFields: [],
        createOneByOne: false,
        defaults: {},
      },
    },
    { hasher, logger, key: KEY },
  );
  const beganMs = performance.now();
  let firstMs = 0;
  let lastMs = 0;
  let claimed = 0;
  const tenths: number[] = [];
  let peakRss = 0;
  const stop = new AbortController();
  const sampler = setInterval(() => {
    peakRss = Math.max(peakRss, process.memoryUsage.rss());
  }, 50);
  await watchShare({
    share,
    starter: {
      find: async () => 'already-running' as const,
      start: async () => 'started',
      wake: async () => true,
      shareOfRun: async () => undefined,
    },
    logger,
    signal: stop.signal,
    onEvent: event => {
      if (event.event !== 'file-claimed') return;
      claimed += 1;
      lastMs = performance.now();
      if (claimed === 1) firstMs = lastMs;
      if (claimed % Math.ceil(input.files / 10) === 0) tenths.push(lastMs);
      if (claimed === input.files) stop.abort();
    },
  });
  clearInterval(sampler);
  await hasher.close();
  const cpu = process.cpuUsage();
  const figures: WatcherFigures = {
    files: claimed,
    firstClaimMs: Math.round(firstMs - beganMs - SHARE_DEFAULTS.settleMs - SHARE_DEFAULTS.quietMs),
    claimsPerSecond: Math.round(claimed / ((lastMs - firstMs) / 1_000)),
    lastOverFirst: (tenthMs(tenths, 1) ?? 0) / (tenthMs(tenths, tenths.length - 1) ?? 1),
    cpuMsPerFile: (cpu.user + cpu.system) / 1_000 / claimed,
    peakRssMiB: Math.round(peakRss / 1024 ** 2),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

/** The first one begins with the first claim, which nothing came before: the second stands for it. */
function tenthMs(tenths: readonly number[], at: number): number | undefined {
  const [from, to] = [tenths[at - 1], tenths[at]];
  return from === undefined || to === undefined ? undefined : to - from;
}

if (require.main === module) void watchToTheEnd(JSON.parse(process.argv[2] ?? '{}'));
