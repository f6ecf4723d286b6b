// Uploads as the page shows them, and whose they are.
import { toShareError } from '../../../activities/share/files/share-error';
import type { OpenUpload, UploadState } from '../../../activities/share/jobs/uploads/open-upload';
import { isBy } from '../../../activities/share/jobs/uploads/upload-record';
import type { Begun } from '../../../activities/share/jobs/uploads/upload-room';
import type { Share } from '../../../activities/share/share';
import type { UploadDetail, UploadSummary } from '../contract/drop';
import { ConsoleProblem, type Person } from '../serve/module';
import { texts } from '../texts/texts';
import type { UploadTurns } from './upload-turns';

/** The clock of the file server may be a little behind ours. */
const SKEW_MS = 60_000;

/** What was begun. @throws ConsoleProblem where it cannot be taken. */
export function requireBegun(begun: Begun): UploadState {
  switch (begun.kind) {
    case 'begun':
      return begun.state;
    case 'faulty':
      throw new ConsoleProblem(422, texts.drop.cannotBeTaken, [...begun.faults]);
    case 'no-room': {
      const [free, needed] = [toGigabytes(begun.freeBytes), toGigabytes(begun.neededBytes)];
      throw new ConsoleProblem(409, texts.drop.noRoom(free, needed));
    }
  }
}

/** An upload, for whoever began it and for operators. @throws ConsoleProblem 404, for all others as well. */
export async function requireUpload(share: Share, id: string, person: Person): Promise<OpenUpload> {
  const upload = await requireKnown(share, id);
  return isTheirs(upload.state, share.name, person) ? upload : throwNotThere();
}

/** To be looked at by anybody who has its address and may drop on its share. @throws ConsoleProblem 404 */
export async function requireKnown(share: Share, id: string): Promise<OpenUpload> {
  return (await share.uploads.open(id)) ?? throwNotThere();
}

function throwNotThere(): never {
  throw new ConsoleProblem(404, texts.drop.noUpload);
}

export function isTheirs(state: UploadState, share: string, person: Person): boolean {
  return isBy(state, person) ? person.may('answer', share) : person.may('operate', share);
}

/** Who looks, and which uploads are being sent just now. */
export interface Looking {
  readonly person: Person;
  readonly turns: Pick<UploadTurns, 'isMoving'>;
}

export async function toSummary(
  share: Share,
  state: UploadState,
  { person, turns }: Looking,
): Promise<UploadSummary> {
  const { id, name, by, begunAt, files, sent } = state;
  return {
    share: share.name,
    upload: id,
    name,
    by,
    begunAt,
    files: files.length,
    sizeBytes: sumOf(files.map(({ sizeBytes }) => sizeBytes)),
    doneBytes: sumOf(files.map(({ doneBytes }) => doneBytes)),
    isYours: isTheirs(state, share.name, person),
    isMoving: sent === null && turns.isMoving(id),
    isWhole: files.every(({ sizeBytes, doneBytes }) => sizeBytes === doneBytes),
    sent: sent === null ? null : { ...sent, job: await findJobOf(share, sent) },
  };
}

export async function toDetail(share: Share, state: UploadState, looking: Looking): Promise<UploadDetail> {
  return { ...(await toSummary(share, state, looking)), all: [...state.files] };
}

async function findJobOf(
  share: Share,
  { folder, at }: NonNullable<UploadState['sent']>,
): Promise<string | null> {
  const jobs = await share.openJobs();
  const from = Date.parse(at) - SKEW_MS;
  const found = jobs.find(({ record }) => record.folder === folder && Date.parse(record.createdAt) >= from);
  return found?.record.jobId ?? null;
}

/** An error of the share in words for whoever drops something on it; any other error as it is. */
function toDropProblem(error: unknown): unknown {
  const trouble = toShareError(error);
  switch (trouble?.code) {
    case undefined:
      return error;
    case 'share-full':
      return new ConsoleProblem(409, texts.drop.shareFull);
    case 'bad-request':
      return new ConsoleProblem(409, trouble.message);
    default:
      return new ConsoleProblem(503, texts.drop.shareSilent);
  }
}

export function throwDropProblem(error: unknown): never {
  throw toDropProblem(error);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** As people write it: `0.4 GB`. */
function toGigabytes(bytes: number): string {
  const giga = bytes / 1e9;
  if (giga >= 0.1) return `${giga.toFixed(1)} GB`;
  return `${(bytes / 1e6).toFixed(bytes >= 1e6 || bytes === 0 ? 0 : 1)} MB`;
}
