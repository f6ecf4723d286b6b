// The policy `wait`: workflows of earlier revisions stand against documents, and one activity for all of them
// looks and submits until something changes. They stay held meanwhile, and people can answer for them.
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  patched,
} from '@temporalio/workflow';
import type { WaitOutConflictsResult } from '../../../activities';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { explainRefusal, judgeRefusal } from '../decide/judge-refusal';
import { meetConflict } from '../decide/keep-waits';
import { type LookPace, lastLookMs, nextLookMs } from '../decide/look-pace';
import type { DocumentState } from '../document-state';
import type { HintListener } from '../hints';
import { isHoldToSee, noteOutcomes, seeHold } from '../journal';
import { askToWaitOut, isRetried, type LookTimes, retriedDocuments } from './conflict-request';
import { holdDocument } from './hold';

const LONGEST_LOOK_MS = 60 * 60_000;
/** An event about one of them brings the next look forward, to so long after the last one. */
const HINTED_LOOK_MS = 60_000;

/** What is known of the looks so far. */
interface Looks {
  lookedMs: number;
  /** How many signals `resume` had come at the last asking. */
  resumes: number;
  /** Before this no hint cuts the asking short: it has brought a look forward already. */
  hintsFromMs: number;
  /** They were due, and were not submitted: the hold of the batch had to be seen before. */
  isDue: boolean;
  readonly listener: HintListener;
}

/** Never ends: whenever documents wait for the end of workflows, they are tried until none does any more. */
export async function waitOutConflicts(batch: BatchState): Promise<never> {
  for (;;) {
    // Where the run is about to be left, the next one asks.
    await condition(() => batch.waitsBeside && isAnyToTry(batch));
    const listener = batch.hints.listen(() => retriedDocuments(batch));
    const looks: Looks = {
      lookedMs: Date.now(),
      resumes: batch.resumes,
      hintsFromMs: 0,
      isDue: false,
      listener,
    };
    while (isAnyToTry(batch)) {
      if (isHoldToSee(batch)) {
        await seeHold(batch);
        continue;
      }
      const group = retriedDocuments(batch);
      const result = await askUntilOneLeaves(batch, group, looks);
      if (result === undefined) continue;
      looks.lookedMs = result.atMs;
      if (result.holdToSee === true) {
        looks.isDue = true;
        batch.holdSeenMs = 0;
      }
      const back = takeResult(batch, group, result);
      batch.background.run(noteOutcomes(batch, group));
      if (back.length > 0) await carryOn(batch, back);
    }
    listener.close();
  }
}

function isAnyToTry(batch: BatchState): boolean {
  return retriedDocuments(batch).length > 0 && !batch.isToBeLeft();
}

/**
 * Undefined: it was cut, for one is answered for or its time is over, one more waits, or somebody says
 * `resume`.
 */
async function askUntilOneLeaves(
  batch: BatchState,
  group: readonly DocumentState[],
  looks: Looks,
): Promise<WaitOutConflictsResult | undefined> {
  const times = planLooks(batch, group, looks);
  const { resumes } = batch;
  const isCut = (): boolean =>
    batch.resumes !== resumes ||
    batch.isToBeLeft() ||
    (looks.listener.hinted.size > 0 && Date.now() >= looks.hintsFromMs) ||
    group.some(state => !isRetried(batch, state)) ||
    retriedDocuments(batch).length > group.length;
  const scope = new CancellationScope();
  const asking = scope.run(() =>
    askToWaitOut(
      batch,
      group,
      times,
      `Submit ${countOf(group.length, 'document')} again now and then, until the workflows in the way have ended`,
    ),
  );
  for (const state of group) state.retriedBeside('now');
  await Promise.race([asking.then(ignore, ignore), scope.run(() => condition(isCut)).then(ignore, ignore)]);
  scope.cancel();
  try {
    const result = await asking;
    for (const state of group) state.retriedBeside(undefined);
    return result;
  } catch (error: unknown) {
    const standing = standingOf(error);
    const isTold = standing === 'told';
    for (const state of group) state.retriedBeside(isTold ? undefined : 'untold');
    // Not cut by us: the run itself is cancelled.
    const isOver = CancellationScope.current().consideredCancelled;
    if (standing !== undefined || (!isOver && (isCancellation(error) || isCutInFailing(error))))
      return undefined;
    throw error;
  }
}

