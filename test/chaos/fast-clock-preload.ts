// Loaded into a worker of the built product before everything else (`node -r`): its clock runs
// many times faster, and what it asks Temporal to wait for is as much shorter. The product
// itself has no settings for this.
import Module from 'node:module';
import { sep } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { ApplicationFailure } from '@temporalio/common';
import type { hostClock, systemClock } from '../../activities/host/clock';
import type { FastClock } from './fast-clock-workflows';

/**
 * What the process is told in its environment, as JSON. Not with DRAWBRIDGE_: that
 * would be a setting of the product.
 */
export const FAST_CLOCK_VARIABLE = 'CHAOS_FAST_CLOCK';

export interface FastClockOrder extends FastClock {
  /** Workflows whose timers and dates run as fast. */
  readonly bundle: string;
}

/** The waits between calls of the service; no time-out of a socket or a disk may be scaled. */
const MORE_NAMES: Readonly<Record<string, string>> = {
  [['activities', 'service', 'rate', 'rate-gate.js'].join(sep)]: ', setTimeout',
};
/** How a compiled file of the product gets the one clock of the product. */
const CLOCK_IMPORT = /require\("(?:\.\.?\/)+host\/clock"\)/g;
const BUNDLE_FILE = ['workers', 'bundle.js'].join(sep);

interface Clocks {
  readonly systemClock: typeof systemClock;
  readonly hostClock: typeof hostClock;
}
type Compiler = { _compile(content: string, fileName: string): unknown };

function install({ scale, originMs, bundle }: FastClockOrder, product: string): void {
  const nowMs = (): number => originMs + (Date.now() - originMs) * scale;
  class FastDate extends Date {
    constructor(...given: [] | [number]) {
      if (given.length === 0) super(nowMs());
      else super(...given);
    }
    static override now(): number {
      return nowMs();
    }
  }
  const clock = {
    Date: FastDate,
    setTimeout: (run: () => void, ms: number) => setTimeout(run, ms / scale),
    /** Between calls of the service, durations are fast as well. */
    ofService: ({ systemClock, hostClock }: Clocks): Clocks => ({
      systemClock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * scale, wallMs: nowMs },
      hostClock: { monotonicMs: () => hostClock.monotonicMs() * scale, wallMs: nowMs },
    }),
    ofOthers: (clocks: Clocks): Clocks => ({
      ...clocks,
      systemClock: { ...clocks.systemClock, wallMs: nowMs },
    }),
  };
  Object.assign(globalThis, { chaosFastClock: clock });
  const modules = Module.prototype as unknown as Compiler;
  const { _compile: compile } = modules;
  modules._compile = function (content, fileName) {
    if (!isFast(product, fileName)) return compile.call(this, content, fileName);
    const names = `Date${MORE_NAMES[fileName.slice(product.length + 1)] ?? ''}`;
    const end = fileName.endsWith(BUNDLE_FILE)
      ? `\nexports.BUILT_BUNDLE_PATH = ${JSON.stringify(bundle)};`
      : '';
    const clockFor = roomOf(product, fileName) === 'service' ? 'ofService' : 'ofOthers';
    const begin = `"use strict"; const { ${names} } = globalThis.chaosFastClock;`;
    const fast = content.replace(CLOCK_IMPORT, call => `globalThis.chaosFastClock.${clockFor}(${call})`);
    return compile.call(this, `${begin}${fast}${end}`, fileName);
  };
  const create = ApplicationFailure.create.bind(ApplicationFailure);
  ApplicationFailure.create = options => create({ ...options, ...shorten(options.nextRetryDelay, scale) });
}

/** What lies on a share keeps the real time: the judge compares it with the stand-in's. */
function isFast(product: string, fileName: string): boolean {
  const [folder = ''] = fileName.slice(product.length + 1).split(sep);
  const room = roomOf(product, fileName);
  return (
    fileName.startsWith(product) &&
    ['activities', 'workers'].includes(folder) &&
    room !== 'share' &&
    // Each of those who import the clock gets it as fast as is right for them.
    room !== 'host'
  );
}

function roomOf(product: string, fileName: string): string | undefined {
  return fileName.slice(product.length + 1).split(sep)[1];
}

function shorten(delay: unknown, scale: number): { readonly nextRetryDelay?: number } {
  return typeof delay === 'number' ? { nextRetryDelay: Math.max(1, Math.round(delay / scale)) } : {};
}

const ordered = process.env[FAST_CLOCK_VARIABLE];
const [, main = ''] = process.argv;
// Threads and children of the process load this as well.
if (ordered !== undefined && isMainThread && main.endsWith('main.js')) {
  delete process.env[FAST_CLOCK_VARIABLE];
  install(JSON.parse(ordered) as FastClockOrder, main.slice(0, -['', 'client', 'main.js'].join(sep).length));
}
