// Document uploads: creating, linking, writing values (Steps 4 and 6). One bad
// document never refuses the others.
import type { ProjectRef, Reason, UploadId } from '../../workflows/contract';
import { crossCheck } from '../../workflows/ingest/decide/cross-check';
import { halve } from '../../workflows/ingest/decide/cut-chunks';
import {
  explainRefusal,
  explainUnknownFailure,
  REFUSED_WITHOUT_REASON,
  type Refusal,
  type ServiceReasonCode,
} from '../../workflows/ingest/decide/judge-refusal';
import { expandWrites } from '../../workflows/ingest/decide/tabulate-writes';
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
import { orMisconfigured } from '../scope/refusal-reason';
import {
  type DoneBefore,
  PATIENT_ATTEMPTS,
  type Sifting,
  sendOneFirst,
  sendSingly,
  sendTogether,
} from '../scope/sift-failures';
import { routeOf } from '../service/endpoint';
import {
  createUploads as createEndpoint,
  patchUploads,
  type UploadPatch,
} from '../service/endpoints/document-uploads';
import { isServiceError, isUnexplained, ServiceUnavailableError } from '../service/errors';
import type { RefusalReason } from '../service/reasons';
import { responseFault } from '../service/send/http-exchange';
import type { Sender } from '../service/service-client';
import type {
  CreateUploadsInput,
  CreateUploadsResult,
  LinkUploadsInput,
  LinkUploadsResult,
  WriteValuesInput,
  WriteValuesResult,
} from './api';
import type { FieldLabel } from './decide/project-rules';
import { type SentFields, tellConflict, tellField } from './decide/tell-refusal';
import type { ProjectLookups } from './project-lookups';

/** What writes values: refused ones are told to people by the names that the project has for its fields. */
export interface WriteDeps {
  readonly client: Sender;
  readonly lookups: Pick<ProjectLookups, 'rules'>;
}

/** How a call of the client names the project. */
export function inProject(project: ProjectRef) {
  return {
    companyId: project.companyId,
    params: { companyId: project.companyId, projectId: project.projectId },
  };
}

/**
 * Of another upload than the one that was asked for, a response says nothing: as one that cannot be read, it
 * is asked for again. A ULID is the same in small letters.
 */
export function requireAsked(endpoint: Parameters<typeof routeOf>[0], asked: string, answered: string): void {
  if (asked.toLowerCase() === answered.toLowerCase()) return;
  throw responseFault(routeOf(endpoint), 200, 'is of another upload than was asked for');
}

/**
 * Step 4. The response pairs with the files by position, so counts must match and ids be unique;
 * otherwise the response counts as lost and a fresh request is made (orphans stay hidden). A refused
 * batch is halved down to the offender, and so is one that fails again and again without a reason.
 */
export async function createUploads(
  client: Sender,
  input: CreateUploadsInput,
  scope: Pick<ActivityScope, 'signal' | 'attempt' | 'report' | 'lastDetails'>,
): Promise<CreateUploadsResult> {
  if (input.oneByOne === true) return await createOneByOne(client, input, scope);
  const results = await sendTogether(input.files, creating(client, input, scope));
  return {
    created: results.flatMap(({ created }) => created),
    refused: results.flatMap(({ refused }) => refused),
  };
}

type NewFile = CreateUploadsInput['files'][number];

/**
 * The upload of such a known good one is one too many, as any of a lost response: it stays hidden, and
 * nothing is ever linked to it.
 */
function creating(
  client: Sender,
  input: CreateUploadsInput,
  scope: Pick<ActivityScope, 'signal' | 'attempt'>,
): Sifting<NewFile, CreateUploadsResult> {
  return {
    attempt: scope.attempt,
    send: files => createTogether(client, { ...input, files }, scope),
    doneOf: (files, { created }) => files.find(({ index }) => index === created[0]?.index),
    refuse: ({ index }) => ({ created: [], refused: [{ index, reason: explainUnknownFailure() }] }),
  };
}

/**
 * What an earlier attempt has made is in its last heartbeat; at most the upload under way is made twice, and
 * the extra one stays hidden.
 */
async function createOneByOne(
  client: Sender,
  input: CreateUploadsInput,
  scope: Pick<ActivityScope, 'signal' | 'attempt' | 'report' | 'lastDetails'>,
): Promise<CreateUploadsResult> {
  const made = new Map(createdBefore(scope.lastDetails));
  const how = creating(client, input, scope);
  const send: typeof how.send = async files => {
    const result = await how.send(files);
    for (const { index, uploadId } of result.created) if (!made.has(index)) made.set(index, uploadId);
    scope.report({ made: [...made] });
    return result;
  };
  const unmade = input.files.filter(({ index }) => !made.has(index));
  const knownGood = input.files.find(({ index }) => made.has(index));
  const results = await sendSingly(unmade, { ...how, send, knownGood });
  return {
    created: [...made].map(([index, uploadId]) => ({ index, uploadId })),
    refused: results.flatMap(({ refused }) => refused),
  };
}

