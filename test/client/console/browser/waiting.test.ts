// Answering in a browser: by keys as in a spreadsheet, and by pointer.
import type { Page } from 'playwright-core';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import { type BrowserBed, findBarriers, findByAxe, openBrowserBed, shoot } from './browser-bed';
import {
  answeredBy,
  dateRow,
  heldRow,
  inHours,
  reviewRow,
  type WaitingSample,
  waitingFakes,
  wrongRow,
} from './sample-waiting';

const sample: WaitingSample = { rows: [], answered: [], said: [] };
let bed: BrowserBed;

beforeAll(async () => {
  bed = await openBrowserBed(waitingFakes(sample));
});
afterAll(async () => {
  await bed.close();
});
beforeEach(() => {
  const rows = [0, 1, 2, 3].map(index => heldRow(index));
  Object.assign(sample, {
    rows: [...rows, wrongRow(4), wrongRow(5), reviewRow(6), reviewRow(7)],
    answered: [],
    said: [],
  });
  bed.errors.length = 0;
});
afterEach(async () => {
  for (const context of bed.browser.contexts()) await context.close();
});

const openGrid = async (theme: 'light' | 'dark' = 'light') => {
  const page = await bed.open('/waiting', { theme });
  await page.getByText('Status is missing').waitFor();
  await page.locator('[data-at="0-0"][aria-readonly=false]').getByText('needed').waitFor();
  return page;
};
const foot = (page: Page) => page.locator('.waiting-foot');
const cell = (page: Page, row: number) => page.locator(`[data-at="${row}-0"]`);

test('Ctrl+S is taken as soon as the rows are shown: a browser would save the page', async () => {
  const page = await bed.open('/jobs');
  await page.evaluate(`void (window.told = new Promise(resolve => {
    const shown = new MutationObserver(() => {
      if (document.querySelector('.waiting-foot') === null) return;
      shown.disconnect();
      const save = new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true, cancelable: true });
      resolve(!document.body.dispatchEvent(save));
    });
    shown.observe(document, { childList: true, subtree: true });
  }))`);
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  expect(await page.evaluate('window.told')).toBe(true);
});

test('by keys alone: type, fill down, undo, save; a fault holds back nothing', async () => {
  const page = await openGrid();
  await page.getByText('6 documents wait for values').waitFor();
  await cell(page, 0).focus();
  await page.keyboard.type('co');
  await page.getByRole('option', { name: 'A4 For construction 280 rows' }).waitFor();
  await page.keyboard.press('Enter');
  await cell(page, 0).getByText('For construction').waitFor();
  await page.keyboard.press('Control+d');
  await foot(page).getByText('2 answers, not saved yet.').waitFor();
  await page.keyboard.press('Control+z');
  await foot(page).getByText('1 answer, not saved yet.').waitFor();
  await page.keyboard.type('A5');
  await page.keyboard.press('Tab');
  await page.locator('[data-at="1-0"][aria-invalid=true]').waitFor();
  await foot(page).getByText('2 rows still lack a value, 3 have a fault; they stay held.').waitFor();
  await page.keyboard.press('Control+s');
  await foot(page).getByText('1 answer taken, 1 document goes on.').waitFor();
  expect(sample.said).toEqual([
    {
      share: 'tender',
      batchId: '20261123-093000-aaaaaa',
      documents: [0],
      values: { status: 'For construction' },
      asked: { question: 'missing-values' },
    },
  ]);
  expect(bed.errors).toEqual([]);
});

test('a wrong value is taken out again: by its word, and from the list; not where one is missing', async () => {
  const page = await openGrid();
  await cell(page, 4).click();
  await page.keyboard.type('-');
  await page.getByRole('option', { name: 'Leave it empty' }).waitFor();
  await page.keyboard.press('Enter');
  await cell(page, 4).getByText('left empty').waitFor();
  await cell(page, 5).dblclick();
  await shoot(page, 'waiting-leave-empty');
  await page.getByRole('option', { name: 'Leave it empty' }).dispatchEvent('pointerdown');
  await cell(page, 5).getByText('left empty').waitFor();
  await cell(page, 0).dblclick();
  await page.getByRole('option', { name: 'AB As constructed' }).waitFor();
  expect(await page.getByRole('option', { name: 'Leave it empty' }).count()).toBe(0);
  await page.keyboard.type('-');
  await page.keyboard.press('Tab');
  await page.locator('[data-at="0-0"][aria-invalid=true]').waitFor();
  await shoot(page, 'waiting-left-empty');
  await page.getByRole('button', { name: 'Save 2 answers' }).click();
  await foot(page).getByText('2 answers taken, 2 documents go on.').waitFor();
  expect(sample.said.map(({ documents, values }) => [documents, values])).toEqual([[[4, 5], { status: [] }]]);
  expect(bed.errors).toEqual([]);
});

