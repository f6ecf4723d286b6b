// Bad input of every kind, each in a process of its own: file names, configurations, files of
// ours edited by hand, answers of the service, rows and inputs of people, registers. A clear error,
// nothing lost, no crash, no endless retry.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KindResult, KindRun } from './bad-input-kind';
import { giveWay } from './give-way';
import type { ChaosPart, PartOptions, PartResult } from './part';

/** Cases of each kind. */
const KINDS = {
  answers: { short: 2_000, long: 80_000 },
  records: { short: 500, long: 10_000 },
  names: { short: 1_500, long: 30_000 },
  config: { short: 2_000, long: 50_000 },
  rows: { short: 1_500, long: 40_000 },
  sheets: { short: 3_000, long: 50_000 },
} as const;
/** Whatever takes longer hangs; another part runs beside this one, and takes most of the machine. */
const PATIENCE_MS = { short: 600_000, long: 3_600_000 } as const;
const AT_ONCE = 2;
// Tens of thousands of syncs: in memory where the system has a place for that.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const KEPT_OUTPUT = 4_000;

export const badInput: ChaosPart = {
  name: 'bad-input',
  about: 'file names, configurations, files edited by hand, answers of the service, rows, inputs, registers',
  run: runBadInput,
};

async function runBadInput(options: PartOptions): Promise<PartResult> {
  const folder = mkdtempSync(join(PLACE, 'drawbridge-bad-input-'));
  const waiting = Object.entries(KINDS).filter(([kind]) => kind.includes(options.only ?? ''));
  const results = new Map<string, KindResult>();
  const next = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      const [kind, cases] = entry;
      results.set(
        kind,
        await tryKind(kind, options, {
          seed: options.seed,
          cases: cases[options.form],
          folder: join(folder, kind),
          dist: options.dist,
        }),
      );
      options.say(`${kind}: ${results.get(kind)?.cases} cases`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const all = [...results];
  return {
    cases: all.reduce((sum, [, { cases }]) => sum + cases, 0),
    violations: all.flatMap(([, { violations }]) => violations),
    figures: Object.fromEntries(
      all.map(([kind, { cases, endings }]) => [
        kind,
        `${cases} cases (${Object.entries(endings)
          .map(([how, count]) => `${how} ${count}`)
          .join(', ')})`,
      ]),
    ),
  };
}

/** Runs one kind to its end; a process that crashes or hangs is a violation. */
async function tryKind(kind: string, options: PartOptions, run: KindRun): Promise<KindResult> {
  mkdirSync(run.folder, { recursive: true });
  const child = fork(
    join(options.dist, 'test', 'chaos', 'bad-input-process.js'),
    [kind, JSON.stringify(run)],
    {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  giveWay(child.pid);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString('utf8')}`.slice(-KEPT_OUTPUT);
  });
  let result: KindResult | undefined;
  child.on('message', message => {
    result = message as KindResult;
  });
  const ending = await endOf(child, PATIENCE_MS[options.form]);
  if (result !== undefined) return result;
  return {
    cases: 0,
    endings: {},
    violations: [{ invariant: `no ${ending}`, case: `${kind} seed ${run.seed}`, what: said }],
  };
}

async function endOf(child: ChildProcess, patienceMs: number): Promise<'crash' | 'hang'> {
  let ending: 'crash' | 'hang' = 'crash';
  const timer = setTimeout(() => {
    ending = 'hang';
    child.kill('SIGKILL');
  }, patienceMs);
  await once(child, 'exit');
  clearTimeout(timer);
  return ending;
}
