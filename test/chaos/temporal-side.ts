// One of two Temporals that see one share: its worker and its watcher, with a configuration and a state
// folder of their own, as on a machine of its own. Only the key that our files are sealed with is the same.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { SHARE_KEY_FILE } from '../../workers/share-key';
import { type Installation, type Preload, ProductProcess } from './fault-process';
import type { Stage } from './fault-stage';

export interface SideOptions {
  readonly name: string;
  readonly temporalAddress: string;
  readonly namespace: string;
  /** For the worker, given the side's folder. */
  readonly preload?: (folder: string) => Preload;
}

export class TemporalSide {
  readonly name: string;
  readonly installation: Installation;
  readonly client: Client;
  readonly #connection: Connection;
  readonly #preload: Preload | undefined;
  #processes: readonly ProductProcess[] = [];
  #started = 0;

  private constructor(options: SideOptions, installation: Installation, connection: Connection) {
    this.name = options.name;
    this.installation = installation;
    this.#connection = connection;
    this.#preload = options.preload?.(installation.folder);
    this.client = new Client({ connection, namespace: options.namespace });
  }

  /** @param stage whose share and service it uses, and whose key; none of the stage's own processes. */
  static async open(stage: Stage, options: SideOptions): Promise<TemporalSide> {
    const { temporalAddress, namespace } = options;
    const folder = join(stage.folder, options.name);
    mkdirSync(join(folder, 'state'), { recursive: true });
    copyFileSync(join(stage.folder, 'state', SHARE_KEY_FILE), join(folder, 'state', SHARE_KEY_FILE));
    const settings = JSON.parse(readFileSync(join(stage.folder, 'drawbridge.json'), 'utf8'));
    const [share] = settings.shares;
    const own = { ...settings, shares: [{ ...share, folder: stage.shareFolder }] };
    writeFileSync(join(folder, 'drawbridge.json'), JSON.stringify(own));
    const connection = await Connection.connect({ address: temporalAddress });
    const installation = { dist: stage.installation.dist, folder, temporalAddress, namespace };
    return new TemporalSide(options, installation, connection);
  }

  get isAtWork(): boolean {
    return this.#processes.length > 0 && this.#processes.every(({ isRunning }) => isRunning);
  }

  /** How often it was started. */
  get starts(): number {
    return this.#started;
  }

  start(): void {
    this.#started += 1;
    this.#processes = (['worker', 'watch'] as const).map(
      command =>
        new ProductProcess({
          ...this.installation,
          command,
          name: `${command}-${this.#started}`,
          preload: command === 'worker' ? this.#preload : undefined,
        }),
    );
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    await Promise.all(this.#processes.map(each => each.kill()));
  }

  /** @param which its worker may stand still by itself. */
  freeze(which: 'all' | 'watcher' = 'all'): void {
    const [worker, watcher] = this.#processes;
    if (which === 'all') worker?.freeze();
    watcher?.freeze();
  }

  thaw(): void {
    for (const each of this.#processes) each.thaw();
  }

  /** @throws when a process ended although nobody asked it to. */
  requireProcesses(): void {
    const gone = this.#processes.find(each => each.hasGivenUp);
    if (gone !== undefined)
      throw new Error(`Process ${gone.pid} of ${this.name} ended by itself; see ${this.installation.folder}`);
  }

  /** What its watchers have told, as the names of the events. */
  hasTold(event: string): boolean {
    const { folder } = this.installation;
    return readdirSync(folder)
      .filter(file => /^watch-\d+\.log$/.test(file))
      .some(file => readFileSync(join(folder, file), 'utf8').includes(`"${event}"`));
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#connection.close();
  }
}
