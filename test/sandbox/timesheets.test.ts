/** Timesheets, timecard entries and signatures: strict about bodies, states and the project's timing mode. */
import { COMPANY_HEADER, DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from './defaults';
import { RawClient, send, sha256 } from './raw-client';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});
beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
});
afterAll(() => client.close());

const at = (path: string, project: string = DEFAULT_PROJECTS.plain) =>
  `/rest/v1.0/projects/${project}/${path}`;
const date = '2026-02-02';

async function newSheet(project?: string): Promise<number> {
  const answer = await client.api('POST', at('timesheets', project), { timesheet: { date } });
  expect(answer.status).toBe(201);
  return answer.json.id;
}

function newEntry(timesheetId: number, more: Record<string, unknown> = {}, project?: string) {
  const entry = { timesheet_id: timesheetId, time_in: '07:00', time_out: '15:30', lunch_time: '30', ...more };
  return client.api('POST', at('timecard_entries', project), { timecard_entry: entry });
}

describe('timesheets', () => {
  test('are numbered in their project and named after day and sequence', async () => {
    await newSheet();
    await newSheet();
    const { json } = await client.api('GET', at('timesheets?per_page=1&page=2'));
    expect(json).toEqual([
      expect.objectContaining({ number: 2, name: '2026-02-02 #2', status: 'pending', timecard_entries: [] }),
    ]);
  });

  test.each([
    ['a day that does not exist', { timesheet: { date: '2026-02-30' } }],
    ['an unknown property', { timesheet: { date, crew: 1 } }],
    ['nothing', {}],
  ])('%s is refused with 422', async (_, body) => {
    expect((await client.api('POST', at('timesheets'), body)).status).toBe(422);
    expect((await client.api('GET', at('timesheets'))).json).toEqual([]);
  });

  test('an improper status is 400, an unknown sheet 404, and both leave the others alone', async () => {
    const id = await newSheet();
    const approve = (timesheets: unknown) =>
      client.api('PATCH', at('timesheets/update_approval'), { timesheets });
    expect((await approve([{ id, status: 'done' }])).status).toBe(400);
    expect(
      (
        await approve([
          { id, status: 'approved' },
          { id: 1, status: 'approved' },
        ])
      ).status,
    ).toBe(404);
    expect((await client.api('GET', at(`timesheets/${id}`))).json.status).toBe('pending');
    expect((await approve([{ id, status: 'approved' }])).json).toEqual([
      expect.objectContaining({ id, status: 'approved' }),
    ]);
  });

  test('belong to their project', async () => {
    const id = await newSheet();
    expect((await client.api('GET', at(`timesheets/${id}`, DEFAULT_PROJECTS.namingStandard))).status).toBe(
      404,
    );
  });
});

