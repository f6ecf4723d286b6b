// A mended file in the place of one that was set apart: once, whoever gives it and whatever dies, and nothing
// that people had is lost or written over.
import { mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GivenFile } from '../../../../../activities/share/receipt/corrected/replace-file';
import type { Share } from '../../../../../activities/share/share';
import { DyingFs } from '../../faulty-fs';
import type { TestBed } from '../../share-test-bed';
import { copySheetBed, createSheetBed, finishJob } from '../sheet-test-bed';

let bed: TestBed;
let share: Share;
let jobId: string;

const REGISTER = 'File,Number,Type\n1.pdf,N-1,Plan\nsub/2.pdf,N-2,Plan\n3.pdf,N-3,Plan\n';
const OLD = 'A/sub/2.pdf';

beforeEach(async () => {
  bed = await createSheetBed();
  share = await bed.open();
  await bed.drop('A/register.csv', REGISTER);
  await bed.drop('A/1.pdf');
  // Nothing of it was sent, so nobody has its hash.
  await bed.drop(OLD, '');
  await bed.drop('A/3.pdf');
  await finishJob(share, ['1.pdf'], 'empty-file');
  const [apart] = (await share.setApart()).files;
  jobId = (await share.readBatch(apart!.batchId)).manifest.job!.id;
});
afterEach(async () => {
  await bed.remove();
});

/** It has come, and nothing was done with it. */
async function give(upload: string, content: string, by = 'A. Novák', path = OLD): Promise<GivenFile> {
  const files = [{ path: 'file', sizeBytes: content.length, modifiedMs: 1 }];
  const replaces = { jobId, batchId: 'b', index: 1, path };
  const begun = await share.uploads.begin(
    { name: 'replacement', files, replaces },
    { id: by, name: by },
    upload,
  );
  expect(begun).toMatchObject({ kind: 'begun', state: { replaces, sent: null } });
  const bytes = (async function* () {
    yield Buffer.from(content);
  })();
  await (await share.uploads.open(upload))?.write(0, 0, { bytes, stop: () => undefined });
  return { upload, path, by };
}

const ONE = 'a'.repeat(20);
const OTHER = 'b'.repeat(20);
const replace = (given: GivenFile) => share.replaceFile(jobId, given.upload, given);

test('it goes to the drop folder with its row and with who gave it; the old file is kept, and nothing comes twice', async () => {
  const given = await give(ONE, 'mended');
  expect(await replace(given)).toEqual({ kind: 'goes' });
  expect(await bed.list('drop')).toEqual(['A/register.csv', OLD]);
  expect(await bed.read(`drop/${OLD}`)).toBe('mended');
  expect(await bed.read('drop/A/register.csv')).toBe(
    'File,Number,Type,File replaced by\nsub/2.pdf,N-2,Plan,A. Novák\n',
  );
  expect(await bed.read('attention/A/replaced/sub/2.pdf')).toBe('');
  expect((await share.setApart()).files.map(({ path }) => path)).toEqual(['A/3.pdf']);
  expect(await bed.list('.drawbridge/corrections')).toEqual([]);
  // The answer was lost: asked again, also when its upload is gone, by another process.
  expect(await replace(given)).toEqual({ kind: 'goes' });
  await share.uploads.discard(ONE);
  share = await bed.open();
  expect(await share.replaceFile(jobId, ONE)).toEqual({ kind: 'goes' });
  expect(await bed.list('drop')).toEqual(['A/register.csv', OLD]);
  // A second person, later.
  expect(await replace(await give(OTHER, 'another', 'J. Okafor'))).toMatchObject({
    kind: 'stays',
    told: [expect.stringContaining('somebody took it up')],
  });
  expect(await bed.read(`drop/${OLD}`)).toBe('mended');
});

