// The connection breaks while somebody signs in or out: the page asks who is there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createPasswordAccess } from '../../../../client/console/access/password-access';
import { Sessions } from '../../../../client/console/access/sessions';
import { putUser } from '../../../../client/console/access/users-file';
import { openServer } from '../serve/server-bed';
import { buildPage, openPage, toModule } from './browser-bed';
import { startChromium } from './chromium';

const PASSWORD = 'correct horse';
const CHEAP = { N: 16, r: 1, p: 1 };
const QUIET = { info: () => undefined, warn: () => undefined } as never;
const now = () => new Date();
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(): Promise<Page> {
  const folder = mkdtempSync(join(tmpdir(), 'sign-in-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'users');
  await putUser(file, { name: 'Anna', role: 'answer', shares: ['tender'] }, PASSWORD, CHEAP);
  const times = { idleMs: 60_000, longestMs: 60_000 };
  const key = Buffer.alloc(32, 5);
  const sessions = await Sessions.open({ stateDir: folder, ...times, prefix: '', isSecure: false, key, now });
  const access = await createPasswordAccess({ file, grants: [], sessions, logger: QUIET, now });
  const server = await openServer({ page: buildPage(), modules: [toModule({})], access });
  ends.push(() => server.close());
  const browser = await startChromium();
  ends.push(() => browser.close());
  return await openPage(browser, `${server.origin}/me`, []);
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('anna');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

test.each([true, false])(
  'where the answer to signing in or out is lost, who is there is asked anew: it was done, %s',
  async wasDone => {
    const page = await open();
    const lose = async (what: string) =>
      await page.route(
        what,
        async route => {
          if (wasDone) {
            // What a browser keeps of an answer before it breaks off.
            const response = await route.fetch();
            const cookie = response.headers()['set-cookie'] ?? '';
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
            const path = '/';
            const expires = value === '' ? 0 : -1;
            await page
              .context()
              .addCookies([{ name, value, domain: '127.0.0.1', path, httpOnly: true, expires }]);
          }
          await route.abort();
        },
        { times: 1 },
      );
    await page.getByRole('dialog', { name: 'Sign in to Drawbridge' }).waitFor();
    await lose('**/api/sign-in');
    await signIn(page);
    if (!wasDone) {
      await page.getByRole('alert').getByText('whether this was done is not known here').waitFor();
      await signIn(page);
    }
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('tender: See and answer').waitFor();
    await lose('**/api/sign-out');
    await page.getByRole('button', { name: 'Sign out' }).click();
    if (!wasDone) {
      await page.getByRole('alert').getByText('You are still signed in. Sign out again.').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
    }
    await page.getByRole('dialog', { name: 'Sign in to Drawbridge' }).waitFor();
  },
);

test('whoever took a while to sign in may do something at once, before the connection for news stands', async () => {
  const page = await open();
  await page.getByRole('dialog', { name: 'Sign in to Drawbridge' }).waitFor();
  await page.clock.setFixedTime(Date.now() + 60_000);
  // Whoever is signed out is refused news: tried once, it is long over; tried again, that has been seen.
  for (const _try of ['once', 'again']) await page.waitForResponse('**/api/live');
  await page.route('**/api/live', () => undefined);
  await signIn(page);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Try now' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog', { name: 'Sign in to Drawbridge' }).waitFor();
});
