// Names beside names that are taken: numbered, and never too long for a file system. What a move does, and in
// which order.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moveFile, withSuffix } from '../../../../activities/share/files/move-file';
import { Place } from '../../../../activities/share/files/share-fs';
import { useTemporaryFolder } from '../../../setup/temporary-folder';
import { createFaultyFs, fsError } from '../faulty-fs';

test.each([
  ['done/plan.pdf', 'done/plan (2).pdf'],
  ['done/plan', 'done/plan (2)'],
  ['done/.plan', 'done/.plan (2)'],
  ['a.b/plan', 'a.b/plan (2)'],
])('%s becomes %s', (path, expected) => {
  expect(withSuffix(path, 2)).toBe(expected);
  expect(withSuffix(Buffer.from(path), 2)).toEqual(Buffer.from(expected));
});

test.each([
  ['a name', `${'x'.repeat(251)}.pdf`],
  ['a name of wide letters', `${'ü'.repeat(125)}.pdf`],
  ['a name of pairs', `${'🏗'.repeat(62)}.pdf`],
  ['a name that is nearly all ending', `a.${'x'.repeat(253)}`],
])('%s of the longest kind gives way to its number', (_, name) => {
  const suffixed = withSuffix(`done/${name}`, 10_000) as string;
  expect(Buffer.byteLength(suffixed.slice('done/'.length))).toBeLessThanOrEqual(255);
  expect(suffixed).toMatch(/ \(10000\)/);
  expect(Buffer.from(suffixed).toString('utf8')).toBe(suffixed);
});

const folder = useTemporaryFolder();

describe('a file that is away in the moment of its move', () => {
  async function move(timesAway: number) {
    await writeFile(join(folder(), 'plan.pdf'), 'bytes');
    let tries = 0;
    const fs = createFaultyFs(operation => {
      if (operation === 'link' && ++tries <= timesAway) throw fsError('ENOENT');
    });
    const into = await fs.openFolder(folder(), join(folder(), 'to'), { make: true });
    try {
      return await moveFile(fs, join(folder(), 'plan.pdf'), new Place(into, 'plan.pdf'));
    } finally {
      await into.close();
    }
  }

  test('and there again is moved', async () => {
    expect((await move(2))?.name).toBe('plan.pdf');
    expect(await readdir(join(folder(), 'to'))).toEqual(['plan.pdf']);
    expect(await readdir(folder())).toEqual(['to']);
  });

  test('again and again is a fault, and stays where it is', async () => {
    await expect(move(100)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(folder())).toEqual(['plan.pdf', 'to']);
  });
});

test.each([
  ['out of a folder of people stays where it was saved', true, ['plan.pdf', 'to']],
  ['out of a folder of ours is not asked for', false, ['to']],
])('what is saved anew in the moment of a move %s', async (_, isOfPeople, left) => {
  await writeFile(join(folder(), 'plan.pdf'), 'seen');
  let isLinked = false;
  const fs = createFaultyFs(async operation => {
    if (isLinked && operation !== 'link') {
      isLinked = false;
      // As programs save: a new file in the place of the other.
      await writeFile(join(folder(), 'new'), 'saved anew');
      await rename(join(folder(), 'new'), join(folder(), 'plan.pdf'));
    }
    isLinked ||= operation === 'link';
  });
  const into = await fs.openFolder(folder(), join(folder(), 'to'), { make: true });
  const from = join(folder(), 'plan.pdf');
  expect((await moveFile(fs, from, new Place(into, 'plan.pdf'), { isOfPeople }))?.name).toBe('plan.pdf');
  await into.close();
  expect(await readFile(join(folder(), 'to/plan.pdf'), 'utf8')).toBe('seen');
  expect(await readdir(folder())).toEqual(left);
  if (isOfPeople) expect(await readFile(from, 'utf8')).toBe('saved anew');
});

test('to another device it goes as a copy that is whole and durable before the original is gone', async () => {
  const trace: string[] = [];
  const nameOf = (place: unknown) => String(place).split('/').at(-1)!;
  const shown = (place: unknown) => nameOf(place).replace(/^\.tmp-.*/, 'copy');
  const fs = createFaultyFs((operation, ...places) => {
    const isOwn = nameOf(places[0]) === 'plan.pdf';
    if (operation === 'link') throw fsError('EXDEV');
    if (operation === 'rename' && isOwn) throw fsError('EXDEV');
    if (['copyNew', 'rename', 'unlink'].includes(operation)) {
      trace.push([operation, ...places.map(shown)].join(' '));
    }
    if (operation === 'syncFolder') trace.push(`${operation} ${nameOf(places[0])}`);
  });
  await writeFile(join(folder(), 'plan.pdf'), 'bytes');
  const into = await fs.openFolder(folder(), join(folder(), 'to'), { make: true });
  try {
    await moveFile(fs, join(folder(), 'plan.pdf'), new Place(into, 'moved.pdf'));
  } finally {
    await into.close();
  }
  // The copy is on disk when copyNew returns; its name is when the folder is.
  expect(trace).toEqual([
    'copyNew plan.pdf copy',
    'rename copy moved.pdf',
    'syncFolder to',
    'unlink plan.pdf',
  ]);
  expect(await readFile(join(folder(), 'to/moved.pdf'), 'utf8')).toBe('bytes');
  expect(await readdir(folder())).toEqual(['to']);
});

