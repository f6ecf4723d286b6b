// Runs a script of the tests in a process of its own, for what only a real process
// can show: races, kills, memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export interface RunningChild {
  readonly process: ChildProcess;
  /** Lines of JSON that the script has printed so far. */
  readonly lines: unknown[];
  /** Resolves with the exit code, or the name of the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Resolves with the first line that passes; rejects when the process ends without one. */
  line(isIt: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
}

/** @param script relative to the tests' folder; its argument is one JSON value. */
export function runScript(script: string, input: unknown, options: readonly string[] = []): RunningChild {
  const root = join(__dirname, '..', '..');
  const child = spawn(
    process.execPath,
    [
      '--no-warnings',
      ...options,
      '-r',
      join(__dirname, '../../setup/typescript-hook.cjs'),
      join(root, script),
      JSON.stringify(input),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const lines: unknown[] = [];
  const checks = new Set<() => void>();
  let pending = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (pending + text).split('\n');
    pending = parts.pop() ?? '';
    lines.push(...parts.filter(part => part.startsWith('{')).map(part => JSON.parse(part)));
    for (const check of checks) check();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<number | NodeJS.Signals | null>(resolve => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return {
    process: child,
    lines,
    ended,
    async line(isIt) {
      return await new Promise((resolve, reject) => {
        const check = () => {
          const found = (lines as Record<string, unknown>[]).find(isIt);
          if (found === undefined) return;
          checks.delete(check);
          resolve(found);
        };
        checks.add(check);
        check();
        void ended.then(code =>
          reject(new Error(`The script ended first (${code}): ${errors.slice(-2_000)}`)),
        );
      });
    },
  };
}
