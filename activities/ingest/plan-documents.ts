// Requirement and field resolution (Steps 1 to 3): what is written to each document, before a byte is sent.
import type { ProjectRef, Reason, ValuesByField } from '../../workflows/contract';
import { tabulateWrites } from '../../workflows/ingest/decide/tabulate-writes';
import { forEachLimited } from '../host/concurrency';
import type { Candidate, NotShown, Resolution } from '../host/resolve-value';
import { type Choices, choicesOf } from '../registers/choices';
import {
  isServiceError,
  MisconfiguredError,
  type ServiceError,
  type ServiceErrorCode,
} from '../service/errors';
import type { Plan, PlanDocumentsInput, PlannedDocument, ReadCells, ReadCellsInput } from './api';
import { explainUnlessField, toNotShown } from './decide/explain-value';
import { type MergedValues, mergeValues } from './decide/merge-values';
import {
  type DocumentPlan,
  listWanted,
  planDocument,
  type ResolvedValues,
  type Resolver,
  resolveValues,
} from './decide/plan-document';
import type { ProjectField, ProjectRules } from './decide/project-rules';
import {
  explainFaults,
  explainHeader,
  explainNoRow,
  listCellTexts,
  NO_ROW,
  type ReadableRegister,
  readCellValues,
  readEntry,
  readHeaders,
} from './decide/read-entry';
import { resolveText, takesIds } from './decide/resolve-text';
import type { ProjectLookups } from './project-lookups';
import { ofKnownProject } from './require-project';

interface WantedText {
  readonly field: ProjectField;
  readonly text: string;
}

/** What a service answers for a list that it does not show, though it shows the project. */
const NOT_SHOWN: ReadonlySet<ServiceErrorCode> = new Set([
  'NOT_FOUND',
  'GONE',
  'ACCESS_DENIED',
  'REQUEST_REFUSED',
]);

/** Lookups of distinct texts under way at once; each may be a request. */
const PARALLEL = 4;

export async function planDocuments(lookups: ProjectLookups, input: PlanDocumentsInput): Promise<Plan> {
  const { decided, notices } = await decidePlans(lookups, input);
  const { fieldIds, rows } = tabulateWrites(decided.map(({ plan }) => plan.now));
  return {
    fieldIds,
    documents: decided.map(({ index, plan }, position) => ({
      index,
      now: rows[position] ?? [],
      ...(plan.name === undefined || input.withName !== true ? {} : { name: plan.name }),
      needsAnalysis: plan.needsAnalysis,
      hopeless: plan.hopeless.map(({ label }) => label),
      problems: plan.problems,
      ...(plan.lacking === undefined ? {} : { lacking: plan.lacking }),
    })),
    notices,
  };
}

/** What people have written into a sheet of ours, by the rules of registers. */
export async function readCells(
  lookups: Pick<ProjectLookups, 'rules'>,
  { project, rules, rows }: ReadCellsInput,
): Promise<readonly ReadCells[]> {
  const { fields } = await lookups.rules(project);
  return rows.map(row => readCellValues(fields, row, rules));
}

/** What is decided of one document, with what it was decided from. */
export interface DecidedPlan {
  readonly index: number;
  readonly plan: FromAll;
  /** What was said of it, each value with who said it. */
  readonly said: MergedValues;
}

export interface DecidedPlans {
  readonly rules: ProjectRules;
  readonly defaults: ResolvedValues;
  readonly decided: readonly DecidedPlan[];
  readonly notices: readonly string[];
}

