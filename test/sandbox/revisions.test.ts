/** Step 8: what is refused, what fails by itself, what becomes a revision. */
import { DEFAULT_PROJECTS } from './defaults';
import { type RawAnswer, RawClient, sha256 } from './raw-client';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});

beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
  client.project = DEFAULT_PROJECTS.plain;
});

afterAll(() => client.close());

interface Detail {
  reason_code: string;
  source?: string;
  message: string;
  [key: string]: unknown;
}

const details = (answer: RawAnswer): Detail[] => answer.json.error.details;
const reasons = (answer: RawAnswer) => details(answer).map(({ reason_code }) => reason_code);
const violations = async () => (await client.control.violations()).map(({ what }) => what);
const drawing = async (more: Record<string, string[]> = {}) => ({
  type: [await client.valueId('type', 'DWG')],
  number: ['N-1'],
  discipline: [await client.valueId('discipline', 'AR')],
  ...more,
});

describe('a submission', () => {
  test('makes a permanent revision with the hash of the bytes, and consumes the upload', async () => {
    const bytes = Buffer.from('final bytes');
    const id = await client.readyUpload('a.dwg', {}, bytes);
    const answer = await client.submit({ id });
    expect(answer.status).toBe(201);
    expect(answer.json.data).toEqual({ ids: [expect.stringMatching(/^[0-9A-Z]{26}$/)], failures: [] });
    expect((await client.show(id)).status).toBe(404);
    const [revision] = await client.control.revisions();
    expect(revision).toMatchObject({
      id: answer.json.data.ids[0],
      uploadId: id,
      fileName: 'a.dwg',
      name: 'a.dwg',
      sha256: sha256(bytes),
      sizeBytes: bytes.length,
      revision: 'A',
      version: 1,
      status: 'Shared',
      projectId: client.project,
    });
    expect(revision!.fields).toMatchObject({ type: ['Document'], status: ['Shared'], revision: ['A'] });
  });

  test('revision ids come in request order', async () => {
    const ids = [
      await client.readyUpload('a.dwg'),
      await client.readyUpload('b.dwg'),
      await client.readyUpload('c.dwg'),
    ];
    const { data } = (await client.submit(...ids.map(id => ({ id })))).json;
    const made = await client.control.revisions();
    const uploadOf = (revision: string) => made.find(({ id }) => id === revision)!.uploadId;
    expect(data.ids.map(uploadOf)).toEqual(ids);
  });

  test('the same name and kind of file goes into one container, in order of submission', async () => {
    const first = await client.readyUpload('a.dwg', { revision: ['A'] }, Buffer.from('1'));
    const second = await client.readyUpload('a.dwg', { revision: ['B'] }, Buffer.from('2'));
    await client.submit({ id: first });
    const path = client.dm('/document_uploads/selected_uploads', '2.2');
    const [listed] = (await client.api('POST', path, { ids: [second] })).json.data;
    await client.submit({ id: second });
    const [one, two] = await client.control.revisions();
    expect([one!.version, two!.version]).toEqual([1, 2]);
    expect(two!.containerId).toBe(one!.containerId);
    expect(listed.document_container_id).toBe(one!.containerId);
  });

  test('the same document twice is recorded', async () => {
    const bytes = Buffer.from('same');
    await client.submit({ id: await client.readyUpload('a.dwg', {}, bytes) });
    await client.submit({ id: await client.readyUpload('a.dwg', { revision: ['B'] }, bytes) });
    expect(await violations()).toEqual(['same-document-submitted-twice']);
  });

  test('file_locked is accepted at the top, an unknown property is not', async () => {
    const id = await client.readyUpload('a.dwg');
    const uploads = [{ id, upload_latest_event_id: (await client.show(id)).json.data.latest_event_id }];
    const path = client.dm('/document_revisions', '2.1');
    expect((await client.api('POST', path, { uploads, colour: 1 })).status).toBe(400);
    expect((await client.api('POST', path, { uploads, file_locked: true })).status).toBe(201);
  });

  test.each([
    ['an id that is no ULID', { id: 'abc', upload_latest_event_id: 'x' }],
    ['no event id', { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
    [
      'a reason without a status',
      { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', upload_latest_event_id: 'x', termination_reason: 'r' },
    ],
    [
      'a status that is none',
      {
        id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
        upload_latest_event_id: 'x',
        termination_reason: 'r',
        terminated_revision_status_id: 'x',
      },
    ],
  ])('%s is 400 INVALID_PROPERTY', async (_, item) => {
    const answer = await client.api('POST', client.dm('/document_revisions', '2.1'), { uploads: [item] });
    expect([answer.status, reasons(answer)]).toEqual([400, ['INVALID_PROPERTY']]);
  });
});

describe('refusals of the whole request', () => {
  test('one bad document refuses the good ones too, and they stay submittable', async () => {
    const good = await client.readyUpload('good.dwg');
    const bad = await client.completeUpload('bad.dwg');
    expect((await client.submit({ id: good }, { id: bad })).status).toBe(422);
    expect(await client.control.revisions()).toEqual([]);
    expect((await client.submit({ id: good })).status).toBe(201);
  });

  test('missing required fields are INVALID_INPUT, and named', async () => {
    const id = await client.completeUpload('a.dwg', { revision: ['A'] });
    const answer = await client.submit({ id });
    expect([answer.status, answer.json.error.code, reasons(answer)]).toEqual([
      422,
      'VALIDATION_ERROR',
      ['INVALID_INPUT'],
    ]);
    expect(details(answer)[0]!.message).toContain('Type, Status');
    expect(details(answer)[0]).not.toHaveProperty('source');
  });

  test('refusals name the upload when so set', async () => {
    await client.control.configure({ refusalsName: 'every-upload' });
    const id = await client.completeUpload('a.dwg');
    expect(details(await client.submit({ id }))[0]!.source).toBe(id);
  });

  test('a drawing needs number and discipline, a structural one its originator too', async () => {
    const id = await client.readyUpload('a.dwg', { type: [await client.valueId('type', 'DWG')] });
    expect(details(await client.submit({ id }))[0]!.message).toContain('Number, Discipline');
    const structural = await client.readyUpload(
      'b.dwg',
      await drawing({ discipline: [await client.valueId('discipline', 'ST')] }),
    );
    expect(details(await client.submit({ id: structural }))[0]!.message).toContain('Originator');
    const plain = await client.readyUpload('c.dwg', await drawing());
    expect((await client.submit({ id: plain })).status).toBe(201);
  });

  test('of two requirements that match, the one with more qualifiers applies alone', async () => {
    const qualifiers = [{ field: 'type', codes: ['DWG'] }];
    await client.control.edit(client.project, {
      kind: 'set-requirement',
      qualifiers,
      additional: ['description'],
    });
    const structural = { discipline: [await client.valueId('discipline', 'ST')] };
    const originator = [await client.valueId('originator', 'ALD')];
    const id = await client.readyUpload('a.dwg', await drawing({ ...structural, originator }));
    expect((await client.submit({ id })).status).toBe(201);
    const other = await client.readyUpload('b.dwg', await drawing());
    expect(details(await client.submit({ id: other }))[0]!.message).toContain('Description');
  });

  test('requirements that tie must all be met', async () => {
    const edit = { kind: 'set-requirement' as const, additional: ['description'] };
    await client.control.edit(client.project, {
      ...edit,
      qualifiers: [{ field: 'discipline', codes: ['AR'] }],
    });
    const id = await client.readyUpload('a.dwg', await drawing());
    expect(details(await client.submit({ id }))[0]!.message).toContain('Description');
  });

  test.each([422, 404] as const)('a consumed upload is %i UPLOAD_NOT_FOUND', async consumedStatus => {
    await client.control.configure({ consumedStatus });
    const id = await client.readyUpload('a.dwg');
    await client.submit({ id });
    const again = await client.submit({ id });
    expect([again.status, reasons(again)]).toEqual([consumedStatus, ['UPLOAD_NOT_FOUND']]);
    expect(await client.control.revisions()).toHaveLength(1);
  });

  test('an upload without a file is FILE_KEY_MISMATCH, and recorded', async () => {
    const [id = ''] = await client.createUploads('a.dwg');
    expect(reasons(await client.submit({ id, upload_latest_event_id: 'x' }))).toEqual(['FILE_KEY_MISMATCH']);
    expect(await violations()).toEqual(['incomplete-upload-submitted']);
  });

  test('a caller without the permission is PERMISSION_DENIED', async () => {
    const id = await client.readyUpload('a.dwg');
    await client.control.edit(client.project, { kind: 'permissions', submit: false });
    const answer = await client.submit({ id });
    expect([answer.status, reasons(answer)]).toEqual([422, ['PERMISSION_DENIED']]);
  });

  test('a revision value that the container holds is DUPLICATE_REVISION where the requirement forbids it', async () => {
    const first = await client.readyUpload('a.dwg', await drawing(), Buffer.from('1'));
    await client.submit({ id: first });
    const second = await client.readyUpload('a.dwg', await drawing(), Buffer.from('2'));
    expect(reasons(await client.submit({ id: second }))).toEqual(['DUPLICATE_REVISION']);
    const twins = [
      await client.readyUpload('b.dwg', await drawing(), Buffer.from('3')),
      await client.readyUpload('b.dwg', await drawing(), Buffer.from('4')),
    ];
    expect(reasons(await client.submit(...twins.map(id => ({ id }))))).toEqual(['DUPLICATE_REVISION']);
  });

  test('the default requirement allows the same revision again', async () => {
    await client.submit({ id: await client.readyUpload('a.dwg', {}, Buffer.from('1')) });
    expect(
      (await client.submit({ id: await client.readyUpload('a.dwg', {}, Buffer.from('2')) })).status,
    ).toBe(201);
  });
});

describe('workflow conflicts', () => {
  const start = () =>
    client.control.edit(client.project, {
      kind: 'start-workflow',
      name: 'a.dwg',
      mimeType: 'application/octet-stream',
    });
  const termination = async () => ({
    termination_reason: 'superseded',
    terminated_revision_status_id: await client.valueId('status', 'SUP'),
  });

  test('an active workflow refuses with everything the specification lists, and moves the event id', async () => {
    await start();
    const id = await client.readyUpload('a.dwg');
    const before = (await client.show(id)).json.data.latest_event_id;
    const answer = await client.submit({ id });
    expect([answer.status, answer.json.error.code]).toEqual([422, 'VALIDATION_ERROR']);
    expect(details(answer)).toEqual([
      {
        reason_code: 'WORKFLOW_CONFLICT',
        message: expect.any(String),
        source: id,
        document_container_id: expect.any(String),
        existing_revisions_with_workflows: [
          {
            id: expect.any(String),
            name: 'a.dwg',
            revision: '0',
            workflow_instance_id: expect.any(String),
            assigned_workflow: 'Design review',
            workflow_current_step: 'Check',
            status: '',
          },
        ],
        conflicting_uploads_with_workflow: [],
      },
    ]);
    expect((await client.show(id)).json.data.latest_event_id).not.toBe(before);
  });

  test('reason and status end the workflow, and the old revision takes the status', async () => {
    await start();
    const id = await client.readyUpload('a.dwg');
    expect((await client.submit({ id, ...(await termination()) })).status).toBe(201);
    const [old, made] = await client.control.revisions();
    expect(old).toMatchObject({ uploadId: null, status: 'Superseded', terminationReason: 'superseded' });
    expect(made).toMatchObject({ uploadId: id, version: 2, containerId: old!.containerId });
    const next = await client.readyUpload('a.dwg', { revision: ['B'] }, Buffer.from('next'));
    expect((await client.submit({ id: next })).status).toBe(201);
  });

  test('a caller who may not terminate hears of it when terminating', async () => {
    await start();
    await client.control.edit(client.project, { kind: 'permissions', terminateWorkflows: false });
    const id = await client.readyUpload('a.dwg');
    expect(reasons(await client.submit({ id }))).toEqual(['WORKFLOW_CONFLICT']);
    expect(reasons(await client.submit({ id, ...(await termination()) }))).toEqual([
      'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION',
    ]);
  });

  test('or at the first try', async () => {
    await client.control.configure({ insufficientPermissionAt: 'first-try' });
    await start();
    await client.control.edit(client.project, { kind: 'permissions', terminateWorkflows: false });
    const id = await client.readyUpload('a.dwg');
    expect(reasons(await client.submit({ id }))).toEqual(['WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION']);
  });

  test('a workflow that ends by itself stands in nobody’s way', async () => {
    await start();
    const id = await client.readyUpload('a.dwg');
    const document = { name: 'a.dwg', mimeType: 'application/octet-stream' };
    await client.control.edit(client.project, { kind: 'end-workflow', ...document });
    expect((await client.submit({ id })).status).toBe(201);
  });
});

describe('failures of single items', () => {
  test('a stale event id fails that item and lets the others through', async () => {
    const stale = await client.readyUpload('stale.dwg');
    const good = await client.readyUpload('good.dwg');
    const old = (await client.show(stale)).json.data.latest_event_id;
    const edit = {
      kind: 'edit-upload' as const,
      uploadId: stale,
      field: 'description',
      values: ['a person was here'],
    };
    await client.control.edit(client.project, edit);
    const answer = await client.submit({ id: stale, upload_latest_event_id: old }, { id: good });
    expect(answer.status).toBe(201);
    expect(answer.json.data.ids).toHaveLength(1);
    expect(answer.json.data.failures).toEqual([
      { upload_id: stale, reason_code: 'CONCURRENCY_CONFLICT', message: expect.any(String) },
    ]);
    expect(answer.json.data.failureIds).toEqual([stale]);
    expect((await client.submit({ id: stale })).json.data.ids).toHaveLength(1);
  });

  test('without the check a stale event id passes', async () => {
    await client.control.configure({ checkEventId: false });
    const id = await client.readyUpload('a.dwg');
    expect((await client.submit({ id, upload_latest_event_id: 'stale' })).json.data.ids).toHaveLength(1);
  });

  test('a person can submit an upload first', async () => {
    const id = await client.readyUpload('a.dwg');
    await client.control.edit(client.project, { kind: 'submit-upload', fileName: 'a.dwg' });
    expect(reasons(await client.submit({ id, upload_latest_event_id: 'x' }))).toEqual(['UPLOAD_NOT_FOUND']);
    expect((await client.control.revisions())[0]).toMatchObject({ uploadId: id, submittedBy: 9002 });
  });
});
