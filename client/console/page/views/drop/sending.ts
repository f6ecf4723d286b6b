// Sends what was chosen: some files at a time, each from where it stopped, and then all of it as one folder.
import { signal } from '@preact/signals';
import { DetailedError, Upload } from 'tus-js-client';
import type { UploadDetail } from '../../../contract/drop';
import { ApiProblem, ask } from '../../shell/api';
import { me } from '../../shell/me';
import { href, navigate } from '../../shell/router';
import { texts } from '../../shell/texts';
import { beginUpload } from './begin-upload';
import type { Choice, ChosenFile } from './chosen-files';

const AT_ONCE = 3;
const RETRY_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000];
const LOOK_EVERY_MS = 1_000;
/** A small job may be done before anybody has seen it as one on its way. */
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
}

/** Stays while other views are looked at. */
export const progress = signal<Progress | undefined>(undefined);

let current: Sender | undefined;

/** Begins, or goes on with an upload that is there already. @throws ApiProblem when it is refused. */
export async function startSending(share: string, choice: Choice, known?: UploadDetail): Promise<void> {
  current = new Sender(known ?? (await beginUpload(share, choice)), choice.files);
  void current.run();
}

export function pauseSending(): void {
  current?.pause();
}

export function goOnSending(): void {
  void current?.run();
}

/** Where it is not known whether that was done, it stays as one that stopped, with a word. */
export async function discardSending(): Promise<void> {
  const { value } = progress;
  const sender = current;
  sender?.pause();
  try {
    if (value !== undefined) await discardUpload(value);
    current = undefined;
    progress.value = undefined;
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    sender?.stop(error.message);
  }
}

/** What is not there any more is discarded. @throws ApiProblem */
export async function discardUpload({
  share,
  upload,
}: Pick<UploadDetail, 'share' | 'upload'>): Promise<void> {
  await ask('DELETE /api/uploads/:share/:upload', { params: { share, upload } }).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  });
}

/** Of an upload that is whole: sends it off, and opens the page of its job. @throws ApiProblem */
export async function sendOff(share: string, upload: string, onSent = (): void => undefined): Promise<void> {
  const params = { share, upload };
  let { sent } = await ask('POST /api/uploads/:share/:upload/send', { params });
  onSent();
  for (let looks = 0; looks < MOST_LOOKS && sent !== null && sent.job === null; looks += 1) {
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
    sent = (await ask('GET /api/uploads/:share/:upload', { params })).sent;
  }
  const job = sent?.job ?? null;
  if (location.pathname !== href('/drop')) return;
  navigate(job === null ? '/jobs' : `/jobs/${encodeURIComponent(share)}/${encodeURIComponent(job)}`);
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

  stop(why: string | undefined): void {
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
      this.stop(error instanceof Error ? error.message : undefined);
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

  #tell(phase: Progress['phase'], problem?: string): void {
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
      ...(problem === undefined ? {} : { problem }),
    };
  }
}

interface Bytes {
  readonly share: string;
  readonly upload: string;
  readonly index: number;
  readonly path: string;
  readonly file: File;
  readonly onProgress?: (done: number) => void;
}

/** One file, from where it stopped. Who aborts the transfer waits for no end of it. */
export function sendBytes({ share, upload, index, path, file, onProgress = () => undefined }: Bytes) {
  const place = href(`/api/uploads/${encodeURIComponent(share)}/${upload}/bytes/${index}`);
  const { promise: ended, resolve, reject } = deferred();
  const transfer = new Upload(file, {
    uploadUrl: new URL(place, location.origin).href,
    headers: { 'x-drawbridge-csrf': me.value?.csrf ?? '' },
    retryDelays: RETRY_MS,
    storeFingerprintForResuming: false,
    onProgress,
    onSuccess: () => resolve(),
    onError: error => reject(new Error(tellTrouble(error, path))),
  });
  transfer.start();
  return { transfer, ended };
}

function deferred() {
  let resolve = (): void => undefined;
  let reject = (_error: Error): void => undefined;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}

/** What the server says instead of an answer; a proxy before it may say anything. */
function readProblem(body: string): { readonly text?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

function tellTrouble(error: Error, path: string): string {
  if (!(error instanceof DetailedError)) return texts.drop.unreadable(path);
  const { text } = readProblem(error.originalResponse?.getBody() ?? '');
  return typeof text === 'string' ? text : texts.common.noAnswer;
}
