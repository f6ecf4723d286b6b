// The lock between processes: one owner, ends with its process, and never two, however stale ones are broken.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { identify, thisProcess } from '../../activities/host/process-identity';
import { takeLock } from '../../workers/process-lock';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();

function startSleeper(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1000)']);
  return new Promise(resolve => child.stdout.once('data', () => resolve(child)));
}

function writeOwner(number: number, owner: object): void {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), `owner-${number}`), JSON.stringify(owner));
}

describe('a process lock', () => {
  test('is held once, and again after its release', () => {
    const first = takeLock(folder());
    expect(first.kind).toBe('held');
    expect(takeLock(folder())).toMatchObject({
      kind: 'taken',
      owner: { pid: process.pid, host: hostname() },
    });
    if (first.kind === 'held') first.lock.release();
    expect(takeLock(folder()).kind).toBe('held');
  });

  test('may be released twice without hurting the next owner', () => {
    const first = takeLock(folder());
    if (first.kind === 'held') first.lock.release();
    const second = takeLock(folder());
    if (first.kind === 'held') first.lock.release();
    expect(second.kind).toBe('held');
    expect(takeLock(folder()).kind).toBe('taken');
  });

  test('is held by a living process and free once that is killed', async () => {
    const sleeper = await startSleeper();
    writeOwner(4, identify(sleeper.pid!)!);
    expect(takeLock(folder())).toMatchObject({ kind: 'taken', owner: { pid: sleeper.pid } });
    const gone = new Promise(resolve => sleeper.once('exit', resolve));
    sleeper.kill('SIGKILL');
    await gone;
    expect(takeLock(folder()).kind).toBe('held');
    expect(readdirSync(folder())).toEqual(['owner-5']);
  });

  test('is not fooled by a pid that another process has now', () => {
    writeOwner(1, { ...thisProcess(), startedAt: 'long ago' });
    expect(takeLock(folder()).kind).toBe('held');
  });

  test('leaves the owner of another host alone, for nobody here can tell', () => {
    writeOwner(1, { ...thisProcess(), host: 'elsewhere', pid: 1 });
    expect(takeLock(folder())).toMatchObject({ kind: 'taken', owner: { host: 'elsewhere' } });
  });

  test('takes a torn file as released', () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), 'owner-3'), '{"pid":');
    expect(takeLock(folder()).kind).toBe('held');
  });

  test('has one owner when many processes break the same stale one', async () => {
    writeOwner(7, { ...thisProcess(), startedAt: 'long ago' });
    const program = `
      require(${JSON.stringify(join(__dirname, '../setup/typescript-hook.cjs'))});
      const { takeLock } = require(${JSON.stringify(join(__dirname, '../../workers/process-lock.ts'))});
      process.stdin.once('data', () => {
        const outcome = takeLock(${JSON.stringify(folder())});
        process.stdout.write(outcome.kind, () => setInterval(() => {}, 1000));
      });
      process.stderr.write('ready');`;
    const contenders = Array.from({ length: 8 }, () => spawn(process.execPath, ['-e', program]));
    try {
      await Promise.all(contenders.map(readyOf));
      const answers = contenders.map(
        each => new Promise<string>(resolve => each.stdout.once('data', data => resolve(String(data)))),
      );
      for (const each of contenders) each.stdin.write('go');
      expect((await Promise.all(answers)).sort()).toEqual(['held', ...Array(7).fill('taken')]);
    } finally {
      for (const each of contenders) each.kill('SIGKILL');
    }
  });
});

/** One that cannot begin says why, and is not waited for. */
async function readyOf(contender: ChildProcess): Promise<void> {
  const said = await new Promise(resolve => contender.stderr?.once('data', resolve));
  expect(String(said)).toBe('ready');
}
