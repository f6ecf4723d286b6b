// Signing in of each kind in a browser, below a path prefix, and what each role finds on the page.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import { createOpenidAccess } from '../../../../client/console/access/openid-access';
import { createPasswordAccess } from '../../../../client/console/access/password-access';
import { createProxyAccess } from '../../../../client/console/access/proxy-access';
import { Sessions } from '../../../../client/console/access/sessions';
import { putUser } from '../../../../client/console/access/users-file';
import type { Access } from '../../../../client/console/serve/access';
import { findFreePort } from '../../../../workers/temporal/free-port';
import { openServer, type ServerBed } from '../serve/server-bed';
import { buildPage, findBarriers, openPage, shoot, toModule } from './browser-bed';
import { startChromium } from './chromium';
import { OPEN } from './sample-jobs';
import { heldRow, waitingFakes } from './sample-waiting';

declare const loadByNode: (path: string) => {
  readonly startProvider: (port: number, secret: string, back: string, host: string) => Promise<Server>;
};

const PREFIX = '/bridge';
const SECRET = 'a secret of the client, of some length';
const QUIET = { info: () => undefined, warn: () => undefined } as never;
const CHEAP = { N: 16, r: 1, p: 1 };
const PASSWORD = 'correct horse';
const now = () => new Date();

let built: string;
let browser: Browser;
let folder: string;
let server: ServerBed | undefined;
const others: Server[] = [];

beforeAll(async () => {
  built = buildPage();
  browser = await startChromium();
});
afterAll(() => browser.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sign-in-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  for (const other of others.splice(0)) {
    other.closeAllConnections();
    await new Promise(resolve => other.close(resolve));
  }
  rmSync(folder, { recursive: true });
});

const openSessions = () =>
  Sessions.open({
    stateDir: folder,
    idleMs: 60_000,
    longestMs: 60_000,
    prefix: PREFIX,
    isSecure: false,
    key: Buffer.alloc(32, 5),
    now,
  });

/** Sam may see, Anna may answer. */
async function openUsers(): Promise<Access> {
  const file = join(folder, 'users');
  await putUser(file, { name: 'Sam', role: 'see', shares: ['*'] }, PASSWORD, CHEAP);
  await putUser(file, { name: 'Anna', role: 'answer', shares: ['tender'] }, PASSWORD, CHEAP);
  return await createPasswordAccess({
    file,
    grants: [],
    sessions: await openSessions(),
    logger: QUIET,
    now,
  });
}

async function serve(access: Access, port = 0, publicOrigin?: string): Promise<ServerBed> {
  const counts = { open: OPEN.length, waits: 2, onTheWay: OPEN.length, finished: 0, held: 25, fit: 0 };
  const shares = [{ name: 'tender', drop: 'drop', seen: true }];
  const jobs = { open: [...OPEN], finished: [], next: null, counts, until: null, people: [], shares };
  server = await openServer({
    page: built,
    modules: [
      toModule({
        ...waitingFakes({ rows: [heldRow(0)], answered: [], said: [] }),
        'GET /api/waiting/count': () => ({ held: 0 }),
        'GET /api/jobs': () => jobs,
        'GET /api/drop': () => ({ shares: [], uploads: [] }),
        'POST /api/resume': () => ({ isLook: true, batches: [] }),
      }),
    ],
    prefix: PREFIX,
    access,
    port,
    publicOrigin,
  });
  return server;
}

