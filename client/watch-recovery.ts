// Brings to their end the batches that somebody began: claims whose claimer died, batches without a run, moves cut
// short. Done at the start and every minute; all of it may be done by several watchers at once.
import type { OurTemporal, TemporalName } from '../activities/share/hold';
import type { OpenBatch } from '../activities/share/open-batches';
import type { Share } from '../activities/share/share';
import { codeOf, toShareError } from '../activities/share/share-error';
import type { TellEvent } from './watch-events';
import type { StartQueue } from './watch-starts';

export interface RecoveryDeps {
  readonly share: Share;
  readonly starts: StartQueue;
  readonly tell: TellEvent;
  /** Undefined while there is no other to be told from. */
  readonly ours: () => OurTemporal | undefined;
  readonly hashSignal: AbortSignal;
}

export class Recovery {
  readonly #deps: RecoveryDeps;
  readonly #toldDamaged = new Set<string>();
  readonly #toldHeld = new Set<string>();
  #isAnyHeld = false;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /**
   * One round. @throws only what concerns the whole share.
   * @returns whether another Temporal has batches here: it may stand still soon.
   */
  async run(signal: AbortSignal): Promise<boolean> {
    this.#isAnyHeld = false;
    for (const batch of await this.#deps.share.openBatches()) {
      if (signal.aborted) break;
      try {
        await this.#recover(batch);
      } catch (error) {
        const trouble = toShareError(error);
        if (trouble !== undefined && (trouble.code.startsWith('share-') || signal.aborted)) throw trouble;
        // A batch that another process finished meanwhile is fine; any other trouble is this batch's alone.
        if (trouble?.code === 'batch-unknown' || signal.aborted) continue;
        this.#tellDamaged(batch.batchId, trouble?.message ?? codeOf(error) ?? 'unknown error');
      }
    }
    return this.#isAnyHeld;
  }

  async #recover(batch: OpenBatch): Promise<void> {
    const { share, starts, tell, hashSignal } = this.#deps;
    const { batchId } = batch;
    switch (batch.state) {
      case 'claiming': {
        if (batch.claim !== 'abandoned') return;
        const adopted = await share.adopt(batchId, { signal: hashSignal });
        if (adopted === undefined) return;
        const { manifest, manifestSha256 } = adopted;
        tell({ event: 'batch-adopted', batchId, files: manifest.files.length });
        starts.add({ batchId, manifestSha256, project: manifest.project, files: manifest.files.length });
        return;
      }
      case 'settling': {
        const { done, attention } = await share.settleUp(batchId, [], { final: true });
        tell({ event: 'batch-settled', batchId, done, attention });
        return;
      }
      default:
        await this.#seeToItsRun(batch);
    }
  }

  /** Started once in all: a batch that had a run already is only looked after, for a person may have ended that run. */
  async #seeToItsRun({ batchId, isStopped }: OpenBatch): Promise<void> {
    const { share, starts } = this.#deps;
    const { manifest, manifestSha256 } = await share.readSeal(batchId);
    const ours = this.#deps.ours();
    const held = ours === undefined ? undefined : await share.temporals.holdOf(batchId, ours);
    if (held !== undefined && !held.isOurs && !held.isGone) {
      this.#isAnyHeld = true;
      // One that has lost its database is followed in a moment.
      if (ours?.former.includes(held.hold.temporal.id) !== true) this.#tellHeld(batchId, held.hold.temporal);
      return;
    }
    starts.add({
      batchId,
      manifestSha256,
      project: manifest.project,
      files: manifest.files.length,
      hadRun: held?.isOurs === true || isStopped,
      isStopped,
    });
  }

  #tellHeld(batchId: string, { namespace, address, host }: TemporalName): void {
    if (this.#toldHeld.has(batchId)) return;
    this.#toldHeld.add(batchId);
    this.#deps.tell({ event: 'batch-held-elsewhere', batchId, namespace, address, holderHost: host });
  }

  #tellDamaged(batchId: string, why: string): void {
    if (this.#toldDamaged.has(batchId)) return;
    this.#toldDamaged.add(batchId);
    this.#deps.tell({ event: 'batch-damaged', batchId, why });
  }
}
