// The status files of jobs on a real share: what they count, when they go, and what neighbours may plant
// there.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, fsError } from '../faulty-fs';
import { createTestBed, submitted, type TestBed } from '../share-test-bed';
import { readPage } from './page-text';

jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: unknown) => Buffer.from(JSON.stringify(task)),
}));

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
});
afterEach(async () => {
  await bed.remove();
});

const at = (...parts: string[]) => join(bed.root, ...parts);
const PAGE = 'status/A.html';
const read = () => readPage(bed);

async function carry(...names: readonly string[]): Promise<string> {
  for (const name of names) await bed.drop(`A/${name}`);
  const job = await share.openJob('A');
  const { batch } = await share.claim(
    names.map(name => `A/${name}`),
    { job },
  );
  const sealed = await share.writeManifest(batch!);
  if (sealed.batchId === undefined) throw new Error('nothing was sealed');
  return sealed.batchId;
}

const REASON = { code: 'x', text: 'Status is <missing>.', fix: 'Give one.' };
const NOTHING_SEEN = { inLine: () => [] };
const inLine = (count: number) => Array.from({ length: count }, (_, at) => `A/in-line-${at}.pdf`);

test('counts add up, from the drop folder to the receipt, and the page goes with it', async () => {
  const one = await carry('1.pdf', '2.pdf');
  await share.writeStatus({ inLine: top => inLine(top === 'A' ? 3 : 0) });
  expect(await read()).toContain('0 of 5 are through. 2 are on the way; 3 are in line.');
  await share.settleUp(one, [submitted(0)], { final: false, held: [{ index: 1, reason: REASON }] });
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toContain('1 of 2 is through. 1 is held and waits for you. It ends when');
  expect(await read()).toMatch(/Status is &lt;missing&gt;\. Give one\. .*2\.pdf/);
  for (const { record } of await share.openJobs()) await share.closeJob(record);
  await share.settleUp(one, [submitted(1)], { final: true });
  expect(existsSync(at('status'))).toBe(false);
  expect(await bed.list('done/A')).toContain('receipt.csv');
});

test('tells each document as soon as its outcome is noted, while the others of its batch are on their way', async () => {
  const batchId = await carry('1.pdf', '2.pdf', '3.pdf');
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(1)] });
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toContain('1 of 3 is through. 2 are on the way.');
  await share.settleUp(batchId, [], { final: false, held: [{ index: 0, reason: REASON }] });
  const setApart = { kind: 'set-apart', index: 2, reason: { ...REASON, text: 'It is <gone>.' } } as const;
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [setApart] });
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toContain('1 of 3 is through. 1 is held and waits for you; 1 is set apart.');
  expect(await read()).toMatch(/It is &lt;gone&gt;\. Give one\. 3\.pdf/);
});

test('tells since when a document is held for what it is held for', async () => {
  let nowMs = Date.UTC(2026, 3, 3, 9, 0);
  share = await bed.open(
    { timeZone: 'Europe/Berlin' },
    { clock: { wallMs: () => nowMs, monotonicMs: () => nowMs } },
  );
  const batchId = await carry('1.pdf', '2.pdf');
  const hold = async (atMs: number, ...texts: readonly string[]) => {
    nowMs = atMs;
    const held = texts.map((text, index) => ({ index, reason: { ...REASON, text } }));
    await share.settleUp(batchId, [], { final: false, held });
    await share.writeStatus(NOTHING_SEEN);
  };
  await hold(Date.UTC(2026, 3, 3, 9, 14), 'One.');
  expect(await read()).toMatch(/Held 1 since 11:14 One\. Give one\. 1\.pdf/);
  await hold(Date.UTC(2026, 3, 3, 9, 30), 'One.', 'One.');
  expect(await read()).toMatch(/Held 2 One\. Give one\. 1\.pdf since 11:14 2\.pdf since 11:30/);
  // Another question is another wait; on another day the day is told.
  await hold(Date.UTC(2026, 3, 4, 6, 0), 'One.', 'Two.');
  expect(await read()).toMatch(/Held 1 since 3 Apr 2026, 11:14 One\..*Held 1 since 08:00 Two\./);
});

const WAITING = {
  top: 'A',
  files: 2,
  register: 'A/register.csv',
  missing: ['3.pdf', '<4>.pdf'],
  since: '2026-04-03T09:00:00Z',
  until: '2026-04-03T09:10:00Z',
};

