// A batch before it is open: nothing is known of its documents yet, but what keeps it from being opened is in sight.
import { setHandler } from '@temporalio/workflow';
import {
  type BatchProgress,
  type IngestBatchInput,
  progressQuery,
  type Reason,
  resumeSignal,
  turnSignal,
} from '../contract';
import type { Blockable } from '../run/activity-calls';

export class Opening implements Blockable {
  resumes = 0;
  #blocked: BatchProgress['blocked'];

  /** People may ask, and say `resume`, before the batch is open: a share that is away can take a while. */
  constructor({ share, batchId }: IngestBatchInput) {
    setHandler(progressQuery, () => ({
      share,
      batchId,
      documents: 0,
      stages: {},
      held: [],
      ...(this.#blocked === undefined ? {} : { blocked: this.#blocked }),
    }));
    // What it would have to say it says when it is opened.
    setHandler(turnSignal, () => undefined);
    setHandler(resumeSignal, () => {
      this.resumes++;
    });
  }

  block(reason: Reason, sinceMs: number): void {
    this.#blocked ??= { reason, sinceMs };
  }

  unblock(): void {
    this.#blocked = undefined;
  }
}
