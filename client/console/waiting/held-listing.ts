// What all running batches ask of people: their runs are asked every few seconds at most, however many look.
import type { Client } from '@temporalio/client';
import { mapLimited } from '../../../activities/host/concurrency';
import {
  type BatchProgress,
  type HeldDocument,
  progressQuery,
} from '../../../workflows/ingest/ingest-contract';
import { ASKED_AT_ONCE, createAsker, take } from '../../status/batch-status';

export interface HeldBatch {
  readonly workflowId: string;
  readonly batchId: string;
  readonly share: string;
  readonly held: readonly HeldDocument[];
}

export interface HeldNow {
  readonly batches: readonly HeldBatch[];
  /** Some batches, or all, did not answer: what stands here of them is from before. */
  readonly isOld: boolean;
  /** None of them did: nobody takes answers just now. */
  readonly isAway: boolean;
  /** Ids of the batches that did: of these, nothing else is held, whatever lies on their shares. */
  readonly replied: ReadonlySet<string>;
}

/** What a run holds, and how long its history was when it was asked. */
type KnownRun = HeldBatch & { readonly events: string };
interface KnownRuns {
  readonly runs: ReadonlyMap<string, KnownRun>;
  readonly isOld: boolean;
  readonly isAway: boolean;
  readonly replied: ReadonlySet<string>;
}

const NOBODY: ReadonlySet<string> = new Set();
const RUNNING = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus = 'Running'`;
const MOST_RUNNING = 10_000;
const FRESH_MS = 3_000;

export class HeldListing {
  readonly #temporal: () => Promise<Client>;
  readonly #nowMs: () => number;
  #runs: ReadonlyMap<string, KnownRun> = new Map();
  #known: HeldNow = { batches: [], isOld: true, isAway: true, replied: NOBODY };
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<HeldNow> | undefined;
  /** How often people have answered: what runs said when asked before that may have changed. */
  #answered = 0;

  constructor(temporal: () => Promise<Client>, nowMs: () => number) {
    this.#temporal = temporal;
    this.#nowMs = nowMs;
  }

  /** Who asks in the same moment gets the same answer; never rejects. */
  async list(): Promise<HeldNow> {
    if (this.#nowMs() - this.#askedAtMs < FRESH_MS) return this.#known;
    const asking = this.#asking ?? this.#ask();
    this.#asking = asking;
    return await asking;
  }

  /** People have answered: the next `list` asks the runs anew. */
  forget(): void {
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
    // What is under way may have been asked before.
    this.#asking = undefined;
    this.#answered += 1;
  }

  /** As it was seen last. */
  get known(): HeldNow {
    return this.#known;
  }

  async #ask(): Promise<HeldNow> {
    const askedAtMs = this.#nowMs();
    const answered = this.#answered;
    const asked = await this.#temporal()
      .then(client => askAll(client, this.#runs))
      .catch(() => undefined);
    if (answered !== this.#answered) return await this.list();
    if (asked !== undefined) this.#runs = asked.runs;
    this.#known =
      asked === undefined ? { ...this.#known, isOld: true, isAway: true, replied: NOBODY } : toHeldNow(asked);
    this.#askedAtMs = askedAtMs;
    this.#asking = undefined;
    return this.#known;
  }
}

/**
 * A run whose history has not grown holds what it held: asking Temporal how long it is costs its worker
 * nothing.
 */
async function askAll(client: Client, before: ReadonlyMap<string, KnownRun>): Promise<KnownRuns> {
  const runs = await take(client.workflow.list({ query: RUNNING }), MOST_RUNNING);
  const ask = createAsker<BatchProgress>(client, progressQuery);
  let unanswered = 0;
  const replied = new Set<string>();
  const all = await mapLimited(runs, ASKED_AT_ONCE, async (run): Promise<KnownRun | undefined> => {
    const { workflowId, runId } = run;
    const known = before.get(workflowId);
    const described = await client.workflow
      .getHandle(workflowId, runId)
      .describe()
      .catch(() => undefined);
    const events = described && `${runId} ${described.historyLength}`;
    if (events !== undefined && known?.events === events) {
      replied.add(known.batchId);
      return known;
    }
    const progress = events === undefined ? undefined : await ask(run);
    if (events === undefined || progress === undefined) {
      unanswered += 1;
      return known;
    }
    const { batchId, share, held } = progress;
    replied.add(batchId);
    return { workflowId, batchId, share, held, events };
  });
  return {
    runs: new Map(all.flatMap(run => (run === undefined ? [] : [[run.workflowId, run]]))),
    isOld: unanswered > 0,
    isAway: unanswered > 0 && unanswered === runs.length,
    replied,
  };
}

function toHeldNow({ runs, ...how }: KnownRuns): HeldNow {
  const batches = [...runs.values()].filter(({ held }) => held.length > 0);
  return { ...how, batches: batches.sort((one, other) => (one.batchId < other.batchId ? -1 : 1)) };
}
