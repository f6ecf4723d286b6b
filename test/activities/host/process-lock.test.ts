// The lock between processes: one owner, ends with its process, and never two, however stale ones are broken.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { thisProcess, toFormerIdentity } from '../../../activities/host/process-identity';
import {
  type HeldLock,
  type LockOptions,
  takeLock,
  waitForLock,
} from '../../../activities/host/process-lock';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const self = thisProcess();
const US = `process ${process.pid} on ${hostname()}`;
const HOOK = JSON.stringify(join(__dirname, '../../setup/typescript-hook.cjs'));
const LOCK = JSON.stringify(join(__dirname, '../../../activities/host/process-lock.ts'));

/** Of one that must be free, or become free soon. */
async function take(options: LockOptions = {}): Promise<HeldLock> {
  const outcome = await takeLock(folder(), { waitMs: 5_000, ...options });
  if (outcome.kind === 'held') return outcome.lock;
  throw new Error(`it is taken by ${outcome.owner}`);
}

/** A lock left by somebody. */
function plant(content: unknown, number = 1): string {
  const path = join(folder(), `owner-${number}`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const heldBy = (owner: object) => ({ state: 'held', owner: { ...self, ...owner } });

async function endedPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid!;
}

describe('a lock', () => {
  test('is held once, and again after its release', async () => {
    const first = await take();
    expect(await takeLock(folder())).toEqual({ kind: 'taken', owner: US });
    await first.release();
    expect((await takeLock(folder())).kind).toBe('held');
  });

  test('may be released twice without hurting the next owner', async () => {
    const first = await take();
    await first.release();
    const second = await take();
    await first.release();
    expect(await second.isHeld()).toBe(true);
    expect((await takeLock(folder())).kind).toBe('taken');
  });

  test('is had by all who wait for it, one at a time', async () => {
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const held = await take();
        inside += 1;
        most = Math.max(most, inside);
        // Long enough for others to look many times.
        for (let look = 0; look < 10; look++) expect(await held.isHeld()).toBe(true);
        inside -= 1;
        await held.release();
      }),
    );
    expect(most).toBe(1);
  });

  test('is no other one of the same folder', async () => {
    await take({ prefix: 'a.lock.' });
    await take({ prefix: 'b.lock.' });
    expect(await takeLock(folder(), { prefix: 'a.lock.' })).toMatchObject({ kind: 'taken' });
  });

  test('has a folder made for it that is for our account alone', async () => {
    expect((await takeLock(join(folder(), 'new'))).kind).toBe('held');
    expect(readdirSync(join(folder(), 'new'))).toEqual(['owner-1']);
    expect(statSync(join(folder(), 'new')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder(), 'new', 'owner-1')).mode & 0o777).toBe(0o600);
  });

  test('leaves few files behind', async () => {
    for (let n = 0; n < 40; n++) await (await take()).release();
    expect(readdirSync(folder()).length).toBeLessThanOrEqual(17);
  });
});

