// A guarded child ends when it is asked to, and when its parent is gone, whatever ended that.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { transformFileSync } from '@swc/core';
import { identify, livenessOf, type ProcessIdentity } from '../../../activities/host/process-identity';
import { spawnGuarded } from '../../../workers/temporal/child-guard';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const STAYS = ['-e', 'setInterval(() => {}, 1000)'];
const IGNORES_TERM = [
  '-e',
  'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)',
];

async function gone(identity: ProcessIdentity): Promise<boolean> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (livenessOf(identity) === 'dead') return true;
    await delay(25);
  }
  return false;
}

describe('a guarded child', () => {
  test('ends when it is stopped', async () => {
    const child = await spawnGuarded({
      command: process.execPath,
      args: STAYS,
      environment: {},
      killAfterMs: 5_000,
    });
    const identity = identify(child.pid)!;
    expect(livenessOf(identity)).toBe('alive');
    // By the first, friendly signal.
    expect(await child.stop()).toEqual({ code: 143, signal: null });
    expect(livenessOf(identity)).toBe('dead');
  });

  test('is killed when it does not end by itself', async () => {
    const output = join(folder(), 'out.log');
    const outputFd = openSync(output, 'a');
    const child = await spawnGuarded({
      command: process.execPath,
      args: IGNORES_TERM,
      environment: {},
      outputFd,
      killAfterMs: 200,
    });
    closeSync(outputFd);
    while (!readFileSync(output, 'utf8').includes('up')) await delay(10);
    expect(await child.stop()).toEqual({ code: 137, signal: null });
  });

  test('says how it ended by itself', async () => {
    const child = await spawnGuarded({
      command: process.execPath,
      args: ['-e', 'process.exit(7)'],
      environment: {},
      killAfterMs: 100,
    });
    expect(await child.exited).toEqual({ code: 7, signal: null });
  });

  test('that cannot be started is an error', async () => {
    const start = spawnGuarded({ command: '/no/such/program', args: [], environment: {}, killAfterMs: 100 });
    await expect(start).rejects.toThrow('/no/such/program cannot be started (ENOENT)');
  });

  test('sees nothing of our environment but what it is given', async () => {
    process.env.DRAWBRIDGE_TEST_CANARY = 'canary';
    const output = join(folder(), 'env.json');
    const outputFd = openSync(output, 'a');
    const child = await spawnGuarded({
      command: process.execPath,
      args: ['-e', 'console.log(JSON.stringify(process.env))'],
      environment: { GIVEN: 'yes' },
      outputFd,
      killAfterMs: 100,
    });
    await child.exited;
    closeSync(outputFd);
    delete process.env.DRAWBRIDGE_TEST_CANARY;
    expect(JSON.parse(readFileSync(output, 'utf8'))).toMatchObject({ GIVEN: 'yes' });
    expect(readFileSync(output, 'utf8')).not.toContain('canary');
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('dies with its parent, ended by %s', async signal => {
    const parent = spawn(process.execPath, ['-e', parentProgram()], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = Number(String(await new Promise(resolve => parent.stdout.once('data', resolve))));
    const identity = identify(pid)!;
    expect(livenessOf(identity)).toBe('alive');
    parent.kill(signal);
    expect(await gone(identity)).toBe(true);
  });
});

/** A process of its own that starts a guarded child, says its pid and stays. */
function parentProgram(): string {
  const source = join(__dirname, '..', '..', '..', 'workers', 'temporal', 'child-guard.ts');
  const { code } = transformFileSync(source, {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  mkdirSync(join(folder(), 'compiled'));
  const compiled = join(folder(), 'compiled', 'child-guard.js');
  writeFileSync(compiled, code);
  return `require(${JSON.stringify(compiled)}).spawnGuarded({
    command: process.execPath, args: ${JSON.stringify(STAYS)}, environment: {}, killAfterMs: 5000,
  }).then(child => { console.log(child.pid); setInterval(() => {}, 1000); });`;
}
