// The server of `run`: keeps its runs over restarts, says which port is taken, and
// ends what a killed process left.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';

import { thisProcess } from '../../../activities/host/process-identity';
import {
  type EmbeddedTemporalInput,
  holdDatabase,
  isHttpApiClosed,
  requireFreePort,
  startEmbeddedTemporal,
} from '../../../workers/temporal/embedded-temporal';
import { registerSearchAttributes, SEARCH_ATTRIBUTES } from '../../../workers/temporal/search-attributes';
import { createTemporalIdentity } from '../../../workers/temporal/temporal-identity';
import { keepEndedRuns } from '../../../workers/temporal/temporal-retention';
import { writeFakeTemporal } from '../../setup/fake-temporal';
import { findFreePorts } from '../../setup/free-port';
import { testTemporal } from '../../setup/temporal';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();

async function inputFor(): Promise<EmbeddedTemporalInput> {
  const [port = 0] = await findFreePorts(1);
  return {
    cli: process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI ?? '',
    port,
    database: join(folder(), 'state', 'temporal.db'),
    logFile: join(folder(), 'state', 'temporal.log'),
    logLevel: 'warn',
  };
}

async function withClient<T>(
  address: string,
  use: (client: Client, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }), connection);
  } finally {
    await connection.close();
  }
}

