// What people do on the page, each as the steps that any hand can take, and what shows that it was done.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Hand } from './hands';
import { button, countUploads, inDialog, inDrop, lost } from './lost-bed';

interface PageAction {
  readonly name: string;
  readonly path: string;
  readonly act: (page: Page, hand: Hand) => Promise<void>;
  /** Ends when it is seen; throws where something else is. */
  readonly done: (page: Page) => Promise<unknown>;
}

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name });
const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const cell = (page: Page, row: number) => page.locator(`[data-at="${row}-0"]`);
const shows = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();
const stands = (address: string) => (page: Page) => page.waitForURL(address);
const SHEET = { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from('A,B') };

/** What comes as a file, under this name. */
const downloads = async (page: Page, name: string, press: () => Promise<void>): Promise<void> => {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  expect(download.suggestedFilename()).toBe(name);
};
const openGrid = async (page: Page) =>
  await page.locator('[data-at="0-0"][aria-readonly=false]').getByText('needed').waitFor();

const JOBS: readonly PageAction[] = [
  {
    name: 'filter the jobs',
    path: '/jobs',
    act: (page, hand) => hand.press(button(page, 'Waits for me')),
    done: stands('**/jobs?state=waits'),
  },
  {
    name: 'jobs of one person',
    path: '/jobs',
    act: (page, hand) => hand.choose(page.getByLabel('Dropped by'), 'J. Okafor'),
    done: stands('**/jobs?by=J.*Okafor'),
  },
  {
    name: 'search the jobs',
    path: '/jobs',
    act: (page, hand) => hand.write(page.getByRole('searchbox', { name: 'Name, number' }), 'MEP'),
    done: stands('**/jobs?q=MEP'),
  },
  {
    name: 'open a job',
    path: '/jobs',
    act: (page, hand) => hand.press(link(page, 'TR-0142').first()),
    done: stands('**/jobs/tender/TR-0142'),
  },
  {
    name: 'answer what a job waits for',
    path: '/jobs',
    act: (page, hand) => hand.press(link(page, 'Answer 20').first()),
    done: stands('**/waiting?job=*'),
  },
  {
    name: 'see what was set apart of a job',
    path: '/jobs',
    act: (page, hand) => hand.press(link(page, 'See 2 set apart').first()),
    done: stands('**/apart?share=tender&job=TR-0137'),
  },
  {
    name: 'find from anywhere',
    path: '/jobs',
    act: async (page, hand) => {
      await hand.write(page.locator('#find'), '0008');
      const found = page.getByRole('option').filter({ hasText: '0008' });
      await found.waitFor();
      if (hand.name === 'mouse') await found.click();
      else await page.keyboard.press('Enter');
    },
    done: stands('**/jobs/tender/TR-0142/row-9'),
  },
];

