// A corrected sheet that is dropped by itself, loose or in a folder with nothing else, is no job: it is moved
// beside the sheet of its own job, where it is read as one that was saved there. Its rows say which job that
// is. Nothing of it is decided here: a crash right after the move leaves a saved sheet like any other.
import { join } from 'node:path';
import { keepFew } from '../../../host/keep-few';
import { findMarked } from '../../../registers/corrections/marked-rows';
import { matchFiles } from '../../../registers/match-files';
import { readSheet, sheetFormatOf } from '../../../registers/sheet/read-sheet';
import { SheetError } from '../../../registers/sheet/sheet-error';
import { SHEET_LIMITS } from '../../../registers/sheet/sheet-limits';
import type { DropEntry } from '../../drop/scan-drop';
import { openIfThere } from '../../files/if-there';
import { finishMove, moveFile } from '../../files/move-file';
import { lastNameOf, parentOf } from '../../files/open-folder';
import type { OnNotOurs } from '../../files/own-marks';
import { inRealFolder } from '../../files/real-folder';
import { nameOf, placeOf } from '../../files/relative-path';
import { describeTrouble } from '../../files/share-error';
import { Place } from '../../files/share-fs';
import { fromRoot, type ShareLayout } from '../../files/share-layout';
import { openSheetFile } from '../../register/open-sheet';
import { nameDropped } from '../dropped-name';
import { readHeldMarks, wasRead } from '../held/held-marks';
import { NOTE, putOurs } from '../held/put-sheet';
import { toNote } from '../held/told-rows';
import { hash } from '../receipt-files';
import { isOpenElsewhere, listNames, Sightings } from '../sheet-sightings';
import { listCorrections } from './correction-record';
import type { FinishedJob } from './decide-correction';
import { findJobOfRows } from './job-of-rows';

/** A sheet of a job that was dropped by itself. Both paths are from the root of the share. */
export interface DroppedSheet {
  /** Below the drop folder. */
  readonly path: string;
  readonly sheet: string;
  /** Where it lies now; absent while it stays for a time. */
  readonly movedTo?: string;
  /** Why it stays, if there is anything to tell of that. */
  readonly why?: string;
  /** What was thrown, where it stays for that. */
  readonly error?: unknown;
}

export interface DroppedSheetsDeps {
  readonly layout: () => ShareLayout;
  readonly onNotOurs: OnNotOurs;
  readonly settleMs: number;
  readonly monotonicMs: () => number;
}

/** What is in the names of our sheets, whatever a person has added to them. */
const USUAL_NAMES = /receipt|to-correct/i;
/** If there are more sheets than this, only those of usual names are opened: others may be calculations. */
const MOST_OPENED = 5;
/** How many sheets are read in one round; others come with the next. */
const MOST_IN_ONE_ROUND = 20;
const MOST_REMEMBERED = 10_000;
/** How often a sheet of a usual name is waited for that is still being saved. */
const MOST_TRIES = 3;
const READ_BEFORE = 'This sheet was read before, or is as it came, so that there was nothing to do.';

/** A sheet, and the job that its rows belong to. */
interface ReadSheet {
  readonly bytes: Buffer;
  readonly job: FinishedJob;
}

export class DroppedSheets {
  readonly #deps: DroppedSheetsDeps;
  readonly #sightings: Sightings;
  /** By path, for sheets that lay alone: how each looked (size and time), and whether it is one of ours. */
  readonly #known = new Map<string, { readonly seen: string; readonly isOurs: boolean }>();

  constructor(deps: DroppedSheetsDeps) {
    this.#deps = deps;
    this.#sightings = new Sightings(deps.settleMs, deps.monotonicMs);
  }

