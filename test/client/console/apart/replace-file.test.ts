// A mended file for one that was set apart, through the page's own server: who may give which for what, by
// the protocol that all uploads come by.
import type { Share } from '../../../../activities/share/share';
import { createApart } from '../../../../client/console/apart/apart';
import type { ApartPage, ReplacedTold } from '../../../../client/console/contract/apart';
import type { UploadDetail } from '../../../../client/console/contract/drop';
import type { Topic } from '../../../../client/console/contract/session';
import { createDrop } from '../../../../client/console/drop/drop-module';
import type { ConsoleDeps, Person } from '../../../../client/console/serve/module';
import { beginJob, createSheetBed, finishJob } from '../../../activities/share/receipt/sheet-test-bed';
import type { TestBed } from '../../../activities/share/share-test-bed';
import { openServer, type ServerBed } from '../serve/server-bed';

const REGISTER = 'File,Number\n1.pdf,N-1\n2.pdf,N-2\n3.pdf,N-3\n';
const OPERATOR: Person = { id: 'A. Novák', name: 'A. Novák', may: () => true };

let bed: TestBed;
let share: Share;
let server: ServerBed;
let who = OPERATOR;
let nowMs = Date.now();
let said: object[] = [];
let changed: Topic[] = [];

beforeEach(async () => {
  [said, changed, who] = [[], [], OPERATOR];
  bed = await createSheetBed();
  share = await bed.open({ maxFileBytes: 1_000 });
  await bed.drop('A/register.csv', REGISTER);
  for (const name of ['1.pdf', '2.pdf', '3.pdf']) await bed.drop(`A/${name}`);
});
afterEach(async () => {
  await server.close();
  await bed.remove();
});

async function open(code = 'storage-refused'): Promise<ApartPage['rows'][number]> {
  await finishJob(share, ['1.pdf'], code);
  await listen();
  return (await look()).rows[0]!;
}

async function listen(): Promise<void> {
  const deps = {
    config: { stateDir: bed.root },
    shares: () => [{ config: share.config, share, why: undefined }],
    logger: { info: (fields: object) => void said.push(fields), warn: () => undefined },
    changed: (topics: readonly Topic[]) => void changed.push(...topics),
    // Each look is a new one.
    now: () => {
      nowMs += 60_000;
      return new Date(nowMs);
    },
  } as unknown as ConsoleDeps;
  server = await openServer({
    modules: [createApart(deps) as never, createDrop(deps) as never],
    access: { signIn: 'none', visitorOf: () => ({ person: who, session: 'one' }) },
  });
}

async function look(): Promise<ApartPage> {
  return (await (await server.ask('/api/apart')).json()) as ApartPage;
}

type Row = Pick<ApartPage['rows'][number], 'job' | 'batchId' | 'index'>;
const CONTENT = 'mended';

async function begin({ job, batchId, index }: Row, given: object = {}): Promise<Response> {
  const file = { name: 'mine.PDF', sizeBytes: CONTENT.length, modifiedMs: 5, hasLooked: false };
  return await server.ask(`/api/replacements/tender/${job}`, { json: { batchId, index, ...file, ...given } });
}

/** Some or all of it comes. */
async function put(upload: string, body = CONTENT, at = 0): Promise<number> {
  const headers = { 'content-type': 'application/offset+octet-stream', 'tus-resumable': '1.0.0' };
  const place = `/api/uploads/tender/${upload}/bytes/0`;
  const given = { method: 'PATCH', body, headers: { ...headers, 'upload-offset': `${at}` } };
  return (await server.ask(place, given)).status;
}

const send = async ({ job }: Row, upload: string) =>
  await server.ask(`/api/replacements/tender/${job}/${upload}`, { method: 'POST' });

