// What a project's coordinator may ask for, as types.
import type { ProjectRef } from '../../workflows/contract';
import type { OvertakenNote, RunState } from '../../workflows/revision-order/decide/project-order';

/** Run anywhere; served by the queue `drawbridge`. */
export interface OrderActivities {
  /** Has the runs of the project that are not known say what they carry. Answers whom it told. */
  announceRuns(input: {
    readonly project: ProjectRef;
    readonly known: readonly string[];
  }): Promise<{ readonly batchIds: readonly string[] }>;
  /** Whether somebody runs these batches. */
  lookAtRuns(input: {
    readonly project: ProjectRef;
    readonly batchIds: readonly string[];
  }): Promise<{ readonly runs: readonly { readonly batchId: string; readonly state: RunState }[] }>;
}

/** Served by the queue of the share that has the batch. */
export interface OrderShareActivities {
  /** Notes with the batch that later documents went before these. A batch that is finished needs no such note. */
  noteOvertaken(input: OvertakenNote): Promise<void>;
}
