// `drawbridge console` as a process of its own, on one share, and what is asked of it over HTTP.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePorts } from '../../setup/free-port';
import type { Used } from './count-operations';
import { PROJECT, SHARE } from './finished-share';

const DIST = join(__dirname, '..', '..', '..');

export interface Told {
  readonly ms: number;
  readonly bytes: number;
  readonly status: number;
  readonly text: string;
}

export class PageServer {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin;
    this.#child = child;
  }

  /** @param folder has the share in `share`; the page keeps its state beside it. */
  static async start(folder: string, key: Buffer): Promise<PageServer> {
    const state = join(folder, 'state');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(join(state, 'share-key'), `${key.toString('hex')}\n`, { mode: 0o600 });
    const [port = 0] = await findFreePorts(1);
    const settings = {
      stateDir: './state',
      console: { port },
      shares: [{ name: SHARE, folder: './share', project: PROJECT, timeZone: 'UTC' }],
    };
    const config = join(folder, 'drawbridge.json');
    writeFileSync(config, JSON.stringify(settings));
    const log = join(folder, 'console.log');
    const child = fork(join(DIST, 'client', 'main.js'), ['console', '--config', config], {
      stdio: 'ignore',
      execArgv: ['--require', join(__dirname, 'count-operations.js')],
      env: {
        ...process.env,
        DRAWBRIDGE_LOGGING__FILE: log,
        TEMPORAL_ADDRESS: process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233',
      },
    });
    const server = new PageServer(`http://127.0.0.1:${port}`, child);
    for (;;) {
      const isUp = await server.ask('/api/me').catch(() => undefined);
      if (isUp?.status === 200) return server;
      if (child.exitCode !== null) throw new Error(`The page ended: ${readFileSync(log, 'utf8')}`);
      await delay(20);
    }
  }

  async used(): Promise<Used> {
    this.#child.send('used');
    const [used] = (await once(this.#child, 'message')) as [Used];
    return used;
  }

  async ask(path: string): Promise<Told> {
    const begun = performance.now();
    return await new Promise((resolve, reject) => {
      const asked = request(`${this.origin}${path}`, { agent: this.#agent }, response => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          const ms = performance.now() - begun;
          resolve({ ms, bytes: Buffer.byteLength(text), status: response.statusCode ?? 0, text });
        });
        response.once('error', reject);
      });
      asked.once('error', reject).end();
    });
  }

  /** As a browser asks: what comes is packed. */
  async hear(path: string): Promise<void> {
    const headers = { 'accept-encoding': 'gzip' };
    const asked = request(`${this.origin}${path}`, { agent: this.#agent, headers }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
  }

  /** @throws what was told instead of an answer. */
  async get<Answer>(path: string): Promise<Answer> {
    const { status, text } = await this.ask(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as Answer;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}
