// Drop here in a browser: real files onto a real share, gone on with after a reload, by mouse and by
// keyboard.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Share } from '../../../../activities/share/share';
import { createDrop } from '../../../../client/console/drop/drop-module';
import type { ConsoleDeps } from '../../../../client/console/serve/module';
import { createTestBed, type TestBed } from '../../../activities/share/share-test-bed';
import { openServer } from '../serve/server-bed';
import { type BrowserBed, buildPage, findBarriers, openPage, shoot } from './browser-bed';
import { startChromium } from './chromium';
import { HOSTILE, SAMPLE_REPORT } from './sample-report';

/**
 * Twelve seconds on the slow line below: what is done while it is under way has time for it on a busy
 * machine.
 */
const LARGE_BYTES = 24_000_000;
let share: TestBed;
let bed: Pick<BrowserBed, 'server' | 'errors' | 'open' | 'close'>;
let mine: string;

beforeAll(async () => {
  share = await createTestBed();
  const open = await share.open();
  const deps: Partial<ConsoleDeps> = {
    // A worker that has judged before it is asked: what it says is tried out with the worker.
    temporal: async () => ({ workflow: { start: async () => await judge(open) } }) as never,
    shares: () => [{ config: share.config, share: open, why: undefined }],
    logger: { info: () => undefined, warn: () => undefined } as never,
    changed: () => undefined,
  };
  const server = await openServer({ page: buildPage(), modules: [createDrop(deps as ConsoleDeps) as never] });
  const browser = await startChromium();
  const errors: string[] = [];
  bed = {
    server,
    errors,
    open: async (path, how) => await openPage(browser, `${server.origin}${path}`, errors, how),
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
  mine = await mkdtemp(join(tmpdir(), 'mine-'));
  const folder = join(mine, 'TR-0143 Structural IFC rev 2');
  await mkdir(join(folder, 'plans'), { recursive: true });
  await writeFile(join(folder, 'register.csv'), 'File,Number\n');
  await writeFile(join(folder, 'Thumbs.db'), 'noise');
  await writeFile(join(folder, 'plans', 'A-1.pdf'), Buffer.alloc(LARGE_BYTES, 1));
  await writeFile(join(folder, 'plans', HOSTILE), 'hostile');
});
afterAll(async () => {
  await bed.close();
  await share.remove();
  await rm(mine, { recursive: true });
});

/** Registers, as they were when they were judged. */
const judged: string[] = [];

async function judge(on: Share): Promise<void> {
  const { id = '' } = (await on.uploads.list()).findLast(({ sent }) => sent === null) ?? {};
  const upload = await on.uploads.open(id);
  // Its register has come before it was asked for.
  judged.push(await share.read(`.drawbridge/uploads/${id}/whole/register.csv`));
  await upload?.tests.put(SAMPLE_REPORT, Buffer.from('the sheet'));
}

const chooseFolder = async (page: Page) => {
  await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
  await page.locator('input[webkitdirectory]').setInputFiles(join(mine, 'TR-0143 Structural IFC rev 2'));
};

test.each(['light', 'dark'] as const)(
  'what was chosen is told before anything is sent, and axe finds nothing, %s',
  async theme => {
    const page = await bed.open('/drop', { theme });
    await chooseFolder(page);
    await page.getByText('3 files, 24 MB').waitFor();
    expect(await page.getByText('Thumbs.db').count()).toBe(1);
    await shoot(page, `drop-${theme}`);
    expect(await findBarriers(page)).toEqual([]);
    expect(await share.list('.drawbridge/uploads')).toEqual([]);
    // Other views, which this server does not have, are asked for their badges.
    expect(bed.errors.filter(error => !error.includes('404'))).toEqual([]);
  },
);

test('files are taken as soon as the view is shown, and the focus stays where it is moved in that moment', async () => {
  const page = await bed.open('/jobs');
  await page.evaluate(`void (window.told = new Promise(resolve => {
    const shown = new MutationObserver(() => {
      if (document.querySelector('.view.drop') === null) return;
      shown.disconnect();
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'A-1.pdf'));
      const over = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true });
      document.body.dispatchEvent(over);
      const focused = document.activeElement.tagName;
      document.getElementById('find').focus();
      // Effects that come after the paint have been by then.
      const after = () => resolve([over.defaultPrevented, focused, document.activeElement.id]);
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(after)));
    });
    shown.observe(document, { childList: true, subtree: true });
  }))`);
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  expect(await page.evaluate('window.told')).toEqual([true, 'H1', 'find']);
});

/** As far as the page has got with it. */
async function untilSent(page: Page, bytes: number): Promise<void> {
  while (((await page.evaluate("document.querySelector('.drop-progress')?.value ?? 0")) as number) < bytes);
}

test('a folder is sent over a line that breaks, goes on after a reload where it stopped, and lies on the share once', async () => {
  const page = await bed.open('/drop');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 2_000_000 };
  await session.send('Network.emulateNetworkConditions', slow);
  const offsets: number[] = [];
  page.on('request', request => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
  });
  page.on('dialog', dialog => void dialog.accept());
  await chooseFolder(page);
  await page.getByRole('button', { name: 'Send 3 files' }).press('Enter');
  await untilSent(page, 1_500_000);
  const wentOn = page.waitForRequest(
    request => request.method() === 'PATCH' && Number(request.headers()['upload-offset']) > 0,
  );
  bed.server.console.server.server.closeAllConnections();
  await wentOn;
  await untilSent(page, 3_000_000);
  await page.getByRole('button', { name: 'Pause' }).press('Enter');
  await page.getByRole('status').getByText('Paused').waitFor();
  await shoot(page, 'drop-paused');
  await page.getByRole('button', { name: 'Go on' }).press('Enter');
  await untilSent(page, 4_000_000);
  expect(await readdir(join(share.root, 'drop'))).toEqual([]);
  await page.reload();
  await session.detach();
  offsets.length = 0;
  await page.getByText('Choose the folder again to go on.').waitFor();
  await chooseFolder(page);
  await page.getByText(/^[1-9].* MB of 24 MB are there already/).waitFor();
  await page.getByRole('button', { name: 'Go on sending' }).click();
  await page.getByText('Its page opens when the job is taken up').waitFor();
  await shoot(page, 'drop-sent');
  const [folder = ''] = await readdir(join(share.root, 'drop'));
  expect(folder).toBe('TR-0143 Structural IFC rev 2');
  expect(await share.list(`drop/${folder}`)).toEqual(
    ['.ready', 'plans/A-1.pdf', `plans/${HOSTILE}`, 'register.csv'].sort(),
  );
  // Not by toEqual, which looks at each byte by itself: a minute for these.
  const arrived = await readFile(join(share.root, 'drop', folder, 'plans/A-1.pdf'));
  expect(arrived.equals(Buffer.alloc(LARGE_BYTES, 1))).toBe(true);
  expect(offsets.filter(at => at > 0)).toHaveLength(1);
  const job = await (await share.open()).openJob(folder);
  await page.waitForURL(`**/jobs/tender/${job.jobId}`, { waitUntil: 'commit' });
  await rm(join(share.root, 'drop', folder), { recursive: true });
}, 120_000);

