// Stage "plan": what each document gets, and what is missing or impossible, before a byte is sent (Steps 1 to
// 3).

import type { Plan } from '../../../activities';
import type { Reason } from '../../contract';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { explainMissing } from '../decide/explain-missing';
import { expandWrites } from '../decide/tabulate-writes';
import { isUnderway } from '../document-facts';
import type { DocumentState } from '../document-state';
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

/** Several things may be wrong with one document: people get all of them at once. */
export function joinReasons(reasons: readonly Reason[]): Reason {
  return {
    code: reasons[0]?.code ?? 'unknown',
    text: reasons.map(reason => reason.text).join(' '),
    fix: [...new Set(reasons.map(reason => reason.fix))].join(' '),
  };
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
      documents: documents.map(({ document, values }) => ({
        index: document.index,
        fileName: document.fileName,
        mimeType: document.mimeType,
        values,
      })),
      ...(refresh ? { refresh } : {}),
    }),
    `Requirements and fields of ${countOf(documents.length, 'document')}`,
  );
}

function applyPlan(batch: BatchState, documents: readonly DocumentState[], plan: Plan): void {
  const planned = new Map(plan.documents.map(document => [document.index, document]));
  for (const state of documents) {
    const document = planned.get(state.document.index);
    if (document === undefined) throw new RangeError(`The plan leaves out document ${state.document.index}`);
    if (document.problems.length > 0) {
      batch.setApart(state, joinReasons(document.problems));
      continue;
    }
    state.planFor({ now: expandWrites(plan.fieldIds, document.now), needsAnalysis: document.needsAnalysis });
    for (const notice of plan.notices) state.noteOnce(notice);
    if (document.hopeless.length > 0)
      lackValues(batch, state, explainMissing(document.hopeless), document.hopeless);
  }
}
