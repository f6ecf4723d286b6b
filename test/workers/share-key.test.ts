import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../workers/config/config';
import { readShareKey, SHARE_KEY_FILE } from '../../workers/share-key';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();
const path = () => join(folder(), SHARE_KEY_FILE);

test('is made once, whoever asks first, and is for its owner only', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => readShareKey({ stateDir: folder() })));
  expect(new Set(keys.map(key => key.toString('hex'))).size).toBe(1);
  expect(keys[0]).toHaveLength(32);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder())).toEqual([SHARE_KEY_FILE]);
  expect(await readShareKey({ stateDir: folder() })).toEqual(keys[0]);
});

test('the state folder that is made for it is private', async () => {
  const stateDir = join(folder(), 'data', 'state');
  await readShareKey({ stateDir });
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
});

test.each<[string, string, () => void]>([
  ['others can read it', 'can be read or written by others', () => chmodSync(path(), 0o644)],
  ['it holds no key', 'holds no key', () => writeFileSync(path(), 'short', { mode: 0o600 })],
])('is refused, and never replaced, when %s', async (_, why, spoil) => {
  await readShareKey({ stateDir: folder() });
  spoil();
  const text = readFileSync(path(), 'utf8');
  await expect(readShareKey({ stateDir: folder() })).rejects.toThrow(why);
  expect(readFileSync(path(), 'utf8')).toBe(text);
});

test('is refused when it is a link', async () => {
  writeFileSync(join(folder(), 'key'), 'a'.repeat(64), { mode: 0o600 });
  symlinkSync(join(folder(), 'key'), path());
  await expect(readShareKey({ stateDir: folder() })).rejects.toThrow('is a symbolic link');
});

describe('the setting', () => {
  const load = (shareKey: unknown, environment: Record<string, string> = {}) => {
    writeFileSync(join(folder(), 'drawbridge.json'), JSON.stringify({ shareKey }));
    return loadConfig({ path: join(folder(), 'drawbridge.json'), environment, secrets: 'leave' });
  };

  test('is used instead of the file', async () => {
    const config = load({ env: 'KEY_OF_ALL_HOSTS' }, { KEY_OF_ALL_HOSTS: 'ab'.repeat(32) });
    expect((await readShareKey(config)).toString('hex')).toBe('ab'.repeat(32));
  });

  test.each([
    [{ env: 'KEY_OF_ALL_HOSTS' }, {}, 'KEY_OF_ALL_HOSTS is not set'],
    [{ env: 'KEY_OF_ALL_HOSTS' }, { KEY_OF_ALL_HOSTS: 'secret but short' }, 'expected 32 bytes'],
    ['ab'.repeat(32), {}, 'secrets are read from the environment or from a file'],
  ])('is told when it cannot be used: %j', (reference, environment, text) => {
    expect(() => load(reference, environment as Record<string, string>)).toThrow(text);
    expect(() => load(reference, environment as Record<string, string>)).not.toThrow('secret but short');
  });
});
