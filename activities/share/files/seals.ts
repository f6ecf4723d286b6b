// What makes a file of ours ours: a keyed checksum. Whoever can write to a share, but does not know the key,
// can plant no batch, no receipt and no record there. All hosts that share a share have the same key.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ShareError } from './share-error';

/** Kept apart, so that no file of one kind passes for one of another. */
export type SealedKind =
  | 'claim'
  | 'wanted'
  | 'manifest'
  | 'receipt'
  | 'record'
  | 'hold'
  | 'watch'
  | 'stopped'
  | 'status'
  | 'job'
  | 'job-closed'
  | 'left'
  | 'correction'
  | 'own-receipts'
  | 'held-sheet'
  | 'held-rows'
  | 'held-answers'
  | 'held-batch-answers'
  | 'test-result'
  | 'ledger'
  | 'template'
  | 'fields'
  | 'proof'
  | 'upload'
  | 'upload-sent'
  | 'dropped-by'
  | 'upload-hashes'
  | 'upload-test'
  | 'bytes';

const KEY_BYTES = 32;

export class Seals {
  /** Names the key without telling anything of it. */
  readonly keyId: string;
  readonly #key: Buffer;

  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES) throw new RangeError(`A share's key has ${KEY_BYTES} bytes.`);
    this.#key = Buffer.from(key);
    this.keyId = this.#hmac('key', '').slice(0, 16);
  }

  of(kind: SealedKind, text: string): string {
    return this.#hmac(kind, text);
  }

  /** A key for one thing alone, which tells nothing of the share's. Never written down. */
  keyFor(kind: SealedKind, text: string): Buffer {
    return Buffer.from(this.#hmac(kind, text), 'hex');
  }

  /**
   * @param label names the file in messages.
   * @throws ShareError `key-differs` when it was sealed with another key, `batch-damaged`
   * when it is not as it was written.
   */
  check(kind: SealedKind, label: string, file: { text: string; seal: string; sealedBy: string }): void {
    if (file.sealedBy === '') throw new ShareError('batch-damaged', `${label} is not sealed.`);
    if (file.sealedBy !== this.keyId) {
      throw new ShareError(
        'key-differs',
        `${label} was sealed with another key (${file.sealedBy.slice(0, 16)}) than this host has (${this.keyId}).`,
      );
    }
    const [is, be] = [Buffer.from(file.seal), Buffer.from(this.of(kind, file.text))];
    if (is.length === be.length && timingSafeEqual(is, be)) return;
    throw new ShareError('batch-damaged', `${label} was changed since it was written.`);
  }

  #hmac(kind: string, text: string): string {
    return createHmac('sha256', this.#key).update(`drawbridge ${kind}\n${text}`).digest('hex');
  }
}
