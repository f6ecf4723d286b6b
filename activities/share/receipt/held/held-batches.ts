// What the share asks of those who carry its batches: it knows neither Temporal nor their workflows.
import type { ProjectRef } from '../../../../workflows/contract';
import type { AcceptedAnswers, ManyAnswers } from '../../../../workflows/ingest/answer-contract';
import type { HeldDocument, WaitingDocument } from '../../../../workflows/ingest/ingest-contract';

export interface HeldBatch {
  readonly project: ProjectRef;
  readonly batchId: string;
}

/** The documents of a batch that wait: for a person, or for their turn. */
export interface WaitingNow {
  readonly held: readonly HeldDocument[];
  readonly inLine: readonly WaitingDocument[];
}

export interface HeldBatches {
  /** Undefined when nobody can tell just now. Never rejects. */
  ask(batch: HeldBatch): Promise<WaitingNow | undefined>;
  /**
   * `run-ended`: it takes no answers any more, whatever it still says that it holds.
   * @throws when it cannot be asked now; repeat later.
   */
  answer(batch: HeldBatch, answers: ManyAnswers): Promise<AcceptedAnswers | 'run-ended'>;
}
