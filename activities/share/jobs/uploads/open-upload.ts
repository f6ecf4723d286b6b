// One upload: what of it has come, and its end. When all its files are there, `whole/` becomes the job's
// folder in the drop folder, by one rename. So the watcher never meets half a file or half a job.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isTaken, troubleOf } from '../../../host/file-trouble';
import { isThere, openIfThere, unlinkIfThere } from '../../files/if-there';
import { requireInPlace } from '../../files/open-folder';
import { NOT_OURS, readMark, toMarkText } from '../../files/own-marks';
import { inRealFolder, syncFolders } from '../../files/real-folder';
import { folderOf, nameOf } from '../../files/relative-path';
import { ShareError } from '../../files/share-error';
import { Place } from '../../files/share-fs';
import { writeOver } from '../../files/write-whole';
import { namePlaces } from '../name-place';
import { type ByteSource, UploadParts } from './upload-parts';
import { folderOfUpload, type UploadDeps } from './upload-place';
import {
  isBy,
  type ReplacedDocument,
  SENT,
  type SentRecord,
  toRecordFiles,
  UPLOAD,
  type Uploader,
  type UploadFile,
  type UploadPlan,
  type UploadRecord,
} from './upload-record';
import { UploadTests } from './upload-tests';

export interface UploadState {
  readonly id: string;
  readonly name: string;
  readonly by: string;
  readonly byId: string | undefined;
  readonly begunAt: string;
  readonly files: readonly (UploadFile & { readonly doneBytes: number })[];
  /** Its one file comes in the place of this document; undefined for a job. */
  readonly replaces: ReplacedDocument | undefined;
  /** Under which name it went to the drop folder, and when; null while it is coming. */
  readonly sent: { readonly folder: string; readonly at: string } | null;
}

export class OpenUpload {
  readonly id: string;
  readonly tests: UploadTests;
  readonly #deps: UploadDeps;
  readonly #record: UploadRecord;
  readonly #files: readonly UploadFile[];
  readonly #parts: UploadParts;
  #sent: SentRecord | undefined;
  #isGivenUp = false;
  #ending: Promise<unknown> = Promise.resolve();

  private constructor(id: string, record: UploadRecord, deps: UploadDeps) {
    this.id = id;
    this.tests = new UploadTests(id, deps);
    this.#record = record;
    this.#deps = deps;
    this.#files = record.files.map(([path, sizeBytes, modifiedMs]) => ({ path, sizeBytes, modifiedMs }));
    this.#parts = new UploadParts(id, this.#files, deps);
  }

  /** Undefined when there is none of ours. */
  static async open(id: string, deps: UploadDeps): Promise<OpenUpload | undefined> {
    const { fs, seals } = deps.layout();
    const path = join(folderOfUpload(deps, id), 'upload.json');
    const record = await readMark(fs, seals, UPLOAD, path, id, deps.onNotOurs);
    if (record === undefined || record === NOT_OURS) return undefined;
    const upload = new OpenUpload(id, record, deps);
    await upload.#findWhatIsThere();
    return upload;
  }

  get state(): UploadState {
    const { name, by, byId, begunAt, replaces } = this.#record;
    return {
      id: this.id,
      name,
      by,
      byId,
      begunAt,
      replaces,
      files: this.#files.map((file, index) => ({ ...file, doneBytes: this.#doneBytes(index) })),
      sent: this.#sent === undefined ? null : { folder: this.#sent.folder, at: this.#sent.at },
    };
  }