  /**
   * @param entries files that would be claimed together.
   * @param isQuiet whether they may be moved now: nothing more comes to them.
   * @returns those of them that are sheets of jobs of this share, and name none of the others.
   * @throws ShareError of the whole share.
   */
  async takeUp(entries: readonly DropEntry[], isQuiet: boolean): Promise<readonly DroppedSheet[]> {
    const layout = this.#deps.layout();
    const sheets = entries.filter(isSheet);
    const usual = sheets.filter(({ path }) => USUAL_NAMES.test(nameOf(path)));
    const looked = sheets.length <= MOST_OPENED ? sheets : usual;
    const paths = entries.flatMap(({ path, bytes }) => (bytes === undefined ? [path] : []));
    const found: DroppedSheet[] = [];
    for (const [at, entry] of looked.entries()) {
      const one =
        at < MOST_IN_ONE_ROUND
          ? await this.#take(layout, entry, paths, isQuiet)
          : toWaiting(layout, entry, 'others are read first');
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  /** Undefined for one that is to be claimed like any other file. */
  async #take(
    layout: ShareLayout,
    entry: DropEntry,
    paths: readonly string[],
    isQuiet: boolean,
  ): Promise<DroppedSheet | undefined> {
    const seen = `${entry.sizeBytes} ${entry.mtimeNs}`;
    const known = this.#known.get(entry.path);
    const isSame = known?.seen === seen;
    if (isSame && !known.isOurs) return undefined;
    try {
      // While it waits it is asked for every second: so it is not read anew each time.
      const waits = isSame && paths.length === 1 ? await this.#findWait(layout, entry, isQuiet) : undefined;
      if (waits !== undefined) return waits;
      const read = await this.#read(layout, entry, paths);
      // Beside others it may be none of ours only because it names them, and they may be gone the next time.
      if (paths.length === 1) this.#remember(entry.path, { seen, isOurs: read !== undefined });
      if (read === undefined) return undefined;
      return (await this.#findWait(layout, entry, isQuiet)) ?? (await this.#move(layout, entry, read));
    } catch (error) {
      if (error instanceof SheetError) {
        const waiting = this.#afterFault(layout, entry, error);
        if (waiting === undefined) this.#remember(entry.path, { seen, isOurs: false });
        return waiting;
      }
      const why = describeTrouble(error);
      await layout.fs.look(layout.root);
      // Somebody has it open, or it may not be moved: all else that was dropped goes on.
      return { ...toWaiting(layout, entry, why), error };
    }
  }

  /** Why a sheet of ours waits; undefined where it may be moved now. */
  async #findWait(
    layout: ShareLayout,
    entry: DropEntry,
    isQuiet: boolean,
  ): Promise<DroppedSheet | undefined> {
    if (!isQuiet) return toWaiting(layout, entry);
    const isOpen = isOpenElsewhere(nameOf(entry.path), await listBeside(layout, entry));
    const sight = this.#sightings.note(entry.path, entry, isOpen);
    return isOpen && sight !== 'due' ? toWaiting(layout, entry, 'it is open in a program') : undefined;
  }

  /** What cannot be read is no sheet of ours; one of our names is waited for, as it may be being saved. */
  #afterFault(
    layout: ShareLayout,
    entry: DropEntry,
    { code, message }: SheetError,
  ): DroppedSheet | undefined {
    const mayPass = code === 'torn' || code === 'locked';
    if (!mayPass || !USUAL_NAMES.test(nameOf(entry.path))) return undefined;
    const sight = this.#sightings.note(entry.path, entry, false);
    if (sight === 'due') this.#sightings.again(entry.path);
    const tries = this.#sightings.of(entry.path)?.tries ?? 0;
    return tries >= MOST_TRIES ? undefined : toWaiting(layout, entry, message);
  }

