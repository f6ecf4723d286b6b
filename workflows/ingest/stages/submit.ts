// Stage "submit" (Step 8): uploads become revisions. Whatever the service answers, or does not, no document
// is submitted under a second upload, and none holds back the others.

import { condition, patched, sleep } from '@temporalio/workflow';
import type { ProbeResult, SubmitRevisionsResult } from '../../../activities';
import type { BatchState } from '../batch-state';
import { halve } from '../decide/cut-chunks';
import { isOwnFailure, mayHaveTakenEffect, type Refusal } from '../decide/judge-refusal';
import { findNamed, judgeSubmission, type Refused } from '../decide/judge-submission';
import { isUnderway } from '../document-facts';
import type { DocumentState } from '../document-state';
import { noteIntent, noteOutcomes } from '../journal';
import { completeStage } from './complete';
import { countsStrikes, noteFailures, notePasses, readPasses } from './outage';
import { readStage } from './read';
import { holdOvertaken, waitForTurns } from './revision-order';
import { noteTermination } from './submit-item';
import { setApartIfWornOut, takeItemRefusal } from './submit-refusal';
import { askToSubmit, askToSubmitOne } from './submit-request';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/**
 * Who is tried may be to blame, and whoever comes meanwhile is not tried: not for longer than this. Each such
 * change begins with short pauses again.
 */
const LONGEST_UNTRIED_MS = 15 * 60_000;

/**
 * Submits documents that are ready (event id read after our last write). Ends when each has an outcome or is
 * held.
 */
export async function submitStage(batch: BatchState, documents: readonly DocumentState[]): Promise<void> {
  let ready = documents;
  for (let round = 0; ready.length > 0; round++) {
    batch.move(ready, 'submitting');
    if (await batch.submitting.untilNoProbe()) ready = await makeReady(batch, ready);
    beginAnew(batch, ready);
    const again = await submitGroup(batch, ready);
    if (again.length === 0) return;
    ready = await makeReady(batch, again);
    const silent = ready.filter(state => state.unheard === 'silent');
    const failed = ready.filter(state => state.unheard === 'failed');
    const unsent = ready.filter(state => state.unheard === 'not-sent');
    if (failed.length > 0 && !batch.submitting.isElsewhereKnown) notePasses(batch, await readPasses(batch));
    const others = ready.filter(({ unheard }) => unheard === undefined);
    if (failed.length > 0 && others.length > 0) {
      // What becomes of these is known, and does not wait for the end of an outage.
      const waiting = ready.filter(state => !others.includes(state));
      await Promise.all([submitStage(batch, others), submitStage(batch, waiting)]);
      return;
    }
    if (silent.length > 0 && (await noteSilent(batch, silent))) {
      await submitApart(batch, ready, silent);
      return;
    }
    if (failed.length > 0 || unsent.length > 0 || (silent.length > 0 && round > 0)) {
      for (const state of failed) batch.submitting.countWait(toIndex(state));
      const unheard = [...silent, ...unsent, ...failed];
      const areAllNamed = unheard.length === failed.length;
      if (areAllNamed && patched('those-named-are-tried-together')) {
        await submitTogether(batch, failed);
        return;
      }
      await batch.submitting.waitOutOutage(() => probeSubmitting(batch, unheard), areAllNamed);
      if (failed.length > 0) {
        // Whether others have passed while these were waited for, before they are named again.
        notePasses(batch, await readPasses(batch));
        // That was the pause.
        round = 0;
      }
      ready = await makeReady(batch, ready.filter(isOpen));
    } else if (silent.length === 0 && round > 0) {
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** round, LONGEST_PAUSE_MS));
    }
    ready = ready.filter(state => isOpen(state) && !setApartIfWornOut(batch, state));
  }
}

/**
 * Notes that these are still there though they were submitted without a response. Returns true when others
 * passed meanwhile and these are several: some of them are to blame. For a single one the try is counted, and
 * false returned.
 */
async function noteSilent(batch: BatchState, silent: readonly DocumentState[]): Promise<boolean> {
  const isOthers = await noteFailures(batch, 'submitting', silent.map(toIndex));
  const [only] = silent;
  if (isOthers && silent.length === 1 && only !== undefined) only.countTry('unknown');
  return isOthers && silent.length > 1;
}

/** Those whose outage is over get as many tries as any other. */
function beginAnew(batch: BatchState, documents: readonly DocumentState[]): void {
  for (const state of documents) if (batch.submitting.beginAnew(toIndex(state))) state.forgetTries('submit');
}

function toIndex({ document }: DocumentState): number {
  return document.index;
}