test('where the answer to a save is lost, it is told neither as done nor as failed, and looked at anew', async () => {
  const page = await openGrid();
  await cell(page, 0).focus();
  await page.keyboard.type('A4');
  await page.keyboard.press('Enter');
  await cell(page, 0).getByText('For construction').waitFor();
  // It is done, and the way back is cut.
  await page.route('**/api/answers', async route => {
    await route.fetch();
    await route.abort();
  });
  const looked = page.waitForRequest('**/api/waiting*');
  await page.keyboard.press('Control+s');
  await foot(page).getByText('whether this was done is not known here').waitFor();
  expect(sample.said).toHaveLength(1);
  await looked;
});

test('by pointer: a group is chosen and filled in one step, and saved in one answer', async () => {
  const page = await openGrid();
  await page.getByRole('checkbox', { name: 'Select all of: Status is missing' }).check();
  await cell(page, 0).dblclick();
  await page.getByRole('option', { name: 'AB As constructed' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: 'Ctrl Enter all 4 selected' }).dispatchEvent('pointerdown');
  await shoot(page, 'waiting-filled');
  await page.getByRole('button', { name: 'Save 4 answers' }).click();
  await foot(page).getByText('4 answers taken, 4 documents go on.').waitFor();
  expect(sample.said.map(({ documents, values }) => [documents, values])).toEqual([
    [[0, 1, 2, 3], { status: 'As constructed' }],
  ]);
});

