// The batch of issue and answer: ids dropped, files unconfirmed, conflicts, duplicates, outages, limits, lost
// replies. Each ends with every document accounted for, once, and nobody waiting for somebody else's trouble.
import { setTimeout as delay } from 'node:timers/promises';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { progressQuery } from '../../workflows/ingest/ingest-contract';
import { DEFAULT_PROJECTS } from '../sandbox/defaults';
import { Rig } from '../setup/rig';
import { closeWithoutRemark, expectAgreement, pdfs } from './agreement';

jest.setTimeout(240_000);

let rig: Rig;
/** What the test gives reason for. */
let excused: NonNullable<Parameters<typeof closeWithoutRemark>[1]> = [];
afterEach(async () => {
  const reasons = excused;
  excused = [];
  await closeWithoutRemark(rig, reasons);
});

async function start(options: Parameters<typeof Rig.start>[0] = {}): Promise<void> {
  rig = await Rig.start(options);
  await rig.startWatcher();
  await rig.startWorker();
}

async function orderTheWorstBatch(): Promise<void> {
  const project = DEFAULT_PROJECTS.plain;
  for (const fileName of ['sheet-003.pdf', 'sheet-050.pdf']) {
    await rig.control.addFault({
      route: 'uploads.patch',
      match: { fileName },
      action: { kind: 'drop-from-207' },
    });
  }
  for (const fileName of ['sheet-010.pdf', 'sheet-011.pdf', 'sheet-099.pdf']) {
    await rig.control.addFault({
      route: 'uploads.patch',
      match: { fileName },
      action: { kind: 'fail-in-207' },
    });
  }
  for (const fileName of ['sheet-020.pdf', 'sheet-021.pdf']) {
    await rig.control.addFault({
      route: 'revisions.create',
      match: { fileName },
      action: { kind: 'item-failure', reasonCode: 'CONCURRENCY_CONFLICT' },
    });
  }
  await rig.control.edit(project, { kind: 'set-requirement', allowDuplicateRevisions: false });
  await rig.control.edit(project, { kind: 'start-workflow', name: 'sheet-030.pdf' });
  await rig.control.edit(project, { kind: 'add-revision', name: 'sheet-040.pdf', revision: 'A' });
}

describe('100 files of which 2 ids are dropped, 3 fail, 2 meet CONCURRENCY_CONFLICT, 1 a workflow, 1 is a duplicate', () => {
  test('policy terminate: 99 become revisions, the duplicate is set apart with its reason', async () => {
    await start({
      share: { conflict: { kind: 'terminate', reason: 'Superseded by this issue', status: 'Superseded' } },
    });
    await orderTheWorstBatch();
    const hashes = rig.dropFiles(pdfs(100));
    await rig.untilSettled(100);
    const ends = await expectAgreement(rig, hashes);
    expect(ends.get('sheet-040.pdf')).toBe('DUPLICATE_REVISION');
    expect([...ends.values()].filter(end => end === 'submitted')).toHaveLength(99);
    const row = rig
      .receipts()
      .flatMap(({ files }) => files)
      .find(({ path }) => path === 'sheet-030.pdf');
    expect(row?.notes.join(' ')).toContain('Superseded');
  });

  test('policy ask: the conflicting one is held until the answer, the others are settled before', async () => {
    await start();
    await orderTheWorstBatch();
    const hashes = rig.dropFiles(pdfs(100));
    while (rig.filesIn('done').length < 98) await delay(100);
    const [run] = await collect(
      rig.temporal.client.workflow.list({ query: `WorkflowType = 'ingestBatchWorkflow'` }),
    );
    const handle = rig.temporal.client.workflow.getHandle(run!.workflowId);
    const progress = await handle.query(progressQuery);
    expect(progress.held).toMatchObject([{ path: 'sheet-030.pdf', question: 'workflow-conflict' }]);
    expect(rig.receipts()).toEqual([]);
    await handle.executeUpdate(answerUpdate, {
      args: [{ document: 'sheet-030.pdf', decision: 'terminate', reason: 'New issue', status: 'Superseded' }],
    });
    await rig.untilSettled(100);
    const ends = await expectAgreement(rig, hashes);
    expect(ends.get('sheet-030.pdf')).toBe('submitted');
    expect(ends.get('sheet-040.pdf')).toBe('DUPLICATE_REVISION');
  });
});

