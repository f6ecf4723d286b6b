// What every kill case stands on: the files of its play, a share, a stand-in and a namespace of its own, and
// processes of the product that end at the boundary they are ordered to.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ingestWorkflowId } from '../../workflows/contract';
import { DEFAULT_PROJECTS } from '../sandbox/defaults';
import { FAST_SHARE, Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { KILLED } from './boundaries-counter';
import { BOUNDARIES_VARIABLE, type BoundariesOrder } from './boundaries-preload';
import { readRows, type ShareValues } from './foretold-values';
import { giveWay } from './give-way';
import { judge } from './judge';
import { compareEnds, judgeFixedPoint } from './judge-end';
import { collectEvidence, type DroppedFile, type Evidence } from './judge-evidence';
import type { Interruption } from './judge-rule';
import { type KillPlay, SEGMENT_BYTES } from './kill-plays';
import { hasOpenJobs } from './open-jobs';
import type { Violation } from './part';
import { mostRequestsOf, NO_ROOM } from './request-budget';

const LOOK_EVERY_MS = 100;
/**
 * A killed activity is found after half a minute, a claim that nobody signs after five
 * minutes; on a machine that is busy.
 */
const PATIENCE_MS = 480_000;
/** A new watcher looks for unfinished batches at once and scans every half second. */
const RECOVERY_MS = 1_500;

class NotSettledInTime extends Error {
  constructor(seen: string) {
    super(`Not settled in time: ${seen}`);
    this.name = 'NotSettledInTime';
  }
}

const PRELOAD = join(__dirname, 'boundaries-preload.js');

export interface KillBedOptions {
  readonly play: KillPlay;
  readonly dist: string;
  readonly case: string;
  /** Of a server of its own. */
  readonly temporalAddress?: string;
}

export class KillBed {
  readonly rig: Rig;
  readonly #options: KillBedOptions;
  readonly #dropped: DroppedFile[] = [];
  #drops = 0;
  /** When what was under way was cut. */
  readonly interruptions: Interruption[] = [];
  #workers = 0;
  readonly #processes: WorkerProcess[] = [];

  private constructor(rig: Rig, options: KillBedOptions) {
    this.rig = rig;
    this.#options = options;
  }

  static async open(options: KillBedOptions): Promise<KillBed> {
    const rig = await Rig.start({
      share: options.play.share,
      ...(options.temporalAddress === undefined ? {} : { temporalAddress: options.temporalAddress }),
    });
    for (const fileName of options.play.notAnalysed) {
      await rig.control.addFault({
        route: 'analysis',
        times: 0,
        match: { fileName },
        action: { kind: 'analysis-error' },
      });
    }
    const bed = new KillBed(rig, options);
    bed.drop();
    return bed;
  }

  /** Puts the files into the drop folder, below a folder of their own when there are some already. */
  drop(): void {
    const turn = this.#drops;
    this.#drops += 1;
    const { register, registerOfThose = {}, takenUp = [], files: dropped } = this.#options.play;
    if (turn === 0) {
      for (const [path, sha256] of this.rig.dropFiles(register)) this.#dropped.push({ path, sha256 });
      for (const [path, content] of Object.entries(registerOfThose)) {
        this.#dropped.push({ path, sha256: createHash('sha256').update(content).digest('hex') });
      }
    }
    const files = Object.entries(dropped).map(
      ([path, content]) => [turn === 0 ? path : `Again ${turn}/${path}`, content] as const,
    );
    for (const [path, sha256] of this.rig.dropFiles(Object.fromEntries(files))) {
      this.#dropped.push({ path, sha256, healthy: true, drops: takenUp.includes(path) ? 2 : 1 });
    }
  }

  /** @param killAt where it ends; absent: nowhere, its boundaries are only counted. */
  start(command: 'worker' | 'watch', killAt?: string): WorkerProcess {
    const order: BoundariesOrder = {
      roots: { share: join(this.rig.folder, 'share'), state: join(this.rig.folder, 'state') },
      logFile: this.#logFile(command, this.#processes.length),
      killAt,
      segmentBytes: SEGMENT_BYTES,
    };
    const started = new WorkerProcess(this.rig, {
      command,
      dist: this.#options.dist,
      // A process of a case lives for seconds: to compile hot code costs it more than it gains.
      execArgv: ['--no-opt', '-r', PRELOAD],
      env: { [BOUNDARIES_VARIABLE]: JSON.stringify(order), DRAWBRIDGE_LOGGING__LEVEL: 'warn' },
    });
    giveWay(started.pid);
    if (command === 'worker') this.#workers += 1;
    this.#processes.push(started);
    return started;
  }

  /** What a process of this kind has passed so far, in order; of the one started last. */
  boundaries(command: 'worker' | 'watch'): string[] {
    const file = this.#logFile(command, this.#processes.length - 1);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return lines.filter(line => line !== '' && line !== KILLED);
  }

  /**
   * Waits until everything has ended, or until the process has.
   * @throws {NotSettledInTime} when nothing of this happens; another error when
   * the process gives up by itself.
   */
  async untilSettledOrEnded(process: WorkerProcess): Promise<'settled' | 'killed'> {
    let ending: string | undefined;
    void process.ended.then(({ code, signal }) => {
      ending = signal ?? `exit code ${code}`;
    });
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      if (ending === 'SIGKILL') {
        const now = Date.now();
        this.interruptions.push({ kind: 'killed', from: now, until: now });
        return 'killed';
      }
      if (ending !== undefined) throw new Error(`A process ended by itself: ${ending}; ${this.#tail()}`);
      this.#options.play.tend?.(join(this.rig.folder, 'share'));
      if (await this.isSettled()) return 'settled';
      if (performance.now() > deadline) throw new NotSettledInTime(this.#tellState());
      await delay(LOOK_EVERY_MS);
    }
  }

  /**
   * Every file accounted for by a final receipt, no batch and no job open, every run ended; false while
   * Temporal is away.
   */
  async isSettled(): Promise<boolean> {
    const receipts = this.rig.receipts();
    const rows = receipts.reduce((sum, { files }) => sum + files.length, 0);
    const documents = this.#dropped.filter(({ healthy }) => healthy);
    if (
      rows < documents.length + (this.#options.play.takenUp ?? []).length ||
      this.#openBatches().length > 0 ||
      hasOpenJobs(join(this.rig.folder, 'share'))
    )
      return false;
    const { project } = this.rig.config.shares[0] ?? {};
    for (const { batchId } of receipts) {
      if (project === undefined) return false;
      const handle = this.rig.temporal.client.workflow.getHandle(ingestWorkflowId(project, batchId));
      const run = await handle.describe().catch(() => undefined);
      if (run === undefined || run.status.name === 'RUNNING') return false;
    }
    return true;
  }

  /**
   * Without the folders of claims that ended before anybody had signed them: they are
   * empty, and removed after minutes.
   */
  async evidence(): Promise<Evidence> {
    const evidence = await collectEvidence(this.rig.control, join(this.rig.folder, 'share'), this.#dropped);
    const { share } = evidence;
    const batches = share.batches.filter(
      ({ batchId, isFinished }) =>
        isFinished || !this.#isUnsigned(batchId) || share.files.some(file => file.batchId === batchId),
    );
    return { ...evidence, share: { ...share, batches } };
  }

  /**
   * The end against all invariants, against the end without a fault, and whether
   * recovering from it writes anything.
   */
  async judgeEnd(faultless: Evidence | undefined): Promise<Violation[]> {
    const { case: name } = this.#options;
    const before = await this.evidence();
    await this.rig.stopWatcher();
    await this.rig.startWatcher();
    await delay(RECOVERY_MS);
    const after = await this.evidence();
    return [
      ...judge(after, {
        mode: 'at-rest',
        case: name,
        projectId: DEFAULT_PROJECTS.plain,
        values: toValues(this.#options.play),
        mostRequests: mostRequestsOf(after, {
          workers: this.#workers,
          furtherSegments: this.#drops * countFurtherSegments(this.#options.play),
          interruptions: this.interruptions.length,
          deeds: (this.#options.play.takenUp ?? []).length,
          room: NO_ROOM,
        }),
        interruptions: this.interruptions,
      }),
      ...(faultless === undefined ? [] : compareEnds(before, faultless, name)),
      ...judgeFixedPoint(before, after, name),
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map(each => each.kill()));
    await this.rig.close();
  }

  #logFile(command: string, turn: number): string {
    return join(this.rig.folder, `boundaries-${command}-${turn}.log`);
  }

  get #batches(): string {
    return join(this.rig.folder, 'share', '.drawbridge', 'batches');
  }

  #openBatches(): string[] {
    if (!existsSync(this.#batches)) return [];
    return readdirSync(this.#batches).filter(batchId => !this.#isUnsigned(batchId));
  }

  /** Nothing is put into a batch's folder before the claim. */
  #isUnsigned(batchId: string): boolean {
    const has = (name: string) => existsSync(join(this.#batches, batchId, name));
    return !has('claim.json') && !has('batch.json') && !has('files');
  }

  #tellState(): string {
    const rows = this.rig
      .receipts()
      .flatMap(({ files }) => files.map(({ path, outcome }) => `${path} ${outcome}`));
    return `receipts: ${rows.join(', ') || 'none'}; open batches: ${this.#openBatches().join(', ') || 'none'}; ${this.#tail()}`;
  }

  #tail(): string {
    const file = join(this.rig.folder, 'worker.log');
    return existsSync(file) ? `log: ${readFileSync(file, 'utf8').slice(-1_500)}` : 'no log';
  }
}

function countFurtherSegments({ files }: KillPlay): number {
  const segments = Object.values(files).map(({ length }) => Math.ceil(length / SEGMENT_BYTES) - 1);
  return segments.reduce((sum, count) => sum + Math.max(0, count), 0);
}

/** The rows of what is taken up again are those that count at the end. */
function toValues({ share, register, registerOfThose = {} }: KillPlay): ShareValues {
  const rows = [register, registerOfThose].flatMap(sheets => [...readRows(sheets)]);
  return { ...FAST_SHARE, ...share, rows: new Map(rows) };
}

/** What ended a case before it could be judged: its lateness, or a fault. */
export function toViolation(error: unknown, name: string): Violation {
  const invariant = error instanceof NotSettledInTime ? 'the case ends' : 'the case runs';
  return { invariant, case: name, what: String(error) };
}
