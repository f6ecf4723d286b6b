// What is told is told whole and in people's words: no list ends without saying that there is more.
import type { JobHead } from '../../../../client/console/contract/jobs';
import type { SheetTold } from '../../../../client/console/contract/waiting';
import { type BrowserBed, openBrowserBed } from './browser-bed';
import { FINISHED, OPEN, sampleFakes, sampleRows } from './sample-jobs';
import { SAMPLE_REPORT } from './sample-report';
import { heldRow, type WaitingSample, waitingFakes } from './sample-waiting';

const waiting: WaitingSample = { rows: [], answered: [], said: [] };
const jobs = sampleFakes({ open: OPEN, finished: FINISHED, rows: sampleRows(30) });
let head: Partial<JobHead> = {};
let bed: BrowserBed;

beforeAll(async () => {
  bed = await openBrowserBed({
    ...jobs,
    ...waitingFakes(waiting),
    'GET /api/jobs/:share/:job': asked => ({
      ...(jobs['GET /api/jobs/:share/:job']?.(asked) as JobHead),
      ...head,
    }),
    'GET /api/tests/:share/:upload': () => ({
      state: 'done',
      name: 'TR-0143',
      sheet: '/sheet',
      report: { ...SAMPLE_REPORT, left: Array.from({ length: 13 }, (_, at) => `extra-${at}.pdf`) },
    }),
  });
}, 120_000);
afterAll(() => bed.close());
afterEach(() => {
  expect(bed.errors).toEqual([]);
});

test('rows of a sheet that are refused are counted beyond those that are told', async () => {
  waiting.rows = [0, 1].map(index => heldRow(index));
  const page = await bed.open('/waiting');
  const told: SheetTold = {
    rows: [],
    refused: Array.from({ length: 8 }, (_, at) => ({
      document: `A-${at}.pdf`,
      why: 'Two rows are about it.',
    })),
    unlisted: 0,
    unread: [],
  };
  await page.route('**/api/waiting/sheet/tender?**', route => route.fulfill({ json: told }));
  await page.getByRole('button', { name: 'Answer with a sheet' }).waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'back.csv', mimeType: 'text/csv', buffer: Buffer.from('x') });
  const note = page.locator('.waiting-note');
  await note.getByText('A-4.pdf: Two rows are about it.').waitFor();
  await note.getByText('3 more rows were not taken.').waitFor({ timeout: 3_000 });
  await page.close();
});

test('on a phone the documents behind the first sixty of a group are reached', async () => {
  waiting.rows = Array.from({ length: 70 }, (_, index) => heldRow(index));
  const page = await bed.open('/waiting', { isPhone: true });
  await page.getByText('Status is missing').first().waitFor();
  const cards = page.locator('.waiting-cards li');
  await cards.nth(59).waitFor();
  await page.getByRole('button', { name: '60 of 70' }).click({ timeout: 3_000 });
  expect(await cards.count()).toBe(70);
  await page.close();
});

test('of more files that would stay in the drop folder than are named it says how many', async () => {
  const page = await bed.open('/tests/tender/0123456789abcdef0123');
  await page.getByText('extra-9.pdf').waitFor();
  await page.getByText('and 3 more').waitFor({ timeout: 3_000 });
  await page.close();
});

test('what a job waits for, and its notes, are told in words and not in codes', async () => {
  head = {
    outages: [{ what: 'api', since: new Date().toISOString() }],
    notes: [
      { kind: 'not-there', names: ['A-10.pdf'], count: 1 },
      { kind: 'ignored', names: ['Thumbs.db'], count: 1 },
    ],
  };
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByText(/^The document service is away since /).waitFor({ timeout: 5_000 });
  await page.getByText('Not there yet: A-10.pdf').waitFor({ timeout: 3_000 });
  await page.getByText('Ignored: Thumbs.db').waitFor({ timeout: 3_000 });
  await page.close();
  head = {};
});

test('a job that was sent is not told as one that stopped, though the page cannot ask for it just now', async () => {
  const page = await bed.open('/me');
  const upload = {
    share: 'tender',
    upload: '0123456789abcdef0123',
    name: 'Files of today',
    by: 'T. Harker',
    begunAt: new Date().toISOString(),
    files: 1,
    sizeBytes: 0,
    doneBytes: 0,
    isYours: true,
    isMoving: false,
    isWhole: true,
    sent: null as object | null,
    all: [{ path: 'empty.pdf', sizeBytes: 0, modifiedMs: 0, doneBytes: 0 }],
  };
  const sent = { folder: 'drop/Files of today', at: new Date().toISOString(), job: null as string | null };
  const share = { name: 'tender', folder: '/drop', why: null, maxFileBytes: 1e9, template: null };
  await page.route('**/api/drop', route => route.fulfill({ json: { shares: [share], uploads: [] } }));
  await page.route('**/api/uploads/tender', route => route.fulfill({ json: upload }));
  await page.route('**/api/uploads/tender/*/send', route => route.fulfill({ json: { ...upload, sent } }));
  let asked = 0;
  await page.route('**/api/uploads/tender/0123456789abcdef0123', route => {
    asked += 1;
    if (asked === 1) return route.abort();
    return route.fulfill({ json: { ...upload, sent: { ...sent, job: 'TR-0142' } } });
  });
  await page.goto(`${bed.server.origin}/drop`);
  await page
    .locator('input[type=file][multiple]')
    .setInputFiles({ name: 'empty.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) });
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  await page.getByText('Sent. Its page opens').waitFor();
  await page.waitForURL('**/jobs/tender/TR-0142', { timeout: 10_000 });
  // The browser itself tells of the request that was broken off.
  bed.errors.splice(0, bed.errors.length, ...bed.errors.filter(text => !text.includes('ERR_FAILED')));
  await page.close();
});
