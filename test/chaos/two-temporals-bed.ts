// A share with two Temporals on it, and what can befall the one that carries its batches.

import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readShareKey } from '../../workers/share-key';
import { findFreePorts } from '../setup/free-port';
import { BOUNDARIES_VARIABLE, type BoundariesOrder } from './boundaries-preload';
import { STANDS, type StandOrder } from './boundaries-stand';
import { RUNNING_BATCHES } from './fault-people';
import { type Preload, runCommand } from './fault-process';
import { Stage } from './fault-stage';
import { judge } from './judge';
import { collectEvidence } from './judge-evidence';
import type { Interruption } from './judge-rule';
import { DrillServer } from './outage-drills';
import type { PartOptions, Violation } from './part';
import { TemporalSide } from './temporal-side';

export const DEEDS = [
  'stands still at a boundary',
  'taken over by word',
  'killed',
  'stands still',
  'database lost',
  'the other killed',
] as const;
export type Deed = (typeof DEEDS)[number];

const WAVE = 6;
const FILES_A_BATCH = 3;
const LOOK_EVERY_MS = 20;
const PATIENCE_MS = 120_000;
const WRITES = /^(uploads\.(create|patch)|files\.(create|patch)|storage\.put|revisions\.create)$/;

export class TwoTemporals {
  readonly #stage: Stage;
  readonly #server: DrillServer;
  readonly #sides: readonly [TemporalSide, TemporalSide];
  /** What it was about to link then, the other has linked since: with the same bytes. */
  readonly #interruptions: Interruption[] = [];
  #turn = 0;
  #deeds = 0;
  #seq = 0;
  /** To be done before the next deed. */
  #cure: () => Promise<void> = async () => undefined;

  private constructor(stage: Stage, server: DrillServer, sides: readonly [TemporalSide, TemporalSide]) {
    this.#stage = stage;
    this.#server = server;
    this.#sides = sides;
  }

  static async open({ dist, temporalAddress, temporalCli }: PartOptions): Promise<TwoTemporals> {
    const [port = 0] = await findFreePorts(1);
    const server = new DrillServer(temporalCli, port, mkdtempSync(join(tmpdir(), 'drawbridge-drill-')));
    await server.start();
    const stage = await Stage.open({
      dist,
      temporalAddress,
      share: { batch: { quiet: 200, maxFiles: FILES_A_BATCH } },
    });
    await readShareKey({ stateDir: join(stage.folder, 'state') });
    // Slow enough that whatever is done meets batches in their middle.
    await stage.control.addFault({ route: 'storage.put', times: 0, action: { kind: 'delay', ms: 100 } });
    const preload = (folder: string) => toPreload(folder, stage.shareFolder);
    const sides = [
      await TemporalSide.open(stage, { name: 'one', temporalAddress, namespace: stage.namespace, preload }),
      await TemporalSide.open(stage, {
        name: 'other',
        temporalAddress: server.address,
        namespace: 'default',
        preload,
      }),
    ] as const;
    const bed = new TwoTemporals(stage, server, sides);
    bed.#order(sides[0]);
    bed.#order(sides[1]);
    sides[0].start();
    await until(() => bed.#watchedBy() !== undefined, 'nobody watches the share');
    sides[1].start();
    return bed;
  }

  get clients(): readonly Client[] {
    return this.#sides.map(({ client }) => client);
  }

  get documents(): number {
    return this.#stage.dropped.length;
  }

  get isSettled(): boolean {
    return this.#stage.isSettled;
  }

  async saysWhoseItIs(): Promise<boolean> {
    const [, other] = this.#sides;
    return await until(() => other.hasTold('watched-elsewhere'), 'unsaid').then(
      () => true,
      () => false,
    );
  }

  async isAnyRunning(): Promise<boolean> {
    for (const client of this.clients) {
      for await (const _run of client.workflow.list({ query: RUNNING_BATCHES })) return true;
    }
    return false;
  }

  requireProcesses(): void {
    for (const side of this.#sides) side.requireProcesses();
  }

  /** Drops files, and does it to whoever carries them when so many requests have been made. */
  async carryOut(deed: Deed, moment: number, chance: () => number): Promise<void> {
    this.#deeds += 1;
    const own = this.#sides[1];
    if (deed === 'database lost' && this.#carrier !== own) await this.#takeOver(own);
    const carrier = this.#carrier;
    const other = this.#sides.find(side => side !== carrier) ?? own;
    this.#seq = (await this.#stage.control.operations()).at(-1)?.seq ?? 0;
    if (deed === 'stands still at a boundary') this.#order(carrier, 3 * moment);
    this.#drop('first');
    if (deed === 'stands still at a boundary') await this.#untilItStands(carrier);
    else await this.#untilRequests(moment);
    await this.#act(deed, carrier, other, chance() < 0.5);
    this.#drop('second');
  }

  /** What was left standing while the others ended everything goes on. */
  async goOn(): Promise<void> {
    const cure = this.#cure;
    this.#cure = async () => undefined;
    await cure();
  }

  /** Both are at work again. */
  async bringBack(): Promise<void> {
    await this.goOn();
    for (const side of this.#sides) if (!side.isAtWork) side.start();
  }

  async judge(name: string): Promise<Violation[]> {
    const { control, shareFolder, dropped } = this.#stage;
    const evidence = await collectEvidence(control, shareFolder, dropped);
    return judge(evidence, {
      mode: 'at-rest',
      case: name,
      hasUnaware: true,
      interruptions: this.#interruptions,
      // Each deed cuts what one side does, and again when that side goes on.
      ...this.#stage.judgement(evidence, {
        workers: this.#sides.reduce((sum, { starts }) => sum + starts, 0),
        interruptions: 2 * this.#deeds,
      }),
    });
  }

  async close(): Promise<void> {
    for (const side of this.#sides) {
      this.#letGo(side);
      await side.close();
    }
    await this.#stage.close();
    await this.#server.stop();
  }

  async #act(deed: Deed, carrier: TemporalSide, other: TemporalSide, isSoon: boolean): Promise<void> {
    switch (deed) {
      case 'killed':
        await carrier.kill();
        return;
      case 'the other killed':
        await other.kill();
        return;
      case 'taken over by word':
        await this.#takeOver(other);
        return;
      case 'database lost':
        await this.#server.kill();
        this.#server.deleteDatabase();
        await this.#server.start();
        return;
      case 'stands still':
      case 'stands still at a boundary': {
        carrier.freeze(deed === 'stands still' ? 'all' : 'watcher');
        const from = Date.now();
        this.#cure = async () => {
          this.#letGo(carrier);
          carrier.thaw();
          this.#interruptions.push({ kind: 'frozen', from, until: Date.now() });
        };
        // The other one is in the middle of it then, or has ended it when `settle` lets this one go on.
        await until(() => this.#carrier === other, 'the other did not follow');
        if (isSoon) await this.goOn();
      }
    }
  }

  /** Although the other one is at work: what an operator can say by mistake must do no harm either. */
  async #takeOver(side: TemporalSide): Promise<void> {
    const from = Date.now();
    const { code, output } = await runCommand(side.installation, ['resume', '--take-over']);
    if (code !== 0) throw new Error(`resume --take-over ended with ${code}: ${output}`);
    await until(() => this.#carrier === side, `it was not taken over: ${output}`);
    // The other one does not stand still, but hears of it with its next record only.
    this.#interruptions.push({ kind: 'frozen', from, until: Date.now() });
  }

  #drop(wave: string): void {
    this.#turn += 1;
    for (let index = 0; index < WAVE; index++) {
      const ending = index % 2 === 0 ? 'pdf' : 'txt';
      const path = `${wave} ${this.#turn}/sheet-${this.#turn}-${index}.${ending}`;
      this.#stage.drop(path, `${ending === 'pdf' ? '%PDF ' : ''}${path}`, { healthy: true });
    }
  }

