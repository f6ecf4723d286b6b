// On mounts without owners whoever may write to a share can make folders among our open batches. They
// stop nothing, nothing of them is carried or touched, and they are told of once; what is ours goes on
// to count, however far it came.
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sealReceipt } from '../../../../activities/share/batch/kept-receipt';
import { isOnItsWay } from '../../../../activities/share/claim/open-batches';
import { Seals } from '../../../../activities/share/files/seals';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, DyingFs, fsError } from '../faulty-fs';
import {
  changeClaim,
  claimAll,
  createTestBed,
  DEAD,
  SHARE_KEY,
  submitted,
  type TestBed,
} from '../share-test-bed';

const OTHER_KEY = Buffer.alloc(32, 8);
const PLANTED = '20260131-093000-aaaaaa';

let bed: TestBed;
let share: Share;
let planted: string;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open({ abandonedMs: 0 });
  planted = folderOf(PLANTED);
});
afterEach(async () => {
  await bed.remove();
});

const folderOf = (batchId: string) => join(bed.root, '.drawbridge/batches', batchId);

async function countOnTheirWay(): Promise<number> {
  return (await share.openBatches()).filter(isOnItsWay).length;
}

/** Everything at a place, with its content. */
function snapshot(path: string): unknown {
  const facts = lstatSync(path);
  if (facts.isDirectory()) return readdirSync(path).map(name => [name, snapshot(join(path, name))]);
  return facts.isFile() ? readFileSync(path, 'utf8') : 'a link';
}

/** With a file of its own, which must stay where it is. */
function make(files: Readonly<Record<string, unknown>>): void {
  mkdirSync(join(planted, 'files'), { recursive: true });
  writeFileSync(join(planted, 'files/planted.pdf'), 'planted');
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(planted, name), JSON.stringify(content));
}

function makeBare(fill: () => void): void {
  mkdirSync(planted);
  fill();
}

async function claimOne(name: string): Promise<string> {
  await bed.drop(name);
  return (await claimAll(share)).batchId;
}

const CLAIM = {
  version: 1,
  claimId: 'planted',
  watcherId: 'planted',
  host: 'elsewhere',
  pid: 1,
  processStart: '1',
  claimedAt: '2026-01-31T09:30:00.000Z',
};
const BY_GUESS = { seal: 'a'.repeat(64), sealedBy: 'guessed' };

const WAYS: readonly (readonly [string, () => void | Promise<void>])[] = [
  ['files only', () => make({})],
  ['a claim without a seal', () => make({ 'claim.json': CLAIM })],
  ['a claim with a guessed seal', () => make({ 'claim.json': { ...CLAIM, ...BY_GUESS } })],
  ['a torn claim', () => make({ 'claim.json': '{"vers' })],
  ['a manifest without a seal', () => make({ 'batch.json': { version: 1, batchId: PLANTED } })],
  ['a receipt', () => make({ 'batch.json': {}, 'receipt.json': {} })],
  ['a receipt alone', () => make({ 'receipt.json': {} })],
  [
    'all that is sealed of another batch',
    async () => void cpSync(folderOf(await claimOne('a.pdf')), planted, { recursive: true }),
  ],
  ['nothing but a note', () => makeBare(() => writeFileSync(join(planted, 'note.txt'), 'x'))],
  ['folders for files', () => void mkdirSync(join(planted, 'files/sub'), { recursive: true })],
  ['a link for its files', () => makeBare(() => symlinkSync(bed.root, join(planted, 'files')))],
  ['a link for its manifest', () => makeBare(() => symlinkSync('/etc/passwd', join(planted, 'batch.json')))],
  ['a link for itself', () => symlinkSync(join(bed.root, 'drop'), planted)],
  ['a file for itself', () => writeFileSync(planted, 'planted')],
];