describe('where the file system cannot link', () => {
  const noLinks = (before: (...input: unknown[]) => Promise<void>) =>
    createFaultyFs(async (operation, ...places) => {
      if (operation === 'link') throw fsError('EPERM');
      await before(operation, ...places);
    });

  async function move(fs: ReturnType<typeof createFaultyFs>, from: string) {
    const into = await fs.openFolder(folder(), join(folder(), 'to'), { make: true });
    try {
      return await moveFile(fs, join(folder(), from), new Place(into, 'plan.pdf'));
    } finally {
      await into.close();
    }
  }

  async function contents() {
    const names = (await readdir(join(folder(), 'to'))).toSorted();
    const read = names.map(async name => [name, await readFile(join(folder(), 'to', name), 'utf8')]);
    return Object.fromEntries(await Promise.all(read));
  }

  test('two moves to one name end beside each other, whatever the moment of the second', async () => {
    await mkdir(join(folder(), 'one'));
    await mkdir(join(folder(), 'two'));
    let isOver = false;
    for (let startsAt = 1; !isOver; startsAt += 1) {
      await rm(join(folder(), 'to'), { recursive: true, force: true });
      await writeFile(join(folder(), 'one/plan.pdf'), 'first');
      await writeFile(join(folder(), 'two/plan.pdf'), 'second');
      let count = 0;
      const fs = noLinks(async () => {
        count += 1;
        if (count === startsAt)
          await move(
            noLinks(async () => undefined),
            'two/plan.pdf',
          );
      });
      await move(fs, 'one/plan.pdf');
      isOver = count < startsAt;
      if (isOver) break;
      expect([startsAt, Object.values(await contents()).toSorted()]).toEqual([startsAt, ['first', 'second']]);
    }
  });

  test('a move that is repeated after a crash finds its own placeholder', async () => {
    await writeFile(join(folder(), 'plan.pdf'), 'bytes');
    let isDead = false;
    const dying = noLinks(async operation => {
      isDead ||= operation === 'rename';
      if (isDead) throw fsError('DEAD');
    });
    await expect(move(dying, 'plan.pdf')).rejects.toMatchObject({ code: 'DEAD' });
    expect(await readdir(join(folder(), 'to'))).toEqual(['plan.pdf']);
    await move(
      noLinks(async () => undefined),
      'plan.pdf',
    );
    expect(await contents()).toEqual({ 'plan.pdf': 'bytes' });
    expect(await readdir(folder())).toEqual(['to']);
  });

  test('what a person saved in the place of the placeholder, while the file was copied, stays', async () => {
    await writeFile(join(folder(), 'plan.pdf'), 'bytes');
    let isSaved = false;
    const fs = noLinks(async (operation, from) => {
      if (operation === 'rename' && !String(from).includes('.tmp-')) throw fsError('EXDEV');
      if (operation !== 'copyNew' || isSaved) return;
      isSaved = true;
      await writeFile(join(folder(), 'saved'), 'a person’s');
      await rename(join(folder(), 'saved'), join(folder(), 'to/plan.pdf'));
    });
    await move(fs, 'plan.pdf');
    expect(await contents()).toEqual({ 'plan (2).pdf': 'bytes', 'plan.pdf': 'a person’s' });
  });

  test('a placeholder of an earlier version is left to the move that it may be for', async () => {
    await writeFile(join(folder(), 'plan.pdf'), 'bytes');
    await mkdir(join(folder(), 'to'));
    const earlier = 'Drawbridge is about to move a file here.\n';
    await writeFile(join(folder(), 'to/plan.pdf'), earlier);
    await move(
      noLinks(async () => undefined),
      'plan.pdf',
    );
    expect(await contents()).toEqual({ 'plan (2).pdf': 'bytes', 'plan.pdf': earlier });
  });
});

describe('a file that goes back into the drop folder, on another device', () => {
  test.each([
    ['links', false],
    ['no links', true],
  ])('leaves what a person saved under its name while it was copied (%s there)', async (_, hasNoLinks) => {
    await writeFile(join(folder(), 'plan.pdf'), 'bytes');
    let isSaved = false;
    const fs = createFaultyFs(async (operation, from) => {
      const isCopy = String(from).includes('.tmp-');
      if (operation === 'link' && hasNoLinks) throw fsError('EPERM');
      if ((operation === 'link' || operation === 'rename') && !isCopy) throw fsError('EXDEV');
      if (operation !== 'copyNew' || isSaved) return;
      isSaved = true;
      await writeFile(join(folder(), 'to/plan.pdf'), 'a person’s');
    });
    const into = await fs.openFolder(folder(), join(folder(), 'to'), { make: true });
    try {
      const from = join(folder(), 'plan.pdf');
      const moved = await moveFile(fs, from, new Place(into, 'plan.pdf'), { isDrop: true });
      expect(moved?.name).toBe('plan (2).pdf');
    } finally {
      await into.close();
    }
    expect((await readdir(join(folder(), 'to'))).toSorted()).toEqual(['plan (2).pdf', 'plan.pdf']);
    expect(await readFile(join(folder(), 'to/plan.pdf'), 'utf8')).toBe('a person’s');
    expect(await readFile(join(folder(), 'to/plan (2).pdf'), 'utf8')).toBe('bytes');
    expect(await readdir(folder())).toEqual(['to']);
  });
});
