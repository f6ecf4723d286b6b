// What a project's coordinator asks for.
import type { ProjectRef } from '../../workflows/contract';
import type { RunState } from '../../workflows/revision-order/decide/turns';
import { whileShareAnswers } from '../scope/hung-share';
import { toActivities } from '../scope/to-activities';
import type { ShareMount } from '../share/share';
import { noteOvertaken, type QueueShare } from './turns';

export interface AnnounceRunsInput {
  readonly project: ProjectRef;
  readonly known: readonly string[];
}

export interface LookAtRunsInput {
  readonly project: ProjectRef;
  readonly batchIds: readonly string[];
}

/** The runs of a project, as Temporal knows them; a worker has the way to it. */
export interface ProjectRuns {
  /** Asks the runs of the project that are not known to say what they carry. Returns which it asked. */
  announce(input: AnnounceRunsInput): Promise<{ readonly batchIds: readonly string[] }>;
  /** Whether somebody runs these batches. */
  lookAt(
    input: LookAtRunsInput,
  ): Promise<{ readonly runs: readonly { readonly batchId: string; readonly state: RunState }[] }>;
}

export type OrderActivities = ReturnType<typeof createOrderActivities>;

/** Run anywhere; served by the queue `drawbridge`. */
export function createOrderActivities(draining: AbortSignal, projectRuns: ProjectRuns) {
  return toActivities(draining, projectRuns, {
    announceRuns: (runs, input: AnnounceRunsInput) => runs.announce(input),
    lookAtRuns: (runs, input: LookAtRunsInput) => runs.lookAt(input),
  });
}

export type OrderShareActivities = ReturnType<typeof createOrderShareActivities>;

/** Served by the queue of the share that has the batch. */
export function createOrderShareActivities(draining: AbortSignal, share: QueueShare & ShareMount) {
  return toActivities(draining, share, { noteOvertaken }, whileShareAnswers(share));
}