const JOB: readonly PageAction[] = [
  {
    name: 'filter the documents of a job',
    path: '/jobs/tender/TR-0142',
    act: (page, hand) => hand.press(button(page, /^Held/)),
    done: stands('**/TR-0142?outcome=held'),
  },
  {
    name: 'sort them',
    path: '/jobs/tender/TR-0142',
    act: (page, hand) => hand.press(button(page, 'Number')),
    done: stands('**/TR-0142?sort=number'),
  },
  {
    name: 'find in a job',
    path: '/jobs/tender/TR-0142',
    act: (page, hand) => hand.write(page.getByRole('searchbox', { name: 'Find in this job' }), '0008'),
    done: stands('**/TR-0142?q=0008'),
  },
  {
    name: 'choose columns',
    path: '/jobs/tender/TR-0142',
    act: async (page, hand) => {
      await hand.press(button(page, 'Columns'));
      await hand.pick(page.getByRole('menuitemcheckbox', { name: 'Zone (of the register)' }));
    },
    done: page => page.getByRole('columnheader', { name: 'Zone' }).waitFor(),
  },
  {
    name: 'copy rows as a table',
    path: '/jobs/tender/TR-0142',
    act: async (page, hand) => {
      await hand.chooseRow(page.getByRole('row', { name: 'HBT-ARU-ZZ-03-DR-S-0008' }));
      await hand.press(button(page, 'Copy as a table'));
    },
    done: async page => {
      const read = async () => String(await page.evaluate('navigator.clipboard.readText()'));
      while (!(await read()).includes('HBT-ARU-ZZ-03-DR-S-0008'));
    },
  },
  {
    name: 'choose all documents that fit',
    path: '/jobs/tender/TR-0142',
    act: async (page, hand) => {
      // A row is active by then, which must not take the key for itself.
      await hand.chooseRow(page.getByRole('row', { name: 'HBT-ARU-ZZ-03-DR-S-0008' }));
      await hand.press(button(page, 'Select none'));
      await page.getByText('1 selected').waitFor({ state: 'detached' });
      await hand.tick(box(page, 'Select all that match'));
    },
    done: shows('2 selected'),
  },
  {
    name: 'open a document with its whole way',
    path: '/jobs/tender/TR-0142',
    act: (page, hand) => hand.open(page.getByRole('row', { name: 'HBT-ARU-ZZ-03-DR-S-0008' })),
    done: shows('Its whole way'),
  },
  {
    name: 'close it',
    path: '/jobs/tender/TR-0142/row-9',
    act: (page, hand) => hand.press(page.getByRole('complementary').getByRole('button', { name: 'Close' })),
    done: stands('**/jobs/tender/TR-0142'),
  },
  {
    name: 'answer in the panel of a document',
    path: '/jobs/tender/TR-0142/row-9',
    act: async (page, hand) => {
      const panel = page.getByRole('complementary');
      await hand.press(panel.getByRole('button', { name: 'Status: needed' }));
      await hand.take(panel.getByRole('option', { name: 'A4 For construction' }));
      await hand.press(button(page, 'Save 1 answer'));
    },
    done: shows('Your answer is taken; it goes on.'),
  },
  {
    name: 'the receipt of a job',
    path: '/jobs/tender/TR-0137',
    act: (page, hand) => downloads(page, 'receipt.sheet', () => hand.press(link(page, 'Receipt'))),
    done: shows('TR-0137'),
  },
  {
    name: 'its proof',
    path: '/jobs/tender/TR-0137',
    act: async (page, hand) => {
      await hand.press(button(page, 'More about this job'));
      const asked = page.context().waitForEvent('request', one => one.url().includes('/api/proofs/'));
      await hand.pick(page.getByRole('menuitem', { name: 'Proof, signed (zip)' }));
      await asked;
    },
    done: shows('TR-0137'),
  },
];

