// What all running batches ask of people: asked of their runs, at most every few seconds, whoever looks on.
import type { Client } from '@temporalio/client';
import {
  type BatchProgress,
  type HeldDocument,
  progressQuery,
} from '../../../workflows/ingest/ingest-contract';
import { createAsker, mapLimited, take } from '../../status/batch-status';

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
}

/** With how long its history was when it was asked. */
type KnownRun = HeldBatch & { readonly events: string };
interface KnownRuns {
  readonly runs: ReadonlyMap<string, KnownRun>;
  readonly isOld: boolean;
}

const RUNNING = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus = 'Running'`;
const MOST_RUNNING = 10_000;
const FRESH_MS = 3_000;

export class HeldListing {
  readonly #temporal: () => Promise<Client>;
  readonly #nowMs: () => number;
  #runs: ReadonlyMap<string, KnownRun> = new Map();
  #known: HeldNow = { batches: [], isOld: true };
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<HeldNow> | undefined;

  constructor(temporal: () => Promise<Client>, nowMs: () => number) {
    this.#temporal = temporal;
    this.#nowMs = nowMs;
  }

  /** Who asks in the same moment gets the same answer; never rejects. */
  async list(): Promise<HeldNow> {
    if (this.#nowMs() - this.#askedAtMs < FRESH_MS) return this.#known;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return await this.#asking;
  }

  /** Something was answered: the next who asks gets it as it is then. */
  forget(): void {
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** As it was seen last. */
  get known(): HeldNow {
    return this.#known;
  }

  async #ask(): Promise<HeldNow> {
    const askedAtMs = this.#nowMs();
    try {
      const runs = await askAll(await this.#temporal(), this.#runs);
      this.#runs = runs.runs;
      this.#known = toHeldNow(runs);
    } catch {
      this.#known = { ...this.#known, isOld: true };
    }
    this.#askedAtMs = askedAtMs;
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
  let isOld = false;
  const all = await mapLimited(runs, async (run): Promise<KnownRun | undefined> => {
    const { workflowId, runId } = run;
    const known = before.get(workflowId);
    const described = await client.workflow.getHandle(workflowId, runId).describe();
    const events = `${runId} ${described.historyLength}`;
    if (known?.events === events) return known;
    const progress = await ask(run);
    if (progress === undefined) {
      isOld = true;
      return known;
    }
    const { batchId, share, held } = progress;
    return { workflowId, batchId, share, held, events };
  });
  return { runs: new Map(all.flatMap(run => (run === undefined ? [] : [[run.workflowId, run]]))), isOld };
}

function toHeldNow({ runs, isOld }: KnownRuns): HeldNow {
  const batches = [...runs.values()].filter(({ held }) => held.length > 0);
  return { batches: batches.sort((one, other) => (one.batchId < other.batchId ? -1 : 1)), isOld };
}