  /** Undefined where its rows are of no job that is known here, or name files that came with it. */
  async #read(
    layout: ShareLayout,
    entry: DropEntry,
    paths: readonly string[],
  ): Promise<ReadSheet | undefined> {
    const seen = { path: entry.path, facts: entry };
    const bytes = await openSheetFile(layout, layout.drop, seen, SHEET_LIMITS.packedBytes);
    const { rows = [] } = findMarked(await readSheet(bytes, entry.path)) ?? {};
    if (rows.every(({ mark }) => mark === undefined)) return undefined;
    const texts = new Set(rows.flatMap(({ cells }) => cells.map(({ text }) => text)));
    const named = matchFiles(
      [...texts].map((file, at) => ({ number: at + 1, file })),
      paths.filter(path => path !== entry.path),
      '',
    );
    if (named.unlisted.length < paths.length - 1) return undefined;
    const job = await findJobOfRows(layout, rows, this.#deps.onNotOurs);
    return job && { bytes, job };
  }

  async #move(
    layout: ShareLayout,
    entry: DropEntry,
    { bytes, job }: ReadSheet,
  ): Promise<DroppedSheet | undefined> {
    const { fs, root } = layout;
    const path = placeOf(layout.drop, entry);
    const sheet = fromRoot(root, path.toString());
    const base = join(layout.attention, job.record.place);
    const name = nameDropped(nameOf(entry.path));
    const drop = await openIfThere(fs, root, parentOf(path));
    if (drop === undefined) return undefined;
    try {
      const from = new Place(drop, lastNameOf(path));
      return await inRealFolder(fs, root, base, async folder => {
        const to = new Place(folder, name);
        const movedTo = fromRoot(root, join(base, name));
        // A crash has cut this move in the middle: the sheet may have been read there since.
        if (await finishMove(fs, from, to)) return { path: entry.path, sheet, movedTo };
        await this.#tellIfRead(layout, job, sheet, hash(bytes));
        const moved = await moveFile(fs, from, to, { isOfPeople: true });
        if (moved === undefined) return undefined;
        await fs.syncFolder(new Place(folder, '.'));
        const { kind, sizeBytes, mtimeNs } = await fs.look(moved);
        if (kind === 'file' && sizeBytes === entry.sizeBytes && mtimeNs === entry.mtimeNs) {
          return { path: entry.path, sheet, movedTo: fromRoot(root, join(base, moved.name.toString())) };
        }
        // Saved anew, or exchanged, in the moment of its move.
        await moveFile(fs, moved, from, { isDrop: true });
        return toWaiting(layout, entry, 'it is being saved');
      });
    } finally {
      await drop.close();
    }
  }

  /** Tells people, if this sheet was read before: whoever drops it once more is to know that. */
  async #tellIfRead(layout: ShareLayout, job: FinishedJob, sheet: string, sha256: string): Promise<void> {
    const { onNotOurs } = this.#deps;
    const marks = await readHeldMarks(layout, job.paths, onNotOurs);
    const corrections = await listCorrections(layout, job.paths, onNotOurs);
    const isRead = wasRead(marks, sha256) || corrections.some(({ sheetSha256 }) => sheetSha256 === sha256);
    if (isRead) await putOurs(layout, job, NOTE, toNote(sheet, [READ_BEFORE], 0), marks);
  }

  #remember(path: string, as: { readonly seen: string; readonly isOurs: boolean }): void {
    keepFew(this.#known, path, as, MOST_REMEMBERED);
  }
}

function isSheet({ kind, path, bytes }: DropEntry): boolean {
  return kind === 'file' && bytes === undefined && sheetFormatOf(path) !== undefined;
}

async function listBeside({ fs, root, drop }: ShareLayout, entry: DropEntry): Promise<readonly string[]> {
  const folder = await openIfThere(fs, root, parentOf(placeOf(drop, entry)));
  if (folder === undefined) return [];
  try {
    return await listNames(fs, folder);
  } finally {
    await folder.close();
  }
}

function toWaiting(layout: ShareLayout, { path }: DropEntry, why?: string): DroppedSheet {
  const sheet = fromRoot(layout.root, join(layout.drop, path));
  return { path, sheet, ...(why === undefined ? {} : { why }) };
}
