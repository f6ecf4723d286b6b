// How a batch is opened, and its configuration read again. Before it is open nothing is known of its
// documents, but what keeps it from being opened is in sight.
import { ApplicationFailure, condition, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { OpenBatchInput, OpenBatchResult } from '../../activities';
import { type Reason, resumeSignal, turnSignal } from '../contract';
import { ActivityCalls, type Blockable } from '../run/activity-calls';
import { asking } from '../run/asking';
import { describeRunProgress } from '../run/decide/describe-run-progress';
import { countResume } from '../run/resume-after-reset';
import {
  type AcceptedAnswer,
  type AcceptedAnswers,
  answerManyUpdate,
  answerUpdate,
  type HeldAnswer,
  type ManyAnswers,
} from './answer-contract';
import { type BatchState, logBlocked, logGoesOn } from './batch-state';
import { type BatchProgress, type IngestBatchInput, progressQuery } from './ingest-contract';

type OpenBatch = Extract<OpenBatchResult, { kind: 'open' }>;

function toOpening({ share, batchId, manifestSha256 }: IngestBatchInput): OpenBatchInput {
  return { share, batchId, ...(manifestSha256 === undefined ? {} : { manifestSha256 }), knows: 1 };
}

/** Before a call is tried again that a wrong configuration may have blocked. */
export async function readConfigurationAgain(batch: BatchState, input: IngestBatchInput): Promise<void> {
  const again = await batch.calls.share.openBatch(() => toOpening(input), 'Read the configuration again');
  if (again.kind === 'open') batch.reconfigure(again);
  if (again.kind !== 'moved') return;
  // This run asks for nothing more: calls that stand still never go on.
  batch.calls.close();
  batch.movedTo = again.project;
}

/**
 * What the journal on the share knows by now; nothing where the batch is not open any more. `afterReset`: a
 * run before this one may have noted some of it.
 */
export async function readJournalAgain({
  calls,
  ref,
}: BatchState): Promise<Partial<Pick<OpenBatch, 'known' | 'afterReset'>>> {
  const again = await calls.share.openBatch(
    () => ({ ...toOpening(ref), asked: asking() }),
    'Read the journal again',
  );
  return again.kind === 'open' ? again : {};
}

/** What an open batch does with answers. */
interface Accept {
  one(answer: HeldAnswer): Promise<AcceptedAnswer>;
  many(answers: ManyAnswers): Promise<AcceptedAnswers>;
}

/** What people can ask and tell before the batch is open: a share that is away can take a while. */
export class Opening implements Blockable {
  resumes = 0;
  #blocked: BatchProgress['blocked'];
  #accept: Accept | undefined;
  readonly #input: IngestBatchInput;

  constructor(input: IngestBatchInput) {
    this.#input = input;
    const { share, batchId } = input;
    setHandler(progressQuery, () => ({
      share,
      batchId,
      documents: 0,
      stages: {},
      held: [],
      ...(this.#blocked === undefined ? {} : { blocked: this.#blocked }),
    }));
    // What the batch would have to tell the coordinator it tells when it is opened.
    setHandler(turnSignal, () => undefined);
    setHandler(resumeSignal, request =>
      countResume(request, () => {
        this.resumes++;
      }),
    );
    // Who answers while one run follows another is not turned away for that moment.
    setHandler(answerUpdate, async answer => await (await this.#untilOpen()).one(answer));
    setHandler(answerManyUpdate, async answers => await (await this.#untilOpen()).many(answers));
  }

  async #untilOpen(): Promise<Accept> {
    await condition(() => this.#accept !== undefined || this.#blocked !== undefined);
    if (this.#accept !== undefined) return this.#accept;
    const why = this.#blocked?.reason.text ?? '';
    throw ApplicationFailure.nonRetryable(
      `The batch cannot be opened just now, and takes no answer before: ${why}`,
      'NOT_OPEN',
    );
  }

  /**
   * What the manifest, the journal and the configuration say of the batch. Waits in sight while it cannot be
   * opened.
   */
  async open(): Promise<OpenBatchResult> {
    const calls = new ActivityCalls(this.#input.share);
    calls.whenBlocked(this);
    return await calls.share.openBatch(() => toOpening(this.#input), `Open batch ${this.#input.batchId}`);
  }

  /** The batch is open: answers that came meanwhile go this way. */
  handOver(accept: Accept): void {
    this.#accept = accept;
  }

  block(reason: Reason, sinceMs: number): void {
    logBlocked(this.#ref, reason, this.#blocked?.reason);
    this.#blocked = { reason, sinceMs: this.#blocked?.sinceMs ?? sinceMs };
    this.#show();
  }

  unblock(): void {
    if (this.#blocked === undefined) return;
    this.#blocked = undefined;
    logGoesOn(this.#ref);
    this.#show();
  }

  get #ref(): { readonly share: string; readonly batchId: string } {
    const { share, batchId } = this.#input;
    return { share, batchId };
  }

  /** Once it is open, the batch shows itself. */
  #show(): void {
    const { share, batchId } = this.#input;
    const title = `Batch ${batchId} of share ${share}`;
    setCurrentDetails(
      describeRunProgress({ title, step: 'Being opened', notes: [], blocked: this.#blocked }),
    );
  }
}
