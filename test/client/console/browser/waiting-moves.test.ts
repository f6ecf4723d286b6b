// Rows of what waits come, go and are answered by others while somebody writes in the grid.
import type { Page } from 'playwright-core';
import { type BrowserBed, openBrowserBed } from './browser-bed';
import { answeredBy, heldRow, reviewRow, type WaitingSample, waitingFakes, wrongRow } from './sample-waiting';

const sample: WaitingSample = { rows: [], answered: [], said: [] };
let bed: BrowserBed;

beforeAll(async () => {
  bed = await openBrowserBed(waitingFakes(sample));
});
afterAll(async () => {
  await bed.close();
});
beforeEach(() => {
  Object.assign(sample, { rows: [0, 1, 2, 3].map(index => heldRow(index)), answered: [], said: [] });
  bed.errors.length = 0;
});
afterEach(async () => {
  for (const context of bed.browser.contexts()) await context.close();
  expect(bed.errors).toEqual([]);
});

const openGrid = async () => {
  const page = await bed.open('/waiting');
  await page.locator('[data-at="0-0"][aria-readonly=false]').getByText('needed').waitFor();
  return page;
};
/** The cell of the document with that index, wherever its row stands. */
const cellOf = (page: Page, index: number) =>
  page.locator('.waiting-row', { hasText: String(index + 12).padStart(4, '0') }).locator('[data-at$="-0"]');
const foot = (page: Page) => page.locator('.waiting-foot');
const save = async (page: Page) => {
  const count = sample.said.length;
  await page.keyboard.press('Control+s');
  while (sample.said.length === count) await page.evaluate('0');
};
const said = () => sample.said.map(({ documents, values }) => [documents, values]);

test('a row that was saved goes, and what is typed next is written where the person was', async () => {
  const page = await openGrid();
  await cellOf(page, 0).focus();
  await page.keyboard.type('A4');
  await page.keyboard.press('Enter');
  await save(page);
  await cellOf(page, 1).and(page.locator(':focus')).waitFor();
  await page.locator('.waiting-row', { hasText: '0012' }).waitFor({ state: 'detached' });
  await page.keyboard.type('S1');
  await page.keyboard.press('Enter');
  await save(page);
  expect(said()).toEqual([
    [[0], { status: 'For construction' }],
    [[1], { status: 'For coordination' }],
  ]);
});

test('a value that is being typed stays with its row while one above goes, and another comes', async () => {
  sample.rows = [heldRow(0), heldRow(1), heldRow(2), wrongRow(4), wrongRow(5)];
  const page = await openGrid();
  await cellOf(page, 4).click();
  await page.keyboard.type('S');
  // One of the group before goes, and three join it.
  sample.rows = [...[1, 2, 6, 7, 8].map(index => heldRow(index)), wrongRow(4), wrongRow(5)];
  bed.changed('waiting');
  await cellOf(page, 8).waitFor();
  await page.locator('.waiting-row', { hasText: '0012' }).waitFor({ state: 'detached' });
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await cellOf(page, 4).getByText('For coordination').waitFor();
  await save(page);
  expect(said()).toEqual([[[4], { status: 'For coordination' }]]);
});

test('the rest of a value goes nowhere once the row that it is typed into is gone', async () => {
  const page = await openGrid();
  await cellOf(page, 1).click();
  await page.keyboard.type('S');
  sample.rows = sample.rows.filter(({ index }) => index !== 1);
  bed.changed('waiting');
  await page.locator('.waiting-row', { hasText: '0013' }).waitFor({ state: 'detached' });
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await foot(page).getByRole('button', { name: /^Save/ }).waitFor();
  expect(await foot(page).getByText('not saved yet').count()).toBe(0);
  // After that the keys are those of the cell that is active now.
  await page.keyboard.type('A4');
  await page.keyboard.press('Enter');
  await save(page);
  expect(said()).toEqual([[[2], { status: 'For construction' }]]);
});

const paste = async (page: Page, lines: readonly string[]) =>
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(lines.join('\r\n'))});
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }`);

test('what is pasted beside rows stays beside them: a row that somebody else has answered keeps its place', async () => {
  const page = await openGrid();
  sample.rows = sample.rows.filter(({ index }) => index !== 1);
  Object.assign(sample, { answered: [answeredBy('J. Okafor', 1, { status: 'A4' })] });
  bed.changed('waiting');
  await page.getByText(/^J\. Okafor \d/).waitFor();
  await cellOf(page, 1).click();
  await paste(page, ['S1']);
  await page.getByText('1 value for 0 rows, 1 left over.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await cellOf(page, 0).click();
  await paste(page, ['A4', 'S1', 'S3']);
  await page.getByText('3 values for 2 rows, 1 left over.').waitFor();
  await page.getByRole('button', { name: 'Put them in' }).click();
  await save(page);
  expect(said()).toEqual([
    [[0], { status: 'For construction' }],
    [[2], { status: 'For review and comment' }],
  ]);
});

test('leaving asks of what can still be saved, not between the tabs of this view, and not of what others were first with', async () => {
  sample.rows = [...sample.rows, reviewRow(6)];
  const page = await openGrid();
  const asked: string[] = [];
  page.on('dialog', dialog => {
    asked.push(dialog.message());
    dialog.accept().catch(() => undefined);
  });
  await page.getByRole('link', { name: /^Blocked by a review/ }).click();
  await page.getByRole('link', { name: /^Values/ }).click();
  await cellOf(page, 0).focus();
  await page.keyboard.type('S1');
  await page.keyboard.press('Enter');
  await foot(page).getByText('1 answer, not saved yet.').waitFor();
  await page.goBack();
  await page.waitForURL('**/waiting/reviews');
  await page.goForward();
  await page.waitForURL('**/waiting/values');
  expect(asked).toEqual([]);
  sample.rows = sample.rows.filter(({ index }) => index !== 0);
  Object.assign(sample, { answered: [answeredBy('J. Okafor', 0, { status: 'A4' })] });
  bed.changed('waiting');
  await foot(page).getByText('No answers yet.').waitFor();
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await page.waitForURL('**/jobs');
  expect(asked).toEqual([]);
});

test('what was written where somebody else was first can be cleared', async () => {
  const page = await openGrid();
  await cellOf(page, 0).focus();
  await page.keyboard.type('S1');
  await page.keyboard.press('Enter');
  sample.rows = sample.rows.filter(({ index }) => index !== 0);
  Object.assign(sample, { answered: [answeredBy('J. Okafor', 0, { status: 'A4' })] });
  bed.changed('waiting');
  await cellOf(page, 0).getByText('you, not sent').waitFor();
  await cellOf(page, 0).click();
  await page.keyboard.press('Delete');
  await cellOf(page, 0).getByText('you, not sent').waitFor({ state: 'detached' });
});
