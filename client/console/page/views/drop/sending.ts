// Sends what was chosen: some files at a time, each from where it stopped, and then all of it as one folder.
import { signal } from '@preact/signals';
import type { Upload } from 'tus-js-client';
import type { UploadDetail } from '../../../contract/drop';
import { ApiProblem, ask } from '../../shell/api';
import { navigate } from '../../shell/router';
import { ELSEWHERE, sendBytes, WINDOW } from '../../shell/send-bytes';
import { texts } from '../../shell/texts';
import { isAtDrop, leaveAddress, showAddress } from './address-of';
import { beginUpload } from './begin-upload';
import type { Choice, ChosenFile } from './chosen-files';

const AT_ONCE = 3;
const LOOK_EVERY_MS = 1_000;
/** How often it looks for the job: a small one may be done before anybody has seen it on its way. */
const MOST_LOOKS = 60;

export interface Progress {
  readonly phase: 'sending' | 'paused' | 'finishing' | 'sent' | 'stopped';
  readonly name: string;
  readonly share: string;
  readonly upload: string;
  readonly doneBytes: number;
  readonly allBytes: number;
  readonly doneFiles: number;
  readonly allFiles: number;
  /** Since it began or went on: for the speed. */
  readonly since: { readonly at: number; readonly bytes: number };
  readonly problem?: string;
  /** It stopped because another window goes on with it. */
  readonly isElsewhere?: boolean;
}

/** Stays while other views are looked at. */
export const progress = signal<Progress | undefined>(undefined);

let current: Sender | undefined;

/** Begins, or goes on with an upload that is there already. @throws ApiProblem when it is refused. */
export async function startSending(share: string, choice: Choice, known?: UploadDetail): Promise<void> {
  const upload = known ?? (await beginUpload(share, choice));
  current = new Sender(upload, choice.files);
  showAddress('drop', upload);
  void current.run();
}

export function pauseSending(): void {
  current?.pause();
}

export function goOnSending(): void {
  void current?.run();
}

/** Goes on although another window sends it: that one is told, and stops. */
export async function goOnHere(): Promise<void> {
  const sender = current;
  const { share = '', upload = '' } = progress.value ?? {};
  try {
    const params = { share, upload };
    await ask('POST /api/uploads/:share/:upload/take-over', { params, body: { window: WINDOW } });
    void sender?.run();
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    sender?.stop(error);
  }
}

/** Gives the upload up. Where that fails or is not answered, it stays as one that stopped, and says why. */
export async function discardSending(): Promise<void> {
  const { value } = progress;
  const sender = current;
  sender?.pause();
  try {
    if (value !== undefined) await discardUpload(value);
    current = undefined;
    progress.value = undefined;
    if (value !== undefined) leaveAddress('drop', value);
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    sender?.stop(error);
  }
}

/**
 * Removes an upload; one that is not there any more counts as removed.
 * @param window only where no other one is sending it: 423 otherwise
 * @throws ApiProblem
 */
export async function discardUpload(
  { share, upload }: Pick<UploadDetail, 'share' | 'upload'>,
  window?: string,
): Promise<void> {
  const asked = { params: { share, upload }, query: { window } };
  await ask('DELETE /api/uploads/:share/:upload', asked).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  });
}

/**
 * Puts an upload that is whole into the drop folder, calls `onSent`, waits for its job and opens the job's
 * page, unless another view is looked at by then. @throws ApiProblem
 */
export async function sendOff(share: string, upload: string, onSent = (): void => undefined): Promise<void> {
  const params = { share, upload };
  let { sent } = await ask('POST /api/uploads/:share/:upload/send', { params });
  onSent();
  for (let looks = 0; looks < MOST_LOOKS && sent !== null && sent.job === null; looks += 1) {
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
    // It was sent: that the page cannot ask for its job just now is no reason to say that it was not.
    const looked = await ask('GET /api/uploads/:share/:upload', { params }).catch(passProblem);
    sent = looked === undefined ? sent : looked.sent;
  }
  const job = sent?.job ?? null;
  if (!isAtDrop()) return;
  navigate(job === null ? '/jobs' : `/jobs/${encodeURIComponent(share)}/${encodeURIComponent(job)}`);
}

