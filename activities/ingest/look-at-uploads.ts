// One look at uploads: all in one request where the project has that, else by its list of uploads, or one
// by one.
import type { ProjectRef, UploadId } from '../../workflows/contract';
import { systemClock } from '../host/clock';
import { forEachLimited } from '../host/concurrency';
import { routeOf } from '../service/endpoint';
import {
  type DocumentUpload,
  listUploads,
  readSelectedUploads,
  showUpload,
} from '../service/endpoints/document-uploads';
import { isServiceError } from '../service/errors';
import { fetchPages } from '../service/pages';
import { responseFault } from '../service/send/http-exchange';
import type { Sender } from '../service/service-client';
import { inProject, requireAsked } from './documents';

/** Single reads under way at once; the rate gate paces them. */
const PARALLEL_READS = 8;
const BULK_PAGE = 100;
/**
 * After this the bulk read, or the list, is tried again: the project may have got it meanwhile, or the 404
 * have passed.
 */
const WITHOUT_BULK_MS = 15 * 60_000;
/** 100 uploads on pages of one item each is the worst there can be. */
const MOST_PAGES = 100;
/**
 * Pages of the project's list that are read at most; uploads are few unless somebody leaves thousands
 * unsubmitted.
 */
const MOST_LISTED_PAGES = 20;
/** One page of the list is worth its request for so many uploads, which would cost a request each. */
const LISTED_A_PAGE = 10;

export interface LookDeps {
  readonly client: Sender;
  /** Projects that answered the bulk read with 404, and when, on a monotonic clock. */
  readonly withoutBulk: Map<string, number>;
  /** The same for the project's list: it has none, or too much is in it to find ours. */
  readonly withoutList: Map<string, number>;
}

export interface Lookable {
  readonly index: number;
  readonly uploadId: UploadId;
}

/** What one read of one upload shows. */
type Shown = DocumentUpload | 'hidden' | 'deleted';
/** `unreadable`: whatever shows it cannot be read, though the service answers otherwise. */
export type Look = Shown | 'unreadable';

