// A long-running part of the cluster: its output in a file, started again when it ends by itself,
// killed on command. Behind a guard (workers/temporal/child-guard.ts), so that none outlives this
// process, whatever happens to it.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type GuardedChild, spawnGuarded } from '../../workers/temporal/child-guard';

const QUOTED_LINES = 12;

export interface ProcessInput {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Between asking it to end and killing it. */
  readonly killAfterMs: number;
  /** Asks it to end; SIGTERM otherwise. */
  readonly stopSignal?: NodeJS.Signals;
  /** As `restart: unless-stopped` of the compose file; absent: it stays ended. */
  readonly restartAfterMs?: number;
}

export class SupervisedProcess {
  readonly name: string;
  /** How often it ended by itself and was started again. */
  restarts = 0;
  readonly #input: ProcessInput;
  #child: GuardedChild | undefined;
  #isWanted = false;
  #following: Promise<void> = Promise.resolve();
  #calledOff = new AbortController();

  constructor(input: ProcessInput) {
    this.name = input.name;
    this.#input = input;
  }

  get logFile(): string {
    return this.#input.logFile;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Throws when it does not run. */
  get pid(): number {
    if (this.#child === undefined) throw new Error(`${this.name} does not run`);
    return this.#child.pid;
  }

  async start(): Promise<void> {
    this.#isWanted = true;
    this.#calledOff = new AbortController();
    await this.#spawn();
    this.#following = this.#follow();
    // Whoever stops it hears of what went wrong; until then nobody listens.
    this.#following.catch(() => undefined);
  }

  /** As the loss of a machine would: nothing is finished, nothing is said. Its own children go with it. */
  async kill(children: readonly number[] = []): Promise<void> {
    const child = this.#stopWanting();
    if (child === undefined) return;
    for (const pid of [child.pid, ...children]) sendSignal(pid, 'SIGKILL');
    await child.exited;
    await this.#following;
  }

  /** Asks it to end and waits until it has. Harmless when it does not run. */
  async stop(): Promise<void> {
    const child = this.#stopWanting();
    if (child !== undefined) {
      if (this.#input.stopSignal !== undefined) sendSignal(child.pid, this.#input.stopSignal);
      await child.stop();
    }
    await this.#following;
  }

  /** The end of its output, for messages. */
  lastLines(): string {
    const lines = readFileSync(this.#input.logFile, 'utf8').trimEnd().split('\n').slice(-QUOTED_LINES);
    return lines.map(line => `  ${line.slice(0, 300)}`).join('\n');
  }

  #stopWanting(): GuardedChild | undefined {
    this.#isWanted = false;
    this.#calledOff.abort();
    return this.#child;
  }

  async #spawn(): Promise<void> {
    const { command, args, environment, logFile, killAfterMs } = this.#input;
    const log = openSync(logFile, 'a', 0o644);
    try {
      this.#child = await spawnGuarded({ command, args, environment, outputFd: log, killAfterMs });
    } finally {
      closeSync(log);
    }
  }

  async #follow(): Promise<void> {
    for (;;) {
      await this.#child?.exited;
      this.#child = undefined;
      const pauseMs = this.#input.restartAfterMs;
      if (!this.#isWanted || pauseMs === undefined) return;
      await delay(pauseMs, undefined, { signal: this.#calledOff.signal }).catch(() => undefined);
      if (!this.#isWanted) return;
      this.restarts += 1;
      await this.#spawn();
    }
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
