// Files that no row is about, on a share that leaves such files in the drop folder.
import { mkdir } from 'node:fs/promises';
import { systemClock } from '../../../../activities/host/clock';
import type { DropEntry } from '../../../../activities/share/drop/scan-drop';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, fsError } from '../faulty-fs';
import { createTestBed, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;

// A thread for each receipt takes a second. What it writes is tested where it is made.
jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: unknown) => Buffer.from(JSON.stringify(task)),
}));

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

const leaving = () => bed.open({ register: { leavesUnlisted: true } });
const REGISTER = 'A/register.csv';
const drop = async (...names: readonly string[]) => {
  for (const name of names) await bed.drop(`A/${name}`);
};

async function entriesIn(share: Share): Promise<DropEntry[]> {
  const entries: DropEntry[] = [];
  for await (const name of share.scan({ under: 'A' })) {
    const entry = await share.look(name);
    if (entry !== undefined) entries.push(entry);
  }
  return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
}

const staying = async (share: Share) => await share.leaveUnlisted('A', await entriesIn(share));

/** One batch of the folder's job, of all that does not stay. */
async function carry(share: Share) {
  const stay = await staying(share);
  const entries = (await entriesIn(share)).filter(({ path }) => !stay.includes(path));
  const job = await share.openJob('A', (await share.readRegister('A', entries))!);
  const { batch } = await share.claim(entries, { job });
  const sealed = batch && (await share.writeManifest(batch));
  if (sealed?.batchId === undefined) throw new Error('nothing was sealed');
  return { job, ...sealed };
}

test('stay for every host, with the register and after it; its late files do not', async () => {
  await bed.drop(REGISTER, 'File,Number\n1.pdf,N-1\nlate.pdf,N-2\n');
  await drop('1.pdf', 'x.pdf');
  const share = await leaving();
  expect(await staying(await bed.open())).toEqual([]);
  expect(await staying(share)).toEqual(['A/x.pdf']);
  await carry(share);
  await drop('late.pdf', 'y.pdf');
  expect(await staying(await leaving())).toEqual(['A/x.pdf', 'A/y.pdf']);
});

test('keep no job from its end, are named in its receipts, and stay after that', async () => {
  await bed.drop(REGISTER, 'File,Number\n1.pdf,N-1\n');
  await drop('1.pdf', 'sub/x.pdf');
  const share = await leaving();
  const { job, batchId } = await carry(share);
  expect(await share.closeJob(job)).toMatchObject({ stayed: ['sub/x.pdf'] });
  await share.settleUp(batchId, [submitted(0)], { final: true });
  expect(JSON.parse(await bed.read('done/A/receipt.json'))).toMatchObject({
    left: ['sub/x.pdf'],
    leftInAll: 1,
  });
  expect(await bed.read('done/A/receipt.csv')).toContain('x.pdf,sub,left,');
  expect(await bed.read('done/A/receipt-register.csv')).toContain('"left":["sub/x.pdf"]');
  expect(await bed.list('drop')).toEqual(['A/sub/x.pdf']);
  expect(await staying(await leaving())).toEqual(['A/sub/x.pdf']);
});

test('go when a register that lists them comes', async () => {
  await bed.drop(REGISTER, 'File,Number\n1.pdf,N-1\n');
  await drop('1.pdf', 'x.pdf', 'y.pdf');
  const share = await leaving();
  const first = await carry(share);
  await share.closeJob(first.job);
  await bed.drop('A/register 2.csv', 'File,Number\nx.pdf,N-2\n');
  const second = await carry(share);
  expect(second.job.place).not.toBe(first.job.place);
  expect(second.manifest.files.map(({ path }) => path)).toEqual(['A/x.pdf']);
  expect(await staying(share)).toEqual(['A/y.pdf']);
});

test('stay beside a register that cannot be used, which is told of by itself', async () => {
  await bed.drop(REGISTER, 'File,Number\n1.pdf,N-1\n');
  await drop('1.pdf', 'x.pdf');
  const share = await leaving();
  const { job } = await carry(share);
  await share.closeJob(job);
  await bed.drop('A/register 2.csv', 'Number\nN-2\n');
  expect(await staying(share)).toEqual(['A/x.pdf']);
});

test('what has the name of one that went away is nothing that stays', async () => {
  await bed.drop(REGISTER, 'File,Number\n1.pdf,N-1\n');
  await drop('1.pdf', 'x.pdf');
  const share = await leaving();
  const { job } = await carry(share);
  expect(await staying(share)).toEqual(['A/x.pdf']);
  await share.claim(['A/x.pdf']);
  await share.closeJob(job);
  await drop('x.pdf');
  expect(await staying(share)).toEqual([]);
});

test('a file that changed on the share what was noted says nothing of what stays', async () => {
  await bed.drop(REGISTER, 'File,Number\n1.pdf,N-1\n');
  await drop('1.pdf', 'x.pdf');
  const share = await leaving();
  const { job } = await carry(share);
  await share.closeJob(job);
  const [note] = await bed.list('.drawbridge/left');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(`${bed.root}/.drawbridge/left/${note}`, '{"version":1,"paths":["x.pdf"]}');
  expect(await staying(share)).toEqual([]);
});

test('are not guessed while the record of the job, and so its register, cannot be opened', async () => {
  await bed.drop(REGISTER, 'File,Number\n1.pdf,N-1\nlate.pdf,N-2\n');
  await drop('1.pdf');
  // The share has a clock of its own; as the plain place is taken, the job's has the day in its name.
  const clock = { ...systemClock, wallMs: () => Date.parse('2020-01-31T09:30:00Z') };
  await mkdir(`${bed.root}/attention/A`, { recursive: true });
  await carry(await bed.open({ register: { leavesUnlisted: true } }, { clock }));
  await drop('late.pdf', 'y.pdf');
  const fs = createFaultyFs((operation, path) => {
    if (operation === 'read' && String(path).endsWith('job.json')) throw fsError('EBUSY');
  });
  const refused = await bed.open({ register: { leavesUnlisted: true } }, { clock, fs });
  await expect(staying(refused)).rejects.toMatchObject({ code: 'unreadable-now' });
});