  /** Whether it was begun by this person with these files: a second request has then lost its response. */
  isOf(plan: UploadPlan, by: Uploader): boolean {
    const { name, files, replaces } = this.#record;
    return (
      isBy(this.#record, by) &&
      name === plan.name &&
      isDeepStrictEqual(replaces, plan.replaces) &&
      isDeepStrictEqual([...files], [...toRecordFiles(plan)])
    );
  }

  /** Where the next byte of a file goes. @throws ShareError `bad-request` where there is no such file. */
  async lookAt(index: number): Promise<{ readonly sizeBytes: number; readonly doneBytes: number }> {
    const { sizeBytes } = this.#file(index);
    if (this.#sent === undefined) await this.#parts.lookAt(index);
    return { sizeBytes, doneBytes: this.#doneBytes(index) };
  }

  /** @returns the size that the file has now. What came before an error is kept. */
  async write(index: number, at: number, source: ByteSource): Promise<number> {
    if (this.#sent !== undefined) throw new ShareError('bad-request', 'It was sent already.');
    return await this.#parts.write(index, at, source);
  }

  /**
   * Moves it to the drop folder as one folder, once all has come; asked again, it tells where that is.
   * @returns undefined while something is still to come.
   */
  async finish(): Promise<UploadState['sent'] | undefined> {
    if (this.#record.replaces !== undefined)
      throw new ShareError('bad-request', 'It comes in the place of another file, and is no job.');
    return await this.#inTurn(() => this.#finish());
  }

  /** What a test run needs: what will be in it, and where its sheets are that have come. */
  async toTry() {
    const { fs, own } = this.#deps.layout();
    const hashes = await this.tests.hashes();
    return {
      fs,
      root: own,
      base: this.#in('whole'),
      name: this.#record.name,
      listed: this.#files.map(({ path, sizeBytes }, index) => ({
        path,
        sizeBytes,
        sha256: hashes[index] ?? undefined,
      })),
    };
  }

  /** After this nothing of it can be sent, and what is left of it may be removed. False when it was sent. */
  async giveUp(): Promise<boolean> {
    return await this.#inTurn(async () => {
      if (this.#sent !== undefined) return false;
      await unlinkIfThere(this.#deps.layout().fs, this.#in('upload.json'));
      this.#isGivenUp = true;
      await this.#parts.close();
      return true;
    });
  }

  /** One after the other: it is sent or given up, never both. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const ended = this.#ending.then(work);
    this.#ending = ended.catch(() => undefined);
    return await ended;
  }

  async #finish(): Promise<UploadState['sent'] | undefined> {
    if (this.#sent === undefined && !this.#parts.isWhole) await this.#findWhatIsThere();
    if (this.#sent !== undefined) return this.state.sent;
    if (!this.#parts.isWhole || this.#isGivenUp) return undefined;
    const { fs, own, root, drop } = this.#deps.layout();
    await this.#completeFolder();
    await inRealFolder(fs, own, this.#in(), async from => {
      await inRealFolder(fs, root, drop, async to => {
        for (const folder of namePlaces(this.#record.name, this.#deps.now())) {
          const place = new Place(to, folder);
          if (await isThere(fs, place)) continue;
          // Noted first: after a crash right behind the rename it is known where it went.
          const sent: SentRecord = { version: 1, folder, at: this.#deps.now().toISOString() };
          await this.#noteSent(sent);
          await requireInPlace(new Place(from, 'whole'), place);
          try {
            // Never over anything: a folder takes the place of an empty folder at most.
            await fs.rename(new Place(from, 'whole'), place);
          } catch (error) {
            if (!isInTheWay(error)) throw error;
            continue;
          }
          this.#sent = sent;
          return;
        }
      });
    });
    await fs.syncFolder(drop);
    return this.state.sent ?? undefined;
  }

  /** The files that have no bytes, and the marker by which the watcher knows that nothing more will come. */
  async #completeFolder(): Promise<void> {
    const { fs } = this.#deps.layout();
    const empty = this.#files.filter(({ sizeBytes }) => sizeBytes === 0).map(({ path }) => path);
    for (const path of [...empty, this.#deps.marker]) {
      const folder = await this.#parts.openWhole(folderOf(path));
      try {
        await fs.writeNew(new Place(folder, nameOf(path)), '').catch(error => {
          if (!isTaken(error)) throw error;
        });
      } finally {
        await folder.close();
      }
    }
    const whole = this.#in('whole');
    const folders = new Set(this.#files.map(({ path }) => join(whole, folderOf(path))));
    await syncFolders(fs, whole, folders);
  }

  async #noteSent(sent: SentRecord): Promise<void> {
    const { fs, seals } = this.#deps.layout();
    await writeOver(fs, this.#in('sent.json'), toMarkText(seals, SENT, this.id, sent));
  }

  async #findWhatIsThere(): Promise<void> {
    const { fs, seals, own } = this.#deps.layout();
    const whole = await openIfThere(fs, own, this.#in('whole'));
    if (whole === undefined) {
      const path = this.#in('sent.json');
      const sent = await readMark(fs, seals, SENT, path, this.id, this.#deps.onNotOurs);
      if (sent !== undefined && sent !== NOT_OURS) this.#sent = sent;
      return;
    }
    await whole.close();
    await this.#parts.find();
  }

  #doneBytes(index: number): number {
    return this.#sent === undefined ? this.#parts.doneBytes(index) : this.#file(index).sizeBytes;
  }

  #file(index: number): UploadFile {
    const file = this.#files[index];
    if (file === undefined) throw new ShareError('bad-request', 'The upload has no such file.');
    return file;
  }

  #in(...names: readonly string[]): string {
    return join(folderOfUpload(this.#deps, this.id), ...names);
  }
}

/** Something has got the name meanwhile: a file, or a folder with something in it. */
function isInTheWay(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'taken' || trouble === 'no-folder' || trouble === 'not-empty';
}
