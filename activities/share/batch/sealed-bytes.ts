// The seals of a file's bytes, between the manifest that keeps them and the upload engine that makes
// and checks them: their key comes from the share's own and a salt.

import { randomBytes } from 'node:crypto';
import { ByteSeals, type KeptByteSeals } from '../../transfer/hashing/byte-seals';
import type { Seals } from '../files/seals';

/** For one pass over a file: what to seal its bytes with, and what the manifest keeps of that. */
export function beginSealing(seals: Seals): {
  readonly key: Buffer;
  keep(tags: readonly string[] | undefined): { readonly byteSeals?: { salt: string; tags: string[] } };
} {
  const salt = randomBytes(16).toString('hex');
  return {
    key: seals.keyFor('bytes', salt),
    keep: tags => (tags === undefined ? {} : { byteSeals: { salt, tags: [...tags] } }),
  };
}

export function openByteSeals(seals: Seals, { salt, tags }: KeptByteSeals): ByteSeals {
  return new ByteSeals(seals.keyFor('bytes', salt), tags);
}
