// A dropped folder on the page, with everything behind it real: what goes through, what is held, and its end
// once that is answered, without reloading.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { startConsole } from '../../../../client/console/console';
import { findFreePorts } from '../../../setup/free-port';
import { Rig } from '../../../setup/rig';
import { buildPage, openPage, shoot } from './browser-bed';
import { startChromium } from './chromium';

let rig: Rig;
let browser: Browser;
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The page, with a service, a Temporal and a share that are real; nobody works or watches yet. */
async function openReal(): Promise<{
  readonly page: Page;
  readonly numbers: string;
  readonly errors: string[];
}> {
  const built = buildPage();
  rig = await Rig.start();
  ends.push(async () => await rig.close());
  browser = await startChromium();
  ends.push(async () => await browser.close());
  const { logger, temporal } = rig;
  const [port = 0] = await findFreePorts(1);
  const numbers = `127.0.0.1:${port}`;
  const config = { ...rig.config, metrics: { listen: numbers } };
  const served = await startConsole({
    config,
    shares: config.shares,
    temporal: async () => temporal.client,
    logger,
    page: built,
  });
  ends.push(async () => await served.close());
  const errors: string[] = [];
  const page = await openPage(browser, served.address, errors);
  await page.getByText('No job yet').waitFor();
  return { page, numbers, errors };
}

/** All numbers, once they say this: what is counted on a share may be ten seconds old. */
async function untilCounted(numbers: string, wanted: RegExp): Promise<string> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const told = await (await fetch(`http://${numbers}/metrics`)).text();
    if (performance.now() > deadline) expect(told).toMatch(wanted);
    if (wanted.test(told)) return told;
    await delay(200);
  }
}

/** A folder of these files, which is watched and worked on from now on, as a job of the page. */
async function dropAndOpen(
  page: Page,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  rig.dropFiles(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text])));
  await rig.startWatcher();
  await rig.startWorker();
  await page.getByRole('link', { name: folder }).click();
}

test('a folder appears, one document waits, its answer ends the job, and its whole way can be read', async () => {
  const { page, numbers, errors } = await openReal();
  const rows = ['plan 1,N-1,P01,1', 'plan 2,N-2,P01,many'];
  await dropAndOpen(page, 'TR-0142', {
    'Register.csv': ['File,Number,Revision,Sheet Count', ...rows].join('\n'),
    'plan 1.pdf': 'plan 1',
    'plan 2.pdf': 'plan 2',
  });
  await page.getByText('1 of 2 is through.').waitFor();
  await shoot(page, 'end-to-end-held');

  await page.getByRole('gridcell', { name: 'Held', exact: true }).waitFor();
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await page.getByText('Held since').waitFor();
  await page.getByText('Its whole way').waitFor();
  await page.getByRole('button', { name: 'Sheet Count: needed' }).click();
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save 1 answer' }).click();
  // It stands there until the document is through, which may be before a busy browser has drawn it.
  const taken = page.getByRole('complementary').getByText('Your answer is taken; it goes on.');
  const through = page.getByText('All 2 are through.');
  await taken.or(through).first().waitFor();
  await through.waitFor();
  await shoot(page, 'end-to-end-over');
  // As for every role: for Prometheus, who does not sign in.
  expect((await fetch(`http://${numbers}/readyz`)).status).toBe(200);
  const told = await untilCounted(numbers, /^drawbridge_drop_files\{share="[^"]+"\} 0$/m);
  expect(told).toMatch(/^drawbridge_info\{version="[^"]+"\} 1$/m);
  expect(await page.title()).toContain('2 of 2 through · TR-0142');
  expect(errors).toEqual([]);
});

test('a file that was set apart is replaced, and its document goes through with its row and the new bytes', async () => {
  const { page, errors } = await openReal();
  await dropAndOpen(page, 'TR-0143', {
    'Register.csv': 'File,Number,Revision\nplan 1.pdf,N-1,P01\nplan 2.pdf,N-2,P07\n',
    'plan 1.pdf': 'plan 1',
    'plan 2.pdf': '',
  });
  await page.getByText('1 of 2 is through').waitFor();
  // A file is replaced once its folder has its receipt.
  await rig.untilSettled(2);
  await page.getByRole('link', { name: 'Set apart' }).first().click();
  await page.getByRole('button', { name: 'Replace the file of N-2' }).click();
  const buffer = Buffer.alloc(300_000, 'mended');
  await page
    .getByLabel('The mended file')
    .setInputFiles({ name: 'mended.pdf', mimeType: 'application/pdf', buffer });
  await page.getByRole('dialog').getByRole('button', { name: 'Replace it' }).click();
  await page.getByRole('main').getByText('The new file of N-2 is in the drop folder').waitFor();
  await shoot(page, 'end-to-end-replaced');
  await rig.untilSettled(3);
  const revisions = (await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null);
  const sha256 = createHash('sha256').update(buffer).digest('hex');
  expect(revisions.map(each => [each.fileName, each.fields.number, each.revision, each.sizeBytes])).toEqual([
    ['plan 1.pdf', ['N-1'], 'P01', 6],
    ['plan 2.pdf', ['N-2'], 'P07', buffer.length],
  ]);
  expect(revisions[1]?.sha256).toBe(sha256);
  await page.getByRole('strong').getByText('Nothing is set apart.').waitFor();
  await shoot(page, 'end-to-end-replaced-over');
  await page.getByRole('link', { name: 'Jobs' }).first().click();
  await page.getByRole('row', { name: /TR-0143.*1 through.*1 set apart/ }).waitFor();
  await page.getByRole('link', { name: 'See 1 set apart' }).waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});
