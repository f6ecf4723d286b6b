// Looks for receipts that people have corrected and saved where they came: in the folders of a job of which
// something was set apart. A sheet is read once it has stood still, and nobody has it open. All that is
// decided is on the share: another watcher, or the next start, goes on with it.
import { join } from 'node:path';
import { findMarked } from '../../../registers/corrections/marked-rows';
import { quote } from '../../../registers/register-fault';
import type { RegisterNames } from '../../../registers/register-name';
import { readSheet, sheetFormatOf } from '../../../registers/sheet/read-sheet';
import { SHEET_LIMITS } from '../../../registers/sheet/sheet-limits';
import type { FileHasher } from '../../../transfer/hashing/hash-file';
import { ifThere, isThere } from '../../files/if-there';
import type { OnNotOurs } from '../../files/own-marks';
import { inRealFolder } from '../../files/real-folder';
import { comparePaths, decodeName, nameOf } from '../../files/relative-path';
import { ShareError, toShareError } from '../../files/share-error';
import { Place } from '../../files/share-fs';
import { below, fromRoot, isBatchId, type ShareLayout } from '../../files/share-layout';
import { findJob } from '../../jobs/job-book';
import { finishedJobPaths, jobIdOf } from '../../jobs/job-record';
import type { KeptRegisters } from '../../jobs/kept-register';
import { isDropped, nameDropped } from '../dropped-name';
import { guardSheet, readSeen } from '../guard-sheet';
import { readHeldMarks, wasRead } from '../held/held-marks';
import { NOTE } from '../held/put-sheet';
import { findNoRoom, isJobFull } from '../held/sheet-room';
import { hash, writeBeside } from '../receipt-files';
import { readFinal } from '../settle-job';
import type { SheetNews } from '../sheet-news';
import { findDueSheets, Sightings } from '../sheet-sightings';
import { type Carried, carryCorrection, tellBeside } from './carry-correction';
import { type Correction, listCorrections, MOVING, writeCorrection } from './correction-record';
import { type DecideHow, decideCorrection, type FinishedJob, type SavedSheet } from './decide-correction';
import { findJobOfRows } from './job-of-rows';
import { readOwnReceipts } from './own-receipts';
import { type GivenFile, type Replaced, replaceFile } from './replace-file';
import {
  type DecidedAgain,
  decideAgain,
  type JobColumns,
  type RowAgain,
  type RowsNews,
  readColumns,
} from './rows-again';
import { TAKEN } from './take-file';
import { isCsvName, isOtherKind, isPlainName, tellUnread } from './unread-sheets';
import { noteWaiting } from './waiting-note';

export interface CorrectedSheetsDeps {
  readonly layout: () => ShareLayout;
  readonly kept: KeptRegisters;
  readonly hasher: FileHasher;
  readonly isNamed: RegisterNames;
  readonly readWords: DecideHow['readWords'];
  readonly onNotOurs: OnNotOurs;
  readonly settleMs: number;
  readonly monotonicMs: () => number;
}

/** What became of a sheet that a person gave by hand. */
export interface GivenSheet {
  /** For people. */
  readonly job: string;
  readonly jobId: string;
  /** Where it lies now, from the root of the share. */
  readonly path: string;
  readonly news: readonly SheetNews[];
}

/**
 * Two rounds of so many look at receipts for programs: whether one stands still is seen from one round to the
 * next, and in the others no file more is looked at than there are sheets.
 */
const CSV_EVERY = 12;

const READ_SOON =
  'others of its folder are still on their way, so it is read beside them; what was not taken is told in corrections.txt';
const GOES_BESIDE =
  'another process is bringing it on its way at the same time; what did not go is told in corrections.txt';
const READ_BEFORE = 'This sheet was read before, so that there was nothing to do.';

export class CorrectedSheets {
  readonly #deps: CorrectedSheetsDeps;
  readonly #sightings: Sightings;
  /** Of receipts for programs: each job has one or two, which must not crowd out the sheets. */
  readonly #ofCsv: Sightings;
  #round = 0;
  /** Those that wait, and of which people were told that they do. */
  readonly #toldWaiting = new Set<string>();

  constructor(deps: CorrectedSheetsDeps) {
    this.#deps = deps;
    this.#sightings = new Sightings(deps.settleMs, deps.monotonicMs);
    this.#ofCsv = new Sightings(deps.settleMs, deps.monotonicMs);
  }

