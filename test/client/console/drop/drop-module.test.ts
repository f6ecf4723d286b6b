// Jobs dropped on the page, over a real socket: by the protocol that browsers send them with, onto a real
// share.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import { isBy } from '../../../../activities/share/jobs/uploads/upload-record';
import type { Share } from '../../../../activities/share/share';
import type { UploadDetail, UploadSummary } from '../../../../client/console/contract/drop';
import { createDrop } from '../../../../client/console/drop/drop-module';
import type { ConsoleDeps, ConsoleShare, Person } from '../../../../client/console/serve/module';
import { createTestBed, type TestBed } from '../../../activities/share/share-test-bed';
import { openServer, type ServerBed } from '../serve/server-bed';

const PLAN = {
  name: 'TR-0143 <rev 2>',
  files: [
    { path: 'register.csv', sizeBytes: 5, modifiedMs: 1 },
    { path: 'plans/A-1.pdf', sizeBytes: 10, modifiedMs: 2 },
    { path: 'empty.pdf', sizeBytes: 0, modifiedMs: 3 },
  ],
};

let bed: TestBed;
let server: ServerBed;
let share: Share;
let seen: ConsoleShare;
let who: Person = { id: 'T. Harker', name: 'T. Harker', may: () => true };

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
  seen = { config: bed.config, share, why: undefined };
  who = { id: 'T. Harker', name: 'T. Harker', may: () => true };
  await restart();
});
afterEach(async () => {
  await server.close();
  await bed.remove();
});

async function restart(): Promise<void> {
  const deps: Partial<ConsoleDeps> = {
    shares: () => [seen],
    logger: { info: () => undefined, warn: () => undefined } as never,
    changed: () => undefined,
  };
  server = await openServer({
    modules: [createDrop(deps as ConsoleDeps) as never],
    access: { signIn: 'none', visitorOf: () => ({ person: who, session: 'one' }) },
  });
}

const begin = async (plan: unknown = PLAN): Promise<UploadDetail> =>
  (await (await server.ask('/api/uploads/tender', { json: plan })).json()) as UploadDetail;
const bytesOf = ({ upload }: Pick<UploadDetail, 'upload'>, index: number) =>
  `/api/uploads/tender/${upload}/bytes/${index}`;
const TUS = { 'tus-resumable': '1.0.0' };

async function offsetOf(upload: UploadDetail, index: number): Promise<number> {
  const head = await server.ask(bytesOf(upload, index), { method: 'HEAD', headers: TUS });
  return Number(head.headers.get('upload-offset'));
}

const put = async (
  upload: Pick<UploadDetail, 'upload'>,
  index: number,
  at: number,
  body: string,
  rest: object = {},
) =>
  await server.ask(bytesOf(upload, index), {
    method: 'PATCH',
    body,
    headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': `${at}`, ...rest },
  });
const send = async ({ upload }: Pick<UploadDetail, 'upload'>) =>
  await server.ask(`/api/uploads/tender/${upload}/send`, { method: 'POST' });

test('a job comes over the wire, is gone on with after a restart, and appears whole', async () => {
  const upload = await begin();
  expect(upload).toMatchObject({ files: 3, sizeBytes: 15, doneBytes: 0, isWhole: false, sent: null });
  expect((await put(upload, 1, 0, 'abcd')).status).toBe(204);
  expect(await offsetOf(upload, 1)).toBe(4);
  expect((await send(upload)).status).toBe(409);
  // The person's page was closed and the server started again: the list says what was not ended.
  await server.close();
  await restart();
  const list = (await (await server.ask('/api/drop')).json()) as { uploads: UploadSummary[] };
  expect(list).toMatchObject({
    shares: [{ name: 'tender', folder: 'drop', why: null }],
    uploads: [{ upload: upload.upload, name: PLAN.name, doneBytes: 4 }],
  });
  expect((await put(upload, 1, 0, 'abcd')).status).toBe(409);
  expect((await put(upload, 1, 4, 'efghij')).status).toBe(204);
  expect((await put(upload, 0, 0, 'File\n')).status).toBe(204);
  expect(await readdir(join(bed.root, 'drop'))).toEqual([]);
  const sent = (await (await send(upload)).json()) as UploadSummary;
  expect(sent.sent).toMatchObject({ folder: PLAN.name, job: null });
  expect(await bed.list(`drop/${PLAN.name}`)).toEqual([
    '.ready',
    'empty.pdf',
    'plans/A-1.pdf',
    'register.csv',
  ]);
  expect(await bed.read(`drop/${PLAN.name}/plans/A-1.pdf`)).toBe('abcdefghij');
  // Once the watcher has made a job of it, it has an address; asked again, nothing is sent twice.
  const job = await share.openJob(PLAN.name);
  expect(await (await send(upload)).json()).toMatchObject({ sent: { job: job.jobId } });
  expect(await readdir(join(bed.root, 'drop'))).toEqual([PLAN.name]);
  expect((await server.ask(`/api/uploads/tender/${upload.upload}`, { method: 'DELETE' })).status).toBe(409);
});