function passProblem(error: unknown): undefined {
  if (!(error instanceof ApiProblem)) throw error;
}

/** The same folder again, file by file: only then may it go on where it stopped. */
export function isSameChoice(choice: Choice, { name, all }: UploadDetail): boolean {
  const known = new Map(all.map(file => [file.path, file]));
  return (
    choice.name === name &&
    known.size === choice.files.length &&
    choice.files.every(({ path, file }) => {
      const before = known.get(path);
      return before?.sizeBytes === file.size && before.modifiedMs === file.lastModified;
    })
  );
}

class Sender {
  readonly #upload: UploadDetail;
  readonly #files: ReadonlyMap<string, File>;
  readonly #done: number[];
  readonly #running = new Map<number, Upload>();
  #isPaused = false;

  constructor(upload: UploadDetail, files: readonly ChosenFile[]) {
    this.#upload = upload;
    this.#files = new Map(files.map(({ path, file }) => [path, file]));
    this.#done = upload.all.map(({ doneBytes }) => doneBytes);
  }

  pause(): void {
    this.#isPaused = true;
    for (const running of this.#running.values()) void running.abort();
    this.#running.clear();
    this.#tell('paused');
  }

  stop(why: unknown): void {
    this.pause();
    this.#tell('stopped', why);
  }

  async run(): Promise<void> {
    this.#isPaused = false;
    this.#since = { at: Date.now(), bytes: this.#doneBytes };
    this.#tell('sending');
    const waiting = this.#upload.all.flatMap(({ sizeBytes }, index) =>
      (this.#done[index] ?? 0) < sizeBytes ? [index] : [],
    );
    // Not by turns: a long file holds up no short one. A pause, or the first error, waits for none under way.
    const work = async () => {
      for (let index = waiting.shift(); index !== undefined && !this.#isPaused; index = waiting.shift())
        await this.#send(index);
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      if (this.#isPaused) return;
      this.#tell('finishing');
      const { share, upload } = this.#upload;
      await sendOff(share, upload, () => this.#tell('sent'));
      if (current === this) progress.value = undefined;
    } catch (error) {
      if (this.#isPaused) return;
      this.stop(error);
    }
  }

  async #send(index: number): Promise<void> {
    const { path = '', sizeBytes = 0 } = this.#upload.all[index] ?? {};
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(texts.drop.unreadable(path));
    const { share, upload } = this.#upload;
    const sending = sendBytes({
      share,
      upload,
      index,
      path,
      file,
      onProgress: done => {
        this.#done[index] = done;
        if (!this.#isPaused) this.#tell('sending');
      },
    });
    this.#running.set(index, sending.transfer);
    await sending.ended.finally(() => this.#running.delete(index));
    this.#done[index] = sizeBytes;
  }

  #since = { at: Date.now(), bytes: 0 };

  get #doneBytes(): number {
    return this.#done.reduce((sum, each) => sum + each, 0);
  }

  #tell(phase: Progress['phase'], why?: unknown): void {
    if (current !== this) return;
    const { share, upload, name, all, sizeBytes } = this.#upload;
    progress.value = {
      phase,
      name,
      share,
      upload,
      doneBytes: this.#doneBytes,
      allBytes: sizeBytes,
      doneFiles: all.filter((file, index) => (this.#done[index] ?? 0) >= file.sizeBytes).length,
      allFiles: all.length,
      since: this.#since,
      ...(why instanceof Error ? { problem: why.message } : {}),
      isElsewhere: why instanceof ApiProblem && why.status === ELSEWHERE,
    };
  }
}
