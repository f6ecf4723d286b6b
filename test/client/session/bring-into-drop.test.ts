// Files given by hand get into the drop folder whole, and over no other file.
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { link, open, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isIgnoredName } from '../../../activities/registers/words/ignored-names';
import { bringIntoDrop } from '../../../client/session/bring-into-drop';
import { standInShare } from '../../../client/session/stand-in';
import { useTemporaryFolder } from '../../setup/temporary-folder';

jest.mock('node:fs/promises', () => {
  const real = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  return { ...real, stat: jest.fn(real.stat), link: jest.fn(real.link), open: jest.fn(real.open) };
});
const real = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');

const folder = useTemporaryFolder();
const share = () => standInShare(join(folder(), 'share'));
const drop = () => join(folder(), 'share', 'drop');

/** The paths, and those of them that were told to be copied. */
async function bring(...files: string[]) {
  const copied: string[] = [];
  const paths = await bringIntoDrop(share(), files, name => copied.push(name));
  return { paths, copied };
}

/** Makes files beside the share, each with its name as its content. */
function make(...names: string[]): string[] {
  for (const name of names) writeFileSync(join(folder(), name), name);
  return names.map(name => join(folder(), name));
}

describe('a file given by hand', () => {
  test('from elsewhere is copied into the drop folder', async () => {
    const source = join(folder(), 'plan & section+1.pdf');
    writeFileSync(source, 'content');
    expect(await bring(source)).toEqual({
      paths: ['plan & section+1.pdf'],
      copied: ['plan & section+1.pdf'],
    });
    expect(readdirSync(drop())).toEqual(['plan & section+1.pdf']);
    expect(readFileSync(join(drop(), 'plan & section+1.pdf'), 'utf8')).toBe('content');
    expect(readFileSync(source, 'utf8')).toBe('content');
    // While it is copied it has a name that nobody claims.
    const [place = ''] = jest.mocked(link).mock.calls[0] ?? [];
    expect([basename(String(place)), isIgnoredName(basename(String(place)))]).toEqual([
      expect.any(String),
      true,
    ]);
  });

  test.each(['EPERM', 'ENOTSUP'])('comes to a share without hard links (%s)', async code => {
    jest.mocked(link).mockRejectedValueOnce(Object.assign(new Error(code), { code }));
    writeFileSync(join(folder(), 'x.pdf'), 'content');
    expect(await bring(join(folder(), 'x.pdf'))).toMatchObject({ copied: ['x.pdf'] });
    expect(readdirSync(drop())).toEqual(['x.pdf']);
    expect(readFileSync(join(drop(), 'x.pdf'), 'utf8')).toBe('content');
  });

  test('does not replace one that came meanwhile to a share without hard links', async () => {
    jest.mocked(link).mockImplementationOnce(async () => {
      writeFileSync(join(drop(), 'x.pdf'), 'first');
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    });
    writeFileSync(join(folder(), 'x.pdf'), 'second');
    await expect(bring(join(folder(), 'x.pdf'))).rejects.toThrow(/already/);
    expect(readdirSync(drop())).toEqual(['x.pdf']);
    expect(readFileSync(join(drop(), 'x.pdf'), 'utf8')).toBe('first');
  });

  test('in the drop folder stays where it is, also by way of a link', async () => {
    mkdirSync(join(drop(), 'A'), { recursive: true });
    writeFileSync(join(drop(), 'A', 'x.pdf'), 'x');
    symlinkSync(drop(), join(folder(), 'shortcut'));
    const files = [join(drop(), 'A', 'x.pdf'), join(folder(), 'shortcut', 'A')];
    expect(await bring(...files)).toEqual({ paths: ['A/x.pdf', 'A'], copied: [] });
  });

  test('does not replace another one', async () => {
    mkdirSync(drop(), { recursive: true });
    writeFileSync(join(drop(), 'x.pdf'), 'first');
    writeFileSync(join(folder(), 'x.pdf'), 'second');
    await expect(bring(join(folder(), 'x.pdf'))).rejects.toThrow(/has a file "x\.pdf" already/);
    expect(readFileSync(join(drop(), 'x.pdf'), 'utf8')).toBe('first');
    expect(readdirSync(drop())).toEqual(['x.pdf']);
  });

  test.each([
    ['that is not there', ['a.pdf', 'missing.pdf'], /no file .*missing\.pdf/],
    ['that has the name of another one', ['a.pdf', 'inner/b.pdf', 'b.pdf'], /same name/],
    ['that is in the drop folder already', ['a.pdf', 'c.pdf'], /has a file "c\.pdf" already/],
  ])('%s keeps the others from being copied, too', async (_name, files, why) => {
    mkdirSync(drop(), { recursive: true });
    mkdirSync(join(folder(), 'inner'));
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf', 'inner/b.pdf']) writeFileSync(join(folder(), name), name);
    writeFileSync(join(drop(), 'c.pdf'), 'first');
    const given = files.map(name => join(folder(), name));
    await expect(bring(...given)).rejects.toThrow(why);
    expect(readdirSync(drop())).toEqual(['c.pdf']);
  });

  test('is copied where an earlier process has left a part of it', async () => {
    mkdirSync(drop(), { recursive: true });
    writeFileSync(join(drop(), `.${process.pid}-x.pdf.part`), 'con');
    writeFileSync(join(folder(), 'x.pdf'), 'content');
    expect(await bring(join(folder(), 'x.pdf'))).toMatchObject({ copied: ['x.pdf'] });
    expect(readFileSync(join(drop(), 'x.pdf'), 'utf8')).toBe('content');
  });

  test('is not copied to where a link in the place of the drop folder leads', async () => {
    for (const name of ['share', 'elsewhere']) mkdirSync(join(folder(), name));
    symlinkSync(join(folder(), 'elsewhere'), drop());
    writeFileSync(join(folder(), 'x.pdf'), 'content');
    await expect(bring(join(folder(), 'x.pdf'))).rejects.toMatchObject({
      code: 'CLI',
      message: expect.stringMatching(/drop: .*link/),
    });
    expect(readdirSync(join(folder(), 'elsewhere'))).toEqual([]);
  });

  test.each([
    ['it', 'x.pdf'],
    ['its folder', '.'],
  ])(
    'is not copied when a link was put in the place of %s since it was looked at',
    async (_name, swapped) => {
      for (const name of ['share/sub', 'elsewhere']) mkdirSync(join(folder(), name), { recursive: true });
      writeFileSync(join(folder(), 'elsewhere/x.pdf'), 'private');
      const source = join(folder(), 'share/sub/x.pdf');
      writeFileSync(source, 'content');
      jest.mocked(stat).mockImplementationOnce(async path => {
        const facts = await real.stat(path);
        rmSync(resolve(folder(), 'share/sub', swapped), { recursive: true });
        symlinkSync(resolve(folder(), 'elsewhere', swapped), resolve(folder(), 'share/sub', swapped));
        return facts;
      });
      await expect(bring(source)).rejects.toThrow(/is a link, or lies behind one/);
      expect(readdirSync(drop())).toEqual([]);
    },
  );

  test.each([
    ['it is a link', 'x.pdf'],
    ['it lies behind one', 'sub/x.pdf'],
  ])('is not copied from the share when %s that leads out of it', async (_name, path) => {
    for (const name of ['share', 'elsewhere']) mkdirSync(join(folder(), name));
    writeFileSync(join(folder(), 'elsewhere/x.pdf'), 'private');
    symlinkSync(join(folder(), 'elsewhere'), join(folder(), 'share/sub'));
    symlinkSync(join(folder(), 'elsewhere/x.pdf'), join(folder(), 'share/x.pdf'));
    symlinkSync(join(folder(), 'share'), join(folder(), 'shortcut'));
    for (const way of ['share', 'shortcut']) {
      const source = join(folder(), way, path);
      await expect(bring(source)).rejects.toThrow(/is a link, or lies behind one/);
    }
    expect(readdirSync(drop())).toEqual([]);
  });

  test('that is linked twice is copied from elsewhere, but not from the share', async () => {
    mkdirSync(join(folder(), 'share'));
    writeFileSync(join(folder(), 'x.pdf'), 'content');
    linkSync(join(folder(), 'x.pdf'), join(folder(), 'share/y.pdf'));
    await expect(bring(join(folder(), 'share/y.pdf'))).rejects.toThrow(/another name/);
    expect(readdirSync(drop())).toEqual([]);
    await bring(join(folder(), 'x.pdf'));
    expect(readdirSync(drop())).toEqual(['x.pdf']);
  });

  test('has its name only when the last of them is whole', async () => {
    const given = make('small.pdf', 'huge.ifc');
    const seen: string[][] = [];
    jest.mocked(link).mockImplementationOnce(async (from, to) => {
      const names = readdirSync(drop());
      expect(names.filter(name => !isIgnoredName(name))).toEqual([]);
      seen.push(names.map(name => readFileSync(join(drop(), name), 'utf8')).sort());
      await real.link(from, to);
    });
    expect((await bring(...given)).copied).toEqual(['small.pdf', 'huge.ifc']);
    expect(seen).toEqual([['huge.ifc', 'small.pdf']]);
    expect(readdirSync(drop()).sort()).toEqual(['huge.ifc', 'small.pdf']);
  });

  test('that cannot be copied keeps the others out, and none of their copies stays', async () => {
    mkdirSync(join(folder(), 'share'));
    const [first = ''] = make('x.pdf');
    linkSync(first, join(folder(), 'share/y.pdf'));
    await expect(bring(first, join(folder(), 'share/y.pdf'))).rejects.toThrow(/another name/);
    expect(readdirSync(drop())).toEqual([]);
  });

  test('whose name was taken during the copies keeps the others out', async () => {
    const given = make('a.pdf', 'b.pdf');
    jest.mocked(open).mockImplementation(async (path, flags, mode) => {
      if (flags === 'wx') writeFileSync(join(drop(), 'b.pdf'), 'first');
      return await real.open(path, flags, mode);
    });
    await expect(bring(...given)).rejects.toThrow(/has a file "b\.pdf" already/);
    jest.mocked(open).mockImplementation(real.open);
    expect(readdirSync(drop())).toEqual(['b.pdf']);
  });

  test('whose name is taken while the others get theirs stays out; what has one by then is told', async () => {
    const given = make('a.pdf', 'b.pdf', 'c.pdf');
    jest.mocked(link).mockImplementationOnce(async (from, to) => {
      await real.link(from, to);
      writeFileSync(join(drop(), 'b.pdf'), 'first');
    });
    const told: string[] = [];
    await expect(bringIntoDrop(share(), given, name => told.push(name))).rejects.toThrow(
      /has a file "b\.pdf" already/,
    );
    expect(told).toEqual(['a.pdf']);
    expect(readdirSync(drop()).sort()).toEqual(['a.pdf', 'b.pdf']);
    expect(readFileSync(join(drop(), 'b.pdf'), 'utf8')).toBe('first');
  });

  test('twice is copied once', async () => {
    const source = join(folder(), 'a.pdf');
    writeFileSync(source, 'a');
    expect(await bring(source, source)).toEqual({ paths: ['a.pdf'], copied: ['a.pdf'] });
  });

  test.each([
    ['that is not there', 'missing.pdf', /no file/],
    ['that is a folder from elsewhere', '.', /is no file/],
  ])('%s is refused', async (_name, path, why) => {
    await expect(bring(join(folder(), path))).rejects.toThrow(why);
  });
});