test('a second window is told that another one sends it, and goes on only where its person says so', async () => {
  const upload = await begin();
  const from = async (window: string, at: number, body: string) =>
    await server.ask(bytesOf(upload, 1), {
      method: 'PATCH',
      body,
      headers: {
        ...TUS,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': `${at}`,
        'x-drawbridge-window': window,
      },
    });
  const lookFrom = async (window: string) =>
    await server.ask(bytesOf(upload, 1), {
      method: 'HEAD',
      headers: { ...TUS, 'x-drawbridge-window': window },
    });
  expect((await from('one', 0, 'abcd')).status).toBe(204);
  expect((await lookFrom('two')).status).toBe(423);
  expect((await from('two', 4, 'XXXXXX')).status).toBe(423);
  expect(await (await server.ask('/api/drop')).json()).toMatchObject({ uploads: [{ isMoving: true }] });
  const take = `/api/uploads/tender/${upload.upload}/take-over`;
  expect((await server.ask(take, { json: { window: 'two' } })).status).toBe(200);
  expect((await from('one', 4, 'XXXXXX')).status).toBe(423);
  expect((await lookFrom('two')).headers.get('upload-offset')).toBe('4');
  expect((await from('two', 4, 'efghij')).status).toBe(204);
  expect(await bed.read(`.drawbridge/uploads/${upload.upload}/whole/plans/A-1.pdf`)).toBe('abcdefghij');
});

test('more bytes than a file has are refused, and none of them count', async () => {
  const upload = await begin();
  expect((await put(upload, 0, 0, 'File\nmore')).status).toBe(413);
  expect(await offsetOf(upload, 0)).toBe(0);
  expect((await put(upload, 7, 0, 'x')).status).toBe(409);
});

test('a share that is full in the middle says so, and what has come is kept', async () => {
  const upload = await begin();
  const open = await share.uploads.open(upload.upload);
  if (open === undefined) throw new Error('gone');
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  jest.spyOn(open, 'write').mockRejectedValueOnce(full);
  const refused = await put(upload, 1, 0, 'abcd');
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { text: 'The share has no room left. What has come is kept; go on when there is room.' },
  ]);
  // The answer came over the line that the bytes came on, and that line goes on.
  expect((await put(upload, 1, 0, 'abcd')).status).toBe(204);
});

test('a line that breaks keeps what came over it, and is no trouble of ours', async () => {
  const upload = await begin();
  const arrived = withResolvers();
  const open = await share.uploads.open(upload.upload);
  if (open === undefined) throw new Error('gone');
  const write = open.write.bind(open);
  jest.spyOn(open, 'write').mockImplementationOnce(async (index, from, { bytes, stop }) => {
    async function* watched() {
      for await (const chunk of bytes) {
        arrived.resolve();
        yield chunk;
      }
    }
    return await write(index, from, { bytes: watched(), stop });
  });
  const csrf = ((await (await fetch(`${server.origin}/api/me`)).json()) as { csrf: string }).csrf;
  const { promise: broken, reject } = withResolvers<never>();
  async function* body() {
    yield Buffer.from('abcd');
    await broken;
  }
  const headers = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  const sending = fetch(`${server.origin}${bytesOf(upload, 1)}`, {
    method: 'PATCH',
    headers: { ...headers, origin: server.origin, 'x-drawbridge-csrf': csrf },
    body: body() as never,
    duplex: 'half',
  } as RequestInit).catch(String);
  await arrived.promise;
  reject(new Error('the line'));
  await sending;
  expect(await offsetOf(upload, 1)).toBe(4);
  expect((await put(upload, 1, 4, 'efghij')).status).toBe(204);
  expect(server.records.filter(({ event }) => event === 'console-failed')).toEqual([]);
});

test('another version of the protocol, and offsets that are none, are told apart', async () => {
  const upload = await begin();
  expect((await server.ask(bytesOf(upload, 0), { method: 'HEAD' })).status).toBe(412);
  expect((await server.ask(`${bytesOf(upload, 0)}x`, { method: 'HEAD', headers: TUS })).status).toBe(400);
  const headers = { ...TUS, 'content-type': 'text/plain', 'upload-offset': '0' };
  expect((await server.ask(bytesOf(upload, 0), { method: 'PATCH', body: 'x', headers })).status).toBe(415);
});

test('the template of a share is handed on to who may drop there, and to nobody else', async () => {
  const at = '/api/templates/tender';
  expect((await server.ask(at)).status).toBe(404);
  share = await bed.open({ register: { template: 'fill me.xlsx' } });
  seen = { config: { ...bed.config, register: { template: 'fill me.xlsx' } }, share, why: undefined };
  expect((await server.ask(at)).status).toBe(404);
  const make = async () => Buffer.from('to fill');
  await share.putTemplate({ facts: '1'.repeat(64), settings: '2'.repeat(64), make });
  const got = await server.ask(at);
  expect([got.status, await got.text()]).toEqual([200, 'to fill']);
  expect(got.headers.get('content-disposition')).toContain('fill%20me.xlsx');
  who = { id: 'T. Harker', name: 'T. Harker', may: role => role === 'see' };
  expect((await server.ask(at)).status).toBe(403);
});