describe('timecard entries', () => {
  test.each([
    ['07:00', '15:30', '30', '8.0'],
    ['22:00', '06:00', 45, '7.25'],
    ['07:00', '12:20', 0, '5.33'],
    ['2026-02-02T22:00:00+01:00', '2026-02-03T06:00:00+01:00', '0', '8.0'],
  ])('%s to %s less %s minutes are %s hours', async (time_in, time_out, lunch_time, hours) => {
    const answer = await newEntry(await newSheet(), { time_in, time_out, lunch_time });
    expect([answer.status, answer.json.hours]).toEqual([201, hours]);
  });

  test.each([
    ['hours', { hours: '8.0' }, 422],
    ['no end', { time_out: undefined }, 422],
    ['an unknown cost code', { cost_code_id: 1 }, 422],
    ['an unknown time type', { timecard_time_type_id: 1 }, 422],
    ['an unknown party', { party_id: 1 }, 422],
    ['a stranger', { login_information_id: 1 }, 422],
    ['another day', { date: '2026-02-03' }, 422],
    ['30 February', { time_in: '2026-02-30T07:00:00Z', time_out: '2026-02-30T15:30:00Z' }, 422],
    ['an unknown property', { wage: '1' }, 400],
    ['a lunch of half minutes', { lunch_time: 30.5 }, 400],
  ])('%s is refused', async (_, more, status) => {
    const sheet = await newSheet();
    expect((await newEntry(sheet, more)).status).toBe(status);
    expect((await client.api('GET', at(`timesheets/${sheet}`))).json.timecard_entries).toEqual([]);
  });

  test('of an approved sheet cannot be made, changed or deleted', async () => {
    const sheet = await newSheet();
    const { json } = await newEntry(sheet);
    const timesheets = [{ id: sheet, status: 'approved' }];
    await client.api('PATCH', at('timesheets/update_approval'), { timesheets });
    const path = at(`timecard_entries/${json.id}`);
    const answers = [
      await newEntry(sheet),
      await client.api('PATCH', path, { timecard_entry: { description: 'x' } }),
      await client.api('DELETE', path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect((await client.api('GET', path)).json).toMatchObject({
      approval_status: 'approved',
      permissions: { can_update: false, can_delete: false },
    });
  });

  test('the list is of today unless days are given', async () => {
    await newEntry(await newSheet());
    expect((await client.api('GET', at('timecard_entries'))).json).toEqual([]);
    expect((await client.api('GET', at(`timecard_entries?log_date=${date}`))).json).toHaveLength(1);
    expect((await client.api('GET', at('timecard_entries?start_date=2026-02-03'))).json).toEqual([]);
  });

  test('are not shown once deleted, and their ids are not given again', async () => {
    const sheet = await newSheet();
    const first = await newEntry(sheet);
    await client.api('DELETE', at(`timecard_entries/${first.json.id}`));
    const second = await newEntry(sheet);
    expect(second.json.id).not.toBe(first.json.id);
    expect((await client.api('GET', at(`timecard_entries/${first.json.id}`))).status).toBe(404);
  });
});

describe('signatures', () => {
  function sign(fields: Record<string, string>, file?: { type: string; bytes: Buffer }) {
    const parts = Object.entries(fields).map(
      ([name, text]) => `--b0\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
    );
    const head =
      file === undefined
        ? ''
        : `--b0\r\nContent-Disposition: form-data; name="signature[data]"; filename="s.png"\r\nContent-Type: ${file.type}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(parts.join('') + head),
      file?.bytes ?? Buffer.alloc(0),
      Buffer.from(`${file === undefined ? '' : '\r\n'}--b0--\r\n`),
    ]);
    return send('POST', `${client.sandbox.apiUrl}${at('timesheets/signatures')}`, {
      headers: {
        authorization: `Bearer ${client.token}`,
        [COMPANY_HEADER]: DEFAULT_COMPANY_ID,
        'content-type': 'multipart/form-data; boundary=b0',
      },
      body,
    });
  }
  const bytes = Buffer.from([0x89, 0x50, 13, 10, 0, 255]);

  test('an image of a user is kept byte for byte', async () => {
    const answer = await sign({ 'signature[user_id]': '9001' }, { type: 'image/png', bytes });
    expect([answer.status, answer.json.file_name]).toEqual([201, 's.png']);
    const [made] = (await client.control.operations()).filter(({ what }) => what === 'signature-created');
    expect(made?.detail?.sha256).toBe(sha256(bytes));
    expect((await client.api('GET', at(`timesheets/signatures/${answer.json.id}`))).json).toMatchObject({
      created_by: { id: 9001 },
    });
  });

  test.each<[string, Record<string, string>, { type: string; bytes: Buffer } | undefined, number]>([
    ['no file', { 'signature[user_id]': '9001' }, undefined, 400],
    ['no user', {}, { type: 'image/png', bytes }, 400],
    ['an unknown user', { 'signature[user_id]': '1' }, { type: 'image/png', bytes }, 422],
    ['a text file', { 'signature[user_id]': '9001' }, { type: 'text/plain', bytes }, 422],
  ])('%s is refused', async (_, fields, file, status) => {
    expect((await sign(fields, file)).status).toBe(status);
    expect((await client.api('GET', at('timesheets/signatures'))).json).toEqual([]);
  });
});
