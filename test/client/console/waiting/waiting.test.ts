// What waits for a person, told from a real share and runs that answer as those of batches do.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import fastify from 'fastify';
import pino from 'pino';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import type { KeptField } from '../../../../activities/share/register/kept-fields';
import type { Share } from '../../../../activities/share/share';
import type { Topic } from '../../../../client/console/contract/session';
import { waitingRoutes } from '../../../../client/console/contract/waiting';
import type { ConsoleDeps, Person } from '../../../../client/console/serve/module';
import { createWaiting } from '../../../../client/console/waiting/waiting';
import type { ManyAnswers } from '../../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../../workflows/ingest/ingest-contract';
import { claimAll, createTestBed, type TestBed } from '../../../activities/share/share-test-bed';

const ELSEWHERE = 'ingest/9/other';
const NOW = new Date('2026-11-23T10:00:00Z');
const field = (name: string, label: string, rest: Partial<KeptField> = {}): KeptField => ({
  name,
  label,
  type: 'string',
  isPeople: false,
  required: false,
  requiredByType: [],
  requiredByFields: [],
  values: [],
  ...rest,
});
const FIELDS: readonly KeptField[] = [
  field('number', 'Number'),
  field('revision', 'Revision'),
  field('status', 'Status', {
    type: 'lov_entry',
    requiredByType: ['Drawing'],
    values: [
      { label: 'For construction', code: 'A4', active: true },
      { label: 'Withdrawn', code: 'W', active: false },
    ],
  }),
  field('checked_by', 'Checked by', { type: 'reference', isPeople: true }),
];

let bed: TestBed;
let share: Share;
let batchId = '';
/** What the run holds, and what it was told. */
let held: HeldDocument[] = [];
let told: ManyAnswers[] = [];
let started: string[] = [];
let topics: Topic[] = [];
let isAway = false;
/** Runs that answer nothing. */
let mute: string[] = [];
/** What the run of a share holds that this page does not have. */
let elsewhere: HeldDocument[] = [];
let queries = 0;
let nowMs = NOW.getTime();

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open({
    register: { pattern: 'register' },
    fileNamePattern: '^(?<number>[^_]+)_(?<revision>P\\d+)',
  });
  for (const number of [1, 2, 3]) await bed.drop(`A-${number}_P02.pdf`);
  ({ batchId } = await claimAll(share));
  held = [1, 0].map(index => ({
    index,
    path: `A-${index + 1}_P02.pdf`,
    question: 'missing-values',
    reason: { code: 'missing-values', text: 'The project requires "Status".', fix: 'Give it.' },
    missing: ['Status'],
    sinceMs: NOW.getTime() - 60_000,
    untilMs: NOW.getTime() + 86_400_000,
  }));
  [told, started, topics, isAway, mute, elsewhere] = [[], [], [], false, [], []];
  [queries, nowMs] = [0, NOW.getTime()];
});
afterEach(async () => {
  await bed.remove();
});

async function* runs() {
  await Promise.resolve();
  for (const workflowId of mute)
    if (!workflowId.endsWith(batchId)) yield { workflowId, runId: 'r', status: { name: 'RUNNING' } };
  if (elsewhere.length > 0) yield { workflowId: ELSEWHERE, runId: 'r', status: { name: 'RUNNING' } };
  yield { workflowId: `ingest/2/${batchId}`, runId: 'r', status: { name: 'RUNNING' } };
}

function take(answers: ManyAnswers) {
  told.push(answers);
  const asked = answers.answers.flatMap(({ documents }) => documents.map(String));
  const taken = asked.filter(path => held.some(one => one.path === path));
  held = held.filter(({ path }) => !taken.includes(path));
  const refused = asked.filter(path => !taken.includes(path));
  return { taken, refused: refused.map(document => ({ document, why: 'It is not held.' })) };
}

