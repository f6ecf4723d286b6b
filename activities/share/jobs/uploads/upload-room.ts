// Jobs that come over the page, byte by byte: begun, gone on with after any interruption, sent by one rename,
// given up, and swept when nobody goes on with them. All of it lies below our own folder until it is whole.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ifThere, lookIfThere, openIfThere } from '../../files/if-there';
import { toMarkText } from '../../files/own-marks';
import { ShareError, toShareError } from '../../files/share-error';
import { type FsPath, Place } from '../../files/share-fs';
import { writeOnce } from '../../files/write-whole';
import { OpenUpload, type UploadState } from './open-upload';
import { folderOfUpload, type UploadDeps } from './upload-place';
import {
  checkPlan,
  isUploadId,
  type PlanFault,
  toRecordFiles,
  UPLOAD,
  type Uploader,
  type UploadPlan,
} from './upload-record';

/** How many uploads may be on their way at one time. */
const MOST_OPEN = 100;
const DAY_MS = 86_400_000;
/** How long an upload is kept that nobody goes on with. */
const KEPT_MS = 7 * DAY_MS;
/** How long the record of a sent upload is kept: so long, somebody who lost the response may ask again. */
const KEPT_SENT_MS = DAY_MS;

export interface UploadRoomDeps extends UploadDeps {
  readonly maxFileBytes: number;
  /** What must stay free on the share. */
  readonly minFreeBytes: number;
}

export type Begun =
  | { readonly kind: 'begun'; readonly state: UploadState }
  | { readonly kind: 'faulty'; readonly faults: readonly PlanFault[] }
  | { readonly kind: 'no-room'; readonly freeBytes: number; readonly neededBytes: number };

export class UploadRoom {
  readonly #deps: UploadRoomDeps;
  readonly #open = new Map<string, Promise<OpenUpload | undefined>>();
  #beginning: Promise<unknown> = Promise.resolve();

  constructor(deps: UploadRoomDeps) {
    this.#deps = deps;
  }

  /**
   * @param id chosen by the caller: a request that is repeated, because its response was lost, finds by it
   * the same upload.
   * @throws ShareError for trouble of the share, or too many uploads.
   */
  async begin(plan: UploadPlan, by: Uploader, id = randomBytes(10).toString('hex')): Promise<Begun> {
    const faults = checkPlan(plan, this.#deps.maxFileBytes);
    if (faults.length > 0) return { kind: 'faulty', faults };
    // One after the other: the same request may be repeated while the upload is being made.
    const begun = this.#beginning.then(() => this.#begin(plan, by, id));
    this.#beginning = begun.catch(() => undefined);
    return await begun;
  }

  async #begin(plan: UploadPlan, by: Uploader, id: string): Promise<Begun> {
    const known = await this.open(id);
    if (known !== undefined) {
      if (known.isOf(plan, by)) return { kind: 'begun', state: known.state };
      throw new ShareError('bad-request', 'An upload of this id was begun with other files.');
    }
    const others = (await this.list()).filter(({ sent }) => sent === null);
    if (others.length >= MOST_OPEN) {
      throw new ShareError('bad-request', 'Too many uploads are on their way to this share.');
    }
    const neededBytes = plan.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const free = await this.#shareErrors(this.#layout.fs.freeBytes(this.#layout.root));
    const isYoung = ({ begunAt }: UploadState) => this.#deps.now().getTime() - Date.parse(begunAt) < DAY_MS;
    const promised = others.filter(isYoung).reduce((sum, upload) => sum + missingBytes(upload), 0);
    const freeBytes = Math.max(0, free - this.#deps.minFreeBytes - promised);
    if (neededBytes > freeBytes) return { kind: 'no-room', freeBytes, neededBytes };
    await this.#shareErrors(this.#make(id, plan, by));
    const upload = await this.open(id);
    if (upload === undefined) throw new ShareError('share-away', 'What was written cannot be read.');
    return { kind: 'begun', state: upload.state };
  }

  /** All that are known here, the oldest first. */
  async list(): Promise<readonly UploadState[]> {
    const states: UploadState[] = [];
    for (const id of await this.#ids()) {
      const upload = await this.open(id);
      if (upload !== undefined) states.push(upload.state);
    }
    return states.sort((one, other) => Date.parse(one.begunAt) - Date.parse(other.begunAt));
  }

  /** Undefined when there is none (any more). */
  async open(id: string): Promise<OpenUpload | undefined> {
    if (!isUploadId(id)) return undefined;
    const known = this.#open.get(id);
    if (known !== undefined) return await known;
    const opening = this.#shareErrors(OpenUpload.open(id, this.#deps));
    this.#open.set(id, opening);
    const upload = await opening.catch(error => {
      this.#open.delete(id);
      throw error;
    });
    if (upload === undefined) this.#open.delete(id);
    return upload;
  }

  /** False when it was sent already. */
  async discard(id: string): Promise<boolean> {
    const upload = await this.open(id);
    if (upload !== undefined && !(await upload.giveUp())) return false;
    this.#open.delete(id);
    await this.#shareErrors(this.#remove(id));
    return true;
  }

  /**
   * Removes what is old, also what is whole and was never sent: only the person could have sent that. What is
   * not ours stays.
   */
  async sweep(): Promise<void> {
    for (const id of await this.#ids()) {
      const { fs } = this.#layout;
      const folder = folderOfUpload(this.#deps, id);
      const upload = await this.open(id);
      const record = await lookIfThere(fs, join(folder, 'upload.json'));
      // Sealed with another key, it may be whole, and can be sent once that key is back: it was told of as it
      // was opened, and is left.
      if (upload === undefined && record !== undefined) continue;
      const facts = upload === undefined ? await lookIfThere(fs, folder) : record;
      if (facts === undefined) continue;
      const ageMs = this.#deps.now().getTime() - Number(facts.mtimeNs / 1_000_000n);
      if (upload === undefined || upload.state.sent !== null) {
        if (ageMs < KEPT_SENT_MS) continue;
        this.#open.delete(id);
        await this.#remove(id);
      } else if (ageMs >= KEPT_MS) {
        await this.discard(id);
      }
    }
  }

  get #layout() {
    return this.#deps.layout();
  }

  async #ids(): Promise<readonly string[]> {
    const { fs, own } = this.#layout;
    const ids: string[] = [];
    const folder = await this.#shareErrors(openIfThere(fs, own, join(own, 'uploads')));
    if (folder === undefined) return ids;
    try {
      for await (const entry of fs.entries(new Place(folder, '.'))) {
        const name = entry.name.toString('latin1');
        if (isUploadId(name)) ids.push(name);
      }
    } finally {
      await folder.close();
    }
    return ids;
  }

