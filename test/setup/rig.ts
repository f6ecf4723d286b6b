// Everything at once for an end-to-end test: the stand-in service, a share in a folder, a
// worker and a watcher, all real.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { z } from 'zod';
import type { Receipt } from '../../activities/share/batch/kept-receipt';
import { openShare } from '../../activities/share/open-share';
import type { JobReceipt } from '../../activities/share/receipt/job-receipt';
import { HashPool } from '../../activities/transfer/hashing/hash-file';
import { createHeldBatches } from '../../client/answers/held-batches';
import { createTestStarter, watchTests } from '../../client/chores/watch-tests';
import { BatchStarter } from '../../client/session/start-batch';
import { watchShare } from '../../client/watch/watcher';
import { type Config, loadConfig } from '../../workers/config/config';
import type { settingsSchema } from '../../workers/config/config-schema';
import type { ShareSettings } from '../../workers/config/share-section';
import { createLogger, type Logger } from '../../workers/logging';
import { installRuntime } from '../../workers/runtime-logging';
import { readShareKey } from '../../workers/share-key';
import { createTemporalIdentity } from '../../workers/temporal/temporal-identity';
import { type RunningWorker, startWorker } from '../../workers/worker';
import { ingestWorkflowId, type ProjectRef } from '../../workflows/contract';
import { SandboxControl } from '../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { type Sandbox, type SandboxSettings, startSandbox } from '../sandbox/server';
import { startNamespace, type TestNamespace } from './temporal-namespace';

export interface RigOptions {
  readonly sandbox?: Partial<SandboxSettings>;
  /** Over the defaults of a fast test share. */
  readonly share?: Partial<Record<keyof ShareSettings, unknown>>;
  /** Further shares of the same project, by their folders' names. */
  readonly moreShares?: readonly string[];
  readonly service?: Record<string, unknown>;
  readonly worker?: Record<string, unknown>;
  /** host:port of a Temporal server of its own. */
  readonly temporalAddress?: string;
  /** Without its secret, which is WEBHOOK_SECRET. */
  readonly webhooks?: Record<string, unknown>;
  /** How late a list may show what was made, ms; absent: the stand-in lists it at once. */
  readonly listedAfterMs?: number;
}

export const WEBHOOK_SECRET = 'Bearer canary-webhook-secret-4c1f';

/** Fast, and with everything the plain project requires. */
const FAST: Partial<SandboxSettings> = { timeScale: 100, limits: null };
/** What a share has, unless a test sets something else. */
export const FAST_SHARE = {
  settle: 100,
  scanEvery: 500,
  batch: { quiet: 200 },
  takeOver: 3_000,
  analysis: { firstLook: 100, every: 100, typical: 300, for: 5_000 },
  lookAgain: { every: 100, for: 300 },
  defaults: { Type: 'Document', Status: 'Work in progress', Revision: 'A' },
  // So that a test finds its documents by the names of their files.
  documentName: 'file' as const,
  // Its hourly look has nothing to do with the files that are judged.
  register: { template: false },
};
/** The stand-in lists at once what was made. */
const LISTED_AFTER_MS = 200;
const PATIENCE_MS = 120_000;

export class Rig {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly control: SandboxControl;
  readonly temporal: TestNamespace;
  readonly config: Config;
  readonly logger: Logger;
  readonly logFile: string;
  readonly #listedAfterMs: number;
  /** The one whose share and service this one uses, too. */
  readonly #host: Rig | undefined;
  #worker: RunningWorker | undefined;
  readonly #watching: { readonly abort: AbortController; readonly ended: Promise<void> }[] = [];

  private constructor(
    folder: string,
    sandbox: Sandbox,
    temporal: TestNamespace,
    config: Config,
    { host, listedAfterMs = LISTED_AFTER_MS }: { host?: Rig } & Pick<RigOptions, 'listedAfterMs'>,
  ) {
    this.#host = host;
    this.#listedAfterMs = listedAfterMs;
    this.folder = folder;
    this.sandbox = sandbox;
    this.control = new SandboxControl(sandbox.controlUrl);
    this.temporal = temporal;
    this.config = config;
    this.logFile = join(folder, host === undefined ? 'rig.log' : 'rig-beside.log');
    this.logger = createLogger({ level: 'debug', file: this.logFile });
  }

