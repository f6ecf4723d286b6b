// Requirement and field resolution (Steps 1 to 3): what is written to each document, before a byte is sent.
import type { ProjectRef, Reason, ValuesByField } from '../../workflows/contract';
import { tabulateWrites } from '../../workflows/ingest/decide/tabulate-writes';
import { forEachLimited } from '../host/concurrency';
import { type Resolution, resolveCandidate } from '../scope/resolve-value';
import { isServiceError, MisconfiguredError } from '../service/errors';
import type { Plan, PlanDocumentsInput } from './api';
import {
  explainUnlessField,
  listWanted,
  planDocument,
  type ResolvedValues,
  type Resolver,
  resolveValues,
} from './decide/plan-document';
import type { ProjectField, ProjectRules } from './decide/project-rules';
import { resolveText, takesIds } from './decide/resolve-text';
import type { ProjectLookups } from './project-lookups';

/** Lookups of distinct texts under way at once; each may be a request. */
const PARALLEL = 4;

export async function planDocuments(lookups: ProjectLookups, input: PlanDocumentsInput): Promise<Plan> {
  const { project } = input;
  if (input.refresh === true) lookups.forget(project);
  const rules = await requireRules(lookups, project);
  const unknown = (input.patternFields ?? []).flatMap(name => explainUnlessField(rules, name));
  if (unknown.length > 0) {
    throw misconfigured(lookups, project, 'The patterns of the share do not fit the project.', unknown);
  }
  const resolve = await prepareResolver(lookups, project, rules, [
    input.defaults,
    ...input.documents.map(({ values }) => values),
  ]);
  const defaults = resolveValues(rules, input.defaults, resolve);
  // A wrong default would set every document of the share apart: it is the
  // configuration that is to be corrected.
  if (defaults.problems.length > 0) throw wrongDefaults(lookups, project, defaults.problems);
  const plans = input.documents.map(document => ({
    index: document.index,
    plan: planDocument(rules, document, resolveValues(rules, document.values, resolve), defaults),
  }));
  const { fieldIds, rows } = tabulateWrites(plans.map(({ plan }) => plan.now));
  return {
    fieldIds,
    documents: plans.map(({ index, plan }, position) => ({
      index,
      now: rows[position] ?? [],
      needsAnalysis: plan.needsAnalysis,
      hopeless: plan.hopeless.map(({ label }) => label),
      problems: plan.problems,
    })),
    notices: [...new Set(plans.flatMap(({ plan }) => plan.notices))],
  };
}

/** The defaults of a share, resolved; used again after the analysis, from the same cached lookups. */
export async function resolveDefaults(
  lookups: ProjectLookups,
  project: ProjectRef,
  rules: ProjectRules,
  defaults: ValuesByField,
): Promise<ResolvedValues> {
  const resolved = resolveValues(rules, defaults, await prepareResolver(lookups, project, rules, [defaults]));
  if (resolved.problems.length > 0) throw wrongDefaults(lookups, project, resolved.problems);
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
    await prepareResolver(lookups, project, rules, [values]),
  );
  const statusId = writes[0]?.values[0];
  if (statusId !== undefined) return { kind: 'found', statusId };
  const reason = problems[0] ?? { code: 'unknown-value', text: 'The project has no statuses.', fix: '' };
  return { kind: 'refused', reason };
}

async function prepareResolver(
  lookups: ProjectLookups,
  project: ProjectRef,
  rules: ProjectRules,
  valueSets: readonly ValuesByField[],
): Promise<Resolver> {
  const resolutions = new Map<string, Resolution>();
  await forEachLimited(listWanted(rules, valueSets), PARALLEL, async ({ field, text }) => {
    resolutions.set(
      keyOf(field, text),
      takesIds(field)
        ? resolveCandidate(text, await lookups.candidates(project, field, text))
        : resolveText(text, field),
    );
  });
  return (field, text) => {
    const resolution = resolutions.get(keyOf(field, text));
    if (resolution === undefined) throw new RangeError(`"${field.name}" was not looked up`);
    return resolution;
  };
}

function keyOf(field: ProjectField, text: string): string {
  return `${field.id}\n${text}`;
}

/**
 * A project that the service does not know is a mistake in the configuration, and for all documents alike.
 */
async function requireRules(lookups: ProjectLookups, project: ProjectRef): Promise<ProjectRules> {
  try {
    return await lookups.rules(project);
  } catch (error: unknown) {
    if (!isServiceError(error) || error.code !== 'NOT_FOUND') throw error;
    throw new MisconfiguredError(
      `The service knows no project ${project.projectId} of company ${project.companyId} (404), which the share is configured for. See whether project.projectId and project.companyId of the share are right, and the service's address belongs to them.`,
      { effect: 'not-sent', route: error.route, status: error.status, cause: error },
    );
  }
}

function wrongDefaults(
  lookups: ProjectLookups,
  project: ProjectRef,
  problems: readonly Reason[],
): MisconfiguredError {
  return misconfigured(lookups, project, 'The defaults of the share do not fit the project.', problems);
}

/** The next look is a new one: it may also be the project that is put right. */
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
