// What a file system can do is found out by a file that is gone afterwards, also where it can do little.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeShareFs, type FsPlace, type ShareFs } from '../../../../activities/share/files/share-fs';
import { findTraits } from '../../../../activities/share/files/share-traits';
import { fsError } from '../faulty-fs';

const fs = createNodeShareFs();
let own = '';

beforeEach(() => {
  own = mkdtempSync(join(tmpdir(), 'drawbridge-traits-'));
});
afterEach(() => {
  expect(readdirSync(own)).toEqual([]);
  rmSync(own, { recursive: true });
});

const without = (code: string): ShareFs => ({
  ...fs,
  link: async () => {
    throw fsError(code);
  },
});

test.each([
  [fs, true],
  [without('ENOTSUP'), false],
  [without('EPERM'), false],
])('hard links, or none', async (each, hasLinks) => {
  expect(await findTraits(each, own, Date.now)).toMatchObject({ hasLinks });
});

test('what is no lack of links is no answer', async () => {
  await expect(findTraits(without('EIO'), own, Date.now)).rejects.toMatchObject({ code: 'EIO' });
});

test('names that are one, by case and by accents', async () => {
  const folding: ShareFs = {
    ...fs,
    look: (path: FsPlace) =>
      fs.look(
        String(path)
          .normalize('NFC')
          .replace(/-a\u00e9$/, '-A\u00e9'),
      ),
  };
  expect(await findTraits(folding, own, Date.now)).toMatchObject({ foldsCase: true, foldsAccents: true });
});

test('the clock of the share, between two looks at ours', async () => {
  const { clock } = await findTraits(fs, own, () => Date.now() - 60_000);
  expect(clock.highMs).toBeGreaterThanOrEqual(clock.lowMs);
  expect(Math.abs(clock.lowMs - 60_000)).toBeLessThan(10_000);
});
