// A secret in a file can be corrected while the process runs; one in the environment is fixed.
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createSecret, readSecret } from '../../../workers/config/config-secrets';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const reference = { file: 'secret.txt' };

function write(text: string): void {
  writeFileSync(join(folder(), 'secret.txt'), text, { mode: 0o600 });
}

let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('a corrected file is noticed, after a moment', () => {
  write('wrong');
  const secret = createSecret('wrong', reference, folder());
  write('right\n');
  expect(secret.reveal()).toBe('wrong');
  nowMs = 5_000;
  expect(secret.reveal()).toBe('right');
});

test.each([
  ['gone', () => rmSync(join(folder(), 'secret.txt'))],
  ['empty, for it is being written', () => write('')],
])('a file that is %s leaves it as it was', (_name, spoil) => {
  write('known');
  const secret = createSecret('known', reference, folder());
  spoil();
  nowMs = 60_000;
  expect(secret.reveal()).toBe('known');
  write('new');
  nowMs = 120_000;
  expect(secret.reveal()).toBe('new');
});

test('shows itself as little as any other', () => {
  write('canary');
  const secret = createSecret('canary', reference, folder());
  expect(`${secret} ${JSON.stringify({ secret })} ${inspect(secret, { depth: 5 })}`).not.toContain('canary');
});

test('the environment is read once', () => {
  const secret = createSecret('given', { env: 'X' }, folder());
  nowMs = 60_000;
  expect(secret.reveal()).toBe('given');
});

test.each([
  [0o600, undefined],
  [0o400, undefined],
  [0o640, 'can be read by all of its group'],
  [0o440, 'can be read by all of its group'],
  [0o644, 'can be read by every user'],
  [0o604, 'can be read by every user'],
  [0o620, 'can be changed by other users'],
  [0o602, 'can be changed by other users'],
])('a file of mode %o: %s', (mode, fault) => {
  write('canary');
  chmodSync(join(folder(), 'secret.txt'), mode);
  const outcome = readSecret(reference, {}, folder());
  if (fault === undefined) expect(outcome).toEqual({ value: 'canary' });
  else expect(outcome).toEqual({ fault: expect.stringContaining(fault) });
});

test('a file of root may be read by a group, for that is how others get to read it', () => {
  write('canary');
  chmodSync(join(folder(), 'secret.txt'), 0o640);
  const ours = jest.spyOn(process, 'getuid').mockReturnValue(12_345);
  try {
    // Whose it is, whoever runs this test.
    const { uid } = statSync(join(folder(), 'secret.txt'));
    const outcome = readSecret(reference, {}, folder());
    if (uid === 0) expect(outcome).toEqual({ value: 'canary' });
    else expect(outcome).toEqual({ fault: expect.stringContaining('belongs to another user') });
  } finally {
    ours.mockRestore();
  }
});

test('a file that became readable by all is not read again', () => {
  write('known');
  const secret = createSecret('known', reference, folder());
  write('new');
  chmodSync(join(folder(), 'secret.txt'), 0o666);
  nowMs = 60_000;
  expect(secret.reveal()).toBe('known');
});

test('a variable that is empty is not set', () => {
  const fault = 'the environment variable SECRET is not set';
  expect(readSecret({ env: 'SECRET' }, { SECRET: '' }, folder())).toEqual({ fault });
  expect(readSecret({ env: 'SECRET' }, {}, folder())).toEqual({ fault });
  expect(readSecret({ env: 'SECRET' }, { SECRET: 'x' }, folder())).toEqual({ value: 'x' });
});
