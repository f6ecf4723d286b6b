// Steps 1 to 3 and the project's users, cached per project: lookups cost requests, and they change rarely.
import type { ProjectRef } from '../../workflows/contract';
import { foldText } from '../host/fold-text';
import type { Candidate } from '../host/resolve-value';
import { FreshCache } from '../scope/fresh-cache';
import type {
  ListedValue,
  UploadRequirement,
  ProjectField as WireField,
} from '../service/endpoints/project-rules';
import { listFields, listFieldValues, listRequirements } from '../service/endpoints/project-rules';
import { listProjectUsers, type ProjectUser } from '../service/endpoints/project-users';
import { isServiceError } from '../service/errors';
import { fetchAll, fetchPages, LIST_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import type { ProjectField, ProjectRules, Requirement } from './decide/project-rules';

/** Document-management lists answer at most 100 items a page (specification, Limits). */
const DOCUMENT_PAGE = 100;
/** A longer list is asked by keyword, text by text, rather than fetched whole. */
const LONG_LIST = 300;
/** More people than anybody picks from a list. */
const MOST_PEOPLE = 2_000;
const DEFAULT_FRESH_MS = 5 * 60_000;
const USER_VARIANTS: ReadonlySet<string> = new Set(['procore_user', 'procore_tool_user', 'procore_users']);

/** One for a worker process. */
export class ProjectLookups {
  readonly #client: Sender;
  readonly #cache: FreshCache;

  constructor(client: Sender, freshMs = DEFAULT_FRESH_MS) {
    this.#client = client;
    this.#cache = new FreshCache(freshMs);
  }

  /** Forgets what is known of a project: a value of ours was refused, so something has changed. */
  forget(project: ProjectRef): void {
    this.#cache.forget(prefixOf(project));
  }

  /**
   * Requirements, and the fields that may be set: active, visible and not readonly
   * (specification, Project field).
   */
  async rules(project: ProjectRef): Promise<ProjectRules> {
    return await this.#once(project, 'rules', async () => {
      const input = { ...this.#input(project), query: { perPage: DOCUMENT_PAGE } };
      const [requirements, fields] = await Promise.all([
        fetchAll(this.#client, listRequirements, input),
        fetchAll(this.#client, listFields, input),
      ]);
      return {
        requirements: requirements.map(requirement => toRequirement(requirement, fields)),
        fields: fields
          .filter(field => field.active && field.visible && !field.isReadonly)
          .map(
            (field): ProjectField => ({
              id: field.id,
              name: field.name,
              label: field.label,
              type: field.type,
              isUserReference: field.type === 'reference' && USER_VARIANTS.has(field.variant ?? ''),
            }),
          ),
      };
    });
  }

  /**
   * The entries of a field's list that `text` could mean: the whole list, or for a long one those
   * whose name matches. The service's keyword finds names only (specification, Step 3); whatever
   * else people may have written, a code or a text that our own messages show, is found in the whole
   * list, which is then fetched once.
   */
  async candidates(project: ProjectRef, field: ProjectField, text: string): Promise<readonly Candidate[]> {
    if (field.isUserReference) return await this.#users(project);
    const list = await this.#once(project, `values/${field.id}`, () => this.#fetchShort(project, field));
    if (list !== 'long') return list;
    const named = await this.#once(project, `values/${field.id}/${text}`, () =>
      this.#fetchValues(project, field, text),
    );
    if (named.some(({ label }) => foldText(label) === foldText(text))) return named;
    return await this.values(project, field);
  }

  /** The whole list of a field, with what may not be given any more; empty where its values are people. */
  async values(project: ProjectRef, field: ProjectField): Promise<readonly Candidate[]> {
    return await this.#once(project, `values/${field.id}/`, () => this.#fetchValues(project, field));
  }

  /**
   * All people of the project, also those who have left it; none where there are more than a list is good
   * for, or where the service does not show them to us.
   */
  async people(project: ProjectRef): Promise<readonly Candidate[]> {
    return await this.#once(project, 'people', async () => {
      const found: Candidate[] = [];
      const input = { ...this.#input(project), query: { perPage: LIST_PAGE } };
      try {
        for await (const page of fetchPages(this.#client, listProjectUsers, input)) {
          found.push(...page.map(toUserCandidate));
          if (found.length > MOST_PEOPLE) return [];
        }
      } catch (error: unknown) {
        // The service's response where the Directory tool is not active on the project (specification, Steps
        // 1 to 3).
        if (isServiceError(error) && ['ACCESS_DENIED', 'NOT_FOUND'].includes(error.code)) return [];
        throw error;
      }
      return found;
    });
  }

  /** Asks anew, whatever is known. @throws where the project, or the service, shows nothing at all. */
  async requireShown(project: ProjectRef): Promise<void> {
    await this.#client.send(listFields, { ...this.#input(project), query: { perPage: 1 } });
  }

  async #fetchValues(
    project: ProjectRef,
    field: ProjectField,
    keyword?: string,
  ): Promise<readonly Candidate[]> {
    const values = await fetchAll(this.#client, listFieldValues, {
      ...this.#input(project, field),
      query: { perPage: DOCUMENT_PAGE, keyword },
    });
    return values.map(toCandidate);
  }

  async #fetchShort(project: ProjectRef, field: ProjectField): Promise<readonly Candidate[] | 'long'> {
    const found: Candidate[] = [];
    const input = { ...this.#input(project, field), query: { perPage: DOCUMENT_PAGE } };
    for await (const page of fetchPages(this.#client, listFieldValues, input)) {
      found.push(...page.map(toCandidate));
      if (found.length > LONG_LIST) return 'long';
    }
    return found;
  }

  async #users(project: ProjectRef): Promise<readonly Candidate[]> {
    return await this.#once(project, 'users', async () =>
      (
        await fetchAll(this.#client, listProjectUsers, {
          ...this.#input(project),
          query: { perPage: LIST_PAGE },
        })
      ).map(toUserCandidate),
    );
  }

  #input<Field extends ProjectField | undefined>(project: ProjectRef, field?: Field) {
    const { companyId, projectId } = project;
    return { companyId, params: { companyId, projectId, field: field?.id ?? '' } };
  }

  async #once<Value>(project: ProjectRef, key: string, fetchIt: () => Promise<Value>): Promise<Value> {
    return await this.#cache.once(`${prefixOf(project)}${key}`, fetchIt);
  }
}