const WAITING: readonly PageAction[] = [
  {
    name: 'answer in the grid',
    path: '/waiting',
    act: async (page, hand) => {
      await openGrid(page);
      await hand.edit(cell(page, 0));
      await hand.take(page.getByRole('option', { name: 'A4 For construction' }));
      await hand.press(button(page, 'Save 1 answer'));
    },
    done: shows('1 answer taken, 1 document goes on.'),
  },
  {
    name: 'fill a column for all that are selected',
    path: '/waiting',
    act: async (page, hand) => {
      await openGrid(page);
      await hand.tick(box(page, 'Select all'));
      await hand.edit(cell(page, 0));
      if (hand.name === 'keys') {
        await page.keyboard.type('A4');
        await page.getByRole('option', { name: 'A4 For construction' }).waitFor();
        await page.keyboard.press('Control+Enter');
      } else {
        await page.getByRole('option', { name: 'AB As constructed' }).hover();
        await button(page, 'Ctrl Enter all 3 selected').click();
      }
      await hand.press(button(page, 'Save 3 answers'));
    },
    done: shows('3 answers taken, 3 documents go on.'),
  },
  {
    name: 'fill them from the head of the column',
    path: '/waiting',
    act: async (page, hand) => {
      await openGrid(page);
      await hand.edit(cell(page, 0));
      await hand.take(page.getByRole('option', { name: 'A4 For construction' }));
      await hand.tick(box(page, 'Select all'));
      await hand.press(page.locator('summary', { has: page.locator('svg') }).first());
      await hand.press(button(page, 'Fill 3 selected'));
    },
    done: shows('3 answers, not saved yet.'),
  },
  {
    name: 'paste a column of a spreadsheet',
    path: '/waiting',
    act: async (page, hand) => {
      await openGrid(page);
      await hand.press(page.locator('summary', { has: page.locator('svg') }).first());
      await hand.press(button(page, 'Paste a column'));
      await hand.write(page.getByRole('dialog').getByRole('textbox'), 'A4');
      await page.keyboard.press('Enter');
      await page.keyboard.type('S1');
      await hand.press(inDialog(page, 'Put them in'));
    },
    done: shows('2 answers, not saved yet.'),
  },
  {
    name: 'set apart from what waits',
    path: '/waiting',
    act: async (page, hand) => {
      await openGrid(page);
      await hand.tick(box(page, 'Select all'));
      await hand.press(button(page, 'Set 3 apart'));
    },
    done: shows('3 documents are set apart.'),
  },
  {
    name: 'go to the reviews',
    path: '/waiting',
    act: (page, hand) => hand.press(link(page, /^Blocked by a review/)),
    done: stands('**/waiting/reviews'),
  },
  {
    name: 'try again where a review stood against it',
    path: '/waiting/reviews',
    act: (page, hand) => hand.press(button(page, /^Try again$/)),
    done: shows('1 answer taken, 1 document goes on.'),
  },
  {
    name: 'set apart what a review stands against',
    path: '/waiting/reviews',
    act: (page, hand) => hand.press(button(page, 'Set P02 apart')),
    done: shows('1 document is set apart.'),
  },
  {
    name: 'end a review',
    path: '/waiting/reviews',
    act: async (page, hand) => {
      await hand.press(button(page, 'End the review…'));
      await hand.write(page.getByLabel('Reason'), 'Superseded');
      await hand.choose(page.getByLabel('Status that the reviewed revisions get'), 'As constructed');
      await hand.press(inDialog(page, /submit/));
    },
    done: shows('1 answer taken, 1 document goes on.'),
  },
  {
    name: 'what waits as a sheet',
    path: '/waiting',
    act: async (page, hand) => {
      await openGrid(page);
      await downloads(page, 'waiting.xlsx', () => hand.press(link(page, 'As a sheet')));
    },
    done: shows('3 documents wait for values'),
  },
  {
    name: 'answer with a sheet',
    path: '/waiting',
    act: async (page, hand) => {
      await openGrid(page);
      await hand.give(button(page, 'Answer with a sheet'), SHEET);
    },
    done: shows('1 answer, not saved yet.'),
  },
];

/** So many, by their button, and again in the dialog that says what would be done. */
const tryAgain = async (page: Page, hand: Hand, count: number) => {
  await hand.press(button(page, `Try again ${count}`));
  await hand.press(inDialog(page, `Try again ${count}`));
};

