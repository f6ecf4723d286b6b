// Jobs that come over the page, on a real share: nothing of them is in the drop folder before all of it is,
// whatever dies in between, and whatever a neighbour on the share does.
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withResolvers } from '../../../../../activities/host/with-resolvers';
import type { ShareFs } from '../../../../../activities/share/files/share-fs';
import type { UploadState } from '../../../../../activities/share/jobs/uploads/open-upload';
import type { Share } from '../../../../../activities/share/share';
import { startCpuTimer } from '../../../../setup/cpu-time';
import { DyingFs, fsError } from '../../faulty-fs';
import { createTestBed, type TestBed } from '../../share-test-bed';

const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const CONTENT: Readonly<Record<string, string>> = {
  'register.csv': 'File,Number\nA-1.pdf,A-1\n',
  'plans/A-1.pdf': 'the first plan',
  'plans/empty.pdf': '',
};
const PLAN = {
  name: 'TR-0143',
  files: Object.entries(CONTENT).map(([path, text]) => ({ path, sizeBytes: text.length, modifiedMs: 5 })),
};

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createTestBed(PLACE);
  share = await bed.open();
});
afterEach(async () => {
  await bed.remove();
});

const at = (...parts: string[]) => join(bed.root, ...parts);

async function* pieces(...texts: (string | Error)[]): AsyncGenerator<Buffer> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield Buffer.from(text);
  }
}

const bytes = (...texts: (string | Error)[]) => ({ bytes: pieces(...texts), stop: () => undefined });

async function begin(plan = PLAN, on = share): Promise<UploadState> {
  const begun = await on.uploads.begin(plan, { id: 'T. Harker', name: 'T. Harker' });
  if (begun.kind !== 'begun') throw new Error(JSON.stringify(begun));
  return begun.state;
}

/** As a browser does it: asks how far each file is, and sends the rest of it in small pieces. */
async function sendAll(on: Share, id: string): Promise<unknown> {
  const upload = await on.uploads.open(id);
  for (const [index, { path }] of PLAN.files.entries()) {
    const { doneBytes, sizeBytes } = (await upload?.lookAt(index)) ?? { doneBytes: 0, sizeBytes: 0 };
    if (doneBytes === sizeBytes) continue;
    const rest = (CONTENT[path] ?? '').slice(doneBytes);
    await upload?.write(index, doneBytes, bytes(rest.slice(0, 4), rest.slice(4)));
  }
  return await upload?.finish();
}

async function expectWhole(folder = 'TR-0143'): Promise<void> {
  expect(await bed.list(`drop/${folder}`)).toEqual(
    ['.ready', 'plans/A-1.pdf', 'plans/empty.pdf', 'register.csv'].sort(),
  );
  for (const [path, text] of Object.entries(CONTENT)) {
    expect(await bed.read(`drop/${folder}/${path}`)).toBe(text);
  }
}

test('a job comes file by file and lies in the drop folder at once when all is there', async () => {
  const { id, sent } = await begin();
  expect(sent).toBeNull();
  const upload = await share.uploads.open(id);
  expect(await upload?.write(1, 0, bytes('the ', 'first'))).toBe(9);
  expect(await upload?.finish()).toBeUndefined();
  expect(await bed.list('drop')).toEqual([]);
  await expect(upload?.write(1, 4, bytes('x'))).rejects.toMatchObject({ code: 'bad-request' });
  expect(await sendAll(share, id)).toMatchObject({ folder: 'TR-0143' });
  await expectWhole();
  // Whoever asks again, here or after a restart, is told the same, and nothing is sent twice.
  expect(await upload?.finish()).toMatchObject({ folder: 'TR-0143' });
  const again = await bed.open();
  expect(await sendAll(again, id)).toMatchObject({ folder: 'TR-0143' });
  expect(await readdir(at('drop'))).toEqual(['TR-0143']);
  expect(await again.uploads.discard(id)).toBe(false);
});

test('what came before a connection broke is kept, and gone on with by another process', async () => {
  const { id } = await begin();
  const upload = await share.uploads.open(id);
  await expect(upload?.write(1, 0, bytes('the fi', new Error('gone')))).rejects.toThrow('gone');
  expect((await upload?.lookAt(1))?.doneBytes).toBe(6);
  const other = await bed.open();
  // Of a file that is not whole, what may not have reached the disk is sent again.
  expect(await (await other.uploads.open(id))?.lookAt(1)).toEqual({ sizeBytes: 14, doneBytes: 0 });
  await sendAll(other, id);
  await expectWhole();
});

