// Two ways to do the same on a page: with the pointer alone, and with the keyboard alone.
import type { Locator, Page } from 'playwright-core';

export interface Hand {
  readonly name: 'mouse' | 'keys';
  /** A button or a link. */
  press(target: Locator): Promise<void>;
  tick(target: Locator): Promise<void>;
  /** Of a radio button or a select: what is called so. */
  choose(target: Locator, label: string): Promise<void>;
  /** Into a field, which it goes to first. */
  write(target: Locator, text: string): Promise<void>;
  /** The button opens the browser's own window, in which these are chosen. */
  give(target: Locator, files: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void>;
  /** An entry of a menu that is open. */
  pick(entry: Locator): Promise<void>;
  /** A row of the table of documents. */
  open(row: Locator): Promise<void>;
  chooseRow(row: Locator): Promise<void>;
  /** Begins to write in a cell of the grid of what waits. */
  edit(cell: Locator): Promise<void>;
  /** A value of the list below the cell that is written. */
  take(option: Locator): Promise<void>;
}

/** More than any view has places that Tab stops at. */
const MOST_STOPS = 120;

const isFocused = async (target: Locator): Promise<boolean> =>
  (await target.and(target.page().locator(':focus')).count()) === 1;

/** By Tab alone: what cannot be reached so is no place for the keyboard. */
async function reach(target: Locator): Promise<Page> {
  const page = target.page();
  await target.waitFor();
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await isFocused(target)) return page;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not come to ${String(target)}`);
}

/** By the arrow, once somebody is in what they walk through. */
async function walk(page: Page, isThere: () => Promise<boolean>, key = 'ArrowDown'): Promise<void> {
  for (let steps = 0; steps < MOST_STOPS; steps += 1) {
    if (await isThere()) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not come there`);
}

async function reachGrid(row: Locator): Promise<Page> {
  const grid = row.page().getByRole('grid');
  const page = await reach(grid);
  const id = await row.getAttribute('id');
  await walk(page, async () => (await grid.getAttribute('aria-activedescendant')) === id);
  return page;
}

async function chooserOf(target: Locator, press: (target: Locator) => Promise<void>) {
  const [chooser] = await Promise.all([target.page().waitForEvent('filechooser'), press(target)]);
  return chooser;
}

const click = async (target: Locator): Promise<void> => await target.click();
const enter = async (target: Locator): Promise<void> => await (await reach(target)).keyboard.press('Enter');

const MOUSE: Hand = {
  name: 'mouse',
  press: click,
  tick: click,
  // The list that opens is the browser's own, and not part of the page.
  choose: async (target, label) => void (await target.selectOption(label)),
  write: async (target, text) => {
    await target.click();
    await target.page().keyboard.type(text);
  },
  give: async (target, files) => await (await chooserOf(target, click)).setFiles(files),
  pick: click,
  open: click,
  chooseRow: async row => await row.getByRole('checkbox').click(),
  edit: async cell => await cell.dblclick(),
  take: click,
};

const KEYS: Hand = {
  name: 'keys',
  press: enter,
  tick: async target => await (await reach(target)).keyboard.press('Space'),
  choose: async (target, label) => {
    const page = await reach(target);
    const option = target.locator('option:checked');
    const isChosen = async () => [await option.textContent(), await target.inputValue()].includes(label);
    await walk(page, isChosen);
  },
  write: async (target, text) => await (await reach(target)).keyboard.type(text),
  give: async (target, files) => await (await chooserOf(target, enter)).setFiles(files),
  pick: async entry => {
    const page = entry.page();
    await entry.waitFor();
    await walk(page, () => isFocused(entry));
    await page.keyboard.press('Enter');
  },
  open: async row => await (await reachGrid(row)).keyboard.press('Enter'),
  chooseRow: async row => await (await reachGrid(row)).keyboard.press('Space'),
  edit: async cell => {
    const page = cell.page();
    const here = page.locator('[data-at][tabindex="0"]');
    await reach(here);
    await walk(page, () => isFocused(cell));
    await page.keyboard.press('Alt+ArrowDown');
  },
  take: async option => {
    const page = option.page();
    await option.waitFor();
    await walk(page, async () => (await option.getAttribute('aria-selected')) === 'true');
    await page.keyboard.press('Enter');
  },
};

export const HANDS: readonly Hand[] = [MOUSE, KEYS];
