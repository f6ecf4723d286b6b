// A steady stream into folders that sort early, from several droppers, and now and then a file of
// somebody quiet: nobody waits behind what came later and from somebody busier. The watcher on a
// share, without Temporal and service.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type * as WatcherModule from '../../client/watch/watcher';
import { submitted } from '../activities/share/share-test-bed';
import { judgeTurns, type Turn } from './fairness-turns';
import { SeededChance } from './fault-random';
import { openShareOf } from './neighbour-claims';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';

export const fairness: ChaosPart = {
  name: 'fairness',
  about: 'a steady stream from busy droppers, and files of quiet ones between: whose turn comes when',
  run: runFairness,
};

const SHAPES = { short: 3, long: 40 } as const;
const BATCHES = { short: 14, long: 60 } as const;
const FILES_A_BATCH = 4;
const SETTLE_MS = 50;
/** A batch on its way, as far as the intake knows. */
const BATCH_MS = 60;
/** More than the judge allows anybody to wait, in batches. */
const MOST_WAITED = 20;
const PATIENCE_MS = 90_000;

interface Shape {
  readonly name: string;
  /** Folders, each of a dropper who has more to give than is taken. */
  readonly busy: readonly string[];
  readonly quiet: readonly string[];
}

async function runFairness(options: PartOptions): Promise<PartResult> {
  const shapes = Array.from({ length: SHAPES[options.form] }, (_, at) => drawShape(options.seed + at));
  const chosen = shapes.filter(({ name }) => options.only === undefined || name.includes(options.only));
  const violations: Violation[] = [];
  let [files, most] = [0, 0];
  const queue = [...chosen];
  const runners = Array.from({ length: Math.min(3, options.atOnce) }, async () => {
    for (let shape = queue.shift(); shape !== undefined; shape = queue.shift()) {
      const { name } = shape;
      const found = await tryShape(shape, options).catch((error: unknown) => ({
        turns: [],
        violations: [
          ['the case runs', error instanceof Error ? (error.stack ?? '') : String(error)] as const,
        ],
        mostBefore: 0,
      }));
      files += found.turns.length;
      most = Math.max(most, found.mostBefore);
      violations.push(...found.violations.map(([invariant, what]) => ({ invariant, case: name, what })));
      options.say(`  ${found.violations.length === 0 ? 'fair' : 'not fair'}: ${name}`);
    }
  });
  await Promise.all(runners);
  return {
    cases: chosen.length,
    violations,
    figures: { 'files claimed': files, 'most younger files of busier ones before one': most },
  };
}

function drawShape(seed: number): Shape {
  const chance = new SeededChance(seed);
  const busy = Array.from({ length: chance.between(1, 4) }, (_, at) =>
    chance.pick([`aaa-${at}`, `000-${at}/deep`, `a/${at}`, `B${at}/x/y`]),
  );
  const quiet = chance.shuffle(['zzz/urgent.pdf', 'zz-loose.pdf', 'quiet/sheet.pdf', 'Ω/last.pdf']);
  const name = `seed ${seed}: ${busy.length} busy, ${quiet.length} quiet`;
  return { name, busy: [...new Set(busy)], quiet };
}

async function tryShape(shape: Shape, options: PartOptions) {
  const { watchShare } = require(join(options.dist, 'client', 'watch', 'watcher.js')) as typeof WatcherModule;
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(parent, 'drawbridge-fairness-'));
  const ending = new AbortController();
  const turns: Turn[] = [];
  const dropped = new Map<string, number>();
  let batch = 0;
  const share = await openShareOf(options.dist, folder, {
    settleMs: SETTLE_MS,
    scanEveryMs: 100,
    quietMs: SETTLE_MS,
    maxBatchFiles: FILES_A_BATCH,
    maxOpenBatches: 2,
  });
  const drop = (path: string): void => {
    mkdirSync(dirname(join(folder, 'drop', path)), { recursive: true });
    writeFileSync(join(folder, 'drop', path), `%PDF ${path}`);
    dropped.set(path, batch);
  };
  const watching = watchShare({
    share,
    signal: ending.signal,
    logger: { info: () => undefined, warn: () => undefined },
    starter: {
      start: async ({ batchId }) => {
        void settleLater(share, batchId);
        return 'started';
      },
      find: async () => 'already-running',
      wake: async () => true,
      shareOfRun: async () => undefined,
    },
    onEvent: event => {
      if (event.event === 'file-claimed')
        turns.push({ path: event.path, droppedAt: dropped.get(event.path) ?? 0, claimedAt: batch });
      if (event.event === 'batch-claimed') batch += 1;
    },
  });
  try {
    const batches = BATCHES[options.form];
    const quiet = shape.quiet.map((path, at) => ({ path, at: 2 + at * 2 }));
    const deadline = performance.now() + PATIENCE_MS;
    // Whoever came late has as many batches for his turn as those who came early.
    const mayStillCome = () =>
      shape.quiet.some(path => {
        const since = dropped.get(path);
        return (
          since === undefined || (batch - since <= MOST_WAITED && !turns.some(turn => turn.path === path))
        );
      });
    const isGoingOn = () => batch < batches || mayStillCome();
    for (let number = 0; isGoingOn() && performance.now() < deadline; await delay(10)) {
      // Always more than is taken.
      const waiting = dropped.size - turns.length;
      for (const busy of waiting < 12 * FILES_A_BATCH ? shape.busy : []) drop(`${busy}/f-${number++}.pdf`);
      for (const each of quiet) if (batch >= each.at && !dropped.has(each.path)) drop(each.path);
    }
    if (batch < batches)
      return { turns, mostBefore: 0, violations: [['15 everything ends', `${batch} batches`] as const] };
    return { turns, ...judgeTurns({ turns, ...shape, filesABatch: FILES_A_BATCH }) };
  } finally {
    ending.abort();
    await watching;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function settleLater(share: Awaited<ReturnType<typeof openShareOf>>, batchId: string): Promise<void> {
  await delay(BATCH_MS);
  // The end of the case takes the share away under it.
  await share
    .readSeal(batchId)
    .then(({ manifest }) =>
      share.settleUp(
        batchId,
        manifest.files.map(({ index }) => submitted(index)),
        { final: true },
      ),
    )
    .catch(() => undefined);
}
