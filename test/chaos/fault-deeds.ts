// Carries out what is planned to be done to processes, hosts, the share, files and the project while a case
// runs, and counts what really came about.
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { ingestWorkflowId, SERVICE_TASK_QUEUE } from '../../workflows/contract';
import type { LogFollower } from './fault-log';
import type { Deed, FaultPlan, PlannedDeed } from './fault-plan';
import { hashOf, type Stage } from './fault-stage';
import type { Interruption } from './judge-rule';
import type { Load } from './request-budget';

/**
 * Longer than the heartbeat time-out of 30 s, which runs in real time: another worker has taken over by then.
 */
const FROZEN_MS = 33_000;
const BETWEEN_DEATH_AND_RESTART_MS = 300;

/** Deeds that cut what is under way; the others are what people do. */
const CUTS: ReadonlySet<string> = new Set<Deed['kind']>([
  'kill-worker',
  'restart-worker',
  'kill-watcher',
  'freeze-worker',
  'lose-database',
  'outage',
  'expire-tokens',
  'revoke-tokens',
  'share-away',
  'drop-replaced',
]);

/** What a deed brought about, by the name of its decisive cell. */
export type Hits = Map<number, number>;

export class Deeds {
  readonly hits: Hits = new Map();
  /** Deeds by kind, as often as each was done. */
  readonly done = new Map<string, number>();
  /** For the judge: who can have missed what was said when. */
  readonly interruptions: Interruption[] = [];
  readonly #stage: Stage;
  readonly #plan: FaultPlan;
  readonly #log: LogFollower;
  readonly #undone: Set<PlannedDeed>;
  readonly #underway = new Set<Promise<void>>();
  readonly #late = new Set<string>();
  readonly #failures: unknown[] = [];
  #share: Promise<unknown> = Promise.resolve();
  #freezing: Promise<boolean> = Promise.resolve(true);
  #freezes = 0;
  /** Set when faults are to stop: what waits is over. */
  readonly #stop = new AbortController();

  constructor(stage: Stage, plan: FaultPlan, log: LogFollower) {
    this.#stage = stage;
    this.#plan = plan;
    this.#log = log;
    this.#undone = new Set(plan.deeds);
  }

  /** Begins every deed whose moment has come. */
  beginDue(): void {
    for (const planned of this.#undone) {
      const { when, deed } = planned;
      const isDue =
        'claimed' in when ? this.#findClaimed(when.claimed) !== undefined : this.#log.hasCome(when);
      if (!isDue) continue;
      this.#undone.delete(planned);
      const work = this.#do(deed)
        .catch((error: unknown) => void this.#failures.push(error))
        .finally(() => void this.#underway.delete(work));
      this.#underway.add(work);
    }
  }

  /**
   * No further deed; those underway come to their end, and what was never dropped is dropped now.
   * @throws the first thing that a deed has failed with: then the case is worth nothing.
   */
  async stop(): Promise<void> {
    this.#undone.clear();
    this.#stop.abort();
    while (this.#underway.size > 0) await Promise.all(this.#underway);
    this.#dropLate('watcher-dead');
    this.#dropLate('folder-away');
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** What was done so far, as far as it asks for more requests. */
  get load(): Required<Pick<Load, 'interruptions' | 'deeds'>> {
    const done = [...this.done].map(([kind, count]) => ({ count, isCut: CUTS.has(kind) }));
    const sum = (isCut: boolean) =>
      done.reduce((all, each) => (each.isCut === isCut ? all + each.count : all), 0);
    return { interruptions: sum(true), deeds: sum(false) };
  }

  async #do(deed: Deed): Promise<void> {
    const isDone = await this.#carryOut(deed);
    if (isDone) this.done.set(deed.kind, (this.done.get(deed.kind) ?? 0) + 1);
  }

  /** False when it was too late for it. */
  async #carryOut(deed: Deed): Promise<boolean> {
    const { control } = this.#stage;
    switch (deed.kind) {
      case 'kill-worker':
        await this.#replaceWorkers('kill');
        return true;
      case 'restart-worker':
        await this.#replaceWorkers('stop');
        return true;
      case 'kill-watcher':
        return await this.#killWatcher();
      case 'freeze-worker':
        // One at a time, or nobody would be left to take over.
        this.#freezing = this.#freezing.then(() => this.#freezeWorker());
        return await this.#freezing;
      case 'lose-database':
        return await this.#loseDatabase();
      case 'outage': {
        this.#hit(13, this.#stage.openBatches().length);
        await control.setOutages({ [deed.host]: deed.how });
        await this.#pause(deed.ms);
        await control.setOutages({ [deed.host]: 'none' });
        return true;
      }
      case 'expire-tokens':
        await control.expireTokens();
        return true;
      case 'revoke-tokens':
        await control.revokeTokens();
        return true;
      case 'share-away':
        return await this.#withShare(() => this.#moveShareAway(deed.ms));
      case 'drop-replaced':
        return await this.#withShare(() => this.#replaceDrop(deed.ms));
      case 'start-again':
        return await this.#startAgain(deed.how);
      case 'edit':
        return await this.#edit(deed);
      default:
        return await this.#withShare(() => this.#touch(deed));
    }
  }

  /**
   * One deed at a time touches the share: what is done to a share that is away
   * would make another in its place.
   */
  async #withShare<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#share.then(work);
    this.#share = turn.catch(() => undefined);
    return await turn;
  }

  async #replaceWorkers(how: 'kill' | 'stop'): Promise<void> {
    const old = this.#stage.workers;
    if (how === 'kill') await this.#killed(Promise.all(old.map(worker => worker.kill())));
    else await Promise.all(old.map(worker => worker.stop()));
    for (const _ of old) this.#stage.startWorker();
  }

