// Projects as they come: with a naming standard, misconfigured, without permissions,
// with conditional requirements.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { resumeSignal } from '../../workflows/contract';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { Rig } from '../setup/rig';
import { expectAgreement, expectNoRemark, pdfs } from './agreement';

jest.setTimeout(120_000);

let rig: Rig;
afterEach(async () => {
  await rig.close();
});

async function start(options: Parameters<typeof Rig.start>[0] = {}): Promise<void> {
  rig = await Rig.start(options);
  await rig.startWatcher();
  await rig.startWorker();
}

/** The only run there is, once it says what is waited for. */
async function untilProgress(is: (progress: BatchProgress) => boolean): Promise<WorkflowHandle> {
  for (;;) {
    for await (const { workflowId } of rig.temporal.client.workflow.list({
      query: `WorkflowType = 'ingestBatchWorkflow'`,
    })) {
      const handle = rig.temporal.client.workflow.getHandle(workflowId);
      if (is(await handle.query(progressQuery))) return handle;
    }
    await delay(50);
  }
}

function endOf(path: string): string | undefined {
  const row = rig
    .receipts()
    .flatMap(({ files }) => files)
    .find(each => each.path === path);
  return row?.reason?.code ?? row?.outcome;
}

describe('a project with a naming standard', () => {
  const share = {
    project: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.namingStandard },
    defaults: { Status: 'Work in progress' },
    missing: 'set-apart',
  };

  test('what the file name says needs no value of ours; what it does not say is set apart with the field named', async () => {
    await start({ share });
    const hashes = rig.dropFiles({
      'HB-ALD-DOC-0001-A.pdf': 'one',
      'HB-BIR-RPT-0002-B.docx': 'two',
      'no standard.docx': 'three',
    });
    await rig.untilSettled(3);
    const revisions = await rig.control.revisions();
    expect(revisions.map(({ fileName }) => fileName).sort()).toEqual([
      'HB-ALD-DOC-0001-A.pdf',
      'HB-BIR-RPT-0002-B.docx',
    ]);
    for (const revision of revisions) expect(revision.sha256).toBe(hashes.get(revision.fileName));
    expect(endOf('no standard.docx')).toBe('missing-values');
    await expectNoRemark(rig.control);
  });
});

describe('what only a person can repair', () => {
  test('a project whose naming standard is not configured blocks the batch until it is', async () => {
    await start({
      share: { project: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.unconfigured } },
    });
    const hashes = rig.dropFiles(pdfs(3));
    const handle = await untilProgress(({ blocked }) => blocked !== undefined);
    await rig.control.edit(DEFAULT_PROJECTS.unconfigured, { kind: 'configured', configured: true });
    await handle.signal(resumeSignal, {});
    await rig.untilSettled(3);
    await expectAgreement(rig, hashes);
  });

  test.each(['upload', 'submit'] as const)('a missing permission to %s is waited for', async permission => {
    await start();
    await rig.control.edit(DEFAULT_PROJECTS.plain, { kind: 'permissions', [permission]: false });
    const hashes = rig.dropFiles(pdfs(3));
    const handle = await untilProgress(({ blocked }) => blocked?.reason.code === 'ACCESS_DENIED');
    await rig.control.edit(DEFAULT_PROJECTS.plain, { kind: 'permissions', [permission]: true });
    await handle.signal(resumeSignal, {});
    await rig.untilSettled(3);
    await expectAgreement(rig, hashes);
  });

  test('a default that the project does not know blocks the batch and names the nearest value', async () => {
    await start({ share: { defaults: { Type: 'Documnet', Status: 'Work in progress', Revision: 'A' } } });
    rig.dropFiles(pdfs(2));
    const handle = await untilProgress(({ blocked }) => blocked !== undefined);
    const { blocked } = await handle.query(progressQuery);
    expect(blocked?.reason).toMatchObject({
      code: 'MISCONFIGURED',
      text: expect.stringMatching(/Documnet.*Document/),
    });
    expect(await rig.control.uploads()).toEqual([]);
  });
});