test('its bytes come as those of any upload, it goes on as that document, and who gave it is recorded', async () => {
  const row = await open();
  expect(row).toMatchObject({ file: '2.pdf', takesFile: true });
  const begun = (await (await begin(row)).json()) as UploadDetail;
  expect(begun).toMatchObject({ by: 'A. Novák', doneBytes: 0, sizeBytes: 6, isWhole: false });
  const { upload } = begun;
  expect((await send(row, upload)).status).toBe(409);
  expect(await put(upload, 'men')).toBe(204);
  // After a reload the same file is chosen again: it goes on where it was.
  expect(await (await begin(row)).json()).toMatchObject({ upload, doneBytes: 3 });
  expect(await put(upload, 'ded', 3)).toBe(204);
  // It is no job of the page, and cannot be sent off as one.
  expect(await (await server.ask('/api/drop')).json()).toMatchObject({ uploads: [] });
  expect((await server.ask(`/api/uploads/tender/${upload}/send`, { method: 'POST' })).status).toBe(409);
  expect((await (await send(row, upload)).json()) as ReplacedTold).toEqual({ outcome: 'goes', told: [] });
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv']);
  expect(await bed.read('drop/A/2.pdf')).toBe(CONTENT);
  expect(await bed.read('drop/A/register.csv')).toBe('File,Number,File replaced by\n2.pdf,N-2,A. Novák\n');
  expect(await bed.read('attention/A/replaced/2.pdf')).toBe('content of A/2.pdf');
  expect(await look()).toMatchObject({ count: 1, rows: [{ file: '3.pdf' }] });
  const { batchId, index, job } = row;
  expect(said).toContainEqual({
    event: 'console-replace-file',
    by: 'A. Novák',
    share: 'tender',
    outcome: 'goes',
    ...{ job, batchId, index },
  });
  expect(changed).toEqual(expect.arrayContaining(['apart', 'jobs']));
  expect(await bed.list('.drawbridge/uploads')).toEqual([]);
  // The answer was lost.
  expect(await (await send(row, upload)).json()).toEqual({ outcome: 'goes', told: [] });
  expect((await begin(row)).status).toBe(409);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv']);
});

test('two people give one each: the second is told, and nothing of theirs goes', async () => {
  const row = await open();
  const mine = (await (await begin(row)).json()) as UploadDetail;
  who = { id: 'J. Okafor', name: 'J. Okafor', may: role => role !== 'operate' };
  const theirs = (await (await begin(row)).json()) as UploadDetail;
  expect(theirs.upload).not.toBe(mine.upload);
  // What is not theirs is not there for them.
  expect([await put(mine.upload), (await send(row, mine.upload)).status]).toEqual([404, 404]);
  expect(await put(theirs.upload, 'theirs')).toBe(204);
  who = OPERATOR;
  expect(await put(mine.upload)).toBe(204);
  const [first, second] = await Promise.all([send(row, mine.upload), send(row, theirs.upload)]);
  const told = [(await first.json()) as ReplacedTold, (await second.json()) as ReplacedTold];
  expect(told.map(({ outcome }) => outcome).sort()).toEqual(['goes', 'stays']);
  expect(told.flatMap(each => each.told)).toEqual([expect.stringContaining('somebody took it up')]);
  expect(await bed.read('drop/A/2.pdf')).toBe(told[0]?.outcome === 'goes' ? CONTENT : 'theirs');
});

test.each([
  [{ name: 'mine.dwg' }, /must end in "\.pdf"/],
  [{ name: '../../x' }, /must end in "\.pdf"/],
  [{ sizeBytes: 0 }, /is empty/],
  [{ sizeBytes: 1_001 }, /cannot be taken/],
])('a file that could not go is refused before it comes: %j', async (given, why) => {
  const refused = await begin(await open(), given);
  expect([refused.status, await refused.json()]).toMatchObject([422, { text: expect.stringMatching(why) }]);
  expect(await bed.list('.drawbridge/uploads')).toEqual([]);
});

test('only what a better file cures takes one, and not without a look where there may be a revision', async () => {
  const row = await open('unknown-value');
  expect(row.takesFile).toBe(false);
  const refused = await begin(row);
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { text: expect.stringContaining('not cured by another file') },
  ]);
});

test('what does not lie there takes none, nor does a job that is on its way', async () => {
  const row = await open();
  for (const wrong of [
    { ...row, batchId: '20200101-000000-aaaaaa' },
    { ...row, index: 99 },
    { ...row, job: '0'.repeat(20) },
  ])
    expect((await begin(wrong)).status).toBe(409);
  for (const place of ['..%2f..%2fx', '0'.repeat(20)]) expect((await send(row, place)).status).toBe(404);
  expect(await bed.list('drop')).toEqual([]);
});

test('of a job without a receipt it says when', async () => {
  const { batchId, manifest } = await beginJob(share);
  const reason = { code: 'storage-refused', text: 'No.', fix: 'Mend it.' };
  const [first] = manifest.files.filter(({ path }) => path === 'A/2.pdf');
  const held = manifest.files
    .filter(({ index }) => index !== first?.index)
    .map(({ index }) => ({ index, reason }));
  const outcomes = [{ index: first!.index, kind: 'set-apart' as const, reason }];
  await share.settleUp(batchId, outcomes, { final: false, held });
  await listen();
  const [row] = (await look()).rows;
  const refused = await begin(row!);
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { text: expect.stringContaining('once the folder has its receipt') },
  ]);
});

test('who may only see gives nothing', async () => {
  const row = await open();
  const { upload } = (await (await begin(row)).json()) as UploadDetail;
  who = { id: 'Guest', name: 'Guest', may: role => role === 'see' };
  expect([(await begin(row)).status, await put(upload), (await send(row, upload)).status]).toEqual([
    403, 403, 403,
  ]);
});