test('all that is wrong with a choice is told at once, with the file it is of', async () => {
  const files = [...PLAN.files, { path: '../x', sizeBytes: 1, modifiedMs: 1 }];
  const refused = await server.ask('/api/uploads/tender', { json: { name: '..', files } });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({
    faults: [{ text: 'The job needs a name that a folder can have.' }, { at: '../x' }],
  });
});

test('without room it is said before a byte is sent: how much there is, and how much is needed', async () => {
  const files = [{ path: 'a.pdf', sizeBytes: 40 * 1024 ** 3, modifiedMs: 1 }];
  jest.spyOn(share.uploads, 'begin').mockResolvedValueOnce({
    kind: 'no-room',
    freeBytes: 0.4e9,
    neededBytes: 1.8e9,
  });
  const refused = await server.ask('/api/uploads/tender', { json: { name: 'a', files } });
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { text: 'There is no room on the share: 0.4 GB free, 1.8 GB needed.' },
  ]);
});

test('an upload is of whoever began it; operators see all, others what they have the address of, and who may only see nothing', async () => {
  const upload = await begin();
  const path = `/api/uploads/tender/${upload.upload}`;
  who = { id: 'J. Okafor', name: 'J. Okafor', may: role => role !== 'operate' };
  expect(await (await server.ask(path)).json()).toMatchObject({ name: PLAN.name, isYours: false });
  expect((await put(upload, 0, 0, 'File\n')).status).toBe(404);
  expect((await send(upload)).status).toBe(404);
  expect((await server.ask(path, { method: 'DELETE' })).status).toBe(404);
  expect(await (await server.ask('/api/drop')).json()).toMatchObject({ uploads: [] });
  who = { id: 'an operator', name: 'an operator', may: () => true };
  expect((await server.ask(path)).status).toBe(200);
  who = { id: 'T. Harker', name: 'T. Harker', may: role => role === 'see' };
  expect((await server.ask(path)).status).toBe(403);
  expect((await server.ask('/api/uploads/tender', { json: PLAN })).status).toBe(403);
  expect((await put(upload, 0, 0, 'File\n')).status).toBe(403);
});

test('of two people of one name, each has their own uploads; what was begun before ids were kept goes by the name', async () => {
  who = { id: 'anna.k@x.example', name: 'Anna Kern', may: role => role !== 'operate' };
  const upload = await begin();
  const path = `/api/uploads/tender/${upload.upload}`;
  who = { ...who, id: 'anna.kern@y.example' };
  expect(await (await server.ask('/api/drop')).json()).toMatchObject({ uploads: [] });
  expect((await server.ask(path, { method: 'DELETE' })).status).toBe(404);
  expect((await send(upload)).status).toBe(404);
  who = { ...who, id: 'anna.k@x.example', name: 'Anna Kern-Vogt' };
  expect(await (await server.ask(path)).json()).toMatchObject({ by: 'Anna Kern', isYours: true });
  expect(isBy({ by: 'Anna Kern' }, { id: 'anna.kern@y.example', name: 'Anna Kern' })).toBe(true);
});

test('bytes from the page of somebody else are refused before one is read', async () => {
  const upload = await begin();
  const headers = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  const other = await fetch(`${server.origin}${bytesOf(upload, 0)}`, { method: 'PATCH', body: 'x', headers });
  expect(other.status).toBe(403);
  expect(
    (await server.ask(bytesOf(upload, 0), { method: 'HEAD', headers: TUS })).headers.get(
      'access-control-allow-origin',
    ),
  ).toBeNull();
});

test('a window does not give up what another one is sending', async () => {
  const upload = await begin();
  const path = `/api/uploads/tender/${upload.upload}`;
  const tester = { 'x-drawbridge-window': 'tester' };
  expect((await put(upload, 0, 0, 'Fi', tester)).status).toBe(204);
  const json = { window: 'sender' };
  expect((await server.ask(`${path}/take-over`, { json })).status).toBe(200);
  expect((await server.ask(`${path}?window=tester`, { method: 'DELETE' })).status).toBe(423);
  expect(await (await server.ask(path)).json()).toMatchObject({ doneBytes: 2 });
  expect((await server.ask(`${path}?window=sender`, { method: 'DELETE' })).status).toBe(200);
});

test('what is given up is gone, and a share that is away says why', async () => {
  const upload = await begin();
  const path = `/api/uploads/tender/${upload.upload}`;
  expect((await server.ask(path, { method: 'DELETE' })).status).toBe(200);
  expect((await server.ask(path)).status).toBe(404);
  seen = { ...seen, share: undefined, why: 'It is not mounted.' };
  expect(await (await server.ask('/api/drop')).json()).toMatchObject({
    shares: [{ why: 'It is not mounted.' }],
  });
  expect((await server.ask('/api/uploads/tender', { json: PLAN })).status).toBe(503);
});
