// Verifies a proof from its bytes alone: no service, no share, no Temporal. Tells all that is wrong with it
// by name, and what a proof that is whole says.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { comparePaths } from '../../activities/share/files/relative-path';
import { unpackProof } from './proof-archive';
import { fingerprintOf } from './proof-key';
import {
  hashOf,
  type ProofStatement,
  PUBLIC_KEY,
  parseStatement,
  SIGNATURE,
  STATEMENT,
} from './proof-statement';

export interface ProofReport {
  readonly isWhole: boolean;
  /** One sentence each; empty for a proof that is whole. */
  readonly faults: readonly string[];
  /** Of the key that is in it; undefined when there is none. */
  readonly keySha256: string | undefined;
  /** That the key is the one that the caller trusts. */
  readonly isKeyPinned: boolean;
  /** What the proof says; only when its signature holds. */
  readonly statement: ProofStatement | undefined;
}

export interface VerifyOptions {
  /** Fingerprint of the key that is trusted. */
  readonly key?: string | undefined;
  /** The proof before this one, when it is at hand. */
  readonly before?: Uint8Array | undefined;
}

export function verifyProof(bytes: Uint8Array, { key, before }: VerifyOptions = {}): ProofReport {
  const { files, fault } = unpackProof(bytes);
  const faults: string[] = [];
  const statement = parseStatement(files.get(STATEMENT));
  const publicKey = parseKey(files.get(PUBLIC_KEY));
  const keySha256 = publicKey && fingerprintOf(publicKey);
  if (statement === undefined)
    faults.push(tellFile(STATEMENT, files.has(STATEMENT), 'is no statement of a proof'));
  if (publicKey === undefined) faults.push(tellFile(PUBLIC_KEY, files.has(PUBLIC_KEY), 'is no Ed25519 key'));
  const isSigned = publicKey !== undefined && holds(publicKey, files.get(STATEMENT), files.get(SIGNATURE));
  if (publicKey !== undefined && !isSigned) {
    const what = `does not hold for ${STATEMENT}: one of the two, or ${PUBLIC_KEY}, was changed`;
    faults.push(tellFile(SIGNATURE, files.has(SIGNATURE), what));
  }
  if (statement !== undefined) faults.push(...compareFiles(statement, files));
  if (statement !== undefined && keySha256 !== undefined && statement.keySha256 !== keySha256)
    faults.push(`${PUBLIC_KEY} is not the key that ${STATEMENT} names.`);
  const isKeyPinned = key !== undefined && keySha256 === key.replace(/[:\s]/g, '').toLowerCase();
  if (key !== undefined && !isKeyPinned)
    faults.push('It is signed with another key than the one that you trust.');
  if (before !== undefined && statement !== undefined) faults.push(...compareChain(statement, before));
  // Told last, for it follows from the others: a file that was changed changes the archive around it, too.
  if (fault !== undefined) faults.push(fault);
  const isWhole = faults.length === 0;
  return { isWhole, faults, keySha256, isKeyPinned, statement: isSigned ? statement : undefined };
}

function tellFile(name: string, isThere: boolean, what: string): string {
  return isThere ? `${name} ${what}.` : `${name} is missing.`;
}

function parseKey(pem: Uint8Array | undefined): KeyObject | undefined {
  try {
    const key = createPublicKey(Buffer.from(pem ?? []));
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function holds(key: KeyObject, statement?: Uint8Array, signature?: Uint8Array): boolean {
  if (statement === undefined || signature === undefined) return false;
  const text = Buffer.from(signature).toString('latin1');
  const raw = Buffer.from(text, 'base64');
  // Other texts stand for the same bytes: only the one that is written counts.
  return text === `${raw.toString('base64')}\n` && verify(null, statement, key, raw);
}

function compareFiles({ files: stated }: ProofStatement, files: ReadonlyMap<string, Uint8Array>): string[] {
  const names = new Set([...Object.keys(stated), ...files.keys()]);
  return [...names].sort(comparePaths).flatMap(name => {
    if (name === STATEMENT || name === SIGNATURE) return [];
    const content = files.get(name);
    if (content === undefined) return [`${name} is missing.`];
    if (!Object.hasOwn(stated, name)) return [`${name} was added: the proof does not list it.`];
    return hashOf(content) === stated[name] ? [] : [`${name} was changed.`];
  });
}

function compareChain({ chain }: ProofStatement, before: Uint8Array): string[] {
  const earlier = verifyProof(before);
  if (!earlier.isWhole) return ['The proof before this one is not whole itself.'];
  const bytes = unpackProof(before).files.get(STATEMENT) ?? new Uint8Array();
  return chain.before === hashOf(bytes) ? [] : ['The proof before this one is not the one that it names.'];
}