test('a review that begins after somebody has looked is asked about, and only then ended', async () => {
  await start();
  const { projectId } = rig.config.shares[0]!.project;
  const begin = async (workflow: string) =>
    await rig.control.edit(projectId, { kind: 'start-workflow', name: 'sheet-000.pdf', workflow });
  await begin('Design review');
  rig.dropFiles(pdfs(1));
  const runs = async () =>
    await collect(rig.temporal.client.workflow.list({ query: `WorkflowType = 'ingestBatchWorkflow'` }));
  while ((await runs()).length === 0) await delay(100);
  const handle = rig.temporal.client.workflow.getHandle((await runs())[0]!.workflowId);
  const untilAsked = async (review: string) => {
    for (;;) {
      const text = (await handle.query(progressQuery)).held[0]?.reason.text ?? '';
      if (text.includes(review)) return text;
      await delay(100);
    }
  };
  const end = async () =>
    await handle.executeUpdate(answerUpdate, {
      args: [{ document: 0, decision: 'terminate', reason: 'New issue', status: 'Superseded' }],
    });
  const planted = async () => (await rig.control.revisions()).find(({ uploadId }) => uploadId === null);
  await untilAsked('Design review');
  await begin('Safety review');
  await end();
  expect(await untilAsked('Safety review')).toMatch(/^Nothing was ended/);
  expect(await planted()).not.toHaveProperty('terminationReason');
  await end();
  await rig.untilSettled(1);
  expect(await planted()).toMatchObject({ terminationReason: 'New issue' });
});

describe('replies', () => {
  test('a submission whose reply is lost is resolved by looking: every document once', async () => {
    await start();
    await rig.control.addFault({ route: 'revisions.create', action: { kind: 'reply-lost' } });
    const hashes = rig.dropFiles(pdfs(5));
    await rig.untilSettled(5);
    const ends = await expectAgreement(rig, hashes);
    expect([...ends.values()]).toEqual(Array(5).fill('submitted'));
  });

  test.each(['uploads.create', 'files.create', 'files.patch', 'uploads.patch', 'uploads.selected'])(
    'a lost reply to %s costs a repeat, not a document',
    async route => {
      await start();
      await rig.control.addFault({ route, action: { kind: 'reply-lost' } });
      const hashes = rig.dropFiles(pdfs(3));
      await rig.untilSettled(3);
      const ends = await expectAgreement(rig, hashes);
      expect([...ends.values()]).toEqual(Array(3).fill('submitted'));
    },
  );

  test('an upload that a person submits before its lost link is repeated is not made anew', async () => {
    await start();
    await rig.control.addFault({ route: 'uploads.patch', action: { kind: 'reply-lost' } });
    rig.dropFiles(pdfs(3));
    const fileName = 'sheet-001.pdf';
    await rig.untilEffect('upload-completed', fileName);
    await rig.control.edit(rig.config.shares[0]!.project.projectId, { kind: 'submit-upload', fileName });
    const rows = (await rig.untilSettled(3)).flatMap(({ files }) => files);
    expect(rows.map(({ path, outcome, reason }) => [path, reason?.code ?? outcome])).toEqual([
      ['sheet-000.pdf', 'submitted'],
      [fileName, 'perhaps-taken'],
      ['sheet-002.pdf', 'submitted'],
    ]);
    const names = (await rig.control.revisions()).map(({ name }) => name);
    expect(names.filter(name => name === fileName)).toHaveLength(1);
  });

  test('answers of Step 4 in the wrong order never put bytes under a wrong name', async () => {
    await start();
    await rig.control.addFault({ route: 'uploads.create', times: 4, action: { kind: 'swap-ids' } });
    const hashes = rig.dropFiles(pdfs(4));
    await rig.untilSettled(4);
    const ends = await expectAgreement(rig, hashes);
    expect([...ends.values()]).toEqual(Array(4).fill('submitted'));
    await expectNothingLeft();
  });

  test('nor under a wrong media type, where the name is one that we give', async () => {
    // Whose upload has another file's bytes is looked at beside its own polling, which may come right after.
    excused = ['polled-too-soon'];
    await start({ share: { documentName: 'stem' } });
    await rig.control.addFault({ route: 'uploads.create', action: { kind: 'swap-ids' } });
    const hashes = rig.dropFiles({ 'plan.dwg': 'AC1027', 'plan.pdf': '%PDF 1' });
    await rig.untilSettled(2);
    const revisions = (await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null);
    expect(revisions.map(({ name, fileName, sha256 }) => [name, fileName, sha256]).sort()).toEqual([
      ['plan', 'plan.dwg', hashes.get('plan.dwg')],
      ['plan', 'plan.pdf', hashes.get('plan.pdf')],
    ]);
    await expectNothingLeft();
  });

  test('where the service shows nothing of Step 4 it is said once, and one upload a request relies on nothing', async () => {
    await start({ sandbox: { nameSource: 'must-be-set' } });
    rig.dropFiles(pdfs(3));
    const [receipt] = await rig.untilSettled(3);
    const notes = receipt?.files.flatMap(row => row.notes ?? []).filter(note => /createOneByOne/.test(note));
    expect(notes).toHaveLength(1);
    await closeWithoutRemark(rig);
    await start({ sandbox: { nameSource: 'must-be-set' }, share: { createOneByOne: true } });
    const hashes = rig.dropFiles(pdfs(3));
    const [other] = await rig.untilSettled(3);
    expect(other?.files.flatMap(row => row.notes ?? [])).toEqual([]);
    await expectAgreement(rig, hashes);
    expect((await rig.control.requests())['uploads.create']).toBe(3);
  });

  /** Nobody finds a document of ours there under another one's name. */
  async function expectNothingLeft(): Promise<void> {
    const left = (await rig.control.uploads()).filter(
      ({ status, presence }) => status === 'COMPLETED' && presence === 'present',
    );
    expect(left).toEqual([]);
  }
});

