// The coordinator of a project: in which order its documents are submitted, whatever shares they come by. The
// shares are the memory; what it keeps can be told to it again at any time.
import type { RetryPolicy } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  log,
  patched,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { OrderActivities, OrderShareActivities } from '../../activities';
import { ingestWorkflowId, SERVICE_TASK_QUEUE, shareTaskQueue, turnSignal } from '../contract';
import { firstFrontLookAfterMs, frontLookAfterMs } from '../run/decide/line-pace';
import { isLong } from '../run/history-length';
import { explainFaults, parseInput } from '../run/parse-input';
import { ProjectOrder } from './decide/project-order';
import type { OvertakenNote, TurnQuestion, TurnReply } from './decide/turns';
import {
  endedInput,
  endedSignal,
  type ProjectOrderInput,
  projectOrderInput,
  registerInput,
  registerSignal,
  turnsInput,
  turnsUpdate,
} from './order-contract';

const EXAMPLE = { project: { companyId: '1', projectId: '2' } };
const EXAMPLE_QUESTION = {
  batchId: '20260131-093000-k3f9a2',
  indexes: [0],
  ended: [],
  matches: [],
  behind: [],
  passAfterMs: 900_000,
  confirmed: [],
};

const REPEATED: RetryPolicy = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
};
/**
 * A coordinator that was told nothing for so long, and knows of nothing, ends; the next batch starts another.
 */
const IDLE_MS = 10 * 60_000;
/**
 * How long it waits to be told something once it has looked at all runs: what batches wait for takes days,
 * and each wait that is over costs five events. Runs that were ended by hand are noticed after this time.
 */
const STILL_MS = 24 * 60 * 60_000;
/** How long running batches may take to say again what they carry, after a coordinator was lost. */
const GATHER_MS = 30_000;
const MOST_LOOKED_AT = 500;

/** Runs as long as the project has batches on their way, and a little longer. */
export async function projectOrderWorkflow(rawInput: ProjectOrderInput): Promise<void> {
  const { project, carried, continueAfterEvents } = parseInput(projectOrderInput, rawInput, EXAMPLE);
  const coordinator = new Coordinator(project, carried as ProjectOrderInput['carried']);
  if (carried === undefined) await coordinator.gather();
  if (await coordinator.work(() => isLong(continueAfterEvents))) return;
  await continueAsNew<typeof projectOrderWorkflow>({
    project,
    ...(continueAfterEvents === undefined ? {} : { continueAfterEvents }),
    carried: coordinator.order.snapshot(),
  });
}

