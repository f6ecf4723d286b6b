// A drop of 100,000 small files: how soon the watcher claims the first after it has settled, how
// many claims a second, and how much memory it takes. The watcher runs in a process of its own,
// so that its memory is its own.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openShare } from '../../activities/share/open-share';
import { SHARE_DEFAULTS } from '../../activities/share/share-config';
import { HashPool } from '../../activities/transfer/hashing/hash-file';
import { watchShare } from '../../client/watch/watcher';

export interface WatcherFigures {
  readonly files: number;
  /** From the moment the first file can have settled to its claim. */
  readonly firstClaimMs: number;
  readonly claimsPerSecond: number;
  readonly peakRssMiB: number;
}

const FOLDERS = 50;

/** @param execArgv what node needs to run this very file as a script of its own. */
export async function benchWatcher(
  files = 100_000,
  execArgv: readonly string[] = [],
): Promise<WatcherFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'drawbridge-bench-'));
  try {
    await fillDrop(join(folder, 'drop'), files);
    const child = spawn(process.execPath, [...execArgv, __filename, JSON.stringify({ folder, files })], {
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
      project: { companyId: '1', projectId: '2' },
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
    { hasher, logger, key: Buffer.alloc(32, 7) },
  );
  const beganMs = performance.now();
  let firstMs = 0;
  let lastMs = 0;
  let claimed = 0;
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
    },
    logger,
    signal: stop.signal,
    onEvent: event => {
      if (event.event !== 'file-claimed') return;
      claimed += 1;
      lastMs = performance.now();
      if (claimed === 1) firstMs = lastMs;
      if (claimed === input.files) stop.abort();
    },
  });
  clearInterval(sampler);
  await hasher.close();
  const figures: WatcherFigures = {
    files: claimed,
    firstClaimMs: Math.round(firstMs - beganMs - SHARE_DEFAULTS.settleMs),
    claimsPerSecond: Math.round(claimed / ((lastMs - firstMs) / 1_000)),
    peakRssMiB: Math.round(peakRss / 1024 ** 2),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

if (require.main === module) void watchToTheEnd(JSON.parse(process.argv[2] ?? '{}'));