test('it comes with the job that the drop folder makes of it, and its receipt says who gave the file', async () => {
  await replace(await give(ONE, 'mended', '=A. Novák'));
  await finishJob(share, ['sub/2.pdf']);
  const names = (await bed.list('done')).filter(name => /receipt-register.*csv$/.test(name));
  const texts = await Promise.all(names.map(name => bed.read(`done/${name}`)));
  expect(texts.filter(text => text.includes('File replaced by'))).toEqual([
    expect.stringMatching(/sub\/2\.pdf.*A\. Novák/),
  ]);
});

test('two people at one time: one goes on, and the other is told', async () => {
  const all = [await give(ONE, 'mended'), await give(OTHER, 'another', 'J. Okafor')];
  const said = await Promise.all(all.map(replace));
  expect(said.map(each => each?.kind).sort()).toEqual(['goes', 'stays']);
  const won = said[0]?.kind === 'goes' ? 'mended' : 'another';
  expect(await bed.read(`drop/${OLD}`)).toBe(won);
  expect(await bed.list('drop')).toEqual(['A/register.csv', OLD]);
  expect(await bed.list('attention/A/replaced')).toEqual(['sub/2.pdf']);
  expect(await bed.list('.drawbridge/corrections')).toEqual([]);
});

test('the same file from two windows at one time goes once, and both are told that it does', async () => {
  const given = await give(ONE, 'mended');
  const others = await bed.open();
  const said = await Promise.all([replace(given), others.replaceFile(jobId, ONE, given), replace(given)]);
  expect(said).toEqual([{ kind: 'goes' }, { kind: 'goes' }, { kind: 'goes' }]);
  expect(await bed.list('drop')).toEqual(['A/register.csv', OLD]);
});

test('while the old one is tried again, the new one does not go as well', async () => {
  await share.sendAgain(jobId, { wanted: [{ path: 'A/3.pdf', values: {} }], by: 'J. Okafor' });
  const given = await give(ONE, 'mended', 'A. Novák', 'A/3.pdf');
  expect(await replace(given)).toMatchObject({ kind: 'stays' });
  expect(await bed.list('drop')).toEqual(['A/3.pdf', 'A/register.csv']);
  expect(await bed.read('drop/A/3.pdf')).toBe('content of A/3.pdf');
});

test('while what was asked for the old one before waits, that goes first, and the new one stays', async () => {
  await bed.drop('A/other.pdf');
  const wanted = [{ path: 'A/3.pdf', values: { Type: 'Section' } }];
  expect(await share.sendAgain(jobId, { wanted, by: 'J. Okafor' })).toMatchObject([{ kind: 'waits' }]);
  const given = await give(ONE, 'mended', 'A. Novák', 'A/3.pdf');
  expect(await replace(given)).toMatchObject({
    kind: 'stays',
    told: [expect.stringContaining('asked for it before (What J. Okafor sent again)')],
  });
  await rename(join(bed.root, 'drop/A'), join(bed.root, 'elsewhere'));
  expect(await share.takeUpCorrections()).toMatchObject([{ kind: 'taken', rows: 1 }]);
  expect(await bed.read('drop/A/register.csv')).toBe('File,Number,Type\n3.pdf,N-3,Section\n');
  expect(await bed.read('drop/A/3.pdf')).toBe('content of A/3.pdf');
});

test('it waits while something else has the name in the drop folder, and goes on by itself', async () => {
  await bed.drop('A/other.pdf');
  const given = await give(ONE, 'mended');
  expect(await replace(given)).toMatchObject({ kind: 'waits', why: expect.stringContaining('under A') });
  expect(await bed.list('drop')).toEqual(['A/other.pdf']);
  await rename(join(bed.root, 'drop/A'), join(bed.root, 'elsewhere'));
  const news = await share.takeUpCorrections();
  expect(news).toMatchObject([{ kind: 'taken', rows: 1, path: 'The file that A. Novák gave on the page' }]);
  expect(await bed.list('drop')).toEqual(['A/register.csv', OLD]);
  expect(await bed.list('attention/A/replaced')).toEqual(['sub/2.pdf']);
  expect(await share.replaceFile(jobId, ONE)).toEqual({ kind: 'goes' });
});

