// Reading uploads (Step 7): all of a batch in one request where the project has that, else one by one.
import type { EventId, StoredValue } from '../workflows/contract';
import { assessUpload, isAnalysed, isNameRight, type UploadView } from '../workflows/decide/assess-upload';
import { chooseRequirement } from '../workflows/decide/choose-requirement';
import type { FieldWrite } from '../workflows/decide/plan-document';
import { isTimeToPart, planFirstLook, planNextLook } from '../workflows/decide/poll-schedule';
import { findField, type ProjectRules } from '../workflows/decide/project-rules';
import type { ActivityScope } from './activity-scope';
import type { ReadDocument, ReadItem, ReadUploadsInput, ReadUploadsResult } from './api';
import { inProject } from './documents';
import { resolveDefaults } from './plan-documents';
import type { ProjectLookups } from './project-lookups';
import { type DocumentUpload, readSelectedUploads, showUpload } from './service/endpoints/document-uploads';
import { isServiceError } from './service/errors';
import type { Sender } from './service/service-client';

/** Single reads under way at once; the rate gate paces them. */
const PARALLEL_READS = 8;
/** A stored text longer than this is cut in what travels to the receipt. */
const MOST_STORED_CHARS = 120;
const BULK_PAGE = 100;
/** A project is switched over while we run, and a 404 can have passed: it is asked again. */
const WITHOUT_BULK_MS = 15 * 60_000;
/** 100 uploads on pages of one item each is the worst there can be. */
const MOST_PAGES = 100;

