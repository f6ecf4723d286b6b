// Starts the workflows of sealed batches. While Temporal is away the batches wait here and on the share; it
// is tried again for ever, and said once.
import { IncidentLog } from '../../activities/host/incident-log';
import type { ProjectRef } from '../../workflows/contract';
import type { BatchStarter } from '../session/start-batch';
import { Wake } from './wake';
import type { TellEvent } from './watch-events';

/** The port to whatever starts workflows. Starting a batch twice must be starting it once. */
export type StartsBatches = Pick<BatchStarter, 'start' | 'find' | 'wake' | 'shareOfRun'>;

/** What the share says of a batch, and is told of it. */
export interface StartLedger {
  /** Whether the share still has work of this batch. */
  isOpen(batchId: string): Promise<boolean>;
  /** Whether a run of the Temporal that answers now has it, as far as the share says. */
  isHeldHere(batchId: string): Promise<boolean>;
  noteStopped(batchId: string, outcome: string): Promise<void>;
  clearStopped(batchId: string): Promise<void>;
}

export interface BatchToAnnounce {
  readonly batchId: string;
  readonly manifestSha256: string;
  readonly project: ProjectRef;
  readonly files: number;
  readonly job?: { readonly name: string; readonly part: number } | undefined;
  /** What its share was called when it was claimed; absent for one that has just been claimed. */
  readonly claimedAs?: string | undefined;
  /** It was started before: not started again, whatever has become of its run. */
  readonly hadRun?: boolean | undefined;
  /** The share says already that nobody runs it. */
  readonly isStopped?: boolean | undefined;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export class StartQueue {
  readonly #share: string;
  readonly #starter: StartsBatches;
  readonly #tell: TellEvent;
  readonly #ledger: StartLedger;
  readonly #waiting = new Map<string, BatchToAnnounce>();
  readonly #wake = new Wake();
  /** Troubles that were told: one for each batch, and one for Temporal. */
  readonly #incidents = new IncidentLog();

  constructor(share: string, starter: StartsBatches, tell: TellEvent, ledger: StartLedger) {
    this.#share = share;
    this.#starter = starter;
    this.#tell = tell;
    this.#ledger = ledger;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Adding a batch that waits already changes nothing. */
  add(batch: BatchToAnnounce): void {
    if (this.#waiting.has(batch.batchId)) return;
    this.#waiting.set(batch.batchId, batch);
    this.#wake.ring();
  }

  /** Tells the run of a batch to look again. False: none runs. @throws while Temporal is away. */
  async wakeRun(batch: Parameters<StartsBatches['wake']>[0]): Promise<boolean> {
    return await this.#starter.wake(batch);
  }

  /** @throws while Temporal is away. */
  async isRunning(batch: Parameters<StartsBatches['find']>[0]): Promise<boolean> {
    return (await this.#starter.find(batch)) === 'already-running';
  }

  /** Runs until aborted; the start in hand is brought to its end. */
  async run(signal: AbortSignal): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      const batch = this.#waiting.values().next().value;
      if (batch === undefined) {
        await this.#wake.wait(MAX_RETRY_MS, signal);
        continue;
      }
      try {
        await this.#start(batch);
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (this.#incidents.begins('temporal')) this.#tell({ event: 'temporal-away', why: whyOf(error) });
        // To the end of the line: one that cannot be started must not hold up the others.
        this.#waiting.delete(batch.batchId);
        this.#waiting.set(batch.batchId, batch);
        await pause(retryMs, signal);
        retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
      }
    }
  }

  async #start(batch: BatchToAnnounce): Promise<void> {
    const { batchId, manifestSha256, project, files, job } = batch;
    const outcome =
      batch.hadRun === true
        ? await this.#starter.find({ project, batchId })
        : await this.#starter.start({
            share: this.#share,
            project,
            batchId,
            manifestSha256,
            documents: files,
            job,
          });
    if (outcome === 'already-running') await this.#tellFormerName(batch);
    // While it waited here Temporal may have lost its database: then the next round of the recovery decides.
    this.#waiting.delete(batchId);
    if (this.#incidents.ends('temporal')) this.#tell({ event: 'temporal-back' });
    // With the share away nobody can tell; the batch is added again when it is back.
    const isOfAnother =
      outcome === 'forgotten' &&
      batch.isStopped !== true &&
      !(await this.#ledger.isHeldHere(batchId).catch(() => false));
    if (isOfAnother) return;
    if (outcome === 'started') this.#tell({ event: 'batch-started', batchId, files });
    if (outcome !== 'started' && outcome !== 'already-running') {
      await this.#noteStopped(batch, outcome);
    } else if (batch.hadRun === true) {
      this.#incidents.ends(batchId);
      // What cannot be taken away now is taken away by the next round of the recovery.
      await this.#ledger.clearStopped(batchId).catch(() => undefined);
    }
  }

  /** A run asks for its share by the name of its start: once the share has another, no worker hears it. */
  async #tellFormerName({ project, batchId, claimedAs = this.#share }: BatchToAnnounce): Promise<void> {
    const incident = `name of ${batchId}`;
    if (claimedAs === this.#share || this.#incidents.isOpen(incident)) return;
    const ofRun = await this.#starter.shareOfRun({ project, batchId });
    if (ofRun === undefined || ofRun === this.#share) return;
    this.#incidents.begins(incident);
    this.#tell({ event: 'batch-of-former-name', batchId, formerName: ofRun });
  }

  /**
   * Notes that nobody runs the batch, unless it came to its end while it waited here: after an outage of
   * Temporal all that were on their way are in this queue. The watcher does not start such a batch again, for
   * a person may have ended its run.
   */
  async #noteStopped({ batchId, isStopped }: BatchToAnnounce, outcome: string): Promise<void> {
    if (this.#incidents.isOpen(batchId) && isStopped === true) return;
    try {
      if (!(await this.#ledger.isOpen(batchId))) return;
      // On the share, for Temporal forgets ended runs after a while.
      await this.#ledger.noteStopped(batchId, outcome);
    } catch {
      // With the share away nobody can tell; the batch is added again when it is back.
      return;
    }
    if (this.#incidents.begins(batchId)) this.#tell({ event: 'batch-stopped', batchId, outcome });
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Wake().wait(ms, signal);
}

function whyOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown error';
  const { code, name } = error as { code?: unknown; name?: unknown };
  // Messages of a client library may hold addresses; its kind of error is enough here.
  return (
    [name, code].filter(part => typeof part === 'string' || typeof part === 'number').join(' ') ||
    'unknown error'
  );
}
