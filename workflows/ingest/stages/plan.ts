// Stage "plan": what each document gets, and what is missing or impossible, before a byte is sent (Steps 1 to
// 3).

import type { Plan } from '../../../activities';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { askForRegisters } from '../decide/ask-for-registers';
import { judgePlan } from '../decide/judge-plan';
import { expandWrites } from '../decide/tabulate-writes';
import { isUnderway } from '../document-facts';
import type { DocumentState } from '../document-state';
import type { SaidOfDocument } from '../ingest-contract';
import { lackValues } from './hold';

/**
 * Returns the documents that can be sent. The others are set apart (impossible values) or held (missing
 * ones).
 */
export async function planStage(
  batch: BatchState,
  documents: readonly DocumentState[],
): Promise<readonly DocumentState[]> {
  const unplanned = documents.filter(state => state.plan === undefined && !state.completed);
  if (unplanned.length > 0) {
    batch.move(unplanned, 'planning');
    const plan = await askForPlan(batch, unplanned, false);
    applyPlan(batch, unplanned, plan);
  }
  return documents.filter(isUnderway);
}

/**
 * Plans the documents anew, on demand with fresh lookups; true when that changed what would be written to any
 * of them.
 */
export async function planAgain(
  batch: BatchState,
  documents: readonly DocumentState[],
  refresh: boolean,
): Promise<boolean> {
  const before = new Map(documents.map(state => [state, JSON.stringify(state.plan)]));
  applyPlan(batch, documents, await askForPlan(batch, documents, refresh));
  return documents.some(state => JSON.stringify(state.plan) !== before.get(state));
}

async function askForPlan(
  batch: BatchState,
  documents: readonly DocumentState[],
  refresh: boolean,
): Promise<Plan> {
  return await batch.calls.service.planDocuments(
    () => ({
      project: batch.project,
      defaults: batch.policy.defaults,
      patternFields: batch.policy.patternFields,
      ...askForRegisters(batch),
      documents: documents.map(state => ({
        index: state.document.index,
        fileName: state.document.fileName,
        mimeType: state.document.mimeType,
        ...saidOf(state),
      })),
      ...(refresh ? { refresh } : {}),
    }),
    `Requirements and fields of ${countOf(documents.length, 'document')}`,
  );
}

/** What names, folders, registers and people say of one document. */
export function saidOf({
  document: { fromFolder, entry },
  values,
  answers,
}: Pick<DocumentState, 'document' | 'values' | 'answers'>): SaidOfDocument {
  return {
    values,
    ...(fromFolder === undefined ? {} : { fromFolder }),
    ...(entry === undefined ? {} : { entry }),
    ...(answers === undefined ? {} : { answers }),
  };
}

function applyPlan(batch: BatchState, documents: readonly DocumentState[], plan: Plan): void {
  const planned = new Map(plan.documents.map(document => [document.index, document]));
  for (const state of documents) {
    const document = planned.get(state.document.index);
    if (document === undefined) throw new RangeError(`The plan leaves out document ${state.document.index}`);
    const verdict = judgePlan(document);
    if (verdict.kind === 'impossible') {
      batch.setApart(state, verdict.reason);
      continue;
    }
    if (verdict.kind === 'goes' || !verdict.isUnread) {
      state.planFor({
        now: expandWrites(plan.fieldIds, document.now),
        needsAnalysis: document.needsAnalysis,
      });
      for (const notice of plan.notices) state.noteOnce(notice);
    }
    if (verdict.kind === 'lacks') lackValues(batch, state, verdict.reason, verdict.missing);
  }
}