/** One of them poisons the request: each half goes its own way, and none waits for the other. */
async function submitApart(
  batch: BatchState,
  ready: readonly DocumentState[],
  silent: readonly DocumentState[],
): Promise<void> {
  const others = ready.filter(state => !silent.includes(state));
  const parts = [...halve(silent), others].filter(part => part.length > 0);
  await Promise.all(parts.map(part => submitStage(batch, part)));
}

/**
 * What the service names of all strands is tried by one activity, and goes on as one strand: each of them by
 * itself would ask as often. Ends when these have an outcome or are held.
 */
async function submitTogether(batch: BatchState, named: readonly DocumentState[]): Promise<void> {
  const { together } = batch.submitting;
  const indexes = named.map(toIndex);
  const { carrying, isFirst } = together.join(indexes, () => carryTogether(batch));
  const ended = Promise.race([carrying, condition(() => !named.some(isOpen))]);
  if (!isFirst) {
    const isTaken = condition(() => together.hasTaken(indexes), LONGEST_UNTRIED_MS);
    if (!(await Promise.race([isTaken, ended.then(() => true)]))) together.change();
  }
  await ended;
}

async function carryTogether(batch: BatchState): Promise<void> {
  const { together } = batch.submitting;
  const statesOf = (indexes: ReadonlySet<number>) =>
    batch.documents.filter(state => indexes.has(toIndex(state)));
  if (!(await batch.submitting.untilNoProbe())) {
    const probed = await askToSubmitOne(batch, {
      states: () => statesOf(together.take()),
      changes: () => together.changes,
      isShort: states => isAnyWaitedForShortly(batch, states),
    });
    if (probed.kind === 'answered') await takeProbed(batch, probed);
  }
  const waited = statesOf(together.end());
  // Whether others have passed while these were waited for, before they are named again.
  notePasses(batch, await readPasses(batch));
  const ready = await makeReady(batch, waited.filter(isOpen));
  await submitStage(
    batch,
    ready.filter(state => isOpen(state) && !setApartIfWornOut(batch, state)),
  );
}

/** What the service names may be theirs all the same. */
function isAnyWaitedForShortly(batch: BatchState, named: readonly DocumentState[]): boolean {
  return named.some(state => batch.submitting.isWaitedForShortly(toIndex(state)));
}

/**
 * The service takes nothing, or answers nothing though nobody has passed since: one after the other is tried
 * until it does.
 */
async function probeSubmitting(batch: BatchState, unheard: readonly DocumentState[]): Promise<void> {
  const [only] = unheard;
  const isNamed = unheard.every(state => state.unheard === 'failed');
  const isSuspect =
    !isNamed && unheard.length === 1 && only !== undefined && batch.submitting.isSuspect(toIndex(only));
  const isShort = isSuspect || (isNamed && isAnyWaitedForShortly(batch, unheard));
  const probed = await askToSubmitOne(batch, {
    states: () => unheard,
    changes: () => 0,
    isShort: () => isShort,
  });
  if (probed.kind === 'gave-up') {
    if (!isSuspect) return;
    // Nobody has passed while it was tried: an outage, in which this try says nothing of it.
    if (countsStrikes() && !(await noteFailures(batch, 'submitting', [toIndex(only)]))) return;
    only.countTry('unknown');
    return;
  }
  await takeProbed(batch, probed);
}

async function takeProbed(
  batch: BatchState,
  { index, result }: Extract<ProbeResult<SubmitRevisionsResult>, { readonly kind: 'answered' }>,
): Promise<void> {
  const answered = batch.documents.filter(state => toIndex(state) === index);
  await takeSubmitResult(batch, answered, result);
}

function isOpen(state: DocumentState): boolean {
  return isUnderway(state) && state.inLine === undefined;
}

/** Reads the uploads again, fills what is empty, and returns those that can be submitted. */
async function makeReady(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const { found } = await readStage(batch, documents);
  return await completeStage(batch, found);
}

/** One request, and what follows from its response at once. Returns the documents that must be read again. */
async function submitGroup(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const group = await takeTurns(batch, documents);
  if (group.length === 0) return [];
  // Refused most likely, for what a person agreed to end: nobody else is part of that request.
  const agreed = group.filter(state => state.agreed !== undefined && state.termination === undefined);
  const others = group.filter(state => !agreed.includes(state));
  if (agreed.length > 0 && others.length > 0)
    return [...(await submitGroup(batch, others)), ...(await submitGroup(batch, agreed))];
  return await takeSubmitResult(batch, group, await askToSubmit(batch, group));
}