describe('on a disk that takes nothing more', () => {
  const fails = (name: 'writeFile' | 'readdir') =>
    jest
      .spyOn(promises, name)
      .mockRejectedValue(Object.assign(new Error('no space, or no file to open'), { code: 'ENOSPC' }));

  afterEach(() => jest.restoreAllMocks());

  test('a lock is released all the same, and a second release does not hurt the next owner', async () => {
    const first = await take();
    const disk = fails('writeFile');
    await first.release();
    disk.mockRestore();
    const second = await take({ waitMs: 0 });
    await first.release();
    expect(await second.isHeld()).toBe(true);
    expect((await takeLock(folder())).kind).toBe('taken');
  });

  test('a lock is released, and whoever held it before never takes that of a later owner for its own', async () => {
    const stoodStill = await take();
    const before = join(folder(), 'owner-1');
    writeFileSync(before, JSON.stringify(heldBy({ host: 'elsewhere' })));
    utimesSync(before, new Date(0), new Date(0));
    const first = await take({ staleAfterMs: 60_000 });
    const disk = fails('writeFile');
    await first.release();
    disk.mockRestore();
    expect(await stoodStill.isHeld()).toBe(false);
    const second = await take({ waitMs: 0, staleAfterMs: 60_000 });
    expect([await stoodStill.isHeld(), await first.isHeld(), await second.isHeld()]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('a lock is not kept by whoever cannot look whether it is the only one', async () => {
    const list = promises.readdir;
    const disk = fails('readdir');
    disk.mockImplementationOnce(list as never);
    await expect(takeLock(folder())).rejects.toThrow('no file to open');
    disk.mockRestore();
    await take({ waitMs: 0 });
  });
});

test.each(['EBUSY', 'EMFILE', 'ENOMEM', 'ETIMEDOUT'])(
  'a lock that cannot be read for a moment (%s) is not taken',
  async code => {
    const first = await take();
    const reading = jest
      .spyOn(promises, 'readFile')
      .mockRejectedValue(Object.assign(new Error(code), { code }));
    try {
      await expect(takeLock(folder())).rejects.toThrow(code);
    } finally {
      reading.mockRestore();
    }
    expect(await first.isHeld()).toBe(true);
  },
);

describe('whoever waits for a lock', () => {
  test('is told for whom, once', async () => {
    const first = await take();
    const told: string[] = [];
    // Several looks of it while another one has the lock.
    expect((await takeLock(folder(), { waitMs: 100, onWait: owner => told.push(owner) })).kind).toBe('taken');
    expect(told).toEqual([US]);
    const second = await waitForLock(folder(), { onWait: () => void first.release() });
    expect(await second.isHeld()).toBe(true);
  });

  test('gives up after the time it has, or when it is told to', async () => {
    await take();
    expect((await takeLock(folder(), { waitMs: 50 })).kind).toBe('taken');
    const abort = new AbortController();
    const reason = new Error('enough');
    const waiting = waitForLock(folder(), { signal: abort.signal, onWait: () => abort.abort(reason) });
    await expect(waiting).rejects.toBe(reason);
  });
});

describe('a lock that was left', () => {
  test('by a process that has ended is taken over', async () => {
    plant(heldBy({ pid: await endedPid() }), 4);
    await take({ waitMs: 0 });
    // The dead one stays for those who listed it just before.
    expect(readdirSync(folder()).sort()).toEqual(['owner-4', 'owner-5']);
  });

  test.each([
    ['a process whose pid another one has now', { startedAt: '1' }],
    ['a process of before the machine restarted', { boot: 'another-boot' }],
  ])('by %s is taken over', async (_, owner) => {
    plant(heldBy(owner));
    await take({ waitMs: 0 });
  });

  test('by a process that may live is not, though nobody knows when that began', async () => {
    const path = plant(heldBy({ startedAt: '' }));
    utimesSync(path, new Date(0), new Date(0));
    expect((await takeLock(folder(), { staleAfterMs: 60_000 })).kind).toBe('taken');
  });

  test.each([
    ['on another host', heldBy({ host: 'elsewhere' }), `process ${process.pid} on elsewhere`],
    ['in another container', heldBy({ pidSpace: 'pid:[1]' }), US],
    ['damaged', 'x', 'an unknown process'],
  ])('%s is taken over by its age alone, where that may be', async (_, content, owner) => {
    const path = plant(content);
    expect(await takeLock(folder(), { staleAfterMs: 60_000 })).toEqual({ kind: 'taken', owner });
    const longAgo = new Date(Date.now() - 120_000);
    utimesSync(path, longAgo, longAgo);
    await take({ staleAfterMs: 60_000 });
  });

  test('on another host is never taken over, and damaged at once, where its age says nothing', async () => {
    const path = plant(heldBy({ host: 'elsewhere' }));
    utimesSync(path, new Date(0), new Date(0));
    expect((await takeLock(folder())).kind).toBe('taken');
    plant('{"state":', 2);
    await take({ waitMs: 0 });
  });

  test('before the machine restarted is free under its new name too, in a folder of one host', async () => {
    plant(heldBy({ host: 'former-name', boot: 'another-boot' }));
    expect((await takeLock(folder())).kind).toBe('taken');
    await take({ waitMs: 0, isOfOneHost: true });
  });

  test('is as young as its last touch, by the clock of its file system, however far that is ahead', async () => {
    const held = await take();
    const path = plant(heldBy({ host: 'elsewhere' }));
    utimesSync(path, new Date(0), new Date(0));
    const content = readFileSync(path, 'utf8');
    jest.useFakeTimers({ now: Date.now() - 600_000, advanceTimers: true });
    try {
      await held.touch();
    } finally {
      jest.useRealTimers();
    }
    expect((await takeLock(folder(), { staleAfterMs: 60_000 })).kind).toBe('taken');
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('and released stays free when a touch comes late', async () => {
    const held = await take();
    await held.release();
    await held.touch();
    await take({ waitMs: 0, staleAfterMs: 60_000 });
  });

  test('and taken over is no longer held: who was thought dead notices', async () => {
    const first = await take();
    // Somebody on another host broke it.
    plant(readFileSync(join(folder(), 'owner-1'), 'utf8'), 2);
    expect(await first.isHeld()).toBe(false);
  });
});

describe('beside version 0.1.0', () => {
  test('a lock that it holds is taken, in both of its forms', async () => {
    plant(toFormerIdentity(self));
    expect(await takeLock(folder())).toEqual({ kind: 'taken', owner: US });
    plant({ state: 'held', owner: self }, 2);
    expect(await takeLock(folder())).toEqual({ kind: 'taken', owner: US });
  });

  test('a lock that it released is free, in both of its forms', async () => {
    plant({ released: true });
    await (await take({ waitMs: 0 })).release();
    plant({ state: 'released', owner: self }, 3);
    await take({ waitMs: 0, staleAfterMs: 60_000 });
  });

  test('ours are what it looks for: its own owner at the top or inside, and none at the top once released', async () => {
    const held = await take();
    const read = () => JSON.parse(readFileSync(join(folder(), 'owner-1'), 'utf8')) as unknown;
    expect(read()).toMatchObject({ ...toFormerIdentity(self), state: 'held', owner: self });
    await held.release();
    expect(read()).toEqual({ state: 'released', owner: self });
  });
});

describe('many at once', () => {
  test('who break one dead lock: one gets it at a time', async () => {
    const pid = await endedPid();
    for (let round = 0; round < 10; round++) {
      for (const entry of readdirSync(folder())) rmSync(join(folder(), entry));
      plant(heldBy({ pid }));
      let inside = 0;
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const held = await take();
          inside += 1;
          expect(inside).toBe(1);
          await new Promise(resolve => setImmediate(resolve));
          inside -= 1;
          await held.release();
        }),
      );
    }
  });

  test('processes that break one stale lock: it has one owner', async () => {
    plant(toFormerIdentity({ ...self, startedAt: '1' }), 7);
    const contenders = Array.from({ length: 6 }, () =>
      start(`
        process.stdin.once('data', async () => {
          const outcome = await takeLock(folder);
          process.stdout.write(outcome.kind, () => setInterval(() => {}, 1000));
        });
        process.stdout.write('ready');`),
    );
    try {
      expect(await Promise.all(contenders.map(sayingOf))).toEqual(Array(6).fill('ready'));
      const outcomes = contenders.map(sayingOf);
      for (const each of contenders) each.stdin?.write('go');
      expect((await Promise.all(outcomes)).sort()).toEqual(['held', ...Array(5).fill('taken')]);
    } finally {
      for (const each of contenders) each.kill('SIGKILL');
    }
  }, 30_000);

  test('processes that die holding it: never two owners, always a next one', async () => {
    const children = Array.from({ length: 5 }, () =>
      start(`
        const { openSync, closeSync, unlinkSync } = require('node:fs');
        const mine = folder + '/inside';
        (async () => {
          for (let n = 0; n < 6; n++) {
            const held = await waitForLock(folder, {});
            closeSync(openSync(mine, 'wx'));
            await new Promise(resolve => setTimeout(resolve, 2));
            unlinkSync(mine);
            if (n === 5) process.kill(process.pid, 'SIGKILL');
            await held.release();
          }
        })().catch(error => { console.error(error); process.exit(1); });`),
    );
    const ends = await Promise.all(children.map(child => once(child, 'exit')));
    expect(ends).toEqual(children.map(() => [null, 'SIGKILL']));
    await (await take()).release();
  }, 30_000);
});

function start(program: string): ChildProcess {
  const prelude = `require(${HOOK}); const { takeLock, waitForLock } = require(${LOCK});`;
  const folderIs = `const folder = ${JSON.stringify(folder())};`;
  return spawn(process.execPath, ['-e', `${prelude} ${folderIs} ${program}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function sayingOf(child: ChildProcess): Promise<string> {
  return await new Promise(resolve => child.stdout?.once('data', data => resolve(String(data))));
}
