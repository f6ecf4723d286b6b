// Loaded before the product in the process of the page's server (--require): counts what it asks of file
// systems, and tells that with its CPU time and memory when it is asked.
import * as files from 'node:fs/promises';

/** What a process has used since it began. */
export interface Used {
  readonly operations: number;
  readonly cpuMs: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
}

const NAMES = ['open', 'opendir', 'lstat', 'stat', 'realpath', 'statfs', 'readFile', 'readdir'] as const;
let operations = 0;

if (process.send !== undefined) {
  const all = files as unknown as Record<string, (...given: unknown[]) => unknown>;
  // What is imported from CommonJS is the very object that the product asks.
  const real = require('node:fs/promises') as typeof all;
  for (const name of NAMES) {
    const does = all[name];
    if (does === undefined) continue;
    real[name] = (...given) => {
      operations += 1;
      return does(...given);
    };
  }
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const used: Used = {
      operations,
      cpuMs: (user + system) / 1_000,
      rssMiB: rss / 1024 ** 2,
      heapMiB: heapUsed / 1024 ** 2,
    };
    process.send?.(used);
  });
  // The channel holds up no end.
  process.channel?.unref();
}
