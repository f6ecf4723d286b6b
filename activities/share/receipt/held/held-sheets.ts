// Puts the sheet of each job of which documents are held, and nothing else is on its way, into `attention`;
// reads what people have corrected in it, and answers for those rows. All that is decided is on the share
// before it is done: another watcher, or the next start, goes on with it.
import { join } from 'node:path';
import { isGone } from '../../../host/file-trouble';
import { readSheet } from '../../../registers/sheet/read-sheet';
import { SheetError } from '../../../registers/sheet/sheet-error';
import { isThere } from '../../files/if-there';
import { isMissing } from '../../files/missing';
import type { OnNotOurs } from '../../files/own-marks';
import { comparePaths, nameOf } from '../../files/relative-path';
import { toShareError } from '../../files/share-error';
import { fromRoot, type ShareLayout } from '../../files/share-layout';
import { listJobs } from '../../jobs/job-book';
import { openJobPaths } from '../../jobs/job-record';
import type { KeptRegisters } from '../../jobs/kept-register';
import type { RegisterWords } from '../../register/find-job-register';
import { isDropped, NOTHING_CHANGED } from '../dropped-name';
import { guardSheet, readSeen } from '../guard-sheet';
import { makeSheetToCorrect, nameToCorrect } from '../job-sheets';
import { hash } from '../receipt-files';
import { describeKept } from '../settle-job';
import type { SheetNews } from '../sheet-news';
import { findDueSheets, Sightings } from '../sheet-sightings';
import { answerRows } from './answer-rows';
import { listBefore, toShown } from './corrected-before';
import { decideRows } from './decide-rows';
import { gatherHeld, type HeldState, readShown } from './gather-held';
import type { HeldBatches } from './held-batches';
import {
  type HeldMarks,
  noteAnswered,
  noteBatchAnswered,
  noteSaved,
  readHeldMarks,
  type SavedRows,
  wasRead,
} from './held-marks';
import { type KnownBatches, lookAtShown } from './known-batches';
import { isCalled, type JobOfSheet, NOTE, putOurs, removeHeldSheets, takeAwayNote } from './put-sheet';
import { findNoRoom, isJobFull, NO_ROOM } from './sheet-room';
import { inTime, toNote, withRefused } from './told-rows';

export interface HeldSheetsDeps {
  readonly layout: () => ShareLayout;
  readonly kept: KeptRegisters;
  readonly words: Pick<RegisterWords, 'synonyms' | 'emptyWord'>;
  readonly zone: string;
  readonly onNotOurs: OnNotOurs;
  readonly settleMs: number;
  /** Between two questions to the runs of a job. */
  readonly askMs: number;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
}

/** The runs of a job that stands as it stood are asked less and less often, but at least every so many ms. */
const ASK_AT_LEAST_MS = 60_000;

interface Looked {
  readonly atMs: number;
  readonly waitMs: number;
  /** A stamp of the receipts that it showed. */
  readonly shown: string;
  /** A hash of how it stood. */
  readonly stood: string;
  /** Whether the sheet for that lies where people correct it. */
  readonly isPut: boolean;
}

interface OpenSheetJob extends JobOfSheet {
  readonly marks: HeldMarks;
  readonly batches: HeldBatches;
}

interface SheetToDecide {
  readonly path: string;
  readonly bytes: Buffer;
  readonly tries: number;
  /** Whether the job has as many records as it may have. */
  readonly isFull: boolean;
}

export class HeldSheets {
  readonly #deps: HeldSheetsDeps;
  readonly #sightings: Sightings;
  #looked = new Map<string, Looked>();
  #known = new Map<string, KnownBatches>();

  constructor(deps: HeldSheetsDeps) {
    this.#deps = deps;
    this.#sightings = new Sightings(deps.settleMs, deps.monotonicMs);
  }

