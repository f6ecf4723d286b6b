// Writes to a file as its bytes come: one piece is on its way to the share while the next one gathers.
import type { GrowingFile } from '../../files/growing-file';
import { ShareError } from '../../files/share-error';

/** A request brings some 64 KiB at a time: to write each by itself would wait for the share too often. */
const PIECE_BYTES = 1024 ** 2;

/** At most the last so many bytes of a file are not yet on disk: after a crash these are sent again. */
export const SYNC_BYTES = 64 * PIECE_BYTES;

interface Growth {
  /** All before it is on disk. */
  readonly at: number;
  readonly sizeBytes: number;
  readonly source: AsyncIterable<Uint8Array>;
  /** Called each time that some of it is written, with the size that the file has now. */
  readonly onWritten: (sizeBytes: number) => void;
}

/** What came before an error is written all the same. */
export async function growFile(
  file: GrowingFile,
  { at, sizeBytes, source, onWritten }: Growth,
): Promise<void> {
  let pieces: Uint8Array[] = [];
  let gathered = 0;
  let written = at;
  let synced = at;
  let writing: Promise<void> = Promise.resolve();
  const write = async (bytes: Uint8Array) => {
    // Before and not after it: nothing is ever further from what is on disk than that.
    if (written + bytes.length - synced > SYNC_BYTES) {
      await file.sync();
      synced = written;
    }
    await file.write(bytes, written);
    written += bytes.length;
    onWritten(written);
  };
  const writeGathered = async () => {
    await writing;
    if (gathered === 0) return;
    writing = write(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    // An error is thrown where `writing` is awaited: with the next piece, or at the end.
    writing.catch(() => undefined);
    pieces = [];
    gathered = 0;
  };
  let taken = at;
  try {
    for await (const chunk of source) {
      taken += chunk.length;
      if (taken > sizeBytes) throw new ShareError('bad-request', 'More bytes came than the file has.');
      pieces.push(chunk);
      gathered += chunk.length;
      if (gathered >= PIECE_BYTES) await writeGathered();
    }
  } finally {
    await writeGathered();
    await writing;
  }
}
