// A secret in a file can be corrected while the process runs; one in the environment is fixed.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createSecret } from '../../workers/config-secrets';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();
const reference = { file: 'secret.txt' };

function write(text: string): void {
  writeFileSync(join(folder(), 'secret.txt'), text);
}

let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  jest.restoreAllMocks();
});

it('a corrected file is noticed, after a moment', () => {
  write('wrong');
  const secret = createSecret('wrong', reference, folder());
  write('right\n');
  expect(secret.reveal()).toBe('wrong');
  nowMs = 5_000;
  expect(secret.reveal()).toBe('right');
});

it.each([
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

it('shows itself as little as any other', () => {
  write('canary');
  const secret = createSecret('canary', reference, folder());
  expect(`${secret} ${JSON.stringify({ secret })} ${inspect(secret, { depth: 5 })}`).not.toContain('canary');
});

it('the environment is read once', () => {
  const secret = createSecret('given', { env: 'X' }, folder());
  nowMs = 60_000;
  expect(secret.reveal()).toBe('given');
});
