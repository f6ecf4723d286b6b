// Goes into a bundle of the workflows beside them: their dates run many times faster, and
// their timers are as much shorter.
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

export interface FastClock {
  /** So many times as fast as ours. */
  readonly scale: number;
  /** When both clocks showed the same, Unix ms. */
  readonly originMs: number;
}

/** Replaced in the finished bundle: a workflow is told nothing else than its input. */
export const CLOCK_PLACE = '__FAST_CLOCK__';

export const interceptors: WorkflowInterceptorsFactory = () => {
  const [scale = 1, originMs = 0] = CLOCK_PLACE.split('/').map(Number);
  const workflow = (globalThis as unknown as { __TEMPORAL_ACTIVATOR__: { now: number } })
    .__TEMPORAL_ACTIVATOR__;
  let given = workflow.now;
  Object.defineProperty(workflow, 'now', {
    get: () => originMs + (given - originMs) * scale,
    set: (nowMs: number) => {
      given = nowMs;
    },
  });
  return {
    outbound: [
      {
        startTimer: async (input, next) =>
          await next({ ...input, durationMs: Math.max(1, Math.round(input.durationMs / scale)) }),
      },
    ],
  };
};