const client = {
  withDeadline: async (_: number, work: () => Promise<unknown>) => await work(),
  workflow: {
    list: runs,
    start: async (_: string, { workflowId }: { workflowId: string }) => {
      started.push(workflowId);
      await Promise.resolve();
    },
    getHandle: (workflowId: string) => ({
      describe: async () => await Promise.resolve({ historyLength: 10 + told.length }),
      query: async () => {
        queries += 1;
        if (mute.includes(workflowId)) throw new Error('nobody answers');
        if (workflowId === ELSEWHERE)
          return { batchId: 'other', share: 'elsewhere', documents: 1, stages: {}, held: elsewhere };
        return await Promise.resolve({ batchId, share: 'tender', documents: 3, stages: {}, held });
      },
      executeUpdate: async (_: unknown, { args: [answers] }: { args: [ManyAnswers] }) =>
        await Promise.resolve(take(answers)),
    }),
  },
} as unknown as Client;

function create() {
  const deps = {
    shares: () => [{ config: share.config, share, why: undefined }],
    temporal: async () => (isAway ? await Promise.reject(new Error('away')) : await Promise.resolve(client)),
    logger: pino({ level: 'silent' }),
    changed: (changed: readonly Topic[]) => void topics.push(...changed),
    now: () => new Date(nowMs),
  } as unknown as ConsoleDeps;
  return createWaiting(deps);
}

const person = (name: string, roles = ['see', 'answer']): Person => ({
  id: name,
  name,
  may: role => roles.includes(role),
});
const TH = person('T. Harker');
const asked = { params: undefined, query: undefined, body: undefined };

test('rows say what is asked and what is known; values that others of the job have are counted', async () => {
  await share.putFields(FIELDS);
  const { handlers } = create();
  const page = await handlers['GET /api/waiting'](asked, TH);
  expect(page).toMatchObject({ away: null, jobs: [{ share: 'tender', job: batchId, held: 2 }] });
  expect(page.rows[1]).toMatchObject({
    index: 0,
    number: 'A-1',
    revision: 'P02',
    missing: ['Status'],
    values: [
      { field: 'number', text: 'A-1', from: 'file name' },
      { field: 'revision', text: 'P02', from: 'file name' },
    ],
    since: '2026-11-23T09:59:00.000Z',
  });
  expect((await handlers['GET /api/waiting'](asked, person('nobody', []))).rows).toEqual([]);
});

test('a folder whose name was taken is called as in the list of jobs, and where its files go', async () => {
  await mkdir(join(bed.root, 'done/B'), { recursive: true });
  await bed.drop('B/A-2_P02.pdf');
  const job = await share.openJob('B');
  const { batch } = await share.claim(['B/A-2_P02.pdf'], { job });
  const sealed = await share.writeManifest(batch!);
  batchId = sealed.batchId ?? '';
  held = held.slice(0, 1).map(one => ({ ...one, index: 0, path: 'B/A-2_P02.pdf' }));
  expect(job.place).not.toBe('B');
  const { rows, jobs } = await create().handlers['GET /api/waiting'](asked, TH);
  expect(rows).toMatchObject([{ jobName: job.place, file: 'A-2_P02.pdf' }]);
  expect(jobs).toMatchObject([{ name: job.place }]);
});

test('while runs cannot be asked, what was seen before stays and says so', async () => {
  const { handlers } = create();
  isAway = true;
  expect(await handlers['GET /api/waiting'](asked, TH)).toMatchObject({ rows: [], away: expect.any(String) });
  const body = { answers: [{ share: 'tender', batchId, documents: [0], values: { status: 'A4' } }] };
  await expect(handlers['POST /api/answers']({ ...asked, body }, TH)).rejects.toMatchObject({ status: 503 });
});

test('what lies on the share is told while no run was asked yet', async () => {
  isAway = true;
  const reason = { code: 'missing-values', text: 'The project requires "Status".', fix: 'Give it.' };
  await share.settleUp(batchId, [], { final: false, held: [{ index: 1, reason }] });
  const { rows } = await create().handlers['GET /api/waiting'](asked, TH);
  expect(rows).toMatchObject([{ index: 1, question: 'missing-values', missing: ['Status'], number: 'A-2' }]);
});

