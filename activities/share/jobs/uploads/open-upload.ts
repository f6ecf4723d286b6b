// One upload: what of it has come, and its end. Each file grows in `parts/` and is put into `whole/` by one
// rename when its last byte is on disk; when all are there, `whole/` becomes the job's folder in the drop
// folder, by one rename. So the watcher never meets half a file or half a job, and whoever starts again after
// a crash reads from the names alone how far it had come.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { codeOf } from '../../../host/error-code';
import { isGone, isTaken, troubleOf } from '../../../host/file-trouble';
import { isThere, lookIfThere, openIfThere, unlinkIfThere } from '../../files/if-there';
import { requireInPlace } from '../../files/open-folder';
import { NOT_OURS, readMark, toMarkText } from '../../files/own-marks';
import { inRealFolder, openRealFolder, syncFolders } from '../../files/real-folder';
import { folderOf, nameOf } from '../../files/relative-path';
import { ShareError } from '../../files/share-error';
import { Place } from '../../files/share-fs';
import { writeOver } from '../../files/write-whole';
import { namePlaces } from '../name-place';
import { folderOfUpload, type UploadDeps } from './upload-place';
import { SENT, type SentRecord, UPLOAD, type UploadFile, type UploadRecord } from './upload-record';
import { UploadTests } from './upload-tests';

/** So many bytes of a file may not be on disk yet: after a crash it goes on from a multiple of these. */
const SYNC_BYTES = 64 * 1024 ** 2;

const PART = /^(\d{1,5})\.([0-9a-f]{12})$/;

export interface UploadState {
  readonly id: string;
  readonly name: string;
  readonly by: string;
  readonly begunAt: string;
  readonly files: readonly (UploadFile & { readonly doneBytes: number })[];
  /** Of its folder in the drop folder; null while it is coming. */
  readonly sent: { readonly folder: string; readonly at: string } | null;
}

interface Part {
  name: string;
  sizeBytes: number;
  /** Made, or taken over and cut, by this process. */
  isOwn: boolean;
}

export class OpenUpload {
  readonly id: string;
  readonly tests: UploadTests;
  readonly #deps: UploadDeps;
  readonly #record: UploadRecord;
  readonly #files: readonly UploadFile[];
  /** Parts carry the name of who writes them: taking one over is a rename, and only one can do that. */
  readonly #writer = randomBytes(6).toString('hex');
  readonly #whole = new Set<number>();
  readonly #parts = new Map<number, Part>();
  #sent: SentRecord | undefined;
  #isGivenUp = false;
  #ending: Promise<unknown> = Promise.resolve();

  private constructor(id: string, record: UploadRecord, deps: UploadDeps) {
    this.id = id;
    this.tests = new UploadTests(id, deps);
    this.#record = record;
    this.#deps = deps;
    this.#files = record.files.map(([path, sizeBytes, modifiedMs]) => ({ path, sizeBytes, modifiedMs }));
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
    const { name, by, begunAt } = this.#record;
    return {
      id: this.id,
      name,
      by,
      begunAt,
      files: this.#files.map((file, index) => ({ ...file, doneBytes: this.#doneBytes(index) })),
      sent: this.#sent === undefined ? null : { folder: this.#sent.folder, at: this.#sent.at },
    };
  }

  get isWhole(): boolean {
    return this.#files.every(({ sizeBytes }, index) => sizeBytes === 0 || this.#whole.has(index));
  }

