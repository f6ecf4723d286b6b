// Making observations and their response logs, with files or without; each is looked for before it is made
// again.
import type { ProjectRef, Reason } from '../../workflows/contract';
import { isSameText } from '../../workflows/run/decide/same-text';
import { hasCode } from '../host/error-code';
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
import { Making, type MakingDeps, type MakingScope } from '../scope/making';
import { orMisconfigured, orRefused, type Refused, unlessGone } from '../scope/refusal-reason';
import { toActivities } from '../scope/to-activities';
import {
  ATTACHMENTS_FIELD,
  createObservation,
  createResponseLog,
  listObservations,
  listResponseLogs,
  type Observation,
  type ResponseLog,
  showObservation,
  updateObservation,
} from '../service/endpoints/observations';
import { fetchAll, fetchPages, RICH_PAGE } from '../service/pages';
import type { FilePart, SourceChangedError } from '../service/send/multipart-body';
import type { Sender } from '../service/service-client';
import type { AttachmentFile, OpenAttachment } from '../share/drop/attachments';
import { type FileErrorCode, isFileError } from '../share/files/share-error';
import { findMissing, firstOf } from './missing-attachments';
import type {
  AddResponseInput,
  AddResponseResult,
  AskedOnce,
  AttachFilesInput,
  CreateObservationInput,
  CreateObservationResult,
  ItemRef,
  ObservationReply,
  ObservationView,
  TwinInput,
} from './observations-api';
import { canBeSameItem } from './same-observation';

const FIX_INPUT = 'Correct the input and start again; nothing was made.';
const FIX_FILES = 'Look at the item in the service, and attach there what is missing.';

type Scope = Pick<ActivityScope, 'signal'>;

export interface ObservationFileDeps extends MakingDeps {
  readonly client: Sender;
  readonly draining: AbortSignal;
  /** Absent where no share is seen: calls with files then belong on another queue. */
  readonly openAttachment?: OpenAttachment;
}

export type ObservationFileActivities = ReturnType<typeof createObservationFileActivities>;

/** Those that can carry files run on the share's queue, where the files are seen. */
export function createObservationFileActivities(deps: ObservationFileDeps) {
  return toActivities(deps.draining, deps, {
    lookForAttachments,
    createObservation: makeObservation,
    attachFiles,
    addResponse,
  });
}

/**
 * Where it may have been made before, an item is looked for that was not there before and is as asked for:
 * the response to an earlier attempt may have been lost. Of several, the oldest is taken for ours, and the
 * others are told. What another run makes in the same moment is not even looked at otherwise.
 */
async function makeObservation(
  deps: ObservationFileDeps,
  input: CreateObservationInput,
  scope: Scope & MakingScope,
): Promise<CreateObservationResult> {
  const { client } = deps;
  const making = makingOf(deps, input, scope);
  if (mayBeThere(input, making)) {
    const found = await making.look(() => findLost(client, input, scope));
    if (found !== undefined) return found;
    making.waitUntilListed('observation');
  }
  return await sending<CreateObservationResult>(
    deps,
    input.attachments,
    'make the observation',
    async files => {
      const { data } = await making.make(() =>
        client.send(createObservation, {
          params: {},
          companyId: input.project.companyId,
          query: input.validate ? { runConfigurableValidations: true } : {},
          body: {
            projectId: input.project.projectId,
            fields: { ...input.fields, name: toSent(input.fields.name) },
          },
          files,
          signal: scope.signal,
        }),
      );
      return { kind: 'made', observation: viewOf(data) };
    },
  );
}

/** Of those that were not there before and are as asked for, the oldest. */
async function findLost(
  client: Sender,
  { project, fields, knownIds }: CreateObservationInput,
  scope: Scope,
): Promise<CreateObservationResult | undefined> {
  const known = new Set(knownIds);
  const twins = await twinsOf(client, project, fields, scope);
  const [ours, ...others] = twins
    .filter(({ id }) => !known.has(id))
    .sort((a, b) => Number(a.id) - Number(b.id));
  if (ours === undefined) return undefined;
  const shown = await show(client, { project, id: ours.id }, scope);
  return {
    kind: 'found',
    observation: viewOf(shown ?? ours),
    ...(others.length === 0 ? {} : { alike: others.map(({ id }) => id) }),
  };
}

/** A run of the release before says nothing of it, and is answered as it was then: by a look each time. */
function mayBeThere({ asked }: AskedOnce, { isInDoubt }: Making): boolean {
  return asked === undefined || isInDoubt;
}