test('of a folder that waits for what its register lists, says what, and until when; then it is the job’s', async () => {
  await share.writeStatus({ ...NOTHING_SEEN, waiting: [WAITING] });
  const page = await read();
  expect(page).toContain(
    '0 of 2 are through. 2 are in line. It goes when all that its register lists is there',
  );
  expect(page).toMatch(/Not there yet 2 .* 3\.pdf &lt;4&gt;\.pdf/);
  const before = await readFile(at(PAGE), 'utf8');
  await share.writeStatus({ ...NOTHING_SEEN, waiting: [WAITING] });
  expect(await readFile(at(PAGE), 'utf8')).toBe(before);
  await carry('1.pdf');
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toContain('1 is on the way.');
});

test('of a folder that waits no more goes, whoever has written it', async () => {
  await share.writeStatus({ ...NOTHING_SEEN, waiting: [WAITING] });
  await (await bed.open()).writeStatus(NOTHING_SEEN);
  expect(existsSync(at(PAGE))).toBe(false);
});

test('tells what is away while documents are on the way, and not after that', async () => {
  const batchId = await carry('1.pdf');
  const asked: string[][] = [];
  const outagesOf = async (_job: string, ids: readonly string[]) => {
    asked.push([...ids]);
    return [{ what: 'api', since: '2026-04-03T09:00:00Z' }] as const;
  };
  await share.writeStatus({ ...NOTHING_SEEN, outagesOf });
  expect(await read()).toMatch(/The service is away since 3 Apr 2026, .* goes on by itself\./);
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  await share.writeStatus({ ...NOTHING_SEEN, outagesOf });
  expect(await read()).not.toContain('away');
  expect(asked).toEqual([[batchId]]);
});

test('what was answered is on the way by that answer, and waits for nobody', async () => {
  const batchId = await carry('1.pdf', '2.pdf');
  const held = [{ index: 1, reason: { code: 'missing', text: 'Status is missing.', fix: 'Give one.' } }];
  await share.settleUp(batchId, [submitted(0)], { final: false, held });
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toMatch(/1 is held and waits for you\. It ends when the held ones are answered\./);
  const reason = { code: 'answered', text: 'Answered by Maria: Status = A4.', fix: '' };
  await share.settleUp(batchId, [submitted(0)], {
    final: false,
    held: [],
    goingOn: [{ index: 1, reason }],
  });
  await share.writeStatus(NOTHING_SEEN);
  const page = await read();
  expect(page).toMatch(/1 of 2 is through\. 1 is on the way\./);
  expect(page).toMatch(/On the way 1 Answered by Maria: Status = A4\. 2\.pdf/);
  expect(page).not.toMatch(/held|Held/);
});

test('names what stays in the drop folder', async () => {
  share = await bed.open({ register: { leavesUnlisted: true } });
  await bed.drop('A/register.csv', 'File,Number\n1.pdf,N-1\n');
  await bed.drop('A/x.pdf');
  await bed.drop('A/1.pdf');
  const entries = await Promise.all(
    ['1.pdf', 'register.csv', 'x.pdf'].map(name => share.look({ path: `A/${name}` })),
  );
  await share.leaveUnlisted(
    'A',
    entries.flatMap(entry => entry ?? []),
  );
  await carry('1.pdf', 'register.csv');
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toMatch(/Left in drop 1 .* x\.pdf/);
  // A job may wait for answers long after it was closed: those files lie there all the same.
  for (const { record } of await share.openJobs()) expect(await share.closeJob(record)).toBeDefined();
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toMatch(/Left in drop 1 .* x\.pdf/);
});

test('times are those of the share, on the page and in the receipt', async () => {
  share = await bed.open({ timeZone: 'Pacific/Auckland' });
  const batchId = await carry('1.pdf');
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toContain('times of Pacific/Auckland');
  const [job] = await share.openJobs();
  await share.closeJob(job!.record);
  await share.settleUp(batchId, [submitted(0)], { final: true });
  expect(await bed.read('done/A/receipt.xlsx')).toContain('"zone":"Pacific/Auckland"');
});