test.each(WAYS)('a planted folder with %s counts for nothing, and is left as it lies', async (_, plant) => {
  await plant();
  const before = snapshot(planted);
  const ours = await claimOne('b.pdf');
  // Seen once, and then found standing still.
  await share.openBatches();
  const open = await share.openBatches();
  expect(open.filter(({ batchId }) => batchId === PLANTED)).toEqual([
    { batchId: PLANTED, state: 'not-ours', isProven: false, isStopped: false },
  ]);
  expect(open.filter(isOnItsWay).map(({ batchId }) => batchId)).toContain(ours);
  expect(open.filter(isOnItsWay).map(({ batchId }) => batchId)).not.toContain(PLANTED);
  expect(await share.adopt(PLANTED)).toBeUndefined();
  expect(snapshot(planted)).toEqual(before);
  expect(await bed.list('drop')).toEqual([]);
});

test('planted folders are told of once, together, and again only with new ones', async () => {
  for (const name of ['a', 'b', 'c'])
    mkdirSync(join(folderOf(`20260131-093000-aaaaa${name}`), 'files/x'), { recursive: true });
  for (let turn = 0; turn < 3; turn += 1) await share.openBatches();
  make({});
  mkdirSync(join(folderOf('20260131-093000-aaaaad'), 'files/x'), { recursive: true });
  for (let turn = 0; turn < 3; turn += 1) await share.openBatches();
  const told = bed.logger.lines.filter(({ event }) => event === 'batches-not-ours');
  expect(told).toMatchObject([
    {
      level: 'warn',
      folders: 3,
      batchIds: ['20260131-093000-aaaaaa', '20260131-093000-aaaaab', '20260131-093000-aaaaac'],
    },
    { level: 'warn', folders: 1, batchIds: ['20260131-093000-aaaaad'] },
  ]);
});

