// Everything of one case: a stand-in of its own, a share in a folder, a
// namespace, and the product as processes.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { SandboxControl } from '../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { type Sandbox, type SandboxSettings, startSandbox } from '../sandbox/server';
import { type Installation, type Preload, ProductProcess } from './fault-process';
import type { ShareValues } from './foretold-values';
import type { DroppedFile, Evidence } from './judge-evidence';
import type { Judgement } from './judge-rule';
import { excusedRemarks } from './judge-rules-remarks';
import { hasOpenJobs } from './open-jobs';
import { type Load, mostRequestsOf } from './request-budget';

export interface StageOptions {
  readonly dist: string;
  readonly temporalAddress: string;
  /** Default: a new one. */
  readonly namespace?: string;
  readonly sandbox?: Partial<SandboxSettings>;
  /** Over the settings of a fast share. */
  readonly share?: Record<string, unknown>;
  readonly service?: Record<string, unknown>;
  readonly worker?: Record<string, unknown>;
  readonly limits?: Record<string, unknown>;
}

/**
 * Keeps a case's folder with all logs, for whoever looks into it. (Names with
 * DRAWBRIDGE_ are settings of the product.)
 */
const IS_KEPT = process.env.CHAOS_KEEP !== undefined;

const FAST_SHARE = {
  settle: 100,
  scanEvery: 500,
  batch: { quiet: 200 },
  analysis: { firstLook: 100, every: 200, typical: 300, for: 5_000 },
  lookAgain: { every: 200, for: 600 },
  defaults: { Type: 'Document', Status: 'Work in progress', Revision: 'A' },
  // A lost database is played by another namespace, which takes over what stands still.
  takeOver: '3s',
  // Its hourly look has nothing to do with the files that are judged.
  register: { template: false },
};

export class Stage {
  readonly folder: string;
  readonly shareFolder: string;
  /** Of all processes of the product. */
  readonly stateFolder: string;
  readonly sandbox: Sandbox;
  readonly control: SandboxControl;
  /** What was put into the drop folder so far; entries change when a deed is done to the file. */
  readonly dropped: DroppedFile[] = [];
  readonly #values: ShareValues;
  readonly project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
  workers: ProductProcess[] = [];
  watcher: ProductProcess | undefined;
  readonly #dist: string;
  readonly #address: string;
  #connection: Connection;
  #namespace: string;
  #started = 0;
  #startedWorkers = 0;

  private constructor(
    options: StageOptions,
    folder: string,
    sandbox: Sandbox,
    connection: Connection,
    namespace: string,
  ) {
    this.folder = folder;
    this.#values = toValues(options.share);
    this.shareFolder = join(folder, 'share');
    this.stateFolder = join(folder, 'state');
    this.sandbox = sandbox;
    this.control = new SandboxControl(sandbox.controlUrl);
    this.#dist = options.dist;
    this.#address = options.temporalAddress;
    this.#connection = connection;
    this.#namespace = namespace;
  }