describe('what passes by itself', () => {
  test('a token that expires mid-batch is renewed once', async () => {
    await start();
    await rig.control.addFault({
      route: 'files.create',
      skip: 3,
      action: { kind: 'status', status: 401, reasonCode: 'INVALID_TOKEN' },
    });
    const hashes = rig.dropFiles(pdfs(20));
    while ((await rig.control.requests())['files.create'] === undefined) await delay(20);
    await rig.control.expireTokens();
    await rig.untilSettled(20);
    await expectAgreement(rig, hashes);
    expect((await rig.control.requests())['oauth.token']).toBeLessThanOrEqual(4);
  });

  test('a rate limit with both windows is kept to: no 429, nothing sent while a window is spent', async () => {
    await start({
      sandbox: { timeScale: 20, limits: { hourly: 3_600, spike: 25, spikeWindowSeconds: 10 } },
      share: { analysis: { firstLook: 500, every: 500, typical: 1_500, for: 25_000 } },
    });
    const hashes = rig.dropFiles(pdfs(40));
    await rig.untilSettled(40);
    await expectAgreement(rig, hashes);
    const limited = Object.values(await rig.control.answers()).flatMap(byStatus => byStatus['429'] ?? []);
    expect(limited).toEqual([]);
  });

  test('429 and 503 with Retry-After in seconds or as a date are waited out', async () => {
    await start();
    await rig.control.addFault({
      route: 'uploads.create',
      action: { kind: 'rate-limited', withRetryAfter: 'seconds' },
    });
    await rig.control.addFault({
      route: 'uploads.patch',
      action: { kind: 'rate-limited', withRetryAfter: 'date' },
    });
    await rig.control.addFault({
      route: 'revisions.create',
      action: { kind: 'rate-limited', withRetryAfter: 'none' },
    });
    await rig.control.addFault({ route: 'files.create', action: { kind: 'unavailable', retryAfter: 30 } });
    const hashes = rig.dropFiles(pdfs(3));
    await rig.untilSettled(3);
    await expectAgreement(rig, hashes);
  });

  test('an outage of everything in the middle of a batch is waited out', async () => {
    await start();
    const hashes = rig.dropFiles(pdfs(30));
    while (((await rig.control.requests())['storage.put'] ?? 0) < 5) await delay(10);
    await rig.control.setOutages({ api: 'refuse', auth: 'refuse', storage: 'reset' });
    // Ten minutes at the stand-in's hundredfold speed.
    await delay(6_000);
    await rig.control.setOutages({ api: 'none', auth: 'none', storage: 'none' });
    await rig.untilSettled(30);
    const ends = await expectAgreement(rig, hashes);
    expect([...ends.values()]).toEqual(Array(30).fill('submitted'));
  });

  test('an analysis that never ends or fails holds nobody back', async () => {
    await start({
      share: {
        // Well within the service's three minutes, which are 1.8 seconds here.
        analysis: { firstLook: 100, every: 100, for: 1_000 },
        defaults: { Status: 'Work in progress', Revision: 'A', Type: 'Document' },
      },
    });
    await rig.control.addFault({
      route: 'analysis',
      match: { fileName: 'sheet-001.pdf' },
      action: { kind: 'analysis-never' },
    });
    await rig.control.addFault({
      route: 'analysis',
      match: { fileName: 'sheet-002.pdf' },
      action: { kind: 'analysis-error' },
    });
    const hashes = rig.dropFiles(pdfs(5));
    await rig.untilSettled(5);
    const ends = await expectAgreement(rig, hashes);
    expect([...ends.values()]).toEqual(Array(5).fill('submitted'));
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
