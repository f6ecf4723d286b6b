// Stage "link" (Step 6): file and upload are joined and completed in one request; asked = linked + failed +
// missing.

import { patched, sleep } from '@temporalio/workflow';
import type { LinkUploadsResult } from '../../../activities';
import type { BatchState } from '../batch-state';
import { halve } from '../decide/cut-chunks';
import { explainSetApart } from '../decide/explain-set-apart';
import { explainRefusal, REFUSED_WITHOUT_REASON, type Refusal } from '../decide/judge-refusal';
import { isUnderway } from '../document-facts';
import type { DocumentState } from '../document-state';
import { lookForAbsent } from './absence';
import { refuseValues } from './hold';
import { askToLink, askToLinkOne, partByExposure } from './link-request';
import { countsStrikes, noteFailures } from './outage';
import { planAgain } from './plan';
import { leaveRelinked } from './put-right';
import { lookAt } from './read';
import { sendStage } from './send';

/** How often one file is sent again for its link. */
const MOST_RESENDS = 2;
/** Strikes of one document, before it is set apart: its first failure is none. */
const MOST_STRIKES = 3;
/** In runs from before strikes: how often one document is linked anew before it is set apart. */
const MOST_TRIES = 4;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 20 * 60_000;

/**
 * Links and completes every document, sending and creating again what the service did not confirm. Returns
 * those that are COMPLETED; the others were set apart. Whether a 500 is one document's fault or the service's
 * is told by whether any other document passes meanwhile: as long as none does, one of them is tried for all.
 */
export async function linkStage(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  let asked = documents.filter(state => !state.completed);
  // Documents whose file is late, and those that cannot be linked yet: they go on in the background, from
  // here to their end.
  const handedOn = new Set<DocumentState>();
  for (let round = 0; ; round++) {
    const open = asked.filter(isOpen);
    if (open.length === 0) break;
    await batch.linking.untilNoProbe();
    const sent = await sendStage(batch, open);
    for (const state of open) if (!sent.includes(state)) handedOn.add(state);
    asked = asked.filter(state => !handedOn.has(state));
    batch.move(sent, 'linking');
    const { waits } = batch.linking;
    await linkGroup(batch, sent);
    blame(batch, asked.filter(isOpen));
    const left = asked.filter(isOpen);
    if (left.length === 0) continue;
    const isAnyLinked = asked.some(state => state.completed);
    const isAtOnce = round === 0 || batch.linking.waits > waits;
    // In runs from before, what was linked waited for one more try of the others, and for their files.
    const goOnAtOnce = isAtOnce && isAnyLinked && patched('linked-wait-for-no-other');
    if (isAtOnce && !goOnAtOnce) continue;
    const pausing = goOnAtOnce ? undefined : sleep(Math.min(FIRST_PAUSE_MS * 2 ** round, LONGEST_PAUSE_MS));
    if (isAnyLinked) {
      // The others do not wait for these.
      for (const state of left) handedOn.add(state);
      batch.background.run(goOnAfter(batch, pausing, left));
      break;
    }
    await pauseBehind(batch, pausing, left);
  }
  batch.passed(
    asked.filter(state => state.completed),
    'linked',
  );
  return documents.filter(state => state.completed && isUnderway(state) && !handedOn.has(state));
}

async function goOnAfter(
  batch: BatchState,
  pausing: Promise<void> | undefined,
  left: readonly DocumentState[],
): Promise<void> {
  await pauseBehind(batch, pausing, left);
  await batch.background.handBack(left).ended;
}

/** Meanwhile they count as late, so that what has ended of the batch is settled up without them. */
async function pauseBehind(
  batch: BatchState,
  pausing: Promise<void> | undefined,
  left: readonly DocumentState[],
): Promise<void> {
  if (pausing === undefined) return;
  for (const state of left) state.fallBehind(null);
  batch.background.nudge();
  await pausing;
  for (const state of left) state.catchUp();
}

/**
 * One request for those that nobody has seen yet, another for those that were COMPLETED before; where a
 * refusal names no document, halving finds the one that is meant.
 */
async function linkGroup(batch: BatchState, group: readonly DocumentState[]): Promise<void> {
  for (const part of partByExposure(group)) {
    await takeLinkResult(batch, part, await askToLink(batch, part));
  }
}

async function takeLinkResult(
  batch: BatchState,
  group: readonly DocumentState[],
  result: LinkUploadsResult,
): Promise<void> {
  switch (result.kind) {
    case 'answered':
      await takeLinkResponse(batch, group, result);
      return;
    case 'refused':
      takeLinked(group, new Set(result.linked));
      await takeLinkRefusal(batch, group.filter(isOpen), result.refusals);
      return;
    case 'failed':
      await takeLinkFailure(batch, group);
  }
}

async function takeLinkResponse(
  batch: BatchState,
  group: readonly DocumentState[],
  result: Extract<LinkUploadsResult, { kind: 'answered' }>,
): Promise<void> {
  const linked = new Set(result.linked);
  const failed = new Set(result.failed.map(({ index }) => index));
  const missing: DocumentState[] = [];
  await noteFailures(
    batch,
    'linking',
    indexesOf(group).filter(index => !linked.has(index)),
    true,
  );
  batch.linking.pass(linked.size, Date.now());
  takeLinked(group, linked);
  for (const state of group.filter(({ document }) => !linked.has(document.index))) {
    if (failed.has(state.document.index)) sendFileAgain(state);
    else missing.push(state);
  }
  if (missing.length === 0 || leaveRelinked(missing)) return;
  // In neither list: the id is unknown to the service, or the response is wrong. Only looking tells.
  await lookAt(batch, missing);
  for (const state of missing) {
    if (state.completed || !isUnderway(state)) continue;
    state.countTry('link');
    const isFirst = state.linksAsked === 1 && result.repeated !== true;
    if (isFirst) state.forgetUpload();
    else takeGone(batch, state);
  }
}