  async #untilRequests(count: number): Promise<void> {
    const requests = async () =>
      (await this.#stage.control.operations(this.#seq)).filter(
        ({ kind, route }) => kind === 'request' && WRITES.test(route),
      ).length;
    await until(async () => (await requests()) >= count || this.isSettled, 'no requests were made');
  }

  /** Or its batches have ended before. */
  async #untilItStands(side: TemporalSide): Promise<void> {
    const prefix = `${this.#turn - 1} ${STANDS}`;
    const log = logFileOf(side.installation.folder);
    await until(
      () => this.isSettled || (existsSync(log) && readFileSync(log, 'utf8').includes(prefix)),
      'it did not come to stand',
    );
  }

  #order(side: TemporalSide, standAt?: number): void {
    const { folder } = side.installation;
    const order: StandOrder = { turn: this.#turn, standAt, goFile: goFileOf(folder, this.#turn) };
    writeFileSync(`${orderFileOf(folder)}.new`, JSON.stringify(order));
    // Whole at every moment: a worker reads it at each of its boundaries.
    renameSync(`${orderFileOf(folder)}.new`, orderFileOf(folder));
  }

  #letGo(side: TemporalSide): void {
    const { folder } = side.installation;
    const { goFile } = JSON.parse(readFileSync(orderFileOf(folder), 'utf8')) as StandOrder;
    writeFileSync(goFile, '');
  }

  get #carrier(): TemporalSide {
    const namespace = this.#watchedBy();
    const side = this.#sides.find(({ installation }) => installation.namespace === namespace);
    if (side === undefined) throw new Error('Nobody watches the share');
    return side;
  }

  #watchedBy(): string | undefined {
    const file = join(this.#stage.shareFolder, '.drawbridge', 'watch.json');
    for (;;) {
      if (!existsSync(file)) return undefined;
      const namespace = /"namespace":"([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1];
      if (namespace !== undefined) return namespace;
    }
  }
}

function toPreload(folder: string, share: string): Preload {
  const order: BoundariesOrder = {
    roots: { share, state: join(folder, 'state') },
    logFile: logFileOf(folder),
    standOrders: orderFileOf(folder),
  };
  return {
    module: join(__dirname, 'boundaries-preload.js'),
    env: { [BOUNDARIES_VARIABLE]: JSON.stringify(order) },
  };
}

const logFileOf = (folder: string): string => join(folder, 'boundaries.log');
const orderFileOf = (folder: string): string => join(folder, 'stand.json');
const goFileOf = (folder: string, turn: number): string => join(folder, `go-${turn}`);

async function until(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`After ${PATIENCE_MS / 1_000} s: ${otherwise}`);
    await delay(LOOK_EVERY_MS);
  }
}