async function takeSubmitResult(
  batch: BatchState,
  group: readonly DocumentState[],
  result: SubmitRevisionsResult,
): Promise<readonly DocumentState[]> {
  for (const state of group) state.submissionEnded('answered');
  switch (result.kind) {
    case 'answered':
      return await takeSubmitResponse(batch, group, result);
    case 'refused':
      return await takeSubmitRefusal(batch, group, result.refusals);
    case 'unknown':
      return takeSilence(group);
    case 'not-sent':
      for (const state of group) state.submissionEnded('not-sent');
      return group;
  }
}

async function submitHalves(
  batch: BatchState,
  group: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const [first, second] = halve(group);
  return [...(await submitGroup(batch, first)), ...(await submitGroup(batch, second))];
}

/**
 * Those that may be submitted now, their intent noted; the others wait in the background for an earlier
 * revision.
 */
async function takeTurns(
  batch: BatchState,
  group: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const free = holdOvertaken(batch, group);
  const unrecorded = free.filter(state => !state.intended);
  if (unrecorded.length === 0) return free;
  const line = await noteIntent(batch, unrecorded);
  const going = holdOvertaken(batch, free).filter(
    ({ outcome, held }) => outcome?.kind !== 'skipped' && held === undefined,
  );
  if (line.waiting.length === 0) return going;
  waitForTurns(batch, line, async turn =>
    // The event ids may have moved while they waited.
    submitStage(batch, await makeReady(batch, turn)),
  );
  const late = new Set(line.waiting.map(({ index }) => index));
  return going.filter(({ document }) => !late.has(document.index));
}

async function takeSubmitResponse(
  batch: BatchState,
  group: readonly DocumentState[],
  result: Extract<SubmitRevisionsResult, { kind: 'answered' }>,
): Promise<readonly DocumentState[]> {
  const judged = judgeSubmission(group, result);
  if (judged.kind === 'look') return takeSilence(group);
  batch.atOnce(() => {
    for (const { item, revisionId, paired } of judged.accepted) {
      noteTermination(item);
      batch.submitted(item, revisionId, paired, result.atMs);
    }
    noteNamed(batch, judged.refused);
  });
  await noteOutcomes(
    batch,
    judged.accepted.map(({ item }) => item),
  );
  const again: DocumentState[] = [];
  for (const { item, refusal } of judged.refused) {
    if (mayHaveTakenEffect(refusal.reasonCode)) item.mayHaveBeenSubmitted();
    if (await takeItemRefusal(batch, item, refusal)) again.push(item);
  }
  return again;
}

/** For which of them the service has failed by its own word; what others were waited for is over. */
function noteNamed(batch: BatchState, refused: readonly Refused<DocumentState>[]): void {
  for (const { item, refusal } of refused) {
    if (isOwnFailure(refusal.reasonCode)) batch.submitting.name(toIndex(item), Date.now());
    else if (batch.submitting.unname(toIndex(item))) item.forgetTries('submit');
  }
}

async function takeSubmitRefusal(
  batch: BatchState,
  group: readonly DocumentState[],
  refusals: readonly Refusal[],
): Promise<readonly DocumentState[]> {
  const named = findNamed(group, refusals);
  if (named.length > 0) return await takeNamed(batch, group, named);
  const only = group.length === 1 ? group[0] : undefined;
  const first = refusals[0] ?? { reasonCode: 'OTHER', message: '' };
  if (only !== undefined) {
    noteNamed(batch, [{ item: only, refusal: first }]);
    return (await takeItemRefusal(batch, only, first)) ? [only] : [];
  }
  return await findOffender(batch, group);
}

/**
 * The named ones are dealt with; the request goes through for the others at once, with the same event ids.
 */
async function takeNamed(
  batch: BatchState,
  group: readonly DocumentState[],
  named: readonly Refused<DocumentState>[],
): Promise<readonly DocumentState[]> {
  noteNamed(batch, named);
  const offenders = new Set(named.map(({ item }) => item));
  const others = group.filter(state => !offenders.has(state));
  const againOfOthers = await submitGroup(batch, others);
  const again: DocumentState[] = [];
  for (const { item, refusal } of named) {
    if (await takeItemRefusal(batch, item, refusal)) again.push(item);
  }
  return [...againOfOthers, ...again];
}

/** Nobody is named: reading finds who is gone or lacks values; if it finds nobody, halving does. */
async function findOffender(
  batch: BatchState,
  group: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const eventIds = new Map(group.map(state => [state, state.eventId]));
  const ready = await makeReady(batch, group);
  const isChanged = ready.length < group.length || ready.some(state => state.eventId !== eventIds.get(state));
  return isChanged ? await submitGroup(batch, ready) : await submitHalves(batch, ready);
}

/** No response, or one that cannot be read: from now on a missing upload can mean that it was submitted. */
function takeSilence(group: readonly DocumentState[]): readonly DocumentState[] {
  for (const state of group) state.submissionEnded('silent');
  return group;
}
