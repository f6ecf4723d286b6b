// The bytes of one file, by the tus protocol: from where it stopped, and again after a broken connection.
import { DetailedError, Upload } from 'tus-js-client';
import { ApiProblem } from './api';
import { drawId } from './draw-id';
import { me } from './me';
import { href } from './router';
import { texts } from './texts';

/** The name of this window, until it is loaded anew. */
export const WINDOW = drawId();
/** The status of a response that says: another window is sending this upload. */
export const ELSEWHERE = 423;
const RETRY_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000];

interface Bytes {
  readonly share: string;
  readonly upload: string;
  readonly index: number;
  readonly path: string;
  readonly file: File;
  readonly onProgress?: (done: number) => void;
}

/**
 * One file, from where it stopped. `ended` resolves with its last byte, rejects with an error for people, and
 * never settles once `transfer` is aborted. `onProgress` gets the bytes that are there so far.
 */
export function sendBytes({ share, upload, index, path, file, onProgress = () => undefined }: Bytes) {
  const place = href(`/api/uploads/${encodeURIComponent(share)}/${upload}/bytes/${index}`);
  const { promise: ended, resolve, reject } = deferred();
  const transfer = new Upload(file, {
    uploadUrl: new URL(place, location.origin).href,
    headers: { 'x-drawbridge-csrf': me.value?.csrf ?? '', 'x-drawbridge-window': WINDOW },
    retryDelays: RETRY_MS,
    // Of refusals only 409 is tried again: the server is at another byte than we are, and tus asks where.
    onShouldRetry: error => {
      const status = error.originalResponse?.getStatus() ?? 0;
      return status < 400 || status >= 500 || status === 409;
    },
    storeFingerprintForResuming: false,
    onProgress,
    onSuccess: () => resolve(),
    onError: error => reject(toTrouble(error, path)),
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

/** What the server says instead of an answer; a proxy in front of it may say anything. */
function readProblem(body: string): { readonly text?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

function toTrouble(error: Error, path: string): Error {
  if (!(error instanceof DetailedError)) return new Error(texts.drop.unreadable(path));
  const status = error.originalResponse?.getStatus() ?? 0;
  if (status === ELSEWHERE) return new ApiProblem(status, texts.drop.elsewhere);
  const { text } = readProblem(error.originalResponse?.getBody() ?? '');
  return new ApiProblem(status, typeof text === 'string' ? text : texts.common.noAnswer);
}
