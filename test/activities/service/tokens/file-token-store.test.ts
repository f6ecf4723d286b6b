import { randomBytes } from 'node:crypto';
import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { takeLock } from '../../../../activities/host/process-lock';
import { FileTokenStore } from '../../../../activities/service/tokens/file-token-store';
import type { TokenRecord } from '../../../../activities/service/tokens/token-store';
import { useTemporaryFolder } from '../../../setup/temporary-folder';
import { errorOf } from '../client-bed';

const temporary = useTemporaryFolder();
const config = { authUrl: 'https://login.example', clientId: 'client-1' };
const record: TokenRecord = {
  version: 1,
  authOrigin: 'https://login.example',
  clientId: 'client-1',
  grant: 'refresh_token',
  generation: 3,
  accessToken: 'canary-access',
  refreshToken: 'canary-refresh',
  obtainedAtMs: 1_700_000_000_000,
  lifetimeMs: 5_400_000,
  exchange: null,
  burnt: null,
  seed: null,
};
const folder = () => join(temporary(), 'state');
const open = (keys?: readonly Uint8Array[], more = {}) =>
  new FileTokenStore({
    folder: folder(),
    config: { ...config, ...more },
    ...(keys === undefined ? {} : { keys }),
  });
const save = (store: FileTokenStore, saved: TokenRecord = record) => store.lock(() => store.save(saved));

test('gives back what was saved, to another store as well', async () => {
  expect(await open().load()).toBeNull();
  await save(open());
  expect(await open().load()).toEqual(record);
});

test('shows by its stamp that another process has saved, also when the content is alike', async () => {
  const [one, two] = [open(), open()];
  expect(await one.stamp()).toBeNull();
  await save(two);
  const first = await one.stamp();
  expect(await one.stamp()).toBe(first);
  await save(two);
  expect(await one.stamp()).not.toBe(first);
});

test('is private: file 0600, folder 0700, no drafts left', async () => {
  const store = open();
  await save(store);
  expect((await stat(folder())).mode & 0o777).toBe(0o700);
  expect((await stat(store.path)).mode & 0o777).toBe(0o600);
  for (const entry of await readdir(folder())) {
    expect((await stat(join(folder(), entry))).mode & 0o077).toBe(0);
    expect(entry).not.toContain('.tmp.');
  }
});

test('a killed writer’s draft is removed by the next who writes', async () => {
  const store = open();
  await save(store);
  await writeFile(`${store.path}.tmp.dead`, 'canary', { mode: 0o600 });
  await save(store);
  expect((await readdir(folder())).filter(entry => entry.includes('.tmp.'))).toEqual([]);
});

test('saving without the lock is a bug', async () => {
  await expect(open().save(record)).rejects.toThrow('under the lock');
});

test('a lock that is held for long does not seem abandoned', async () => {
  const store = open();
  const setInterval = jest.spyOn(globalThis, 'setInterval');
  const clearInterval = jest.spyOn(globalThis, 'clearInterval');
  await store.lock(async () => {
    const path = store.path.replace(/json$/, 'lock.1');
    const longAgo = new Date(Date.now() - 60 * 60_000);
    await utimes(path, longAgo, longAgo);
    const [touch, everyMs] = setInterval.mock.calls.at(-1) ?? [];
    expect(everyMs).toBe(60_000);
    touch?.();
    while ((await stat(path)).mtimeMs <= longAgo.getTime());
  });
  expect(clearInterval).toHaveBeenCalledWith(setInterval.mock.results.at(-1)?.value);
  for (const spy of [setInterval, clearInterval]) spy.mockRestore();
});

test('whoever has lost the lock meanwhile does not save', async () => {
  const store = open();
  await save(store);
  const lost = store.lock(async () => {
    // Somebody who could not ask this process thought it dead, and counted on.
    const locks = (await readdir(folder())).filter(entry => entry.includes('.lock.')).sort();
    await copyFile(join(folder(), locks.at(-1)!), store.path.replace(/json$/, 'lock.99'));
    await store.save({ ...record, generation: 4 });
  });
  expect(await errorOf(lost)).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    fault: 'token-store',
    effect: 'unknown',
  });
  expect(await store.load()).toEqual(record);
});

