// Runs a program that must outlive Ctrl-C in the terminal but never its parent, not
// even when that is killed with -9.
//
// Between us and the program stands a tiny Node process in a session of its own. It holds the
// reading end of a pipe that only we write to; when we are gone, whatever the reason, the pipe ends
// and it takes the program down.
import { type ChildProcess, spawn } from 'node:child_process';

export interface GuardedChildInput {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Open file descriptor for both outputs; absent: nothing is kept. */
  readonly outputFd?: number | undefined;
  /** Between asking the program to end and killing it. */
  readonly killAfterMs: number;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface GuardedChild {
  /** The program's own pid. */
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  /** Asks the program to end, kills it after the grace time; resolves once it is gone. */
  stop(): Promise<ChildExit>;
}

/** Starts the program behind its guard. Rejects when it cannot be started at all. */
export async function spawnGuarded(input: GuardedChildInput): Promise<GuardedChild> {
  const output = input.outputFd ?? 'ignore';
  const program = JSON.stringify([input.command, input.args, input.killAfterMs]);
  const guard = spawn(process.execPath, ['-e', `(${guardProgram.toString()})()`, '--', program], {
    detached: true,
    stdio: ['pipe', output, output, 'ipc'],
    env: { ...input.environment },
  });
  // Writing fails once the guard has gone; its exit tells that already.
  guard.stdin?.on('error', () => undefined);
  const exited = new Promise<ChildExit>(resolve => {
    guard.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const pid = await firstMessage(guard, exited, input.command);
  // The channel for messages has brought its one message; from here on the pipe shows that we are alive.
  guard.disconnect();
  return {
    pid,
    exited,
    stop: () => {
      guard.stdin?.end();
      return exited;
    },
  };
}

function firstMessage(guard: ChildProcess, exited: Promise<ChildExit>, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    guard.once('error', reject);
    guard.once('message', message => {
      if (typeof message === 'number') resolve(message);
      else reject(new Error(`${command} cannot be started (${String(message)})`));
    });
    void exited.then(() => reject(new Error(`${command} ended before it had started`)));
  });
}

/** The guard's whole program. It is sent as text, so it may use nothing from around it. */
function guardProgram(): void {
  const { spawn: start } = process.getBuiltinModule('node:child_process');
  const [command, args, killAfterMs] = JSON.parse(process.argv.at(-1) ?? '[]') as [string, string[], number];
  // What the guard itself was given: nothing of it is to be kept from the program.
  const child = start(command, args, { env: process.env, stdio: ['ignore', 'inherit', 'inherit'] });
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), killAfterMs).unref();
  };
  // Once the other end is gone, saying anything fails; the pipe below is what counts then.
  const tell = (message: number | string, then?: () => void): void => {
    if (process.connected) process.send?.(message, undefined, {}, () => then?.());
    else then?.();
  };
  child.once('spawn', () => tell(child.pid ?? 0));
  child.once('error', error => {
    tell(String((error as { code?: unknown }).code), () => process.exit(127));
  });
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 143)));
  process.stdin.resume();
  process.stdin.once('end', end);
  process.stdin.once('error', end);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
}