test('the count is that of the rows: with what lies on the share, and without what is of no share here', async () => {
  const reason = { code: 'missing-values', text: 'The project requires "Status".', fix: 'Give it.' };
  await share.settleUp(batchId, [], { final: false, held: [{ index: 1, reason }] });
  await share.putFields(FIELDS);
  elsewhere = [{ ...(held[0] as HeldDocument), path: 'B.pdf' }];
  const { handlers } = create();
  expect((await handlers['GET /api/waiting'](asked, TH)).rows).toHaveLength(2);
  expect(await handlers['GET /api/waiting/count'](asked, TH)).toEqual({ held: 2 });
  isAway = true;
  const away = create();
  expect(await away.handlers['GET /api/waiting/count'](asked, TH)).toEqual({ held: 1 });
  expect((await away.handlers['GET /api/waiting'](asked, TH)).rows).toHaveLength(1);
  expect(await away.handlers['GET /api/waiting/count'](asked, person('nobody', []))).toEqual({ held: 0 });
  const server = fastify();
  away.extend?.(server, { person: () => TH });
  expect((await server.inject('/api/waiting/sheet/tender')).statusCode).toBe(200);
  await server.close();
});

test('a share that hangs is asked once, and keeps nobody waiting for what the others have', async () => {
  isAway = true;
  const reason = { code: 'missing-values', text: 'The project requires "Status".', fix: 'Give it.' };
  await share.settleUp(batchId, [], { final: false, held: [{ index: 1, reason }] });
  const hung = jest.spyOn(share, 'lookAtWork');
  const { handlers } = create();
  const count = async () => await handlers['GET /api/waiting/count'](asked, TH);
  expect(await count()).toEqual({ held: 1 });
  hung.mockImplementation(() => new Promise(() => undefined));
  for (let turn = 0; turn < 2; turn += 1) {
    nowMs += 11_000;
    expect(await count()).toEqual({ held: 1 });
  }
  expect(hung).toHaveBeenCalledTimes(2);
  hung.mockRestore();
});

test('answers of two people: one update, by path, and the second is told who was first', async () => {
  const { handlers } = create();
  const body = {
    answers: [
      { share: 'tender', batchId, documents: [0], values: { status: 'A4' } },
      { share: 'tender', batchId, documents: [1, 99], decision: 'set-apart' as const },
    ],
  };
  const first = await handlers['POST /api/answers']({ ...asked, body }, TH);
  expect(told).toEqual([
    {
      as: 'T. Harker',
      answers: [
        { documents: ['A-1_P02.pdf'], values: { status: 'A4' } },
        { documents: ['A-2_P02.pdf'], decision: 'set-apart' },
      ],
    },
  ]);
  expect(first.taken.map(({ index }) => index)).toEqual([0, 1]);
  expect(first.refused).toMatchObject([{ index: 99, why: 'It does not wait any more.' }]);
  expect(topics).toEqual(['waiting', 'jobs', `job:tender/${batchId}`]);
  const second = await handlers['POST /api/answers']({ ...asked, body }, person('J. Okafor'));
  expect(second).toMatchObject({
    taken: [],
    refused: [
      { index: 0, before: { by: 'T. Harker', at: NOW.toISOString(), said: 'status = A4' } },
      { index: 1, before: { by: 'T. Harker', said: 'set it apart' } },
      { index: 99, before: null },
    ],
  });
  expect((await handlers['GET /api/waiting'](asked, TH)).answered).toMatchObject([
    { index: 0, by: 'T. Harker', values: { status: 'A4' } },
    { index: 1 },
  ]);
});

