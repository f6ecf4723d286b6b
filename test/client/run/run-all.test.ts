// One run at a time has the data of a state folder, and a database of Temporal's; and one that is told to end
// ends in order, whatever it waits for.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { thisProcess } from '../../../activities/host/process-identity';
import { runAll } from '../../../client/run/run-all';
import type { RunAllInput } from '../../../client/run/run-input';
import { exitCodeOf } from '../../../client/session/cli-error';
import { untilEnded } from '../../../client/session/ending';
import { loadConfig } from '../../../workers/config/config';
import { writeFakeTemporal } from '../../setup/fake-temporal';
import { findFreePorts } from '../../setup/free-port';
import { useTemporaryFolder } from '../../setup/temporary-folder';

// Worker, watcher and page: they are no matter here.
jest.mock('../../../client/run/start-work', () => ({ startWork: async () => undefined }));

const folder = useTemporaryFolder();

/** Begins no part: making its log fails. */
function run(): Promise<void> {
  const config = { stateDir: folder(), shares: [{}], logging: undefined };
  return runAll({ config } as unknown as RunAllInput);
}

function plantLock(owner: object): string {
  const lock = join(folder(), 'run-lock');
  mkdirSync(lock);
  const content = { state: 'held', owner: { ...thisProcess(), ...owner } };
  writeFileSync(join(lock, 'owner-1'), JSON.stringify(content));
  return lock;
}

test('refuses beside another one of which nobody here can tell, and says what to remove if that is gone', async () => {
  const lock = plantLock({ host: 'elsewhere' });
  await expect(run()).rejects.toThrow(`If that process is gone, remove ${lock}.`);
});

test('goes on after the machine crashed and came back under another name', async () => {
  plantLock({ host: 'former-name', boot: 'another-boot' });
  await expect(run()).rejects.not.toThrow('running already');
});

interface Run {
  readonly said: readonly string[];
  readonly work: Promise<void>;
  readonly isUp: () => boolean;
  readonly end: () => Promise<void>;
}

describe('with a Temporal server of its own', () => {
  const runs: Run[] = [];

  afterEach(async () => {
    delete process.env.TEMPORAL_CLI;
    for (const run of runs.splice(0)) await run.end().catch(() => undefined);
  });

  const database = () => join(folder(), 'temporal.db');

  /** Begins a run with data of its own, which has its Temporal's database in common with the others. */
  async function begin(name: string, environment = 'sandbox'): Promise<Run> {
    const [port, uiPort] = await findFreePorts(2);
    const file = join(folder(), `${name}.json`);
    const [baseUrl, authUrl] = ['https://api.example.com', 'https://login.example.com'];
    const clientSecret = { env: 'NO_SUCH_VARIABLE_HERE' };
    const settings = {
      stateDir: name,
      service: { environment, baseUrl, authUrl, clientId: 'client', clientSecret },
      shares: [{ name: 'tender', folder: 'share', project: { companyId: '1', projectId: '2' } }],
      temporal: { embedded: { port, uiPort, database: database() } },
    };
    writeFileSync(file, JSON.stringify(settings));
    const said: string[] = [];
    const ending = new AbortController();
    const input: RunAllInput = {
      config: loadConfig({ path: file, secrets: 'leave', environment: {} }),
      ending: ending.signal,
      reporter: { say: line => void said.push(line), progress: () => undefined },
      paint: (_colour, text) => text,
      standIn: { speed: 1 },
      command: 'drawbridge',
      startPage: async () => ({ address: '', close: async () => undefined }),
    };
    const work = untilEnded({ signal: ending.signal, dispose: () => undefined }, () => runAll(input));
    const run: Run = {
      said,
      work,
      isUp: () => said.some(text => text.includes('Look at the work')),
      end: async () => {
        ending.abort(new Error('ended by SIGTERM'));
        await work;
      },
    };
    runs.push(run);
    return run;
  }

  /** Unless the run ends before; then as that ends. */
  async function until(isSo: () => boolean, { work }: Run): Promise<void> {
    let isOver = false;
    const waiting = async () => {
      while (!isSo() && !isOver) await delay(20);
    };
    await Promise.race([waiting(), work]).finally(() => {
      isOver = true;
    });
  }

  function fake() {
    const temporal = writeFakeTemporal(folder());
    process.env.TEMPORAL_CLI = temporal.cli;
    return { ...temporal, starts: () => temporal.asked().filter(method => method === '/start').length };
  }

  test('a run on other data is refused its database, and the first one goes on', async () => {
    const temporal = fake();
    const first = await begin('first');
    await until(first.isUp, first);
    const second = await begin('second');
    const error = await until(second.isUp, second).catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ message: expect.stringContaining(database()) });
    expect(exitCodeOf(error)).toBe(3);
    expect(temporal.starts()).toBe(1);
    await first.end();
    const third = await begin('third');
    await until(third.isUp, third);
  });

  test('production is refused that server without the word of the operator, and nothing is started', async () => {
    const temporal = fake();
    const run = await begin('only', 'production');
    const error = await until(run.isUp, run).catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ message: expect.stringContaining('temporal.embedded.forProduction') });
    expect(exitCodeOf(error)).toBe(2);
    expect([temporal.asked(), run.said]).toEqual([[], []]);
  });

  test('to be told to end before it answers is no failure', async () => {
    const temporal = fake();
    writeFileSync(temporal.silent, '');
    const run = await begin('only');
    await until(() => temporal.starts() === 1, run);
    await expect(run.end()).resolves.toBeUndefined();
  });

  test('nor is it while it is started again', async () => {
    const temporal = fake();
    const run = await begin('only');
    await until(run.isUp, run);
    writeFileSync(temporal.silent, '');
    process.kill(JSON.parse(readFileSync(`${database()}.pid`, 'utf8')).pid, 'SIGKILL');
    await until(() => temporal.starts() === 2, run);
    await expect(run.end()).resolves.toBeUndefined();
    expect(run.said.at(-1)).toMatch(/^Stopped/);
  });
});
