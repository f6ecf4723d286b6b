// AES-256-GCM for tokens at rest. Several keys at once, so that a key can be changed:
// the first encrypts, all decrypt.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MisconfiguredError } from '../errors';

export const sealedText = z.strictObject({
  version: z.literal(1),
  keyId: z.string(),
  iv: z.string(),
  tag: z.string(),
  data: z.string(),
});
export type SealedText = z.infer<typeof sealedText>;

export class TokenCipher {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #first: string | undefined;

  /** Throws MisconfiguredError for a key that is not 32 bytes. */
  constructor(keys: readonly Uint8Array[]) {
    if (keys.some(key => key.length !== 32)) {
      throw new MisconfiguredError("a token store's key must be 32 bytes", { effect: 'not-sent' });
    }
    this.#keys = new Map(keys.map(key => [idOfKey(key), key]));
    this.#first = keys[0] === undefined ? undefined : idOfKey(keys[0]);
  }

  get canSeal(): boolean {
    return this.#first !== undefined;
  }

  /** `bound` is authenticated with the text: a ciphertext moved to another environment does not open. */
  seal(text: string, bound: string): SealedText {
    const key = this.#first === undefined ? undefined : this.#keys.get(this.#first);
    if (key === undefined || this.#first === undefined) throw new Error('there is no key to seal with');
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    cipher.setAAD(Buffer.from(bound));
    const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return {
      version: 1,
      keyId: this.#first,
      iv: iv.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
      data: data.toString('base64'),
    };
  }

  /** Throws MisconfiguredError when the key is unknown or the text was tampered with. */
  open(sealed: SealedText, bound: string): string {
    const key = this.#keys.get(sealed.keyId);
    if (key === undefined) {
      throw new MisconfiguredError('the token store is encrypted with a key that is not configured', {
        effect: 'not-sent',
      });
    }
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.iv, 'base64'), {
        authTagLength: 16,
      });
      decipher.setAAD(Buffer.from(bound));
      decipher.setAuthTag(Buffer.from(sealed.tag, 'base64'));
      return Buffer.concat([decipher.update(Buffer.from(sealed.data, 'base64')), decipher.final()]).toString(
        'utf8',
      );
    } catch (error) {
      throw new MisconfiguredError('the token store does not open with its key', {
        effect: 'not-sent',
        cause: error,
      });
    }
  }
}

/** Kept beside the ciphertext in the clear; tells keys apart without telling anything of them. */
function idOfKey(key: Uint8Array): string {
  return createHash('sha256').update('drawbridge token key').update(key).digest('hex').slice(0, 16);
}
