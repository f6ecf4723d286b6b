// Loaded into a worker before anything of the product: at SIGUSR2 it writes the 99th percentile of its event
// loop's delay since the last one, in milliseconds, to the file that LOOP_DELAY_FILE names.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;

const file = process.env.LOOP_DELAY_FILE ?? '';
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('SIGUSR2', () => {
  // A loop that is never late is told as the pause between two looks.
  const lateMs = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
  delay.reset();
  writeFileSync(`${file}.part`, String(lateMs));
  renameSync(`${file}.part`, file);
});
