// Temporal servers for a part with hundreds of cases. One server keeps every run of every case in memory, and
// comes to answer nobody: so after some cases the next ones get another one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startTestServer, type TestServer } from '../setup/temporal-server';

const CASES_FOR_ONE = 40;

interface Running {
  readonly server: Promise<TestServer>;
  begun: number;
  inUse: number;
}

export class FreshServers {
  readonly #cli: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'drawbridge-servers-'));
  #current: Running | undefined;

  constructor(temporalCli: string) {
    this.#cli = temporalCli;
  }

  /** @param work a case, with the address of its server. */
  async lend<Result>(work: (address: string) => Promise<Result>): Promise<Result> {
    const running = await this.#take();
    try {
      return await work((await running.server).address);
    } finally {
      running.inUse -= 1;
      if (running !== this.#current) await stopUnused(running);
    }
  }

  async close(): Promise<void> {
    await (await this.#current?.server)?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #take(): Promise<Running> {
    const before = this.#current;
    if (before !== undefined && before.begun < CASES_FOR_ONE) {
      before.begun += 1;
      before.inUse += 1;
      return before;
    }
    const next = { server: this.#start(), begun: 1, inUse: 1 };
    this.#current = next;
    if (before !== undefined) await stopUnused(before);
    return next;
  }

  async #start(): Promise<TestServer> {
    return await startTestServer({ cli: this.#cli, folder: this.#folder });
  }
}

async function stopUnused({ server, inUse }: Running): Promise<void> {
  if (inUse === 0) await (await server).stop();
}
