// Row 15: how long `npm test` takes, from its start to its end, whatever of it was kept from an earlier run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Figure, row } from '../figures';

/** The bench runs from dist/. */
const ROOT = join(__dirname, '..', '..', '..', '..');
/** What the bench has set for itself, as the address of its Temporal, is not there for people who test. */
const OF_THE_BENCH = /^DRAWBRIDGE_(TEST|BENCH)_/;

export async function benchSuite(): Promise<Figure[]> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_THE_BENCH.test(name)));
  const beganMs = performance.now();
  // What it says goes where the bench's own words go: standard output is for the table.
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'test.mjs')], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 2, 'inherit'],
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const minutes = (performance.now() - beganMs) / 60_000;
  if (code === 0) return [row('suite', minutes)];
  const end = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return [row('suite', `it ${end} after ${minutes.toFixed(1)} minutes`)];
}