export async function look(
  deps: LookDeps,
  project: ProjectRef,
  items: readonly Lookable[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Look>> {
  const found = items.length > 0 ? await readTogether(deps, project, items, signal) : new Map();
  return found === 'unsupported' ? await readOneByOne(deps, project, items, signal) : found;
}

export function isReadTogether({ withoutBulk, withoutList }: LookDeps, project: ProjectRef): boolean {
  return isWorthAsking(withoutBulk, project) || isWorthAsking(withoutList, project);
}

function isWorthAsking(without: ReadonlyMap<string, number>, { projectId }: ProjectRef): boolean {
  return systemClock.monotonicMs() - (without.get(projectId) ?? Number.NEGATIVE_INFINITY) >= WITHOUT_BULK_MS;
}

/**
 * Reads by the bulk read, else by the list. Both leave out what they do not find, for whatever reason; what
 * is missing, or lacks its event id, is asked for by itself, which also tells a deleted upload (410) from a
 * consumed one.
 * @param maxWaitMs longest wait for a permit of the bulk read, instead of the configured one; not for single
 * reads, for what the others have shown would be lost.
 */
export async function readTogether(
  deps: LookDeps,
  project: ProjectRef,
  items: readonly Lookable[],
  signal: AbortSignal,
  maxWaitMs?: number,
): Promise<ReadonlyMap<number, Look> | 'unsupported'> {
  const selected = await readSelected(deps, project, items, signal, maxWaitMs);
  const read = selected === 'unsupported' ? await readListed(deps, project, items, signal) : selected;
  if (read === 'unsupported') return read;
  const looks = new Map<number, Look>();
  const doubtful: Lookable[] = [];
  for (const item of items) {
    const upload = read.shown.get(item.uploadId);
    if (upload === undefined || upload.latestEventId === null) doubtful.push(item);
    else looks.set(item.index, upload);
  }
  const singly = await readOneByOne(deps, project, doubtful, signal, { isHeard: read.isHeard });
  for (const [index, found] of singly) looks.set(index, found);
  return looks;
}

/** What the bulk read alone shows. Nothing is sent where the project was without it a moment ago. */
export async function readSelected(
  deps: LookDeps,
  project: ProjectRef,
  items: readonly Lookable[],
  signal: AbortSignal,
  maxWaitMs?: number,
): Promise<Listed | 'unsupported'> {
  if (!isWorthAsking(deps.withoutBulk, project)) return 'unsupported';
  const shown = new Map<string, DocumentUpload>();
  let isAll = true;
  try {
    const request = {
      ...inProject(project),
      signal,
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
      body: { ids: items.map(({ uploadId }) => uploadId) },
    };
    let search: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { data, nextSearch } = await deps.client.send(readSelectedUploads, {
        ...request,
        ...(search === undefined ? { query: { perPage: BULK_PAGE } } : { search }),
      });
      for (const upload of data) {
        if (upload === null) isAll = false;
        else shown.set(upload.id, upload);
      }
      if (nextSearch === undefined || shown.size >= items.length) break;
      search = nextSearch;
    }
  } catch (error: unknown) {
    if (!isNoSuchRoute(error)) throw error;
    deps.withoutBulk.set(project.projectId, systemClock.monotonicMs());
    return 'unsupported';
  }
  return { shown, isAll, isHeard: true };
}

/**
 * Any 404, also one that is no JSON: what answers for a route that a project does not have need not be the
 * service itself. Nothing of a document is concluded from it; it is looked for in another way.
 */
function isNoSuchRoute(error: unknown): boolean {
  return isServiceError(error) && error.status === 404;
}

/** Reads the project's list, as far as that takes a tenth of the requests that one by one would. */
async function readListed(
  deps: LookDeps,
  project: ProjectRef,
  items: readonly Lookable[],
  signal: AbortSignal,
): Promise<Listed | 'unsupported'> {
  if (!isWorthAsking(deps.withoutList, project)) return 'unsupported';
  // One upload costs no more when it is asked for by itself, and then a 410 tells that it was deleted.
  if (items.length === 1) return { shown: new Map(), isAll: false, isHeard: false };
  const pages = Math.ceil(items.length / LISTED_A_PAGE);
  const listed = await findListed(deps, project, items, signal, pages);
  if (listed === 'unsupported') return listed;
  if (listed.shown.size < items.length / 2)
    deps.withoutList.set(project.projectId, systemClock.monotonicMs());
  return listed;
}

export interface Listed {
  readonly shown: ReadonlyMap<string, DocumentUpload>;
  /** Nothing more of them is there; else it is longer than was read, or some of it cannot be read. */
  readonly isAll: boolean;
  /** The service has answered. */
  readonly isHeard: boolean;
}

/** What the project's list of completed uploads shows of them, within a bound of its pages. */
export async function findListed(
  { client, withoutList }: Pick<LookDeps, 'client' | 'withoutList'>,
  project: ProjectRef,
  items: readonly Lookable[],
  signal: AbortSignal,
  mostPages = MOST_LISTED_PAGES,
): Promise<Listed | 'unsupported'> {
  const wanted = new Set<string>(items.map(({ uploadId }) => uploadId));
  const shown = new Map<string, DocumentUpload>();
  const pages = fetchPages(client, listUploads, {
    ...inProject(project),
    query: { perPage: BULK_PAGE },
    signal,
  });
  let read = 0;
  let isAll = true;
  try {
    for await (const page of pages) {
      for (const upload of page) {
        if (upload === null) isAll = false;
        else if (wanted.has(upload.id)) shown.set(upload.id, upload);
      }
      if (shown.size === wanted.size) break;
      if (++read >= mostPages) return { shown, isAll: false, isHeard: true };
    }
  } catch (error: unknown) {
    if (!isNoSuchRoute(error)) throw error;
    withoutList.set(project.projectId, systemClock.monotonicMs());
    return 'unsupported';
  }
  return { shown, isAll: isAll || shown.size === wanted.size, isHeard: true };
}

/**
 * What cannot be read concerns its own document alone, where the service answers otherwise. Where nothing at
 * all can be read, it is the service that is to be waited for.
 * @param how `isHeard`: it has answered a moment ago; `toAbsence`: which responses say that there is none.
 */
export async function readOneByOne(
  deps: LookDeps,
  project: ProjectRef,
  items: readonly Lookable[],
  signal: AbortSignal,
  { isHeard = false, toAbsence }: { readonly isHeard?: boolean; readonly toAbsence?: ToAbsence } = {},
): Promise<ReadonlyMap<number, Look>> {
  const looks = new Map<number, Look>();
  const unreadable = new Map<number, unknown>();
  const read = async ({ index, uploadId }: Lookable): Promise<void> => {
    try {
      looks.set(index, await readOne(deps.client, project, uploadId, signal, toAbsence));
    } catch (error: unknown) {
      if (!isUnreadable(error)) throw error;
      unreadable.set(index, error);
    }
  };
  // In an outage the first asks for all: the others would meet the same, at each attempt.
  const asked = isHeard ? [] : items.slice(0, 1);
  for (const first of asked) await read(first);
  await forEachLimited(items.slice(asked.length), PARALLEL_READS, read);
  const [first] = unreadable.values();
  if (first !== undefined && looks.size === 0 && !isHeard) throw first;
  for (const index of unreadable.keys()) looks.set(index, 'unreadable');
  return looks;
}

/** A success that is not what it should be, or of another upload; not an error page, whatever it says. */
function isUnreadable(error: unknown): boolean {
  if (!isServiceError(error) || error.code !== 'SERVICE_UNAVAILABLE') return false;
  return error.fault === 'response' && error.status === 200;
}

/** What an error says of an upload. @throws the error itself, where it says nothing of one. */
export type ToAbsence = (error: unknown) => 'hidden' | 'deleted';

export async function readOne(
  client: Sender,
  project: ProjectRef,
  uploadId: UploadId,
  signal: AbortSignal,
  toAbsence: ToAbsence = absenceOf,
): Promise<Shown> {
  const { companyId, params } = inProject(project);
  try {
    const { data } = await client.send(showUpload, { companyId, signal, params: { ...params, uploadId } });
    requireAsked(showUpload, uploadId, data.id);
    return data;
  } catch (error: unknown) {
    return toAbsence(error);
  }
}

function absenceOf(error: unknown): 'hidden' | 'deleted' {
  if (isServiceError(error) && error.code === 'NOT_FOUND') return 'hidden';
  if (isServiceError(error) && error.code === 'GONE') return 'deleted';
  throw error;
}

/**
 * For what people are told of: that there is none is only the service's to say, in the form of the contract.
 * A gateway that has lost this one route says 404 in JSON, too, and answers for the rest of the project.
 */
export function sureAbsenceOf(error: unknown): 'hidden' | 'deleted' {
  const absence = absenceOf(error);
  if (!isServiceError(error) || error.isEnveloped) return absence;
  throw responseFault(routeOf(showUpload), error.status ?? 404, 'is not of the service: not its form');
}
