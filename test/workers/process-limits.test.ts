// The limits hold in a process that works as ours do: with threads, garbage, and little that lives on.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drawbridge-limits-'));
  const { code } = transformFileSync(join(__dirname, '..', '..', 'workers', 'process-limits.ts'), {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  writeFileSync(join(folder, 'limits.cjs'), code);
  writeFileSync(join(folder, 'telling.cjs'), TELLING);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tells when all limits are set: the last one waits until what a process begins with is loaded. */
const TELLING = `
  const v8 = require('node:v8');
  const { setFlagsFromString } = v8;
  const staying = setInterval(() => undefined, 1_000);
  globalThis.limited = new Promise(resolve => {
    v8.setFlagsFromString = flag => {
      setFlagsFromString(flag);
      if (!flag.startsWith('--heap-growing-percent')) return;
      clearInterval(staying);
      resolve();
    };
  });
`;

/** 30 MiB live on, and 16 MiB for a while; three threads begin meanwhile. */
const WORK = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const { Worker } = require('node:worker_threads');
  const { once } = require('node:events');
  const alive = Array.from({ length: 200_000 }, (_, at) => ({ at, text: 'x' + at }));
  const passing = new Array(200_000);
  let [mostUsed, mostYoung, made] = [0, 0, 0];
  const work = count => {
    for (const end = made + count; made < end; made += 1) {
      passing[made % passing.length] = { made, in: [made] };
      if (made % 20_000 > 0) continue;
      mostUsed = Math.max(mostUsed, process.memoryUsage().heapUsed);
      mostYoung = Math.max(mostYoung, getHeapSpaceStatistics()
        .find(({ space_name: name }) => name === 'new_space').space_size);
    }
  };
  (async () => {
    await globalThis.limited;
    work(1_000_000);
    for (let thread = 0; thread < 3; thread += 1) {
      const worker = new Worker('setInterval(() => undefined, 1_000)', { eval: true });
      await once(worker, 'online');
      work(1_000_000);
      await worker.terminate();
    }
    process.stdout.write(JSON.stringify({ mostUsed, mostYoung, alive: alive.length }));
  })();
`;

function memoryOf(args: readonly string[]): { readonly mostUsed: number; readonly mostYoung: number } {
  // What preloads the tests is of no use there, and takes memory of its own.
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout, stderr, status } = spawnSync(process.execPath, [...args, '-e', WORK], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ReturnType<typeof memoryOf>;
}

test('a process keeps little garbage and a small young generation, threads or not', () => {
  const limited = memoryOf(['-r', join(folder, 'telling.cjs'), '-r', join(folder, 'limits.cjs')]);
  const usual = memoryOf([]);
  // V8 of Node 24 lets it grow by other rules: to 34 MiB here, with the flag and without.
  if (Number(process.versions.node.split('.')[0]) < 24)
    expect(limited.mostYoung).toBeLessThan(0.75 * usual.mostYoung);
  expect(limited.mostUsed).toBeLessThan(0.75 * usual.mostUsed);
});
