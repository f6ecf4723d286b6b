// Claiming by hand: the named files and folders of the drop folder, now; and following
// what somebody else has claimed.
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { ingestWorkflowId, type ProjectRef, type Reason } from '../../workflows/contract';
import type { BatchSummary } from '../../workflows/ingest/ingest-contract';
import { hasCode } from '../host/error-code';
import { compareNatural } from '../registers/natural-order';
import type { ProjectRuns } from '../revision-order/order-activities';
import type { ActivityScope } from '../scope/activity-scope';
import type { OurTemporal } from '../share/batch/hold';
import type { NotClaimed } from '../share/claim/not-claimed';
import { isOurs, type OpenBatch } from '../share/claim/open-batches';
import { folderOf, isInnerPath } from '../share/files/relative-path';
import { ShareError, type ShareErrorCode } from '../share/files/share-error';
import { isPathOfRegister } from '../share/jobs/kept-register';
import { type AskedFiles, partByJobs } from '../share/part-by-jobs';
import type {
  Batches,
  Claims,
  DropFolder,
  DropRegisters,
  JobFolders,
  Jobs,
  NamedShare,
  OpenBatches,
  TemporalMarks,
} from '../share/share';
import type { BatchRef, ClaimFilesInput, ClaimFilesResult } from './api';

/**
 * Most files that one claim on demand takes. A folder with which it would be more stays whole: its register
 * may be among those that were not looked at, and its files would go without their rows.
 */
const MOST_FILES = 10_000;
/** Between two looks at a claim that somebody else is still hashing. */
const LOOK_AGAIN_MS = 500;
const FIRST_FOLLOW_MS = 1_000;
/** Errors from the manifest of another batch that mean that it carries none of the files asked for. */
const HAS_NOTHING: readonly ShareErrorCode[] = [
  'batch-unknown',
  'batch-damaged',
  'manifest-differs',
  'key-differs',
];
const LONGEST_FOLLOW_MS = 30_000;
/**
 * From this attempt on, after a minute and a quarter, Temporal is asked as well: whoever starts or resumes a
 * run has done it by then.
 */
const ASKS_FROM_ATTEMPT = 10;

/** The parts of a share that files are claimed with. */
export type ClaimableShare = NamedShare &
  DropFolder &
  DropRegisters &
  Claims &
  Jobs &
  JobFolders &
  OpenBatches &
  Batches;

type Scope = Pick<ActivityScope, 'signal'>;
type WhyNotClaimed = NotClaimed['why'] | 'empty' | 'unlisted' | 'too-many';

/**
 * Claims the named files, or all below a folder, into batches now. The key is noted with every claim: a
 * repeat finds the batches of the attempt before, finishes them, and claims what is still in the drop folder.
 * For files that a watcher was faster with, the open batches that carry them are returned as `followed`.
 */
export async function claimFiles(
  share: ClaimableShare,
  input: ClaimFilesInput,
  scope: Scope,
): Promise<ClaimFilesResult> {
  const batchIds = new Set<string>();
  for (const batchId of await share.batchesOfKey(input.key)) {
    const sealed = await share.readSeal(batchId).catch(() => share.adopt(batchId, { signal: scope.signal }));
    if (sealed !== undefined) batchIds.add(batchId);
  }
  const isRepeat = batchIds.size > 0;
  const asked = (input.paths ?? [input.folder ?? '']).map(toInnerPath);
  const { files, gone, empty, tooMany } = await listAsked(share, asked);
  const refused = tooMany.map(path => explainNotClaimed({ path, why: 'too-many' }));
  const { parts, busy, left } = await partByJobs(share, files);
  refused.push(...busy.map(path => explainNotClaimed({ path, why: 'busy' })));
  refused.push(...left.map(path => explainNotClaimed({ path, why: 'unlisted' })));
  for (const part of parts) {
    const claimed = await claimPart(share, part, input.key, scope);
    for (const batchId of claimed.batchIds) batchIds.add(batchId);
    for (const one of claimed.notClaimed) {
      if (one.why === 'gone') gone.push(one.path);
      else refused.push(explainNotClaimed(one));
    }
  }
  const { followed, missing } = await findCarried(share, [...gone, ...empty], batchIds, scope.signal);
  // What the attempt before has claimed is gone from the drop folder: nobody need hear of it.
  const isTaken = isRepeat ? await findTaken(share, batchIds) : () => false;
  const isEmpty = new Set(empty);
  const untaken = missing.filter(path => !isTaken(path));
  refused.push(
    ...untaken.map(path => explainNotClaimed({ path, why: isEmpty.has(path) ? 'empty' : 'gone' })),
  );
  return { project: share.config.project, batchIds: [...batchIds], followed, refused };
}

