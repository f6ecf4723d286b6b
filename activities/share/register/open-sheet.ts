// Reads a sheet where other people write as well: only as it was seen, and never one that is too large.
import { join } from 'node:path';
import { codeOf, hasCode } from '../../host/error-code';
import { isBusy, type SystemCode } from '../../host/file-trouble';
import { linkedSheet, lockedSheet, tooLargeSheet, tornSheet } from '../../registers/sheet/sheet-error';
import { lookIfThere, openIfThere } from '../files/if-there';
import { judgeNames } from '../files/only-name';
import { lastNameOf, parentOf, requireInPlace } from '../files/open-folder';
import { placeOf, type RelativePath } from '../files/relative-path';
import { isFileError, toShareError } from '../files/share-error';
import { type FileFacts, Place } from '../files/share-fs';
import { KEPT_REGISTER, type ShareLayout } from '../files/share-layout';

/** A file as it was seen, below a folder of the share. */
export interface SeenFile extends RelativePath {
  readonly facts: Pick<FileFacts, 'sizeBytes' | 'mtimeNs'>;
}

type Shared = Pick<ShareLayout, 'fs' | 'root'>;
/** `jobs`: absent where none are kept, as in a folder that is only tried. */
type WithJobs = Shared & Partial<Pick<ShareLayout, 'jobs'>>;

/**
 * @throws SheetError too-large for more than `mostBytes`, locked, and torn when it is not as it was seen;
 * ShareError of the whole share.
 */
export async function openSheetFile(
  layout: Shared,
  base: string,
  file: SeenFile,
  mostBytes: number,
): Promise<Buffer> {
  return await openSheet(layout, base, file, mostBytes, async () => undefined);
}

/**
 * As `openSheetFile`, for what may be a register and still lies where others can link: its cells come back in
 * a receipt, for all to read.
 * @throws SheetError linked-twice for a file that has another name, unless that is the one that a job keeps:
 * a process that dies while it moves a register leaves it under both.
 */
export async function openRegisterFile(
  layout: WithJobs,
  base: string,
  file: SeenFile,
  mostBytes: number,
): Promise<Buffer> {
  return await openSheet(layout, base, file, mostBytes, async (place, opened) => {
    const names = await judgeNames(layout.fs, place, opened);
    if (names === 'only-name') return;
    if (names === 'exchanged') throw tornSheet();
    if (opened.links > 2 || !(await isKept(layout, place, opened))) throw linkedSheet();
  });
}

/** Whether a job that has no receipt yet keeps it: nobody else can put a name there. */
async function isKept({ fs, jobs }: WithJobs, place: Place, opened: FileFacts): Promise<boolean> {
  if (jobs === undefined) return false;
  for await (const { name } of fs.entries(jobs)) {
    const kept = join(jobs, name.toString('utf8'), KEPT_REGISTER, place.name.toString('utf8'));
    if ((await lookIfThere(fs, kept))?.identity === opened.identity) return true;
  }
  return false;
}

async function openSheet(
  layout: Shared,
  base: string,
  file: SeenFile,
  mostBytes: number,
  check: (place: Place, opened: FileFacts) => Promise<void>,
): Promise<Buffer> {
  if (file.facts.sizeBytes > mostBytes) {
    throw tooLargeSheet(`The sheet has more than ${Math.floor(mostBytes / 1024 ** 2)} MB`);
  }
  const path = placeOf(base, file);
  const folder = await openIfThere(layout.fs, layout.root, parentOf(path));
  if (folder === undefined) throw tornSheet();
  try {
    const place = new Place(folder, lastNameOf(path));
    const opened: FileFacts[] = [];
    const bytes = await layout.fs.read(place, mostBytes, facts => void opened.push(facts));
    await requireInPlace(place);
    for (const facts of opened) await check(place, facts);
    const now = await layout.fs.look(place);
    const { sizeBytes, mtimeNs } = file.facts;
    if (now.kind !== 'file' || bytes.length !== sizeBytes || now.mtimeNs !== mtimeNs) throw tornSheet();
    return bytes;
  } catch (error) {
    if (isBusy(error)) throw lockedSheet(error);
    if (isOfFile(error)) throw tornSheet(error);
    throw error;
  } finally {
    await folder.close();
  }
}

/** One file that cannot be read must not hold back all others for ever. EIO may be one bad block of it. */
function isOfFile(error: unknown): boolean {
  if (isFileError(error) || hasCode<SystemCode>(error, 'EIO')) return true;
  return toShareError(error) === undefined && codeOf(error)?.startsWith('E') === true;
}