async function signInAs(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

/** What the page offers: the sum of a job is for all of them. */
async function offers(page: Page) {
  await page.getByRole('link', { name: 'TR-0142 Structural IFC' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  // Who asks, and what they may do, is a question of its own.
  await page.locator('a.person:not([title=""])').waitFor();
  const count = async (name: RegExp) => await page.getByRole('link', { name }).count();
  return { answer: await count(/^Answer/), drop: await count(/^Drop/) };
}

test('with a password: who takes longer over it than a lost connection takes gets in', async () => {
  const { origin } = await serve(await openUsers());
  const page = await openPage(browser, `${origin}${PREFIX}/jobs?state=open`, []);
  await page.getByRole('dialog', { name: 'Sign in to Drawbridge' }).waitFor();
  // The page tries again after half a second, one and two, and takes the connection for lost.
  for (let time = 0; time < 4; time += 1) await page.waitForResponse('**/api/live');
  await signInAs(page, 'sam');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await offers(page)).toEqual({ answer: 0, drop: 0 });
});

test('with a password: a late answer to who was not signed in does not sign out again', async () => {
  const { origin } = await serve(await openUsers());
  const page = await openPage(browser, 'about:blank', []);
  const [asked, mayGo] = [withResolvers(), withResolvers()];
  let isFirst = true;
  await page.route('**/api/jobs?*', async route => {
    if (!isFirst) return await route.continue();
    isFirst = false;
    const response = await route.fetch();
    asked.resolve();
    await mayGo.promise;
    await route.fulfill({ response });
  });
  await page.goto(`${origin}${PREFIX}/jobs?state=open`);
  await asked.promise;
  await signInAs(page, 'sam');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const late = page.waitForResponse(response => response.status() === 401);
  mayGo.resolve();
  await late;
  expect(await offers(page)).toEqual({ answer: 0, drop: 0 });
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('with a password: who is not right is told so; who may see finds nothing to do; the next finds nothing of theirs', async () => {
  const { origin } = await serve(await openUsers());
  const page = await openPage(browser, `${origin}${PREFIX}/jobs?state=open`, []);
  await page.getByRole('dialog', { name: 'Sign in to Drawbridge' }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.getByText('This could not be read.').count()).toBe(0);
  await shoot(page, 'sign-in-password');
  await signInAs(page, 'sam', 'wrong horse');
  await page.getByText('Name or password are not right.').waitFor();
  await signInAs(page, 'sam');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await offers(page)).toEqual({ answer: 0, drop: 0 });
  expect(new URL(page.url()).search).toBe('?state=open');
  await page.getByText('25 documents in 2 jobs wait for a person.').waitFor();
  expect(await page.title()).toContain('25 documents in 2 jobs wait for a person.');
  await shoot(page, 'sign-in-may-see');
  await page.goto(`${origin}${PREFIX}/drop`);
  await page.getByText('This needs the role "answer", which you do not have here.').waitFor();

  await page.goto(`${origin}${PREFIX}/me`);
  await page.getByText('tender: See', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog', { name: 'Sign in to Drawbridge' }).waitFor();
  expect(await page.getByText('TR-0142').count()).toBe(0);
  await signInAs(page, 'anna');
  expect(await offers(page)).toMatchObject({ answer: 2, drop: 2 });
  await page.getByText('25 documents in 2 jobs wait for you.').waitFor();
});

test('who is signed out elsewhere goes on where they were; somebody else in that window begins anew', async () => {
  const { origin, console: served } = await serve(await openUsers());
  const page = await openPage(browser, `${origin}${PREFIX}/jobs`, []);
  const endSession = async () => {
    await page.context().clearCookies();
    // Told of a change, or connected anew: the page asks, and is nobody any more.
    served.live.changed(['jobs']);
    await page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
  };
  await signInAs(page, 'anna');
  await offers(page);
  await page.evaluate('window.isSame = true');
  await endSession();
  await signInAs(page, 'anna');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate('window.isSame')).toBe(true);
  await endSession();
  const reloaded = page.waitForEvent('load');
  await signInAs(page, 'sam');
  await reloaded;
  expect(await page.evaluate('window.isSame')).toBeUndefined();

  // A link to a look, followed by who is not signed in yet.
  await page.context().clearCookies();
  await page.goto(`${origin}${PREFIX}/operations/resume`);
  await signInAs(page, 'anna');
  await page.getByText('This needs the role "operate", which you do not have here.').waitFor();
  expect(await page.getByText('Sign in first.').count()).toBe(0);
});

test('with a password: Esc, however often, leaves the dialog until somebody has signed in', async () => {
  const { origin } = await serve(await openUsers());
  const page = await openPage(browser, `${origin}${PREFIX}/jobs`, []);
  const dialog = page.getByRole('dialog', { name: 'Sign in to Drawbridge' });
  await dialog.waitFor();
  for (let time = 0; time < 4; time += 1) await page.keyboard.press('Escape');
  // What the browser tells of a dialog that it has closed comes a task later.
  await page.evaluate('new Promise(resolve => setTimeout(resolve, 50))');
  expect(await dialog.count()).toBe(1);
  await signInAs(page, 'sam');
  await dialog.waitFor({ state: 'detached' });
});

test('somebody else who signs in is not asked about what the one before has not saved: it is gone', async () => {
  const { origin, console: served } = await serve(await openUsers());
  const page = await openPage(browser, `${origin}${PREFIX}/waiting`, []);
  // "Stay", if the browser asks.
  page.on('dialog', dialog => void dialog.dismiss());
  await signInAs(page, 'anna');
  await page.locator('[data-at="0-0"][aria-readonly=false]').click();
  await page.keyboard.type('S1');
  await page.keyboard.press('Enter');
  await page.getByText('1 answer, not saved yet.').waitFor();
  await page.context().clearCookies();
  served.live.changed(['waiting']);
  await page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
  const reloaded = page.waitForEvent('load', { timeout: 10_000 });
  await signInAs(page, 'sam');
  await reloaded;
  await page.locator('[data-at="0-0"]').getByText('needed').waitFor();
});

test.each([
  ['takes the prefix away', (path: string) => path.slice(PREFIX.length)],
  ['leaves the prefix', (path: string) => path],
])(
  'with a proxy that %s: it says who asks; what a browser claims counts for nothing',
  async (_how, toPath) => {
    const port = (await findFreePort('127.0.0.1')) ?? 0;
    const publicOrigin = `http://127.0.0.1:${port}`;
    const grants = [{ people: ['t.harker'], groups: [], role: 'operate' as const, shares: ['*'] }];
    const access = createProxyAccess({ peers: ['127.0.0.1'], nameHeader: 'x-remote-user' }, grants);
    const { origin } = await serve(access, 0, publicOrigin);
    let who: string | undefined = 't.harker';
    const proxy = createServer((asked, answer) => {
      const { 'x-remote-user': _claimed, ...headers } = asked.headers;
      const named = who === undefined ? {} : { 'x-remote-user': who };
      const { hostname, port: to } = new URL(origin);
      const passed = request(
        {
          hostname,
          port: to,
          path: toPath(asked.url ?? ''),
          method: asked.method,
          headers: { ...headers, ...named },
        },
        given => {
          answer.writeHead(given.statusCode ?? 502, given.rawHeaders);
          given.pipe(answer);
        },
      );
      passed.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
      asked.pipe(passed);
    });
    others.push(proxy.listen(port, '127.0.0.1'));
    const page = await openPage(browser, `${publicOrigin}${PREFIX}/jobs`, [], {
      options: { extraHTTPHeaders: { 'x-remote-user': 'somebody else' } },
    });
    expect(await offers(page)).toMatchObject({ answer: 2 });
    await page.goto(`${publicOrigin}${PREFIX}/me`);
    await page.getByRole('heading', { name: 't.harker' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    who = undefined;
    await page.reload();
    await page.getByText('The sign-in in front of this page did not say who you are.').waitFor();
  },
);

test('with OpenID Connect: a person signs in at the provider and comes back to where they were', async () => {
  const [port, own] = [(await findFreePort('127.0.0.1')) ?? 0, (await findFreePort('127.0.0.1')) ?? 0];
  const publicOrigin = `http://127.0.0.1:${own}`;
  // Made of ES modules, which jest's own loader does not take.
  const { startProvider } = loadByNode(join(__dirname, '..', 'access', 'openid-provider.cjs'));
  others.push(await startProvider(port, SECRET, `${publicOrigin}${PREFIX}/sign-in/back`, 'localhost'));
  const access = createOpenidAccess({
    settings: {
      // Another site than the page's: its cookies are not sent along from there.
      issuer: `http://localhost:${port}`,
      clientId: 'page',
      scope: 'openid profile email',
      personClaim: 'email',
      nameClaim: 'name',
      groupsClaim: 'groups',
    },
    clientSecret: SECRET,
    grants: [{ people: [], groups: ['control'], role: 'answer', shares: ['*'] }],
    sessions: await openSessions(),
    publicOrigin,
    prefix: PREFIX,
    key: Buffer.alloc(32, 5),
    logger: QUIET,
    now,
  });
  await serve(access, own, publicOrigin);
  const page = await openPage(browser, `${publicOrigin}${PREFIX}/jobs?state=open`, []);
  // Its page asks for a font of the world.
  await page.context().route('https://**', route => route.abort());
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByPlaceholder('Enter any login').fill('anna');
  await page.getByPlaceholder('and password').fill('any');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await offers(page)).toMatchObject({ answer: 2, drop: 2 });
  expect(page.url()).toBe(`${publicOrigin}${PREFIX}/jobs?state=open`);
  await page.goto(`${publicOrigin}${PREFIX}/me`);
  await page.getByRole('heading', { name: 'Anna Novák' }).waitFor();
});