function prefixOf({ companyId, projectId }: ProjectRef): string {
  return `${companyId}/${projectId}/`;
}

function toRequirement(requirement: UploadRequirement, fields: readonly WireField[]): Requirement {
  return {
    id: requirement.id,
    qualifiers: requirement.ruleQualifiers.map(({ field, acceptableValues }) => ({
      fieldId: field.id,
      acceptableValueIds: acceptableValues.map(({ id }) => id),
      acceptableLabels: acceptableValues.map(({ label }) => label),
    })),
    required: [...requirement.fieldsRequiredByProject, ...requirement.additionalRequiredFields].map(
      ({ id, name, label }) => ({ id, name, label }),
    ),
    scrapedFieldIds:
      requirement.namingStandard === null ? null : listScraped(requirement.namingStandard.fields, fields),
    allowDuplicateRevisions: requirement.allowDuplicateRevisions,
  };
}

/**
 * Whether a naming standard names fields of the project by their ids or has ids of
 * its own is left open; names tell.
 */
function listScraped(
  parts: readonly { readonly id: string; readonly name: string }[],
  fields: readonly WireField[],
): readonly string[] {
  return fields.flatMap(({ id, name }) =>
    parts.some(part => part.id === id || part.name === name) ? [id] : [],
  );
}

function toCandidate(value: ListedValue): Candidate {
  return {
    id: value.id,
    label: value.label,
    alternatives: value.code === null ? [] : [value.code],
    active: value.active,
  };
}

function toUserCandidate(user: ProjectUser): Candidate {
  const spellings = [
    `${user.firstName} ${user.lastName}`,
    `${user.lastName}, ${user.firstName}`,
    user.email ?? '',
  ];
  return {
    id: user.id,
    label: user.name,
    alternatives: spellings.filter(spelling => spelling.replace(/[\s,]/g, '') !== ''),
    active: user.isActive,
  };
}
