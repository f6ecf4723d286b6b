// Signing in at a real provider of OpenID Connect.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenidAccess } from '../../../../client/console/access/openid-access';
import { Sessions } from '../../../../client/console/access/sessions';
import type { Me } from '../../../../client/console/contract/session';
import { findFreePort } from '../../../../workers/temporal/free-port';
import { openServer, type ServerBed } from '../serve/server-bed';

declare const loadByNode: (path: string) => {
  readonly startProvider: (port: number, secret: string, back: string) => Promise<Server>;
};

const SECRET = 'a secret of the client, of some length';
let folder: string;
let provider: Server;
let bed: ServerBed;
let open: () => Promise<ServerBed>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openid-'));
  const port = (await findFreePort('127.0.0.1')) ?? 0;
  const own = (await findFreePort('127.0.0.1')) ?? 0;
  const issuer = `http://127.0.0.1:${port}`;
  const publicOrigin = `http://127.0.0.1:${own}`;
  // Made of ES modules, which jest's own loader does not take.
  const { startProvider } = loadByNode(join(__dirname, 'openid-provider.cjs'));
  provider = await startProvider(port, SECRET, `${publicOrigin}/bridge/sign-in/back`);
  const settings = {
    issuer,
    clientId: 'page',
    scope: 'openid profile email',
    personClaim: 'email',
    nameClaim: 'name',
    groupsClaim: 'groups',
  };
  const grants = [{ people: [], groups: ['control'], role: 'answer' as const, shares: ['*'] }];
  const logger = { info: () => undefined, warn: () => undefined } as never;
  open = async () =>
    await openServer({
      access: createOpenidAccess({
        settings,
        clientSecret: SECRET,
        grants,
        sessions: await Sessions.open({
          stateDir: folder,
          idleMs: 60_000,
          longestMs: 60_000,
          prefix: '/bridge',
          isSecure: false,
          key: Buffer.alloc(32, 5),
          now: () => new Date(),
        }),
        publicOrigin,
        prefix: '/bridge',
        key: Buffer.alloc(32, 5),
        logger,
        now: () => new Date(),
      }),
      prefix: '/bridge',
      port: own,
    });
  bed = await open();
});
afterAll(async () => {
  await bed.close();
  provider.closeAllConnections();
  provider.close();
  rmSync(folder, { recursive: true });
});

/** A browser: one jar of cookies for each origin, and the provider's own forms filled in. */
class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  cookies(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }

  /** `isBack`: also back to the page. */
  async open(
    address: string,
    form?: Record<string, string>,
    isBack = true,
  ): Promise<{ url: string; text: string }> {
    const jar = this.cookies(new URL(address).origin);
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    const to = response.headers.get('location');
    if (to === null) return { url: address, text: await response.text() };
    const next = new URL(to, address).href;
    if (!isBack && next.startsWith(bed.origin)) return { url: next, text: '' };
    return await this.open(next, undefined, isBack);
  }

  /** The provider asks for a name, and then whether the page may know it. */
  async answer(page: { url: string; text: string }, isBack = true): Promise<{ url: string; text: string }> {
    const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
    const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(page.text) ?? [];
    const form = { prompt, login: 'anna', password: 'any' };
    return await this.open(new URL(action, page.url).href, form, isBack);
  }

  async me(): Promise<Me> {
    return JSON.parse((await this.open(`${bed.origin}/bridge/api/me`)).text) as Me;
  }
}

test('a person signs in there, and comes back to where they were', async () => {
  const browser = new Browser();
  expect(await browser.me()).toMatchObject({ name: null, signIn: 'openid' });
  const login = await browser.open(`${bed.origin}/bridge/sign-in/openid?to=/bridge/jobs/tender/7`);
  const consent = await browser.answer(login);
  const back = await browser.answer(consent);
  expect(back.url).toBe(`${bed.origin}/bridge/jobs/tender/7`);
  expect(await browser.me()).toMatchObject({ name: 'Anna Novák', roles: { tender: 'answer' } });
});

test('who did not begin it here is not signed in', async () => {
  const [victim, attacker] = [new Browser(), new Browser()];
  const login = await attacker.open(`${bed.origin}/bridge/sign-in/openid`);
  // Their own answer of the provider, given to somebody else as a link.
  const stopped = new URL((await attacker.answer(await attacker.answer(login), false)).url);
  expect(stopped.searchParams.get('code')).not.toBeNull();
  const late = await victim.open(stopped.href);
  expect(late.url).toBe(`${bed.origin}/bridge/sign-in?problem=late`);
  expect((await victim.me()).name).toBeNull();
  // It is theirs, once.
  expect((await attacker.open(stopped.href)).url).toBe(`${bed.origin}/bridge/`);
  expect((await attacker.me()).name).toBe('Anna Novák');
  expect((await attacker.open(stopped.href)).url).toBe(late.url);
});

test('who is at the provider while the page is started anew comes back all the same: it keeps nothing of them', async () => {
  const browser = new Browser();
  const login = await browser.open(`${bed.origin}/bridge/sign-in/openid?to=/bridge/jobs?q=A-1`);
  await bed.close();
  bed = await open();
  const back = await browser.answer(await browser.answer(login));
  expect(back.url).toBe(`${bed.origin}/bridge/jobs?q=A-1`);
  expect((await browser.me()).name).toBe('Anna Novák');
});

test('a cookie that somebody has changed signs nobody in', async () => {
  const browser = new Browser();
  const login = await browser.open(`${bed.origin}/bridge/sign-in/openid`);
  const jar = browser.cookies(bed.origin);
  const [name = ''] = [...jar.keys()].filter(each => each.startsWith('drawbridge-sign-in-'));
  const [id, until] = (jar.get(name) ?? '').split('.');
  jar.set(name, `${id}.${until}.${Buffer.from('//evil.example').toString('base64url')}`);
  const back = await browser.answer(await browser.answer(login));
  expect(back.url).toBe(`${bed.origin}/bridge/sign-in?problem=late`);
  expect((await browser.me()).name).toBeNull();
});

test.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/%0d%0aset-cookie:x', 'jobs'])(
  'nobody is led elsewhere: %s',
  async to => {
    const browser = new Browser();
    const login = await browser.open(`${bed.origin}/bridge/sign-in/openid?to=${encodeURIComponent(to)}`);
    const back = await browser.answer(await browser.answer(login));
    expect(new URL(back.url).origin).toBe(bed.origin);
    expect((await browser.me()).name).toBe('Anna Novák');
  },
);
