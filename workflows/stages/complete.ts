// Stage "complete" (Step 6 again): empty fields get the defaults, the requirement is chosen anew, gaps go to people.
import { countOf } from '../decide/count-of';
import { explainMissing } from '../decide/plan-document';
import type { BatchState, DocumentState } from './batch-state';
import type { Desk } from './desk';
import { lackValues } from './hold';
import { joinReasons } from './plan';
import { type ReadState, readStage } from './read';

/** Each round fills at least one field; a requirement chain longer than this is a misconfigured project. */
const MOST_ROUNDS = 5;

/** Answers the documents that have everything, with an event id read after our last write. */
export async function completeStage(
  batch: BatchState,
  desk: Desk,
  readings: readonly ReadState[],
): Promise<readonly DocumentState[]> {
  const ready: DocumentState[] = [];
  let open = readings;
  while (open.length > 0) {
    const toFill = open.filter(({ read, state }) => read.fill.length > 0 && state.tries.fill < MOST_ROUNDS);
    for (const { state, read } of open.filter(reading => !toFill.includes(reading))) {
      if (read.missing.length === 0) ready.push(state);
      else lackValues(batch, state, explainMissing(read.missing), read.missing);
    }
    open = await fillAndRead(batch, desk, toFill);
  }
  return ready;
}

async function fillAndRead(
  batch: BatchState,
  desk: Desk,
  readings: readonly ReadState[],
): Promise<readonly ReadState[]> {
  if (readings.length === 0) return [];
  const states = readings.map(({ state }) => state);
  batch.move(states, 'completing');
  for (const state of states) state.tries.fill++;
  const result = await desk.service(
    'writeValues',
    () => ({
      project: batch.project,
      onlyEmpty: true,
      items: readings.flatMap(({ state, read }) =>
        state.uploadId === undefined
          ? []
          : [{ index: state.document.index, uploadId: state.uploadId, fields: read.fill }],
      ),
    }),
    `Fill empty fields of ${countOf(readings.length, 'document')}`,
  );
  for (const { index, reason } of result.refused) {
    const state = states.find(({ document }) => document.index === index);
    if (state !== undefined) batch.setApart(state, joinReasons([reason]));
  }
  return (await readStage(batch, desk, states)).found;
}