const MIB = 1024 ** 2;

/**
 * A share whose host loses power once a file has `lostAt` bytes. `durable` is what was surely on disk then.
 * Files only get their size: no bytes are written.
 */
function losingPower(lostAt: number) {
  const real = new DyingFs(Number.POSITIVE_INFINITY).fs;
  const disk = { durable: 0 };
  let isLost = false;
  const openGrowing: ShareFs['openGrowing'] = async place => {
    const file = await real.openGrowing(place);
    let size = file.sizeBytes;
    const write = async (chunk: Uint8Array, where: number) => {
      if (isLost) throw fsError('EIO');
      size = where + chunk.length;
      await file.cut(size);
      isLost = size >= lostAt;
    };
    const sync = async () => {
      if (isLost) throw fsError('EIO');
      disk.durable = size;
    };
    return { ...file, write, sync };
  };
  return { fs: { ...real, openGrowing }, disk };
}

/** As it comes over a network: in chunks. */
function zeros(sizeBytes: number, chunkBytes: number) {
  async function* come() {
    for (let left = sizeBytes; left > 0; left -= chunkBytes) yield Buffer.alloc(Math.min(left, chunkBytes));
  }
  return { bytes: come(), stop: () => undefined };
}

test.each([
  ['after the line had broken at 50 MiB', [50, 450], 113, 64 * 1024],
  ['at the second sync', [500], 128, 65_000],
  ['at the second sync, in large chunks', [500], 128.1, 700_001],
  ['at the seventh sync', [500], 449, 65_000],
  ['before the first sync', [500], 60, 65_000],
])('where the power went %s, what may not be on disk is sent again', async (_, sends, lostAt, chunkBytes) => {
  const { fs, disk } = losingPower(lostAt * MIB);
  const powered = await bed.open({}, { fs });
  const files = [{ path: 'long.pdf', sizeBytes: 500 * MIB, modifiedMs: 5 }];
  const { id } = await begin({ name: 'TR-0143', files }, powered);
  const upload = await powered.uploads.open(id);
  let doneBytes = 0;
  for (const send of sends) {
    const sent = upload?.write(0, doneBytes, zeros(send * MIB, chunkBytes));
    doneBytes = (await sent?.catch(() => undefined)) ?? doneBytes;
  }
  const after = await (await bed.open()).uploads.open(id);
  const next = (await after?.lookAt(0))?.doneBytes ?? 0;
  expect(next).toBeLessThanOrEqual(disk.durable);
  // And not much more than that.
  expect(next).toBeGreaterThanOrEqual((lostAt - 65) * MIB);
});

test('where the share did not take what was on its way to the disk, that is sent again', async () => {
  const { fs } = losingPower(Number.POSITIVE_INFINITY);
  let synced = 0;
  const openGrowing: ShareFs['openGrowing'] = async place => {
    const file = await fs.openGrowing(place);
    // As file systems do it: what could not be written is told once, and thrown away.
    const sync = async () => {
      synced += 1;
      if (synced === 2) throw fsError('EIO');
    };
    return { ...file, sync };
  };
  const failing = await bed.open({}, { fs: { ...fs, openGrowing } });
  const files = [{ path: 'long.pdf', sizeBytes: 500 * MIB, modifiedMs: 5 }];
  const { id } = await begin({ name: 'TR-0143', files }, failing);
  const upload = await failing.uploads.open(id);
  await expect(upload?.write(0, 0, zeros(500 * MIB, 65_000))).rejects.toMatchObject({ code: 'EIO' });
  const next = (await upload?.lookAt(0))?.doneBytes ?? 0;
  // The second sync was due here, and the first half of it is on disk.
  expect(next).toBeGreaterThan(62 * MIB);
  expect(next).toBeLessThanOrEqual(64 * MIB);
  await upload?.write(0, next, zeros(500 * MIB - next, 700_001));
  expect((await upload?.lookAt(0))?.doneBytes).toBe(500 * MIB);
});