test('the question that an answer was given to goes with it to the run, which knows whether it is asked', async () => {
  const { handlers } = create();
  const shown = { question: 'missing-values' as const, reason: 'The project requires "Status".' };
  const one = { share: 'tender', batchId, documents: [0], decision: 'retry' as const, asked: shown };
  const body = waitingRoutes['POST /api/answers'].body.parse({ answers: [one] });
  await handlers['POST /api/answers']({ ...asked, body }, TH);
  expect(told[0]?.answers).toEqual([{ documents: ['A-1_P02.pdf'], decision: 'retry', asked: shown }]);
});

test('what is asked anew is not told as answered before', async () => {
  const { handlers } = create();
  const again = held.map(one => ({ ...one, sinceMs: NOW.getTime() + 60_000 }));
  const body = { answers: [{ share: 'tender', batchId, documents: [0], values: { status: 'A4' } }] };
  await handlers['POST /api/answers']({ ...asked, body }, TH);
  // The service did not take it; what the second person gives is no value.
  held = again;
  nowMs += 120_000;
  await handlers['GET /api/waiting'](asked, TH);
  held = [];
  const { refused } = await handlers['POST /api/answers']({ ...asked, body }, person('J. Okafor'));
  expect(refused).toMatchObject([{ why: 'It is not held.', before: null }]);
});

test('who may only see answers nothing, and half a termination is told with all its faults', async () => {
  const { handlers } = create();
  const one = { share: 'tender', batchId, documents: [0] };
  const post = async (answer: object, by: Person) =>
    await handlers['POST /api/answers']({ ...asked, body: { answers: [{ ...one, ...answer }] } }, by);
  await expect(post({ values: {} }, person('S', ['see']))).rejects.toMatchObject({ status: 403 });
  await expect(post({ decision: 'terminate' }, TH)).rejects.toMatchObject({
    status: 422,
    faults: [{ at: 'answers.0.reason' }, { at: 'answers.0.status' }],
  });
  await expect(post({}, TH)).rejects.toMatchObject({ status: 422 });
  expect(told).toEqual([]);
});

test('fields are asked for once while there are none, and shown with their active values', async () => {
  const { handlers } = create();
  const look = async () =>
    await handlers['GET /api/fields/:share']({ ...asked, params: { share: 'tender' } }, TH);
  expect(await look()).toEqual({ at: null, fields: [], dates: null, emptyWord: '-' });
  await look();
  expect(started).toEqual(['fields/2/tender']);
  await share.putFields(FIELDS);
  const again = create();
  const page = await again.handlers['GET /api/fields/:share']({ ...asked, params: { share: 'tender' } }, TH);
  expect(page.fields[2]).toMatchObject({
    takes: 'one-of',
    requiredByType: ['Drawing'],
    values: [{ label: 'For construction', code: 'A4' }],
  });
  expect(page.fields[3]).toMatchObject({ takes: 'many-of', isPeople: true });
});

test('of a share that somebody may not see nothing is told, and what is sent there keeps back all', async () => {
  const { handlers } = create();
  const elsewhere: Person = { id: 'E', name: 'E', may: (_role, name) => name === 'elsewhere' };
  expect(await handlers['GET /api/waiting'](asked, elsewhere)).toMatchObject({ rows: [], conflicts: {} });
  const body = {
    answers: [
      { share: 'tender', batchId, documents: [0], values: { status: 'A4' } },
      { share: 'gone', batchId, documents: [0], values: { status: 'A4' } },
    ],
  };
  await expect(handlers['POST /api/answers']({ ...asked, body }, TH)).rejects.toMatchObject({ status: 404 });
  expect(told).toEqual([]);
});

test('a batch that does not answer keeps nobody from answering the others', async () => {
  const { handlers } = create();
  mute = ['ingest/2/mute'];
  const page = await handlers['GET /api/waiting'](asked, TH);
  expect(page).toMatchObject({ mayAnswer: true, away: expect.stringContaining('Some batches') });
  expect(page.rows).toHaveLength(2);
  mute = ['ingest/2/mute', `ingest/2/${batchId}`];
  nowMs += 10_000;
  told.push({ answers: [] });
  expect(await handlers['GET /api/waiting'](asked, TH)).toMatchObject({ mayAnswer: false });
});

