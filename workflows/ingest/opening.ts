// How a batch is opened, and its configuration read again. Before it is open nothing is known of its
// documents, but what keeps it from being opened is in sight.
import { setHandler } from '@temporalio/workflow';
import type { OpenBatchResult } from '../../activities';
import { type Reason, resumeSignal, turnSignal } from '../contract';
import { ActivityCalls, type Blockable } from '../run/activity-calls';
import { countResume } from '../run/resume-after-reset';
import type { BatchState } from './batch-state';
import { type BatchProgress, type IngestBatchInput, progressQuery } from './ingest-contract';

/**
 * Opens the batch: what its manifest, its journal and the configuration say of it. Waits in sight while it
 * cannot be opened.
 */
export async function openBatch(input: IngestBatchInput): Promise<OpenBatchResult> {
  const opener = new ActivityCalls(input.share);
  opener.whenBlocked(new Opening(input));
  return await opener.share.openBatch(() => toOpening(input), `Open batch ${input.batchId}`);
}

function toOpening({
  share,
  batchId,
  manifestSha256,
}: IngestBatchInput): Pick<IngestBatchInput, 'share' | 'batchId' | 'manifestSha256'> {
  return { share, batchId, ...(manifestSha256 === undefined ? {} : { manifestSha256 }) };
}

/** Before a call is tried again that a wrong configuration may have blocked. */
export async function readConfigurationAgain(
  batch: BatchState,
  calls: ActivityCalls,
  input: IngestBatchInput,
): Promise<void> {
  const again = await calls.share.openBatch(() => toOpening(input), 'Read the configuration again');
  if (again.kind === 'open') batch.reconfigure(again);
  if (again.kind !== 'moved') return;
  // Whatever stood still here stands still for good.
  calls.close();
  batch.movedTo = again.project;
}

class Opening implements Blockable {
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
    setHandler(resumeSignal, request =>
      countResume(request, () => {
        this.resumes++;
      }),
    );
  }

  block(reason: Reason, sinceMs: number): void {
    this.#blocked ??= { reason, sinceMs };
  }

  unblock(): void {
    this.#blocked = undefined;
  }
}