  /** The record comes last: without it there is no upload. */
  async #make(id: string, plan: UploadPlan, by: Uploader): Promise<void> {
    const { fs, own, seals } = this.#layout;
    const folder = folderOfUpload(this.#deps, id);
    // The folders may be there already, from a beginning that a crash has cut.
    await fs.makeFolders(own, folder, { private: true });
    for (const each of ['parts', 'whole']) await fs.makeFolders(own, join(folder, each));
    const text = toMarkText(seals, UPLOAD, id, {
      version: 1,
      name: plan.name,
      by: by.name,
      byId: by.id,
      begunAt: this.#deps.now().toISOString(),
      replaces: plan.replaces,
      files: toRecordFiles(plan),
    });
    await writeOnce(fs, join(folder, 'upload.json'), text);
  }

  /** Its record goes first: what is half removed is no upload any more. */
  async #remove(id: string): Promise<void> {
    const { fs, own } = this.#layout;
    const folder = folderOfUpload(this.#deps, id);
    await ifThere(fs.unlink(join(folder, 'upload.json')));
    await this.#removeFolder(folder);
    await fs.syncFolder(join(own, 'uploads'));
  }

  async #removeFolder(path: FsPath): Promise<void> {
    const { fs, own } = this.#layout;
    const folder = await openIfThere(fs, own, path);
    if (folder === undefined) return;
    try {
      for await (const { name } of fs.entries(new Place(folder, '.'))) {
        const place = new Place(folder, name);
        const facts = await lookIfThere(fs, place);
        if (facts?.kind !== 'folder') await ifThere(fs.unlink(place));
        else await this.#removeFolder(Buffer.concat([Buffer.from(path), Buffer.from('/'), name]));
      }
    } finally {
      await folder.close();
    }
    await ifThere(fs.removeFolder(path));
  }

  async #shareErrors<T>(work: Promise<T>): Promise<T> {
    return await work.catch(error => {
      throw toShareError(error) ?? error;
    });
  }
}

function missingBytes({ files }: UploadState): number {
  return files.reduce((sum, { sizeBytes, doneBytes }) => sum + sizeBytes - doneBytes, 0);
}