  static async start(options: RigOptions = {}): Promise<Rig> {
    const folder = mkdtempSync(join(tmpdir(), 'drawbridge-rig-'));
    const sandbox = await startSandbox({ settings: { ...FAST, ...options.sandbox } });
    installRuntime(createLogger({ level: 'debug', file: join(folder, 'temporal.log') }));
    const temporal = await startNamespace(options.temporalAddress);
    const configFile = join(folder, 'drawbridge.json');
    writeFileSync(configFile, JSON.stringify(toSettings(sandbox, options)));
    const config = loadConfig({
      path: configFile,
      environment: { DRAWBRIDGE_CLIENT_SECRET: DEFAULT_CREDENTIALS.clientSecret, WEBHOOK_SECRET },
    });
    return new Rig(folder, sandbox, temporal, config, options);
  }

  /**
   * Another Temporal on the share of that one, as on a second machine that mounts it; closed before that one.
   */
  static async beside(host: Rig): Promise<Rig> {
    const shareKey = await readShareKey(host.config);
    const config = { ...host.config, shareKey, stateDir: join(host.folder, 'state-beside') };
    return new Rig(host.folder, host.sandbox, await startNamespace(), config, { host });
  }

  get drop(): string {
    return join(this.folder, 'share', 'drop');
  }