/** As `planDocuments`, with all that the plans were decided from, for callers that explain them. */
export async function decidePlans(lookups: ProjectLookups, input: PlanDocumentsInput): Promise<DecidedPlans> {
  const { project } = input;
  if (input.refresh === true) lookups.forget(project);
  const rules = await ofKnownProject(project, async () => await lookups.rules(project));
  const unknown = (input.patternFields ?? []).flatMap(name => explainUnlessField(rules, name));
  if (unknown.length > 0) {
    throw misconfigured(lookups, project, 'The patterns of the share do not fit the project.', unknown);
  }
  const registers = readHeaders(
    rules,
    input,
    input.documents.map(({ entry }) => entry),
  );
  const valueSets = input.documents.flatMap(({ values, answers }) => [values, answers ?? {}]);
  const resolve = await prepareResolver(
    lookups,
    project,
    rules,
    [input.defaults, input.forced ?? {}],
    [...listWanted(rules, valueSets), ...listOfRows(rules, registers, input)],
  );
  const defaults = resolveValues(rules, input.defaults, resolve);
  // A wrong default would set every document of the share apart: it is the
  // configuration that is to be corrected.
  if (defaults.problems.length > 0) throw wrongSetting(lookups, project, 'defaults', defaults.problems);
  const forced = resolveValues(rules, input.forced ?? {}, resolve);
  if (forced.problems.length > 0) throw wrongSetting(lookups, project, 'values', forced.problems);
  const decided = input.documents.map(document => ({
    index: document.index,
    ...planFromAll({ rules, registers, forced, defaults, resolve, input }, document),
  }));
  const notices = new Set([
    ...decided.flatMap(({ plan }) => plan.notices),
    ...registers.flatMap(each => each.notices),
  ]);
  return { rules, defaults, decided, notices: [...notices] };
}

interface Known {
  readonly rules: ProjectRules;
  readonly registers: readonly ReadableRegister[];
  readonly forced: ResolvedValues;
  readonly defaults: ResolvedValues;
  readonly resolve: Resolver;
  readonly input: PlanDocumentsInput;
}

type Document = PlanDocumentsInput['documents'][number];
type FromAll = Omit<DocumentPlan, 'problems'> & Pick<PlannedDocument, 'problems' | 'lacking'>;

/** From everything that is said of the document: what is wrong with its row comes at once with the rest. */
function planFromAll(known: Known, document: Document): Omit<DecidedPlan, 'index'> {
  const { rules, registers, forced, defaults, resolve, input } = known;
  const { entry } = document;
  const register = entry === undefined ? undefined : registers[entry.register];
  const cellRules = input.register?.rules;
  if (entry === undefined || register === undefined || cellRules === undefined) {
    const said = mergeValues(rules, document, NO_ROW, forced, resolve);
    return { said, plan: planDocument(rules, document, said, defaults) };
  }
  const row = readEntry(rules, register, entry.row, cellRules, resolve);
  const said = mergeValues(rules, document, row, forced, resolve);
  const faulty = new Set(said.faults.map(({ field }) => field.id));
  const explicit = { ...said, leftEmpty: [...said.leftEmpty, ...faulty] };
  const plan = planDocument(rules, document, explicit, defaults);
  const header = explainHeader(register);
  const isAnswered = document.answers !== undefined;
  const reason = isAnswered ? undefined : explainNoRow(register.path, entry, cellRules);
  const reasons = [reason ?? [], explainFaults(register.path, said.faults) ?? []].flat();
  return {
    said: explicit,
    plan: {
      ...plan,
      hopeless: plan.hopeless.filter(({ id }) => !faulty.has(id)),
      problems: header === undefined ? plan.problems : [header],
      ...(reasons[0] === undefined
        ? {}
        : { lacking: { reason: reasons[0], missing: said.faults.map(({ field }) => field.label) } }),
    },
  };
}

/** The texts in the rows' cells that have to be looked up. */
function listOfRows(
  rules: ProjectRules,
  registers: readonly ReadableRegister[],
  { register, documents }: PlanDocumentsInput,
): readonly WantedText[] {
  if (register === undefined) return [];
  return documents.flatMap(({ entry }) => {
    const header = entry === undefined ? undefined : registers[entry.register];
    if (header === undefined || entry?.row === undefined) return [];
    return listCellTexts(rules, header, entry.row, register.rules);
  });
}

/** The defaults of a share, resolved; used again after the analysis, from the same cached lookups. */
export async function resolveDefaults(
  lookups: ProjectLookups,
  project: ProjectRef,
  rules: ProjectRules,
  defaults: ValuesByField,
): Promise<ResolvedValues> {
  const resolved = resolveValues(rules, defaults, await prepareResolver(lookups, project, rules, [defaults]));
  if (resolved.problems.length > 0) throw wrongSetting(lookups, project, 'defaults', resolved.problems);
  return resolved;
}

