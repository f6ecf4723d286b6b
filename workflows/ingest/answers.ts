// What people gave for held documents is written over whatever stands there, for they were asked; and nothing
// else is.
import { patched, sleep } from '@temporalio/workflow';
import type { WriteValuesInput, WriteValuesResult } from '../../activities';
import type { UploadId } from '../contract';
import { asking } from '../run/asking';
import { countOf } from '../run/decide/count-of';
import type { BatchState } from './batch-state';
import { explainSetApart } from './decide/explain-set-apart';
import type { AnsweredDocument, DocumentState } from './document-state';
import type { FieldWrite } from './ingest-contract';
import { findAbsent } from './stages/absence';
import { askAgain } from './stages/hold';

/** How often values are written that the service drops without a word, and the pause between. */
const MOST_WRITES = 3;
const PAUSE_MS = 2_000;

/**
 * A value that the service does not take is asked for again, and so is one that it never confirms: the one
 * before may stand there, and nothing would be missing. Uploads that are not linked yet get theirs with the
 * link.
 */
export async function writeAnswers(batch: BatchState, answered: readonly AnsweredDocument[]): Promise<void> {
  const toWrite = answered.flatMap(({ state, held: { writes = [], name } }) => {
    const fields = name === undefined ? writes : [...writes, name];
    return state.uploadId === undefined || fields.length === 0 ? [] : [toItem(state, state.uploadId, fields)];
  });
  const refused = toWrite.length === 0 ? [] : await askToWrite(batch, toWrite);
  const reasons = new Map(refused.map(({ index, reason }) => [index, reason]));
  for (const one of answered) {
    const { state, held } = one;
    if (held.question === 'duplicate') state.putAsideDoubt(held.reason.code);
    const reason = reasons.get(state.document.index);
    if (reason === undefined) keepAnswer(one);
    else askAgain(batch, state, held.question, reason, held.missing);
  }
}

/** What is written to one document; its event id tells whether somebody has written since it was read. */
function toItem(
  { document: { index }, eventId }: DocumentState,
  uploadId: UploadId,
  fields: readonly FieldWrite[],
): WriteValuesInput['items'][number] {
  return { index, uploadId, fields, ...(eventId === undefined ? {} : { eventId }) };
}

async function askToWrite(
  batch: BatchState,
  items: WriteValuesInput['items'],
  round = 1,
): Promise<WriteValuesResult['refused']> {
  const {
    refused,
    missing,
    changed = [],
  } = await batch.calls.service.writeValues(
    () => ({
      project: batch.project,
      onlyEmpty: false,
      items,
      asked: asking(),
      ...(round > 1 ? { again: true as const } : {}),
    }),
    `Write the values given for ${countOf(items.length, 'document')}`,
  );
  // What a person gave and what another one has given since: only people can tell which of it is right.
  const reason = explainSetApart('values-changed');
  const toAsk = [...refused, ...changed.map(index => ({ index, reason }))];
  const dropped = items.filter(({ index }) => missing.includes(index));
  if (dropped.length === 0 || !patched('answers-count-when-they-are-confirmed')) return toAsk;
  if (round >= MOST_WRITES) return [...toAsk, ...(await findUnconfirmed(batch, dropped))];
  await sleep(PAUSE_MS);
  return [...toAsk, ...(await askToWrite(batch, dropped, round + 1))];
}

/**
 * Those that are there, with other values than were given. What is not shown goes its usual way: it is looked
 * for, told as taken by a person, or linked once more with what was given.
 */
async function findUnconfirmed(
  batch: BatchState,
  items: WriteValuesInput['items'],
): Promise<WriteValuesResult['refused']> {
  const indexes = new Set(items.map(({ index }) => index));
  const states = batch.documents.filter(({ document: { index } }) => indexes.has(index));
  const kindOf = await findAbsent(batch, states, batch.policy.lookAgain);
  const reason = explainSetApart('values-unconfirmed');
  return items.flatMap(({ index }) => (kindOf.get(index) === 'shown' ? [{ index, reason }] : []));
}

function keepAnswer({ state, held: { question, answer, writes, name } }: AnsweredDocument): void {
  if (question === 'overtaken') state.confirmOvertaken();
  if (writes !== undefined) state.valuesWritten(answer?.values ?? {}, writes);
  if (name !== undefined) state.nameWritten(name.values[0]);
}
