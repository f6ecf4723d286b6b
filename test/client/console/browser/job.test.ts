// A job in a browser: its table of documents, and one of them with its way.
import type { SaidOfDocuments } from '../../../../client/console/contract/waiting';
import { type BrowserBed, findBarriers, openBrowserBed, shoot } from './browser-bed';
import { FINISHED, HOSTILE, OPEN, sampleFakes, sampleRows } from './sample-jobs';

const sample = { open: OPEN, finished: FINISHED, rows: sampleRows(300) };
let bed: BrowserBed;
const said: SaidOfDocuments[] = [];

beforeAll(async () => {
  bed = await openBrowserBed({
    ...sampleFakes(sample),
    'POST /api/answers': ({ body: { answers } }) => {
      said.push(...answers);
      const [{ share, batchId, documents }] = answers as [SaidOfDocuments];
      return { taken: documents.map(index => ({ share, batchId, index })), refused: [] };
    },
  });
});
afterAll(async () => {
  await bed.close();
});
beforeEach(() => {
  sample.rows = sampleRows(300);
  bed.errors.length = 0;
});

test('it says how many of how many, and the tab says it before the name', async () => {
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByText('212 of 300 are through.').waitFor();
  expect(await page.getByText('20 are held and wait for you; 68 are on the way, until about').count()).toBe(
    1,
  );
  expect(await page.title()).toBe('212 of 300 through, 20 held · TR-0142 Structural IFC · Drawbridge');
  await page.getByText('Rows 1 to').waitFor();
  await shoot(page, 'job-light');
  expect(bed.errors).toEqual([]);
});

test.each(['light', 'dark'] as const)('axe finds nothing with a document opened, %s', async theme => {
  const page = await bed.open('/jobs/tender/TR-0142/row-9', { theme });
  await page.getByText('Held: waits for Status').waitFor();
  await shoot(page, `job-panel-${theme}`);
  expect(await findBarriers(page)).toEqual([]);
});

test('a held document is answered in its own panel, by keys', async () => {
  const page = await bed.open('/jobs/tender/TR-0142/row-9');
  const panel = page.getByRole('complementary');
  await panel.getByRole('button', { name: 'Status: needed' }).click();
  await page.keyboard.type('IFC');
  await page.keyboard.press('Tab');
  await panel.getByText('"IFC" for "Status" is not a value of this project.').waitFor();
  expect(await panel.getByRole('button', { name: 'Save 1 answer' }).isDisabled()).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('co');
  await panel.getByRole('option', { name: 'A4 For construction' }).waitFor();
  await shoot(page, 'job-answer');
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Save 1 answer' }).click();
  await panel.getByText('Your answer is taken; it goes on.').waitFor();
  expect(said).toEqual([
    {
      share: 'tender',
      batchId: '01JD0QZ7T1',
      documents: [3],
      values: { status: 'For construction' },
      asked: { question: 'missing-values' },
    },
  ]);
  // It is asked again: the word about the answer before would hide that.
  const since = new Date().toISOString();
  sample.rows = sample.rows.map(row => (row.key === 'row-9' ? { ...row, since } : row));
  bed.changed('job:tender/TR-0142');
  await panel.getByRole('button', { name: 'Status: For construction' }).waitFor();
  expect(await panel.getByText('Your answer is taken; it goes on.').count()).toBe(0);
  expect(bed.errors).toEqual([]);
});

test('by keys: N goes to the next that needs a person, Enter opens it, arrows walk, Esc closes', async () => {
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByText('Rows 1 to').waitFor();
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/TR-0142/row-9');
  await page.getByText('1 of 20 held').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.waitForURL('**/TR-0142/row-10');
  await page.keyboard.press('Escape');
  await page.waitForURL('**/TR-0142');
  const grid = page.getByRole('grid');
  expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe('grid');
  await page.keyboard.press('Shift+N');
  expect(await grid.getAttribute('aria-activedescendant')).toMatch(/-7$/);
});

test('a key that is pressed as soon as the documents are shown is heard', async () => {
  const page = await bed.open('/jobs');
  await page.evaluate(`{
    const pressed = new MutationObserver(() => {
      if (document.querySelector('[role=grid]') === null) return;
      pressed.disconnect();
      dispatchEvent(new KeyboardEvent('keydown', { key: 'n' }));
    });
    pressed.observe(document, { childList: true, subtree: true });
  }`);
  await page.getByRole('link', { name: 'TR-0142' }).first().click();
  await page.getByRole('grid').and(page.locator('[aria-activedescendant$="-7"]')).waitFor();
});

