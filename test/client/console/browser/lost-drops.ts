// Actions on a folder that is dropped on the page: begun, sent, given up, tested.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Action, button, countUploads, inDialog, inDrop, lost } from './lost-bed';

const chooseFolder = async (page: Page) => {
  await button(page, 'Choose a folder').waitFor();
  await page.locator('input[webkitdirectory]').setInputFiles(join(lost.mine, 'TR-0143'));
  await page.getByText('1 file, 6 B').waitFor();
};
/** All of it has come, and nobody has sent it. */
const comeWhole = async (page: Page) => {
  const files = [{ path: 'A-1.pdf', sizeBytes: 6, modifiedMs: 5 }];
  const begun = await lost.share.uploads.begin(
    { name: 'TR-0143', files },
    { id: 'A. Novák', name: 'A. Novák' },
  );
  if (begun.kind !== 'begun') throw new Error(begun.kind);
  const upload = await lost.share.uploads.open(begun.state.id);
  const bytes = (async function* () {
    yield Buffer.from('a plan');
  })();
  await upload?.write(0, 0, { bytes, stop: () => undefined });
  await page.reload();
  await page.getByText('All of it is there. It was not sent.').waitFor();
};

/** Another window sends it, until this one was told to go on. */
let isElsewhere = true;

export const LOST_DROPS: readonly Action[] = [
  {
    name: 'begin an upload',
    path: '/drop',
    asks: '**/api/uploads/tender',
    shows: '**/api/drop',
    prepare: chooseFolder,
    press: page => button(page, 'Send 1 file').click(),
    again: async (page, wasDone) => {
      await button(page, wasDone ? 'Go on sending' : 'Send 1 file').click();
      await page.getByText('Its page opens when the job is taken up').waitFor();
      expect(await inDrop()).toBe(1);
    },
    times: countUploads,
  },
  {
    name: 'begin an upload, pressed again before the page has looked',
    path: '/drop',
    asks: '**/api/uploads/tender',
    shows: '**/api/drop',
    prepare: async page => {
      await chooseFolder(page);
      // What was looked at before is all that it knows.
      await page.route('**/api/drop', route =>
        route.fulfill({
          json: {
            shares: [{ name: 'tender', folder: 'drop', why: null, maxFileBytes: 1e9, template: null }],
            uploads: [],
          },
        }),
      );
    },
    press: page => button(page, 'Send 1 file').click(),
    again: async page => {
      await button(page, 'Send 1 file').click();
      await page.getByText('Its page opens when the job is taken up').waitFor();
      expect(await inDrop()).toBe(1);
    },
    times: countUploads,
  },
  {
    name: 'finish a dropped folder',
    path: '/drop',
    asks: '**/send',
    shows: '**/api/drop',
    prepare: chooseFolder,
    press: page => button(page, 'Send 1 file').click(),
    again: async page => {
      await button(page, 'Go on').click();
      await page.getByText('Its page opens when the job is taken up').waitFor();
    },
    times: inDrop,
  },
  {
    name: 'send what was not ended',
    path: '/drop',
    asks: '**/send',
    shows: '**/api/drop',
    prepare: comeWhole,
    press: page => button(page, 'Send now').click(),
    again: async (page, wasDone) => {
      if (wasDone) await button(page, 'Send now').waitFor({ state: 'detached' });
      else {
        await button(page, 'Send now').click();
        await button(page, 'Send now').waitFor({ state: 'detached' });
      }
    },
    times: inDrop,
  },
  {
    name: 'discard what was not ended',
    path: '/drop',
    asks: '**/api/uploads/tender/*',
    method: 'DELETE',
    shows: '**/api/drop',
    prepare: async page => {
      await comeWhole(page);
      await button(page, 'Discard').click();
    },
    press: page => inDialog(page, 'Discard').click(),
    again: async (page, wasDone) => {
      if (!wasDone) {
        await button(page, 'Discard').click();
        await inDialog(page, 'Discard').click();
      }
      await button(page, 'Discard').waitFor({ state: 'detached' });
    },
    times: async () => 1 - (await countUploads()),
  },
  {
    name: 'discard what is under way',
    path: '/drop',
    asks: '**/api/uploads/tender/*',
    method: 'DELETE',
    shows: '**/api/drop',
    prepare: async page => {
      await chooseFolder(page);
      await page.route('**/bytes/*', () => undefined);
      await button(page, 'Send 1 file').click();
      await page.getByRole('region', { name: 'Sending' }).getByRole('button', { name: 'Discard' }).click();
    },
    press: page => inDialog(page, 'Discard').click(),
    again: async page => {
      await page.getByRole('region', { name: 'Sending' }).getByRole('button', { name: 'Discard' }).click();
      await inDialog(page, 'Discard').click();
      await button(page, 'Choose files').waitFor();
    },
    times: async () => 1 - (await countUploads()),
  },
  {
    name: 'go on here',
    path: '/drop',
    asks: '**/take-over',
    shows: '**/api/drop',
    prepare: async page => {
      isElsewhere = true;
      await page.route('**/bytes/*', route =>
        isElsewhere ? route.fulfill({ status: 423, json: { text: 'x' } }) : route.fallback(),
      );
      await chooseFolder(page);
      await button(page, 'Send 1 file').click();
      await button(page, 'Go on here').waitFor();
    },
    press: page => button(page, 'Go on here').click(),
    again: async (page, wasDone) => {
      if (wasDone) isElsewhere = false;
      await page.getByRole('button', { name: 'Go on', exact: true }).click();
      if (!wasDone) {
        await button(page, 'Go on here').waitFor();
        isElsewhere = false;
        await button(page, 'Go on here').click();
      }
      await page.getByText('Its page opens when the job is taken up').waitFor();
    },
    times: inDrop,
  },
  {
    name: 'begin for a test run',
    path: '/drop',
    asks: '**/api/uploads/tender',
    shows: '**/api/drop',
    prepare: chooseFolder,
    press: page => button(page, 'Test it first').click(),
    again: async page => {
      await button(page, 'Test it first').click();
      await page.getByText('It is being tested.').waitFor();
    },
    times: countUploads,
  },
  {
    name: 'test run',
    path: '/drop',
    asks: '**/test',
    shows: '**/api/drop',
    prepare: chooseFolder,
    press: page => button(page, 'Test it first').click(),
    again: async page => {
      await button(page, 'Test it first').click();
      await page.getByText('It is being tested.').waitFor();
      // By the same name: Temporal gives the run that is there.
      expect(lost.testsStarted).toBeGreaterThan(0);
    },
    times: countUploads,
  },
];