/** A line that has broken without a word: nothing more comes, and no end, until it is stopped. */
function silent(text: string) {
  const { promise: stopped, reject } = withResolvers<never>();
  async function* come() {
    yield Buffer.from(text);
    await stopped;
  }
  return { bytes: come(), stop: () => reject(new Error('stopped')) };
}

test('begun again with the id that was drawn for it, also at the same time, it is one upload and not two', async () => {
  const id = 'ab'.repeat(10);
  const [one, other] = await Promise.all([
    share.uploads.begin(PLAN, { id: 'T. Harker', name: 'T. Harker' }, id),
    share.uploads.begin(PLAN, { id: 'T. Harker', name: 'T. Harker' }, id),
  ]);
  expect([one, other]).toMatchObject([{ state: { id } }, { state: { id } }]);
  expect(await readdir(at('.drawbridge/uploads'))).toEqual([id]);
  // After a restart, and after it was sent: nothing of it is sent twice.
  const next = await bed.open();
  await sendAll(next, id);
  expect(await next.uploads.begin(PLAN, { id: 'T. Harker', name: 'T. Harker' }, id)).toMatchObject({
    state: { sent: { folder: 'TR-0143' } },
  });
  await sendAll(next, id);
  await expectWhole();
  expect(await readdir(at('drop'))).toEqual(['TR-0143']);
});

test('the id of an upload is of who began it, with the files that it was begun with', async () => {
  const id = 'ab'.repeat(10);
  await share.uploads.begin(PLAN, { id: 'T. Harker', name: 'T. Harker' }, id);
  const others = { ...PLAN, files: PLAN.files.slice(1) };
  await expect(share.uploads.begin(PLAN, { id: 'J. Okafor', name: 'J. Okafor' }, id)).rejects.toThrow(
    'with other files',
  );
  await expect(share.uploads.begin(others, { id: 'T. Harker', name: 'T. Harker' }, id)).rejects.toThrow(
    'with other files',
  );
  expect(await share.uploads.list()).toHaveLength(1);
});

test('a beginning that was cut short is gone on with under the same id', async () => {
  const id = 'ab'.repeat(10);
  await share.uploads.begin(PLAN, { id: 'T. Harker', name: 'T. Harker' }, id);
  await rm(at('.drawbridge/uploads', id, 'upload.json'));
  const next = await bed.open();
  expect(await next.uploads.begin(PLAN, { id: 'T. Harker', name: 'T. Harker' }, id)).toMatchObject({
    kind: 'begun',
    state: { id },
  });
  await sendAll(next, id);
  await expectWhole();
});

test('who asks for a file goes on with it: what was written meanwhile is kept, and never twice', async () => {
  const { id } = await begin();
  const upload = await share.uploads.open(id);
  const first = upload?.write(1, 0, silent('the fi')).catch(String);
  expect((await upload?.lookAt(1))?.doneBytes).toBe(6);
  expect(await first).toBe('Error: stopped');
  const both = [upload?.write(1, 6, silent('rst')), upload?.write(1, 6, bytes('rst plan'))];
  await Promise.allSettled(both);
  await sendAll(share, id);
  await expectWhole();
});

test('one that is given up while its bytes come leaves nothing behind', async () => {
  const { id } = await begin();
  const upload = await share.uploads.open(id);
  const writing = upload?.write(1, 0, silent('the fi')).catch(String);
  expect(await share.uploads.discard(id)).toBe(true);
  expect(await writing).toBe('Error: stopped');
  expect(await readdir(at('.drawbridge/uploads'))).toEqual([]);
});

test.each(['send first', 'give up first'])('it is sent or given up, never both: %s', async order => {
  const { id } = await begin();
  const upload = await share.uploads.open(id);
  await upload?.write(0, 0, bytes(CONTENT['register.csv'] ?? ''));
  await upload?.write(1, 0, bytes(CONTENT['plans/A-1.pdf'] ?? ''));
  const send = () => upload?.finish();
  const giveUp = () => share.uploads.discard(id);
  const isSentFirst = order === 'send first';
  const [one, other] = isSentFirst ? [send(), giveUp()] : [giveUp(), send()];
  const [sent, isGivenUp] = isSentFirst ? [await one, await other] : [await other, await one];
  expect(isGivenUp).toBe(sent === undefined);
  expect(await readdir(at('drop'))).toEqual(isGivenUp ? [] : ['TR-0143']);
});