function createdBefore(details: unknown): readonly [number, UploadId][] {
  if (typeof details !== 'object' || details === null || !('made' in details)) return [];
  return Array.isArray(details.made) ? details.made : [];
}

async function createTogether(
  client: Sender,
  input: CreateUploadsInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<CreateUploadsResult> {
  try {
    const { data } = await client.send(createEndpoint, {
      ...inProject(input.project),
      signal: scope.signal,
      body: {
        uploads: input.files.map(({ fileName, mimeType }) => ({
          fileName: fileName.normalize('NFC'),
          mimeType,
        })),
      },
    });
    const ids = data.map(({ id }) => id);
    if (ids.length !== input.files.length || new Set(ids).size !== ids.length) {
      throw new ServiceUnavailableError(
        `The service answered ${new Set(ids).size} uploads for ${input.files.length} files`,
        { fault: 'response', effect: 'unknown' },
      );
    }
    return {
      created: input.files.map(({ index }, position) => ({ index, uploadId: ids[position] as UploadId })),
      refused: [],
    };
  } catch (error: unknown) {
    if (!isServiceError(error)) throw error;
    // Step 4 also says 404 when the project's naming standard is not configured: for all documents alike.
    if (error.code !== 'REQUEST_REFUSED') throw orMisconfigured(error);
    return await createHalves(client, input, scope, toRefusal(error.reasons[0]));
  }
}

async function createHalves(
  client: Sender,
  input: CreateUploadsInput,
  scope: Pick<ActivityScope, 'signal'>,
  refusal: Refusal,
): Promise<CreateUploadsResult> {
  const [only] = input.files;
  if (input.files.length === 1 && only !== undefined) {
    return { created: [], refused: [{ index: only.index, reason: explainRefusal(refusal) }] };
  }
  const results = [];
  for (const files of halve(input.files))
    results.push(await createTogether(client, { ...input, files }, scope));
  return {
    created: results.flatMap(({ created }) => created),
    refused: results.flatMap(({ refused }) => refused),
  };
}

/** Step 6 with file and COMPLETED in one request. Safe to repeat with the same files. */
export async function linkUploads(
  deps: WriteDeps,
  input: LinkUploadsInput,
  scope: Pick<ActivityScope, 'signal' | 'attempt'>,
): Promise<LinkUploadsResult> {
  const updates = input.items.map(
    ({ uploadId, fileUploadId, writes }): UploadPatch => ({
      id: uploadId,
      fileUploadId,
      uploadStatus: 'COMPLETED',
      fields: expandWrites(input.fieldIds, writes),
    }),
  );
  try {
    const { data } = await deps.client.send(patchUploads, {
      ...inProject(input.project),
      signal: scope.signal,
      body: { updates, ...(input.onlyEmpty === true ? { onlyEmptyFields: true } : {}) },
    });
    const sorted = crossCheck(input.items, ({ uploadId }) => uploadId, data.succeededIds, data.failed);
    return {
      kind: 'answered',
      linked: sorted.succeeded.map(({ index }) => index),
      failed: sorted.failed.map(({ item, failure }) => ({ index: item.index, code: failure.code })),
      missing: sorted.missing.map(({ index }) => index),
      ...(isPerhapsRepeated(scope, input.asked) ? { repeated: true } : {}),
    };
  } catch (error: unknown) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'REQUEST_REFUSED')
      return { kind: 'refused', refusals: await nameFields(deps, input.project, error.reasons, updates) };
    // A page or a silence in place of the response may be for one document's values, as a 500 for its file.
    if (isUnexplained(error) && scope.attempt > PATIENT_ATTEMPTS) return { kind: 'failed' };
    // An upload that is not known is left out of the response; 404 is of the project.
    throw orMisconfigured(error);
  }
}

type WriteItem = WriteValuesInput['items'][number];

const NOTHING_DONE: DoneBefore<WriteItem> = { open: async items => items, one: async () => undefined };

/**
 * Step 6 for values alone. Values of an unnamed document that are refused, or make the request fail again and
 * again, are found by halving. In an outage one document asks for all.
 */