  async #killWatcher(): Promise<boolean> {
    await this.#killed(Promise.resolve(this.#stage.watcher?.kill()));
    await this.#withShare(async () => this.#hit(10, this.#dropLate('watcher-dead')));
    await delay(BETWEEN_DEATH_AND_RESTART_MS);
    this.#stage.startWatcher();
    return true;
  }

  async #freezeWorker(): Promise<boolean> {
    const worker = this.#stage.workers[this.#freezes++ % this.#stage.workers.length];
    if (worker === undefined) return false;
    const from = Date.now();
    worker.freeze();
    const before = await this.#countTimeouts();
    // Not cut short: only when the heartbeats are missed does another worker take over.
    await delay(FROZEN_MS);
    this.#hit(7, Math.max(0, (await this.#countTimeouts()) - before));
    worker.thaw();
    this.interruptions.push({ kind: 'frozen', from, until: Date.now() });
    return true;
  }

  /** Activities whose attempt was given up for its silence, and that are tried again. */
  async #countTimeouts(): Promise<number> {
    let count = 0;
    for await (const run of this.#stage.client.workflow.list()) {
      const handle = this.#stage.client.workflow.getHandle(run.workflowId, run.runId);
      const { raw } = await handle.describe();
      for (const pending of raw.pendingActivities ?? []) {
        if (pending.lastFailure?.timeoutFailureInfo) count += 1;
      }
      const history = await handle.fetchHistory();
      for (const { activityTaskStartedEventAttributes: started } of history.events ?? []) {
        if (started?.lastFailure?.timeoutFailureInfo) count += 1;
      }
    }
    return count;
  }

  async #loseDatabase(): Promise<boolean> {
    await this.#killed(this.#stage.killAll());
    await this.#log.follow();
    const receipts = await this.#countReceiptRows();
    // Submitted, and no receipt says so yet.
    this.#hit(5, Math.max(0, this.#log.revisions - receipts));
    await this.#stage.forgetRuns();
    this.#stage.workers = [];
    for (let count = 0; count < this.#plan.workers; count++) this.#stage.startWorker();
    this.#stage.startWatcher();
    return true;
  }

  async #countReceiptRows(): Promise<number> {
    const done = join(this.#stage.shareFolder, 'done');
    const entries = await readdir(done, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter(entry => entry.isFile() && !entry.name.startsWith('receipt')).length;
  }

  async #moveShareAway(ms: number): Promise<boolean> {
    const { shareFolder } = this.#stage;
    const away = `${shareFolder}-away`;
    await rename(shareFolder, away);
    this.#hit(10, this.#dropLate('folder-away', away));
    await this.#pause(ms);
    await rename(away, shareFolder);
    return true;
  }

  /** Another folder under the old name, as after an unmount and a mount. */
  async #replaceDrop(ms: number): Promise<boolean> {
    const drop = join(this.#stage.shareFolder, 'drop');
    const old = join(this.#stage.folder, 'drop-before');
    await rename(drop, old);
    await this.#pause(ms);
    // A watcher that started meanwhile has made one.
    await mkdir(drop, { recursive: true });
    for (const name of await readdir(old)) await rename(join(old, name), join(drop, name));
    this.#hit(10, this.#dropLate('folder-away'));
    return true;
  }

  async #startAgain(how: 'same' | 'other-input' | 'random-id'): Promise<boolean> {
    const { client, project, shareFolder } = this.#stage;
    for (const batchId of this.#stage.openBatches()) {
      if (!existsSync(join(shareFolder, '.drawbridge', 'batches', batchId, 'batch.json'))) continue;
      const workflowId = ingestWorkflowId(project, batchId);
      const status = await client.workflow
        .getHandle(workflowId)
        .describe()
        .catch(() => undefined);
      if (status?.status.name !== 'RUNNING') continue;
      try {
        await client.workflow.start('ingestBatchWorkflow', {
          workflowId: how === 'random-id' ? `by-hand-${batchId}-${this.#plan.name}` : workflowId,
          taskQueue: SERVICE_TASK_QUEUE,
          args: [
            {
              share: 'tender',
              batchId,
              ...(how === 'other-input' ? { manifestSha256: '0'.repeat(64) } : {}),
            },
          ],
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        });
      } catch (error: unknown) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
      this.#hit(6, 1);
      return true;
    }
    return false;
  }

  async #edit(deed: Extract<Deed, { kind: 'edit' }>): Promise<boolean> {
    const { control, project } = this.#stage;
    try {
      await control.edit(project.projectId, deed.edit);
    } catch {
      // The upload was submitted before the person came to it.
      return false;
    }
    if (deed.undo === undefined) return true;
    await this.#pause(deed.ms ?? 0);
    await control.edit(project.projectId, deed.undo).catch(() => undefined);
    return true;
  }

  async #touch(
    deed: Extract<Deed, { kind: 'rewrite' | 'remove' | 'drop-again' | 'plant' }>,
  ): Promise<boolean> {
    const { path } = deed;
    const claimed = this.#findClaimed(path);
    if (claimed === undefined) return false;
    try {
      switch (deed.kind) {
        case 'rewrite': {
          // Opened as it is: a file that has moved meanwhile must not come into being a second time.
          const file = await open(claimed.file, 'r+');
          const content = `%PDF rewritten ${path}`;
          this.#stage.note(path, { rewritten: [hashOf(content)] });
          try {
            await file.truncate(0);
            await file.writeFile(content);
          } finally {
            await file.close();
          }
          this.#hit(8, 1);
          return true;
        }
        case 'remove':
          await unlink(claimed.file);
          this.#stage.note(path, { removed: true });
          this.#hit(8, 1);
          return true;
        case 'drop-again':
          this.#stage.drop(path, `%PDF again ${this.#plan.name} ${path}`);
          this.#hit(12, 1);
          return true;
        case 'plant': {
          const content = `%PDF an earlier one ${this.#plan.name} ${path}`;
          const target = join(this.#stage.shareFolder, 'done', claimed.batchId, path);
          await mkdir(dirname(target), { recursive: true });
          await writeFile(target, content, { flag: 'wx' });
          this.#stage.dropped.push({ path, sha256: hashOf(content) });
          this.#hit(12, 1);
          return true;
        }
      }
    } catch (error: unknown) {
      const { code } = error as { code?: string };
      if (code === 'ENOENT' || code === 'EEXIST') return false;
      throw error;
    }
  }

  #findClaimed(path: string): { readonly batchId: string; readonly file: string } | undefined {
    for (const batchId of this.#stage.openBatches()) {
      const file = join(this.#stage.shareFolder, '.drawbridge', 'batches', batchId, 'files', path);
      if (existsSync(file)) return { batchId, file };
    }
    return undefined;
  }

  /** How many files were dropped. */
  #dropLate(kind: 'watcher-dead' | 'folder-away', root?: string): number {
    if (this.#late.has(kind)) return 0;
    this.#late.add(kind);
    const files = this.#plan.files.filter(({ late }) => late === kind);
    for (const { path, content, healthy } of files) this.#stage.drop(path, content, { healthy }, root);
    return files.length;
  }

  async #killed(killing: Promise<unknown>): Promise<void> {
    const from = Date.now();
    await killing;
    this.interruptions.push({ kind: 'killed', from, until: Date.now() });
  }

  #hit(cell: number, count: number): void {
    this.hits.set(cell, (this.hits.get(cell) ?? 0) + count);
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