  /** Where the next byte of a file goes. @throws ShareError `bad-request` where there is no such file. */
  async lookAt(index: number): Promise<{ readonly sizeBytes: number; readonly doneBytes: number }> {
    const { sizeBytes } = this.#file(index);
    if (this.#sent === undefined && !this.#whole.has(index)) await this.#takeOver(index);
    return { sizeBytes, doneBytes: this.#doneBytes(index) };
  }

  /** @returns the size that the file has now. What came before an error is kept. */
  async write(index: number, at: number, source: AsyncIterable<Uint8Array>): Promise<number> {
    const { sizeBytes } = this.#file(index);
    if (this.#sent !== undefined || at !== this.#doneBytes(index) || at >= sizeBytes) {
      throw new ShareError('bad-request', 'The bytes do not follow those that are there.');
    }
    const part = await this.#takeOver(index);
    const { fs, own } = this.#deps.layout();
    await inRealFolder(fs, own, this.#in('parts'), async folder => {
      const place = new Place(folder, part.name);
      const file = await fs.openGrowing(place);
      try {
        await requireInPlace(place);
        if (file.sizeBytes < at) {
          this.#parts.delete(index);
          throw new ShareError('file-changed', 'Another process goes on with this file.');
        }
        // What came before an error, and was not answered for.
        if (file.sizeBytes > at) await file.cut(at);
        let synced = at;
        for await (const chunk of source) {
          if (part.sizeBytes + chunk.length > sizeBytes) {
            throw new ShareError('bad-request', 'More bytes came than the file has.');
          }
          await file.write(chunk, part.sizeBytes);
          part.sizeBytes += chunk.length;
          if (part.sizeBytes - synced < SYNC_BYTES) continue;
          await file.sync();
          synced = part.sizeBytes;
        }
      } finally {
        await file.sync().finally(() => file.close());
      }
    });
    if (part.sizeBytes === sizeBytes) await this.#makeWhole(index, part);
    return this.#doneBytes(index);
  }

  /**
   * Once all has come, it lies in the drop folder as one folder; asked again, it tells where.
   * @returns undefined while something is still to come.
   */
  async finish(): Promise<UploadState['sent'] | undefined> {
    const ended = this.#ending.then(
      () => this.#finish(),
      () => this.#finish(),
    );
    this.#ending = ended.catch(() => undefined);
    return await ended;
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

  /** Nothing of it can be sent any more; what is left of it may be removed. False when it was sent. */
  async giveUp(): Promise<boolean> {
    await this.#ending;
    if (this.#sent !== undefined) return false;
    this.#isGivenUp = true;
    await unlinkIfThere(this.#deps.layout().fs, this.#in('upload.json'));
    return true;
  }

  async #finish(): Promise<UploadState['sent'] | undefined> {
    if (this.#sent === undefined && !this.isWhole) await this.#findWhatIsThere();
    if (this.#sent !== undefined) return this.state.sent;
    if (!this.isWhole || this.#isGivenUp) return undefined;
    const { fs, own, root, drop } = this.#deps.layout();
    await this.#completeFolder();
    await inRealFolder(fs, own, this.#in(), async from => {
      await inRealFolder(fs, root, drop, async to => {
        for (const folder of namePlaces(this.#record.name, this.#deps.now())) {
          const place = new Place(to, folder);
          if (await isThere(fs, place)) continue;
          // Said first: after a crash right behind the rename it is known where it went.
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
      const folder = await this.#openWhole(folderOf(path));
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

  async #makeWhole(index: number, part: Part): Promise<void> {
    const { path } = this.#file(index);
    const { fs, own } = this.#deps.layout();
    await inRealFolder(fs, own, this.#in('parts'), async from => {
      const to = await this.#openWhole(folderOf(path));
      try {
        const place = new Place(to, nameOf(path));
        await requireInPlace(place);
        await fs.rename(new Place(from, part.name), place);
      } finally {
        await to.close();
      }
    });
    this.#whole.add(index);
    this.#parts.delete(index);
    // By its time an upload that nobody goes on with is known.
    await fs.touch(this.#in('upload.json'));
  }

  /** The part that this process writes on: a new one, or what another one had left. */
  async #takeOver(index: number): Promise<Part> {
    const known = this.#parts.get(index);
    if (known?.isOwn === true) return known;
    const name = `${index}.${this.#writer}`;
    const own: Part = { name, sizeBytes: 0, isOwn: true };
    if (known !== undefined) {
      const { fs, own: base } = this.#deps.layout();
      await inRealFolder(fs, base, this.#in('parts'), async folder => {
        const place = new Place(folder, name);
        try {
          await fs.rename(new Place(folder, known.name), place);
        } catch (error) {
          if (isGone(error)) return;
          throw error;
        }
        const file = await fs.openGrowing(place);
        try {
          // What lies behind may never have reached the disk before the machine went down.
          own.sizeBytes = file.sizeBytes - (file.sizeBytes % SYNC_BYTES);
          await file.cut(own.sizeBytes);
        } finally {
          await file.close();
        }
      });
    }
    this.#parts.set(index, own);
    return own;
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
    for (const [index, { path, sizeBytes }] of this.#files.entries()) {
      if (this.#whole.has(index)) continue;
      const folder = await openIfThere(fs, own, join(this.#in('whole'), folderOf(path)));
      if (folder === undefined) continue;
      try {
        const facts = await lookIfThere(fs, new Place(folder, nameOf(path)));
        if (facts?.kind === 'file' && facts.sizeBytes === sizeBytes) this.#whole.add(index);
      } finally {
        await folder.close();
      }
    }
    await this.#findParts();
  }

  async #findParts(): Promise<void> {
    const { fs, own } = this.#deps.layout();
    await inRealFolder(fs, own, this.#in('parts'), async folder => {
      for await (const entry of fs.entries(new Place(folder, '.'))) {
        const [, index, writer] = PART.exec(entry.name.toString('latin1')) ?? [];
        const at = Number(index);
        if (writer === undefined || writer === this.#writer || this.#whole.has(at)) continue;
        const facts = await lookIfThere(fs, new Place(folder, entry.name));
        const known = this.#parts.get(at);
        if (facts?.kind !== 'file' || (known !== undefined && known.sizeBytes >= facts.sizeBytes)) continue;
        this.#parts.set(at, { name: `${at}.${writer}`, sizeBytes: facts.sizeBytes, isOwn: false });
      }
    });
  }

  async #openWhole(folder: string) {
    const { fs, own } = this.#deps.layout();
    return await openRealFolder(fs, own, join(this.#in('whole'), folder));
  }

  #doneBytes(index: number): number {
    const { sizeBytes } = this.#file(index);
    const isDone = this.#sent !== undefined || this.#whole.has(index);
    return isDone ? sizeBytes : (this.#parts.get(index)?.sizeBytes ?? 0);
  }

  #file(index: number): UploadFile {
    const file = this.#files[index];
    if (file === undefined || this.#isGivenUp)
      throw new ShareError('bad-request', 'The upload has no such file.');
    return file;
  }

  #in(...names: readonly string[]): string {
    return join(folderOfUpload(this.#deps, this.id), ...names);
  }
}

/** Something has got the name meanwhile: a file, or a folder with something in it. */
function isInTheWay(error: unknown): boolean {
  return isTaken(error) || troubleOf(error) === 'no-folder' || codeOf(error) === 'ENOTEMPTY';
}
