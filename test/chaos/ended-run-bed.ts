// A stage on which one batch after the other has its run ended while the worker stands still at a boundary,
// and is gone on with by the command that people have for it.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ingestWorkflowId } from '../../workflows/contract';
import { BOUNDARIES_VARIABLE, type BoundariesOrder } from './boundaries-preload';
import { STANDS, type StandOrder } from './boundaries-stand';
import { fileNameOf, type Play, SEND_WITHIN_MS, toFault, toWays } from './ended-run-plays';
import { RUNNING_BATCHES } from './fault-people';
import { runCommand } from './fault-process';
import { Stage } from './fault-stage';
import { judge } from './judge';
import { collectEvidence } from './judge-evidence';
import type { PartOptions, Violation } from './part';

const LOOK_EVERY_MS = 20;
/** A group that goes on passes the next boundary within this time, on a busy machine as well. */
const QUIET_MS = 4_000;
/** From the word of the operator to the end: pauses between tries are seconds. */
const PATIENCE_MS = 120_000;
/** One whose analysis fails, and two requests that are held. */
const STRIKES_A_CASE = 3;

export type Ending = 'terminate' | 'cancel';
/** When the held request is let go: while the worker stands, when the run goes on, or when all has ended. */
export type LetGo = 'before the worker goes on' | 'with the new run' | 'at the end';

export interface EndedRunCase {
  readonly play: Play;
  readonly ending: Ending;
  /** The how-manieth boundary after the request is in flight. */
  readonly boundary: number;
  readonly letGo: LetGo;
  /**
   * Whether the worker stands still until the new run is there: what it was doing for
   * the old one goes on beside that.
   */
  readonly isLateToLearn: boolean;
}

export interface EndedRunResult {
  /** The boundary at which the run was ended; undefined when there were not so many. */
  readonly reached: string | undefined;
  readonly violations: readonly Violation[];
}

class TookTooLong extends Error {}

export class EndedRunBed {
  readonly #stage: Stage;
  #turn = 0;
  #cases = 0;

  private constructor(stage: Stage) {
    this.#stage = stage;
  }

  static async open({ dist, temporalAddress }: PartOptions): Promise<EndedRunBed> {
    const stage = await Stage.open({
      dist,
      temporalAddress,
      // What is held is held for as long as a case takes.
      service: { timeouts: { headers: 120_000, body: 120_000, total: 180_000 } },
    });
    const bed = new EndedRunBed(stage);
    bed.#order();
    const order: BoundariesOrder = {
      roots: { share: stage.shareFolder, state: join(stage.folder, 'state') },
      logFile: bed.#logFile,
      standOrders: bed.#orderFile,
      sendWithinMs: SEND_WITHIN_MS,
    };
    stage.startWorker({
      module: join(__dirname, 'boundaries-preload.js'),
      env: { [BOUNDARIES_VARIABLE]: JSON.stringify(order) },
    });
    stage.startWatcher();
    return bed;
  }