  /** One round. @throws ShareError of the whole share. */
  async takeUp(batches: HeldBatches): Promise<readonly SheetNews[]> {
    const layout = this.#deps.layout();
    const news: SheetNews[] = [];
    const [before, batchesOf] = [this.#looked, this.#known];
    this.#looked = new Map();
    this.#known = new Map();
    try {
      for (const { record, isClosed } of await listJobs(layout, this.#deps.onNotOurs)) {
        if (!isClosed || record.folder === null) continue;
        const known = before.get(record.jobId);
        if (known !== undefined) this.#looked.set(record.jobId, known);
        this.#known.set(record.jobId, batchesOf.get(record.jobId) ?? new Map());
        const paths = openJobPaths(layout, record.jobId);
        const path = fromRoot(layout.root, join(layout.attention, record.place));
        news.push(
          ...(await guardSheet(layout, path, () => this.#unlessEnded(layout, { record, paths }, batches))),
        );
      }
    } catch (error) {
      throw toShareError(error) ?? error;
    }
    return news;
  }

  /** A job that gets its receipt meanwhile needs no sheet. */
  async #unlessEnded(
    layout: ShareLayout,
    job: JobOfSheet,
    batches: HeldBatches,
  ): Promise<readonly SheetNews[]> {
    try {
      return await this.#see(layout, job, batches);
    } catch (error) {
      if (isGone(error) && (await isMissing(layout.fs, job.paths.folder, layout.jobs))) return [];
      throw error;
    }
  }

  async #see(layout: ShareLayout, job: JobOfSheet, batches: HeldBatches): Promise<readonly SheetNews[]> {
    const { onNotOurs, monotonicMs } = this.#deps;
    const marks = await readHeldMarks(layout, job.paths, onNotOurs);
    const open = { ...job, marks, batches };
    const news: SheetNews[] = [];
    for (const saved of marks.saved.filter(each => !marks.answered.has(each.sha256))) {
      news.push(...(await this.#answer(layout, open, saved)));
    }
    const { due, waiting } = marks.put.size === 0 ? NOTHING_DUE : await this.#findDue(layout, open);
    news.push(...waiting);
    const now = await lookAtShown(layout, job.paths, this.#known.get(job.record.jobId) ?? new Map());
    if (now === undefined) return news;
    const { stamp: shown } = now;
    const looked = this.#looked.get(job.record.jobId);
    const isNew = looked?.shown !== shown;
    const isTime = isNew || monotonicMs() >= looked.atMs + looked.waitMs;
    if (due.length === 0 && !isTime && news.length === 0) return news;
    const receipts = await readShown(layout, now.batchIds);
    if (receipts === undefined) return news;
    const state = await gatherHeld(receipts, batches);
    if (state === undefined) {
      this.#remember(job.record.jobId, { shown, stood: 'on the way', isPut: false });
      return news;
    }
    for (const path of due) news.push(...(await this.#read(layout, open, state, path)));
    if (due.length > 0) this.#looked.delete(job.record.jobId);
    // Where rows were answered, those documents go on first: the next round sees how the job stands then.
    else if (news.length === 0) news.push(...(await this.#put(layout, open, state, shown)));
    return news;
  }

  #remember(jobId: string, now: Omit<Looked, 'atMs' | 'waitMs'>): void {
    const before = this.#looked.get(jobId);
    const isSame = before?.stood === now.stood && before.isPut === now.isPut;
    const { askMs, monotonicMs } = this.#deps;
    const waitMs = isSame ? Math.min(2 * before.waitMs, ASK_AT_LEAST_MS) : askMs;
    this.#looked.set(jobId, { ...now, atMs: monotonicMs(), waitMs });
  }

  #findDue(layout: ShareLayout, { record: { register, place } }: OpenSheetJob) {
    const wanted = nameToCorrect(register?.path, []);
    const folder = join(layout.attention, place);
    const isSheet = (name: string) => isCalled(name, wanted) || isDropped(name);
    return findDueSheets(layout, folder, name => (isSheet(name) ? this.#sightings : undefined));
  }

  async #read(
    layout: ShareLayout,
    job: OpenSheetJob,
    state: HeldState,
    path: string,
  ): Promise<readonly SheetNews[]> {
    return await readSeen(layout, this.#sightings, path, async (bytes, tries) => {
      if (wasRead(job.marks, hash(bytes))) {
        this.#sightings.handled(path);
        return [];
      }
      const isFull = isJobFull(job.marks.saved);
      const decided = await this.#decide(layout, job, state, { path, bytes, tries, isFull });
      if (isFull) {
        const news = await this.#refuse(layout, job, decided);
        this.#sightings.handled(path);
        return news;
      }
      const isNew = await noteSaved(layout, job.paths, decided);
      this.#sightings.handled(path);
      return isNew ? await this.#answer(layout, job, decided) : [];
    });
  }

  /** Nothing is kept of such a sheet: it stays as it lies, and the note is the same for each. */
  async #refuse(
    layout: ShareLayout,
    job: OpenSheetJob,
    { sheet, rows, told }: SavedRows,
  ): Promise<readonly SheetNews[]> {
    if (rows.length + told.length === 0) return [];
    const note = toNote(fromRoot(layout.root, join(layout.attention, job.record.place)), [NO_ROOM], 0);
    await putOurs(layout, job, NOTE, note, job.marks);
    return [{ kind: 'told', path: sheet, told: [NO_ROOM] }];
  }

  async #decide(
    layout: ShareLayout,
    { record, paths, marks }: OpenSheetJob,
    state: HeldState,
    { path, bytes, tries, isFull }: SheetToDecide,
  ): Promise<SavedRows> {
    const { kept, words, now } = this.#deps;
    const { jobId, folder, register } = record;
    const nothing: SavedRows = {
      version: 1,
      jobId,
      sheet: path,
      sha256: hash(bytes),
      at: now().toISOString(),
      headers: [],
      rows: [],
      told: [],
    };
    if (folder === null) return nothing;
    const file = await readSheet(bytes, path).catch(error => {
      if (error instanceof SheetError && !(error.code === 'torn' && tries < 3)) return error;
      throw error;
    });
    if (file instanceof SheetError) return { ...nothing, told: [file.message] };
    const read = register && (await kept.read(layout, paths, register));
    const earlier = inTime(marks);
    const before = listBefore(earlier, marks.answered, path => isAskedAgain(state, `${folder}/${path}`));
    const decided = decideRows({ jobId, folder, register: read?.register, state, before, words }, file);
    const isNothing = decided.rows.length === 0 && decided.told.length === 0;
    const told = isNothing && isDropped(nameOf(path)) ? [NOTHING_CHANGED] : decided.told;
    const saved = { ...nothing, ...decided, told };
    const why = findNoRoom(saved, isFull);
    return why === undefined ? saved : { ...nothing, told: [why] };
  }

  /** Answers for the rows of a sheet: one just read, or one whose answers were not brought to their end. */
  async #answer(layout: ShareLayout, job: OpenSheetJob, saved: SavedRows): Promise<readonly SheetNews[]> {
    const { sheet, sha256, rows } = saved;
    const before = job.marks.batchesAnswered.filter(each => each.sha256 === sha256);
    const isDue = ({ batchId }: SavedRows['rows'][number]) => before.every(each => each.batchId !== batchId);
    const due = { ...saved, rows: rows.filter(isDue) };
    const { taken, ends, isLate } = await answerRows(due, job.record.project, job.batches);
    const news: SheetNews[] = taken === 0 ? [] : [{ kind: 'answered', path: sheet, rows: taken }];
    if (isLate) {
      for (const end of ends) await noteBatchAnswered(layout, job.paths, { version: 1, sha256, ...end });
      return [...news, { kind: 'waits', path: sheet, why: 'its batch cannot be asked just now' }];
    }
    const refused = [...before, ...ends]
      .flatMap(each => each.refused)
      .sort((one, other) => one.number - other.number);
    const told = [...saved.told, ...refused.map(({ number, why }) => `Row ${number}: ${why}`)];
    if (told.length > 0) {
      await putOurs(layout, job, NOTE, toNote(sheet, told, rows.length - refused.length), job.marks);
      news.push({ kind: 'told', path: sheet, told });
    }
    await noteAnswered(layout, job.paths, { version: 1, sha256, refused });
    return news;
  }

  /** Puts the sheet there as the job stands now; takes it away where nothing is held any more. */
  async #put(
    layout: ShareLayout,
    job: OpenSheetJob,
    state: HeldState,
    shown: string,
  ): Promise<readonly SheetNews[]> {
    const { record, marks } = job;
    const stood = hash(
      JSON.stringify([
        state.receipts.map(({ files }) => files),
        [...marks.answered.keys()].sort(comparePaths),
      ]),
    );
    const known = this.#looked.get(record.jobId);
    if (known?.stood === stood && known.isPut) {
      this.#remember(record.jobId, { ...known, shown });
      return [];
    }
    if (state.held.size === 0) {
      await removeHeldSheets(layout, job, [], this.#deps.onNotOurs);
      this.#remember(record.jobId, { shown, stood, isPut: true });
      return [];
    }
    const sheet = await this.#make(layout, job, state);
    const name = nameToCorrect(record.register?.path, []);
    const path = fromRoot(layout.root, join(layout.attention, record.place, name));
    const isPut = sheet === undefined || (await putOurs(layout, job, name, sheet, marks));
    await noteNotMade(layout, job, { path, isMade: sheet !== undefined });
    this.#remember(record.jobId, { shown, stood, isPut });
    return sheet === undefined ? [{ kind: 'told', path, told: [NOT_MADE] }] : [];
  }

  /** Undefined where it cannot be made. */
  async #make(layout: ShareLayout, job: OpenSheetJob, state: HeldState): Promise<Buffer | undefined> {
    const { kept, zone } = this.#deps;
    const { record, marks } = job;
    const folder = record.folder ?? '';
    const receipts = withRefused(state.receipts, marks, folder);
    const isAgain = (path: string) => isAskedAgain(state, `${folder}/${path}`);
    const before = [...listBefore(inTime(marks), marks.answered, isAgain)];
    const register = await describeKept(layout, job, kept, receipts);
    return await makeSheetToCorrect({
      record,
      ignored: [],
      receipts,
      register: register?.inSheet,
      zone,
      isSoFar: true,
      toFill: listToFill(state),
      corrected: new Map(before.filter(([path]) => state.held.has(`${folder}/${path}`)).map(toShown)),
    });
  }
}

/** Says that there is no sheet to correct, where no other note lies; takes that back once there is one. */
async function noteNotMade(
  layout: ShareLayout,
  job: OpenSheetJob,
  { path, isMade }: { readonly path: string; readonly isMade: boolean },
): Promise<void> {
  const { marks, record } = job;
  const note = [`${path} could not be made.`, NOT_MADE, ''].join('\r\n');
  if (isMade) {
    if (marks.put.has(hash(note))) await takeAwayNote(layout, record.place, note);
    return;
  }
  if (!(await isThere(layout.fs, join(layout.attention, record.place, NOTE))))
    await putOurs(layout, job, NOTE, note, marks);
}

function isAskedAgain({ held }: HeldState, path: string): boolean {
  return held.get(path)?.isAskedAgain === true;
}

/** What held documents wait for, as columns. */
function listToFill({ held }: HeldState): readonly string[] {
  const all = [...held.values()];
  const missing = all.flatMap(one => one.missing);
  const isAsked = all.some(({ question }) => question !== 'missing-values');
  return [...new Set([...missing, ...(isAsked ? ['Action'] : [])])];
}

const NOT_MADE =
  'The sheet in which held rows are corrected could not be made. Answer on the page for what is held.';

const NOTHING_DUE: { readonly due: readonly string[]; readonly waiting: readonly SheetNews[] } = {
  due: [],
  waiting: [],
};
