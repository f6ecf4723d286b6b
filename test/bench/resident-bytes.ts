// Memory of a whole process by Linux's own count; the bench is for Linux.
import { readFileSync } from 'node:fs';

const SAMPLE_EVERY_MS = 50;

/** The most that the process had while that was done. */
export async function watchPeakBytes<T>(
  pid: () => number,
  work: () => Promise<T>,
): Promise<{ readonly peakBytes: number; readonly result: T }> {
  let peakBytes = residentBytes(pid());
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(pid()));
  }, SAMPLE_EVERY_MS);
  try {
    const result = await work();
    return { peakBytes, result };
  } finally {
    clearInterval(sampler);
  }
}

function residentBytes(pid: number): number {
  try {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    return Number(kib) * 1_024;
  } catch {
    return 0;
  }
}
