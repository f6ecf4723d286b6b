// What was set apart, told from a real share, and brought back through the page's own server.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../../activities/share/share';
import { createApart } from '../../../../client/console/apart/apart';
import { ApartFiles } from '../../../../client/console/apart/apart-listing';
import type {
  AgainTold,
  ApartColumns,
  ApartPage,
  GivenSheetTold,
} from '../../../../client/console/contract/apart';
import type { Topic } from '../../../../client/console/contract/session';
import type { Access } from '../../../../client/console/serve/access';
import type { ConsoleDeps, Person } from '../../../../client/console/serve/module';
import { verifyProof } from '../../../../client/proof/verify-proof';
import { createFaultyFs, fsError } from '../../../activities/share/faulty-fs';
import {
  beginJob,
  createSheetBed,
  finishJob,
  listDrop,
} from '../../../activities/share/receipt/sheet-test-bed';
import { claimAll, type TestBed } from '../../../activities/share/share-test-bed';
import { openServer, type ServerBed } from '../serve/server-bed';

let bed: TestBed;
let share: Share;
let server: ServerBed;
let nowMs = Date.now();
let said: object[] = [];
let changed: Topic[] = [];

const REGISTER = 'File,Document No,Rev,Type\n1.pdf,N-1,P1,Plan\n2.pdf,N-2,P1,Plam\nsub/3.pdf,N-3,P2,Plam\n';

const CURE = expect.stringMatching(/^Mend it\. A file that is dropped again needs a register that lists it/);

beforeEach(async () => {
  [said, changed] = [[], []];
  await begin('x');
});
afterEach(end);

async function begin(code: string): Promise<void> {
  bed = await createSheetBed();
  share = await bed.open();
  await bed.drop('A/register.csv', REGISTER);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
  await finishJob(share, ['1.pdf'], code);
  server = await openServer({ modules: [createApart(depsOf())], shares: () => ['tender'] });
}

async function end(): Promise<void> {
  await server.close();
  await bed.remove();
}

function depsOf(): ConsoleDeps {
  return {
    config: { stateDir: bed.root },
    shares: () => [{ config: share.config, share, why: undefined }],
    logger: { info: (fields: object) => void said.push(fields) },
    changed: (topics: readonly Topic[]) => void changed.push(...topics),
    // Each look is a new one.
    now: () => {
      nowMs += 60_000;
      return new Date(nowMs);
    },
  } as unknown as ConsoleDeps;
}
async function look(): Promise<ApartPage> {
  return (await (await server.ask('/api/apart')).json()) as ApartPage;
}