class Coordinator {
  readonly order: ProjectOrder;
  readonly #project: ProjectOrderInput['project'];
  // Not through `ActivityCalls`: nothing here waits for a person, and what fails is asked again at the next
  // look. Nobody reads these calls one by one, so they have no summaries in a history of weeks.
  readonly #service = proxyActivities<OrderActivities>({
    taskQueue: SERVICE_TASK_QUEUE,
    startToCloseTimeout: '1 minute',
    retry: REPEATED,
  });
  #isReady: boolean;
  #heard = 0;
  /** `#heard` as it was when all runs were last looked at. */
  #tidied = 0;
  #lookAtMs: number | undefined;
  /** When a batch last came that others wait for, or a note: since then looks are for the same, Unix ms. */
  #sameSinceMs = Date.now();
  /** Notes that were tried since the last look, and how many of them are under way. */
  readonly #tried = new Set<OvertakenNote>();
  #noting = 0;

  constructor(project: ProjectOrderInput['project'], carried: ProjectOrderInput['carried']) {
    this.#project = project;
    this.#isReady = carried !== undefined;
    this.order = new ProjectOrder(carried);
    // What cannot be read was not sent by a worker of ours, and must not stop a project.
    setHandler(
      registerSignal,
      raw => {
        const said = registerInput.safeParse(raw);
        if (!said.success) {
          log.warn('A batch that cannot be read is not ordered over several shares', {
            event: 'order-unread',
          });
        } else if (!this.order.register(said.data)) {
          log.warn('A project has more documents on their way than are ordered over several shares', {
            event: 'order-full',
            batchId: said.data.batchId,
          });
        } else {
          const leftOut = this.order.leftOutOf(said.data);
          const isNews = leftOut.length > 0 && patched('what-a-batch-leaves-out-has-ended');
          if (isNews) this.order.end(said.data.batchId, leftOut);
        }
        this.#heard++;
      },
      { description: 'The documents of a batch that is on its way; sent by its run.' },
    );
    setHandler(
      endedSignal,
      raw => {
        const said = endedInput.safeParse(raw);
        if (said.success) this.order.end(said.data.batchId, said.data.indexes);
        this.#heard++;
      },
      { description: 'Documents of a batch that have ended; sent by its run.' },
    );
    setHandler(
      turnsUpdate,
      async question => {
        await condition(() => this.#isReady);
        this.#heard++;
        return this.#answer(turnsInput.parse(question));
      },
      {
        validator: question => {
          const asked = turnsInput.safeParse(question);
          if (!asked.success) throw new Error(explainFaults(asked.error, EXAMPLE_QUESTION));
        },
        description: 'Which documents of a batch may be submitted; asked by its run.',
      },
    );
  }

  #answer(question: TurnQuestion): TurnReply {
    const before = new Set(this.order.waits.inFront());
    const notes = this.order.notes.length;
    const reply = this.order.ask(question);
    const isNew = this.order.waits.inFront().some(batchId => !before.has(batchId));
    if (isNew || this.order.notes.length > notes) this.#sameSinceMs = Date.now();
    return reply;
  }

  /**
   * It may follow a coordinator that was lost with all it knew: running batches say again what they carry.
   */
  async gather(): Promise<void> {
    const known = this.order.batchIds;
    const { batchIds } = await this.#service.announceRuns({ project: this.#project, known });
    await condition(() => batchIds.every(batchId => this.order.has(batchId)), GATHER_MS);
    this.#isReady = true;
  }

  /** Returns true when there is nothing left to do, false when another run is to go on. */
  async work(isOver: () => boolean): Promise<boolean> {
    for (;;) {
      const heard = this.#heard;
      const isIdle = await this.#untilSomethingIsDue(isOver);
      await this.#wake();
      await this.#lookAtRuns(isIdle && heard === this.#heard);
      this.#noteOvertaken();
      const isQuiet = (): boolean => this.#noting === 0 && allHandlersFinished();
      if (isOver()) {
        await condition(isQuiet);
        return false;
      }
      if (isIdle && heard === this.#heard && this.order.isEmpty && isQuiet()) return true;
    }
  }

  /** Returns whether nothing was due for the whole time that an idle coordinator waits. */
  async #untilSomethingIsDue(isOver: () => boolean): Promise<boolean> {
    const lookAtMs = this.#nextLookMs();
    this.#lookAtMs = lookAtMs;
    const isDue = (): boolean =>
      this.order.waits.hasWoken ||
      isOver() ||
      this.order.notes.some(note => !this.#tried.has(note)) ||
      (this.#nextLookMs() ?? Number.POSITIVE_INFINITY) < (lookAtMs ?? Number.POSITIVE_INFINITY);
    const isStill = lookAtMs === undefined && this.#tidied === this.#heard && !this.order.isEmpty;
    if (isStill && patched('still-until-something-is-heard')) return await this.#whileStill(isDue);
    const patienceMs = lookAtMs === undefined ? IDLE_MS : Math.max(1, lookAtMs - Date.now());
    return !(await condition(isDue, patienceMs)) && lookAtMs === undefined;
  }

  /** Returns whether nothing was heard for a day: then all runs are looked at once more. */
  async #whileStill(isDue: () => boolean): Promise<boolean> {
    const heard = this.#heard;
    const isOver = !(await condition(() => isDue() || this.#heard !== heard, STILL_MS));
    if (isOver) this.#tidied = Number.NaN;
    return isOver;
  }

  /** When runs in front are looked at and notes tried again, Unix ms; undefined while there are neither. */
  #nextLookMs(): number | undefined {
    const { notes, waits } = this.order;
    const { passAfterMs } = waits;
    if (passAfterMs === undefined && notes.length === 0) return undefined;
    return Math.min(this.#lookAtMs ?? Number.POSITIVE_INFINITY, Date.now() + this.#lookAfterMs(passAfterMs));
  }

  #lookAfterMs(passAfterMs: number | undefined): number {
    const firstMs = firstFrontLookAfterMs(passAfterMs);
    const grownMs = frontLookAfterMs({
      sameMs: Date.now() - this.#sameSinceMs,
      passAfterMs,
      isAnyStopped: this.order.isAnyInFrontStopped,
    });
    return grownMs > firstMs && patched('looks-at-a-line-grow-apart') ? grownMs : firstMs;
  }

  async #wake(): Promise<void> {
    for (const batchId of this.order.waits.takeWoken()) {
      try {
        await getExternalWorkflowHandle(ingestWorkflowId(this.#project, batchId)).signal(turnSignal, {});
      } catch {
        // A batch that has no run any more asks by itself once it has one again.
        this.order.waits.forget(batchId);
      }
    }
  }

  /**
   * Looks at the runs in front while somebody waits for them, and at all runs once it is quiet: that a batch
   * had ended may not have been told.
   * @param isQuiet nothing was heard for the whole time that an idle coordinator waits.
   */
  async #lookAtRuns(isQuiet: boolean): Promise<void> {
    const isTime = this.#lookAtMs !== undefined && Date.now() >= this.#lookAtMs;
    const isTidied = this.#tidied === this.#heard;
    if (!isTime && (!isQuiet || isTidied)) return;
    if (isTime) this.#lookAtMs = undefined;
    else this.#tidied = this.#heard;
    if (this.#noting === 0) this.#tried.clear();
    const batchIds = isTime ? this.order.inFront : this.order.batchIds.slice(0, MOST_LOOKED_AT);
    if (batchIds.length === 0) return;
    const { runs } = await this.#service.lookAtRuns({ project: this.#project, batchIds });
    for (const { batchId, state } of runs) this.order.noteRun(batchId, state, Date.now());
  }

  /**
   * Goes on beside everything else. Where nobody serves the share just now, the note is kept here and tried
   * again with the next look.
   */
  #noteOvertaken(): void {
    for (const note of this.order.notes) {
      if (this.#tried.has(note)) continue;
      this.#tried.add(note);
      this.#noting++;
      void atShare(note)
        .noteOvertaken(note)
        .then(() => this.order.noted(note))
        .catch(() => {
          log.warn('It cannot be noted on a share that a later document went first', {
            event: 'order-not-noted',
            share: note.share,
            batchId: note.batchId,
          });
        })
        .finally(() => {
          this.#noting--;
        });
    }
  }
}

function atShare({ share }: OvertakenNote) {
  return proxyActivities<OrderShareActivities>({
    taskQueue: shareTaskQueue(share),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: '2 minutes',
    retry: REPEATED,
  });
}
