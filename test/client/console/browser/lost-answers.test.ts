// The connection breaks in the middle of an action, before it is done or after: nobody is told that it was
// done or was not, what is shown is asked for anew, and a second press does not do it twice.
import type { Page } from 'playwright-core';
import { openPage, shoot } from './browser-bed';
import { LOST_ACTIONS } from './lost-actions';
import { type Action, button, useLostBed } from './lost-bed';
import { LOST_DROPS } from './lost-drops';

const UNKNOWN = 'whether this was done is not known here';

const openBed = useLostBed();

const CASES = [...LOST_ACTIONS, ...LOST_DROPS].flatMap(action => [
  { ...action, wasDone: true, when: 'it was done' },
  { ...action, wasDone: false, when: 'it was not done' },
]);

/** The first of such requests: its answer is lost, or the request itself. */
async function lose(page: Page, { asks, method = 'POST' }: Action, wasDone: boolean): Promise<void> {
  let isLost = false;
  await page.route(asks, async route => {
    if (isLost || route.request().method() !== method) return await route.fallback();
    isLost = true;
    if (wasDone) await route.fetch();
    await route.abort();
  });
}

test.each(CASES)('$name: $when', async action => {
  const { path, prepare, press, again, shows, times, wasDone, name } = action;
  const bed = openBed();
  const page = await openPage(bed.browser, `${bed.server.origin}${path}`, bed.errors);
  await page.getByText('Live', { exact: true }).waitFor();
  await prepare(page);
  expect(name.startsWith('begin') || (await times()) === 0).toBe(true);
  await lose(page, action, wasDone);
  const looked = page.waitForRequest(shows);
  await press(page);
  await page.getByText(UNKNOWN).first().waitFor();
  await looked;
  await shoot(page, `lost-${name.replaceAll(/\W+/g, '-')}-${wasDone}`);
  await again(page, wasDone);
  expect(await times()).toBe(1);
});

test('what needs no answer is done without a connection: settings of one’s own, and another try to connect', async () => {
  const bed = openBed();
  const page = await openPage(bed.browser, `${bed.server.origin}/me`, bed.errors);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.route('**/api/**', route => route.abort());
  bed.server.console.server.server.closeAllConnections();
  await button(page, 'Try now').waitFor();
  await page.getByLabel('Dark').check();
  await page.getByLabel('Roomy').check();
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  const tried = page.waitForRequest('**/api/live');
  await button(page, 'Try now').click();
  await tried;
  await page.getByText(/No connection since/).waitFor();
  await page.unroute('**/api/**');
  await button(page, 'Try now').click();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.reload();
  expect(await page.getByLabel('Dark').isChecked()).toBe(true);
  expect(await page.getByLabel('Roomy').isChecked()).toBe(true);
});
