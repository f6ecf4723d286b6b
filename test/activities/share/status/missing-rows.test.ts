// Rows of a job's register whose files have not come, on the page of the job and in its receipt.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DropEntry } from '../../../../activities/share/drop/scan-drop';
import type { JobRecord } from '../../../../activities/share/jobs/job-record';
import type { Share } from '../../../../activities/share/share';
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

const read = () => readPage(bed);

/** As the watcher does when the wait for what is listed has run out. */
async function begin(): Promise<JobRecord> {
  await bed.drop('A/register.csv', 'File,Number\n1.pdf,N-1\n2,N-2\nlate.pdf,N-3\n<gone>.pdf,N-4\n');
  for (const name of ['1.pdf', '2.pdf']) await bed.drop(`A/${name}`);
  const entries: DropEntry[] = [];
  for await (const name of share.scan()) entries.push(...[(await share.look(name)) ?? []].flat());
  const begunWith = await share.readRegister('A', entries);
  if (begunWith === undefined) throw new Error('the register cannot be read');
  return await share.openJob('A', begunWith);
}

async function carry(job: JobRecord, ...paths: readonly string[]): Promise<string> {
  const { batch } = await share.claim(paths, { job });
  const sealed = await share.writeManifest(batch!);
  if (sealed.batchId === undefined) throw new Error('nothing was sealed');
  return sealed.batchId;
}

const write = async (...inLine: readonly string[]) => share.writeStatus({ inLine: () => inLine });

test('are named from when the wait is over, and count once nothing more can come', async () => {
  const job = await begin();
  await write('A/1.pdf', 'A/2.pdf');
  expect(await read()).toContain('0 of 2 are through. 2 are in line.');
  expect(await read()).toMatch(/Not there 2 The register lists these .* late\.pdf &lt;gone&gt;\.pdf/);
  const one = await carry(job, 'A/1.pdf', 'A/2.pdf', 'A/register.csv');
  await bed.drop('A/late.pdf');
  await write('A/late.pdf');
  expect(await read()).toMatch(/2 are on the way; 1 is in line.* Not there 1 .* &lt;gone&gt;\.pdf/);
  const two = await carry(job, 'A/late.pdf');
  await share.closeJob(job);
  await write();
  expect(await read()).toContain('0 of 4 are through. 1 is set apart; 3 are on the way.');
  expect(await read()).toMatch(/Set apart 1 Listed, not there: .* row 5 &lt;gone&gt;\.pdf/);
  expect(await read()).not.toContain('Not there 1');
  await share.settleUp(one, [submitted(0), submitted(1)], { final: true });
  await write();
  expect(await read()).toContain('2 of 4 are through. 1 is set apart; 1 is on the way.');
  await share.settleUp(two, [submitted(0)], { final: true });
  // The receipt has the same sum.
  expect((await bed.read('done/A/receipt-register.csv')).match(/"outcome":"set-apart"/g)).toHaveLength(1);
});

test('are named again as soon as the sheet that the job keeps is whole again', async () => {
  const job = await begin();
  const kept = join(bed.root, '.drawbridge/jobs', job.jobId, `sheet-${job.register?.sha256}`);
  const whole = await readFile(kept);
  // Another process reads it first: this one has it in mind since the job was begun.
  const other = await bed.open();
  await writeFile(kept, 'spoilt');
  const seen = async () => {
    await other.writeStatus({ inLine: () => ['A/1.pdf', 'A/2.pdf'] });
    return await read();
  };
  expect(await seen()).not.toContain('late.pdf');
  await writeFile(kept, whole);
  expect(await seen()).toMatch(/Not there 2 .* late\.pdf &lt;gone&gt;\.pdf/);
});

test('are none while their files are between the drop folder and a batch', async () => {
  const job = await begin();
  await share.claim(['A/1.pdf', 'A/2.pdf'], { job });
  await share.closeJob(job);
  await write();
  expect(await read()).toMatch(/Not there 2 .* late\.pdf &lt;gone&gt;\.pdf/);
  expect(await read()).not.toContain('1.pdf');
});

test('are none while their files lie in a batch that is not sealed yet', async () => {
  const job = await begin();
  await bed.drop('A/late.pdf');
  await share.claim(['A/1.pdf', 'A/2.pdf', 'A/late.pdf'], { job });
  await write();
  expect(await read()).toMatch(/Not there 1 The register lists these .* &lt;gone&gt;\.pdf/);
  expect(await read()).not.toContain('late.pdf');
});

test.each([
  ['was changed', /"sha256": "[0-9a-f]/, '"sha256": "x'],
  ['has another seal', /"seal": "[^"]+"/, `"seal": "${'0'.repeat(64)}"`],
  ['is of another key', /"sealedBy": "[^"]+"/, '"sealedBy": "another"'],
])('are not told of while files may lie in a batch whose manifest %s', async (_, what, other) => {
  const job = await begin();
  await bed.drop('A/late.pdf');
  const batchId = await carry(job, 'A/1.pdf', 'A/2.pdf', 'A/late.pdf', 'A/register.csv');
  const manifest = join(bed.root, '.drawbridge/batches', batchId, 'batch.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(what, other));
  await write();
  expect(await read()).not.toMatch(/late\.pdf|gone/);
  await share.closeJob(job);
  await write();
  expect(await read()).toContain('What is in it cannot be read.');
  expect(await read()).not.toMatch(/Set apart 1|1\.pdf|late\.pdf|gone/);
});
