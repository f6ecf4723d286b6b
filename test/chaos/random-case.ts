// One case of the random faults: runs a plan, stops the faults or the product,
// collects the evidence and judges it.
import { setTimeout as delay } from 'node:timers/promises';
import { type CaseCoverage, coverCase } from './coverage';
import { Deeds } from './fault-deeds';
import { LogFollower } from './fault-log';
import { oddNameCount } from './fault-names';
import { attendToRuns, lookAtRuns, type RunsAtEnd } from './fault-people';
import type { FaultPlan } from './fault-plan';
import { Stage } from './fault-stage';
import { withSwaps } from './fault-swaps';
import { judge } from './judge';
import { collectEvidence } from './judge-evidence';
import { sayWhyLate } from './longest-waits';
import type { PartOptions, Violation } from './part';
import { countStrikes } from './request-budget';
import { type Ending, judgeLateness, untilEnded } from './waiting';

const LOOK_EVERY_MS = 200;
/** A fixed amount of work: this part of the documents has become revisions... */
const SAFETY_WORK = 0.5;
const LIVENESS_WORK = 0.75;
/** ...or so much time went by, when something stands still for good. */
const LONGEST_TROUBLE_MS = 240_000;
/** Once faults stop, everything must end within this: the longest pause between two tries is a minute. */
const LIVENESS_BOUND_MS = 180_000;
const ATTEND_EVERY_MS = 2_000;

export interface CaseResult {
  readonly violations: readonly Violation[];
  readonly coverage: CaseCoverage;
  readonly documents: number;
  readonly revisions: number;
  readonly requests: number;
  readonly deeds: ReadonlyMap<string, number>;
  /** From the end of the faults to the end of everything; undefined in safety mode. */
  readonly recoveryMs?: number | undefined;
}

export async function runCase(plan: FaultPlan, options: PartOptions): Promise<CaseResult> {
  const stage = await openStage(plan, options);
  try {
    const log = new LogFollower(stage.control);
    const deeds = new Deeds(stage, plan, log);
    await makeTrouble(stage, plan, log, deeds);
    const faults = await stage.control.faults();
    const recovery = plan.mode === 'safety' ? undefined : await recover(stage, plan);
    if (recovery !== undefined) await sayWhyLate(recovery, plan.name, stage.client, options);
    const runs: RunsAtEnd =
      plan.mode === 'safety' ? { stopped: [], histories: [] } : await lookAtRuns(stage.client);
    await stage.killAll();
    const collected = await collectEvidence(stage.control, stage.shareFolder, stage.dropped);
    const evidence = { ...collected, dropped: withSwaps(collected), histories: runs.histories };
    const violations = judge(evidence, {
      mode: plan.mode === 'safety' ? 'underway' : 'at-rest',
      case: plan.name,
      interruptions: deeds.interruptions,
      ...stage.judgement(evidence, { strikes: countStrikes(faults), ...deeds.load }),
    });
    const stopped = runs.stopped
      .filter(run => !run.startsWith('by-hand-'))
      .map(what => ({ invariant: '15 no run ends but by finishing', case: plan.name, what }));
    const expiredFiles = evidence.fileUploads.filter(
      ({ state, segments, segmentsReceived }) => state === 'deleted' && segments === segmentsReceived,
    ).length;
    return {
      violations: [
        ...violations,
        ...stopped,
        ...(recovery === undefined ? [] : judgeLateness(recovery, LIVENESS_BOUND_MS, plan.name)),
      ],
      coverage: coverCase({
        operations: evidence.operations,
        faults,
        expiredFiles,
        oddNames: oddNameCount(evidence.dropped.map(({ path }) => path)),
        hits: deeds.hits,
      }),
      documents: evidence.dropped.length,
      revisions: evidence.revisions.filter(({ uploadId }) => uploadId !== null).length,
      requests: evidence.operations.filter(({ kind }) => kind === 'request').length,
      deeds: deeds.done,
      recoveryMs: recovery?.afterMs,
    };
  } finally {
    await stage.close();
  }
}

async function openStage(plan: FaultPlan, options: PartOptions): Promise<Stage> {
  const stage = await Stage.open({
    dist: options.dist,
    temporalAddress: options.temporalAddress,
    sandbox: {
      consumedStatus: plan.consumedStatus,
      bulkRead: plan.bulkRead,
      linkWithinSeconds: plan.linkWithinSeconds,
      // On a machine that is busy enough, every file would be forgotten again and again,
      // until it is given up with reason.
      mostForgottenOfAName: 1,
    },
    share: {
      batch: { quiet: 200, maxFiles: plan.batchFiles },
      conflict:
        plan.conflict === 'terminate'
          ? { kind: 'terminate', reason: 'A newer issue', status: 'Superseded' }
          : plan.conflict,
      conflictRetry: '2s',
      transferChunk: 5,
    },
    worker: { maxConcurrentTransfers: 8 },
  });
  for (const order of plan.orders) await stage.control.addFault(order);
  for (const { path, content, healthy, late } of plan.files) {
    if (late === undefined) stage.drop(path, content, { healthy });
  }
  for (let count = 0; count < plan.workers; count++) stage.startWorker();
  stage.startWatcher();
  return stage;
}

/** Until a fixed amount of work is done. */
async function makeTrouble(stage: Stage, plan: FaultPlan, log: LogFollower, deeds: Deeds): Promise<void> {
  const work = plan.files.length * (plan.mode === 'safety' ? SAFETY_WORK : LIVENESS_WORK);
  const until = performance.now() + LONGEST_TROUBLE_MS;
  while (log.revisions < work && performance.now() < until && !stage.isSettled) {
    stage.requireProcesses();
    await log.follow();
    deeds.beginDue();
    await delay(LOOK_EVERY_MS);
  }
  await deeds.stop();
}

/** Stops the faults, and waits until everything has ended. */
async function recover(stage: Stage, plan: FaultPlan): Promise<Ending> {
  await stopFaults(stage, plan);
  let attended = performance.now();
  return await untilEnded({
    isOver: () => stage.isSettled,
    withinMs: LIVENESS_BOUND_MS,
    lookEveryMs: LOOK_EVERY_MS,
    meanwhile: async () => {
      stage.requireProcesses();
      if (stage.isSettled || performance.now() - attended < ATTEND_EVERY_MS) return;
      await attendToRuns(stage.client);
      attended = performance.now();
    },
  });
}

/**
 * Nothing strikes any more, everybody is back, rights are given back and other people's workflows have ended.
 */
async function stopFaults(stage: Stage, plan: FaultPlan): Promise<void> {
  const { control, project } = stage;
  await control.clearFaults();
  await control.setOutages({ api: 'none', auth: 'none', storage: 'none' });
  for (const { deed } of plan.deeds) {
    if (deed.kind !== 'edit' || deed.undo === undefined) continue;
    await control.edit(project.projectId, deed.undo).catch(() => undefined);
  }
}