  /** One round. @throws ShareError of the whole share. */
  async takeUp(): Promise<readonly SheetNews[]> {
    const layout = this.#deps.layout();
    const news: SheetNews[] = [];
    const isCsvSeen = this.#round % CSV_EVERY < 2;
    this.#round += 1;
    try {
      const names = (await ifThere(listFolders(layout, layout.corrections))) ?? [];
      // Taken files are handled with the correction's folder that they lie beside, as long as there is one.
      for (const name of names.filter(each => !isBeside(each, names))) {
        news.push(...(await guardSheet(layout, name, () => this.#goOn(layout, name))));
      }
      for (const place of await listFolders(layout, layout.attention)) {
        if (isBatchId(place) || !(await isFinishedJob(layout, place))) continue;
        // The same receipt lies in both.
        for (const base of [layout.attention, layout.done]) {
          const folder = join(base, place);
          const path = fromRoot(layout.root, folder);
          news.push(
            ...(await guardSheet(layout, path, () => this.#lookInto(layout, place, folder, isCsvSeen))),
          );
        }
      }
    } catch (error) {
      throw toShareError(error) ?? error;
    }
    return news;
  }

  /**
   * A sheet that a person gives by hand: it is saved where it would have been saved on the share, and read at
   * once. Undefined for one of no job that is known here.
   */
  async takeUpGiven(name: string, bytes: Buffer): Promise<GivenSheet | undefined> {
    const layout = this.#deps.layout();
    const marked = findMarked(await readSheet(bytes, name));
    const job = await findJobOfRows(layout, marked?.rows ?? [], this.#deps.onNotOurs);
    if (job === undefined) return undefined;
    const { record, paths } = job;
    const folder = join(layout.attention, record.place);
    const place = await inRealFolder(layout.fs, layout.root, folder, open =>
      writeBeside({ fs: layout.fs, folder: paths.folder }, new Place(open, nameDropped(name)), bytes),
    );
    const path = fromRoot(layout.root, join(folder, place.name.toString()));
    const given = { job: record.name, jobId: record.jobId, path };
    const finished = await this.#findFinished(layout, record.jobId);
    if (finished === undefined) return { ...given, news: [{ kind: 'waits', path, why: READ_SOON }] };
    const earlier = await listCorrections(layout, finished.paths, this.#deps.onNotOurs);
    if (earlier.some(each => each.sheetSha256 === hash(bytes)))
      return { ...given, news: [{ kind: 'told', path, told: [READ_BEFORE] }] };
    const how = { ...this.#deps, mayWait: false };
    const correction = await this.#decide(layout, finished, { path, bytes }, earlier, how);
    const news = await this.#carry(layout, finished, correction);
    // Another process was faster, and what it has brought on its way nobody has seen here.
    const isElsewhere = news.length === 0 && correction.folder !== undefined;
    return { ...given, news: isElsewhere ? [{ kind: 'waits', path, why: GOES_BESIDE }] : news };
  }

  /** Rows of a finished job, sent anew by hand. Undefined for a job without a folder or a receipt. */
  async sendAgain(
    jobId: string,
    asked: { readonly wanted: readonly RowAgain[]; readonly by: string },
  ): Promise<readonly RowsNews[] | undefined> {
    const layout = this.#deps.layout();
    const job = await this.#findFinished(layout, jobId);
    const decided = job && (await decideAgain(layout, job, asked, this.#deps));
    if (job === undefined || decided === undefined) return undefined;
    const { correction, waiting } = decided;
    const kept =
      correction.folder === undefined ? correction : await this.#keepByHand(layout, job, correction);
    return [...(await this.#carryAgain(layout, job, kept, decided)), ...toWaitingNews(waiting)];
  }

  /**
   * A mended file in the place of one that was set apart; asked again, it says what became of it. Without
   * `given` it only says that. Undefined where there is nothing to say.
   */
  async replaceFile(jobId: string, upload: string, given?: GivenFile): Promise<Replaced | undefined> {
    const layout = this.#deps.layout();
    const job = await this.#findFinished(layout, jobId);
    if (job === undefined) return undefined;
    return await replaceFile(
      layout,
      job,
      { upload, given },
      {
        ...this.#deps,
        keep: correction => this.#keepByHand(layout, job, correction),
        carry: correction => this.#carry(layout, job, correction),
      },
    );
  }

  /** What `sendAgain` sends of each row where it is given no other values. */
  async readColumns(jobId: string): Promise<JobColumns | undefined> {
    const layout = this.#deps.layout();
    const job = await this.#findFinished(layout, jobId);
    return job && (await readColumns(layout, job, this.#deps));
  }

  /** Goes on with a correction that was decided, and not brought to its end. */
  async #goOn(layout: ShareLayout, folder: string): Promise<readonly SheetNews[]> {
    const job = await this.#findFinished(layout, folder.slice(0, folder.indexOf(' ')));
    if (job === undefined) return [];
    const corrections = await listCorrections(layout, job.paths, this.#deps.onNotOurs);
    const correction = corrections.find(each =>
      ['', MOVING, TAKEN].some(ending => folder === `${each.folder}${ending}`),
    );
    return correction === undefined ? [] : await this.#carry(layout, job, correction);
  }

  async #lookInto(
    layout: ShareLayout,
    place: string,
    folder: string,
    isCsvSeen: boolean,
  ): Promise<readonly SheetNews[]> {
    const { due, waiting } = await findDueSheets(layout, folder, name =>
      isCsvName(name) && !isCsvSeen ? undefined : this.#sightingsOf(name),
    );
    const news = [...waiting];
    for (const path of due) {
      news.push(...(await guardSheet(layout, path, () => this.#read(layout, place, path))));
    }
    return news;
  }

  #sightingsOf(name: string): Sightings | undefined {
    if (isCsvName(name)) return this.#ofCsv;
    return isSheetName(name) || isOtherKind(name) ? this.#sightings : undefined;
  }

  async #read(layout: ShareLayout, place: string, path: string): Promise<readonly SheetNews[]> {
    const { kept, isNamed, readWords, onNotOurs } = this.#deps;
    const job = await this.#findFinished(layout, jobIdOf(place));
    if (job === undefined) return [];
    if (isCsvName(nameOf(path)) || isOtherKind(nameOf(path)))
      return await this.#readUnread(layout, job, path);
    const isOtherName =
      !isDropped(nameOf(path)) && isPlainName(nameOf(path)) !== (job.record.register === undefined);
    return await readSeen(layout, this.#sightings, path, async (bytes, tries) => {
      const earlier = await listCorrections(layout, job.paths, onNotOurs);
      const sha256 = hash(bytes);
      const isDone = isDropped(nameOf(path))
        ? wasRead(await readHeldMarks(layout, job.paths, onNotOurs), sha256)
        : (await readOwnReceipts(layout, job.paths, onNotOurs)).has(sha256);
      if (isDone) {
        this.#sightings.handled(path);
        return [];
      }
      const known = earlier.find(each => each.sheetSha256 === sha256);
      const how = { kept, isNamed, readWords, mayWait: tries < 3, isOtherName };
      const correction = known ?? (await this.#decide(layout, job, { path, bytes }, earlier, how));
      // One that was handled before is not told of again; what is left of it to do is found by its folder.
      const news = known === undefined ? await this.#carry(layout, job, correction) : [];
      this.#sightings.handled(path);
      return news;
    });
  }

  /** Of a sheet from which corrections are not read: whoever has saved it is told so, once. */
  async #readUnread(layout: ShareLayout, job: FinishedJob, path: string): Promise<readonly SheetNews[]> {
    const { onNotOurs } = this.#deps;
    const isCsv = isCsvName(nameOf(path));
    const sightings = isCsv ? this.#ofCsv : this.#sightings;
    // Of a very large one is not known whether it is as we wrote it.
    if ((sightings.of(path)?.facts.sizeBytes ?? 0) > SHEET_LIMITS.packedBytes) {
      sightings.handled(path);
      return [];
    }
    return await readSeen(layout, sightings, path, async bytes => {
      const own = await readOwnReceipts(layout, job.paths, onNotOurs);
      const isOurs = own.has(hash(bytes)) || (isCsv && own.size === 0);
      const news = isOurs ? [] : await this.#tellUnread(layout, job, { path, bytes });
      sightings.handled(path);
      return news;
    });
  }

  async #tellUnread(layout: ShareLayout, job: FinishedJob, sheet: SavedSheet): Promise<readonly SheetNews[]> {
    const { kept, isNamed, readWords, onNotOurs } = this.#deps;
    const sha256 = hash(sheet.bytes);
    const earlier = await listCorrections(layout, job.paths, onNotOurs);
    const unread = await tellUnread(layout, job, sheet.path, onNotOurs);
    if (earlier.some(each => each.sheetSha256 === sha256 || each.told.includes(unread))) return [];
    const how = { kept, isNamed, readWords, mayWait: false, unread };
    return await this.#carry(layout, job, await this.#decide(layout, job, sheet, earlier, how));
  }

  async #decide(
    layout: ShareLayout,
    job: FinishedJob,
    sheet: SavedSheet,
    earlier: readonly Correction[],
    how: DecideHow,
  ): Promise<Correction> {
    const receipts = await readFinal(layout, job.paths);
    if (receipts === undefined) throw new ShareError('unreadable-now', 'A receipt of the job is not there.');
    const decided = await decideCorrection(layout, job, sheet, receipts, earlier, how);
    const isFull = isJobFull(earlier);
    const correction = withinRoom(decided, isFull);
    if (correction.folder === undefined) await tellBeside(layout, job, correction, correction.told);
    return isFull ? correction : await this.#keep(layout, job, correction);
  }

  async #keepByHand(layout: ShareLayout, job: FinishedJob, decided: Correction): Promise<Correction> {
    const earlier = await listCorrections(layout, job.paths, this.#deps.onNotOurs);
    const isFull = isJobFull(earlier);
    const correction = withinRoom(decided, isFull);
    return isFull ? correction : await this.#keep(layout, job, correction);
  }

  /** @returns the one that counts: of several at one time, the one that was written first. */
  async #keep(layout: ShareLayout, job: FinishedJob, correction: Correction): Promise<Correction> {
    const own = correction.folder && join(layout.corrections, correction.folder);
    // Made before the record that names it: once that is written, a missing folder is one that went its way.
    if (own !== undefined) await layout.fs.makeFolders(layout.own, own);
    if (await writeCorrection(layout, job.paths, correction)) return correction;
    if (own !== undefined) await layout.fs.removeFolder(own);
    const all = await listCorrections(layout, job.paths, this.#deps.onNotOurs);
    return (
      all.find(each => each.sheetSha256 === correction.sheetSha256) ?? { ...correction, rows: [], told: [] }
    );
  }

  async #carry(layout: ShareLayout, job: FinishedJob, correction: Correction): Promise<readonly SheetNews[]> {
    const { sheet, folder, told } = correction;
    if (folder === undefined) return toNews(sheet, 0, told);
    const carried = await this.#bring(layout, job, correction, folder);
    if (carried.kind === 'waits') return [toWaits(job, correction)];
    return carried.kind === 'over' ? [] : toNews(sheet, carried.went.length, carried.told);
  }

  /** Of rows that were sent again by hand, whoever asks is told of each, also where others carried them. */
  async #carryAgain(
    layout: ShareLayout,
    job: FinishedJob,
    correction: Correction,
    { asked }: Pick<DecidedAgain, 'asked'>,
  ): Promise<readonly RowsNews[]> {
    const { sheet: path, folder, rows, told: refused } = correction;
    if (folder === undefined) return toNews(path, 0, refused);
    const carried = await this.#bring(layout, job, correction, folder);
    if (carried.kind === 'waits') {
      const wanted = asked.map(({ row }) => row);
      return [{ ...toWaits(job, correction), wanted }, ...toNews(path, 0, refused)];
    }
    const went = carried.kind === 'over' ? [] : carried.went;
    const isAll =
      carried.kind === 'carried' && went.length + carried.told.length === rows.length + refused.length;
    const left = isAll ? { told: carried.told, gone: [] } : await lookAtLeft(layout, job, correction, went);
    const wantedOf = (paths: readonly string[]) =>
      asked.filter(each => paths.includes(each.path)).map(({ row }) => row);
    const gone = left.gone.map(each => each.path);
    return [
      ...toNews(path, went.length, left.told).map(each =>
        each.kind === 'taken' ? { ...each, wanted: wantedOf(went) } : each,
      ),
      ...(gone.length === 0
        ? []
        : [{ kind: 'gone' as const, path, told: left.gone.map(tellGone), wanted: wantedOf(gone) }]),
    ];
  }

  async #bring(
    layout: ShareLayout,
    job: FinishedJob,
    correction: Correction,
    folder: string,
  ): Promise<Carried> {
    const { kept, hasher, isNamed, onNotOurs } = this.#deps;
    const { register } = job.record;
    const read = register && (await kept.read(layout, job.paths, register));
    const carried = await carryCorrection(layout, job, correction, {
      hasher,
      dialect: read?.file.csv,
      onNotOurs,
      isNamed,
    });
    if (carried.kind === 'waits') {
      if (!this.#toldWaiting.has(folder)) await noteWaiting(layout, job, correction);
      this.#toldWaiting.add(folder);
    } else this.#toldWaiting.delete(folder);
    return carried;
  }

  async #findFinished(layout: ShareLayout, jobId: string): Promise<FinishedJob | undefined> {
    const job = await findJob(layout, jobId, this.#deps.onNotOurs);
    return job?.paths.folder === finishedJobPaths(layout, jobId).folder ? job : undefined;
  }
}

/** What cannot be kept is refused: the record of it would have been the only one to go on with. */
function withinRoom(correction: Correction, isFull: boolean): Correction {
  const why = findNoRoom(correction, isFull);
  if (why === undefined) return correction;
  const { folder: _folder, ...rest } = correction;
  return { ...rest, headers: [], rows: [], told: [why] };
}

function toWaits({ record }: FinishedJob, { sheet }: Correction): SheetNews {
  return { kind: 'waits', path: sheet, why: `something else is in the drop folder under ${record.name}` };
}

/** One for each of what was asked before. */
function toWaitingNews(waiting: DecidedAgain['waiting']): readonly RowsNews[] {
  const bySheet = new Map<string, RowsNews & { readonly wanted: RowAgain[] }>();
  for (const { row, earlier } of waiting) {
    const { sheet: path, why } = earlier;
    const known = bySheet.get(path);
    if (known === undefined) bySheet.set(path, { kind: 'waits', path, why, wanted: [row] });
    else known.wanted.push(row);
  }
  return [...bySheet.values()];
}

type Row = Correction['rows'][number];

/**
 * The rows that another process has handled: what lies there still did not go, and why, that one has told
 * people beside it. What lies there no more may have gone with something else that was asked for it at the
 * same time, or a person has taken it away: that it went is said of no row that nobody saw go.
 */
async function lookAtLeft(
  { fs, attention }: ShareLayout,
  { record }: FinishedJob,
  { rows, told: refused }: Correction,
  went: readonly string[],
): Promise<{ readonly told: readonly string[]; readonly gone: readonly Row[] }> {
  const told = [...refused];
  const gone: Row[] = [];
  for (const row of rows) {
    const { path, number } = row;
    if (went.includes(path)) continue;
    if (await isThere(fs, below(join(attention, record.place), path)))
      told.push(`Row ${number}: ${quote(path)} lies there still. Why is told in ${NOTE} of its folder.`);
    else gone.push(row);
  }
  return { told, gone };
}

function tellGone({ path, number }: Row): string {
  return `Row ${number}: ${quote(path)} does not lie there any more: another process took this on. Where it did not go with what was asked here, ${NOTE} of its folder says why.`;
}

function toNews(path: string, rows: number, told: readonly string[]): readonly SheetNews[] {
  return [
    ...(rows > 0 ? [{ kind: 'taken' as const, path, rows }] : []),
    ...(told.length > 0 ? [{ kind: 'told' as const, path, told }] : []),
  ];
}

function isBeside(name: string, names: readonly string[]): boolean {
  const base = name.slice(0, -TAKEN.length);
  return name.endsWith(TAKEN) && (names.includes(base) || names.includes(`${base}${MOVING}`));
}

async function isFinishedJob(layout: ShareLayout, place: string): Promise<boolean> {
  return await isThere(layout.fs, finishedJobPaths(layout, jobIdOf(place)).record);
}

async function listFolders({ fs }: ShareLayout, folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of fs.entries(folder)) {
    const name = decodeName(entry.name);
    if (name !== undefined && (entry.kind === 'folder' || entry.kind === 'unknown')) names.push(name);
  }
  return names.sort(comparePaths);
}

/** Whether a sheet is named like one that people correct. Receipts so far, and CSV of a batch, are not. */
function isSheetName(name: string): boolean {
  if (isDropped(name) || isPlainName(name)) return true;
  if (!name.startsWith('receipt-') || sheetFormatOf(name) === undefined) return false;
  return !name.startsWith('receipt-so-far') && !isCsvName(name);
}
