// The bytes of one upload. Each file grows in `parts/` and is put into `whole/` by one rename when its last
// byte is on disk: whoever starts again after a crash reads from the names alone how far it had come.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isGone } from '../../../host/file-trouble';
import { withResolvers } from '../../../host/with-resolvers';
import { lookIfThere, openIfThere } from '../../files/if-there';
import { requireInPlace } from '../../files/open-folder';
import { inRealFolder, openRealFolder } from '../../files/real-folder';
import { folderOf, nameOf } from '../../files/relative-path';
import { ShareError } from '../../files/share-error';
import { type OpenFolder, Place } from '../../files/share-fs';
import { growFile, SYNC_BYTES } from './grow-file';
import { folderOfUpload, type UploadDeps } from './upload-place';
import type { UploadFile } from './upload-record';

const PART = /^(\d{1,5})\.([0-9a-f]{12})$/;

interface Part {
  name: string;
  sizeBytes: number;
  /** Made, or taken over and cut, by this process; no longer once it cannot tell what of it is on disk. */
  isOwn: boolean;
}

/** Somebody who is at work on a file: `stop` asks them to end, `ended` resolves when they have. */
interface Turn {
  readonly stop: () => void;
  readonly ended: Promise<void>;
}

/** Where bytes come from; `stop` ends it, for somebody else goes on with the file. */
export interface ByteSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly stop: () => void;
}

export class UploadParts {
  readonly #id: string;
  readonly #deps: UploadDeps;
  readonly #files: readonly UploadFile[];
  /** Parts carry the name of who writes them: taking one over is a rename, and only one can do that. */
  readonly #writer = randomBytes(6).toString('hex');
  readonly #whole = new Set<number>();
  readonly #parts = new Map<number, Part>();
  readonly #turns = new Map<number, Turn>();
  #isClosed = false;

  constructor(id: string, files: readonly UploadFile[], deps: UploadDeps) {
    this.#id = id;
    this.#files = files;
    this.#deps = deps;
  }

  get isWhole(): boolean {
    return this.#files.every(({ sizeBytes }, index) => sizeBytes === 0 || this.#whole.has(index));
  }

  doneBytes(index: number): number {
    if (this.#whole.has(index)) return this.#files[index]?.sizeBytes ?? 0;
    return this.#parts.get(index)?.sizeBytes ?? 0;
  }

  /** Where the next byte of a file goes. The caller goes on with it, so anyone else writing is stopped. */
  async lookAt(index: number): Promise<number> {
    return await this.#alone(index, undefined, async () => {
      if (!this.#whole.has(index)) await this.#takeOver(index);
      return this.doneBytes(index);
    });
  }

  /** @returns the size that the file has now. What came before an error is kept. */
  async write(index: number, at: number, { bytes, stop }: ByteSource): Promise<number> {
    const { sizeBytes } = this.#file(index);
    return await this.#alone(index, stop, async () => {
      if (at !== this.doneBytes(index) || at >= sizeBytes) {
        throw new ShareError('bad-request', 'The bytes do not follow those that are there.');
      }
      const part = await this.#takeOver(index);
      await this.#grow(index, part, at, bytes);
      if (part.sizeBytes === sizeBytes) await this.#makeWhole(index, part);
      return this.doneBytes(index);
    });
  }

  /** Nothing is written any more when it returns, nor will be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const turns = [...this.#turns.values()];
    for (const { stop } of turns) stop();
    await Promise.all(turns.map(({ ended }) => ended));
  }

  /** Finds what of the files lies there already, of this process or of one before. */
  async find(): Promise<void> {
    const { fs, own } = this.#deps.layout();
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

  /** A folder of the job, as it lies in `whole/`. The caller closes it. */
  async openWhole(folder: string): Promise<OpenFolder> {
    const { fs, own } = this.#deps.layout();
    return await openRealFolder(fs, own, join(this.#in('whole'), folder));
  }

  /** Lets one caller at a time work on a file: a new one stops the one before, and waits for its end. */
  async #alone<T>(index: number, stop: (() => void) | undefined, work: () => Promise<T>): Promise<T> {
    for (let before = this.#turns.get(index); before !== undefined; before = this.#turns.get(index)) {
      before.stop();
      await before.ended;
    }
    this.#file(index);
    const { promise: ended, resolve } = withResolvers();
    this.#turns.set(index, { stop: stop ?? (() => undefined), ended });
    try {
      return await work();
    } finally {
      this.#turns.delete(index);
      resolve();
    }
  }

  async #grow(index: number, part: Part, at: number, source: AsyncIterable<Uint8Array>): Promise<void> {
    const { fs, own } = this.#deps.layout();
    const { sizeBytes } = this.#file(index);
    await inRealFolder(fs, own, this.#in('parts'), async folder => {
      const place = new Place(folder, part.name);
      const file = await fs.openGrowing(place);
      const sync = async () => {
        try {
          await file.sync();
        } catch (error) {
          // A share tells once what it could not put on disk, and throws it away: the end is cut off later.
          part.isOwn = false;
          throw error;
        }
      };
      try {
        await requireInPlace(place);
        if (file.sizeBytes < at) {
          this.#parts.delete(index);
          throw new ShareError('file-changed', 'Another process goes on with this file.');
        }
        // What a write that failed has left: it was never counted as done.
        if (file.sizeBytes > at) await file.cut(at);
        const onWritten = (size: number) => {
          part.sizeBytes = size;
        };
        await growFile({ ...file, sync }, { at, sizeBytes, source, onWritten });
      } finally {
        await sync().finally(() => file.close());
      }
    });
  }

  async #makeWhole(index: number, part: Part): Promise<void> {
    const { path } = this.#file(index);
    const { fs, own } = this.#deps.layout();
    await inRealFolder(fs, own, this.#in('parts'), async from => {
      const to = await this.openWhole(folderOf(path));
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
    // The time of the record shows when an upload came further last: by it old ones are swept.
    await fs.touch(this.#in('upload.json'));
  }

  /** The part that this process writes to: a new one, or what another process has left. */
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
          // The machine may have gone down: a file's size reaches the disk before all of its bytes do.
          own.sizeBytes = Math.max(0, file.sizeBytes - SYNC_BYTES);
          await file.cut(own.sizeBytes);
        } finally {
          await file.close();
        }
      });
    }
    this.#parts.set(index, own);
    return own;
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

  /** @throws ShareError `bad-request` where there is no such file, or nothing may come any more. */
  #file(index: number): UploadFile {
    const file = this.#files[index];
    if (file === undefined || this.#isClosed)
      throw new ShareError('bad-request', 'The upload has no such file.');
    return file;
  }

  #in(name: string): string {
    return join(folderOfUpload(this.#deps, this.#id), name);
  }
}
