// What was set apart, in a browser: what would be done is said before, and what is done goes to the server.
import type { AgainTold, ApartPage, ApartRow } from '../../../../client/console/contract/apart';
import type { JobRow } from '../../../../client/console/contract/jobs';
import type { ProjectFieldOf } from '../../../../client/console/contract/waiting';
import { type BrowserBed, findBarriers, openBrowserBed, shoot } from './browser-bed';
import { sampleFakes, sampleRows, WAITING } from './sample-jobs';
import { fieldsPage } from './sample-waiting';

const HOSTILE = '<b>\u202egnp.exe</b>';
const LONG = `${'very-long-'.repeat(25)}.pdf`;

function row(index: number, given: Partial<ApartRow> = {}): ApartRow {
  return {
    share: 'tender',
    batchId: '20261120-093000-k3f7a2',
    index,
    job: 'a'.repeat(20),
    jobName: 'TR-0139 MEP level 03',
    isJob: true,
    key: `row${index}`,
    file: `M-${index}.pdf`,
    row: 10 + index,
    number: `HBT-ARU-ZZ-03-DR-M-01${String(index).padStart(2, '0')}`,
    revision: 'P01',
    title: 'Chilled water, level 03, schematic',
    code: 'DUPLICATE_REVISION',
    reason: 'P01 stands in the service since 3 May 2026.',
    whatToDo: 'If this is newer, give it the next revision; if not, take it away.',
    isSafe: false,
    takesFile: false,
    since: '2026-11-20T10:00:00.000Z',
    ...given,
  };
}

const VALUES = { code: 'unknown-value', isSafe: true, whatToDo: 'Write one of the project.' };
const ALL: readonly ApartRow[] = [
  row(7),
  row(8),
  row(31, { ...VALUES, reason: 'Type "Plam" is none. Nearest: Plan.' }),
  row(3, { ...VALUES, reason: 'Status "IFC" is none.', job: 'b', jobName: HOSTILE, title: HOSTILE }),
  row(2, {
    ...VALUES,
    reason: 'Status "IFC" is none.',
    job: '20261119-093000-k3f7a2',
    jobName: '20261119-093000-k3f7a2',
    isJob: false,
    row: null,
    number: null,
    revision: null,
    title: null,
    file: LONG,
  }),
];

const TYPE: ProjectFieldOf = {
  name: 'type',
  label: 'Type',
  takes: 'one-of',
  isPeople: false,
  required: true,
  requiredByType: [],
  requiredByFields: [],
  isForced: false,
  values: ['Plan', 'Section', 'Schedule'].map(label => ({ label, code: label.slice(0, 2).toUpperCase() })),
};
const SET_APART = { ...sampleRows(1)[0], outcome: 'set-apart' } as JobRow;
let rows: readonly ApartRow[] = ALL;
let asked: unknown[] = [];
let bed: BrowserBed;

function page(): ApartPage {
  const ofCode = (code: string) => rows.filter(each => each.code === code);
  const [twice, values] = [ofCode('DUPLICATE_REVISION'), ofCode('unknown-value')];
  return {
    groups: [
      {
        code: 'unknown-value',
        title: 'A value is not one of this project',
        cause: null,
        cure: 'Write one of the project.',
        stands: 'Its values are the same; unless the project has changed, it would come back.',
        rows: values.length,
      },
      {
        code: 'DUPLICATE_REVISION',
        title: 'The revision exists already, with other content',
        cause: twice[0]?.reason ?? null,
        cure: twice[0]?.whatToDo ?? null,
        stands: null,
        rows: twice.length,
      },
    ].filter(group => group.rows > 0),
    rows: [...rows],
    count: rows.length,
    unread: [],
    at: new Date().toISOString(),
  };
}