test('of two processes that write the same file one has it, and neither leaves half of it', async () => {
  const { id } = await begin();
  const first = await share.uploads.open(id);
  await first?.write(1, 0, bytes('the '));
  const other = await bed.open();
  await (await other.uploads.open(id))?.lookAt(1);
  await expect(first?.write(1, 4, bytes('first plan'))).rejects.toMatchObject({ code: 'file-changed' });
  await sendAll(other, id);
  await expectWhole();
});

test('a name that is taken gets another one, whatever has it, and nothing is overwritten', async () => {
  await mkdir(at('drop/TR-0143'));
  await writeFile(at('drop/TR-0143/other.pdf'), 'of somebody else');
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(at(`drop/TR-0143 (${day})`), 'a file');
  const { id } = await begin();
  expect(await sendAll(share, id)).toMatchObject({ folder: `TR-0143 (${day}, 2)` });
  await expectWhole(`TR-0143 (${day}, 2)`);
  expect(await bed.read('drop/TR-0143/other.pdf')).toBe('of somebody else');
});

test.each([
  ['leads out', '../x.pdf', /outside/],
  ['leads out further in', 'a/../../x.pdf', /outside/],
  ['is absolute', '/etc/passwd', /outside/],
  ['has an empty part', 'a//b.pdf', /outside/],
  ['has a NUL', 'a\0.pdf', /outside/],
  ['has half a character', 'a\ud800.pdf', /outside/],
  ['is too long', `${'ä'.repeat(128)}.pdf`, /255 bytes/],
  ['lies too deep', `${'a/'.repeat(30)}b.pdf`, /too deep/],
  ['is noise', 'a/Thumbs.db', /never sent/],
  ['is half a download', 'a/b.pdf.part', /never sent/],
  ['is there twice', 'plans/A-1.pdf', /same name/],
  ['is there in capitals', 'PLANS/a-1.PDF', /capitals/],
  ['is a folder as well', 'plans', /same name/],
])('a path that %s is refused, with the reason', async (_, path, text) => {
  const files = [...PLAN.files, { path, sizeBytes: 1, modifiedMs: 1 }];
  const begun = await share.uploads.begin({ name: 'job', files }, { id: 'T. Harker', name: 'T. Harker' });
  expect(begun).toMatchObject({ kind: 'faulty', faults: [{ at: path, text: expect.stringMatching(text) }] });
  expect(await share.uploads.list()).toEqual([]);
});

test('thousands of paths of thousands of folders are refused at once, without a list of those folders', async () => {
  const deep = 'a/'.repeat(2_000);
  const files = Array.from({ length: 2_000 }, (_, at) => ({
    path: `${deep}${at}`,
    sizeBytes: 1,
    modifiedMs: 1,
  }));
  const cpuMs = startCpuTimer();
  const begun = await share.uploads.begin({ name: 'job', files }, { id: 'T. Harker', name: 'T. Harker' });
  expect(begun).toMatchObject({ kind: 'faulty' });
  expect(begun.kind === 'faulty' && begun.faults).toHaveLength(50);
  expect(begun.kind === 'faulty' && begun.faults[0]?.text).toMatch(/too deep/);
  expect(cpuMs()).toBeLessThan(5_000);
});

test.each(['', '..', 'a/b', '.hidden', '~$job', 'job.part', 'a\u202eb', 'x'.repeat(256)])(
  'a job cannot be called %j',
  async name => {
    expect(await share.uploads.begin({ ...PLAN, name }, { id: 'x', name: 'x' })).toMatchObject({
      kind: 'faulty',
    });
  },
);

test('names that are odd and allowed are kept as they are', async () => {
  const names = ['<b>&"\'.pdf', 'gnp.\u202efdp.pdf', '🏗 plan.pdf', ' leading.pdf', `${'x'.repeat(251)}.pdf`];
  const files = names.map(path => ({ path, sizeBytes: 1, modifiedMs: 1 }));
  const { id } = await begin({ name: '"><script>', files });
  const upload = await share.uploads.open(id);
  for (const index of names.keys()) await upload?.write(index, 0, bytes('x'));
  await upload?.finish();
  expect((await bed.list('drop/"><script>')).sort()).toEqual([...names, '.ready'].sort());
});

