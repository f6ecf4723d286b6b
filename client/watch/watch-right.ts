// Whose watchers claim the files of a share: those of one Temporal. Two that see one share would else claim
// beside each other, and each would start what the other has claimed.
import type { OurTemporal, TemporalName } from '../../activities/share/batch/hold';
import { keepBeating } from '../../activities/share/batch/keep-beating';
import { isOurs } from '../../activities/share/claim/open-batches';
import type { OpenBatches, TemporalMarks } from '../../activities/share/share';
import { Wake } from './wake';
import type { TellEvent } from './watch-events';

export interface WatchRightDeps {
  readonly share: OpenBatches & TemporalMarks;
  /** Absent where no other Temporal can be on the share: it is ours then. */
  readonly temporal?: (() => Promise<OurTemporal>) | undefined;
  readonly tell: TellEvent;
  /** Called when the share has become ours to watch. */
  onOurs(): void;
}

export class WatchRight {
  readonly #deps: WatchRightDeps;
  #ours: OurTemporal | undefined;
  #watching: TemporalName | undefined;
  /** Whose watch was told last, by its id. */
  #told: string | undefined;

  constructor(deps: WatchRightDeps) {
    this.#deps = deps;
  }

  /** Whether we may claim here. Not before Temporal has said who it is: nothing is claimed for a stranger. */
  get isOurs(): boolean {
    if (this.#deps.temporal === undefined) return true;
    return this.#ours !== undefined && this.#watching?.id === this.#ours.id;
  }

  /** The Temporal we work for, when that makes a difference. */
  get ours(): OurTemporal | undefined {
    return this.#ours;
  }

  /** Says that we are here, and looks whose the share is, until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { share, temporal } = this.#deps;
    if (temporal === undefined) return;
    const beating = keepBeating(share, temporal, signal);
    while (!signal.aborted) {
      // Whatever is away is told by those who need it; what was ours stays ours meanwhile.
      await this.#look(temporal).catch(() => undefined);
      await new Wake().wait(share.temporals.beatMs, signal);
    }
    await beating;
  }

  async #look(temporal: () => Promise<OurTemporal>): Promise<void> {
    const { share, tell, onOurs } = this.#deps;
    const ours = await temporal();
    const watching = await share.temporals.watchFor(ours);
    this.#ours = ours;
    this.#watching = watching;
    if (watching.id === this.#told) return;
    if (watching.id === ours.id) {
      if (this.#told !== undefined) tell({ event: 'watch-taken', namespace: ours.namespace });
      this.#told = watching.id;
      onOurs();
      return;
    }
    const { namespace, address, host } = watching;
    const batches = (await share.openBatches()).filter(isOurs).length;
    const { takeOverMs } = share.temporals;
    tell({ event: 'watched-elsewhere', namespace, address, holderHost: host, batches, takeOverMs });
    // Not before: where the batches could not be counted it is told at the next look.
    this.#told = watching.id;
  }
}