/** Claims the files in as many batches as it takes; the register goes with the first of its files. */
async function claimPart(
  share: ClaimableShare,
  { job, paths }: AskedFiles,
  key: string,
  { signal }: Scope,
): Promise<{ readonly batchIds: readonly string[]; readonly notClaimed: readonly NotClaimed[] }> {
  const batchIds: string[] = [];
  const notClaimed: NotClaimed[] = [];
  const most = share.config.maxBatchFiles;
  // The register is kept by its job, and is no document.
  const isRegister = (path: string) => job !== undefined && isPathOfRegister(job, { path });
  const register = paths.filter(isRegister);
  const files = paths.filter(path => !isRegister(path));
  for (let start = 0; start < Math.max(files.length, register.length); start += most) {
    signal.throwIfAborted();
    const asked = [...(start === 0 ? register : []), ...files.slice(start, start + most)];
    const claimed = await share.claim(asked, { key, job });
    // Another process has just closed the job: whoever asks again gets the next one.
    if (claimed.isJobClosed) notClaimed.push(...asked.map(path => ({ path, why: 'changed' as const })));
    notClaimed.push(...claimed.notClaimed.filter(({ path }) => !isRegister(path)));
    if (claimed.batch === undefined) continue;
    const sealed = await share.writeManifest(claimed.batch, { signal });
    if (sealed.batchId === undefined) {
      notClaimed.push(...sealed.returned.map(({ path }) => ({ path, why: 'changed' as const })));
      continue;
    }
    batchIds.push(sealed.batchId);
    await removeEmptied(
      share,
      sealed.manifest.files.map(file => file.path),
    );
  }
  const left = job && (await share.closeJob(job));
  for (const folder of [...(left?.folders ?? [])].reverse()) await share.removeEmptyFolder(folder);
  return { batchIds, notClaimed };
}

export interface FollowDeps {
  readonly share: Pick<Batches, 'readBatch' | 'settleUp'> & OpenBatches & TemporalMarks;
  /** The Temporal that asks for this. */
  readonly temporal: () => Promise<OurTemporal>;
  readonly runs: Pick<ProjectRuns, 'lookAt'>;
}

/**
 * How a batch ended that another run carries. While it has not, the activity fails in such a way that it is
 * tried again: waiting costs neither a worker's slot nor events.
 */
