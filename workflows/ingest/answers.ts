// What people gave for held documents is written over whatever stands there, for they were asked; and nothing
// else is.
import type { WriteValuesInput, WriteValuesResult } from '../../activities';
import { countOf } from '../run/decide/count-of';
import type { BatchState } from './batch-state';
import type { AnsweredDocument } from './document-state';
import { askAgain } from './stages/hold';

/**
 * A value that the service does not take is asked for again. Uploads that are not linked yet get theirs with
 * the link.
 */
export async function writeAnswers(batch: BatchState, answered: readonly AnsweredDocument[]): Promise<void> {
  const toWrite = answered.flatMap(({ state, held: { writes = [] } }) =>
    state.uploadId === undefined || writes.length === 0
      ? []
      : [{ index: state.document.index, uploadId: state.uploadId, fields: writes }],
  );
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

async function askToWrite(
  batch: BatchState,
  items: WriteValuesInput['items'],
): Promise<WriteValuesResult['refused']> {
  const { refused } = await batch.calls.service.writeValues(
    () => ({ project: batch.project, onlyEmpty: false, items }),
    `Write the values given for ${countOf(items.length, 'document')}`,
  );
  return refused;
}

function keepAnswer({ state, held: { question, answer, writes } }: AnsweredDocument): void {
  if (question === 'overtaken') state.confirmOvertaken();
  if (writes !== undefined) state.valuesWritten(answer?.values ?? {}, writes);
}
