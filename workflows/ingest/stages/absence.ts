// Uploads that should be there, COMPLETED, and are not shown so. One response proves nothing: the service may
// show a change late, and not everywhere at once. What is told to people is what independent looks agree on.
import { patched } from '@temporalio/workflow';
import type { FindAbsentResult } from '../../../activities';
import { countOf } from '../../run/decide/count-of';
import type { Return } from '../background';
import type { BatchState } from '../batch-state';
import { explainSetApart, type SetApartReason } from '../decide/explain-set-apart';
import type { DocumentState } from '../document-state';
import type { BatchPolicy } from '../ingest-contract';
import { type HoldUnseen, NOT_UNSEEN, noteOutcomes, noteUnseen, seeHold, toHoldLook } from '../journal';
import { readJournalAgain } from '../opening';
import { noteTermination, toItem } from './submit-item';

type Kind = FindAbsentResult['documents'][number]['kind'];

/** How often one upload may come and go before nothing more is believed of it. */
const MOST_ABSENCES = 4;

/** One look by every kind of read. */
const AT_ONCE = { everyMs: 1, forMs: 1 };

/**
 * Returns at once: they are looked for beside the others, and go on from where they then stand.
 * @param deleted those of them that a read has just told as deleted.
 */
export function lookForAbsent(
  batch: BatchState,
  states: readonly DocumentState[],
  deleted: ReadonlySet<DocumentState>,
): void {
  if (states.length === 0) return;
  for (const state of states) state.missed();
  batch.background.run(decideAbsence(batch, states, deleted));
}

async function decideAbsence(
  batch: BatchState,
  states: readonly DocumentState[],
  deleted: ReadonlySet<DocumentState>,
): Promise<void> {
  const waiting = (): readonly DocumentState[] => states.filter(({ absent }) => absent);
  const kindOf = await batch.hints.during(
    () => findAbsent(batch, states, batch.policy.lookAgain),
    waiting,
    async hinted => {
      const seen = await findAbsent(batch, hinted, AT_ONCE);
      // That it is there, one look can say; that it is not, only all of them together.
      const shown = hinted.filter(({ absent, document }) => absent && seen.get(document.index) === 'shown');
      if (shown.length === 0) return;
      const { ended } = await goOn(batch, shown);
      batch.background.run(ended);
    },
  );
  if (kindOf === undefined) return;
  await findIntents(
    batch,
    waiting().filter(state => isUnknown(kindOf.get(state.document.index), deleted.has(state))),
  );
  const back: DocumentState[] = [];
  const gone: DocumentState[] = [];
  for (const state of waiting()) {
    const kind = kindOf.get(state.document.index);
    if (kind === 'shown' || kind === 'incomplete') {
      // INCOMPLETE is as good as not linked.
      state.shown(kind === 'shown');
      back.push(state);
    } else if (kind === 'hidden' && state.mayBeSubmitted) gone.push(state);
    else {
      // Two looks, apart from each other, agree; and nobody can delete what was submitted.
      if (kind === 'deleted' && deleted.has(state)) state.cannotHaveBeenSubmitted();
      batch.setApart(state, explainSetApart(whyGone(kind, state)));
    }
  }
  await Promise.all([untilCarried(batch, back), endGone(batch, gone)]);
}

/** Whether it is to be told as gone without anybody being certain that it is no revision. */
function isUnknown(kind: Kind | undefined, wasDeleted: boolean): boolean {
  if (kind === 'shown' || kind === 'incomplete') return false;
  return kind !== 'deleted' || !wasDeleted;
}

/**
 * Asks the journal whether these were about to be submitted by a run that this one knows nothing of: what is
 * gone is then no person's doing. Of an intent of its own a run knows what became of it, unless it was reset
 * or elsewhere since.
 */
async function findIntents(batch: BatchState, states: readonly DocumentState[]): Promise<void> {
  const asked = states.filter(({ mayBeSubmitted }) => !mayBeSubmitted);
  if (asked.length === 0 || !patched('the-journal-is-asked-of-what-is-gone')) return;
  const { known = [], afterReset } = await readJournalAgain(batch);
  const isPartOnly = afterReset === true || batch.wasElsewhere;
  const knownOf = new Map(known.map(progress => [progress.index, progress]));
  for (const state of asked) {
    const progress = knownOf.get(state.document.index);
    const isIt = progress?.intended === true && progress.uploadId === state.uploadId;
    if (isIt && (!state.intended || isPartOnly)) state.intentFound(progress.eventId);
  }
}

