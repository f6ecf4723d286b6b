// Whether answers can work: their values resolve in the project, and the status of a termination exists.
// One question to the service for all documents of an update.
import { patched } from '@temporalio/workflow';
import type { Reason } from '../contract';
import { countOf } from '../run/decide/count-of';
import type { HeldAnswer, ManyAnswers } from './answer-contract';
import type { BatchState } from './batch-state';
import { addGiven, layOver, refuseEmptied } from './decide/add-given';
import { askForRegisters } from './decide/ask-for-registers';
import { emptyWordOf } from './decide/empty-word';
import { joinReasons } from './decide/judge-plan';
import { expandWrites } from './decide/tabulate-writes';
import type { Held, Termination } from './document-facts';
import type { DocumentState } from './document-state';
import type { FieldWrite, SaidOfDocument } from './ingest-contract';
import { findTermination } from './stages/conflict';
import { saidOf } from './stages/plan';

/** An answer that is being looked at, and the question as it stands meanwhile. */
export interface Check {
  readonly state: DocumentState;
  readonly held: Held;
  readonly answer: HeldAnswer;
  /** Its values are as they stand in a sheet, in this row for one or many documents. */
  readonly inCells?: ManyAnswers['answers'][number];
}

/** Why answers cannot be used, by their documents. */
export type Refused = Map<DocumentState, Reason>;

interface CheckedValues {
  readonly merged: DocumentState['values'];
  readonly writes: readonly FieldWrite[];
  readonly name?: FieldWrite | undefined;
}
type ValuesByState = ReadonlyMap<DocumentState, CheckedValues>;

/**
 * The checks with what the cells of their answers say, where those are as they stand in a sheet; what cannot
 * be read is added to `refused`.
 */
export async function readAnswers(
  { calls, project, policy }: BatchState,
  checks: readonly Check[],
  refused: Refused,
): Promise<readonly Check[]> {
  const inCells = [...new Set(checks.flatMap(({ inCells: said }) => said ?? []))];
  const { dates } = policy.register ?? {};
  const rules = { emptyWord: emptyWordOf(policy), ...(dates === undefined ? {} : { dates }) };
  const read = await calls.service.readCells(
    () => ({
      project,
      rules,
      rows: inCells.map(({ values = {}, numbers, otherwise, dates, booleans }) => ({
        values,
        numbers,
        otherwise,
        dates,
        booleans,
      })),
    }),
    `Read the cells of ${countOf(inCells.length, 'row')}`,
  );
  const cellsOf = new Map(inCells.map((said, at) => [said, read[at]]));
  return checks.map(check => {
    const cells = check.inCells === undefined ? undefined : cellsOf.get(check.inCells);
    if (cells === undefined) return check;
    if (cells.kind === 'values') return { ...check, answer: { ...check.answer, values: cells.values } };
    refused.set(check.state, { code: 'UNREADABLE', text: cells.text, fix: '' });
    return check;
  });
}

/** All that people have given so far; a batch that was opened before there were registers asks without it. */
export function withAnswer(
  { policy }: BatchState,
  { answers }: DocumentState,
  given: DocumentState['values'],
): DocumentState['answers'] {
  return policy.register === undefined ? undefined : layOver(answers ?? {}, given);
}

/** The values of those answers that have some; what does not resolve is added to `refused`. */
export function checkValues(
  batch: BatchState,
  checks: readonly Check[],
  refused: Refused,
): Promise<ValuesByState> {
  for (const { state, answer } of checks) {
    const reason = state.completed ? refuseEmptied(answer.values ?? {}) : undefined;
    if (reason !== undefined && patched('emptied-is-no-answer-for-what-is-linked'))
      refused.set(state, reason);
  }
  const withValues = checks.filter(({ state, answer }) => answer.values !== undefined && !refused.has(state));
  const linked = withValues.filter(({ state }) => state.completed);
  const others = withValues.filter(({ state }) => !state.completed);
  if (linked.length === 0) return checkPart(batch, others, false, refused);
  if (others.length === 0) return checkPart(batch, linked, true, refused);
  const parts = [checkPart(batch, others, false, refused), checkPart(batch, linked, true, refused)];
  return Promise.all(parts).then(found => new Map(found.flatMap(part => [...part])));
}

/**
 * Checks answers with values. For uploads that are COMPLETED (`isLinked`), just what was answered: the rest
 * was written with their files, and may be edited by now. Their names, too: what stands there may be the name
 * that we gave, and nothing else would write over it.
 */
async function checkPart(
  batch: BatchState,
  checks: readonly Check[],
  isLinked: boolean,
  refused: Refused,
): Promise<ValuesByState> {
  if (checks.length === 0) return new Map();
  const plan = await batch.calls.service.planDocuments(
    () => ({
      project: batch.project,
      defaults: isLinked ? {} : batch.policy.defaults,
      ...(isLinked ? { withName: true } : askForRegisters(batch)),
      documents: checks.map(({ state, answer: { values = {} } }) => ({
        index: state.document.index,
        fileName: state.document.fileName,
        mimeType: state.document.mimeType,
        ...(isLinked ? { values } : saidWith(batch, state, values)),
      })),
    }),
    summarize(checks),
  );
  const planned = new Map(plan.documents.map(document => [document.index, document]));
  return new Map(
    checks.flatMap(({ state, answer }): [DocumentState, CheckedValues][] => {
      const { problems = [], now = [], name } = planned.get(state.document.index) ?? {};
      if (problems.length > 0) refused.set(state, joinReasons(problems));
      if (problems.length > 0) return [];
      const merged = addGiven(state.values, answer.values ?? {});
      return [[state, { merged, writes: expandWrites(plan.fieldIds, now), name }]];
    }),
  );
}

function summarize(checks: readonly Check[]): string {
  const [only] = checks;
  return checks.length === 1 && only !== undefined
    ? `Check the values given for ${only.state.document.path}`
    : `Check the values given for ${checks.length} documents`;
}

/** What is said of a document with these values from a person. */
function saidWith(
  batch: BatchState,
  state: DocumentState,
  given: NonNullable<HeldAnswer['values']>,
): SaidOfDocument {
  return saidOf({
    document: state.document,
    values: addGiven(state.values, given),
    answers: withAnswer(batch, state, given),
  });
}

/** The statuses of those answers that end workflows, each looked up once; unknown ones add to `refused`. */
export async function checkTerminations(
  batch: BatchState,
  checks: readonly Check[],
  refused: Refused,
): Promise<ReadonlyMap<DocumentState, Termination>> {
  const found = new Map<string, Termination | Reason>();
  const terminations = new Map<DocumentState, Termination>();
  for (const { state, answer } of checks) {
    const { decision, reason, status } = answer;
    if (decision !== 'terminate' || reason === undefined || status === undefined || refused.has(state))
      continue;
    const known = found.get(status) ?? (await findTermination(batch, { reason, status }));
    found.set(status, known);
    if ('code' in known) refused.set(state, known);
    else terminations.set(state, { ...known, reason });
  }
  return terminations;
}
