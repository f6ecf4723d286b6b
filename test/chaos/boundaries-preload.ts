// Loaded into a process of the built product before everything else (`node -r`): counts the boundaries of its effects and
// kills it at the one that was ordered. The product itself has no hooks for this.
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { createCounter } from './boundaries-counter';
import { watchDisk } from './boundaries-disk';
import type { Roots } from './boundaries-names';
import { watchRequests, watchTemporalCalls } from './boundaries-network';

/** What the process is told in its environment, as JSON. */
export interface BoundariesOrder {
  readonly roots: Roots;
  readonly logFile: string;
  readonly killAt?: string | undefined;
  /** Files above this size go in several segments; real ones begin at 100 MiB, too much for hundreds of cases. */
  readonly segmentBytes: number;
}

/** Not with DRAWBRIDGE_: that would be a setting of the product. */
export const BOUNDARIES_VARIABLE = 'CHAOS_BOUNDARIES';

interface SegmentPlan {
  planSegments: (sizeBytes: number, preferredBytes?: number) => unknown;
}

function install(order: BoundariesOrder, main: string): void {
  const pass = createCounter(order);
  watchDisk(order.roots, pass);
  watchRequests(pass);
  watchTemporalCalls(main, pass);
  const plan = require(join(main, '..', '..', 'activities', 'transfer', 'segment-plan.js')) as SegmentPlan;
  const { planSegments } = plan;
  plan.planSegments = (sizeBytes, preferredBytes = order.segmentBytes) =>
    planSegments(sizeBytes, preferredBytes);
}

const ordered = process.env[BOUNDARIES_VARIABLE];
const [, main = ''] = process.argv;
// Threads and children of the process load this as well; its effects are its own.
if (ordered !== undefined && isMainThread && main.endsWith('main.js')) {
  delete process.env[BOUNDARIES_VARIABLE];
  install(JSON.parse(ordered) as BoundariesOrder, main);
}