const APART: readonly PageAction[] = [
  {
    name: 'try again all of a reason',
    path: '/apart',
    act: (page, hand) => tryAgain(page, hand, 3),
    done: shows('3 documents are in the drop folder again.'),
  },
  {
    name: 'try one again',
    path: '/apart',
    act: async (page, hand) => {
      await hand.tick(box(page, 'Select HBT-ARU-ZZ-03-DR-M-0102'));
      await tryAgain(page, hand, 1);
    },
    done: shows('1 document is in the drop folder again.'),
  },
  {
    name: 'correct values of what was set apart',
    path: '/apart',
    act: async (page, hand) => {
      await hand.press(button(page, 'Correct the values'));
      await hand.press(button(page, 'Type of M-1.pdf: Plam'));
      await page.keyboard.press('Control+a');
      await page.keyboard.type('sec');
      await hand.take(page.getByRole('option', { name: 'SE Section' }));
      await hand.press(inDialog(page, 'Send 1'));
    },
    done: shows('1 document is in the drop folder again.'),
  },
  {
    name: 'see them by job',
    path: '/apart',
    act: (page, hand) => hand.press(button(page, 'By job')),
    done: stands('**/apart?by=job'),
  },
  {
    name: 'close a group',
    path: '/apart',
    act: (page, hand) => hand.press(button(page, /^Close /)),
    done: page => page.locator('.apart-row').first().waitFor({ state: 'detached' }),
  },
  {
    name: 'the receipt of a job as a sheet, to be corrected',
    path: '/apart?by=job',
    act: (page, hand) => downloads(page, 'receipt.sheet', () => hand.press(link(page, 'As a sheet'))),
    done: shows('3 documents did not go through'),
  },
  {
    name: 'upload the corrected sheet',
    path: '/apart',
    act: async (page, hand) => {
      await hand.press(button(page, 'Upload the corrected sheet'));
      await hand.give(page.getByLabel('Sheet, .xlsx or .csv'), SHEET);
      await hand.press(inDialog(page, /^Upload$/));
    },
    done: shows('1 row of TR-0139 was taken'),
  },
];

const chooseFolder = async (page: Page, hand: Hand) => {
  await hand.give(button(page, 'Choose a folder'), join(lost.mine, 'TR-0143'));
  await page.getByText('1 file, 6 B').waitFor();
};

const DROP: readonly PageAction[] = [
  {
    name: 'drop a folder',
    path: '/drop',
    act: async (page, hand) => {
      await chooseFolder(page, hand);
      await hand.press(button(page, 'Send 1 file'));
    },
    done: async page => {
      await shows('Its page opens when the job is taken up')(page);
      expect(await inDrop()).toBe(1);
    },
  },
  {
    name: 'drop files under a name',
    path: '/drop',
    act: async (page, hand) => {
      await hand.give(button(page, 'Choose files'), { ...SHEET, name: 'A-2.pdf' });
      const name = page.getByLabel('Name of the job');
      await hand.press(name);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('TR-0150');
      await hand.press(button(page, 'Send 1 file'));
    },
    done: async page => {
      await shows('Its page opens when the job is taken up')(page);
      expect(await inDrop()).toBe(1);
    },
  },
  {
    name: 'test a folder before it is sent',
    path: '/drop',
    act: async (page, hand) => {
      await chooseFolder(page, hand);
      await hand.press(button(page, 'Test it first'));
    },
    done: async page => {
      await shows('It is being tested.')(page);
      expect(lost.testsStarted).toBe(1);
    },
  },
  {
    name: 'clear what was chosen',
    path: '/drop',
    act: async (page, hand) => {
      await chooseFolder(page, hand);
      await hand.press(button(page, 'Clear the choice'));
    },
    done: page => page.getByText('1 file, 6 B').waitFor({ state: 'detached' }),
  },
  {
    name: 'give up what is under way',
    path: '/drop',
    act: async (page, hand) => {
      await chooseFolder(page, hand);
      await page.route('**/bytes/*', () => undefined);
      await hand.press(button(page, 'Send 1 file'));
      const sending = page.getByRole('region', { name: 'Sending' });
      await hand.press(sending.getByRole('button', { name: 'Discard' }));
      await hand.press(inDialog(page, 'Discard'));
    },
    done: async page => {
      await button(page, 'Choose files').waitFor();
      expect(await countUploads()).toBe(0);
    },
  },
];

const ME: readonly PageAction[] = [
  {
    name: 'what stands below every view is reached',
    path: '/jobs',
    act: (page, hand) => hand.press(link(page, /^Set apart/)),
    done: stands('**/apart'),
  },
  {
    name: 'keys without Ctrl are turned off',
    path: '/me',
    act: (page, hand) => hand.tick(box(page, 'Keys without Ctrl act: N, A, /')),
    done: async page => expect(await box(page, 'Keys without Ctrl act: N, A, /').isChecked()).toBe(false),
  },
];

export const ACTIONS: readonly PageAction[] = [...JOBS, ...JOB, ...WAITING, ...APART, ...DROP, ...ME];