describe('the embedded server', () => {
  test('keeps its runs over a restart', async () => {
    const input = await inputFor();
    const first = await startEmbeddedTemporal(input);
    await withClient(first.address, client =>
      client.workflow.start('anything', { workflowId: 'kept', taskQueue: 'nobody' }),
    );
    await first.stop();
    const second = await startEmbeddedTemporal(input);
    const found = await withClient(second.address, client => client.workflow.getHandle('kept').describe());
    expect(found.status.name).toBe('RUNNING');
    await second.stop();
  });

  test('has the namespace that is asked for, also over a restart', async () => {
    const input = { ...(await inputFor()), namespace: 'works' };
    for (const expected of ['1', '2']) {
      const server = await startEmbeddedTemporal(input);
      await keepEndedRuns(server.address, ['works'], Number(expected) * 86_400_000);
      await withClient(server.address, async (_client, connection) => {
        const { config } = await connection.workflowService.describeNamespace({ namespace: 'works' });
        expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(Number(expected) * 86_400);
      });
      await server.stop();
    }
  });

  test('remembers ended runs for as long as it is told', async () => {
    const server = await startEmbeddedTemporal(await inputFor());
    await keepEndedRuns(server.address, ['default', 'no-such-namespace'], 30 * 86_400_000);
    await withClient(server.address, async (_client, connection) => {
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
    });
    await server.stop();
  });

  test('has an identity of its own, which it keeps over a restart and loses with its database', async () => {
    const input = await inputFor();
    const stateDir = dirname(input.database!);
    const askWho = async () => {
      const server = await startEmbeddedTemporal(input);
      const named = { namespace: 'default', address: server.address, stateDir };
      const who = await withClient(server.address, async (_client, connection) =>
        createTemporalIdentity({ connection, ...named })(),
      );
      await server.stop();
      return who;
    };
    const first = await askWho();
    expect(first.former).toEqual([]);
    expect(await askWho()).toEqual(first);
    for (const name of readdirSync(stateDir).filter(each => each.startsWith(basename(input.database!)))) {
      rmSync(join(stateDir, name), { recursive: true, force: true });
    }
    const second = await askWho();
    expect(second.id).not.toBe(first.id);
    expect(second.former).toEqual([first.id]);
  });

  test('takes the search attributes of the project, twice without harm', async () => {
    const server = await startEmbeddedTemporal(await inputFor());
    await withClient(server.address, async (_client, connection) => {
      expect(await registerSearchAttributes(connection, 'default')).toEqual({
        kind: 'registered',
        added: [...SEARCH_ATTRIBUTES],
      });
      // What was added shows up a moment later.
      for (let added = 1; added > 0; await delay(50)) {
        const again = await registerSearchAttributes(connection, 'default');
        expect(again.kind).toBe('registered');
        added = again.kind === 'registered' ? again.added.length : 0;
      }
      expect(await registerSearchAttributes(connection, 'no-such-namespace')).toMatchObject({
        kind: 'unavailable',
      });
    });
    await server.stop();
  });

  test('says why it does not start, with the end of its log', async () => {
    const start = startEmbeddedTemporal({ ...(await inputFor()), logLevel: 'no-such-level' });
    await expect(start).rejects.toMatchObject({
      code: 'NOT_STARTED',
      message: expect.stringContaining('no-such-level'),
    });
  });

  test('tells when it lives and answers nobody', async () => {
    const input = await inputFor();
    const server = await startEmbeddedTemporal(input);
    expect(await server.answers()).toBe(true);
    expect(isHttpApiClosed(input.database!)).toBe(true);
    const { pid } = JSON.parse(readFileSync(`${input.database}.pid`, 'utf8'));
    process.kill(pid, 'SIGSTOP');
    // On a machine that is busy it stands still some moments later.
    while (await server.answers(300));
    process.kill(pid, 'SIGCONT');
    await server.stop();
    expect(isHttpApiClosed(input.database!)).toBeUndefined();
  });

  test('says of one that answers with errors at once that it does not answer', async () => {
    const { cli, broken, asked } = writeFakeTemporal(folder());
    const server = await startEmbeddedTemporal({ ...(await inputFor()), cli });
    const answers = [await server.answers()];
    writeFileSync(broken, '');
    const before = asked().length;
    answers.push(await server.answers());
    await server.stop();
    expect(answers).toEqual([true, false]);
    expect(asked().slice(before)).toEqual(['/DescribeNamespace']);
  });

  test('has its database alone: while it lives, a second one on it is refused, and told who has it', async () => {
    const { cli } = writeFakeTemporal(folder());
    const input = { ...(await inputFor()), cli };
    const first = await startEmbeddedTemporal(input);
    const second = startEmbeddedTemporal({ ...input, port: (await inputFor()).port });
    await expect(second).rejects.toMatchObject({
      code: 'DATABASE_TAKEN',
      message: expect.stringMatching(`${input.database}.* process ${process.pid} on .*-lock`),
    });
    expect(await first.answers()).toBe(true);
    await first.stop();
    const third = await startEmbeddedTemporal(input);
    await third.stop();
  });

  test.each([
    ['that was killed', { startedAt: 'long ago' }],
    ['of before the machine crashed and came back under another name', { boot: 'another', host: 'former' }],
  ])('takes the database over at once from a process %s', async (_which, owner) => {
    const { cli } = writeFakeTemporal(folder());
    const input = { ...(await inputFor()), cli };
    mkdirSync(`${input.database}-lock`, { recursive: true });
    const content = { state: 'held', owner: { ...thisProcess(), ...owner } };
    writeFileSync(join(`${input.database}-lock`, 'owner-1'), JSON.stringify(content));
    const server = await startEmbeddedTemporal(input);
    await server.stop();
  });

  test('has no other come between its end and its next start, where somebody holds its database for it', async () => {
    const { cli } = writeFakeTemporal(folder());
    const input = { ...(await inputFor()), cli };
    const lock = await holdDatabase(input.database!);
    for (let start = 0; start < 2; start++) {
      const server = await startEmbeddedTemporal({ ...input, lock });
      process.kill(JSON.parse(readFileSync(`${input.database}.pid`, 'utf8')).pid, 'SIGKILL');
      await server.exited;
      await expect(startEmbeddedTemporal(input)).rejects.toMatchObject({ code: 'DATABASE_TAKEN' });
    }
    await lock.release();
    const other = await startEmbeddedTemporal(input);
    await other.stop();
  });

  test('ends a server that was left running on the same database', async () => {
    const input = await inputFor();
    const first = await startEmbeddedTemporal(input);
    // The guard is killed: nobody is left to end the server.
    const { pid } = JSON.parse(readFileSync(`${input.database}.pid`, 'utf8'));
    const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    process.kill(Number(parent), 'SIGKILL');
    await first.exited;
    const second = await startEmbeddedTemporal(input);
    await second.stop();
  });
});

describe('a port that is taken', () => {
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer(socket => socket.destroy());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(() => server.close());

  test('by another program is named, with what to set', async () => {
    await expect(requireFreePort(port, 'temporal.embedded.port', 'THE_VARIABLE')).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      message: `Port ${port} is taken by another program. Set temporal.embedded.port or THE_VARIABLE to a free one.`,
    });
  });

  test('by a Temporal server is told apart, with how to use that one', async () => {
    const { address } = testTemporal();
    const taken = Number(address.split(':').at(-1));
    await expect(requireFreePort(taken, 'x', 'Y')).rejects.toMatchObject({
      message: expect.stringContaining(`set TEMPORAL_ADDRESS=127.0.0.1:${taken}`),
    });
  });
});
