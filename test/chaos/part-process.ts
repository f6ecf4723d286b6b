// Runs one part as a process of its own: parts that run beside each other share neither an event
// loop, in which the stand-in answers, nor their end. What it says is passed on line by line, with
// the name of the part before it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { PartReport } from './part';

export interface PartProcess {
  readonly part: string;
  /** Of the suite's own program, without the part and what is added here. */
  readonly arguments: readonly string[];
  readonly program: string;
  /** For its results. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** A part whose process ends without a result is a violation: silence proves nothing. */
export async function runAsProcess(input: PartProcess): Promise<PartReport> {
  const { part, program, folder, say } = input;
  const began = performance.now();
  const file = join(folder, `${part}.json`);
  // Of an earlier look.
  rmSync(file, { force: true });
  const child = fork(program, [part, ...input.arguments, '--json', file], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // It ends with the suite, however that ends.
    execArgv: ['-r', join(__dirname, 'fault-orphan.js')],
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', line => say(`${part}| ${line}`));
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const [report] = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PartReport[]) : [];
  if (report !== undefined) return report;
  const what = `its process ended (${signal ?? `exit code ${code}`}) without a result`;
  return {
    part,
    seconds: Math.round((performance.now() - began) / 1_000),
    cases: 0,
    violations: [{ invariant: 'the part runs', case: part, what }],
    figures: {},
  };
}