test('what was answered does not wait again on account of the share, because another batch does not reply', async () => {
  const reason = { code: 'missing-values', text: 'The project requires "Status".', fix: 'Give it.' };
  await share.settleUp(batchId, [], { final: false, held: [{ index: 1, reason }] });
  held = [];
  mute = ['ingest/2/mute'];
  const { rows, away } = await create().handlers['GET /api/waiting'](asked, TH);
  expect(away).toContain('Some batches');
  expect(rows).toEqual([]);
});

test('a look says that something has changed, once, while somebody shows it', async () => {
  const { handlers, look } = create();
  expect(await look?.()).toEqual([]);
  await handlers['GET /api/waiting'](asked, TH);
  expect(await look?.()).toEqual(['waiting']);
  nowMs += 10_000;
  expect(await look?.()).toEqual([]);
  // Nothing has happened in the run: its worker was asked once.
  expect(queries).toBe(1);
  expect(await handlers['GET /api/waiting/count'](asked, TH)).toEqual({ held: 2 });
});

test('a sheet of what waits, and what comes back of it', async () => {
  await share.putFields(FIELDS);
  const server = fastify();
  create().extend?.(server, { person: () => TH });
  const got = await server.inject('/api/waiting/sheet/tender');
  expect(got.headers['content-disposition']).toContain('filename="waiting-tender.xlsx"');
  const data = (await readSheet(got.rawPayload, 'a.xlsx')).grids.find(({ name }) => name === 'Data');
  expect(data?.rows.slice(1, 4).map(row => row.map(({ text }) => text))).toEqual([
    ['File', 'Status'],
    ['A-2_P02.pdf'],
    ['A-1_P02.pdf'],
  ]);
  const send = async (payload: string, name: string) =>
    await server.inject({
      method: 'POST',
      url: `/api/waiting/sheet/tender?name=${name}`,
      headers: { 'content-type': 'application/octet-stream' },
      payload,
    });
  expect((await send('File,Status,Mine\nA-1_P02.pdf,A4,x\n', 'back.csv')).json()).toEqual({
    rows: [{ share: 'tender', batchId, index: 0, values: { status: 'A4' } }],
    refused: [],
    unlisted: 1,
    unread: ['Mine'],
  });
  // What leaves it empty stays a word: the grid takes it as typed.
  expect((await send('File,Status\nA-1_P02.pdf,-\n', 'back.csv')).json().rows).toEqual([
    { share: 'tender', batchId, index: 0, values: { status: '-' } },
  ]);
  expect((await send('no sheet', 'back.txt')).statusCode).toBe(400);
  await server.close();
});

test('a row of a sheet that is about two documents of one path answers neither, and says so', async () => {
  await share.putFields(FIELDS);
  await bed.drop('A-1_P02.pdf', 'once more');
  const again = await claimAll(share);
  const reason = { code: 'missing-values', text: 'The project requires "Status".', fix: 'Give it.' };
  await share.settleUp(again.batchId, [], { final: false, held: [{ index: 0, reason }] });
  // Its run does not reply: what is known of it lies on the share.
  mute = [`ingest/2/${again.batchId}`];
  const server = fastify();
  create().extend?.(server, { person: () => TH });
  const sent = await server.inject({
    method: 'POST',
    url: '/api/waiting/sheet/tender?name=back.csv',
    headers: { 'content-type': 'application/octet-stream' },
    payload: 'File,Status\nA-1_P02.pdf,A4\nA-2_P02.pdf,A4\n',
  });
  expect(sent.json()).toMatchObject({
    rows: [{ batchId, index: 1, values: { status: 'A4' } }],
    refused: [{ document: 'A-1_P02.pdf', why: expect.stringContaining('2 documents of this path wait') }],
    unlisted: 0,
  });
  await server.close();
});