  /** @param bundlePath of workflows that are not the project's own build. */
  async startWorker(bundlePath = this.temporal.bundlePath): Promise<RunningWorker> {
    const { service } = this.config;
    if (service === undefined) throw new Error('The rig has no service');
    this.#worker = await startWorker({
      config: this.config,
      service,
      connection: this.temporal.native,
      namespace: this.temporal.namespace,
      address: this.temporal.address,
      logger: this.logger,
      bundlePath,
      listedAfterMs: this.#listedAfterMs,
    });
    return this.#worker;
  }

  /** As after a correction of the configuration: for workers and watchers that are started from now on. */
  useProject(project: ProjectRef): void {
    Object.assign(this.config, { shares: this.config.shares.map(share => ({ ...share, project })) });
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.shutdown();
    this.#worker = undefined;
  }

  /** @param at which of the shares. */
  async startWatcher(at = 0): Promise<void> {
    const hashing = new HashPool({ threads: 2 });
    const abort = new AbortController();
    const share = await openShare(this.config.shares[at]!, {
      hasher: hashing,
      logger: this.logger,
      key: await readShareKey(this.config),
    });
    const starter = new BatchStarter(this.temporal.client, { hasSearchAttributes: true });
    const { client, namespace, address } = this.temporal;
    const temporal = createTemporalIdentity({
      connection: client,
      namespace,
      address,
      stateDir: this.config.stateDir,
    });
    const { logger } = this;
    const { signal } = abort;
    const start = createTestStarter(this.temporal.client);
    const ended = Promise.all([
      watchShare({ share, starter, temporal, heldBatches: createHeldBatches(client), logger, signal }),
      watchTests({ share, start, logger, signal }),
    ]).then(() => hashing.close());
    this.#watching.push({ abort, ended });
  }

  async stopWatcher(): Promise<void> {
    for (const { abort } of this.#watching) abort.abort();
    for (const { ended } of this.#watching.splice(0)) await ended;
  }

  /** Writes files below the drop folder; answers the SHA-256 of each by its path. */
  dropFiles(files: Readonly<Record<string, string | Buffer>>, share = 'share'): Map<string, string> {
    const hashes = new Map<string, string>();
    for (const [path, content] of Object.entries(files)) {
      const target = join(this.folder, share, 'drop', path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      hashes.set(path, createHash('sha256').update(content).digest('hex'));
    }
    return hashes;
  }

  /** Until the stand-in's log shows this effect on the file of this name, for example `upload-completed`. */
  async untilEffect(what: string, fileName: string): Promise<void> {
    const isSo = async () =>
      (await this.control.operations()).some(
        each => each.what === what && each.detail?.fileName === fileName,
      );
    while (!(await isSo())) await delay(20);
  }

  /** Final receipts of all batches, once they account for `files` files and the runs have ended. */
  async untilSettled(files: number, patienceMs = PATIENCE_MS): Promise<Receipt[]> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const receipts = this.receipts();
      const count = receipts.reduce((sum, receipt) => sum + receipt.files.length, 0);
      if (count >= files) {
        for (const handle of this.handles()) await handle.result();
        return receipts;
      }
      if (performance.now() > deadline) throw new Error(`Only ${count} of ${files} files have a receipt`);
      await delay(100);
    }
  }

  /** Final receipts as people find them, each once. */
  receipts(): Receipt[] {
    const found = new Map<string, Receipt>();
    for (const root of this.#ends()) {
      for (const batch of list(root)) {
        for (const name of list(join(root, batch)).filter(each => /^receipt.*\.json$/.test(each))) {
          const receipt = JSON.parse(readFileSync(join(root, batch, name), 'utf8')) as Receipt | JobReceipt;
          for (const one of 'batchId' in receipt ? [receipt] : this.#partsOf(root, receipt)) {
            if (one.final) found.set(one.batchId, one);
          }
        }
      }
    }
    return [...found.values()];
  }

  /** The receipts that a job's is made of, as they are kept. */
  #partsOf(root: string, { files }: JobReceipt): Receipt[] {
    return [...new Set(files.map(({ batchId }) => batchId))].map(batchId => {
      const kept = join(root, '../.drawbridge/finished', batchId.slice(0, 6), batchId, 'receipt.json');
      return JSON.parse(readFileSync(kept, 'utf8')) as Receipt;
    });
  }

  #ends(): string[] {
    return this.config.shares.flatMap(({ folder }) => [join(folder, 'done'), join(folder, 'attention')]);
  }

  /** Files below a folder of the share, relative to it, receipts left out. */
  filesIn(folder: 'drop' | 'done' | 'attention', share = 'share'): string[] {
    const root = join(this.folder, share, folder);
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !/^receipt.*\.(csv|json|xlsx)$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort();
  }

  /** The runs of the batches that have a final receipt. */
  handles(): WorkflowHandle[] {
    const { project } = this.config.shares[0]!;
    return this.receipts().map(({ batchId }) =>
      this.temporal.client.workflow.getHandle(ingestWorkflowId(project, batchId)),
    );
  }

  async close(): Promise<void> {
    await this.stopWatcher();
    await this.stopWorker();
    await this.temporal.close();
    if (this.#host !== undefined) return;
    await this.sandbox.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function toSettings(sandbox: Sandbox, options: RigOptions): z.input<typeof settingsSchema> {
  return {
    service: {
      environment: 'sandbox',
      baseUrl: sandbox.apiUrl,
      authUrl: sandbox.authUrl,
      clientId: DEFAULT_CREDENTIALS.clientId,
      allowInsecureLoopback: true,
      ...options.service,
    },
    stateDir: './state',
    ...(options.worker === undefined ? {} : { worker: options.worker }),
    ...(options.webhooks === undefined
      ? {}
      : { webhooks: { secret: { env: 'WEBHOOK_SECRET' }, ...options.webhooks } }),
    shares: [
      {
        name: 'tender',
        folder: './share',
        project: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain },
        ...FAST_SHARE,
        ...options.share,
      },
      ...(options.moreShares ?? []).map(name => ({
        name,
        folder: `./${name}`,
        project: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain },
        ...FAST_SHARE,
        ...options.share,
      })),
    ],
  } as z.input<typeof settingsSchema>;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