function ignore(): void {
  // Whoever awaits the activity itself hears of it.
}

/**
 * The attempt that was cut failed by itself, as in an outage, and only for the cut there is no other one.
 * Whatever is really wrong comes again at the next asking.
 */
function isCutInFailing(error: unknown): boolean {
  return error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED';
}

/**
 * Its last attempt was answered, and there was no other one after it. `untold`: it asked for nothing yet, and
 * of a request before it nothing is known still.
 */
function standingOf(error: unknown): 'told' | 'untold' | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'CONFLICT_STANDS') return undefined;
  const [details] = (cause.details ?? []) as readonly { readonly code?: string }[];
  const isUntold = details?.code === 'CONFLICT_UNTOLD' && patched('what-is-cut-untold-stays-untold');
  return isUntold ? 'untold' : 'told';
}

/** At once after `resume`; what was cut for something else keeps its time. */
function planLooks(batch: BatchState, group: readonly DocumentState[], looks: Looks): LookTimes {
  const nowMs = Date.now();
  const pace: LookPace = {
    sinceMs: Math.max(...group.map(({ held }) => held?.sinceMs ?? 0)),
    leastMs: batch.policy.conflictRetryMs,
    longestMs: Math.max(LONGEST_LOOK_MS, group.length * 60_000),
  };
  looks.lookedMs = lastLookMs(pace, looks.lookedMs, nowMs);
  const isResumed = looks.resumes !== batch.resumes;
  const isHinted = looks.listener.hinted.size > 0;
  const { isDue } = looks;
  looks.isDue = false;
  looks.resumes = batch.resumes;
  looks.listener.hinted.clear();
  const usualMs = nextLookMs(pace, looks.lookedMs);
  // By whatever clock: only the first attempt takes the hold for seen.
  if (isDue) return { pace, dueMs: 0 };
  if (isResumed) return { pace, dueMs: nowMs };
  if (!isHinted) return { pace, dueMs: usualMs };
  looks.hintsFromMs = Math.max(nowMs, looks.lookedMs + HINTED_LOOK_MS);
  return { pace, dueMs: Math.min(usualMs, looks.hintsFromMs) };
}

/** Returns those that go on in the usual way. */
function takeResult(
  batch: BatchState,
  group: readonly DocumentState[],
  { documents, refused, atMs }: WaitOutConflictsResult,
): readonly DocumentState[] {
  for (const state of group) {
    if (refused.times > 0) noteRefusals(batch, state, refused.lastMs, refused.times);
  }
  const back: DocumentState[] = [];
  for (const { index, end } of documents) {
    const state = group.find(({ document }) => document.index === index);
    if (state === undefined) continue;
    if (end.kind === 'submitted') {
      batch.submitted(state, end.revisionId, end.paired, atMs);
      continue;
    }
    if (end.kind === 'unheard') state.mayHaveBeenSubmitted();
    // A document that is answered just now goes the way of answers, which looks first.
    if (!isRetried(batch, state)) continue;
    if (end.kind === 'conflict') {
      // A missing right is no other question: see takeConflict.
      if (judgeRefusal(end.refusal.reasonCode) === 'conflict') state.refusedFor(end.refusal.reviews);
      holdDocument(batch, state, 'workflow-conflict', explainRefusal(end.refusal));
    } else {
      state.endHold();
      back.push(state);
    }
  }
  return back;
}

function noteRefusals(batch: BatchState, state: DocumentState, atMs: number, times: number): void {
  if (!batch.keepsHow) return;
  const why = state.held?.reason.text ?? '';
  state.keepWaits(meetConflict(state.waits, { atMs, why, policy: batch.policy.conflict.kind, times }));
}

async function carryOn(batch: BatchState, back: readonly DocumentState[]): Promise<void> {
  const { begun, ended } = batch.background.handBack(back);
  batch.background.run(ended);
  await begun;
}