/** The id of the value of the field `status` that a person names (Step 8, terminated_revision_status_id). */
export async function findStatus(
  lookups: ProjectLookups,
  input: { readonly project: ProjectRef; readonly status: string },
): Promise<
  | { readonly kind: 'found'; readonly statusId: string }
  | { readonly kind: 'refused'; readonly reason: Reason }
> {
  const { project } = input;
  const rules = await lookups.rules(project);
  const values = { status: input.status };
  const { writes, problems } = resolveValues(
    rules,
    values,
    await prepareResolver(lookups, project, rules, [], listWanted(rules, [values])),
  );
  const statusId = writes[0]?.values[0];
  if (statusId !== undefined) return { kind: 'found', statusId };
  const reason = problems[0] ?? { code: 'unknown-value', text: 'The project has no statuses.', fix: '' };
  return { kind: 'refused', reason };
}

/**
 * @param settings what the share itself says: where a list is not shown that this needs, that is thrown.
 * @param said texts of documents, of which each is the problem of its own.
 */
async function prepareResolver(
  lookups: ProjectLookups,
  project: ProjectRef,
  rules: ProjectRules,
  settings: readonly ValuesByField[],
  said: readonly WantedText[] = [],
): Promise<Resolver> {
  const resolutions = new Map<string, Resolution | NotShown>();
  const lists = new Map<readonly Candidate[], Choices>();
  const ofShare = listWanted(rules, settings);
  const needed = new Set(ofShare.map(({ field }) => listOf(field)));
  const ask = askUntilRefused(lookups, project);
  const distinct = new Map([...ofShare, ...said].map(each => [keyOf(each.field, each.text), each]));
  await forEachLimited([...distinct], PARALLEL, async ([key, { field, text }]) => {
    if (!takesIds(field)) {
      resolutions.set(key, resolveText(text, field));
      return;
    }
    const candidates = await (needed.has(listOf(field))
      ? lookups.candidates(project, field, text)
      : ask(field, text));
    if ('kind' in candidates) {
      resolutions.set(key, candidates);
      return;
    }
    // One `Choices` for each list: it bounds how often wrong texts are compared with values, thousands of
    // each.
    const choices = lists.get(candidates) ?? choicesOf(candidates);
    lists.set(candidates, choices);
    resolutions.set(key, choices.resolve(text));
  });
  return (field, text) => {
    const resolution = resolutions.get(keyOf(field, text));
    if (resolution === undefined) throw new RangeError(`"${field.name}" was not looked up`);
    return resolution;
  };
}

/**
 * The entries that a text could mean, or that the service does not show them. A list that it does not have,
 * or may not show us, is not asked for again; what else it refuses may be a matter of the text.
 */
function askUntilRefused(lookups: ProjectLookups, project: ProjectRef) {
  const refused = new Map<string, ServiceError>();
  return async (field: ProjectField, text: string): Promise<readonly Candidate[] | NotShown> => {
    const before = refused.get(listOf(field));
    if (before !== undefined) return toNotShown(field, before.status);
    try {
      return await lookups.candidates(project, field, text);
    } catch (error: unknown) {
      if (!isServiceError(error) || !NOT_SHOWN.has(error.code)) throw error;
      if (error.code === 'REQUEST_REFUSED') return toNotShown(field, error.status);
      await ofKnownProject(project, async () => await lookups.requireShown(project));
      refused.set(listOf(field), error);
      return toNotShown(field, error.status);
    }
  };
}

/** People are one list, whichever field names them. */
function listOf({ id, isUserReference }: ProjectField): string {
  return isUserReference ? 'people' : id;
}

function keyOf(field: ProjectField, text: string): string {
  return `${field.id}\n${text}`;
}

function wrongSetting(
  lookups: ProjectLookups,
  project: ProjectRef,
  setting: 'defaults' | 'values',
  problems: readonly Reason[],
): MisconfiguredError {
  return misconfigured(lookups, project, `The ${setting} of the share do not fit the project.`, problems);
}

/** Forgets what was looked up: it may also be the project, not the share, that is put right. */
function misconfigured(
  lookups: ProjectLookups,
  project: ProjectRef,
  what: string,
  problems: readonly Reason[],
): MisconfiguredError {
  lookups.forget(project);
  const texts = problems.map(({ text, fix }) => `${text} ${fix}`).join(' ');
  return new MisconfiguredError(`${what} ${texts}`, { effect: 'not-sent' });
}
