// Stage "await analysis" (Step 7): documents go on as the service has finished with them, none waits for the
// stragglers.

import { patched } from '@temporalio/workflow';
import type { BatchState } from '../batch-state';
import { endAnalysis } from '../decide/keep-analysis';
import { isUnderway } from '../document-facts';
import type { DocumentState } from '../document-state';
import { completeStage } from './complete';
import { type ReadState, readStage } from './read';
import { submitStage } from './submit';

/** Waits for the analysis of these and takes each to its end, or until it is held. */
export async function analyseAndFinish(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<void> {
  const finishing: Promise<void>[] = [];
  const goOn = (done: readonly ReadState[], waitedMs = 0): void => {
    if (done.length === 0) return;
    for (const { state, read } of done) noteAnalysis(batch, state, read, waitedMs);
    batch.passed(
      done.map(({ state }) => state),
      'analysed',
    );
    const finished = completeStage(batch, done).then(ready => submitStage(batch, ready));
    // Awaited below; until then a rejection must not count as unhandled: it would fail each workflow task.
    finished.catch(() => undefined);
    finishing.push(finished);
  };
  const beganMs = Date.now();
  // An event that comes at once is about our own link.
  const fromMs = beganMs + batch.policy.analysis.firstLookMs;
  let rest = documents;
  let lookedMs = 0;
  for (let mayPart = true; rest.length > 0; mayPart = false) {
    batch.move(rest, 'analysing');
    const asked = rest;
    // Names are written in the first polling only: what the service makes of one after that counts.
    const isToName = mayPart && batch.namesEarly && batch.policy.naming !== 'file';
    const polling = { lookedMs, mayPart, ...(isToName ? { isToName } : {}) };
    const reading = await batch.hints.during(
      () => readStage(batch, asked, polling),
      () => asked.filter(state => !state.analysed && isUnderway(state)),
      async hinted => {
        const { found } = await readStage(batch, hinted);
        const ended = found.filter(({ state, read }) => !state.analysed && read.analysed);
        goOn(ended, Date.now() - beganMs);
      },
      fromMs,
    );
    if (reading === undefined) break;
    lookedMs = reading.lookedMs;
    const isOver = lookedMs >= batch.policy.analysis.forMs || !mayPart;
    const found = notYetCarried(reading.found);
    goOn(found.filter(({ read }) => read.analysed || isOver));
    rest = reading.found.flatMap(({ state }) => (state.analysed ? [] : [state]));
  }
  await Promise.all(finishing);
}

/** A look that an event brought may have been faster, and what follows from it is under way. */
function notYetCarried(found: readonly ReadState[]): readonly ReadState[] {
  const open = found.filter(({ state }) => !state.analysed);
  const isAnyCarried = open.length < found.length;
  return isAnyCarried && patched('what-an-event-carried-on-is-carried-once') ? open : found;
}

function noteAnalysis(
  batch: BatchState,
  state: DocumentState,
  read: ReadState['read'],
  waitedMs: number,
): void {
  state.analysisEnded(batch.keepsHow ? endAnalysis(read, waitedMs) : undefined);
  if (!read.analysed) state.note('The analysis of the document had not finished in time.');
  else if (read.analysisFailed) state.note('The analysis of the document failed.');
}