function takeLinked(group: readonly DocumentState[], linked: ReadonlySet<number>): void {
  for (const state of group) {
    if (linked.has(state.document.index)) state.linked();
  }
}

/**
 * Unknown to the service, though an earlier link of it may have been heard: an INCOMPLETE upload is hidden
 * from everybody, a COMPLETED one can have been submitted by somebody since. A second upload would make that
 * document a second revision, so the same one is asked for once more, and what other looks agree on is then
 * for a person.
 */
function takeGone(batch: BatchState, state: DocumentState): void {
  if (state.mayTry('gone', 1)) return;
  if (patched('gone-is-looked-for')) lookForAbsent(batch, [state], new Set());
  else batch.setApart(state, explainSetApart('perhaps-taken'));
}

async function takeLinkRefusal(
  batch: BatchState,
  group: readonly DocumentState[],
  refusals: readonly Refusal[],
): Promise<void> {
  if (leaveRelinked(group)) return;
  const isFirst = group.every(state => state.tries.linkAlone === 0);
  if (isFirst) {
    // A value of a list may have been withdrawn since we looked it up.
    for (const state of group) state.countTry('linkAlone');
    if (await planAgain(batch, group, true)) return;
  }
  const open = group.filter(isUnderway);
  const refusalOf = new Map(refusals.map(refusal => [refusal.uploadId, refusal]));
  const named = open.filter(state => refusalOf.has(state.uploadId));
  if (named.length === 0 && open.length > 1) {
    for (const half of halve(open)) await linkGroup(batch, half);
    return;
  }
  const unnamed = refusals[0] ?? REFUSED_WITHOUT_REASON;
  for (const state of named.length > 0 ? named : open) {
    refuseValues(batch, state, explainRefusal(refusalOf.get(state.uploadId) ?? unnamed));
  }
  await linkGroup(batch, open.filter(isUnderway));
}

/**
 * The three 500s of Step 6 look alike: already linked (then it is done), no file, storage not verified. Or
 * the step has an outage.
 */
async function takeLinkFailure(batch: BatchState, group: readonly DocumentState[]): Promise<void> {
  await lookAt(batch, group);
  const left = withFiles(group.filter(isOpen));
  const [only] = left;
  if (only === undefined) return;
  if (!(await noteFailures(batch, 'linking', indexesOf(left)))) {
    await batch.linking.waitOutOutage(() => probeLinking(batch, left));
  } else if (leaveRelinked(left)) {
    return;
  } else if (left.length > 1) {
    for (const half of halve(left)) await linkGroup(batch, half);
  } else {
    sendFileAgain(only);
  }
}

/**
 * Without those that the look has given another upload, or none: their files are to be sent before they can
 * be linked, in the round that follows.
 */
function withFiles(states: readonly DocumentState[]): readonly DocumentState[] {
  const linkable = states.filter(
    ({ uploadId, fileUploadId }) => uploadId !== undefined && fileUploadId !== undefined,
  );
  const isAnyWithout = linkable.length < states.length;
  return isAnyWithout && patched('what-was-swapped-is-sent-before-a-probe') ? linkable : states;
}

/**
 * Nobody has passed since: one document after the other is tried until the step is back, or until it is worth
 * sending one file again (the smallest), for nobody but the storage knows whether it still has them.
 */
async function probeLinking(batch: BatchState, waiting: readonly DocumentState[]): Promise<void> {
  const bySize = [...waiting].sort((one, other) => one.document.sizeBytes - other.document.sizeBytes);
  const [lead] = bySize;
  if (lead === undefined) return;
  const isSuspect = waiting.length === 1 && batch.linking.isSuspect(lead.document.index);
  const mayResend = isSuspect || lead.tries.link < MOST_RESENDS;
  const probed = await askToLinkOne(batch, bySize, mayResend);
  if (probed.kind === 'gave-up') {
    if (waiting.length === 1 && countsStrikes()) await noteFailures(batch, 'linking', indexesOf(waiting));
    if (!mayResend || leaveRelinked([lead])) return;
    sendFileAgain(lead);
    return;
  }
  if (!isSuspect) lead.forgetTries('link');
  const answered = bySize.filter(({ document }) => document.index === probed.index);
  await takeLinkResult(batch, answered, probed.result);
}

function indexesOf(states: readonly DocumentState[]): readonly number[] {
  return states.map(({ document }) => document.index);
}

function sendFileAgain(state: DocumentState): void {
  if (state.mayTry('link', MOST_RESENDS)) state.forgetFile();
}

function isOpen(state: DocumentState): boolean {
  return !state.completed && isUnderway(state);
}

/**
 * Sets apart what failed often enough, if each time others have passed since; else the service is to blame,
 * and we wait.
 */
function blame(batch: BatchState, left: readonly DocumentState[]): void {
  for (const state of left) {
    const { index } = state.document;
    const isStruckOut = batch.linking.strikes(index) >= MOST_STRIKES;
    const isWornOut = state.tries.link >= MOST_TRIES && batch.linking.isSuspect(index);
    if (!isStruckOut && !isWornOut) continue;
    if (!(countsStrikes() ? isStruckOut : isWornOut)) continue;
    batch.setApart(state, explainSetApart('link-failed'));
  }
}
