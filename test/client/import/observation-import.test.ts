// A folder of photos with rows beside them, on a real disk.
import { createHash } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, link, open, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bringAttachment, keyOfRow, readObservationImport } from '../../../client/import/observation-import';

jest.mock('node:fs/promises', () => {
  const real = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  return {
    ...real,
    link: jest.fn(real.link),
    open: jest.fn(real.open),
    copyFile: jest.fn(real.copyFile),
    readdir: jest.fn(real.readdir),
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drawbridge-import-'));
  for (const name of ['a.jpg', 'b & c.jpg', 'left.jpg', '.DS_Store']) writeFileSync(join(folder, name), name);
  mkdirSync(join(folder, 'day 1'));
  writeFileSync(join(folder, 'day 1', 'd.jpg'), 'd');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rows = (name: string, text: string) => writeFileSync(join(folder, name), text);

test.each([
  ['commas', 'Type,Name,Due date,Photos,Distribution,Private\n', ','],
  ['semicolons and a byte order mark', '\uFEFFtype;title;due_date;PHOTO;distribution;personal\n', ';'],
])('a CSV with %s is read, columns by the names people use', async (_, head, delimiter) => {
  const cells = ['Safety Hazard', '"Edge; open"', '2026-02-01', '"a.jpg| day 1/d.jpg"', 'default', 'yes'];
  rows('observations.csv', `${head}${cells.join(delimiter)}\r\n`);
  const read = await readObservationImport(folder);
  expect(read.rows).toEqual([
    {
      place: 'line 2',
      item: {
        type: 'Safety Hazard',
        name: 'Edge; open',
        dueDate: '2026-02-01',
        distribution: 'default',
        personal: true,
      },
      photos: ['a.jpg', 'day 1/d.jpg'],
    },
  ]);
  expect(read.unused).toEqual(['b & c.jpg', 'left.jpg']);
});

test('a JSON list is read the same', async () => {
  rows('observations.json', JSON.stringify([{ type: 'Warranty', name: 'Leak', photos: ['b & c.jpg'] }]));
  const read = await readObservationImport(folder);
  expect(read.rows[0]).toMatchObject({ place: 'item 1', photos: ['b & c.jpg'] });
});

test('a link to another folder is not followed: what is in there is no photo of the list', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'drawbridge-elsewhere-'));
  try {
    writeFileSync(join(elsewhere, 'private.jpg'), 'private');
    symlinkSync(elsewhere, join(folder, 'day 2'));
    symlinkSync(folder, join(folder, 'day 1', 'round'));
    rows('observations.json', JSON.stringify([{ type: 'Warranty', name: 'Leak', photos: ['a.jpg'] }]));
    const { unused } = await readObservationImport(folder);
    expect(unused).toEqual(['b & c.jpg', 'day 1/d.jpg', 'left.jpg']);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

test('everything that is wrong is said at once, with its place', async () => {
  rows(
    'observations.csv',
    [
      'type,name,priority,photos,colour',
      'Warranty,Leak,Some,a.jpg,',
      'Warranty,,High,none.jpg,',
      'Warranty,Leak,,../a.jpg,red',
      'Warranty,Twin,,,',
      'warranty,Twin,,a.jpg,',
    ].join('\n'),
  );
  await expect(readObservationImport(folder)).rejects.toMatchObject({
    code: 'CLI',
    exitCode: 2,
    message: expect.stringMatching(
      /line 2, priority[\s\S]*line 3, name[\s\S]*line 4[\s\S]*line 6 has type, name and description of line 5/,
    ),
  });
});

test('rows that differ in line ends alone would be one item, and are refused', async () => {
  const item = { type: 'Warranty', name: 'Leak' };
  const items = ['below\nthe roof', 'below\r\nthe roof '].map(description => ({ ...item, description }));
  rows('observations.json', JSON.stringify(items));
  await expect(readObservationImport(folder)).rejects.toMatchObject({
    message: expect.stringContaining('item 2 has type, name and description of item 1'),
  });
});

test.each([
  ['no rows', undefined, /no observations\.csv/],
  ['rows that are no list', ['observations.json', '{}'], /no JSON list/],
  ['rows that are no CSV', ['observations.csv', 'type,name\n"x'], /no CSV/],
  ['an empty list', ['observations.json', '[]'], /no row/],
])('%s are said so', async (_, file, why) => {
  if (file !== undefined) rows(file[0]!, file[1]!);
  await expect(readObservationImport(folder)).rejects.toThrow(why);
});

test('a photo comes to the share once, whole, and never over another file', async () => {
  const share = join(folder, 'share');
  await expect(bringAttachment(share, folder, 'a.jpg')).rejects.toThrow(/mounted/);
  mkdirSync(share);
  const first = await bringAttachment(share, folder, 'a.jpg');
  expect(await bringAttachment(share, folder, 'a.jpg')).toBe(first);
  writeFileSync(join(folder, 'day 1', 'a.jpg'), 'another');
  const second = await bringAttachment(share, folder, 'day 1/a.jpg');
  expect(second).not.toBe(first);
  const kept = (path: string) => readFileSync(join(share, 'observations', path), 'utf8');
  expect([kept(first), kept(second)]).toEqual(['a.jpg', 'another']);
  const all = readdirSync(share, { recursive: true, encoding: 'utf8' });
  expect(all.filter(name => name.endsWith('.part'))).toEqual([]);
});

describe('where others may write to the folder of photos or to the share', () => {
  const share = () => join(folder, 'share');
  let elsewhere: string;
  beforeEach(() => {
    mkdirSync(share());
    elsewhere = mkdtempSync(join(tmpdir(), 'drawbridge-elsewhere-'));
    writeFileSync(join(elsewhere, 'd.jpg'), 'private');
  });
  afterEach(() => rmSync(elsewhere, { recursive: true }));

  const copied = () =>
    readdirSync(share(), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());

  test('a photo in whose place a link was put since the list was read is refused', async () => {
    rows('observations.json', JSON.stringify([{ type: 'Warranty', name: 'Leak', photos: ['day 1/d.jpg'] }]));
    const [row] = (await readObservationImport(folder)).rows;
    rmSync(join(folder, 'day 1', 'd.jpg'));
    symlinkSync(join(elsewhere, 'd.jpg'), join(folder, 'day 1', 'd.jpg'));
    await expect(bringAttachment(share(), folder, row!.photos[0]!)).rejects.toThrow(/link/);
    expect(copied()).toEqual([]);
  });

  test('nor is a folder of photos followed that became a link', async () => {
    rmSync(join(folder, 'day 1'), { recursive: true });
    symlinkSync(elsewhere, join(folder, 'day 1'));
    await expect(bringAttachment(share(), folder, 'day 1/d.jpg')).rejects.toThrow(/link/);
    expect(copied()).toEqual([]);
  });

  const putRows = () => writeFileSync(join(elsewhere, 'rows.csv'), 'type,name\nWarranty,private\n');

  test('rows are not read from where a link leads that was put in their place since they were found', async () => {
    putRows();
    rows('observations.csv', 'type,name\nWarranty,Leak\n');
    const real = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
    const swapAfter = (async (...input: Parameters<typeof real.readdir>) => {
      const found = await real.readdir(...input);
      rmSync(join(folder, 'observations.csv'));
      symlinkSync(join(elsewhere, 'rows.csv'), join(folder, 'observations.csv'));
      return found;
    }) as unknown as typeof real.readdir;
    jest.mocked(readdir).mockImplementationOnce(swapAfter);
    await expect(readObservationImport(folder)).rejects.toThrow(/is a link/);
  });

  test('nor are rows that people name in the folder, but those are that they name elsewhere', async () => {
    putRows();
    symlinkSync(join(elsewhere, 'rows.csv'), join(folder, 'mine.csv'));
    symlinkSync(elsewhere, join(folder, 'inner'));
    for (const name of ['mine.csv', 'inner/rows.csv'])
      await expect(readObservationImport(folder, join(folder, name))).rejects.toThrow(/link/);
    symlinkSync(join(elsewhere, 'rows.csv'), join(elsewhere, 'own.csv'));
    const { rows: read } = await readObservationImport(folder, join(elsewhere, 'own.csv'));
    expect(read.map(({ item }) => item.name)).toEqual(['private']);
  });

  test('neither rows nor a photo may have another name somewhere else', async () => {
    putRows();
    linkSync(join(elsewhere, 'rows.csv'), join(folder, 'observations.csv'));
    await expect(readObservationImport(folder)).rejects.toThrow(/observations\.csv.*another name/);
    rmSync(join(folder, 'a.jpg'));
    linkSync(join(elsewhere, 'd.jpg'), join(folder, 'a.jpg'));
    await expect(bringAttachment(share(), folder, 'a.jpg')).rejects.toThrow(/a\.jpg.*another name/);
    expect(copied()).toEqual([]);
  });

  test('rows without end are not read into memory', async () => {
    rows('observations.csv', 'type,name\n');
    truncateSync(join(folder, 'observations.csv'), 2 ** 30);
    await expect(readObservationImport(folder)).rejects.toThrow(/too large/);
  });

  test('nothing is written to where a link in the place of the folder for attachments leads', async () => {
    symlinkSync(elsewhere, join(share(), 'observations'));
    await expect(bringAttachment(share(), folder, 'a.jpg')).rejects.toThrow(/link/);
    expect(readdirSync(elsewhere)).toEqual(['d.jpg']);
  });

  test('a photo that is changed meanwhile lies under the hash of what lies there', async () => {
    const change = () => writeFileSync(join(folder, 'a.jpg'), 'changed');
    const real = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
    jest.mocked(copyFile).mockImplementationOnce(async (...input) => {
      change();
      await real.copyFile(...input);
    });
    jest.mocked(open).mockImplementation(async (path, ...how) => {
      const file = await real.open(path, ...how);
      if (String(path).endsWith('a.jpg')) change();
      return file;
    });
    const path = await bringAttachment(share(), folder, 'a.jpg');
    jest.mocked(open).mockImplementation(real.open);
    const content = readFileSync(join(share(), 'observations', path));
    expect(path).toBe(`${createHash('sha256').update(content).digest('hex').slice(0, 16)}/a.jpg`);
  });

  test.each([
    ['shorter', 'b.jpg'],
    ['of another size', 'other content'],
  ])('what lies under its hash and is %s is told, not sent in its place', async (_, content) => {
    const path = await bringAttachment(share(), folder, 'a.jpg');
    writeFileSync(join(share(), 'observations', path), content);
    await expect(bringAttachment(share(), folder, 'a.jpg')).rejects.toThrow(/other content/);
    expect(readFileSync(join(share(), 'observations', path), 'utf8')).toBe(content);
    expect(copied().map(({ name }) => name)).toEqual(['a.jpg']);
  });

  test('a part that an earlier process has left does not stand in its way', async () => {
    const path = await bringAttachment(share(), folder, 'a.jpg');
    rmSync(join(share(), 'observations', path));
    writeFileSync(join(share(), 'observations', `${path}.${process.pid}.part`), 'a.');
    expect(await bringAttachment(share(), folder, 'a.jpg')).toBe(path);
    expect(readFileSync(join(share(), 'observations', path), 'utf8')).toBe('a.jpg');
  });
});

test.each(['EPERM', 'ENOTSUP'])('a photo comes to a share without hard links (%s)', async code => {
  jest.mocked(link).mockRejectedValueOnce(Object.assign(new Error(code), { code }));
  const share = join(folder, 'share');
  mkdirSync(share);
  const path = await bringAttachment(share, folder, 'a.jpg');
  expect(readFileSync(join(share, 'observations', path), 'utf8')).toBe('a.jpg');
  expect(readdirSync(join(share, 'observations', path, '..'))).toEqual(['a.jpg']);
});

test('the key is that of the row, in whatever order its columns stand', () => {
  const one = keyOfRow({ type: 'Warranty', name: 'Leak', number: '1' }, ['x/a.jpg']);
  expect(keyOfRow({ number: '1', name: 'Leak', type: 'Warranty' }, ['x/a.jpg'])).toBe(one);
  expect(keyOfRow({ type: 'Warranty', name: 'Leak', number: '1' }, ['y/a.jpg'])).not.toBe(one);
});

test('a missing photo is told beside the other faults of its row', async () => {
  rows(
    'observations.json',
    JSON.stringify([{ type: '', name: 'Edge', priority: 'Soon', photos: ['gone.jpg', 'a.jpg'] }]),
  );
  const error = await readObservationImport(folder).catch((reason: unknown) => reason as Error);
  const { message } = error as Error;
  expect(message).toContain('there is no file "gone.jpg"');
  expect(message).toContain('priority');
  expect(message).not.toContain('there is no file "a.jpg"');
});
