// A copy of the tree for bugs to be put into, and a process that runs its tests.
// Nothing of it is ever written back.
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalTests } from './needs-temporal';
import type { Order, Outcome } from './slot';

const FOLDERS = ['activities', 'client', 'docs', 'scripts', 'test', 'workers', 'workflows'];
const FILES = [
  'jest.config.js',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'Dockerfile',
  'README.md',
];
const MORE_FILES = ['docker-compose.temporal.yml', 'drawbridge.example.json', 'biome.json', 'docker'];

export type Run = (Outcome & { readonly kind: 'ended' }) | { readonly kind: 'hung' };

/** Where nothing but a time-out has told, it did not end. */
export function toRun(outcome: Outcome): Run {
  const isHung = outcome.timedOut > 0 && outcome.failed === outcome.timedOut;
  return isHung ? { kind: 'hung' } : { kind: 'ended', ...outcome };
}

export class Workshop {
  readonly root: string;
  /** What a bug may do to somebody's files it does to these: none. */
  readonly #home: string;
  readonly #needsTemporal: (test: string) => boolean;
  #slot: ChildProcess | undefined;

  constructor(source: string) {
    this.root = mkdtempSync(join(tmpdir(), 'drawbridge-mutate-'));
    for (const name of [...FOLDERS, ...FILES, ...MORE_FILES]) {
      cpSync(join(source, name), join(this.root, name), { recursive: true });
    }
    this.#home = `${this.root}-home`;
    mkdirSync(this.#home);
    // Only read: no test writes there, and a copy would take longer than many bugs.
    symlinkSync(join(source, 'node_modules'), join(this.root, 'node_modules'));
    this.#needsTemporal = findTemporalTests(this.root);
    process.once('exit', this.close);
  }

  /**
   * Runs the tests with `text` in place of the file's own, which is put back afterwards. One that stands
   * still takes a part of the time only: others may say what is wrong.
   */
  async runWith(
    file: string,
    text: string,
    order: Pick<Order, 'tests' | 'only'>,
    limitMs: number,
  ): Promise<Run> {
    const path = join(this.root, file);
    const own = readFileSync(path, 'utf8');
    writeFileSync(path, text);
    try {
      return await this.run(order, limitMs, limitMs / 4);
    } finally {
      writeFileSync(path, own);
    }
  }

  /** @param mostMs most that one test may take. */
  async run({ tests, only }: Pick<Order, 'tests' | 'only'>, limitMs: number, mostMs?: number): Promise<Run> {
    const slot = this.#slot ?? this.#open();
    const order: Order = {
      root: this.root,
      tests,
      needsTemporal: tests.some(this.#needsTemporal),
      ...(only === undefined ? {} : { only }),
      ...(mostMs === undefined ? {} : { mostMs }),
    };
    return await new Promise<Run>(resolve => {
      const settle = (run: Run) => {
        clearTimeout(timer);
        slot.removeAllListeners();
        // Also when it has ended by itself, or a test still stands there: the next order finds a fresh one.
        if (run.kind === 'hung' || run.broken + run.timedOut > 0) this.#end();
        resolve(run);
      };
      const timer = setTimeout(() => settle({ kind: 'hung' }), limitMs);
      slot.once('message', (outcome: Outcome) => settle(toRun(outcome)));
      slot.once('exit', code => {
        const detail = `the tests' process ended with ${code}`;
        // That is no test which failed: memory may have been short, or the machine's patience.
        settle({ kind: 'ended', passed: 0, failed: 0, broken: 1, detail, failedTests: [], timedOut: 0 });
        this.#slot = undefined;
      });
      slot.send(order);
    });
  }

  readonly close = (): void => {
    process.removeListener('exit', this.close);
    this.#end();
    for (const folder of [this.root, this.#home])
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };

  #open(): ChildProcess {
    const slot = fork(join(__dirname, 'slot.js'), {
      cwd: this.root,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {
        ...process.env,
        HOME: this.#home,
        // The Temporal CLI lies there; it is not fetched for each copy.
        XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
        NODE_ENV: 'test',
        JEST_WORKER_ID: '1',
      },
    });
    this.#slot = slot;
    return slot;
  }

  #end(): void {
    this.#slot?.removeAllListeners();
    this.#slot?.kill('SIGKILL');
    this.#slot = undefined;
  }
}
