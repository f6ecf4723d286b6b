// Loaded into a process of the built product before everything else (`node -r`): counts the
// boundaries of its effects and kills it at the one that was ordered, or has it stand still there.
// The product itself has no hooks for this.
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { createCounter } from './boundaries-counter';
import { watchDisk } from './boundaries-disk';
import type { Roots } from './boundaries-names';
import { watchRequests, watchTemporalCalls } from './boundaries-network';
import { createStander } from './boundaries-stand';

/** What the process is told in its environment, as JSON. */
export interface BoundariesOrder {
  readonly roots: Roots;
  readonly logFile: string;
  readonly killAt?: string | undefined;
  /** A file with orders to stand still, which may change while the process runs. */
  readonly standOrders?: string | undefined;
  /**
   * Files above this size go in several segments; real ones begin at 100 MiB, too much for hundreds of cases.
   */
  readonly segmentBytes?: number | undefined;
  /** What is not sent by then goes on beside the others; half a minute, in real life. */
  readonly sendWithinMs?: number | undefined;
}

/** Not with DRAWBRIDGE_: that would be a setting of the product. */
export const BOUNDARIES_VARIABLE = 'CHAOS_BOUNDARIES';

interface SegmentPlan {
  planSegments: (sizeBytes: number, preferredBytes?: number) => unknown;
}

interface Transfer {
  transferFiles: (input: unknown, deps: { readonly limits?: object }) => unknown;
}

function install(order: BoundariesOrder, main: string): void {
  const { logFile, standOrders } = order;
  const pass =
    standOrders === undefined ? createCounter(order) : createStander({ logFile, orderFile: standOrders });
  watchDisk(order.roots, pass);
  watchRequests(pass);
  watchTemporalCalls(main, pass);
  hasten(order, join(main, '..', '..', 'activities', 'transfer'));
}

/** What takes too much, or too long, for hundreds of cases. */
function hasten({ segmentBytes, sendWithinMs }: BoundariesOrder, transfer: string): void {
  if (segmentBytes !== undefined) {
    const plan = require(join(transfer, 'segment-plan.js')) as SegmentPlan;
    const { planSegments } = plan;
    plan.planSegments = (sizeBytes, preferredBytes = segmentBytes) => planSegments(sizeBytes, preferredBytes);
  }
  if (sendWithinMs !== undefined) {
    const engine = require(join(transfer, 'transfer-files.js')) as Transfer;
    const { transferFiles } = engine;
    engine.transferFiles = (input, deps) => {
      const isHandedOn = Object.hasOwn(deps.limits ?? {}, 'sendWithinMs');
      return transferFiles(input, isHandedOn ? { ...deps, limits: { ...deps.limits, sendWithinMs } } : deps);
    };
  }
}

const ordered = process.env[BOUNDARIES_VARIABLE];
const [, main = ''] = process.argv;
// Threads and children of the process load this as well; its effects are its own.
if (ordered !== undefined && isMainThread && main.endsWith('main.js')) {
  delete process.env[BOUNDARIES_VARIABLE];
  install(JSON.parse(ordered) as BoundariesOrder, main);
}