describe('a batch that is sealed with another key', () => {
  /** As after an operator has let the share take another key. */
  async function openWithOtherKey(): Promise<Share> {
    rmSync(join(bed.root, '.drawbridge/key-id'));
    return await bed.open({ abandonedMs: 0 }, { key: OTHER_KEY });
  }
  const bothKeys = new RegExp(`\\(${new Seals(SHARE_KEY).keyId}\\).*\\(${new Seals(OTHER_KEY).keyId}\\)`);

  test.each([
    ['since its claim', async () => (await share.claim(['a.pdf'])).batch!.batchId],
    ['since its manifest', async () => (await claimAll(share)).batchId],
    [
      'with documents that wait for a person',
      async () => {
        const { batchId } = await claimAll(share);
        await share.settleUp(batchId, [], {
          final: false,
          held: [{ index: 0, reason: { code: 'x', text: 'x', fix: 'x' } }],
        });
        await share.temporals.noteStopped(batchId, 'failed');
        return batchId;
      },
    ],
    [
      'with its final receipt',
      async () => {
        const { batchId } = await claimAll(share);
        const copy = join(bed.root, 'copy');
        cpSync(folderOf(batchId), copy, { recursive: true });
        await share.settleUp(batchId, [submitted(0)], { final: true });
        const finished = join(bed.root, '.drawbridge/finished', batchId.slice(0, 6), batchId);
        cpSync(join(finished, 'receipt.json'), join(copy, 'receipt.json'));
        rmSync(finished, { recursive: true });
        cpSync(copy, folderOf(batchId), { recursive: true });
        return batchId;
      },
    ],
  ])('%s is not called a stranger’s, counts for nothing and is left as it lies', async (_, make) => {
    await bed.drop('a.pdf');
    const batchId = await make();
    const before = snapshot(folderOf(batchId));
    const other = await openWithOtherKey();
    await other.openBatches();
    const why = expect.stringMatching(bothKeys);
    const open = await other.openBatches();
    expect(open).toEqual([{ batchId, state: 'other-key', isProven: false, isStopped: false, why }]);
    expect(open.filter(isOnItsWay)).toEqual([]);
    expect(await other.adopt(batchId)).toBeUndefined();
    expect(snapshot(folderOf(batchId))).toEqual(before);
    expect(bed.logger.lines).toMatchObject([
      { event: 'batches-other-key', folders: 1, batchIds: [batchId], why },
    ]);
  });

  test('is told of with all others of its kind, once', async () => {
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf']) await claimOne(name);
    const other = await openWithOtherKey();
    make({});
    for (let turn = 0; turn < 3; turn += 1) await other.openBatches();
    expect(bed.logger.lines).toMatchObject([
      { level: 'warn', event: 'batches-not-ours', folders: 1, batchIds: [PLANTED] },
      { level: 'warn', event: 'batches-other-key', folders: 3 },
    ]);
  });

  test('though its claim is ours is one of ours that was spoilt', async () => {
    const batchId = await claimOne('a.pdf');
    const path = join(folderOf(batchId), 'batch.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), sealedBy: 'guessed' }));
    expect(await share.openBatches()).toMatchObject([{ batchId, state: 'ready', isProven: false }]);
    expect(bed.logger.lines).toEqual([]);
  });

  test('with a final receipt of another key is spoilt, too', async () => {
    const batchId = await claimOne('a.pdf');
    const receipt = sealReceipt(new Seals(OTHER_KEY), {
      version: 1,
      batchId,
      share: share.name,
      project: bed.config.project,
      manifestSha256: '',
      claimedAt: CLAIM.claimedAt,
      writtenAt: CLAIM.claimedAt,
      final: true,
      files: [],
    });
    writeFileSync(join(folderOf(batchId), 'receipt.json'), JSON.stringify(receipt));
    expect(await share.openBatches()).toMatchObject([{ batchId, state: 'settling', isProven: false }]);
  });
});

test('a copy of a batch that was finished counts for nothing', async () => {
  const batchId = await claimOne('a.pdf');
  cpSync(folderOf(batchId), join(bed.root, 'copy'), { recursive: true });
  await share.settleUp(batchId, [submitted(0)], { final: true });
  cpSync(join(bed.root, 'copy'), folderOf(batchId), { recursive: true });
  expect(await share.openBatches()).toMatchObject([{ batchId, state: 'not-ours' }]);
  expect(await bed.list(`.drawbridge/batches/${batchId}/files`)).toEqual(['a.pdf']);
});

test('a live batch that somebody copies to where finished ones are kept goes on to count', async () => {
  const batchId = await claimOne('a.pdf');
  const copy = join(bed.root, '.drawbridge/finished', batchId.slice(0, 6), batchId);
  cpSync(folderOf(batchId), copy, { recursive: true });
  expect(await countOnTheirWay()).toBe(1);
  writeFileSync(join(copy, 'receipt.json'), '{}');
  expect(await countOnTheirWay()).toBe(1);
});

test('what somebody puts into a batch that is just given back counts for nothing', async () => {
  const fs = createFaultyFs((operation, path) => {
    if (operation === 'removeFolder' && /batches\/[^/]+$/.test(String(path)))
      writeFileSync(join(String(path), 'hold.json'), '{}');
  });
  const other = await bed.open({ abandonedMs: 0 }, { fs });
  await bed.drop('a.pdf');
  const { batch } = await other.claim(['a.pdf']);
  changeClaim(batch!, DEAD);
  writeFileSync(join(batch!.paths.files, 'a.pdf'), 'another content');
  expect(await other.adopt(batch!.batchId)).toBeUndefined();
  expect(await share.openBatches()).toMatchObject([{ state: 'not-ours' }]);
  expect(await bed.list('drop')).toEqual(['a.pdf']);
});

describe('a folder that nothing lies in', () => {
  test.each([
    ['at all', []],
    ['but what a crash of ours leaves', ['.tmp-x', 'claim.json.lock']],
  ])('%s does not count, and is cleared away once nobody is at it', async (_, names) => {
    mkdirSync(planted);
    for (const name of names)
      if (name.endsWith('.lock')) mkdirSync(join(planted, name));
      else writeFileSync(join(planted, name), 'torn');
    expect(await share.openBatches()).toMatchObject([{ state: 'claiming', isProven: false }]);
    expect(await countOnTheirWay()).toBe(0);
    expect(await share.adopt(PLANTED)).toBeUndefined();
    expect(readdirSync(join(bed.root, '.drawbridge/batches'))).toEqual([]);
    expect(bed.logger.lines).toEqual([]);
  });
});

describe('a batch of ours', () => {
  test('counts from its first file on, wherever a crash cuts its claim, and is taken up', async () => {
    const whole = new DyingFs(Number.POSITIVE_INFINITY);
    await bed.open({}, { fs: whole.fs });
    for (let dieAt = whole.count + 1, isDead = true; isDead; dieAt += 1) {
      const dying = new DyingFs(dieAt);
      const mortal = await bed.open({}, { fs: dying.fs });
      const name = `${dieAt}.pdf`;
      await bed.drop(name);
      await mortal.claim([name]).catch(() => undefined);
      isDead = dying.isDead;
      if (!isDead) break;
      const open = await share.openBatches();
      const taken = (await bed.list('.drawbridge/batches')).filter(path => path.endsWith(`files/${name}`));
      expect(open.map(({ state }) => state)).toEqual(open.map(() => 'claiming'));
      expect(open.filter(isOnItsWay).length).toBeGreaterThanOrEqual(taken.length);
      await share.openBatches();
      for (const { batchId } of open) {
        const adopted = await share.adopt(batchId);
        expect(adopted?.manifest.files ?? []).toHaveLength(taken.length);
        if (adopted !== undefined) await share.settleUp(batchId, [submitted(0)], { final: true });
      }
      expect(await share.openBatches()).toEqual([]);
    }
  });

  test('goes on to count when its claim is torn, and is taken up by what it had noted', async () => {
    await bed.drop('a.pdf');
    const { batch } = await share.claim(['a.pdf']);
    writeFileSync(batch!.paths.claim, '{"version":');
    expect(await countOnTheirWay()).toBe(1);
    await share.openBatches();
    expect(await share.adopt(batch!.batchId)).toMatchObject({ manifest: { files: [{ path: 'a.pdf' }] } });
  });

  test('gives its files back when what its claim had noted was written over with another key', async () => {
    await bed.drop('a.pdf');
    const { batch } = await share.claim(['a.pdf']);
    changeClaim(batch!, DEAD);
    const noted = JSON.parse(readFileSync(batch!.paths.wanted, 'utf8'));
    writeFileSync(batch!.paths.wanted, JSON.stringify({ ...noted, ...BY_GUESS }));
    expect(await share.adopt(batch!.batchId)).toBeUndefined();
    expect(await bed.list('drop')).toEqual(['a.pdf']);
    expect(await share.openBatches()).toEqual([]);
  });

  test.each([
    ['manifest', 'batch.json', 'ready'],
    ['final receipt', 'receipt.json', 'settling'],
  ])('holds nobody up once its %s is not as it was written, and is no stranger’s', async (_, name, state) => {
    const batchId = await claimOne('a.pdf');
    expect(await countOnTheirWay()).toBe(1);
    writeFileSync(join(folderOf(batchId), name), '{}');
    expect(await share.openBatches()).toMatchObject([{ batchId, state, isProven: false }]);
    expect(await countOnTheirWay()).toBe(0);
    expect(bed.logger.lines).toEqual([]);
  });

  test('for another project than the share’s counts', async () => {
    await claimOne('a.pdf');
    share = await bed.open({ project: { companyId: '1', projectId: '9' } });
    expect(await countOnTheirWay()).toBe(1);
  });

  test('is read once, however often the open ones are counted', async () => {
    const batchId = await claimOne('a.pdf');
    const read: string[] = [];
    const fs = createFaultyFs((operation, path) => void (operation === 'read' && read.push(String(path))));
    const other = await bed.open({}, { fs });
    for (let turn = 0; turn < 3; turn += 1) await other.openBatches();
    expect(read.filter(path => path === join(folderOf(batchId), 'batch.json'))).toHaveLength(1);
  });
});

test.each(['EBUSY', 'EACCES'])('one folder that says %s keeps nobody from seeing the others', async code => {
  const [locked, open] = [await claimOne('a.pdf'), await claimOne('b.pdf')];
  const fs = createFaultyFs((operation, path) => {
    const isLocked = code === 'EACCES' ? operation === 'look' : operation === 'read';
    if (isLocked && String(path) === join(folderOf(locked), 'batch.json')) throw fsError(code);
  });
  const other = await bed.open({}, { fs });
  const states = new Map((await other.openBatches()).map(({ batchId, state }) => [batchId, state]));
  expect([states.get(locked), states.get(open)]).toEqual(['unreadable', 'ready']);
  expect(bed.logger.lines).toEqual([]);
});
