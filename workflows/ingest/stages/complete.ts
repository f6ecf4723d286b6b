// Stage "complete" (Step 6 again): empty fields get the defaults, the requirement is chosen anew, gaps go to
// people.

import { patched } from '@temporalio/workflow';
import { asking } from '../../run/asking';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { explainMissing } from '../decide/explain-missing';
import { explainSetApart } from '../decide/explain-set-apart';
import { joinReasons } from '../decide/judge-plan';
import { isUnderway } from '../document-facts';
import type { DocumentState } from '../document-state';
import { lackValues, refuseValues } from './hold';
import { type ReadState, readStage } from './read';

/** Each round fills at least one field; a requirement chain longer than this is a misconfigured project. */
const MOST_ROUNDS = 5;

/** The patch by which a name counts as written only once the service has confirmed it. */
const NAMES_CONFIRMED = 'names-count-when-they-are-confirmed';

/** Returns the documents that have everything, with an event id read after our last write. */
export async function completeStage(
  batch: BatchState,
  readings: readonly ReadState[],
): Promise<readonly DocumentState[]> {
  const ready: DocumentState[] = [];
  let open = readings;
  while (open.length > 0) {
    const toFill = open.filter(reading => isToWrite(reading) && reading.state.tries.fill < MOST_ROUNDS);
    for (const reading of open.filter(each => !toFill.includes(each))) {
      if (isReady(batch, reading)) ready.push(reading.state);
    }
    open = await fillAndRead(batch, toFill);
  }
  return ready;
}

/** False where it is held or set apart instead. A revision would bear the name of the service for good. */
function isReady(batch: BatchState, reading: ReadState): boolean {
  const { state, read } = reading;
  if (read.missing.length > 0) lackValues(batch, state, explainMissing(read.missing), read.missing);
  else if (isToRename(reading) && patched(NAMES_CONFIRMED))
    batch.setApart(state, explainSetApart('values-unconfirmed'));
  else return true;
  return false;
}

async function fillAndRead(batch: BatchState, readings: readonly ReadState[]): Promise<readonly ReadState[]> {
  if (readings.length === 0) return [];
  const states = readings.map(({ state }) => state);
  batch.move(states, 'completing');
  for (const state of states) state.countTry('fill');
  await write(batch, readings, true, ({ fill }) => fill);
  const toRename = readings.filter(isToRename);
  for (const { state, read } of toRename) state.writeName(read.rename?.values[0]);
  await write(batch, toRename, false, ({ rename }) => (rename === undefined ? [] : [rename]));
  for (const { state } of toRename) state.nameAnswered();
  return (await readStage(batch, states.filter(isUnderway))).found;
}

function isToWrite(reading: ReadState): boolean {
  return reading.read.fill.length > 0 || isToRename(reading);
}

/** A name is written once: what the service makes of it counts. */
function isToRename({ state, read: { rename } }: ReadState): boolean {
  return rename !== undefined && rename.values[0] !== state.named && isUnderway(state);
}

async function write(
  batch: BatchState,
  readings: readonly ReadState[],
  onlyEmpty: boolean,
  fieldsOf: (read: ReadState['read']) => ReadState['read']['fill'],
): Promise<void> {
  const items = () =>
    readings.flatMap(({ state, read }) => {
      const fields = fieldsOf(read);
      const { uploadId, eventId } = state;
      const { index } = state.document;
      if (uploadId === undefined || fields.length === 0) return [];
      return [{ index, uploadId, fields, ...(onlyEmpty || eventId === undefined ? {} : { eventId }) }];
    });
  const count = items().length;
  if (count === 0) return;
  const result = await batch.calls.service.writeValues(
    () => ({
      project: batch.project,
      onlyEmpty,
      items: items(),
      ...(onlyEmpty ? {} : { asked: asking() }),
    }),
    onlyEmpty ? `Fill empty fields of ${countOf(count, 'document')}` : `Name ${countOf(count, 'document')}`,
  );
  for (const { index, reason } of result.refused) {
    const reading = readings.find(({ state }) => state.document.index === index);
    if (reading === undefined) continue;
    // Whatever name is answered next is written, even the same one again.
    reading.state.nameWritten(undefined);
    refuseValues(batch, reading.state, joinReasons([reason]));
  }
  // Of a name that another one has replaced since, the next look says whether it was a person's.
  if (!onlyEmpty) nameAgain(readings, [...result.missing, ...(result.changed ?? [])]);
}

/** Dropped without a word, a name was not written: the next round writes it, whatever the service shows. */
function nameAgain(readings: readonly ReadState[], unconfirmed: readonly number[]): void {
  const states = readings.flatMap(({ state }) => (unconfirmed.includes(state.document.index) ? [state] : []));
  if (states.length === 0 || !patched(NAMES_CONFIRMED)) return;
  for (const state of states) state.nameWritten(undefined);
}