test('what does not fit the share is told before, with what others were promised counted in', async () => {
  const dying = new DyingFs(Number.POSITIVE_INFINITY);
  const small = await bed.open({ minFreeBytes: 10 }, { fs: { ...dying.fs, freeBytes: async () => 70 } });
  const plan = { name: 'one', files: [{ path: 'a.pdf', sizeBytes: 50, modifiedMs: 1 }] };
  expect(await small.uploads.begin(plan, { id: 'x', name: 'x' })).toMatchObject({ kind: 'begun' });
  expect(await small.uploads.begin(plan, { id: 'x', name: 'x' })).toEqual({
    kind: 'no-room',
    freeBytes: 10,
    neededBytes: 50,
  });
});

test('a full share keeps what it has of a file, and says what is wrong', async () => {
  let isFull = false;
  const dying = new DyingFs(Number.POSITIVE_INFINITY);
  const fs = {
    ...dying.fs,
    openGrowing: async (...input: Parameters<typeof dying.fs.openGrowing>) => {
      const file = await dying.fs.openGrowing(...input);
      return {
        ...file,
        write: async (chunk: Uint8Array, where: number) => {
          if (isFull) throw fsError('ENOSPC');
          await file.write(chunk, where);
        },
      };
    },
  };
  const full = await bed.open({}, { fs });
  const { id } = await begin(PLAN, full);
  const upload = await full.uploads.open(id);
  await upload?.write(1, 0, bytes('the '));
  isFull = true;
  await expect(upload?.write(1, 4, bytes('first'))).rejects.toMatchObject({ code: 'ENOSPC' });
  isFull = false;
  expect((await upload?.lookAt(1))?.doneBytes).toBe(4);
  await sendAll(full, id);
  await expectWhole();
});

test('a neighbour who puts links in our place leads nothing elsewhere', async () => {
  const { id } = await begin();
  const folder = at('.drawbridge/uploads', id);
  expect((await readFile(join(folder, 'upload.json'), 'utf8')).includes('"seal"')).toBe(true);
  const upload = await share.uploads.open(id);
  await mkdir(at('victim'));
  await writeFile(at('victim/precious'), 'precious');
  await symlink(at('victim'), join(folder, 'whole/plans'));
  await expect(upload?.write(1, 0, bytes('the first plan'))).rejects.toMatchObject({ code: 'file-refused' });
  await rm(join(folder, 'whole/plans'));
  const [part = ''] = await readdir(join(folder, 'parts'));
  await rm(join(folder, 'parts', part));
  await link(at('victim/precious'), join(folder, 'parts', part));
  const other = await (await bed.open()).uploads.open(id);
  await expect(other?.lookAt(1)).rejects.toThrow('no ordinary file of ours');
  expect(await bed.read('victim/precious')).toBe('precious');
  expect(await readdir(at('victim'))).toEqual(['precious']);
});

test('a record that is not ours is no upload, and is not listed', async () => {
  const { id } = await begin();
  const record = at('.drawbridge/uploads', id, 'upload.json');
  const text = await readFile(record, 'utf8');
  await writeFile(record, text.replace('plans/A-1.pdf', 'plans/A-2.pdf'));
  const other = await bed.open();
  expect(await other.uploads.list()).toEqual([]);
  expect(await other.uploads.open(id)).toBeUndefined();
  expect(await other.uploads.open('../../drop')).toBeUndefined();
});

test('an upload that is given up leaves nothing, and nothing more can come of it', async () => {
  const { id } = await begin();
  const upload = await share.uploads.open(id);
  await upload?.write(0, 0, bytes(CONTENT['register.csv'] ?? ''));
  await upload?.write(1, 0, bytes('the '));
  expect(await share.uploads.discard(id)).toBe(true);
  expect(await readdir(at('.drawbridge/uploads'))).toEqual([]);
  await expect(upload?.write(1, 4, bytes('first plan'))).rejects.toMatchObject({ code: 'bad-request' });
  expect(await share.uploads.list()).toEqual([]);
  expect(await bed.list('drop')).toEqual([]);
});