beforeAll(async () => {
  bed = await openBrowserBed({
    ...sampleFakes({ open: [WAITING], finished: [], rows: [SET_APART] }),
    'GET /api/apart': page,
    'GET /api/apart/count': () => ({ count: rows.length }),
    'GET /api/waiting/count': () => ({ held: 0 }),
    'GET /api/apart/columns/:share/:job': () => ({
      headers: ['File', 'Number', 'Type', ''],
      fields: [null, 'number', 'type', null],
      fileAt: 0,
      rows: ALL.map(({ share, batchId, index, file }) => ({
        share,
        batchId,
        index,
        cells: [file, 'N-1', 'Plam', 'mine'],
      })),
    }),
    'GET /api/fields/:share': () => fieldsPage([TYPE]),
    'POST /api/try-again': ({ body }): AgainTold => {
      asked.push(body);
      const wanted = ALL.filter(one => body.documents.some(({ index }) => index === one.index));
      const safe = body.hasLooked ? wanted : wanted.filter(({ isSafe }) => isSafe);
      if (!body.dryRun) rows = rows.filter(one => !safe.includes(one));
      const stands = 'Its values are the same; unless the project has changed, it would come back.';
      return {
        goes: safe.length,
        comesBack: safe.some(({ code }) => code === 'unknown-value') ? [{ why: stands, documents: 1 }] : [],
        lookFirst: wanted.length - safe.length,
        stays: [],
      };
    },
  });
});
afterAll(async () => {
  await bed.close();
});
beforeEach(() => {
  [rows, asked] = [ALL, []];
  bed.errors.length = 0;
});

test('by mouse: what would be done is said before, and nothing that may have a revision goes without a look', async () => {
  const view = await bed.open('/apart');
  await view.getByText('5 documents did not go through').waitFor();
  await shoot(view, 'apart-light');
  await view.getByRole('button', { name: 'Try again 2' }).click();
  await view.getByText('2 documents may have a revision by now').waitFor();
  const send = view.getByRole('dialog').getByRole('button', { name: /^Try again/ });
  expect(await send.isDisabled()).toBe(true);
  await shoot(view, 'apart-again-light');
  await view.getByLabel('I have looked into the service').check();
  await send.click();
  await view.getByRole('main').getByText('2 documents are in the drop folder again.').waitFor();
  await view.getByText('3 documents did not go through').waitFor();
  expect(asked).toMatchObject([
    { dryRun: true },
    { dryRun: false, hasLooked: true, documents: [{ index: 7 }, { index: 8 }] },
  ]);
  expect(bed.errors).toEqual([]);
});

test('by keys: Space selects, T tries again, Enter sends; cured rows leave, the last one leaves a word', async () => {
  const view = await bed.open('/apart');
  await view.getByLabel('Select HBT-ARU-ZZ-03-DR-M-0131').focus();
  await view.keyboard.press('Space');
  await view.getByText('1 selected').waitFor();
  await view.keyboard.press('t');
  await view.getByText('1 of 1: Its values are the same').waitFor();
  await view.getByRole('dialog').getByRole('button', { name: 'Try again 1' }).focus();
  await view.keyboard.press('Enter');
  await view.getByRole('main').getByText('1 document is in the drop folder again.').waitFor();
  await view.getByText('HBT-ARU-ZZ-03-DR-M-0131').waitFor({ state: 'detached' });
  rows = [];
  bed.changed('apart');
  await view.getByText('What does not go through lies here').waitFor();
  await shoot(view, 'apart-empty-light');
});

test('values are corrected in the columns of the register, and go with the file', async () => {
  const view = await bed.open('/apart?by=job');
  await view.getByRole('button', { name: 'Correct the values' }).first().click();
  const cell = view.getByRole('button', { name: 'Type of M-31.pdf: Plam' });
  await cell.focus();
  await view.keyboard.type('Plom');
  await view.keyboard.press('Escape');
  await cell.waitFor();
  await view.keyboard.type('sec');
  await view.getByRole('option', { name: 'SE Section' }).waitFor();
  await shoot(view, 'apart-values-light');
  expect(await findBarriers(view)).toEqual([]);
  await view.keyboard.press('Enter');
  await view.getByRole('button', { name: 'Type of M-31.pdf: Section' }).waitFor();
  await view.getByText('1 row with other values.').waitFor();
  await view.getByRole('button', { name: 'Send 1' }).click();
  await view.getByRole('main').getByText('1 document is in the drop folder again.').waitFor();
  expect(asked).toMatchObject([{ dryRun: false, documents: [{ index: 31, values: { Type: 'Section' } }] }]);
});

