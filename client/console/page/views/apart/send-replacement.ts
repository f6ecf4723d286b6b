// Sends a mended file, from where it stopped if some of it has come before, and then has it go on.
import type { ApartRow, ReplacedTold } from '../../../contract/apart';
import { ask } from '../../shell/api';
import { sendBytes } from '../../shell/send-bytes';

interface Sending {
  readonly file: File;
  readonly hasLooked: boolean;
  readonly signal: AbortSignal;
  /** In per cent. */
  readonly onProgress: (done: number) => void;
  /** The upload that has all of this file already, where a later answer was lost; else undefined. */
  readonly whole: string | undefined;
  readonly onWhole: (upload: string) => void;
}

/**
 * Undefined where `signal` is aborted; it never settles where that happens while bytes are sent. @throws
 * ApiProblem where it is refused, or not answered.
 */
export async function sendReplacement(
  row: ApartRow,
  { whole, onWhole, ...sending }: Sending,
): Promise<ReplacedTold | undefined> {
  const upload = whole ?? (await sendWhole(row, sending));
  if (upload === undefined || sending.signal.aborted) return undefined;
  onWhole(upload);
  const { share, job } = row;
  return await ask('POST /api/replacements/:share/:job/:upload', { params: { share, job, upload } });
}

/** @returns the id of the upload that has all of it; undefined where `signal` was aborted. */
async function sendWhole(
  { share, job, batchId, index }: ApartRow,
  { file, hasLooked, signal, onProgress }: Omit<Sending, 'whole' | 'onWhole'>,
): Promise<string | undefined> {
  const { name, size: sizeBytes, lastModified: modifiedMs } = file;
  const body = { batchId, index, name, sizeBytes, modifiedMs, hasLooked };
  const params = { share, job };
  const { upload, isWhole } = await ask('POST /api/replacements/:share/:job', { params, body });
  if (signal.aborted) return undefined;
  if (!isWhole) {
    const tell = (done: number) => onProgress(Math.floor((100 * done) / sizeBytes));
    const { transfer, ended } = sendBytes({ share, upload, index: 0, path: name, file, onProgress: tell });
    signal.addEventListener('abort', () => void transfer.abort());
    await ended;
  }
  return upload;
}
