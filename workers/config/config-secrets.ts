// Reads what a secret reference points to. Faults name the reference, never what was read.

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../activities/host/clock';
import { entryOf } from '../../activities/host/entry-of';
import { codeOf } from '../../activities/host/error-code';
import { Secret } from '../../activities/service/secret';
import type { ConfigFault, ConfigReading, Environment } from './config-types';
import type { SecretReference } from './config-values';

const MAX_SECRET_BYTES = 64 * 1024;
/** A corrected secret is taken within this time; in between, no request waits for the disk. */
const READ_AGAIN_AFTER_MS = 5_000;

export type SecretOutcome = { readonly value: string } | { readonly fault: string };

/**
 * The secret, or why it cannot be had. Relative paths of files begin at `folder`; a line
 * end at the end of a file is not part of the secret.
 */
export function readSecret(
  reference: SecretReference,
  environment: Environment,
  folder: string,
): SecretOutcome {
  if ('env' in reference) {
    const value = entryOf(environment, reference.env);
    return value === undefined || value === ''
      ? { fault: `the environment variable ${reference.env} is not set` }
      : { value };
  }
  try {
    const path = resolve(folder, reference.file);
    const looseness = findLooseness(path);
    if (looseness !== undefined) return { fault: `the file ${reference.file} ${looseness}` };
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (value === '') return { fault: `the file ${reference.file} is empty` };
    return value.length > MAX_SECRET_BYTES
      ? { fault: `the file ${reference.file} is no secret: too long` }
      : { value };
  } catch (error) {
    const code = codeOf(error);
    return { fault: `the file ${reference.file} cannot be read (${String(code)})` };
  }
}

/**
 * Why a file is no place for a secret: others could change or read it. A group may read what belongs to root,
 * for that is how somebody else gets to read it; what is our own needs none. Under `/run/secrets` the files
 * of a container orchestrator are often readable by all, who are alone in the container.
 */
function findLooseness(path: string): string | undefined {
  // Windows has no such modes.
  if (process.getuid === undefined) return undefined;
  const { mode, uid } = statSync(path);
  if (uid !== 0 && uid !== process.getuid()) return 'belongs to another user: chown it to the one we run as';
  if ((mode & 0o022) !== 0) return 'can be changed by other users: chmod 600';
  const isMounted = /^\/(?:var\/)?run\/secrets\//.test(path);
  if (isMounted) return undefined;
  if ((mode & 0o004) !== 0) return 'can be read by every user of this machine: chmod 600';
  const isOwn = uid === process.getuid();
  return isOwn && (mode & 0o040) !== 0 ? 'can be read by all of its group: chmod 600' : undefined;
}

/**
 * The secret, which reads its file again when it is revealed: one that was wrong, or is replaced in time, can
 * be corrected while the process runs. While the file cannot be read, the secret stays as it was. One from
 * the environment never changes.
 */
export function createSecret(value: string, reference: SecretReference, folder: string): Secret {
  return 'env' in reference ? new Secret(value) : new FileSecret(value, reference, folder);
}

class FileSecret extends Secret {
  readonly #reference: SecretReference;
  readonly #folder: string;
  #current: string;
  #readAtMs = systemClock.monotonicMs();

  constructor(value: string, reference: SecretReference, folder: string) {
    super(value);
    this.#current = value;
    this.#reference = reference;
    this.#folder = folder;
  }

  override reveal(): string {
    if (systemClock.monotonicMs() - this.#readAtMs >= READ_AGAIN_AFTER_MS) {
      this.#readAtMs = systemClock.monotonicMs();
      const outcome = readSecret(this.#reference, {}, this.#folder);
      if ('value' in outcome) this.#current = outcome.value;
    }
    return this.#current;
  }
}

/** The secret at a path of the config file; why it cannot be had is a fault, unless secrets may be left. */
export function readReferred(
  path: string,
  reference: SecretReference,
  input: ConfigReading,
  faults: ConfigFault[],
): Secret | undefined {
  const outcome = readSecret(reference, input.environment, input.folder);
  if ('value' in outcome) return createSecret(outcome.value, reference, input.folder);
  if (input.secrets === 'read') faults.push({ path, text: outcome.fault });
  return undefined;
}

/** The same for a key; one that was read and is none is always a fault. */
export function readReferredKey(
  path: string,
  reference: SecretReference,
  input: ConfigReading,
  faults: ConfigFault[],
): Buffer | undefined {
  const text = readReferred(path, reference, input, faults);
  const key = text && parseKey(text.reveal());
  if (text !== undefined && key === undefined) {
    faults.push({ path, text: 'expected 32 bytes, as 64 hexadecimal digits or base64' });
  }
  return key;
}

/** The 32 bytes of a key as 64 hexadecimal digits or base64; undefined when it is neither. */
export function parseKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : Buffer.from(trimmed, 'base64');
  return bytes.length === 32 ? bytes : undefined;
}