test('a file of the same name that was replaced before is not written over', async () => {
  await mkdir(join(bed.root, 'attention/A/replaced/sub'), { recursive: true });
  await writeFile(join(bed.root, 'attention/A/replaced/sub/2.pdf'), 'of a person');
  await replace(await give(ONE, 'mended'));
  expect(await bed.read('attention/A/replaced/sub/2.pdf')).toBe('of a person');
  expect(await bed.read('attention/A/replaced/sub/2 (2).pdf')).toBe('');
});

test('a shortcut and what it leads to are left as they are, beside each other', async () => {
  const place = join(bed.root, 'attention', OLD);
  await rename(place, join(bed.root, 'elsewhere'));
  await symlink(join(bed.root, 'elsewhere'), place);
  expect(await replace(await give(ONE, 'mended'))).toEqual({ kind: 'goes' });
  expect(await bed.read(`drop/${OLD}`)).toBe('mended');
  expect(await readFile(join(bed.root, 'elsewhere'), 'utf8')).toBe('');
});

test('what has not come whole, is not known, or is none of these rows does not go', async () => {
  const given = await give(ONE, 'mended');
  await expect(share.replaceFile(jobId, OTHER, { ...given, upload: OTHER })).rejects.toThrow('Not all of it');
  expect(await share.replaceFile(jobId, OTHER)).toBeUndefined();
  expect(await share.replaceFile('0'.repeat(20), ONE, given)).toBeUndefined();
  for (const path of ['A/1.pdf', 'A/../../x.pdf', '../x.pdf', 'B/2.pdf'])
    expect(await replace({ ...given, path })).toMatchObject({
      kind: 'stays',
      told: [expect.stringContaining('none of those that were set apart')],
    });
  expect(await bed.list('drop')).toEqual([]);
  // Nothing of that has taken its place.
  expect(await replace(given)).toEqual({ kind: 'goes' });
});

test('it is no job: nobody can send it off as one', async () => {
  await give(ONE, 'mended');
  const upload = await share.uploads.open(ONE);
  await expect(upload?.finish()).rejects.toThrow('is no job');
  expect(await bed.list('drop')).toEqual([]);
});

test('whichever operation on the share was the last one, asked again it is one and the same', async () => {
  const given = await give(ONE, 'mended');
  const prepared = bed;
  const state = async () => [
    await bed.list('drop'),
    (await bed.list('attention')).filter(name => !name.includes('.tmp-')),
    (await bed.list('.drawbridge/corrections')).filter(name => !name.startsWith('.tmp-')),
    await bed.read(`drop/${OLD}`),
    // With two names it would be refused.
    (await stat(join(bed.root, 'drop', OLD))).nlink,
  ];
  const ask = async (one: Share) => one.replaceFile(jobId, ONE, given);
  try {
    bed = await copySheetBed(prepared);
    const whole = new DyingFs(Number.POSITIVE_INFINITY);
    await ask(await bed.open({}, { fs: whole.fs }));
    const expected = await state();
    expect(expected[0]).toEqual(['A/register.csv', OLD]);
    expect(expected[1]).toContain('A/replaced/sub/2.pdf');
    for (let dieAt = 1; dieAt <= whole.count; dieAt += 1) {
      await bed.remove();
      bed = await copySheetBed(prepared);
      const dying = new DyingFs(dieAt);
      await bed
        .open({}, { fs: dying.fs })
        .then(ask)
        .catch(() => undefined);
      const after = await bed.open();
      // A watcher may be the first to go on with it.
      if (dieAt % 2 === 0) await after.takeUpCorrections();
      expect([dieAt, await ask(after)]).toEqual([dieAt, { kind: 'goes' }]);
      expect([dieAt, await state()]).toEqual([dieAt, expected]);
    }
  } finally {
    await prepared.remove();
  }
}, 120_000);
