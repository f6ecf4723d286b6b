// The Ed25519 key that proofs are signed with: made when it is first needed, in the state folder, readable by
// its owner only. It never leaves this host; its public half is in every proof.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { join } from 'node:path';
import { makePrivateFile, readPrivateFile } from '../../activities/service/private-file';
import { CliError } from '../session/cli-error';
import { hashOf } from './proof-statement';

const PROOF_KEY_FILE = 'proof-key.pem';

export interface ProofKey {
  /** PEM. */
  readonly publicKey: string;
  /** SHA-256 of the public key in its DER form: what people compare and pin. */
  readonly fingerprint: string;
  sign(text: string): Buffer;
}

export async function readProofKey(stateDir: string): Promise<ProofKey> {
  const path = join(stateDir, PROOF_KEY_FILE);
  const what = `the key of proofs, ${path},`;
  if ((await readPrivateFile(path, what)) === null) await makeKey(path);
  const pem = await readPrivateFile(path, what);
  const key = pem === null ? undefined : parseKey(pem);
  if (key === undefined) throw new CliError(`${path} holds no Ed25519 key; it was not replaced.`);
  const publicKey = createPublicKey(key);
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: fingerprintOf(publicKey),
    sign: text => sign(null, Buffer.from(text), key),
  };
}

export function fingerprintOf(key: KeyObject): string {
  return hashOf(key.export({ type: 'spki', format: 'der' }));
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

async function makeKey(path: string): Promise<void> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  await makePrivateFile(path, pem.toString());
}
