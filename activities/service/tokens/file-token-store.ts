// Tokens in one private file for each environment and client id, shared by the processes of this host.

import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../host/error-code';
import { type FileTrouble, troubleOf, troubleOfCode } from '../../host/file-trouble';
import { type HeldLock, takeLock } from '../../host/process-lock';
import { isServiceError, MisconfiguredError, ServiceUnavailableError } from '../errors';
import { ensurePrivateFolder, readPrivateFile, removeDrafts, replacePrivateFile } from '../private-file';
import { type ServiceConfig, toTarget } from '../service-config';
import { sealedText, TokenCipher } from './token-cipher';
import { type TokenRecord, type TokenStore, tokenRecord } from './token-store';

const LOCK_LIMITS = { waitMs: 120_000, staleAfterMs: 5 * 60_000 };
/**
 * So that its age tells that the owner is gone, and not how long an exchange takes: its deadline and the wait
 * for the rate limit are settings.
 */
const TOUCH_LOCK_EVERY_MS = 60_000;

export interface FileTokenStoreOptions {
  /** On a local disk; made with mode 0700 when missing. */
  readonly folder: string;
  readonly config: Pick<ServiceConfig, 'authUrl' | 'clientId'>;
  /**
   * 32 bytes each; encrypts at rest. The first key writes, all of them read; an unencrypted file is read
   * and encrypted when next saved.
   */
  readonly keys?: readonly Uint8Array[];
}

export class FileTokenStore implements TokenStore {
  readonly #folder: string;
  readonly #name: string;
  readonly #bound: string;
  readonly #cipher: TokenCipher;
  #held: HeldLock | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: FileTokenStoreOptions) {
    this.#folder = options.folder;
    this.#bound = `${toTarget(options.config.authUrl).origin}\n${options.config.clientId}`;
    this.#name = `tokens-${hash('sha256', this.#bound).slice(0, 24)}`;
    this.#cipher = new TokenCipher(options.keys ?? []);
  }

  /** Where the record is; for people who look for it. */
  get path(): string {
    return join(this.#folder, `${this.#name}.json`);
  }

  async load(): Promise<TokenRecord | null> {
    return await asStoreFault(async () => {
      await ensurePrivateFolder(this.#folder);
      const text = await readPrivateFile(this.path);
      return text === null ? null : this.#parse(text);
    });
  }

  async stamp(): Promise<string | null> {
    return await asStoreFault(async () => {
      // The file is replaced as a whole, so a new one is another inode, also within one tick of the clock.
      const found = await stat(this.path, { bigint: true }).catch((error: unknown) => {
        if (troubleOf(error) === 'gone') return null;
        throw error;
      });
      return found === null ? null : `${found.ino}/${found.mtimeNs}/${found.size}`;
    });
  }

  async save(record: TokenRecord): Promise<void> {
    await asStoreFault(async () => {
      if (this.#held === undefined) throw new Error('tokens are saved under the lock only');
      if (!(await this.#held.isHeld())) {
        throw new ServiceUnavailableError('the lock of the token store was lost', {
          fault: 'token-store',
          effect: 'unknown',
        });
      }
      const text = JSON.stringify(record);
      const stored = this.#cipher.canSeal ? JSON.stringify(this.#cipher.seal(text, this.#bound)) : text;
      await replacePrivateFile(this.path, stored);
    });
  }

  async lock<Result>(work: () => Promise<Result>): Promise<Result> {
    // One caller of this process at a time; between processes the lock file decides.
    const turn = this.#queue.then(() => this.#lockAndRun(work));
    this.#queue = turn.catch(() => undefined);
    return await turn;
  }

  async #lockAndRun<Result>(work: () => Promise<Result>): Promise<Result> {
    const held = await asStoreFault(async () => {
      await ensurePrivateFolder(this.#folder);
      const prefix = `${this.#name}.lock.`;
      const outcome = await takeLock(this.#folder, { prefix, ...LOCK_LIMITS });
      if (outcome.kind === 'taken') {
        throw new ServiceUnavailableError('the token store is locked by another process', {
          fault: 'token-store',
          effect: 'not-sent',
        });
      }
      await removeDrafts(this.path);
      return outcome.lock;
    });
    this.#held = held;
    const touching = setInterval(() => void held.touch().catch(() => undefined), TOUCH_LOCK_EVERY_MS);
    touching.unref();
    try {
      return await work();
    } finally {
      this.#held = undefined;
      clearInterval(touching);
      // A lock that cannot be released is broken by the next process once this one has ended.
      await held.release().catch(() => undefined);
    }
  }

  #parse(text: string): TokenRecord {
    const json = parseJson(text);
    const sealed = sealedText.safeParse(json);
    const record = tokenRecord.safeParse(
      sealed.success ? parseJson(this.#cipher.open(sealed.data, this.#bound)) : json,
    );
    if (!record.success) throw damaged();
    return record.data;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Files are replaced whole, so this is damage from outside; the parser's message would quote a token.
    throw damaged();
  }
}

function damaged(): MisconfiguredError {
  return new MisconfiguredError("the token store's file is damaged; remove it and log in again", {
    effect: 'not-sent',
  });
}

// The folder or file is not as it must be, and no waiting changes that.
const LASTING: ReadonlySet<FileTrouble> = new Set([
  'denied',
  'read-only',
  'no-folder',
  'is-folder',
  'link',
  'bad-name',
]);

async function asStoreFault<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (isServiceError(error) || code === undefined) throw error;
    const trouble = troubleOfCode(code);
    if (trouble !== undefined && LASTING.has(trouble)) {
      throw new MisconfiguredError(`the token store cannot be used (${code})`, {
        effect: 'not-sent',
        cause: error,
      });
    }
    throw new ServiceUnavailableError(`the token store failed (${code})`, {
      fault: 'token-store',
      effect: 'not-sent',
      cause: error,
    });
  }
}
