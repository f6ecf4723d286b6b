/** Steps 4, 6 and 7 and the bulk read, by plain HTTP. */
import { DEFAULT_PROJECTS } from './defaults';
import { RawClient } from './raw-client';

/** Two real seconds: a busy machine has sent its file by then. */
const LINK_WITHIN_SECONDS = 2_000;

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

describe('creating uploads', () => {
  test('every upload starts INCOMPLETE and hidden', async () => {
    const ids = await client.createUploads('a.pdf', 'b.dwg');
    expect(new Set(ids).size).toBe(2);
    expect((await client.show(ids[0]!)).status).toBe(404);
    const uploads = await client.control.uploads();
    expect(uploads.map(({ fileName, status }) => [fileName, status])).toEqual([
      ['a.pdf', 'INCOMPLETE'],
      ['b.dwg', 'INCOMPLETE'],
    ]);
  });

  test('an unknown property refuses the whole batch and is named', async () => {
    const uploads = [
      { file_name: 'a.pdf', mime_type: 'application/pdf' },
      { file_name: 'b', mime_type: 'text/plain', extra: 1 },
    ];
    const answer = await client.api('POST', client.dm('/document_uploads'), { uploads });
    expect(answer.status).toBe(400);
    expect(answer.json.error.details[0]).toMatchObject({
      reason_code: 'INVALID_PROPERTY',
      field: 'uploads[1].extra',
    });
    expect(await client.control.uploads()).toEqual([]);
  });

  test('101 uploads are refused and recorded as a violation', async () => {
    const uploads = Array.from({ length: 101 }, (_, n) => ({
      file_name: `${n}.pdf`,
      mime_type: 'application/pdf',
    }));
    expect((await client.api('POST', client.dm('/document_uploads'), { uploads })).status).toBe(400);
    expect((await client.control.violations()).map(({ what }) => what)).toEqual(['too-many-items']);
  });

  test('a project without its naming standard configuration answers 404 NOT_FOUND', async () => {
    client.project = DEFAULT_PROJECTS.unconfigured;
    const uploads = [{ file_name: 'a.pdf', mime_type: 'application/pdf' }];
    const answer = await client.api('POST', client.dm('/document_uploads'), { uploads });
    expect([answer.status, answer.json.error.details[0].reason_code]).toEqual([404, 'NOT_FOUND']);
  });

  test('a caller without the permission is refused with 403 ACCESS_DENIED', async () => {
    await client.control.edit(client.project, { kind: 'permissions', upload: false });
    const uploads = [{ file_name: 'a.pdf', mime_type: 'application/pdf' }];
    const answer = await client.api('POST', client.dm('/document_uploads'), { uploads });
    expect([answer.status, answer.json.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(answer.json.error.details[0].reason_code).toBe('ACCESS_DENIED');
  });

  test.each([
    ['file-name' as const, ['a.pdf']],
    ['must-be-set' as const, []],
  ])('with the name source %s the name is %j', async (nameSource, name) => {
    await client.control.configure({ nameSource });
    await client.createUploads('a.pdf');
    expect((await client.control.uploads())[0]!.fields.name?.values ?? []).toEqual(name);
  });
});

describe('linking and completing', () => {
  test('a linked and completed upload becomes visible with every field in one answer', async () => {
    const id = await client.completeUpload('a.dwg');
    const { data } = (await client.show(id)).json;
    expect(data.upload_status).toBe('COMPLETED');
    expect(data.integration_statuses).toEqual({ ml: 'not_applicable', filename_scraping: 'not_applicable' });
    expect(data.fields.length).toBeGreaterThan(10);
    expect(data.permissions).toEqual({ allowed_actions: [] });
    expect(data.match_criteria).toBeUndefined();
  });

  test('an unknown id is dropped from the answer without a word', async () => {
    const [id] = await client.createUploads('a.pdf');
    const answer = await client.patch([{ id }, { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }]);
    expect(answer.status).toBe(207);
    expect(answer.json.data).toEqual({ success: [{ id }], failed: [] });
  });

  test('a file that is not available is in failed[] with code 404, and nothing of that item is applied', async () => {
    const [id, other] = await client.createUploads('a.pdf', 'b.pdf');
    await client.control.configure({ scanMs: 3_600_000 });
    const opened = await client.openFile('a.pdf', Buffer.from('a'));
    const file_upload_id = opened.json.data.upload_id;
    const description = await client.fieldId('description');
    const answer = await client.patch([
      { id, file_upload_id, upload_status: 'COMPLETED', fields: [{ id: description, values: ['text'] }] },
      { id: other, fields: [{ id: description, values: ['text'] }] },
    ]);
    expect(answer.json.data.failed).toEqual([{ id, code: 404, message: expect.any(String) }]);
    expect(answer.json.data.success).toEqual([{ id: other }]);
    const [first, second] = await client.control.uploads();
    expect([first!.status, first!.fields.description]).toEqual(['INCOMPLETE', undefined]);
    expect(second!.fields.description?.values).toEqual(['text']);
    expect((await client.control.violations()).map(({ what }) => what)).toEqual(['linked-before-available']);
  });

  test('a file linked to two uploads is a 500 and nothing is applied', async () => {
    const [a, b] = await client.createUploads('a.pdf', 'b.pdf');
    const file_upload_id = await client.sendFile('a.pdf');
    const answer = await client.patch([
      { id: a, file_upload_id, upload_status: 'COMPLETED' },
      { id: b, file_upload_id, upload_status: 'COMPLETED' },
    ]);
    expect(answer.status).toBe(500);
    await client.patch([{ id: a, file_upload_id, upload_status: 'COMPLETED' }]);
    expect((await client.patch([{ id: b, file_upload_id }])).status).toBe(500);
    expect((await client.control.uploads()).map(({ status }) => status)).toEqual(['COMPLETED', 'INCOMPLETE']);
  });

  test('completing without a file in the same request is a 500, also when the file was linked before', async () => {
    const [id] = await client.createUploads('a.pdf');
    expect((await client.patch([{ id, upload_status: 'COMPLETED' }])).status).toBe(500);
    const file_upload_id = await client.sendFile('a.pdf');
    expect((await client.patch([{ id, file_upload_id }])).status).toBe(207);
    expect((await client.patch([{ id, upload_status: 'COMPLETED' }])).status).toBe(500);
    const both = await client.patch([{ id, file_upload_id, upload_status: 'COMPLETED' }]);
    expect(both.json.data.success).toEqual([{ id }]);
  });

  test('the same link and completion can be repeated', async () => {
    const [id] = await client.createUploads('a.pdf');
    const item = { id, file_upload_id: await client.sendFile('a.pdf'), upload_status: 'COMPLETED' };
    await client.patch([item]);
    expect((await client.patch([item])).json.data.success).toEqual([{ id }]);
    expect(await client.control.violations()).toEqual([]);
  });

  test('a file that was not linked in time is gone', async () => {
    const [id] = await client.createUploads('a.pdf');
    await client.control.configure({ linkWithinSeconds: LINK_WITHIN_SECONDS });
    const file_upload_id = await client.sendFile('a.pdf');
    await client.until(async () => (await client.api('GET', client.filePath(file_upload_id))).status === 404);
    const answer = await client.patch([{ id, file_upload_id, upload_status: 'COMPLETED' }]);
    expect(answer.json.data.failed).toMatchObject([{ id, code: 404 }]);
    expect(await client.control.violations()).toEqual([]);
  });

  test('of one name no more files are forgotten than was asked for', async () => {
    await client.control.configure({ linkWithinSeconds: LINK_WITHIN_SECONDS, mostForgottenOfAName: 1 });
    const statusOf = async (id: string) => (await client.api('GET', client.filePath(id))).status;
    const first = await client.sendFile('a.pdf');
    await client.until(async () => (await statusOf(first)) === 404);
    const [second, other] = [await client.sendFile('a.pdf'), await client.sendFile('b.pdf')];
    await client.until(async () => (await statusOf(other)) === 404);
    expect(await statusOf(second)).toBe(200);
  });

  test('a file uploaded by somebody else cannot be linked', async () => {
    const [id] = await client.createUploads('a.pdf');
    const mine = client.token;
    client.token = (await client.control.login()).accessToken;
    const file_upload_id = await client.sendFile('a.pdf');
    client.token = mine;
    const answer = await client.patch([{ id, file_upload_id, upload_status: 'COMPLETED' }]);
    expect(answer.json.data.failed).toMatchObject([{ id, code: 404 }]);
  });

  test('update_all_document_uploads is refused and recorded', async () => {
    const [id] = await client.createUploads('a.pdf');
    expect((await client.patch([{ id }], { update_all_document_uploads: true })).status).toBe(400);
    expect((await client.control.violations()).map(({ what }) => what)).toEqual(['update-all-uploads']);
  });

  test('a second completed upload of the same bytes under the same name is recorded', async () => {
    await client.completeUpload('a.dwg', {}, Buffer.from('same'));
    await client.completeUpload('a.dwg', {}, Buffer.from('same'));
    expect((await client.control.violations()).map(({ what }) => what)).toEqual(['second-live-upload']);
  });
});

describe('field values', () => {
  test.each([
    ['an inactive value', 'status', ['ARC']],
    ['a value of another field', 'status', ['DWG', 'type']],
    ['two values of a single select', 'type', ['DWG', 'DOC']],
  ])('%s is refused and nothing is applied', async (_, field, codes) => {
    const [id] = await client.createUploads('a.pdf');
    const owner = field === 'status' && codes[1] === 'type' ? 'type' : field;
    const values = await Promise.all(
      codes.filter(code => code !== 'type').map(code => client.valueId(owner, code)),
    );
    expect(values.every(value => value !== '')).toBe(true);
    const answer = await client.patch([{ id, fields: [{ id: await client.fieldId(field), values }] }]);
    expect(answer.status).toBe(400);
    expect(answer.json.error.details[0]).toMatchObject({
      reason_code: 'INVALID_PROPERTY',
      field: 'update_params[0].fields[0].values',
    });
  });

  test.each([
    ['uploaded_by', ['9001']],
    ['legacy_code', ['x']],
    ['sheet_count', ['many']],
    ['date_authored', ['last Tuesday']],
    ['authored_by', ['1']],
    ['location', ['120670']],
    ['description', ['one', 'two']],
    ['description', [3]],
  ])('%s refuses %j', async (field, values) => {
    const [id] = await client.createUploads('a.pdf');
    const answer = await client.patch([{ id, fields: [{ id: await client.fieldId(field), values }] }]);
    expect([answer.status, answer.json.error.details[0].reason_code]).toEqual([400, 'INVALID_PROPERTY']);
  });

  test('every kind of field stores what it should', async () => {
    const packages = await Promise.all(['PK1', 'PK3'].map(code => client.valueId('packages', code)));
    const id = await client.completeUpload('a.dwg', {
      description: ['Long text & more'],
      sheet_count: ['12.5'],
      date_authored: ['2025-02-03T00:00:00Z'],
      authored_by: ['9001', '9002'],
      location: ['120667'],
      packages,
    });
    const { fields } = (await client.show(id)).json.data;
    const shown = (name: string) => fields.find((field: { name: string }) => field.name === name);
    expect(shown('description').values).toEqual([{ label: 'Long text & more' }]);
    expect(shown('sheet_count').values).toEqual([{ label: '12.5' }]);
    expect(shown('location').values).toEqual([{ id: '120667', code: 'A-1', label: 'Building A > Level 1' }]);
    expect(shown('authored_by').values).toHaveLength(2);
    expect(shown('packages').values.map((value: { code: string }) => value.code)).toEqual(['PK1', 'PK3']);
    expect(shown('packages').label_source).toBe('MANUAL');
  });

  test('only_update_empty_fields leaves what is there', async () => {
    const [id] = await client.createUploads('a.pdf');
    const [description, number] = await Promise.all(
      ['description', 'number'].map(name => client.fieldId(name)),
    );
    await client.patch([{ id, fields: [{ id: description, values: ['mine'] }] }]);
    const fields = [
      { id: description, values: ['default'] },
      { id: number, values: ['N-1'] },
    ];
    await client.patch([{ id, fields }], { only_update_empty_fields: true });
    const [upload] = await client.control.uploads();
    expect([upload!.fields.description!.values, upload!.fields.number!.values]).toEqual([['mine'], ['N-1']]);
  });

  test('every write moves the event id', async () => {
    const id = await client.completeUpload('a.dwg');
    const before = (await client.show(id)).json.data.latest_event_id;
    await client.patch([{ id, fields: [{ id: await client.fieldId('number'), values: ['N'] }] }]);
    expect((await client.show(id)).json.data.latest_event_id).not.toBe(before);
  });

  test('a field of the workflow engine can be written, and is recorded', async () => {
    await client.completeUpload('a.dwg', { workflow_manager: ['9001'] });
    expect((await client.control.violations()).map(({ what }) => what)).toEqual(['workflow-field-written']);
  });
});

describe('reading uploads', () => {
  test('the bulk read answers what it finds, in pages of ten unless asked', async () => {
    const ids: string[] = [];
    for (const name of Array.from({ length: 12 }, (_, n) => `${n}.dwg`))
      ids.push(await client.completeUpload(name));
    const [hidden] = await client.createUploads('hidden.pdf');
    const path = client.dm('/document_uploads/selected_uploads', '2.2');
    const all = { ids: [...ids, hidden, '01ARZ3NDEKTSV4RRFFQ69G5FAV'] };
    const page = await client.api('POST', path, all);
    expect([page.status, page.json.data.length, page.headers.total]).toEqual([200, 10, '12']);
    const whole = await client.api('POST', `${path}?per_page=100`, all);
    const found: { id: string }[] = whole.json.data;
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(ids));
    expect(found.map(({ id }) => id)).not.toEqual(ids);
    expect(whole.headers.link).toBe('');
    expect(found[0]).toMatchObject({
      match_criteria: expect.stringContaining('.dwg|'),
      document_container_id: null,
    });
    expect(found[0]).not.toHaveProperty('permissions');
  });

  test.each(['2.0', '2.1'])(
    'the bulk read of version %s answers 201 and is recorded as deprecated',
    async version => {
      const id = await client.completeUpload('a.dwg');
      const answer = await client.api('POST', client.dm('/document_uploads/selected_uploads', version), {
        ids: [id],
      });
      expect([answer.status, answer.json.data.length]).toEqual([201, 1]);
      expect((await client.control.violations()).map(({ what }) => what)).toEqual(['deprecated-path']);
    },
  );

  test('the bulk read is 404 where the project does not have it', async () => {
    await client.control.configure({ bulkRead: false });
    const path = client.dm('/document_uploads/selected_uploads', '2.2');
    expect((await client.api('POST', path, { ids: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] })).status).toBe(404);
  });

  test('the list holds COMPLETED uploads only', async () => {
    await client.createUploads('hidden.pdf');
    const id = await client.completeUpload('shown.dwg');
    const answer = await client.api('GET', client.dm('/document_uploads'));
    expect(answer.json.data.map((row: { id: string }) => row.id)).toEqual([id]);
  });

  test('an upload deleted by a person is 410, one that is shown as incomplete only when told to be', async () => {
    const id = await client.completeUpload('a.dwg');
    await client.control.edit(client.project, { kind: 'delete-upload', uploadId: id });
    expect((await client.show(id)).status).toBe(410);
    const [hidden] = await client.createUploads('b.dwg');
    await client.control.configure({ incompleteIsHidden: false });
    expect((await client.show(hidden!)).json.data.upload_status).toBe('INCOMPLETE');
  });

  test('statuses can come as objects', async () => {
    const id = await client.completeUpload('a.dwg');
    await client.control.configure({ statusShape: 'object' });
    expect((await client.show(id)).json.data.integration_statuses.ml).toEqual({ status: 'not_applicable' });
  });
});