/** What comes first: that an upload is gone, or that one is begun. */
function listBeginnings(page: Page): readonly string[] {
  const asked: string[] = [];
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().endsWith('/api/uploads/tender')) asked.push('begun');
  });
  page.on('response', response => {
    if (response.request().method() === 'DELETE') asked.push('given up');
  });
  return asked;
}

test.each(['light', 'dark'] as const)(
  'a job is tested before it is sent: one row a reason, with what to do, %s',
  async theme => {
    const page = await bed.open('/drop', { theme });
    await chooseFolder(page);
    await page.getByRole('button', { name: 'Test it first' }).press('Enter');
    await page.getByText('272 of 300 would go through, 20 would be held, 4 would be set apart').waitFor();
    expect(await page.getByText('31 of 298').count()).toBe(1);
    await page.getByRole('button', { name: 'Show 8' }).press('Enter');
    expect(await page.getByText(HOSTILE).count()).toBe(1);
    await shoot(page, `drop-tested-${theme}`);
    expect(await findBarriers(page)).toEqual([]);
    const sheet = await page.getByRole('link', { name: 'Sheet with the faults' }).getAttribute('href');
    expect(await (await bed.server.ask(sheet ?? '')).text()).toBe('the sheet');
    expect(await readdir(join(share.root, 'drop'))).toEqual([]);
    const isWhole = theme === 'light';
    const button = isWhole ? 'Send all, answer later' : 'Send only the 276';
    const asked = listBeginnings(page);
    await page.getByRole('button', { name: button }).press('Enter');
    // There is a job of this name already, from a moment ago.
    await page.waitForURL('**/jobs/tender/*');
    const [folder = ''] = await readdir(join(share.root, 'drop'));
    const held = isWhole ? [`plans/${HOSTILE}`] : [];
    expect(await share.list(`drop/${folder}`)).toEqual(['.ready', ...held, 'plans/A-1.pdf', 'register.csv']);
    await page.goBack();
    if (!isWhole) {
      // Room that is promised to the test's upload would be missing for the part.
      expect(asked).toEqual(['given up', 'begun']);
      // The others stay chosen, with the register.
      await page.getByText('Not sent with the others, and still chosen:').waitFor();
      await page.getByText('2 files, 19 bytes').waitFor();
      expect(await page.getByText(HOSTILE).count()).toBe(1);
      await shoot(page, 'drop-rest');
      expect(await findBarriers(page)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
    // What was begun for a test alone is gone with it.
    expect(await (await bed.server.ask('/api/drop')).json()).toMatchObject({ uploads: [] });
    await rm(join(share.root, 'drop', folder), { recursive: true });
  },
  60_000,
);

test('files without a folder go together under a name; what is refused says why, with the name of the file', async () => {
  const page = await bed.open('/drop', { isPhone: true });
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  await page.locator('input[multiple]:not([webkitdirectory])').setInputFiles([
    { name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('a') },
    { name: 'A.pdf', mimeType: 'application/pdf', buffer: Buffer.from('b') },
  ]);
  await page.getByLabel('Name of the job').fill('loose ones');
  await page.getByRole('button', { name: 'Send 2 files' }).click();
  await page.getByText('differ in capitals or accents only').waitFor();
  await shoot(page, 'drop-refused-phone');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findBarriers(page)).toEqual([]);
});

test('what was begun can be given up: asked first, and then nothing is left of it', async () => {
  const page = await bed.open('/drop');
  await page.route('**/bytes/*', () => undefined);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  await page
    .locator('input[multiple]:not([webkitdirectory])')
    .setInputFiles([{ name: 'b.pdf', mimeType: 'application/pdf', buffer: Buffer.from('b') }]);
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  await page.getByRole('region', { name: 'Sending' }).getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).press('Enter');
  await page.getByRole('region', { name: 'Sending' }).getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  expect((await bed.server.ask('/api/drop').then(answer => answer.json())) as object).toMatchObject({
    uploads: [],
  });
});

