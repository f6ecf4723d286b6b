// The Ed25519 key that proofs are signed with: made when it is first needed, in the state folder, readable by
// its owner only. It never leaves this host; its public half is in every proof.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isTaken } from '../../activities/host/file-trouble';
import { readPrivateFile } from '../../activities/service/private-file';
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
  if ((await readPrivateFile(path)) === null) await makeKey(stateDir, path);
  const pem = await readPrivateFile(path);
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

/** Of processes that start at one moment, one makes it; all others find it whole. */
async function makeKey(stateDir: string, path: string): Promise<void> {
  await mkdir(stateDir, { recursive: true });
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const draft = `${path}.tmp.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(pem);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}
