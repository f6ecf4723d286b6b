// One upload in two windows, and the addresses of an upload and of a test run.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Share } from '../../../../activities/share/share';
import type { Role } from '../../../../client/console/contract/route';
import { createDrop } from '../../../../client/console/drop/drop-module';
import type { ConsoleDeps, Person } from '../../../../client/console/serve/module';
import { createTestBed, type TestBed } from '../../../activities/share/share-test-bed';
import { openServer, type ServerBed } from '../serve/server-bed';
import { buildPage, findBarriers, openPage, shoot, toModule } from './browser-bed';
import { startChromium } from './chromium';
import { SAMPLE_REPORT } from './sample-report';

const BYTES = 24_000_000;
const ME: Person = { id: 'T. Harker', name: 'T. Harker', may: () => true };
const COLLEAGUE: Person = { id: 'J. Okafor', name: 'J. Okafor', may: (role: Role) => role !== 'operate' };

let share: TestBed;
let open: Share;
let server: ServerBed;
let browser: Browser;
let mine: string;
let who = ME;
const errors: string[] = [];

beforeAll(async () => {
  browser = await startChromium();
  mine = await mkdtemp(join(tmpdir(), 'mine-'));
  await writeFile(join(mine, 'A-1.pdf'), Buffer.alloc(BYTES, 7));
});
afterAll(async () => {
  await browser.close();
  await rm(mine, { recursive: true });
});
beforeEach(async () => {
  who = ME;
  share = await createTestBed();
  open = await share.open();
  const deps: Partial<ConsoleDeps> = {
    temporal: async () => ({ workflow: { start: judge } }) as never,
    shares: () => [{ config: share.config, share: open, why: undefined }],
    logger: { info: () => undefined, warn: () => undefined } as never,
    changed: () => undefined,
  };
  server = await openServer({
    page: buildPage(),
    modules: [toModule({}), createDrop(deps as ConsoleDeps) as never],
    access: { signIn: 'none', visitorOf: () => ({ person: who, session: 'one' }) },
  });
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await server.close();
  await share.remove();
});

async function judge(): Promise<void> {
  const [{ id = '' } = {}] = await open.uploads.list();
  const upload = await open.uploads.open(id);
  await upload?.tests.put(SAMPLE_REPORT, Buffer.from('the sheet'));
}

async function choose(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  await page.locator('input[multiple]:not([webkitdirectory])').setInputFiles(join(mine, 'A-1.pdf'));
  await page.getByLabel('Name of the job').fill('TR-0143');
}

async function sendSlowly(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000_000 };
  await session.send('Network.emulateNetworkConditions', slow);
  await choose(page);
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  while (((await page.evaluate("document.querySelector('.drop-progress')?.value ?? 0")) as number) < 500_000);
}

test('of two windows that send one upload the second is told; it goes on where it is wanted, then the first is told', async () => {
  const first = await openPage(browser, `${server.origin}/drop`, errors);
  await sendSlowly(first);
  const second = await openPage(browser, `${server.origin}/drop`, errors);
  await second.getByText('Another window is sending it just now.').waitFor();
  await choose(second);
  await second.getByRole('button', { name: 'Go on sending' }).click();
  await second.getByRole('alert').getByText('Another window is sending this.').waitFor();
  await shoot(second, 'drop-second-window');
  expect(await findBarriers(second)).toEqual([]);
  // The first is not disturbed by that.
  expect(await first.getByRole('button', { name: 'Pause' }).count()).toBe(1);
  await second.getByRole('button', { name: 'Go on here' }).press('Enter');
  await first.getByRole('alert').getByText('Another window is sending this.').waitFor();
  await second.getByText('Its page opens when the job is taken up').waitFor();
  expect(await readdir(join(share.root, 'drop'))).toEqual(['TR-0143']);
  const arrived = await readFile(join(share.root, 'drop', 'TR-0143', 'A-1.pdf'));
  expect(arrived.equals(Buffer.alloc(BYTES, 7))).toBe(true);
});

test('an upload has an address: reloaded, it says where it is; a colleague looks on, and cannot go on with it', async () => {
  const page = await openPage(browser, `${server.origin}/drop`, errors);
  page.on('dialog', dialog => void dialog.accept());
  await sendSlowly(page);
  await page.waitForURL('**/drop/tender/*');
  const address = page.url();
  who = COLLEAGUE;
  const theirs = await openPage(browser, address, errors);
  const card = theirs.getByRole('region', { name: 'Upload' });
  await card.getByText('Another window is sending it just now.').waitFor();
  await card.getByText(/^Begun by T. Harker/).waitFor();
  expect(await card.getByRole('button').count()).toBe(0);
  await shoot(theirs, 'drop-linked-light');
  expect(await findBarriers(theirs)).toEqual([]);
  who = ME;
  await page.reload();
  await page.getByRole('region', { name: 'Upload' }).getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByText('There is no such upload. It was sent or given up').waitFor();
  await shoot(page, 'drop-linked-gone');
  who = { ...COLLEAGUE, may: role => role === 'see' };
  await theirs.reload();
  await theirs.getByText('This needs the role "answer", which you do not have here.').first().waitFor();
});

test.each(['light', 'dark'] as const)(
  'the result of a test run has an address, for a colleague and after a reload, %s',
  async theme => {
    const page = await openPage(browser, `${server.origin}/drop`, errors, { theme });
    await choose(page);
    await page.getByRole('button', { name: 'Test it first' }).click();
    await page.getByText('272 of 300 would go through').waitFor();
    await page.waitForURL('**/tests/tender/*');
    await page.reload();
    await page.getByText('272 of 300 would go through').waitFor();
    await page.getByRole('heading', { name: 'TR-0143' }).waitFor();
    await shoot(page, `drop-linked-test-${theme}`);
    expect(await findBarriers(page)).toEqual([]);
    who = COLLEAGUE;
    const theirs = await openPage(browser, page.url(), errors, { theme });
    await theirs.getByText('272 of 300 would go through').waitFor();
    const sheet = await theirs.getByRole('link', { name: 'Sheet with the faults' }).getAttribute('href');
    expect(await (await server.ask(sheet ?? '')).text()).toBe('the sheet');
    await theirs.getByRole('link', { name: 'To the upload' }).press('Enter');
    await theirs.getByText('Only T. Harker and operators can go on with it.').waitFor();
  },
);
