// A mended file for one that was set apart, in a browser and onto a real share: by mouse and by keys, with an
// answer that is lost, and with a second person who was there before.
import type { Browser, Page } from 'playwright-core';
import type { Share } from '../../../../activities/share/share';
import { createApart } from '../../../../client/console/apart/apart';
import { createDrop } from '../../../../client/console/drop/drop-module';
import type { ConsoleDeps } from '../../../../client/console/serve/module';
import { createSheetBed, finishJob } from '../../../activities/share/receipt/sheet-test-bed';
import type { TestBed } from '../../../activities/share/share-test-bed';
import { openServer, type ServerBed } from '../serve/server-bed';
import { buildPage, findBarriers, openPage, shoot } from './browser-bed';
import { startChromium } from './chromium';

let place: TestBed;
let share: Share;
let server: ServerBed;
let browser: Browser;
let built: string;
const errors: string[] = [];

beforeAll(async () => {
  built = buildPage();
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
});

beforeEach(async () => {
  place = await createSheetBed();
  share = await place.open();
  const rows = ['1.pdf,N-0101,P01', '2.pdf,N-0102,P01', 'sub/3.pdf,N-0103,P01'];
  await place.drop('A/register.csv', ['File,Document No,Rev', ...rows, ''].join('\n'));
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await place.drop(`A/${name}`);
  await finishJob(share, ['1.pdf'], 'keeps-changing');
  const deps = {
    shares: () => [{ config: share.config, share, why: undefined }],
    logger: { info: () => undefined, warn: () => undefined },
    changed: () => server.console.live.changed(['apart']),
    now: () => new Date(),
  } as unknown as ConsoleDeps;
  const modules = [createApart(deps) as never, createDrop(deps) as never];
  server = await openServer({ page: built, modules });
  errors.length = 0;
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await server.close();
  await place.remove();
});

const openApart = async (how?: Parameters<typeof openPage>[3]) =>
  await openPage(browser, `${server.origin}/apart`, errors, how);
const MENDED = { name: 'mended.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(3_000_000, 7) };
const buttonOf = (view: Page, number = 'N-0102') =>
  view.getByRole('button', { name: `Replace the file of ${number}` });
const act = (view: Page) => view.getByRole('dialog').getByRole('button', { name: 'Replace it' });
const choose = async (view: Page, file = MENDED) =>
  await view.getByLabel('The mended file').setInputFiles(file);
const inDrop = async () => await place.list('drop');

test('by mouse: it goes up, lies in the drop folder with its row, and the document leaves the list', async () => {
  const view = await openApart();
  await buttonOf(view).click();
  expect(await act(view).isDisabled()).toBe(true);
  await choose(view);
  await shoot(view, 'apart-file-light');
  await act(view).click();
  await view.getByRole('main').getByText('The new file of N-0102 is in the drop folder').waitFor();
  await buttonOf(view).waitFor({ state: 'detached' });
  expect(await buttonOf(view, 'N-0103').count()).toBe(1);
  await shoot(view, 'apart-file-done-light');
  expect(await inDrop()).toEqual(['A/2.pdf', 'A/register.csv']);
  expect((await place.read('drop/A/2.pdf')).length).toBe(MENDED.buffer.length);
  expect(await place.read('drop/A/register.csv')).toContain('A. Novák');
  expect(await place.list('attention/A/replaced')).toEqual(['2.pdf']);
  // Other views, which this server does not have, are asked for their badges.
  expect(errors.filter(error => !error.includes('404'))).toEqual([]);
});

test('by keys: Enter opens it, what cannot go is said, Esc leads back to where one was', async () => {
  const view = await openApart();
  await buttonOf(view).focus();
  await view.keyboard.press('Enter');
  await choose(view, { ...MENDED, name: 'mended.dwg' });
  await act(view).press('Enter');
  await view.getByRole('alert').getByText('must end in ".pdf"').waitFor();
  await shoot(view, 'apart-file-refused-light');
  await view.keyboard.press('Escape');
  await view.getByRole('dialog').waitFor({ state: 'detached' });
  await buttonOf(view).and(view.locator(':focus')).waitFor();
  await view.keyboard.press('Enter');
  await choose(view);
  await act(view).focus();
  await view.keyboard.press('Enter');
  await view.getByRole('main').getByText('The new file of N-0102 is in the drop folder').waitFor();
  expect(await inDrop()).toEqual(['A/2.pdf', 'A/register.csv']);
});

test('an answer that is lost is told as such, and to press again does nothing twice', async () => {
  const view = await openApart();
  await buttonOf(view).click();
  await choose(view);
  let times = 0;
  await view.route('**/api/replacements/tender/*/*', async route => {
    times += 1;
    if (times > 1) return await route.continue();
    await route.fetch();
    await route.abort();
  });
  await act(view).click();
  await view.getByRole('alert').getByText('No answer came').waitFor();
  await act(view).click();
  await view.getByRole('main').getByText('The new file of N-0102 is in the drop folder').waitFor();
  expect(await inDrop()).toEqual(['A/2.pdf', 'A/register.csv']);
  expect(await place.list('attention/A/replaced')).toEqual(['2.pdf']);
});

test('who comes second is told, and what the first one gave stays', async () => {
  const [mine, theirs] = [await openApart(), await openApart()];
  await buttonOf(theirs).click();
  await choose(theirs, { ...MENDED, buffer: Buffer.from('theirs') });
  await buttonOf(mine).click();
  await choose(mine);
  await act(mine).click();
  await mine.getByRole('main').getByText('The new file of N-0102 is in the drop folder').waitFor();
  await act(theirs).click();
  await theirs.getByRole('alert').getByText('somebody took it up').waitFor();
  expect((await place.read('drop/A/2.pdf')).length).toBe(MENDED.buffer.length);
});

test.each(['light', 'dark'] as const)('axe finds nothing, %s', async theme => {
  const view = await openApart({ theme });
  await buttonOf(view).waitFor();
  expect(await findBarriers(view)).toEqual([]);
  await buttonOf(view).click();
  await choose(view);
  expect(await findBarriers(view)).toEqual([]);
  await shoot(view, `apart-file-${theme}`);
});

test('on a phone nothing reaches over the side', async () => {
  const view = await openApart({ isPhone: true });
  await buttonOf(view).waitFor();
  await shoot(view, 'apart-file-list-phone-light');
  await buttonOf(view).click();
  await choose(view);
  await shoot(view, 'apart-file-phone-light');
  expect(await view.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findBarriers(view)).toEqual([]);
});