  static async open(options: StageOptions): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'drawbridge-case-'));
    const sandbox = await startSandbox({
      settings: { timeScale: 100, limits: null, ...options.sandbox },
    });
    const connection = await Connection.connect({ address: options.temporalAddress });
    const namespace = options.namespace ?? (await createNamespace(connection));
    const stage = new Stage(options, folder, sandbox, connection, namespace);
    mkdirSync(join(stage.shareFolder, 'drop'), { recursive: true });
    writeFileSync(join(folder, 'drawbridge.json'), JSON.stringify(stage.#toSettings(options)));
    return stage;
  }

  get client(): Client {
    return new Client({ connection: this.#connection, namespace: this.#namespace });
  }

  get namespace(): string {
    return this.#namespace;
  }

  get installation(): Installation {
    return {
      dist: this.#dist,
      folder: this.folder,
      temporalAddress: this.#address,
      namespace: this.#namespace,
    };
  }

  /** As if Temporal's database had been lost: nothing of what ran is known any more. */
  async forgetRuns(): Promise<void> {
    this.#namespace = await createNamespace(this.#connection);
  }

  /**
   * What everything that was dropped here is judged by.
   * @param load what was done to the case; `workers` where others than this stage's were started.
   */
  judgement(
    evidence: Evidence,
    load: Omit<Load, 'documents' | 'batches' | 'workers'> & Partial<Pick<Load, 'workers'>> = {},
  ): Pick<Judgement, 'projectId' | 'values' | 'mostRequests' | 'excused'> {
    return {
      projectId: this.project.projectId,
      values: this.#values,
      mostRequests: mostRequestsOf(evidence, { workers: this.#startedWorkers, ...load }),
      excused: excusedRemarks(load),
    };
  }

  startWorker(preload?: Preload): ProductProcess {
    this.#startedWorkers += 1;
    const worker = this.#start('worker', preload);
    this.workers = [...this.workers.filter(({ isRunning }) => isRunning), worker];
    return worker;
  }

  startWatcher(): void {
    this.watcher = this.#start('watch');
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.workers, this.watcher].map(each => each?.kill()));
  }

  /** @throws when a process ended although nobody asked it to: no fault may end it. */
  requireProcesses(): void {
    const gone = [...this.workers, this.watcher].find(each => each?.hasGivenUp === true);
    if (gone !== undefined)
      throw new Error(`Process ${gone.pid} ended by itself; its log is in ${this.folder}`);
  }

  /** Puts a file into the drop folder, or into what is the drop folder just now. */
  drop(path: string, content: string, more: Partial<DroppedFile> = {}, root = this.shareFolder): void {
    const target = join(root, 'drop', path);
    const droppedAtMs = Date.now();
    const put = (): true => {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return true;
    };
    // The watcher clears away folders that are empty, as this one is for a moment.
    if (unlessGone(put) === undefined) put();
    this.dropped.push({ path, sha256: hashOf(content), droppedAtMs, ...more });
  }

  /** Notes what was done to a dropped file. */
  note(path: string, change: Partial<DroppedFile>): void {
    const at = this.dropped.findIndex(file => file.path === path);
    const file = this.dropped[at];
    if (file !== undefined) this.dropped[at] = { ...file, ...change };
  }

  /**
   * Ids of batches that are not put away yet. An empty folder is what a kill
   * left before anything was claimed.
   */
  openBatches(): string[] {
    const batches = join(this.shareFolder, '.drawbridge', 'batches');
    return list(batches).filter(batchId => list(join(batches, batchId)).length > 0);
  }

  /** Whether nothing waits in the drop folder, no batch is open, and every job has its receipt. */
  get isSettled(): boolean {
    const drop = join(this.shareFolder, 'drop');
    // Away just now.
    if (!existsSync(drop)) return false;
    const waiting = unlessGone(() => readdirSync(drop, { recursive: true, withFileTypes: true }));
    // A folder of it was cleared away while it was walked: the next look tells.
    if (waiting === undefined || waiting.some(entry => !entry.isDirectory())) return false;
    return this.openBatches().length === 0 && !hasOpenJobs(this.shareFolder);
  }

  async close(): Promise<void> {
    await this.killAll();
    await this.#connection.close();
    await this.sandbox.close();
    if (!IS_KEPT) rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #start(command: 'worker' | 'watch', preload?: Preload): ProductProcess {
    this.#started += 1;
    return new ProductProcess({
      ...this.installation,
      command,
      name: `${command}-${this.#started}`,
      preload,
    });
  }

  #toSettings({ share, service, worker, limits }: StageOptions): Record<string, unknown> {
    return {
      service: {
        environment: 'sandbox',
        baseUrl: this.sandbox.apiUrl,
        authUrl: this.sandbox.authUrl,
        clientId: DEFAULT_CREDENTIALS.clientId,
        allowInsecureLoopback: true,
        // What hangs is given up soon.
        timeouts: { headers: 3_000, body: 3_000, total: 6_000 },
        ...service,
      },
      stateDir: './state',
      ...(worker === undefined ? {} : { worker }),
      ...(limits === undefined ? {} : { limits }),
      logging: { level: 'debug' },
      shares: [
        // A folder that is not there is a share that is away, and must not be made anew.
        {
          name: 'tender',
          folder: './share',
          createFolder: false,
          project: this.project,
          ...FAST_SHARE,
          ...share,
        },
      ],
    };
  }
}

/** Without the setting, documents are called by their files' stems. */
function toValues(share: StageOptions['share'] = {}): ShareValues {
  const { defaults, documentName } = { documentName: 'stem' as const, ...FAST_SHARE, ...share };
  const { fileNamePattern } = share as Partial<ShareValues>;
  return { defaults, documentName, ...(fileNamePattern === undefined ? {} : { fileNamePattern }) };
}

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

async function createNamespace(connection: Connection): Promise<string> {
  const namespace = `chaos-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  // The server's own cache learns of a new namespace a moment later.
  for (let turn = 0; ; turn++) {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      return namespace;
    } catch (error: unknown) {
      if (turn > 400) throw error;
      await delay(50);
    }
  }
}

/** Undefined where a folder went away in the middle of it. */
function unlessGone<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