test('a store that another process has for too long is a fault that passes', async () => {
  const store = open();
  await takeLock(folder(), { prefix: basename(store.path).replace(/json$/, 'lock.') });
  // Longer than is waited for it.
  const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(121_000);
  const locked = errorOf(save(store));
  expect(await locked.finally(() => clock.mockRestore())).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    fault: 'token-store',
    effect: 'not-sent',
  });
  expect(await store.load()).toBeNull();
});

test('environments and clients have files of their own', async () => {
  const other = open(undefined, { authUrl: 'https://login.sandbox.example' });
  await save(open());
  expect(await other.load()).toBeNull();
  expect(new Set([open().path, other.path, open(undefined, { clientId: 'client-2' }).path]).size).toBe(3);
});

describe('what others could read or have put there is refused', () => {
  test('a file readable by others', async () => {
    const store = open();
    await save(store);
    await chmod(store.path, 0o644);
    expect(await errorOf(store.load())).toMatchObject({ code: 'MISCONFIGURED' });
  });

  test('a folder readable by others', async () => {
    await mkdir(folder(), { mode: 0o755 });
    expect(await errorOf(open().load())).toMatchObject({ code: 'MISCONFIGURED' });
  });

  test('a symbolic link instead of the file', async () => {
    const store = open();
    await save(store);
    await rename(store.path, `${store.path}.real`);
    await symlink(`${store.path}.real`, store.path);
    expect(await errorOf(store.load())).toMatchObject({ code: 'MISCONFIGURED' });
  });

  test('a symbolic link instead of the folder', async () => {
    await mkdir(join(temporary(), 'real'), { mode: 0o700 });
    await symlink(join(temporary(), 'real'), folder());
    expect(await errorOf(open().load())).toMatchObject({ code: 'MISCONFIGURED' });
  });

  test('damage, without quoting it', async () => {
    const store = open();
    await save(store);
    for (const text of [
      '',
      '{"accessToken":"canary',
      '[]',
      '{"version":2}',
      JSON.stringify({ ...record, more: 1 }),
    ]) {
      await writeFile(store.path, text);
      const error = await errorOf(store.load());
      expect(error).toMatchObject({ code: 'MISCONFIGURED' });
      expect(`${error.message} ${String(error.cause)}`).not.toContain('canary');
    }
  });
});

describe('with a key', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];

  test('nothing of a token is in the file', async () => {
    const store = open([first]);
    await save(store);
    expect(await readFile(store.path, 'utf8')).not.toContain('canary');
    expect(await store.load()).toEqual(record);
  });

  test('a new key reads what the old one wrote, and writes with itself', async () => {
    await save(open([first]));
    const rotated = open([second, first]);
    expect(await rotated.load()).toEqual(record);
    await save(rotated);
    expect(await open([second]).load()).toEqual(record);
    expect(await errorOf(open([first]).load())).toMatchObject({ code: 'MISCONFIGURED' });
  });

  test('an unencrypted file is read, and encrypted when next saved', async () => {
    await save(open());
    const store = open([first]);
    expect(await store.load()).toEqual(record);
    await save(store);
    expect(await readFile(store.path, 'utf8')).not.toContain('canary');
  });

  test('without the key it does not open', async () => {
    await save(open([first]));
    expect(await errorOf(open().load())).toMatchObject({ code: 'MISCONFIGURED' });
  });

  test('a file of another environment, or changed in one bit, does not open', async () => {
    const store = open([first]);
    await save(store);
    const text = await readFile(store.path, 'utf8');
    const other = open([first], { clientId: 'client-2' });
    await writeFile(other.path, text, { mode: 0o600 });
    expect(await errorOf(other.load())).toMatchObject({ code: 'MISCONFIGURED' });
    const sealed = JSON.parse(text) as { data: string };
    const data = Buffer.from(sealed.data, 'base64');
    data[3]! ^= 1;
    await writeFile(store.path, JSON.stringify({ ...sealed, data: data.toString('base64') }));
    expect(await errorOf(store.load())).toMatchObject({ code: 'MISCONFIGURED' });
  });

  test('a key of another length is refused on construction', () => {
    expect(() => open([randomBytes(16)])).toThrow(expect.objectContaining({ code: 'MISCONFIGURED' }));
  });
});