test('by mouse: filter, sort and search stand in the address', async () => {
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByRole('button', { name: 'Held 20' }).click();
  await page.getByText('Rows 1 to').waitFor();
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('21');
  await page.getByRole('button', { name: 'Number' }).click();
  await page.getByRole('button', { name: 'Number' }).click();
  await page.waitForURL('**/TR-0142?outcome=held&sort=-number');
  expect(await page.getByRole('columnheader', { name: 'Number' }).getAttribute('aria-sort')).toBe(
    'descending',
  );
  await page.getByRole('searchbox', { name: 'Find in this job' }).fill('0008');
  await page.getByText('Rows 1 to 1 of 1').waitFor();
  await page.getByRole('row', { name: 'HBT-ARU-ZZ-03-DR-S-0008' }).click();
  await page.getByText('Values and where they come from').waitFor();
});

test('5,000 rows: only those in sight exist, all that fit are chosen at once and copied as a table', async () => {
  sample.rows = sampleRows(5_000);
  const page = await bed.open('/jobs/tender/TR-0142', {
    options: { permissions: ['clipboard-read', 'clipboard-write'] },
  });
  const grid = page.getByRole('grid');
  await grid.focus();
  await page.keyboard.press('End');
  await page.getByText('HBT-ARU-ZZ-03-DR-S-5000').waitFor();
  await shoot(page, 'job-5000');
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  expect(await grid.getAttribute('aria-rowcount')).toBe('5001');
  await page.keyboard.press('Control+a');
  await page.getByText('5,000 selected').waitFor();
  await page.keyboard.press('Control+c');
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(String(copied).split('\r\n')).toHaveLength(5_001);
  expect(String(copied).split('\r\n')[1]).toBe(
    '2\tThrough\tHBT-ARU-ZZ-03-DR-S-0001\tP02\tLevel 03, slab reinforcement, sheet 1\tFollows P01 of 3 May 2026\t' +
      sample.rows[0]?.since,
  );
});

test('on a phone rows have two lines, the document is a page of its own, nothing reaches over the side', async () => {
  const page = await bed.open('/jobs/tender/TR-0142', { isPhone: true, theme: 'dark' });
  await page.getByText('HBT-ARU-ZZ-03-DR-S-0001').waitFor();
  await shoot(page, 'job-phone-dark');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByText('HBT-ARU-ZZ-03-DR-S-0001').tap();
  await page.getByText('Its whole way').waitFor();
  await shoot(page, 'job-phone-panel-dark');
  expect(await findBarriers(page)).toEqual([]);
});

test('who may only see is not the one that held documents wait for', async () => {
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByText('20 are held and wait for you').waitFor();
  await page.route('**/api/me', async route => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), roles: { tender: 'see' } } });
  });
  await page.reload();
  await page.getByText('20 are held and wait for a person').waitFor();
});

test('names are text, whatever stands in them', async () => {
  sample.rows = sampleRows(30).map((row, at) => {
    const name = HOSTILE[at];
    return name === undefined ? row : { ...row, number: null, title: name, file: `a/${name}`, reason: name };
  });
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByRole('row').nth(1).click();
  await page.getByText('Its whole way').waitFor();
  await shoot(page, 'job-hostile');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1440);
  expect(await page.locator('main img').count()).toBe(0);
  expect(bed.errors).toEqual([]);
});

test('columns are chosen, those of the register too, and this browser remembers them', async () => {
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByText('Rows 1 to').waitFor();
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  const zone = page.getByRole('menuitemcheckbox', { name: 'Zone (of the register)' });
  expect(await zone.getAttribute('aria-checked')).toBe('false');
  await zone.click();
  await page.getByText('Zone 2').first().waitFor();
  // It stays open, for one more.
  await page.getByRole('menuitemcheckbox', { name: 'Title' }).press('Enter');
  await page.getByRole('columnheader', { name: 'Title' }).waitFor({ state: 'detached' });
  expect(await zone.getAttribute('aria-checked')).toBe('true');
  expect(await findBarriers(page)).toEqual([]);
  await shoot(page, 'job-columns');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Zone' }).click();
  await page.waitForURL('**/TR-0142?sort=own%3AZone');
  await page.getByText(', by Zone').waitFor();
  await page.reload();
  await page.getByText('Zone 0').first().waitFor();
  expect(await page.getByRole('columnheader', { name: 'Title' }).count()).toBe(0);
  expect(bed.errors).toEqual([]);
});

test('an operator opens the run in Temporal', async () => {
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByRole('button', { name: 'More about this job' }).click();
  const link = page.getByRole('menuitem', { name: 'Open in Temporal' });
  expect(await link.getAttribute('href')).toContain(
    '/namespaces/default/workflows/ingest%2Fp%2F01JD0QZ7T1/r1',
  );
});

test('what was chosen and is filtered away is neither counted nor copied', async () => {
  const page = await bed.open('/jobs/tender/TR-0142');
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('300 selected').waitFor();
  await page.getByRole('button', { name: 'Held 20' }).click();
  await page.getByText('20 selected').waitFor();
});
