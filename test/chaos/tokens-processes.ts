// The processes that share a login: asked, killed, and started again.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TokenOrder, TokenReport } from '../activities/service/tokens/token-process';

/** No report within this long is a hang. */
const PATIENCE_MS = 20_000;

export class TokenProcesses {
  readonly #dist: string;
  readonly #arguments: readonly string[];
  readonly #living = new Map<string, ChildProcess>();
  #count = 0;
  kills = 0;

  constructor(dist: string, folder: string, authUrl: string, firstToken: string) {
    this.#dist = dist;
    this.#arguments = [folder, authUrl, firstToken];
  }

  get names(): readonly string[] {
    return [...this.#living.keys()];
  }

  isAlive(name: string): boolean {
    return this.#living.has(name);
  }

  /** Starts processes until there are `count`. */
  async fill(count: number): Promise<void> {
    await Promise.all(Array.from({ length: Math.max(0, count - this.#living.size) }, () => this.#start()));
  }

  async #start(): Promise<void> {
    this.#count += 1;
    const name = `process-${this.#count}`;
    const child = fork(
      join(this.#dist, 'test', 'activities', 'service', 'tokens', 'token-process.js'),
      [...this.#arguments, name],
      { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    await once(child, 'message');
    this.#living.set(name, child);
  }

  /** The process's report; undefined when it is killed meanwhile. Throws when it says nothing for long. */
  async ask(name: string, order: TokenOrder): Promise<TokenReport | undefined> {
    const child = this.#living.get(name);
    if (child === undefined) return undefined;
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(new Error(`${name} says nothing`)), PATIENCE_MS);
    const report = once(child, 'message', { signal: over.signal }).then(
      ([message]) => message as TokenReport,
    );
    const ended = once(child, 'exit', { signal: over.signal }).then(() => undefined);
    // The one that comes second ends with the abort below.
    for (const each of [report, ended]) each.catch(() => undefined);
    try {
      child.send({ ...order, tells: true } satisfies TokenOrder, () => undefined);
      return await Promise.race([report, ended]);
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  /** As a power cut would. */
  async kill(name: string): Promise<void> {
    const child = this.#living.get(name);
    if (child === undefined) return;
    this.#living.delete(name);
    this.kills += 1;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await Promise.all(this.names.map(async name => await this.kill(name)));
  }
}