export interface ReadDeps {
  readonly client: Sender;
  readonly lookups: ProjectLookups;
  /** Projects without the bulk read, learned from its 404; kept for the life of the process. */
  /** Projects that answered the bulk read with 404, and when, on a monotonic clock. */
  readonly withoutBulk: Map<string, number>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Look = DocumentUpload | 'hidden' | 'deleted';

/**
 * Reads every item, once or until the analysis has finished. The time counted is our own looking: what the service is
 * away does not use up the three minutes, since a failed look ends this attempt and the next one counts on from here.
 */
export async function readUploads(
  deps: ReadDeps,
  input: ReadUploadsInput,
  scope: ActivityScope,
): Promise<ReadUploadsResult> {
  const rules = await deps.lookups.rules(input.project);
  const { writes } = await resolveDefaults(deps.lookups, input.project, rules, input.defaults);
  const describe = (looks: ReadonlyMap<number, Look>): ReadDocument[] =>
    input.items.map(item => toReadDocument(rules, writes, input, item, looks.get(item.index) ?? 'hidden'));

  if (input.poll === undefined) {
    return { documents: describe(await look(deps, input, input.items, scope.signal)), lookedMs: 0 };
  }
  const { times, mayPart } = input.poll;
  const looks = new Map<number, Look>();
  let lookedMs = Math.max(input.poll.lookedMs, lookedBefore(scope.lastDetails));
  let open = input.items;
  for (let isFirst = lookedMs === 0; ; ) {
    const isBulk = isReadTogether(deps, input, open);
    const pauseMs = isFirst
      ? Math.max(0, planFirstLook(times, isBulk ? 1 : open.length) - lookedMs)
      : (planNextLook(times, lookedMs) ?? 0);
    await deps.sleep(pauseMs, scope.signal);
    const startedMs = performance.now();
    const found = isBulk
      ? await readTogether(deps, input, open, scope.signal)
      : await readOneByOne(deps, input, open, scope.signal);
    lookedMs += pauseMs + Math.round(performance.now() - startedMs);
    scope.report({ lookedMs });
    // Learned just now that each upload costs a request: then the first look is better made when they are likely done.
    if (found === 'unsupported') continue;
    isFirst = false;
    for (const [index, one] of found) looks.set(index, one);
    open = open.filter(({ index }) => isStillAnalysed(looks.get(index)));
    const isOver = open.length === 0 || planNextLook(times, lookedMs) === undefined;
    if (isOver || (mayPart && isTimeToPart(times, lookedMs, input.items.length - open.length, open.length))) {
      return { documents: describe(looks), lookedMs };
    }
  }
}

function lookedBefore(details: unknown): number {
  if (typeof details !== 'object' || details === null || !('lookedMs' in details)) return 0;
  return typeof details.lookedMs === 'number' ? details.lookedMs : 0;
}

function isStillAnalysed(found: Look | undefined): boolean {
  return typeof found === 'object' && !isAnalysed(toView(found));
}

async function look(
  deps: ReadDeps,
  input: ReadUploadsInput,
  items: readonly ReadItem[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Look>> {
  if (isReadTogether(deps, input, items)) {
    const found = await readTogether(deps, input, items, signal);
    if (found !== 'unsupported') return found;
  }
  return await readOneByOne(deps, input, items, signal);
}

function isReadTogether(deps: ReadDeps, input: ReadUploadsInput, items: readonly ReadItem[]): boolean {
  const refusedAtMs = deps.withoutBulk.get(input.project.projectId) ?? Number.NEGATIVE_INFINITY;
  return items.length > 0 && performance.now() - refusedAtMs >= WITHOUT_BULK_MS;
}

/**
 * The bulk read leaves out what it does not find, for whatever reason; what is missing, or lacks its event id, is asked
 * for by itself, which also tells a deleted upload (410) from a consumed one.
 */
async function readTogether(
  deps: ReadDeps,
  input: ReadUploadsInput,
  items: readonly ReadItem[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Look> | 'unsupported'> {
  const byId = new Map<string, DocumentUpload>();
  try {
    const request = {
      ...inProject(input.project),
      signal,
      body: { ids: items.map(({ uploadId }) => uploadId) },
    };
    let search: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { data, nextSearch } = await deps.client.send(readSelectedUploads, {
        ...request,
        ...(search === undefined ? { query: { perPage: BULK_PAGE } } : { search }),
      });
      for (const upload of data) byId.set(upload.id, upload);
      if (nextSearch === undefined || byId.size >= items.length) break;
      search = nextSearch;
    }
  } catch (error: unknown) {
    if (!isServiceError(error) || error.code !== 'NOT_FOUND') throw error;
    deps.withoutBulk.set(input.project.projectId, performance.now());
    return 'unsupported';
  }
  const looks = new Map<number, Look>();
  const doubtful: ReadItem[] = [];
  for (const item of items) {
    const upload = byId.get(item.uploadId);
    if (upload === undefined || upload.latestEventId === null) doubtful.push(item);
    else looks.set(item.index, upload);
  }
  for (const [index, found] of await readOneByOne(deps, input, doubtful, signal)) looks.set(index, found);
  return looks;
}

async function readOneByOne(
  deps: ReadDeps,
  input: ReadUploadsInput,
  items: readonly ReadItem[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Look>> {
  const looks = new Map<number, Look>();
  const waiting = [...items];
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      looks.set(item.index, await readOne(deps, input, item, signal));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_READS }, next));
  return looks;
}

async function readOne(
  deps: ReadDeps,
  input: ReadUploadsInput,
  item: ReadItem,
  signal: AbortSignal,
): Promise<Look> {
  const { companyId, params } = inProject(input.project);
  try {
    const { data } = await deps.client.send(showUpload, {
      companyId,
      signal,
      params: { ...params, uploadId: item.uploadId },
    });
    return data;
  } catch (error: unknown) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'NOT_FOUND') return 'hidden';
    if (error.code === 'GONE') return 'deleted';
    throw error;
  }
}

function toReadDocument(
  rules: ProjectRules,
  defaults: readonly FieldWrite[],
  input: ReadUploadsInput,
  item: ReadItem,
  found: Look,
): ReadDocument {
  if (typeof found === 'string') return { kind: found, index: item.index };
  const view = toView(found);
  const { fill, missing } = assessUpload(rules, view, defaults, item.fileName);
  const others = new Set(input.batchFileNames.filter(name => name !== item.fileName));
  const isComputed =
    rules.requirements.some(({ scrapedFieldIds }) => scrapedFieldIds !== null) ||
    !rules.fields.some(({ name }) => name === 'name');
  return {
    kind: 'found',
    index: item.index,
    // Without an event id nothing can be submitted; the workflow sets the document apart.
    eventId: found.latestEventId ?? ('' as EventId),
    completed: found.uploadStatus === 'COMPLETED',
    analysed: isAnalysed(view),
    analysisFailed: view.analysis.ml === 'error' || view.analysis.filenameScraping === 'error',
    nameIsRight: isNameRight(view, givenName(rules, item) ?? item.fileName, others, isComputed),
    fill,
    missing: missing.map(({ label }) => label),
    stored: listStored(rules, item, found, view),
  };
}

/** The name that people gave in place of the file's own. */
function givenName(rules: ProjectRules, item: ReadItem): string | undefined {
  const given = Object.entries(item.values).find(([key]) => findField(rules.fields, key)?.name === 'name');
  return typeof given?.[1] === 'string' ? given[1] : undefined;
}

function toView(upload: DocumentUpload): UploadView {
  return {
    status: upload.uploadStatus ?? 'other',
    values: new Map(
      upload.fields.map(field => [field.id, field.values.flatMap(({ id, label }) => id ?? label ?? [])]),
    ),
    names: upload.fields
      .filter(({ name }) => name === 'name')
      .flatMap(({ values }) => values.flatMap(({ label }) => (label === null ? [] : [label]))),
    analysis: upload.integrationStatuses,
  };
}

/** What the receipt shows: the required fields, and those that people gave values for. */
function listStored(
  rules: ProjectRules,
  item: ReadItem,
  upload: DocumentUpload,
  view: UploadView,
): readonly StoredValue[] {
  const wanted = new Set(chooseRequirement(rules, view.values).required.map(({ id }) => id));
  for (const nameOrLabel of Object.keys(item.values)) {
    const field = findField(rules.fields, nameOrLabel);
    if (field !== undefined) wanted.add(field.id);
  }
  return upload.fields
    .filter(({ id, values }) => wanted.has(id) && values.length > 0)
    .map(({ label, values }) => ({
      label,
      value: values
        .map(value => value.label ?? value.code ?? value.id ?? '')
        .join('; ')
        .slice(0, MOST_STORED_CHARS),
    }));
}
