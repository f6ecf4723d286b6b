// Starts the stranger of `neighbour-deeds.ts`: as a user of its own where that can be had.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { StrangerReport, StrangerTask } from './neighbour-deeds';

/** "nobody" nearly everywhere; of no account that anything of ours belongs to. */
export const STRANGER = 65_534;

/** Why there is no other user here, or undefined. */
export function whyNoOtherUser(): string | undefined {
  if (process.getuid?.() !== 0) return 'this process may not run as another user';
  const { status } = spawnSync(process.execPath, ['-e', ''], { uid: STRANGER, gid: STRANGER, cwd: '/' });
  return status === 0 ? undefined : 'another user cannot run node here';
}

export class Stranger {
  readonly #child: ChildProcess;
  readonly #told: Promise<string>;

  /** @param compiled the program, which is copied to where its user can read it. */
  constructor(task: StrangerTask, isOtherUser: boolean, compiled = join(__dirname, 'neighbour-deeds.js')) {
    mkdirSync(task.home, { recursive: true });
    const program = join(task.home, 'neighbour.cjs');
    copyFileSync(compiled, program);
    chmodSync(program, 0o644);
    const as = isOtherUser ? { uid: STRANGER, gid: STRANGER } : {};
    if (isOtherUser) chownSync(task.home, STRANGER, STRANGER);
    // Its input ends with this process, and it with its input.
    this.#child = spawn(process.execPath, [program, JSON.stringify(task)], {
      ...as,
      cwd: '/',
      env: { PATH: process.env.PATH },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#told = this.#child.stdout === null ? Promise.resolve('') : text(this.#child.stdout);
  }

  /** Everything that it has exchanged is back in its place when this resolves. */
  async end(): Promise<StrangerReport> {
    const exited = this.#child.exitCode === null ? once(this.#child, 'exit') : undefined;
    this.#child.stdin?.end();
    await exited;
    return JSON.parse(await this.#told) as StrangerReport;
  }
}