export async function followBatch(
  deps: FollowDeps,
  { batchId }: BatchRef,
  { attempt }: Pick<ActivityScope, 'attempt'>,
): Promise<BatchSummary> {
  const { share } = deps;
  let unknown: unknown;
  const read = async () =>
    await share.readBatch(batchId).catch(error => {
      if (!hasCode<ShareErrorCode>(error, 'batch-unknown')) throw error;
      unknown = error;
      return undefined;
    });
  let found = await read();
  let isOver = false;
  if (found !== undefined && found.receipt?.final !== true && attempt >= ASKS_FROM_ATTEMPT) {
    isOver = await isRunOver(deps, found.manifest.project, batchId);
    // It may have ended well since it was read.
    if (isOver) found = await read();
  }
  if (found?.receipt?.final === true) {
    const { done, attention, ...rest } = await share.settleUp(batchId, [], { final: true });
    return { batchId, submitted: done, setApart: attention, ...rest };
  }
  const open = (await share.openBatches()).find(batch => batch.batchId === batchId);
  // While it is sealed anew for another project it has no manifest.
  if (found === undefined && (open === undefined || !isOurs(open))) throw unknown;
  if (open?.isStopped === true || (isOver && found !== undefined)) {
    throw new ShareError(
      'bad-request',
      `The run of batch ${batchId} ended before the batch did. "resume ${batchId}" goes on with it.`,
    );
  }
  throw ApplicationFailure.create({
    type: 'BATCH_UNDER_WAY',
    message: `Batch ${batchId} is on its way`,
    nonRetryable: false,
    nextRetryDelay: Math.min(LONGEST_FOLLOW_MS, Math.round(FIRST_FOLLOW_MS * 1.5 ** (attempt - 1))),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/**
 * Whether our Temporal had a run of the batch that goes on no more: where no watcher is at work, nobody notes
 * that on the share. One that nobody has taken yet is still to be started, and of another one's nothing is
 * known.
 */
async function isRunOver(
  { share, temporal, runs }: FollowDeps,
  project: ProjectRef,
  batchId: string,
): Promise<boolean> {
  const held = await share.temporals.holdOf(batchId, await temporal());
  if (held?.isOurs !== true || held.hold.workflowId !== ingestWorkflowId(project, batchId)) return false;
  const { runs: states } = await runs.lookAt({ project, batchIds: [batchId] });
  return states.some(({ state }) => state !== 'running');
}

/** Removes folders that this claim has emptied: the watcher clears away only those that it claims from. */
async function removeEmptied(share: ClaimableShare, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.add(folder);
  }
  const innermostFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const folder of innermostFirst) await share.removeEmptyFolder(folder);
}

interface Asked {
  readonly files: readonly string[];
  readonly gone: string[];
  /** Folders without a file. */
  readonly empty: readonly string[];
  /** Folders with which it would be more files than one claim takes. */
  readonly tooMany: readonly string[];
}

/** Names of folders stand for all files below them. */
async function listAsked(share: ClaimableShare, asked: readonly string[]): Promise<Asked> {
  const files = new Set<string>();
  const gone: string[] = [];
  const empty: string[] = [];
  const tooMany: string[] = [];
  for (const path of asked) {
    if (path !== '' && !isInnerPath(path)) {
      throw new ShareError('bad-request', 'A path to claim is not inside the drop folder.');
    }
    if ((await share.lookAtFolder(path)) === undefined) {
      files.add(path);
      continue;
    }
    const below: string[] = [];
    for await (const name of share.scan({ under: path })) {
      below.push(name.path);
      if (files.size + below.length > MOST_FILES) break;
    }
    if (below.length === 0) empty.push(path);
    else if (files.size + below.length > MOST_FILES) tooMany.push(path);
    else for (const each of below) files.add(each);
  }
  return { files: [...files].sort(compareNatural), gone, empty, tooMany };
}

/**
 * Finds files that a watcher was faster with: they lie in a batch that is open, or in a claim that is not
 * sealed yet. No claim that comes up during that is waited for: what was gone before is in none of those.
 */
async function findCarried(
  share: ClaimableShare,
  paths: readonly string[],
  own: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<{ readonly followed: readonly string[]; readonly missing: readonly string[] }> {
  const followed = new Set<string>();
  let missing = new Set(paths);
  const looked = new Set<string>();
  let known: ReadonlySet<string> | undefined;
  while (missing.size > 0) {
    const open = await share.openBatches();
    known ??= new Set(open.map(({ batchId }) => batchId));
    for (const batch of [...open].reverse()) {
      const { batchId, state } = batch;
      if (state === 'claiming' || !isOurs(batch) || own.has(batchId) || looked.has(batchId)) continue;
      looked.add(batchId);
      const carried = await listCarried(share, batchId);
      const left = new Set([...missing].filter(path => !isAmong(path, carried)));
      if (left.size < missing.size) followed.add(batchId);
      missing = left;
    }
    const isHeld = ({ state, claim, isProven }: OpenBatch) =>
      isProven && state === 'claiming' && claim === 'held';
    if (missing.size === 0 || !open.some(batch => isHeld(batch) && known?.has(batch.batchId))) break;
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
  return { followed: [...followed], missing: [...missing] };
}

/** What these batches carry, the folders that it lay in, and registers, which are no documents. */
async function findTaken(
  share: ClaimableShare,
  batchIds: Iterable<string>,
): Promise<(path: string) => boolean> {
  const carried: string[] = [];
  for (const batchId of batchIds) carried.push(...(await listCarried(share, batchId)));
  const jobs = await share.openJobs();
  return path =>
    path === '' || isAmong(path, carried) || jobs.some(({ record }) => isPathOfRegister(record, { path }));
}

/**
 * Paths of the files that a batch carries; none for one that cannot be read, or has been put away meanwhile.
 */
async function listCarried(share: ClaimableShare, batchId: string): Promise<readonly string[]> {
  try {
    return (await share.readSeal(batchId)).manifest.files.map(({ path }) => path);
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, ...HAS_NOTHING)) return [];
    throw error;
  }
}

function isAmong(path: string, carried: readonly string[]): boolean {
  return path !== '' && carried.some(each => each === path || each.startsWith(`${path}/`));
}

/** `./A/` is `A`, and `.` the drop folder itself. */
function toInnerPath(path: string): string {
  return path
    .replace(/^\.?\/+/, '')
    .replace(/\/+$/, '')
    .replace(/^\.$/, '');
}

function explainNotClaimed({ path, why }: { readonly path: string; readonly why: WhyNotClaimed }): Reason {
  const shown = path === '' ? 'The drop folder' : `"${path}"`;
  return { code: why, ...WORDS[why](shown) };
}

const WORDS: Readonly<
  Record<WhyNotClaimed, (path: string) => { readonly text: string; readonly fix: string }>
> = {
  gone: path => ({
    text: `${path} is not in the drop folder, neither as a file nor as a folder, and in no batch that is on its way.`,
    fix: 'Paths are relative to the drop folder; what was carried in already is in done/ or attention/.',
  }),
  empty: path => ({ text: `${path} has no file in it.`, fix: 'Put files there, or name another folder.' }),
  'too-many': path => ({
    text: `${path} stays in the drop folder: with its files it would be more than ${MOST_FILES.toLocaleString('en-GB')}, the most that are taken by hand at one time.`,
    fix: 'Leave it to a watcher, which takes folders of any size.',
  }),
  unlisted: path => ({
    text: `${path} is listed by no register of its folder, and this share leaves such files where they are.`,
    fix: 'Drop a register that lists it into its folder.',
  }),
  busy: path => ({ text: `${path} is open in another program.`, fix: 'Close it there and try again.' }),
  changed: path => ({
    text: `${path} is still being written.`,
    fix: 'Wait until it is complete and try again.',
  }),
  mistaken: path => ({
    text: `${path} was exchanged while it was taken: what was there may be nothing that was dropped, and is not carried in.`,
    fix: 'It lies in the folder .drawbridge/mistaken of the share. An operator looks at it and, where it is a file that was dropped, moves it back.',
  }),
  impossible: path => ({ text: `${path} cannot be taken.`, fix: 'Check its name and permissions.' }),
};
