// What is chosen on Drop here, and the share that it goes to, while other views are looked at and shares come
// and go.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { DropShare, UploadDetail } from '../../../../client/console/contract/drop';
import { type BrowserBed, openBrowserBed } from './browser-bed';

const toShare = (name: string, why: string | null = null): DropShare => ({
  name,
  folder: 'drop',
  why,
  maxFileBytes: 1e9,
  template: null,
});
const FIRST = 1_790_000_000;
const BEGUN: UploadDetail = {
  share: 'north',
  upload: 'a'.repeat(20),
  name: 'TR-0143',
  by: 'T. Harker',
  begunAt: '2026-11-20T10:00:00.000Z',
  files: 1,
  sizeBytes: 5,
  doneBytes: 5,
  isYours: true,
  isMoving: false,
  isWhole: false,
  sent: null,
  all: [{ path: 'A-1.pdf', sizeBytes: 5, modifiedMs: FIRST * 1_000, doneBytes: 5 }],
};
let shares: readonly DropShare[] = [];
let uploads: readonly UploadDetail[] = [];
let bed: BrowserBed;
let mine: string;

beforeAll(async () => {
  mine = await mkdtemp(join(tmpdir(), 'mine-'));
  await mkdir(join(mine, 'TR-0143'));
  bed = await openBrowserBed({
    'GET /api/drop': () => ({ shares: [...shares], uploads: uploads.map(({ all: _, ...rest }) => rest) }),
    'GET /api/uploads/:share/:upload': () => BEGUN,
  });
});
afterAll(async () => {
  await bed.close();
  await rm(mine, { recursive: true });
});
beforeEach(() => {
  shares = [toShare('north'), toShare('south')];
  uploads = [];
});

const to = (page: Page) => page.locator('.drop-share select');
const choose = async (page: Page, text: string, changedAt: number) => {
  await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
  const file = join(mine, 'TR-0143', 'A-1.pdf');
  await writeFile(file, text);
  await utimes(file, changedAt, changedAt);
  await page.locator('input[webkitdirectory]').setInputFiles(join(mine, 'TR-0143'));
};

test('the share stays chosen as long as the folder does, and never changes by itself', async () => {
  const page = await bed.open('/drop');
  await to(page).selectOption('south');
  await choose(page, 'bytes', FIRST);
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await page.waitForURL('**/jobs');
  await page.locator('a[href="/drop"]').first().click();
  await page.getByRole('button', { name: 'Send 1 file' }).waitFor();
  expect(await to(page).inputValue()).toBe('south');

  const other = await bed.open('/drop');
  await choose(other, 'bytes', FIRST);
  shares = [toShare('north', 'It does not answer.'), toShare('south')];
  bed.changed('drop');
  await other.getByText('Nothing can be sent there just now. It does not answer.').waitFor();
  expect(await to(other).inputValue()).toBe('north');
  // It is not one of theirs any more: they say where it goes.
  shares = [toShare('south')];
  bed.changed('drop');
  await other.getByRole('button', { name: 'Send 1 file' }).waitFor({ state: 'detached' });
  await to(other).selectOption('south');
  await other.getByRole('button', { name: 'Send 1 file' }).waitFor();
});

test('the same folder chosen again, with a file that was changed at equal size, is none that was begun', async () => {
  uploads = [BEGUN];
  const page = await bed.open('/drop');
  await choose(page, 'bytes', FIRST);
  await page.getByRole('button', { name: 'Go on sending' }).waitFor();
  const asked = page.waitForRequest('**/api/uploads/north/*', { timeout: 5_000 });
  await choose(page, 'other', FIRST + 60);
  await asked;
  await page.getByRole('button', { name: 'Send 1 file' }).waitFor({ timeout: 5_000 });
});