test('what nobody goes on with is swept after days; of what was sent the record goes', async () => {
  const old = await begin();
  const whole = await begin({ ...PLAN, name: 'whole' });
  const young = await begin({ ...PLAN, name: 'young' });
  const upload = await share.uploads.open(whole.id);
  await upload?.write(0, 0, bytes(CONTENT['register.csv'] ?? ''));
  await upload?.write(1, 0, bytes(CONTENT['plans/A-1.pdf'] ?? ''));
  const longAgo = new Date(Date.now() - 8 * 86_400_000);
  await utimes(at('.drawbridge/uploads', old.id, 'upload.json'), longAgo, longAgo);
  expect(await upload?.finish()).toMatchObject({ folder: 'whole' });
  await share.uploads.sweep();
  expect((await share.uploads.list()).map(({ id }) => id)).toEqual([whole.id, young.id]);
  await utimes(at('.drawbridge/uploads', whole.id, 'upload.json'), longAgo, longAgo);
  await share.uploads.sweep();
  expect(await readdir(at('.drawbridge/uploads'))).toEqual([young.id]);
  await expectWhole('whole');
});

test('what was begun under a former key is not swept, and is sent once that key is back', async () => {
  const whole = await begin();
  const upload = await share.uploads.open(whole.id);
  await upload?.write(0, 0, bytes(CONTENT['register.csv'] ?? ''));
  await upload?.write(1, 0, bytes(CONTENT['plans/A-1.pdf'] ?? ''));
  const longAgo = new Date(Date.now() - 30 * 86_400_000);
  const { id: half } = await begin({ ...PLAN, name: 'half' });
  await rm(at('.drawbridge/uploads', half, 'upload.json'));
  for (const id of [whole.id, half]) await utimes(at('.drawbridge/uploads', id), longAgo, longAgo);
  await rm(at('.drawbridge/key-id'));
  const otherKey = await bed.open({}, { key: Buffer.alloc(32, 9) });
  await otherKey.uploads.sweep();
  expect(await otherKey.uploads.list()).toEqual([]);
  // Made half, it is nobody's.
  expect(await readdir(at('.drawbridge/uploads'))).toEqual([whole.id]);
  const told = bed.logger.lines.filter(({ event }) => event === 'mark-not-ours');
  expect(told).toMatchObject([{ file: `.drawbridge/uploads/${whole.id}/upload.json` }]);
  await rm(at('.drawbridge/key-id'));
  await sendAll(await bed.open(), whole.id);
  await expectWhole();
});

test('after death before any operation, starting again brings the job once and whole', async () => {
  const count = await dieAt(Number.POSITIVE_INFINITY);
  expect(count).toBeGreaterThan(40);
  for (let moment = 1; moment <= count; moment += 1) {
    await bed.remove();
    bed = await createTestBed(PLACE);
    await bed.open();
    await dieAt(moment);
    const again = await bed.open();
    let [upload] = await again.uploads.list();
    if (upload === undefined) upload = await begin(PLAN, again);
    await sendAll(again, upload.id);
    expect(await readdir(at('drop'))).toEqual(['TR-0143']);
    await expectWhole();
  }
}, 60_000);

/** @returns how many operations there were. */
async function dieAt(moment: number): Promise<number> {
  const dying = new DyingFs(Number.POSITIVE_INFINITY);
  const dead = new DyingFs(moment);
  let isOpen = false;
  const chosen = { get: (_: ShareFs, key: string) => Reflect.get(isOpen ? dead.fs : dying.fs, key) };
  const on = await bed.open({}, { fs: new Proxy(dead.fs, chosen) });
  isOpen = true;
  try {
    const { id } = await begin(PLAN, on);
    await sendAll(on, id);
  } catch {
    // As if the process had ended there.
  }
  // While it was dying, no more than the whole job was ever to be seen.
  const seen = await bed.list('drop');
  if (seen.length > 0) await expectWhole();
  return dead.count;
}

test('our folder lets nobody else in', async () => {
  await chmod(at('.drawbridge'), 0o755);
  const { id } = await begin(PLAN, await bed.open());
  const { mode } = await (await import('node:fs/promises')).stat(at('.drawbridge/uploads', id));
  expect(mode & 0o077).toBe(0);
});
