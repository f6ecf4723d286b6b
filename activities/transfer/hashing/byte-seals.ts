// Seals of bytes: by them the bytes of a file are known again on their way out for a fifth of what a
// second SHA-256 costs. They are AES-GMAC, made in the pass that hashes a claimed file, with a key that
// whoever writes to the share does not know: other bytes with the same seal cannot be made up, as they
// could for a checksum.

import { createCipheriv } from 'node:crypto';
import type { StreamHash } from './stream-hash';

/** As a manifest keeps them. */
export interface KeptByteSeals {
  /** New for every pass over a file: a key is never used for two contents. */
  salt: string;
  /** One a segment, in order; lower-case hex. */
  tags: readonly string[];
}

/** The seals of one file, with the key that they are checked with: that stays inside, out of logs. */
export class ByteSeals {
  readonly #key: Buffer;
  readonly #tags: readonly string[];

  constructor(key: Buffer, tags: readonly string[]) {
    this.#key = key;
    this.#tags = tags;
  }

  /** What the segment's bytes have to come to. */
  tag(segment: number): string | undefined {
    return this.#tags[segment];
  }

  /** On the event loop: a MiB takes 0.1 ms, less than the way to a thread and back. */
  openStream(segment: number): StreamHash {
    const mac = createCipheriv('aes-256-gcm', this.#key, nonceOf(segment));
    const add = (shared: SharedArrayBuffer, length: number) => {
      mac.setAAD(new Uint8Array(shared, 0, length));
    };
    return {
      async update(shared, length) {
        add(shared, length);
      },
      async finish(shared, length) {
        add(shared, length);
        mac.final();
        return mac.getAuthTag().toString('hex');
      },
      abandon() {},
    };
  }
}

/** hash-thread.ts, which may use nothing from outside, counts in the same way. */
function nonceOf(segment: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(segment, 8);
  return nonce;
}