async function again(documents: readonly object[], rest: object = { dryRun: false }): Promise<AgainTold> {
  const answer = await server.ask('/api/try-again', { json: { documents, ...rest } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as AgainTold;
}

test('tells each document with its reason, its job and its row, and brings it back with its row', async () => {
  const page = await look();
  expect(page).toMatchObject({
    count: 2,
    unread: [],
    groups: [{ code: 'x', title: 'The service refused it', cure: CURE, rows: 2, stands: null }],
    rows: [
      { jobName: 'A', file: '2.pdf', row: 3, number: 'N-2', revision: 'P1', isSafe: false, isJob: true },
      { jobName: 'A', file: 'sub/3.pdf', row: 4, number: 'N-3', revision: 'P2' },
    ],
  });
  const [first] = page.rows;
  const { job, batchId, index } = first!;
  const type = { name: 'type', label: 'Type', type: 'lov_entry', isPeople: false, required: false };
  await share.putFields([{ ...type, requiredByType: [], requiredByFields: [], values: [] }]);
  const columns = (await (await server.ask(`/api/apart/columns/tender/${job}`)).json()) as ApartColumns;
  expect(columns).toMatchObject({
    headers: ['File', 'Document No', 'Rev', 'Type'],
    fields: [null, null, null, 'type'],
    fileAt: 0,
    rows: [{ cells: ['2.pdf', 'N-2', 'P1', 'Plam'] }, {}],
  });
  const document = { share: 'tender', batchId, index };
  // Nobody knows the reason: it is looked at first, unless somebody says that they have.
  expect(await again([document], { dryRun: true })).toEqual({
    goes: 0,
    comesBack: [],
    lookFirst: 1,
    stays: [],
  });
  expect(await again([document])).toMatchObject({ goes: 0, lookFirst: 1 });
  expect(await bed.list('drop')).toEqual([]);
  const corrected = { ...document, values: { Type: 'Plan' } };
  expect(await again([corrected], { dryRun: true, hasLooked: true })).toMatchObject({ goes: 1 });
  expect(await bed.list('drop')).toEqual([]);
  expect(await again([corrected], { dryRun: false, hasLooked: true })).toEqual({
    goes: 1,
    comesBack: [],
    lookFirst: 0,
    stays: [],
  });
  expect(await bed.read('drop/A/register.csv')).toBe('File,Document No,Rev,Type\n2.pdf,N-2,P1,Plan\n');
  expect(await look()).toMatchObject({ count: 1, rows: [{ file: 'sub/3.pdf' }] });
  expect(said).toContainEqual(
    expect.objectContaining({ event: 'console-try-again', by: 'A. Novák', goes: 1 }),
  );
  expect(changed).toContain('apart');
  // A second person, who still sees it.
  expect(await again([document], { dryRun: false, hasLooked: true })).toMatchObject({
    goes: 0,
    stays: [expect.stringContaining('somebody took it up')],
  });
});

test('a row that waits with what was said of it is not sent again without that, and whoever asks is told', async () => {
  await bed.drop('A/other.pdf');
  const [first] = (await look()).rows;
  const document = { share: 'tender', batchId: first!.batchId, index: first!.index };
  const how = { dryRun: false, hasLooked: true };
  expect(await again([{ ...document, values: { Type: 'Plan' } }], how)).toMatchObject({
    goes: 0,
    stays: [
      '"A/2.pdf" waits to be brought to the drop folder: something else is in the drop folder under A.',
    ],
  });
  expect(await again([document], how)).toMatchObject({
    goes: 0,
    stays: [
      '"A/2.pdf" waits to be brought to the drop folder: what was asked for before is still on its way, and nothing else goes beside it (What A. Novák sent again).',
    ],
  });
  await rm(join(bed.root, 'drop/A'), { recursive: true });
  expect(await share.takeUpCorrections()).toMatchObject([{ kind: 'taken', rows: 1 }]);
  expect(await bed.read('drop/A/register.csv')).toBe('File,Document No,Rev,Type\n2.pdf,N-2,P1,Plan\n');
});

test('of several that wait without a register it is told how many, and for what, once', async () => {
  const names = ['4.pdf', '5.pdf'];
  for (const name of names) await bed.drop(`A/${name}`);
  await finishJob(share, []);
  await bed.drop('A/other.pdf');
  const rows = (await look()).rows.filter(({ file }) => names.includes(file));
  const documents = rows.map(({ batchId, index }) => ({ share: 'tender', batchId, index }));
  const how = { dryRun: false, hasLooked: true };
  const asked = documents.map(document => ({ ...document, values: { Type: 'Plan' } }));
  const goes = 'wait to be brought to the drop folder';
  expect((await again(asked, how)).stays).toEqual([
    `2 ${goes}: something else is in the drop folder under A.`,
  ]);
  expect((await again(documents, how)).stays).toEqual([
    `2 ${goes}: what was asked for before is still on its way, and nothing else goes beside it (What A. Novák sent again).`,
  ]);
});

test('a folder that came a second time is called as in the list of jobs, and where its files lie', async () => {
  await bed.drop('A/register.csv', REGISTER);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`, 'once more');
  await finishJob(share, ['1.pdf']);
  const { rows } = await look();
  const names = [...new Set(rows.map(({ jobName }) => jobName))];
  expect(names).toHaveLength(2);
  const lying = await bed.list('attention');
  for (const name of names) expect(lying).toContain(`${name}/2.pdf`);
});

test('a usual word beside the column that it usually means is shown as no field, as nothing of it is sent', async () => {
  await bed.drop('A/register.csv', 'File,Number,Rev,Revision\n4.pdf,N-4,x,P4\n');
  await bed.drop('A/4.pdf');
  await finishJob(share, []);
  const { job, revision } = (await look()).rows.find(({ file }) => file === '4.pdf')!;
  expect(revision).toBe('P4');
  const columns = (await (await server.ask(`/api/apart/columns/tender/${job}`)).json()) as ApartColumns;
  expect(columns.fields).toEqual([null, 'number', null, 'revision']);
});

test('what headers mean on a share is worked out once, for all of its rows and all who look', async () => {
  const { register } = share.config.policy;
  let read = 0;
  const counted = {
    ...register,
    get synonyms() {
      read += 1;
      return register?.synonyms ?? {};
    },
  };
  const seen = {
    ...share,
    config: { ...share.config, policy: { ...share.config.policy, register: counted } },
  } as unknown as Share;
  const { handlers } = createApart({
    ...depsOf(),
    shares: () => [{ config: seen.config, share: seen, why: undefined }],
  });
  const asked = { params: undefined, query: undefined, body: undefined };
  const person: Person = { id: 'Maria', name: 'Maria', may: () => true };
  for (let times = 0; times < 2; times += 1)
    expect((await handlers['GET /api/apart'](asked, person)).rows).toHaveLength(2);
  expect(read).toBe(1);
});

/** The share, and how often it was asked what lies set apart. */
function countLooks() {
  const looked = { times: 0 };
  const seen: Share = {
    ...share,
    setApart: async () => {
      looked.times += 1;
      return await share.setApart();
    },
  };
  return { looked, shares: () => [{ config: share.config, share: seen, why: undefined }] };
}

test('what was counted before news came is not told after it, and one look serves all who ask then', async () => {
  const { looked, shares } = countLooks();
  const still = {
    ...depsOf(),
    shares,
    now: () => new Date(nowMs),
  };
  const module = createApart(still);
  await server.close();
  server = await openServer({ modules: [module], shares: () => ['tender'] });
  const count = async () => (await (await server.ask('/api/apart/count')).json()) as object;
  expect(await count()).toEqual({ count: 2 });
  await bed.drop('loose.pdf');
  const { batchId } = await claimAll(share);
  const reason = { code: 'unknown-value', text: '"Plam" is none.', fix: 'Mend it.' };
  await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
  server.console.live.changed(['jobs']);
  looked.times = 0;
  const [one, other] = await Promise.all([count(), count()]);
  expect([one, other, await count()]).toEqual([{ count: 3 }, { count: 3 }, { count: 3 }]);
  expect(looked.times).toBe(1);
});

test('what a look finds otherwise is told, and is no reason to look again', async () => {
  const { looked, shares } = countLooks();
  const told: Topic[] = [];
  const files: ApartFiles = new ApartFiles({
    shares,
    now: () => new Date(nowMs),
    changed: topics => {
      told.push(...topics);
      files.forget();
    },
  });
  const { files: before } = await files.list();
  expect(told).toEqual([]);
  await rm(join(bed.root, 'attention', before[0]!.path));
  nowMs += 60_000;
  expect((await files.list()).files).toHaveLength(1);
  expect(told).toEqual(['apart', 'jobs']);
  expect((await files.countByJob(1_000))?.('tender', before[0]!.manifest!.job!.id)).toBe(1);
  expect(looked.times).toBe(2);
});

test('a file whose job could not be read is counted for that as soon as it can, and who shows it is told', async () => {
  const told: Topic[] = [];
  let isAway = true;
  const flaky: Share = {
    ...share,
    readBatch: async batchId => {
      if (isAway) throw new Error('EIO');
      return await share.readBatch(batchId);
    },
  };
  const files = new ApartFiles({
    shares: () => [{ config: share.config, share: flaky, why: undefined }],
    now: () => new Date(nowMs),
    changed: topics => void told.push(...topics),
  });
  expect(await files.countByJob(1_000)).toBeDefined();
  isAway = false;
  nowMs += 60_000;
  const [file] = (await files.list()).files;
  expect((await files.countByJob(1_000))?.('tender', file!.manifest!.job!.id)).toBe(2);
  expect(told).toEqual(['apart', 'jobs']);
});

test('a loose file goes back as it came, never over another; that the cause still stands is said before', async () => {
  await bed.drop('loose.pdf');
  const { batchId } = await claimAll(share);
  const reason = { code: 'unknown-value', text: '"Plam" is none.', fix: 'Mend it.' };
  await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
  const page = await look();
  expect(page.groups.map(({ title, rows }) => [title, rows])).toEqual([
    ['The service refused it', 2],
    ['A value is not one of this project', 1],
  ]);
  const row = page.rows.find(({ file }) => file === 'loose.pdf')!;
  expect(row).toMatchObject({ isSafe: true, isJob: false, row: null });
  const document = { share: 'tender', batchId, index: 0 };
  expect(await again([document], { dryRun: true })).toMatchObject({
    goes: 1,
    comesBack: [{ documents: 1, why: expect.stringContaining('it would come back') }],
  });
  await bed.drop('loose.pdf', 'another');
  expect(await again([document])).toMatchObject({
    goes: 0,
    stays: ['"loose.pdf" stays: the drop folder has a file of this name.'],
  });
  expect(await again([{ ...document, values: { Status: 'A4' } }])).toMatchObject({
    goes: 0,
    stays: [expect.stringContaining('files that came in a folder')],
  });
});

test('what went before trouble came is counted, and what the trouble keeps is named', async () => {
  const names = ['1.pdf', '2.pdf', '3.pdf'];
  for (const name of names) await bed.drop(name);
  const { batchId } = await claimAll(share);
  const reason = { code: 'unknown-value', text: '"Plam" is none.', fix: 'Mend it.' };
  const outcomes = names.map((_, index) => ({ index, kind: 'set-apart' as const, reason }));
  await share.settleUp(batchId, outcomes, { final: true });
  share = await bed.open(
    {},
    {
      fs: createFaultyFs((operation, from) => {
        if (/^(rename|link)/.test(operation) && String(from).endsWith('2.pdf')) throw fsError('EACCES');
      }),
    },
  );
  const documents = names.map((_, index) => ({ share: 'tender', batchId, index }));
  const asked = { params: undefined, query: undefined, body: { documents, dryRun: false, hasLooked: true } };
  const person: Person = { id: 'Maria', name: 'Maria', may: () => true };
  const told = await createApart(depsOf()).handlers['POST /api/try-again'](asked, person);
  expect(told).toMatchObject({ goes: 2, stays: [expect.stringContaining('"2.pdf"')] });
  expect(await bed.list('drop')).toEqual(['1.pdf', '3.pdf']);
});

test('the receipt goes out as a file, and comes back corrected', async () => {
  await end();
  await begin('unknown-value');
  const [{ job }] = (await look()).rows as [ApartPage['rows'][number]];
  const sheet = await server.ask(`/api/receipts/tender/${job}/sheet`);
  expect([
    ...['content-type', 'content-disposition', 'x-content-type-options'].map(name => sheet.headers.get(name)),
  ]).toEqual([
    'text/csv; charset=utf-8',
    `attachment; filename="receipt-register.csv"; filename*=UTF-8''receipt-register.csv`,
    'nosniff',
  ]);
  const text = (await sheet.text()).replaceAll('Plam', 'Plan');
  const given = await server.ask('/api/sheets/tender?name=my%20%E2%80%AEsheet.csv', {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/octet-stream' },
  });
  expect([given.status, (await given.json()) as GivenSheetTold]).toMatchObject([
    200,
    { jobName: 'A', taken: 2, told: [], waits: null, path: 'attention/A/dropped-sheet.csv' },
  ]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  // Once more, because the answer was lost.
  const before = await bed.list('drop');
  const same = await server.ask('/api/sheets/tender?name=sheet.csv', {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/octet-stream' },
  });
  expect(await same.json()).toMatchObject({ taken: 0, told: [expect.stringContaining('was read before')] });
  expect(await bed.list('drop')).toEqual(before);
  for (const [body, name] of [
    ['A,B\n1,2\n', 'mine.csv'],
    ['nothing', 'mine.xlsx'],
  ]) {
    const refused = await server.ask(`/api/sheets/tender?name=${name}`, {
      method: 'POST',
      body: body!,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { text: expect.stringMatching(/othing was taken/) },
    ]);
  }
  for (const place of ['..', '%2e%2e%2fA', '0'.repeat(20)])
    expect((await server.ask(`/api/receipts/tender/${place}/csv`)).status).toBe(404);
});

test('the proof of a job goes out as a file, the same each time, and is verified', async () => {
  const [{ job }] = (await look()).rows as [ApartPage['rows'][number]];
  const proofs = [
    await server.ask(`/api/proofs/tender/${job}`),
    await server.ask(`/api/proofs/tender/${job}`),
  ];
  const [one, other] = await Promise.all(proofs.map(async answer => Buffer.from(await answer.arrayBuffer())));
  expect(proofs[0]?.headers.get('content-disposition')).toContain('filename="proof A.zip"');
  expect(one?.equals(other!)).toBe(true);
  const { isWhole, keySha256, statement } = verifyProof(one!);
  expect({ isWhole, statement }).toMatchObject({
    isWhole: true,
    statement: { job: { name: 'A' }, documents: { submitted: 1, setApart: 2 }, chain: { number: 1 } },
  });
  expect(said).toContainEqual(
    expect.objectContaining({ event: 'console-proof', by: 'A. Novák', key: keySha256, number: 1 }),
  );
  expect((await server.ask(`/api/proofs/tender/${'0'.repeat(20)}`)).status).toBe(404);
  expect((await server.ask(`/api/apart/columns/tender/${'0'.repeat(20)}`)).status).toBe(404);
});

test('who may only see is not let change anything, and a share that is away is said to be', async () => {
  const person: Person = { id: 'Guest', name: 'Guest', may: role => role === 'see' };
  const access = {
    visitorOf: () => ({ person, session: '' }),
    me: () => ({ signIn: 'none' }),
  } as unknown as Access;
  const { rows } = await look();
  await server.close();
  server = await openServer({ modules: [createApart(depsOf())], shares: () => ['tender'], access });
  const document = { share: 'tender', batchId: rows[0]!.batchId, index: rows[0]!.index };
  const refused = await server.ask('/api/try-again', {
    json: { documents: [document], dryRun: false, hasLooked: true },
  });
  expect(refused.status).toBe(403);
  const sheet = { method: 'POST', body: 'x', headers: { 'content-type': 'application/octet-stream' } };
  expect((await server.ask('/api/sheets/tender?name=a.csv', sheet)).status).toBe(403);
  expect((await server.ask(`/api/proofs/tender/${rows[0]!.job}`)).status).toBe(403);
  expect(await bed.list('drop')).toEqual([]);
});

test('of two files of one path each has a page of its own, and the later one never goes as the earlier one', async () => {
  await bed.drop('A/register.csv', REGISTER);
  const batchIds: string[] = [];
  for (const text of ['older', 'newer one']) {
    await bed.drop('A/1.pdf', text);
    const { job, batchId } = await beginJob(share);
    const reason = { code: 'x', text: 'It is wrong.', fix: 'Mend it.' };
    if (text !== 'older') await share.closeJob(job);
    await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
    batchIds.push(batchId);
  }
  const [older, newer] = batchIds.map(batchId => ({ share: 'tender', batchId, index: 0 }));
  const keys = (await look()).rows.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const rest = { dryRun: false, hasLooked: true };
  expect(await again([newer!], rest)).toMatchObject({
    goes: 0,
    stays: [expect.stringContaining('lie there as "1.pdf" and "1 (2).pdf"')],
  });
  expect(await again([older!], rest)).toMatchObject({ goes: 1, stays: [] });
  expect(await bed.read('drop/A/1.pdf')).toBe('older');
});

test('what came with a register stays until its folder has its receipt, or for good where none can bring its row', async () => {
  const reason = { code: 'storage-refused', text: 'It was refused.', fix: 'Mend it.' };
  await bed.drop('B/register.csv', REGISTER);
  await bed.drop('B/1.pdf');
  const entries = await listDrop(share);
  const job = await share.openJob('B', await share.readRegister('B', entries));
  const { batch } = await share.claim(entries, { job });
  const { batchId = '' } = await share.writeManifest(batch!);
  await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: false });
  await bed.drop('register.csv', 'File,Rev\nloose.pdf,P1\n');
  await bed.drop('loose.pdf');
  const loose = await claimAll(share);
  await share.settleUp(loose.batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
  const documents = [batchId, loose.batchId].map(id => ({ share: 'tender', batchId: id, index: 0 }));
  for (const dryRun of [true, false]) {
    expect(await again(documents, { dryRun })).toMatchObject({
      goes: 0,
      lookFirst: 0,
      stays: [
        expect.stringMatching(/^One stays until its folder has its receipt/),
        expect.stringMatching(/^One stays: .* Drop it with a register that lists it\.$/),
      ],
    });
  }
  expect(await bed.list('drop')).toEqual([]);
});
