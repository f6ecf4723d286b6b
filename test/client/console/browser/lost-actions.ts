// Actions on what waits and on what was set apart.
import { type Action, button, inDialog, lost } from './lost-bed';

const taken = () => 4 - lost.waiting.rows.length;

export const LOST_ACTIONS: readonly Action[] = [
  {
    name: 'answer in the grid',
    path: '/waiting',
    asks: '**/api/answers',
    shows: '**/api/waiting*',
    prepare: async page => {
      await page.locator('[data-at="0-0"][aria-readonly=false]').getByText('needed').waitFor();
      await page.locator('[data-at="0-0"]').focus();
      await page.keyboard.type('A4');
      await page.keyboard.press('Enter');
      await page.getByText('1 answer, not saved yet.').waitFor();
    },
    press: page => page.keyboard.press('Control+s'),
    again: async (page, wasDone) => {
      if (wasDone) await page.getByText('2 documents wait for values').waitFor();
      await page.keyboard.press('Control+s');
      if (!wasDone) await page.getByText('1 answer taken').first().waitFor();
    },
    times: taken,
  },
  {
    name: 'set apart from what waits',
    path: '/waiting',
    asks: '**/api/answers',
    shows: '**/api/waiting*',
    prepare: page => page.getByRole('checkbox', { name: 'Select HBT-ARU-ZZ-03-DR-S-0012' }).check(),
    press: page => button(page, 'Set 1 apart').click(),
    again: async (page, wasDone) => {
      if (wasDone) await page.getByText('2 documents wait for values').waitFor();
      else {
        await button(page, 'Set 1 apart').click();
        await page.getByText('1 document is set apart.').first().waitFor();
      }
    },
    times: taken,
  },
  {
    name: 'end a review',
    path: '/waiting/reviews',
    asks: '**/api/answers',
    shows: '**/api/waiting*',
    prepare: async page => {
      await button(page, 'End the review…').click();
      await page.getByLabel('Reason').fill('Superseded');
      await page.getByLabel('Status that the reviewed revisions get').selectOption('As constructed');
    },
    press: page => inDialog(page, /submit/).click(),
    again: async (page, wasDone) => {
      if (wasDone) await button(page, 'End the review…').waitFor({ state: 'detached' });
      else {
        await button(page, 'End the review…').click();
        await page.getByLabel('Reason').fill('Superseded');
        await page.getByLabel('Status that the reviewed revisions get').selectOption('As constructed');
        await inDialog(page, /submit/).click();
        await page.getByText('1 answer taken').first().waitFor();
      }
    },
    times: taken,
  },
  {
    name: 'try again all of a reason',
    path: '/apart',
    asks: '**/api/try-again',
    shows: '**/api/apart',
    prepare: async page => {
      await button(page, 'Try again 3').click();
      await inDialog(page, 'Try again 3').waitFor();
    },
    press: page => inDialog(page, 'Try again 3').click(),
    again: async (page, wasDone) => {
      await inDialog(page, wasDone ? 'Try again 0' : 'Try again 3').waitFor();
      expect(await inDialog(page, /^Try again/).isDisabled()).toBe(wasDone);
      if (wasDone) return;
      await inDialog(page, 'Try again 3').click();
      await page.getByText('3 documents are in the drop folder again.').first().waitFor();
    },
    times: () => (3 - lost.apart.rows.length) / 3,
  },
  {
    name: 'try some again',
    path: '/apart',
    asks: '**/api/try-again',
    shows: '**/api/apart',
    prepare: async page => {
      await page.getByLabel('Select HBT-ARU-ZZ-03-DR-M-0101').check();
      await page.keyboard.press('t');
      await inDialog(page, 'Try again 1').waitFor();
    },
    press: page => inDialog(page, 'Try again 1').click(),
    again: async (page, wasDone) => {
      await inDialog(page, wasDone ? 'Try again 0' : 'Try again 1').waitFor();
      if (wasDone) return;
      await inDialog(page, 'Try again 1').click();
      await page.getByText('1 document is in the drop folder again.').first().waitFor();
    },
    times: () => 3 - lost.apart.rows.length,
  },
  {
    name: 'correct values of what was set apart',
    path: '/apart',
    asks: '**/api/try-again',
    shows: '**/api/apart',
    prepare: async page => {
      await button(page, 'Correct the values').click();
      await button(page, 'Type of M-1.pdf: Plam').focus();
      await page.keyboard.type('sec');
      await page.getByRole('option', { name: 'SE Section' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('1 row with other values.').waitFor();
    },
    press: page => inDialog(page, 'Send 1').click(),
    again: async (page, wasDone) => {
      await inDialog(page, 'Send 1').click();
      const told = wasDone ? 'somebody took it up' : '1 document is in the drop folder again.';
      await page.getByRole('main').getByText(told).waitFor();
    },
    times: () => 3 - lost.apart.rows.length,
  },
  {
    name: 'upload the corrected sheet',
    path: '/apart',
    asks: '**/api/sheets/**',
    shows: '**/api/apart',
    prepare: async page => {
      await button(page, 'Upload the corrected sheet').click();
      const sheet = { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from('A,B') };
      await page.getByLabel('Sheet, .xlsx or .csv').setInputFiles(sheet);
    },
    press: page => page.getByRole('button', { name: 'Upload', exact: true }).click(),
    again: async (page, wasDone) => {
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const told = wasDone ? 'This sheet was read before' : '1 row of TR-0139 was taken';
      await page.getByRole('main').getByText(told).waitFor();
    },
    times: () => lost.sheets.size,
  },
  {
    name: 'answer in the panel of a document',
    path: '/jobs/tender/TR-0142/row-9',
    asks: '**/api/answers',
    shows: '**/api/jobs/tender/TR-0142/rows/row-9',
    prepare: async page => {
      const panel = page.getByRole('complementary');
      await panel.getByRole('button', { name: 'Status: needed' }).click();
      await page.keyboard.type('A4');
      await panel.getByRole('option', { name: 'A4 For construction' }).waitFor();
      await page.keyboard.press('Enter');
    },
    press: page => button(page, 'Save 1 answer').click(),
    again: async (page, wasDone) => {
      await button(page, 'Save 1 answer').click();
      const told = wasDone ? 'J. Okafor' : 'Your answer is taken; it goes on.';
      await page.getByRole('complementary').getByText(told).waitFor();
    },
    times: taken,
  },
];
