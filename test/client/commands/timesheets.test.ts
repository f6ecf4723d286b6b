// The commands of timesheets, against a real worker, a real Temporal server and the stand-in.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../client/main';
import { DEFAULT_CREDENTIALS } from '../../sandbox/defaults';
import { usePrinted } from '../../setup/printed';
import { Rig } from '../../setup/rig';

let rig: Rig;
let folder: string;
const printed = usePrinted();

beforeAll(async () => {
  rig = await Rig.start();
  await rig.startWorker();
  process.env.TEMPORAL_ADDRESS = rig.temporal.address;
  process.env.TEMPORAL_NAMESPACE = rig.temporal.namespace;
});
beforeEach(async () => {
  await rig.control.reset();
  folder = mkdtempSync(join(tmpdir(), 'drawbridge-commands-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = undefined;
});
afterAll(async () => {
  delete process.env.TEMPORAL_ADDRESS;
  delete process.env.TEMPORAL_NAMESPACE;
  await rig.close();
});

function run(...args: string[]): Promise<number> {
  process.exitCode = undefined;
  return main(['--config', join(rig.folder, 'drawbridge.json'), ...args], 'drawbridge');
}

function clock(...lines: string[]): string {
  const path = join(folder, 'clock.csv');
  writeFileSync(path, `${['date,person,cost code,time in,time out,lunch', ...lines].join('\n')}\n`);
  return path;
}

async function until(pattern: RegExp): Promise<void> {
  while (!pattern.test(printed.text)) await printed.more();
}

const count = async (route: string) => (await rig.control.requests())[route] ?? 0;

test('a sheet for each day, and nothing twice when the file is imported again', async () => {
  const path = clock('2026-03-02,Ada Ashby,03-010,7:00,15:30,30', '2026-03-03,9002,41032,14:00,22:00,45');
  expect(await run('timesheets', 'import', path, '--timing', 'times', '--approve', 'at-once')).toBe(0);
  expect(printed.text).toMatch(/2026-03-02: sheet \d+ .* is approved; 1 rows are on it, 0 are not/);
  expect(printed.text).toMatch(/2026-03-03: sheet \d+ .* is approved/);
  expect(await run('timesheets', 'import', path, '--timing', 'times')).toBe(0);
  expect([await count('timesheets.create'), await count('timecards.create')]).toEqual([2, 2]);
});

test('what is wrong with a row is told with its line, the others are entered', async () => {
  const path = clock('2026-03-04,Ada Ashby,03-010,7:00,15:30,30', '2026-03-04,Adda Ashby,03-010,7:00,7:00,');
  expect(await run('timesheets', 'import', path, '--timing', 'times')).toBe(4);
  expect(printed.text).toMatch(/line 3: There is no person "Adda Ashby"\. Near it: Ada Ashby/);
  expect(printed.text).toMatch(/line 3: The start and the end are both 07:00/);
  expect(printed.text).toMatch(/is pending; 1 rows are on it, 1 are not/);
});

test('hours that no line stands for any more are told, and ask for attention', async () => {
  const [ada, late] = ['2026-03-10,Ada Ashby,03-010,7:00,15:30,30', '2026-03-10,9002,41032,14:00,22:00,45'];
  const importing = (...lines: string[]) => run('timesheets', 'import', clock(...lines), '--timing', 'times');
  expect(await importing(ada, late)).toBe(0);
  printed.clear();
  expect(await importing(ada)).toBe(4);
  expect(printed.text).toMatch(/Entries of this source that no row stands for were left: \d+\. Delete them/);
  expect(printed.text).toMatch(/is pending; 1 rows are on it, 0 are not/);
});

test('hours that the service stored otherwise are told once, with the line, and ask for attention', async () => {
  const path = join(folder, 'clock.csv');
  writeFileSync(
    path,
    'ref,date,person,cost code,time in,time out\na,2026-03-11,Ada Ashby,03-010,7:00,15:00\n',
  );
  const origin_data = 'drawbridge/timesheet/2026-03-11/a';
  await rig.control.addFault({
    route: 'timesheets.show',
    skip: 1,
    action: {
      kind: 'status',
      status: 200,
      body: { id: 1, status: 'pending', timecard_entries: [{ id: 2, hours: '7.0', origin_data }] },
    },
  });
  expect(await run('timesheets', 'import', path, '--timing', 'times')).toBe(4);
  expect(printed.text).toMatch(/line 2: The service stored 7\.0 hours; the row makes 8/);
  expect(printed.text).not.toContain('Row 1: The service stored');
});

test('a sheet that waits is decided about from elsewhere', async () => {
  const path = clock('2026-03-05,Ada Ashby,03-010,7:00,15:30,30');
  const running = run('timesheets', 'import', path, '--timing', 'times', '--approve', 'ask');
  await until(/Waiting for the approval/);
  const workflowId = /started (\S+)/.exec(printed.text)?.[1] ?? '';
  expect(await run('timesheets', 'import', path, '--timing', 'times')).toBe(1);
  expect(printed.text).toContain('is under way with an earlier import');
  expect(await run('timesheets', 'decide', workflowId, '--decision', 'approve')).toBe(0);
  expect(await running).toBe(0);
  expect(printed.text).toMatch(/2026-03-05: sheet \d+ .* is approved/);
});

test('several are approved, and the one that is not there is named', async () => {
  const path = clock('2026-03-06,Ada Ashby,03-010,7:00,15:30,30');
  await run('timesheets', 'import', path, '--timing', 'times');
  const id = /sheet (\d+)/.exec(printed.text)?.[1] ?? '';
  expect(await run('timesheets', 'approve', id, '999999')).toBe(4);
  expect(printed.text).toMatch(new RegExp(`${id} \\(.*\\): approved`));
  expect(printed.text).toMatch(/999999: not approved/);
  expect(await run('timesheets', 'approve', id, '--pending')).toBe(0);
});

test('what is there is listed straight from the service', async () => {
  const path = clock('2026-03-09,Ada Ashby,03-010,7:00,15:30,30');
  await run('timesheets', 'import', path, '--timing', 'times');
  const id = /sheet (\d+)/.exec(printed.text)?.[1] ?? '';
  process.env.DRAWBRIDGE_CLIENT_SECRET = DEFAULT_CREDENTIALS.clientSecret;
  try {
    for (const [what, expected] of [
      ['sheets', new RegExp(`${id} +2026-03-09 .* pending +1`)],
      ['entries', /2026-03-09 +\d+ +8\.0 +41032/],
      ['creators', /9001 +Ada Ashby/],
      ['cost-codes', /41032 +03-010/],
      ['signatures', /ID +FILE/],
    ] as const) {
      printed.clear();
      expect(await run('timesheets', 'list', what, '--from', '2026-03-09', '--to', '2026-03-09')).toBe(0);
      expect(printed.text).toMatch(expected);
    }
    printed.clear();
    await run(
      'timesheets',
      'import',
      clock('2026-03-09,Ada Ashby,03-010,7:00,16:30,30'),
      '--timing',
      'times',
    );
    expect(await run('timesheets', 'history', id, '--json')).toBe(0);
    expect(printed.text).toMatch(/"what": "hours",\s+"before": "8\.0",\s+"after": "9\.0"/);
    expect(await run('timesheets', 'list', 'stamps')).toBe(2);
    printed.clear();
    await run('timesheets', 'list', 'entries', '--from', '2026-03-09', '--to', '2026-03-09', '--json');
    const [{ id: entryId }] = JSON.parse(printed.text) as [{ id: string }];
    printed.clear();
    expect(await run('timesheets', 'entry', entryId)).toBe(0);
    expect(printed.text).toMatch(/hours +9\.0/);
    expect(await count('timecards.delete')).toBe(0);
    printed.clear();
    expect(await run('timesheets', 'delete-entry', entryId)).toBe(0);
    expect(printed.text).toContain(`Entry ${entryId} was deleted.`);
    expect(await run('timesheets', 'entry', entryId)).toBe(1);
  } finally {
    delete process.env.DRAWBRIDGE_CLIENT_SECRET;
  }
});

test('nothing is started when the file is wrong, or the timing is not said', async () => {
  expect(
    await run('timesheets', 'import', clock('2026-13-01,Ada,03-010,7:00,8:00,'), '--timing', 'times'),
  ).toBe(2);
  expect(printed.text).toContain('line 2, date');
  expect(await run('timesheets', 'import', clock())).toBe(2);
  expect(await count('timesheets.list')).toBe(0);
});