export async function writeValues(
  deps: WriteDeps,
  input: WriteValuesInput,
  scope: Pick<ActivityScope, 'signal' | 'attempt'>,
  done: DoneBefore<WriteItem> = NOTHING_DONE,
): Promise<WriteValuesResult> {
  const how: Sifting<WriteItem, WriteValuesResult> = {
    attempt: scope.attempt,
    send: items => writeTogether(deps, { ...input, items }, scope),
    doneOf: (items, { written }) => items.find(({ index }) => index === written[0]),
    refuse: ({ index }) => ({
      written: [],
      missing: [],
      refused: [{ index, reason: explainUnknownFailure() }],
    }),
  };
  const results = await sendOneFirst(input.items, how, done);
  return {
    written: results.flatMap(({ written }) => written),
    missing: results.flatMap(({ missing }) => missing),
    refused: results.flatMap(({ refused }) => refused),
  };
}

async function writeTogether(
  deps: WriteDeps,
  input: WriteValuesInput,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<WriteValuesResult> {
  const updates = input.items.map(({ uploadId, fields }) => ({ id: uploadId, fields }));
  try {
    const { data } = await deps.client.send(patchUploads, {
      ...inProject(input.project),
      signal: scope.signal,
      body: {
        updates,
        onlyEmptyFields: input.onlyEmpty,
      },
    });
    const sorted = crossCheck(input.items, ({ uploadId }) => uploadId, data.succeededIds, data.failed);
    return {
      written: sorted.succeeded.map(({ index }) => index),
      // "Failed" is about files only, which this request has none of: either way
      // the uploads are to be looked at.
      missing: [...sorted.missing, ...sorted.failed.map(({ item }) => item)].map(({ index }) => index),
      refused: [],
    };
  } catch (error: unknown) {
    if (!isServiceError(error) || error.code !== 'REQUEST_REFUSED') throw orMisconfigured(error);
    const refusals = await nameFields(deps, input.project, error.reasons, updates);
    return await writeHalves(deps, input, scope, refusals);
  }
}

async function writeHalves(
  deps: WriteDeps,
  input: WriteValuesInput,
  scope: Pick<ActivityScope, 'signal'>,
  refusals: readonly Refusal[],
): Promise<WriteValuesResult> {
  const refused = new Map<number, Reason>();
  for (const { index, uploadId } of input.items) {
    const named = refusals.find(refusal => refusal.uploadId === uploadId);
    if (named !== undefined) refused.set(index, explainRefusal(named));
  }
  const [only] = input.items;
  if (input.items.length === 1 && only !== undefined && refused.size === 0) {
    refused.set(only.index, explainRefusal(refusals[0] ?? REFUSED_WITHOUT_REASON));
  }
  const rest = input.items.filter(({ index }) => !refused.has(index));
  const parts = refused.size > 0 ? [rest] : halve(rest);
  const results: WriteValuesResult[] = [];
  for (const items of parts) {
    if (items.length > 0) results.push(await writeTogether(deps, { ...input, items }, scope));
  }
  return {
    written: results.flatMap(({ written }) => written),
    missing: results.flatMap(({ missing }) => missing),
    refused: [
      ...[...refused].map(([index, reason]) => ({ index, reason })),
      ...results.flatMap(({ refused: more }) => more),
    ],
  };
}

/** For people alone: where the project's fields cannot be had just now, the refusal is told all the same. */
async function nameFields(
  { lookups }: WriteDeps,
  project: ProjectRef,
  reasons: readonly RefusalReason[],
  sent: readonly SentFields[],
): Promise<readonly Refusal[]> {
  const isAnyNamed = reasons.some(({ property }) => property !== undefined);
  const { fields } = isAnyNamed ? await lookups.rules(project).catch(() => NO_RULES) : NO_RULES;
  return reasons.map(reason => toRefusal(reason, sent, fields));
}

const NO_RULES: { readonly fields: readonly FieldLabel[] } = { fields: [] };

/** The service's reason in the form the decisions know; an unknown code keeps its own wording. */
export function toRefusal(
  reason: RefusalReason | undefined,
  sent: readonly SentFields[] = [],
  fields: readonly FieldLabel[] = [],
): Refusal {
  if (reason === undefined) return { reasonCode: 'OTHER', message: '' };
  const inTheWay = reason.conflict && tellConflict(reason.conflict);
  const field = reason.property && tellField(reason.property, sent, fields);
  // Compiles only as long as the decisions know every code that the client knows.
  const named: ServiceReasonCode | undefined = reason.reasonCode === 'OTHER' ? undefined : reason.reasonCode;
  return {
    reasonCode: named ?? (reason.rawCode || 'OTHER'),
    message: reason.message,
    ...(reason.source === undefined ? {} : { uploadId: reason.source }),
    ...(field === undefined ? {} : { field }),
    ...(inTheWay === undefined ? {} : { inTheWay }),
    ...(reason.conflict?.identity === undefined ? {} : { reviews: reason.conflict.identity }),
  };
}
