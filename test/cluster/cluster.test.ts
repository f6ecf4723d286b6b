// The parts of the cluster that need neither PostgreSQL nor Go: finding programs and ports,
// reading compose's answer, killing.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { useTemporaryFolder } from '../setup/temporary-folder';
import { type ComposeFile, environmentOf } from './compose-file';
import { findFixedPorts } from './fixed-ports';
import { lookForPostgresql } from './postgresql';
import { SupervisedProcess } from './supervised-process';

const temporary = useTemporaryFolder();

describe('finding PostgreSQL', () => {
  function install(...parts: string[]): string {
    const folder = join(temporary(), ...parts);
    mkdirSync(folder, { recursive: true });
    for (const program of ['postgres', 'initdb', 'pg_isready']) writeFileSync(join(folder, program), '');
    return folder;
  }

  test('a folder of PATH that has all programs comes first', () => {
    install('packages', '16', 'bin');
    const onPath = install('path');
    expect(lookForPostgresql(['/nowhere', onPath].join(delimiter), join(temporary(), 'packages'))).toBe(
      onPath,
    );
  });

  test('the newest package comes next, by number and not by letter', () => {
    install('packages', '9.6', 'bin');
    const newest = install('packages', '15', 'bin');
    expect(lookForPostgresql('/nowhere', join(temporary(), 'packages'))).toBe(newest);
  });

  test('clients without a server are not enough', () => {
    writeFileSync(join(temporary(), 'pg_isready'), '');
    expect(lookForPostgresql(temporary(), '/nowhere')).toBeUndefined();
  });
});

describe('what the compose file tells a part', () => {
  const compose: ComposeFile = {
    services: {
      temporal: {
        environment: { POSTGRES_SEEDS: 'postgresql', FILE: '/etc/a.yaml', EMPTY: null },
        volumes: [{ type: 'bind', source: '/here/a.yaml', target: '/etc/a.yaml' }],
      },
    },
  };

  test('addresses are replaced, mounted files are where they were mounted from', () => {
    expect(environmentOf(compose, 'temporal', { POSTGRES_SEEDS: '127.0.0.1' })).toEqual({
      POSTGRES_SEEDS: '127.0.0.1',
      FILE: '/here/a.yaml',
    });
  });

  test('a variable that the file does not set cannot be replaced: the file and the cluster would drift apart', () => {
    expect(() => environmentOf(compose, 'temporal', { DB_PORT: '1' })).toThrow('DB_PORT');
    expect(() => environmentOf(compose, 'database', {})).toThrow('database');
  });
});

test('ports fit into the smallint that Temporal keeps them in, and none is given twice', async () => {
  const ports = await findFixedPorts(14);
  expect(new Set(ports).size).toBe(14);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

describe('a supervised process', () => {
  async function run(program: string, more: { restartAfterMs?: number } = {}) {
    const logFile = join(temporary(), 'part.log');
    const part = new SupervisedProcess({
      name: 'part',
      command: process.execPath,
      args: ['-e', program],
      environment: {},
      logFile,
      killAfterMs: 5_000,
      ...more,
    });
    await part.start();
    return { part, said: () => readFileSync(logFile, 'utf8') };
  }
  const FOREVER = 'setInterval(() => undefined, 1e6); console.log("up", process.pid)';

  test('killed, it stays away until it is started again, as another process', async () => {
    const { part, said } = await run(FOREVER, { restartAfterMs: 1 });
    const { pid } = part;
    await part.kill();
    expect(part.isRunning).toBe(false);
    await part.start();
    expect(part.pid).not.toBe(pid);
    while (!said().includes(`up ${part.pid}`)) await delay(20);
    expect(part.restarts).toBe(0);
    await part.stop();
    expect(part.isRunning).toBe(false);
  });

  test('ended by itself, it is started again and that is counted', async () => {
    const { part, said } = await run('console.log("up")', { restartAfterMs: 1 });
    while (said().split('up').length < 4) await delay(20);
    await part.stop();
    expect(part.restarts).toBeGreaterThanOrEqual(2);
  });

  test('without a supervisor it stays ended', async () => {
    const { part, said } = await run('console.log("up")');
    while (part.isRunning) await delay(20);
    expect(said()).toBe('up\n');
    await part.stop();
  });
});
