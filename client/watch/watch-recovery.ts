// Brings to their end the batches that somebody began: claims whose claimer died, batches without a run,
// moves cut short. Done at the start and every minute; all of it may be done by several watchers at once.

import { IncidentLog } from '../../activities/host/incident-log';
import type { OurTemporal, TemporalName } from '../../activities/share/batch/hold';
import type { OpenBatch } from '../../activities/share/claim/open-batches';
import { describeTrouble, isBug, toShareError } from '../../activities/share/files/share-error';
import type {
  Batches,
  Claims,
  OpenBatches,
  OtherProjects,
  TemporalMarks,
} from '../../activities/share/share';
import { grpcCodeOf } from '../session/grpc-code';
import { bugOf, type TellEvent } from './watch-events';
import type { StartQueue } from './watch-starts';

export interface RecoveryDeps {
  readonly share: Claims & OpenBatches & Pick<Batches, 'settleUp'> & OtherProjects & TemporalMarks;
  readonly starts: StartQueue;
  readonly tell: TellEvent;
  /** The Temporal we work for; undefined until it is known, and where no other can be on the share. */
  readonly ours: () => OurTemporal | undefined;
  readonly hashSignal: AbortSignal;
}

export class Recovery {
  readonly #deps: RecoveryDeps;
  /** Troubles that were told, each by its kind and batch. */
  readonly #incidents = new IncidentLog();
  #isAnyInMotion = false;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /**
   * One round. @throws only what concerns the whole share.
   * @returns whether the next round should come soon: another Temporal has batches here and may stand still,
   * or a batch of another project may be left.
   */
  async run(signal: AbortSignal): Promise<boolean> {
    this.#isAnyInMotion = false;
    for (const batch of await this.#deps.share.openBatches()) {
      if (signal.aborted) break;
      try {
        await this.#recover(batch);
      } catch (error) {
        const trouble = toShareError(error);
        if (trouble !== undefined && (trouble.code.startsWith('share-') || signal.aborted)) throw trouble;
        // A batch that another process finished meanwhile is fine; any other trouble is this batch's alone.
        if (trouble?.code === 'batch-unknown' || signal.aborted) continue;
        if (trouble?.code === 'project-differs') await this.#seeToItsProject(batch);
        else this.#tellDamaged(batch.batchId, error);
      }
    }
    return this.#isAnyInMotion;
  }

  async #recover(batch: OpenBatch): Promise<void> {
    const { share, starts, tell, hashSignal } = this.#deps;
    const { batchId } = batch;
    switch (batch.state) {
      // The share tells of these, all together.
      case 'not-ours':
      case 'other-key':
        return;
      case 'claiming': {
        if (batch.claim !== 'abandoned') return;
        const adopted = await share.adopt(batchId, { signal: hashSignal });
        if (adopted === undefined) return;
        const { manifest, manifestSha256 } = adopted;
        tell({ event: 'batch-adopted', batchId, files: manifest.files.length });
        const { project, files, job } = manifest;
        starts.add({ batchId, manifestSha256, project, files: files.length, job });
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

  /**
   * A batch is started once in all: one that had a run already is only looked after, for a person may have
   * ended that run.
   */
  async #seeToItsRun({ batchId, isStopped }: OpenBatch): Promise<void> {
    const { share, starts } = this.#deps;
    const { manifest, manifestSha256 } = await share.readSeal(batchId);
    const ours = this.#deps.ours();
    const held = ours === undefined ? undefined : await share.temporals.holdOf(batchId, ours);
    if (held !== undefined && !held.isOurs && !held.isGone) {
      this.#isAnyInMotion = true;
      // What was ours before its database was lost is followed in a moment, and is no news.
      if (ours?.former.includes(held.hold.temporal.id) !== true) this.#tellHeld(batchId, held.hold.temporal);
      return;
    }
    starts.add({
      batchId,
      manifestSha256,
      project: manifest.project,
      files: manifest.files.length,
      job: manifest.job,
      claimedAs: manifest.share,
      hadRun: held?.isOurs === true || isStopped,
      isStopped,
    });
  }

  /**
   * The configuration names another project than when the batch was claimed. As long as nothing of the batch
   * was sent it is sealed anew for the right project: by its run, which ends with that, or by us where none
   * runs. The next round takes it up.
   */
  async #seeToItsProject({ batchId }: OpenBatch): Promise<void> {
    const { share, starts } = this.#deps;
    try {
      const other = await share.otherProject(batchId);
      if (other === undefined) return;
      // A run is woken once only: one that stands still looks by itself now and then.
      const isFirst = this.#incidents.begins(`to leave ${batchId}`);
      // Of a batch of which something may have been sent, this throws what is to be done.
      if (other.isBegun) await share.leaveOtherProject(batchId);
      this.#isAnyInMotion = true;
      const isRunning = isFirst
        ? await starts.wakeRun({ project: other.project, batchId })
        : await starts.isRunning({ project: other.project, batchId });
      if (isRunning) return;
      const ours = this.#deps.ours();
      const held = ours === undefined ? undefined : await share.temporals.holdOf(batchId, ours);
      if (held !== undefined && !held.isOurs && !held.isGone) return;
      await share.leaveOtherProject(batchId);
    } catch (error) {
      const isLeft = toShareError(error)?.code !== 'project-differs';
      // The next round tries again, and wakes its run. What is away (Temporal, the share) tells of itself.
      if (isLeft) this.#incidents.ends(`to leave ${batchId}`);
      if (!isLeft || (isBug(error) && grpcCodeOf(error) === undefined)) this.#tellDamaged(batchId, error);
    }
  }

  #tellHeld(batchId: string, { namespace, address, host }: TemporalName): void {
    if (!this.#incidents.begins(`held ${batchId}`)) return;
    this.#deps.tell({ event: 'batch-held-elsewhere', batchId, namespace, address, holderHost: host });
  }

  #tellDamaged(batchId: string, error: unknown): void {
    const why = describeTrouble(error);
    if (this.#incidents.begins(`damaged ${batchId}`, why))
      this.#deps.tell({ event: 'batch-damaged', batchId, why, ...bugOf(error) });
  }
}