test('is not written again while there is nothing new to say', async () => {
  await carry('1.pdf');
  await share.writeStatus(NOTHING_SEEN);
  const before = await readFile(at(PAGE), 'utf8');
  await rename(at(PAGE), at('status/elsewhere'));
  await share.writeStatus(NOTHING_SEEN);
  expect(await readdir(at('status'))).toEqual(['elsewhere']);
  await share.writeStatus({ inLine: () => inLine(1) });
  expect(await readFile(at(PAGE), 'utf8')).not.toBe(before);
});

test('another process goes on with it, and sweeps what a crash has left', async () => {
  const one = await carry('1.pdf');
  await share.writeStatus(NOTHING_SEEN);
  const left = await readFile(at(PAGE));
  const other = await bed.open();
  await other.writeStatus({ inLine: () => inLine(1) });
  expect(await read()).toContain('0 of 2 are through.');
  for (const { record } of await share.openJobs()) await share.closeJob(record);
  await share.settleUp(one, [submitted(0)], { final: true });
  await mkdir(at('status'));
  await writeFile(at(PAGE), left);
  await other.writeStatus(NOTHING_SEEN);
  expect(existsSync(at('status'))).toBe(false);
});

test('what is not ours stays: a file of that name, a page that was changed, a link', async () => {
  const one = await carry('1.pdf');
  await mkdir(at('status'));
  await writeFile(at('secret'), 'theirs');
  await symlink(at('secret'), at(PAGE));
  await share.writeStatus(NOTHING_SEEN);
  expect(await readFile(at('secret'), 'utf8')).toBe('theirs');
  await rename(at(PAGE), at('moved'));
  await share.writeStatus(NOTHING_SEEN);
  await writeFile(at(PAGE), (await readFile(at(PAGE), 'utf8')).replace('<h1>', '<h1>Changed '));
  await share.writeStatus({ inLine: () => inLine(7) });
  expect(await read()).toContain('Changed');
  for (const { record } of await share.openJobs()) await share.closeJob(record);
  await share.settleUp(one, [submitted(0)], { final: true });
  await share.writeStatus(NOTHING_SEEN);
  expect(await read()).toContain('Changed');
});

test('a link in the place of its folder is not followed', async () => {
  const one = await carry('1.pdf');
  await mkdir(at('elsewhere'));
  await symlink(at('elsewhere'), at('status'));
  await share.writeStatus(NOTHING_SEEN);
  for (const { record } of await share.openJobs()) await share.closeJob(record);
  await share.settleUp(one, [submitted(0)], { final: true });
  await share.writeStatus(NOTHING_SEEN);
  expect(await readdir(at('elsewhere'))).toEqual([]);
});

test('what cannot be read of one job keeps no other from its page', async () => {
  const one = await carry('1.pdf');
  await bed.drop('B/2.pdf');
  const { batch } = await share.claim(['B/2.pdf'], { job: await share.openJob('B') });
  await share.writeManifest(batch!);
  const fs = createFaultyFs((_, path) => {
    if (JSON.stringify(path).includes(one)) throw fsError('EACCES');
  });
  await expect((await bed.open({}, { fs })).writeStatus(NOTHING_SEEN)).rejects.toMatchObject({
    code: 'share-away',
  });
  expect(existsSync(at(PAGE))).toBe(false);
  expect(await readPage(bed, 'B')).toContain('0 of 1 are through.');
});

test('of a job whose only batch is spoilt nothing is told that nobody has seen', async () => {
  const batchId = await carry('1.pdf', '2.pdf');
  for (const { record } of await share.openJobs()) await share.closeJob(record);
  await writeFile(at('.drawbridge/batches', batchId, 'batch.json'), '{}');
  await share.writeStatus(NOTHING_SEEN);
  const page = await read();
  expect(page).toContain('What is in it cannot be read. When it ends is not known yet.');
  expect(page).toContain('One batch of it cannot be read: its files are not counted here.');
  expect(page).not.toContain('There is no document in it');
});

test('a page that cannot be read is not ours, but a bug in reading it is not hidden', async () => {
  await carry('1.pdf');
  await share.writeStatus(NOTHING_SEEN);
  let thrown: Error = new TypeError('text is undefined');
  const fs = createFaultyFs((operation, path) => {
    if (operation === 'read' && String(path).endsWith('A.html')) throw thrown;
  });
  const failing = await bed.open({}, { fs });
  const write = async () => await failing.writeStatus({ inLine: () => inLine(1) });
  await expect(write()).rejects.toThrow('text is undefined');
  thrown = fsError('EACCES');
  await write();
  expect(await read()).not.toContain('in line');
});
