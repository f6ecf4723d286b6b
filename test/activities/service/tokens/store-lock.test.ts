import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { thisProcess } from '../../../../activities/host/process-identity';
import { takeStoreLock } from '../../../../activities/service/tokens/store-lock';
import { useTemporaryFolder } from '../../../setup/temporary-folder';
import { errorOf } from '../client-bed';

const folder = useTemporaryFolder();
const take = (options = {}) => takeStoreLock(folder(), 'tokens', { waitMs: 5_000, ...options });

/** A lock left by somebody, as the highest number. */
async function plant(owner: object, state = 'held'): Promise<string> {
  const path = join(folder(), 'tokens.lock.1');
  await writeFile(path, JSON.stringify({ state, owner: { ...thisProcess(), ...owner } }));
  return path;
}

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('one holds it at a time, and all get it', async () => {
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const held = await take();
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(resolve => setTimeout(resolve, 3));
      await held.assertHeld();
      inside -= 1;
      await held.release();
    }),
  );
  expect(most).toBe(1);
});

test('a lock of a process that has ended is taken over', async () => {
  await plant({ pid: await endedPid() });
  await (await take()).release();
});

test('a lock whose process id now belongs to another process is taken over', async () => {
  await plant({ pid: process.pid, startedAt: '1' });
  await (await take()).release();
});

test('a lock from before the machine restarted is taken over', async () => {
  await plant({ boot: 'another-boot' });
  await (await take()).release();
});

test('a lock of a living process is waited for', async () => {
  await plant({});
  expect(await errorOf(take({ waitMs: 100 }))).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    fault: 'token-store',
  });
});

test.each([
  ['another host', { host: 'elsewhere' }],
  ['another container', { pidSpace: 'pid:[1]' }],
])('a lock of %s is taken over by its age alone', async (_, owner) => {
  const path = await plant(owner);
  expect(await errorOf(take({ waitMs: 50, foreignAgeMs: 60_000 }))).toMatchObject({ fault: 'token-store' });
  const longAgo = new Date(Date.now() - 120_000);
  await utimes(path, longAgo, longAgo);
  await (await take({ foreignAgeMs: 60_000 })).release();
});

test('a damaged lock waits for its age', async () => {
  const path = join(folder(), 'tokens.lock.1');
  await writeFile(path, 'x');
  expect(await errorOf(take({ waitMs: 50 }))).toMatchObject({ fault: 'token-store' });
  await utimes(path, new Date(0), new Date(0));
  await (await take()).release();
});

test('who was thought dead notices that the lock is another’s now', async () => {
  const first = await take();
  // Somebody on another host broke it.
  await writeFile(join(folder(), 'tokens.lock.2'), await readFile(join(folder(), 'tokens.lock.1')));
  expect(await errorOf(first.assertHeld())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('leaves few files behind', async () => {
  for (let n = 0; n < 40; n++) await (await take()).release();
  expect((await readdir(folder())).length).toBeLessThanOrEqual(20);
});

test('many who break one dead lock at once: one gets it at a time', async () => {
  const pid = await endedPid();
  for (let round = 0; round < 10; round++) {
    await rm(join(folder(), 'tokens.lock.1'), { force: true });
    for (const entry of await readdir(folder())) await rm(join(folder(), entry));
    await plant({ pid });
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

test('many processes that die holding it: never two owners, always a next one', async () => {
  const program = `
    require(${JSON.stringify(join(__dirname, '../../../setup/typescript-hook.cjs'))});
    const { takeStoreLock } = require(${JSON.stringify(join(__dirname, '../../../../activities/service/tokens/store-lock.ts'))});
    const { openSync, closeSync, unlinkSync } = require('node:fs');
    const folder = ${JSON.stringify(folder())};
    const mine = folder + '/inside';
    (async () => {
      for (let n = 0; n < 6; n++) {
        const held = await takeStoreLock(folder, 'tokens');
        closeSync(openSync(mine, 'wx'));
        await new Promise(resolve => setTimeout(resolve, 2));
        unlinkSync(mine);
        if (n === 5) process.kill(process.pid, 'SIGKILL');
        await held.release();
      }
    })().catch(error => { console.error(error); process.exit(1); });`;
  const children: ChildProcess[] = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] }),
  );
  const ends = await Promise.all(
    children.map(async child => (await once(child, 'exit')) as [number | null, string | null]),
  );
  expect(ends).toEqual(children.map(() => [null, 'SIGKILL']));
  await (await take()).release();
}, 30_000);