describe('a configuration that the project does not fit', () => {
  const untilBlocked = async () =>
    (await (await untilProgress(({ blocked }) => blocked !== undefined)).query(progressQuery)).blocked
      ?.reason;

  test('what was claimed under a wrong project goes on by itself once the configuration is corrected', async () => {
    await start({ share: { project: { companyId: DEFAULT_COMPANY_ID, projectId: '9999' } } });
    const hashes = rig.dropFiles(pdfs(2));
    const wrong = await untilProgress(({ blocked }) => blocked?.reason.code === 'MISCONFIGURED');
    await rig.stopWatcher();
    await rig.stopWorker();
    rig.useProject({ companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain });
    await rig.startWorker();
    await rig.startWatcher();
    // Nobody says anything to the run that stands still: the watcher does.
    expect(await wrong.result()).toMatchObject({ submitted: 0, movedTo: DEFAULT_PROJECTS.plain });
    await rig.untilSettled(2);
    await expectAgreement(rig, hashes);
  });

  test('a project that the service does not know is waited for in sight', async () => {
    await start({ share: { project: { companyId: DEFAULT_COMPANY_ID, projectId: '9999' } } });
    rig.dropFiles(pdfs(2));
    expect(await untilBlocked()).toMatchObject({
      code: 'MISCONFIGURED',
      text: expect.stringMatching(/no project 9999/),
    });
  });

  test('a pattern that reads what is no field blocks the batch; the project gets the field, and it goes on', async () => {
    await start({ share: { fileNamePattern: '^(?<Zone>.+)\\.' } });
    const hashes = rig.dropFiles(pdfs(2));
    const handle = await untilProgress(({ blocked }) => blocked !== undefined);
    expect((await handle.query(progressQuery)).blocked?.reason).toMatchObject({
      code: 'MISCONFIGURED',
      text: expect.stringMatching(/no field "Zone".*nearest/),
    });
    expect(await rig.control.uploads()).toEqual([]);
    const edit = { kind: 'add-field', name: 'zone', label: 'Zone', type: 'string' } as const;
    await rig.control.edit(DEFAULT_PROJECTS.plain, edit);
    await handle.signal(resumeSignal, {});
    await rig.untilSettled(2);
    await expectAgreement(rig, hashes);
  });
});

describe('conditional requirements', () => {
  const share = {
    fileNamePattern: '^(?<Number>[A-Z]-\\d+)_(?<Type>[A-Za-z]+)_(?<Revision>[^.]+)',
    defaults: { Status: 'Shared' },
  };

  test('a drawing needs more than a document; a person gives it, and the document goes on', async () => {
    await start({ share });
    const hashes = rig.dropFiles({
      'A-1_Drawing_B.docx': 'drawing',
      'A-2_Document_B.docx': 'document',
      'A-3_Model_B.docx': 'inactive',
    });
    const handle = await untilProgress(({ held }) => held.length === 1);
    const { held } = await handle.query(progressQuery);
    expect(held).toMatchObject([
      { path: 'A-1_Drawing_B.docx', question: 'missing-values', missing: ['Discipline'] },
    ]);
    await expect(
      handle.executeUpdate(answerUpdate, {
        args: [{ document: 'A-1_Drawing_B.docx', values: { Discipline: 'Plumbing' } }],
      }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('no longer active') } });
    await handle.executeUpdate(answerUpdate, {
      args: [{ document: 'A-1_Drawing_B.docx', values: { Discipline: 'AR' } }],
    });
    await rig.untilSettled(3);
    const ends = await expectAgreement(rig, hashes);
    expect(Object.fromEntries(ends)).toEqual({
      'A-1_Drawing_B.docx': 'submitted',
      'A-2_Document_B.docx': 'submitted',
      'A-3_Model_B.docx': 'inactive-value',
    });
    await expectNoRemark(rig.control);
    const drawing = (await rig.control.revisions()).find(({ fileName }) => fileName === 'A-1_Drawing_B.docx');
    expect(drawing).toMatchObject({
      revision: 'B',
      fields: { discipline: ['Architectural'], number: ['A-1'] },
    });
  });
});