function whyGone(kind: Kind | undefined, { completed }: DocumentState): SetApartReason {
  // There as something that nobody can read: who looks for it in the service finds it.
  if (kind === 'unreadable') return 'event-id-missing';
  return kind === 'deleted' || completed ? 'taken-by-a-person' : 'perhaps-taken';
}

/** What independent looks within these times agree on. */
export async function findAbsent(
  batch: BatchState,
  states: readonly DocumentState[],
  times: BatchPolicy['lookAgain'],
): Promise<ReadonlyMap<number, Kind>> {
  const { documents } = await batch.calls.service.findAbsent(
    () => ({
      project: batch.project,
      times,
      items: states.flatMap(({ document: { index }, uploadId }) =>
        uploadId === undefined ? [] : [{ index, uploadId }],
      ),
    }),
    `Look again for ${countOf(states.length, 'upload')}`,
  );
  return new Map(documents.map(({ index, kind }) => [index, kind]));
}

/**
 * Either our submission was heard and its response lost, or it never was heard and a person took the upload:
 * the submission itself is asked, which is safe to repeat. Without an event id (no intent on the share had
 * one) there is nothing to ask it with, and what the reads say counts.
 */
async function endGone(batch: BatchState, states: readonly DocumentState[]): Promise<void> {
  for (const state of states) {
    if (state.eventId === undefined) batch.submitted(state, null, 'unknown', Date.now());
  }
  const asked = states.filter(state => state.outcome === undefined);
  await Promise.all([noteOutcomes(batch, states), askForTheEnd(batch, asked)]);
}

/** One that was not heard becomes a revision by this, so it goes out only while the batch is ours. */
async function askForTheEnd(
  batch: BatchState,
  asked: readonly DocumentState[],
  unseen = NOT_UNSEEN,
): Promise<void> {
  if (asked.length === 0) return;
  // It may take any time until this is answered.
  for (const state of asked) state.withdrawAgreedTermination();
  const { documents, atMs, holdToSee } = await batch.calls.service.submitAgain(
    () => ({ project: batch.project, items: asked.map(toItem), ...toHoldLook(batch, unseen.attempts) }),
    `Submit ${countOf(asked.length, 'document')} once more, to be told what became of it`,
  );
  const endOf = new Map(documents.map(({ index, end }) => [index, end]));
  const back: DocumentState[] = [];
  const unasked: DocumentState[] = [];
  for (const state of asked) {
    const end = endOf.get(state.document.index);
    if (end?.kind === 'consumed') batch.submitted(state, null, 'unknown', Date.now());
    else if (end?.kind === 'submitted') {
      noteTermination(state);
      batch.submitted(state, end.revisionId, end.paired, atMs);
    } else if (end === undefined && holdToSee !== undefined) unasked.push(state);
    else back.push(state);
  }
  const carried = [noteOutcomes(batch, asked), untilCarried(batch, back)];
  if (holdToSee !== undefined) carried.push(askOnceSeen(batch, unasked, unseen, holdToSee.attempts));
  await Promise.all(carried);
}

async function askOnceSeen(
  batch: BatchState,
  asked: readonly DocumentState[],
  before: HoldUnseen,
  attempts: number,
): Promise<void> {
  if (asked.length === 0) return;
  const unseen = await noteUnseen(batch, before, attempts);
  await seeHold(batch);
  await askForTheEnd(batch, asked, unseen);
}

async function untilCarried(batch: BatchState, states: readonly DocumentState[]): Promise<void> {
  const { ended } = await goOn(batch, states);
  await ended;
}

/** Returns when it has begun that they are carried on. */
async function goOn(batch: BatchState, states: readonly DocumentState[]): Promise<Pick<Return, 'ended'>> {
  for (const state of states) {
    state.found();
    if (state.mayTry('absent', MOST_ABSENCES)) continue;
    batch.setApart(state, explainSetApart('comes-and-goes'));
  }
  const open = states.filter(state => state.outcome === undefined);
  if (open.length === 0) return { ended: Promise.resolve() };
  const { begun, ended } = batch.background.handBack(open);
  await begun;
  return { ended };
}
