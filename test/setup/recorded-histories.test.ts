import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listLostHistories, RELEASE_BEFORE, writeHistory } from './recorded-histories';
import { useTemporaryFolder } from './temporary-folder';

const FILE = 'a-batch-ends.json';
const KEPT = join(RELEASE_BEFORE, FILE);

const folder = useTemporaryFolder();

function release(text: string): void {
  writeFileSync(join(folder(), FILE), text);
  const hash = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(folder(), 'released.sha256'), `${hash}  ${FILE}\n`);
}

const read = (path: string) => readFileSync(join(folder(), path), 'utf8');

test('a history of the last release that is recorded anew is kept beside, however often that happens', () => {
  release('as released');
  for (const text of ['anew', 'anew again']) writeHistory(folder(), FILE, text);
  expect([read(FILE), read(KEPT)]).toEqual(['anew again', 'as released']);
  expect(listLostHistories(folder())).toEqual([]);
});

test('one that came since the release is replaced: no run of it is on its way', () => {
  for (const text of ['new', 'anew']) writeHistory(folder(), FILE, text);
  expect([read(FILE), existsSync(join(folder(), KEPT))]).toEqual(['anew', false]);
});

test('one of the release that is written over by hand is missed', () => {
  release('as released');
  expect(listLostHistories(folder())).toEqual([]);
  writeFileSync(join(folder(), FILE), 'anew');
  expect(listLostHistories(folder())).toEqual([FILE]);
});