const drag = async (page: Page, path: string) => {
  await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 900, y: 500, data });
    if (type === 'dragOver') await page.locator('.drop-frame').waitFor();
  }
  await session.detach();
};

test('a folder is dragged onto the page; tested again, its register is taken as it is by then', async () => {
  const folder = join(mine, 'TR-0143 Structural IFC rev 2');
  const page = await bed.open('/drop');
  await drag(page, folder);
  await page.getByText('3 files, 24 MB').waitFor();
  expect(await page.getByText('Thumbs.db').count()).toBe(1);
  const test = async (button: string) => {
    const before = judged.length;
    await page.getByRole('button', { name: button }).click();
    while (judged.length === before) await page.evaluate('0');
    await page.getByText('272 of 300 would go through').waitFor();
  };
  await test('Test it first');
  await writeFile(join(folder, 'register.csv'), 'File,Number\nA-1.pdf,A-1\n');
  await test('Test again');
  expect(judged.slice(-2)).toEqual(['File,Number\n', 'File,Number\nA-1.pdf,A-1\n']);
  expect(await (await bed.server.ask('/api/drop')).json()).toMatchObject({ uploads: [{ files: 3 }] });
  // A browser does not look again at what was chosen with a button.
  await chooseFolder(page);
  await test('Test it first');
  await writeFile(join(folder, 'register.csv'), 'File,Number\n');
  await page.getByRole('button', { name: 'Test again' }).click();
  await page.getByRole('alert').getByText('register.csv was changed since you chose it').waitFor();
  await shoot(page, 'drop-changed');
  await page.getByRole('button', { name: 'Clear the choice' }).click();
  expect(await readdir(join(share.root, 'drop'))).toEqual([]);
}, 60_000);