  /** One batch, from its files to its end. A bed on which something was found is not to be used again. */
  async run(one: EndedRunCase): Promise<EndedRunResult> {
    const { control } = this.#stage;
    const name = nameOf(one);
    this.#turn += 2;
    this.#cases += 1;
    const turn = this.#turn;
    this.#order();
    const flight = await this.#begin(one.play, turn);
    const reached = await this.#untilItStands(flight, one.boundary);
    const said: Violation[] = [];
    try {
      if (reached !== undefined) {
        const output = await this.#endAndResume(one, flight);
        if (output !== undefined)
          said.push({ invariant: 'resume goes on with it', case: name, what: output });
      }
      await this.#go();
      await control.clearFaults();
      await this.#untilSettled();
      return { reached, violations: [...said, ...(await this.#judge(name))] };
    } catch (error: unknown) {
      const invariant = error instanceof TookTooLong ? 'the case ends' : 'the case runs';
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { reached, violations: [...said, { invariant, case: name, what }] };
    }
  }

  async close(): Promise<void> {
    writeFileSync(this.#goFile, '');
    await this.#stage.close();
  }

  /** Drops the files. Answers the faults that hold, in flight first. */
  async #begin(play: Play, turn: number): Promise<readonly string[]> {
    const { control } = this.#stage;
    for (const fault of toWays(play, turn)) await control.addFault(fault);
    const holds: string[] = [];
    for (const held of [play.inFlight, play.firstHeld])
      if (held !== undefined) holds.push(await control.addFault(toFault(held, turn)));
    for (const role of play.files) {
      const path = fileNameOf(role, turn);
      this.#stage.drop(path, `${role === 'moving' ? '%PDF ' : ''}${role} of turn ${turn}`, { healthy: true });
    }
    return holds;
  }

  /** Counts from when the request is in flight. Undefined: the other group has come to its end before. */
  async #untilItStands(
    [inFlight, firstHeld]: readonly string[],
    boundary: number,
  ): Promise<string | undefined> {
    const { control } = this.#stage;
    if (inFlight !== undefined) {
      const isInFlight = async () =>
        (await control.faults()).some(({ id, fired }) => id === inFlight && fired > 0);
      await until(isInFlight, 'nothing came into flight');
    }
    this.#turn += 1;
    this.#order(boundary);
    if (firstHeld !== undefined) await control.removeFault(firstHeld);
    let [passed, sinceMs] = [-1, performance.now()];
    for (;;) {
      const lines = this.#passed();
      if (lines.at(-1) === STANDS) return lines.at(-2);
      if (inFlight === undefined && lines.length > 0 && this.#stage.isSettled) return undefined;
      if (lines.length !== passed) [passed, sinceMs] = [lines.length, performance.now()];
      const hasBegun = inFlight !== undefined || lines.length > 0;
      if (hasBegun && performance.now() - sinceMs > QUIET_MS) return undefined;
      await delay(LOOK_EVERY_MS);
    }
  }

  /** @returns what the command said when it did not go on with it. */
  async #endAndResume(
    { ending, letGo, isLateToLearn }: EndedRunCase,
    holds: readonly string[],
  ): Promise<string | undefined> {
    const { control, installation } = this.#stage;
    const release = async () => {
      for (const id of holds) await control.removeFault(id).catch(() => undefined);
    };
    const handle = this.#run();
    if (letGo === 'before the worker goes on') await release();
    if (ending === 'terminate') await handle.terminate('by mistake');
    else await handle.cancel();
    // Nobody but the worker ends a run that was cancelled.
    if (!isLateToLearn || ending === 'cancel') await this.#go();
    await until(async () => (await handle.describe()).status.name !== 'RUNNING', 'the run was not ended');
    const { status } = await handle.describe();
    const { code, output } = await runCommand(installation, ['resume']);
    if (letGo === 'with the new run') await release();
    // It may have ended by finishing before it heard of it.
    return code === 0 || status.name === 'COMPLETED' ? undefined : `exit code ${code}: ${output}`;
  }

  async #untilSettled(): Promise<void> {
    const handles = this.#stage.client.workflow;
    await until(async () => {
      this.#stage.requireProcesses();
      if (!this.#stage.isSettled) return false;
      for await (const _run of handles.list({ query: RUNNING_BATCHES })) return false;
      return true;
    }, 'the batch did not come to its end');
  }

  async #judge(name: string): Promise<Violation[]> {
    const { control, shareFolder, dropped } = this.#stage;
    const evidence = await collectEvidence(control, shareFolder, dropped);
    return judge(evidence, {
      mode: 'at-rest',
      case: name,
      // Each case is a batch whose run is ended and gone on with, and what it holds in flight is a strike.
      ...this.#stage.judgement(evidence, {
        interruptions: this.#cases,
        strikes: STRIKES_A_CASE * this.#cases,
        deeds: this.#cases,
      }),
    });
  }

  #run(): WorkflowHandle {
    const [batchId] = this.#stage.openBatches();
    if (batchId === undefined) throw new Error('No batch is open');
    return this.#stage.client.workflow.getHandle(ingestWorkflowId(this.#stage.project, batchId));
  }

  #order(standAt?: number): void {
    const order: StandOrder = { turn: this.#turn, standAt, goFile: this.#goFile };
    writeFileSync(`${this.#orderFile}.new`, JSON.stringify(order));
    renameSync(`${this.#orderFile}.new`, this.#orderFile);
  }

  async #go(): Promise<void> {
    writeFileSync(this.#goFile, '');
  }

  /** Boundaries of this turn. */
  #passed(): string[] {
    if (!existsSync(this.#logFile)) return [];
    const prefix = `${this.#turn} `;
    const lines = readFileSync(this.#logFile, 'utf8').split('\n');
    return lines.flatMap(line => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
  }

  get #orderFile(): string {
    return join(this.#stage.folder, 'stand.json');
  }

  get #goFile(): string {
    return join(this.#stage.folder, `go-${this.#turn}`);
  }

  get #logFile(): string {
    return join(this.#stage.folder, 'boundaries.log');
  }
}

export function nameOf({ play, ending, boundary }: EndedRunCase): string {
  return `${ending}, ${play.name}, at boundary ${boundary}`;
}

async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new TookTooLong(`After ${PATIENCE_MS / 1_000} s: ${otherwise}`);
    await delay(LOOK_EVERY_MS);
  }
}