test('corrections that were typed are asked about by the history of the browser and by Esc, as often as it is pressed', async () => {
  const view = await bed.open('/apart?by=job');
  await view.locator('a.person').click();
  await view.waitForURL('**/me');
  await view.goBack();
  await view.getByRole('button', { name: 'Correct the values' }).first().click();
  await view.getByRole('button', { name: 'Type of M-31.pdf: Plam' }).focus();
  await view.keyboard.type('sec');
  await view.getByRole('option', { name: 'SE Section' }).waitFor();
  await view.keyboard.press('Enter');
  await view.getByRole('button', { name: 'Type of M-31.pdf: Section' }).waitFor();
  let questions = 0;
  view.on('dialog', dialog => {
    questions += 1;
    dialog.dismiss().catch(() => undefined);
  });
  await view.evaluate('history.forward()');
  while (questions === 0) await view.evaluate('0');
  await view.waitForURL('**/apart?by=job');
  await view.getByRole('button', { name: 'Type of M-31.pdf: Section' }).waitFor();
  expect(questions).toBe(1);
  for (let time = 2; time <= 4; time += 1) {
    await view.keyboard.press('Escape');
    while (questions < time) await view.evaluate('0');
    await view.getByRole('button', { name: 'Type of M-31.pdf: Section' }).waitFor({ timeout: 5_000 });
  }
  expect(questions).toBe(4);
});

test('one document is tried again from its own panel, and what came of it is said there', async () => {
  const view = await bed.open(`/jobs/tender/${WAITING.job}/row-2`);
  await view.getByRole('complementary').getByRole('button', { name: 'Try again' }).click();
  await view.getByRole('dialog').getByRole('button', { name: 'Try again 1' }).click();
  await view.getByRole('complementary').getByText('1 document is in the drop folder again.').waitFor();
  expect(asked).toMatchObject([
    { dryRun: true },
    { dryRun: false, documents: [{ batchId: '01JD0QZ7T1', index: 3 }] },
  ]);
});

test('a corrected sheet goes up as it is, and what was taken of it, or why nothing was, is said', async () => {
  const view = await bed.open('/apart');
  const told = { job: 'b', jobName: 'TR-0139', path: 'attention/TR-0139/dropped-receipt.csv', waits: null };
  let sent: { url: string; body: string | null } | undefined;
  const wrong = 'Its rows are of no job of this share, so nothing was taken.';
  let isRight = false;
  await view.route('**/api/sheets/**', async route => {
    sent = { url: route.request().url(), body: route.request().postData() };
    if (!isRight) await route.fulfill({ status: 422, json: { text: wrong } });
    else await route.fulfill({ json: { ...told, taken: 2, told: ['Row 2: what is done is not touched.'] } });
  });
  await view.getByRole('button', { name: 'Upload the corrected sheet' }).click();
  const sheet = { name: 'my receipt.csv', mimeType: 'text/csv', buffer: Buffer.from('A,B') };
  await view.getByLabel('Sheet, .xlsx or .csv').setInputFiles(sheet);
  await view.getByRole('button', { name: 'Upload', exact: true }).click();
  await view.getByText(wrong).waitFor();
  await shoot(view, 'apart-upload-refused-light');
  isRight = true;
  await view.getByRole('button', { name: 'Upload', exact: true }).click();
  await view.getByRole('main').getByText('2 rows of TR-0139 were taken, and go on.').waitFor();
  expect(await view.getByRole('main').getByText('Row 2: what is done is not touched.').count()).toBe(1);
  expect(sent).toEqual({
    url: `${bed.server.origin}/api/sheets/tender?name=my%20receipt.csv`,
    body: 'A,B',
  });
});

test.each(['light', 'dark'] as const)('axe finds nothing, names of strangers are text, %s', async theme => {
  const view = await bed.open('/apart?by=job', { theme });
  await view.getByText('RLO').first().waitFor();
  expect(await findBarriers(view)).toEqual([]);
  await shoot(view, `apart-by-job-${theme}`);
  await view.goto(`${bed.server.origin}/apart`);
  await view.getByText('5 documents did not go through').waitFor();
  expect(await findBarriers(view)).toEqual([]);
  await shoot(view, `apart-${theme}`);
  await view.getByRole('button', { name: 'Upload the corrected sheet' }).click();
  expect(await findBarriers(view)).toEqual([]);
  await shoot(view, `apart-upload-${theme}`);
  expect(bed.errors).toEqual([]);
});

test('on a phone nothing reaches over the side', async () => {
  const view = await bed.open('/apart', { isPhone: true });
  await view.getByText('5 documents did not go through').waitFor();
  await shoot(view, 'apart-phone-light');
  expect(await view.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findBarriers(view)).toEqual([]);
});
