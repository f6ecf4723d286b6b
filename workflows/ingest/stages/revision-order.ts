// Documents that wait until an earlier revision of them has ended. They wait in the background, in sight;
// nobody has to do anything, and they hold nobody up who is not behind them.
import { condition } from '@temporalio/workflow';
import type { InLine, Overtaker, Reason } from '../../contract';
import { countOf } from '../../run/decide/count-of';
import { turnLookAfterMs } from '../../run/decide/line-pace';
import type { BatchState } from '../batch-state';
import { leaveLine, standInLine } from '../decide/keep-waits';
import type { DocumentState } from '../document-state';
import { holdDocument } from './hold';

export interface WaitingForTurns {
  readonly waiting: readonly InLine[];
  /** How often the coordinator had spoken when it was asked whose turn it is. */
  readonly turns: number;
}

/** Returns at once; `goOn` gets documents when their turn has come, and has to read them again. */
export function waitForTurns(
  batch: BatchState,
  asked: WaitingForTurns,
  goOn: (documents: readonly DocumentState[]) => Promise<void>,
): void {
  batch.background.run(untilAllHadTheirTurn(batch, asked, goOn));
}

async function untilAllHadTheirTurn(
  batch: BatchState,
  asked: WaitingForTurns,
  goOn: (documents: readonly DocumentState[]) => Promise<void>,
): Promise<void> {
  const sinceMs = Date.now();
  let { waiting, turns } = asked;
  while (waiting.length > 0) {
    batch.showWaiting(waiting, one => explainTurn(batch, one), sinceMs);
    keepWaiting(batch, waiting, sinceMs);
    await untilWorthALook(batch, waiting, { turns, sinceMs });
    const indexes = waiting.map(({ index }) => index);
    // What the coordinator says while we look may be newer than what we see.
    turns = batch.turns;
    const found = await batch.calls.share.findTurns(
      () => ({ ...batch.ref, indexes, ended: endedOf(batch) }),
      `Look whether ${countOf(indexes.length, 'document')} can be submitted now`,
    );
    waiting = found.waiting;
    const late = new Set(waiting.map(({ index }) => index));
    const turn = batch.takeTurns(indexes.filter(index => !late.has(index)));
    for (const state of turn) state.keepWaits(leaveLine(state.waits, Date.now()));
    // In the background: what takes long with them must not hold up the turns of others.
    if (turn.length > 0) batch.background.run(goOn(turn));
  }
}

/**
 * The coordinator says so, somebody says `resume`, or the one in front is of this batch and has ended.
 * Whoever hears nothing looks all the same, the less often the longer it has waited.
 */
async function untilWorthALook(
  batch: BatchState,
  waiting: readonly InLine[],
  { turns, sinceMs }: { readonly turns: number; readonly sinceMs: number },
): Promise<void> {
  const seen = batch.resumes;
  const inFront = new Set(
    waiting.flatMap(({ behind }) => (behind.batchId === batch.batchId ? [behind.index] : [])),
  );
  const hasMoved = (): boolean =>
    batch.resumes !== seen ||
    batch.turns !== turns ||
    batch.documents.some(({ document, outcome }) => outcome !== undefined && inFront.has(document.index));
  const isUntold = waiting.some(({ behind }) => behind.isOnShareOnly === true);
  await condition(hasMoved, turnLookAfterMs(Date.now() - sinceMs, isUntold));
}

/**
 * Indexes of the documents of this batch that have an outcome; the share learns of them when the batch is
 * settled.
 */
export function endedOf(batch: BatchState): readonly number[] {
  return batch.outcomes.map(({ index }) => index);
}

/** For the receipt. */
function keepWaiting(batch: BatchState, waiting: readonly InLine[], sinceMs: number): void {
  if (!batch.keepsHow) return;
  const behind = new Map(waiting.map(one => [one.index, tellFront(batch, one)]));
  for (const state of batch.documents) {
    const front = behind.get(state.document.index);
    if (front !== undefined) state.keepWaits(standInLine(state.waits, sinceMs, front));
  }
}

function tellFront(batch: BatchState, { behind }: InLine): string {
  const revision = behind.revision === undefined ? '' : `revision ${behind.revision} of this document, `;
  const which = behind.path === undefined ? 'an earlier revision' : `${revision}"${behind.path}"`;
  return `${which} in batch ${behind.batchId}${ofShare(batch, behind.share)}`;
}

function explainTurn(batch: BatchState, one: InLine): Reason {
  const where = tellFront(batch, one);
  const code = 'earlier-revision';
  if (one.behind.isStopped === true) {
    return {
      code,
      text: `Waits for ${where}, which comes before it; nobody runs that batch.`,
      fix: 'Resume that batch. If it stands still for long, this document goes without it.',
    };
  }
  return {
    code,
    text: `Waits for ${where}, which comes before it.`,
    fix: 'It goes on by itself when that one is submitted or set apart; if that one waits for an answer, give it.',
  };
}

function ofShare({ share }: BatchState, other: string | undefined): string {
  return other === undefined || other === share ? '' : ` of share ${other}`;
}

/** For the receipt of one that goes first. */
export function explainPassing(batch: BatchState, before: Omit<InLine['behind'], 'path'>): string {
  return `An earlier revision of this document is in batch ${before.batchId}${ofShare(batch, before.share)}, which was stopped and not resumed, so it was not waited for any longer. If that batch is resumed, its document waits for a person.`;
}

/**
 * Those that a later revision has overtaken wait for a person, unless one has let them go. Returns the
 * others.
 */
export function holdOvertaken(
  batch: BatchState,
  documents: readonly DocumentState[],
): readonly DocumentState[] {
  return documents.filter(state => {
    const { overtaken } = state;
    if (overtaken === undefined || overtaken.isConfirmed) return true;
    holdDocument(batch, state, 'overtaken', explainOvertaken(batch, overtaken.by));
    return false;
  });
}

function explainOvertaken(batch: BatchState, { share, batchId, revision }: Overtaker): Reason {
  const which = revision === undefined ? 'a later revision' : `revision ${revision}`;
  return {
    code: 'overtaken',
    text: `While nobody ran this batch, ${which} of the document went first, from batch ${batchId}${ofShare(batch, share)}.`,
    fix: 'Submitted now, this one becomes the newest revision. If that is meant, answer with the decision "retry"; else set it apart.',
  };
}