/** Three values from a spreadsheet, of which two have room. */
async function pasteTooMuch(): Promise<Page> {
  const page = await openGrid();
  await cell(page, 4).click();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'A4\\r\\nS1\\r\\nA4\\r\\n');
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }`);
  await page.getByText('3 values for 2 rows, 1 left over.').waitFor();
  return page;
}

test('a column of a spreadsheet: more than there is room for is told before anything happens', async () => {
  const page = await pasteTooMuch();
  // Of the grid alone: a narrow screen has cards.
  expect(await findByAxe(page)).toEqual([]);
  await shoot(page, 'waiting-paste');
  await page.getByRole('button', { name: 'Put them in' }).click();
  await foot(page).getByText('2 answers, not saved yet.').waitFor();
});

test('a paste that waits for its question stays when the window becomes narrow', async () => {
  const page = await pasteTooMuch();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.waiting-cards').waitFor({ state: 'attached' });
  await page.getByText('3 values for 2 rows, 1 left over.').waitFor();
  await shoot(page, 'waiting-paste-narrow');
  await page.getByRole('button', { name: 'Put them in' }).click();
  await foot(page).getByText('2 answers, not saved yet.').waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await cell(page, 4).getByText('For construction').waitFor();
});

test('while the values of the project are being fetched, what is asked stands there already', async () => {
  const page = await bed.open('/waiting');
  let isThere = false;
  await page.route('**/api/fields/*', async route => {
    if (isThere) await route.continue();
    else await route.fulfill({ json: { at: null, dates: null, emptyWord: '-', fields: [] } });
  });
  await page.reload();
  await page.getByText('are being fetched').waitFor();
  await page.getByRole('columnheader', { name: 'Status' }).waitFor();
  await page.locator('.waiting-line[data-look=needed]').first().getByText('needed').waitFor();
  expect(await findByAxe(page)).toEqual([]);
  await shoot(page, 'waiting-early');
  isThere = true;
  await cell(page, 0).getByText('needed').waitFor();
  expect(await page.getByRole('columnheader', { name: 'Status' }).count()).toBe(1);
});

test('who looks at it is known later than what waits: no right is missed before, and then it can be answered', async () => {
  const page = await bed.open('/waiting');
  const asked: (() => void)[] = [];
  await page.route('**/api/me', async route => {
    await new Promise<void>(resolve => {
      asked.push(resolve);
    });
    await route.continue();
  });
  await page.reload();
  await cell(page, 0).getByText('needed').waitFor();
  expect(await cell(page, 0).getAttribute('aria-readonly')).toBe('true');
  expect(await page.getByText('Answering needs the role').count()).toBe(0);
  for (const answer of asked) answer();
  // Long before the list is asked for anew by itself.
  await page.locator('[data-at="0-0"][aria-readonly=false]').waitFor({ timeout: 10_000 });
  await cell(page, 0).focus();
  await page.keyboard.type('A4');
  await page.keyboard.press('Enter');
  await foot(page).getByText('1 answer, not saved yet.').waitFor();
});

test('what somebody else has answered meanwhile is locked, with their value beside the own one', async () => {
  const page = await openGrid();
  await cell(page, 0).focus();
  await page.keyboard.type('S1');
  await page.keyboard.press('Enter');
  await foot(page).getByText('1 answer, not saved yet.').waitFor();
  sample.rows = sample.rows.slice(1);
  Object.assign(sample, { answered: [answeredBy('J. Okafor', 0, { status: 'A4' })] });
  bed.changed('waiting');
  await page.getByText(/^J\. Okafor \d/).waitFor();
  expect(await cell(page, 0).textContent()).toBe('A4For constructionyou, not sent: S1For coordination');
  // On one line, as all others are.
  const lineHeight =
    'Math.max(...[...document.querySelectorAll(\'[data-at="0-0"] *\')].map(e => e.offsetHeight ?? 0))';
  expect(await page.evaluate(lineHeight)).toBeLessThan(30);
  await shoot(page, 'waiting-second');
  await foot(page).getByText('No answers yet.').waitFor();
});

test('two people on one document: the second is told who was first, and what stands', async () => {
  sample.rows = [heldRow(0), heldRow(1)];
  const [first, second] = [await openGrid(), await openGrid()];
  for (const [page, code] of [
    [first, 'A4'],
    [second, 'S1'],
  ] as const) {
    await cell(page, 0).focus();
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');
    await foot(page).getByText('1 answer, not saved yet.').waitFor();
  }
  // The second has not heard of it when they save; where they have, it is as in the test above.
  const { promise: heard, resolve: hear } = withResolvers<void>();
  await second.route('**/api/waiting', async route => {
    await heard;
    await route.continue();
  });
  await first.keyboard.press('Control+s');
  await foot(first).getByText('1 answer taken, 1 document goes on.').waitFor();
  await second.keyboard.press('Control+s');
  await foot(second).getByText('1 was answered by J. Okafor before.').waitFor();
  await second.getByText('Status = A4').waitFor();
  hear();
  expect(sample.said.map(({ values }) => values)).toEqual([
    { status: 'For construction' },
    { status: 'For coordination' },
  ]);
  // What the service does not take after all is asked anew, and stands there again.
  sample.rows = [heldRow(0, { since: inHours(0) }), ...sample.rows];
  bed.changed('waiting');
  await first.getByText('2 documents wait for values').waitFor();
  await first.locator('.waiting-row', { hasText: '0012' }).waitFor();
});

test('a date that can be read two ways is asked; what needs no value is set apart; N goes to the next', async () => {
  sample.rows = [dateRow(0), dateRow(1, { until: inHours(5) }), dateRow(2)];
  const page = await bed.open('/waiting');
  await page.getByText(/until \d\d:/).waitFor();
  await page.getByRole('heading', { name: 'Waiting for me' }).click();
  await page.keyboard.press('n');
  await page.locator('[data-at="1-0"]:focus').waitFor();
  await page.keyboard.type('3/4/2026');
  await page.keyboard.press('Enter');
  await page.getByText('Which one is meant?').waitFor();
  await page.getByRole('option', { name: '3 Apr 2026' }).waitFor();
  expect(await page.locator('[role=option][aria-selected=true]').count()).toBe(0);
  // Of the grid alone: a narrow screen has cards.
  expect(await findByAxe(page)).toEqual([]);
  await shoot(page, 'waiting-which-date');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await cell(page, 1).getByText('4 Mar 2026').waitFor();
  await page.keyboard.press('Alt+n');
  await page.locator('[data-at="0-0"]:focus').waitFor();
  await page.keyboard.type('5/6/2026');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: '5 Jun 2026?' }).click();
  await foot(page).getByText('2 answers, not saved yet.').waitFor();
  await page.getByRole('checkbox', { name: 'Select HBT-ARU-ZZ-03-DR-S-0014' }).check();
  await page.getByRole('button', { name: 'Set 1 apart' }).click();
  await foot(page).getByText('1 document is set apart.').waitFor();
  await page.keyboard.press('Control+s');
  await foot(page).getByText('2 answers taken, 2 documents go on.').waitFor();
  expect(sample.said).toMatchObject([
    { documents: [2], decision: 'set-apart' },
    { documents: [0], values: { date: '2026-06-05' } },
    { documents: [1], values: { date: '2026-03-04' } },
  ]);
  expect(bed.errors).toEqual([]);
});

test('leaving asks, and what is written stays where a person does not want to', async () => {
  const page = await openGrid();
  await cell(page, 0).focus();
  await page.keyboard.type('S1');
  await page.keyboard.press('Enter');
  page.once('dialog', dialog => void dialog.dismiss());
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await foot(page).getByText('1 answer, not saved yet.').waitFor();
  await page.getByRole('link', { name: /^Blocked by a review/ }).click();
  await page.getByRole('link', { name: /^Values/ }).click();
  await foot(page).getByText('1 answer, not saved yet.').waitFor();
});

test('a review is ended only with reason, status and number, and never by Enter alone', async () => {
  const page = await bed.open('/waiting/reviews');
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByRole('button', { name: 'End 2 reviews…' }).click();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Keep the reviews');
  await page.getByRole('button', { name: 'End 2 reviews, submit' }).click();
  await page.getByText('A reason is needed.').waitFor();
  await page.getByText('A status is needed.').waitFor();
  await shoot(page, 'waiting-end');
  expect(await findBarriers(page)).toEqual([]);
  await page.getByLabel('Reason').fill('Superseded by P02');
  await page.getByLabel('Status that the reviewed revisions get').selectOption('As constructed');
  await page.getByLabel('Type 2 to end 2 reviews').fill('2');
  expect(sample.said).toEqual([]);
  await page.getByRole('button', { name: 'End 2 reviews, submit' }).click();
  await page.getByText('2 answers taken, 2 documents go on.').waitFor();
  expect(sample.said).toMatchObject([
    { documents: [6, 7], decision: 'terminate', reason: 'Superseded by P02', status: 'As constructed' },
  ]);
});

test('a review that ends while its dialog is open is not ended in its dialog, nor the one after it', async () => {
  const page = await bed.open('/waiting/reviews');
  await page.getByRole('button', { name: 'End the review…' }).first().click();
  await page.getByLabel('Reason').fill('Superseded by P02');
  const other = { ...reviewRow(6), reason: 'P01 is in "Legal review 3", which has not ended.' };
  sample.rows = sample.rows.map(row => (row.index === 6 ? other : row));
  bed.changed('waiting');
  await page.getByText('The review that you were about to end is over').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByText('Legal review 3').waitFor();
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByText('1 answer taken').waitFor();
  expect(sample.said).toMatchObject([{ documents: [6], asked: { reason: other.reason } }]);
  expect(bed.errors).toEqual([]);
});

test.each(['light', 'dark'] as const)('axe finds nothing, %s; names are text', async theme => {
  const title = '<img src=x onerror=alert(1)> invoice\u202efdp.exe';
  sample.rows = [...sample.rows, heldRow(8, { title }), heldRow(9, { title: 'x'.repeat(255) })];
  const page = await openGrid(theme);
  await page.getByText('RLO').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1440);
  expect(await findBarriers(page)).toEqual([]);
  await cell(page, 0).focus();
  await page.keyboard.type('co');
  await page.getByRole('listbox').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await shoot(page, `waiting-${theme}`);
  expect(bed.errors).toEqual([]);
});

test('five thousand rows: a few are drawn, all are counted, and the last is reached by a key', async () => {
  sample.rows = Array.from({ length: 5_000 }, (_, index) => heldRow(index));
  const page = await openGrid();
  const grid = page.getByRole('grid');
  expect(await grid.getAttribute('aria-rowcount')).toBe('5002');
  expect(await grid.getByRole('row').count()).toBeLessThan(100);
  await cell(page, 0).focus();
  await page.keyboard.press('Control+End');
  await page.locator('[data-at="4999-0"]:focus').waitFor();
});

test('on a phone: cards, and one button that fills them alike', async () => {
  const page = await bed.open('/waiting', { isPhone: true });
  await page.getByRole('button', { name: 'Fill all 4' }).click();
  await page.getByRole('option', { name: 'A4 For construction 280 rows' }).dispatchEvent('pointerdown');
  await page.getByRole('button', { name: 'Save 4 answers' }).waitFor();
  await shoot(page, 'waiting-phone-light');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findBarriers(page)).toEqual([]);
});

test('nothing waits', async () => {
  sample.rows = [];
  const page = await bed.open('/waiting');
  await page.getByRole('main').getByText('Nothing waits for you.').first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
});