export function makingOf({ listedAfterMs }: MakingDeps, { asked }: AskedOnce, scope: MakingScope): Making {
  return new Making(scope, { asked, listedAfterMs });
}

/**
 * Adds the files that are not among the item's attachments. The response to an earlier attempt that sent them
 * may have been lost, and the item may show them late.
 */
async function attachFiles(
  deps: ObservationFileDeps,
  input: AttachFilesInput,
  scope: Scope & MakingScope,
): Promise<ObservationReply> {
  const { client } = deps;
  const { seen, attachments, others } = input;
  const seenNames = seen?.attachmentNames.map(name => [name]) ?? [];
  if (seen !== undefined && isNothing(findMissing(attachments, seenNames, others))) {
    return { kind: 'done', observation: seen };
  }
  // What we have made was sent with all of them a moment ago.
  const isRepeated = seen !== undefined || isPerhapsRepeated(scope, input.asked);
  const making = new Making(scope, { isRepeated, listedAfterMs: deps.listedAfterMs });
  const present = await showUnlessGone(client, making, input, scope);
  if (present === undefined)
    return { kind: 'refused', reason: describeGone(input.id, 'attach what is missing') };
  const missing = findMissing(attachments, present.attachmentsByNames, others);
  if (isNothing(missing)) return { kind: 'done', observation: viewOf(present) };
  making.waitUntilListed('attachments');
  if (missing === 'unclear') return { kind: 'refused', reason: UNCLEAR };
  const result = await sending<ObservationReply>(deps, missing, 'take the attachments', async files => {
    const { data } = await making.make(() =>
      client.send(updateObservation, {
        params: { id: input.id },
        companyId: input.project.companyId,
        body: {
          projectId: input.project.projectId,
          fields: { name: present.name, typeId: present.typeId ?? '' },
        },
        files,
        signal: scope.signal,
      }),
    );
    return { kind: 'done', observation: viewOf(data) };
  });
  // The item is there: to start again would make another one.
  return result.kind === 'refused' ? { ...result, reason: { ...result.reason, fix: FIX_FILES } } : result;
}

function isNothing(missing: ReturnType<typeof findMissing>): boolean {
  return missing !== 'unclear' && missing.length === 0;
}

async function addResponse(
  deps: ObservationFileDeps,
  input: AddResponseInput,
  scope: Scope & MakingScope,
): Promise<AddResponseResult> {
  const making = makingOf(deps, input, scope);
  if (mayBeThere(input, making)) {
    const known = new Set(input.knownIds);
    const logs = await making.look(() => responsesOf(deps.client, input, scope));
    if (logs.some(log => !known.has(log.id) && isSameText(log.comment, input.comment)))
      return { kind: 'found' };
    making.waitUntilListed('response');
  }
  return await sending<AddResponseResult>(deps, input.attachments, 'take the response', async files => {
    await making.make(() =>
      deps.client.send(createResponseLog, {
        params: { itemId: input.id },
        companyId: input.project.companyId,
        query: {},
        body: { projectId: input.project.projectId, comment: input.comment },
        files,
        signal: scope.signal,
      }),
    );
    return { kind: 'made' };
  });
}

/** What keeps these files from being sent, one reason for each; nothing is sent. */
async function lookForAttachments(
  deps: ObservationFileDeps,
  { attachments }: Pick<CreateObservationInput, 'attachments'>,
): Promise<readonly Reason[]> {
  const { opened, faults } = await openAll(deps, attachments);
  await closeAll(opened);
  return faults;
}

/**
 * Opens the files, sends, and returns it as `refused` when the service refuses or files cannot be sent: all
 * of these are told at once.
 */
async function sending<Result extends { readonly kind: string }>(
  deps: ObservationFileDeps,
  paths: readonly string[],
  what: string,
  send: (files: readonly FilePart[]) => Promise<Result>,
): Promise<Result | Refused> {
  const { opened, faults } = await openAll(deps, paths);
  try {
    const [first] = faults;
    if (first !== undefined)
      return { kind: 'refused', reason: { ...first, text: faults.map(({ text }) => text).join(' ') } };
    const parts = opened.map((file): FilePart => ({ field: ATTACHMENTS_FIELD, ...file }));
    return await orRefused(what, FIX_INPUT, () => send(parts));
  } catch (error: unknown) {
    return { kind: 'refused', reason: toFileFault(error) };
  } finally {
    await closeAll(opened);
  }
}

