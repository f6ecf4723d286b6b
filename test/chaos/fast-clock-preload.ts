// Loaded into a worker of the built product before everything else (`node -r`): its clock runs many times faster, and what it
// asks Temporal to wait for is as much shorter. The product itself has no settings for this.
import Module from 'node:module';
import { sep } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { ApplicationFailure } from '@temporalio/common';
import type { FastClock } from './fast-clock-workflows';

/** What the process is told in its environment, as JSON. Not with DRAWBRIDGE_: that would be a setting of the product. */
export const FAST_CLOCK_VARIABLE = 'CHAOS_FAST_CLOCK';

export interface FastClockOrder extends FastClock {
  /** Workflows whose timers and dates run as fast. */
  readonly bundle: string;
}

/** The waits between calls of the service; no time-out of a socket or a disk may be scaled. */
const MORE_NAMES: Readonly<Record<string, string>> = {
  [['activities', 'service', 'clock.js'].join(sep)]: ', performance, process',
  [['activities', 'service', 'rate', 'rate-gate.js'].join(sep)]: ', setTimeout',
};
const BUNDLE_FILE = ['workers', 'bundle.js'].join(sep);

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
    performance: { now: () => performance.now() * scale },
    process: { hrtime: () => toHighResolution(hostNowMs() * scale) },
    setTimeout: (run: () => void, ms: number) => setTimeout(run, ms / scale),
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
    const begin = `"use strict"; const { ${names} } = globalThis.chaosFastClock;`;
    return compile.call(this, `${begin}${content}${end}`, fileName);
  };
  const create = ApplicationFailure.create.bind(ApplicationFailure);
  ApplicationFailure.create = options => create({ ...options, ...shorten(options.nextRetryDelay, scale) });
}

/** What lies on a share keeps the real time: the judge compares it with the stand-in's. */
function isFast(product: string, fileName: string): boolean {
  const [folder = '', room] = fileName.slice(product.length + 1).split(sep);
  return fileName.startsWith(product) && ['activities', 'workers'].includes(folder) && room !== 'share';
}

function hostNowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

function toHighResolution(ms: number): [number, number] {
  return [Math.floor(ms / 1e3), Math.round((ms % 1e3) * 1e6)];
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