/** Whoever calls this closes what was opened. */
async function openAll(
  { openAttachment }: ObservationFileDeps,
  paths: readonly string[],
): Promise<{ readonly opened: readonly AttachmentFile[]; readonly faults: readonly Reason[] }> {
  const opened: AttachmentFile[] = [];
  const faults: Reason[] = [];
  try {
    for (const path of paths) {
      if (openAttachment === undefined) throw new RangeError('Files are sent where their share is seen');
      const file = await openAttachment(path).catch(toFileFault);
      if ('open' in file) opened.push(file);
      else faults.push(file);
    }
  } catch (error: unknown) {
    await closeAll(opened);
    throw error;
  }
  return { opened, faults };
}

async function closeAll(files: readonly AttachmentFile[]): Promise<void> {
  for (const file of files) await file.close().catch(() => undefined);
}

/** A fault of one file, with which no whole request was sent. Throws what is not one. */
function toFileFault(error: unknown): Reason {
  const code = fileFaultOf(error);
  if (code === undefined) throw error;
  const text = error instanceof Error ? error.message : String(error);
  return { code, text, fix: 'Put the file into the folder for attachments, whole, and start again.' };
}

/** The code of a fault of one file, with which no whole request was sent; undefined for anything else. */
function fileFaultOf(error: unknown): FileErrorCode | undefined {
  if (isFileError(error)) return error.code;
  return hasCode<SourceChangedError['code']>(error, 'SOURCE_CHANGED') ? 'file-changed' : undefined;
}

/** Items that can be the one asked for. The search is the service's; what counts is compared here. */
export async function twinsOf(
  client: Sender,
  project: ProjectRef,
  fields: TwinInput['fields'],
  scope: Scope,
): Promise<readonly Observation[]> {
  const twins: Observation[] = [];
  const pages = fetchPages(client, listObservations, {
    params: {},
    companyId: project.companyId,
    query: {
      projectId: project.projectId,
      typeId: fields.typeId,
      search: toSent(fields.name),
      perPage: RICH_PAGE,
    },
    signal: scope.signal,
  });
  for await (const page of pages) {
    twins.push(...page.filter(item => canBeSameItem(item, fields)));
  }
  return twins;
}

export async function responsesOf(
  client: Sender,
  { project, id }: ItemRef,
  scope: Scope,
): Promise<readonly ResponseLog[]> {
  return await fetchAll(client, listResponseLogs, {
    params: { itemId: id },
    companyId: project.companyId,
    query: { projectId: project.projectId, perPage: RICH_PAGE },
    signal: scope.signal,
  });
}

/** A name is sent in the form in which it is searched for afterwards, whichever form people wrote it in. */
function toSent(name: string): string {
  return name.normalize('NFC');
}

const UNCLEAR: Reason = {
  code: 'attachments-unclear',
  text: 'The observation has fewer attachments than files, and some of them under other names.',
  fix: FIX_FILES,
};

/** undefined: there is none, by this look. */
export async function show(
  client: Sender,
  { project, id }: ItemRef,
  scope: Scope,
): Promise<Observation | undefined> {
  const shown = await unlessGone(() =>
    client.send(showObservation, {
      params: { id },
      companyId: project.companyId,
      query: { projectId: project.projectId },
      signal: scope.signal,
    }),
  );
  return shown?.data;
}

/**
 * An item whose id the service has given us. undefined: it has gone, by two looks half a minute apart: right
 * after it was made, a copy of the service's data that is late says so of it. Rejects where the whole project
 * does not answer: whoever has lost that is told the same of each item in it.
 */
export async function showUnlessGone(
  client: Sender,
  making: Making,
  at: ItemRef,
  scope: Scope,
): Promise<Observation | undefined> {
  const shown = await making.look(() => show(client, at, scope));
  if (shown !== undefined) return shown;
  making.waitUntilShown(`observation ${at.id}`);
  await making.look(() => lookAtProject(client, at.project, scope));
  return undefined;
}

async function lookAtProject(client: Sender, project: ProjectRef, scope: Scope): Promise<void> {
  const query = { projectId: project.projectId, perPage: 1 };
  const { companyId } = project;
  await client
    .send(listObservations, { params: {}, companyId, query, signal: scope.signal })
    .catch((error: unknown) => {
      throw orMisconfigured(error);
    });
}

/**
 * Never that a new one is to be made: should it be there after all, it would be there twice. What is to be
 * done then is `ifThere`.
 */
export function describeGone(id: string, ifThere: string): Reason {
  const fix = `See in the service whether it was deleted; if it is there, ${ifThere}.`;
  return { code: 'gone', text: `The observation ${id} has gone.`, fix };
}

export function viewOf({ id, number, name, status, attachmentsByNames }: Observation): ObservationView {
  return { id, number, name, status, attachmentNames: attachmentsByNames.map(firstOf) };
}
