// Who is let in, as what, and for how long.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readCookie } from '../../../../client/console/access/cookies';
import { toPerson } from '../../../../client/console/access/grants';
import { joinClaims, toKnown } from '../../../../client/console/access/openid-access';
import { createPasswordAccess } from '../../../../client/console/access/password-access';
import { createProxyAccess } from '../../../../client/console/access/proxy-access';
import { Sessions } from '../../../../client/console/access/sessions';
import { Tries } from '../../../../client/console/access/tries';
import { isPasswordOf, putUser, readUsers } from '../../../../client/console/access/users-file';
import type { Me } from '../../../../client/console/contract/session';
import type { ConsoleServerInput } from '../../../../client/console/serve/server';
import { main } from '../../../../client/main';
import { usePrinted } from '../../../setup/printed';
import { openServer, type ServerBed } from '../serve/server-bed';

let folder: string;
let nowMs: number;
let bed: ServerBed | undefined;
const now = () => new Date(nowMs);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'access-'));
  nowMs = Date.parse('2026-11-23T10:00:00Z');
});
afterEach(async () => {
  await bed?.close();
  bed = undefined;
  rmSync(folder, { recursive: true });
});

const openSessions = (key: Buffer = Buffer.alloc(32, 5)) =>
  Sessions.open({
    stateDir: folder,
    idleMs: 3_600_000,
    longestMs: 86_400_000,
    prefix: '',
    isSecure: true,
    key,
    now,
  });

async function openWithUsers(
  key?: Buffer,
  more: Pick<ConsoleServerInput, 'liveEveryMs'> = {},
): Promise<ServerBed> {
  const quiet = { info: () => undefined, warn: () => undefined };
  return await openServer({
    access: await createPasswordAccess({
      file: join(folder, 'users'),
      grants: [],
      sessions: await openSessions(key),
      logger: quiet as never,
      now,
    }),
    shares: () => ['tender', 'site'],
    now,
    ...more,
  });
}

/** Of a hash: tests have no time. */
const CHEAP = { N: 16, r: 1, p: 1 };
const anna = { name: 'Anna', role: 'answer', shares: ['tender'] } as const;

async function signIn(given: ServerBed, password: string): Promise<Response> {
  return await given.ask('/api/sign-in', { json: { name: 'anna', password } });
}

async function meOf(given: ServerBed, cookie: string): Promise<Me> {
  return (await (await fetch(`${given.origin}/api/me`, { headers: { cookie } })).json()) as Me;
}

test('a name and its password let in, as what the file says; a restart signs nobody out', async () => {
  await putUser(join(folder, 'users'), anna, 'correct horse', CHEAP);
  expect(statSync(join(folder, 'users')).mode & 0o777).toBe(0o600);
  bed = await openWithUsers();
  expect((await fetch(`${bed.origin}/api/live`)).status).toBe(401);
  expect((await signIn(bed, 'wrong horse')).status).toBe(401);
  const response = await signIn(bed, 'correct horse');
  expect(await response.json()).toMatchObject({ name: 'Anna', roles: { tender: 'answer' } });
  const set = response.headers.get('set-cookie') ?? '';
  expect(set).toMatch(
    /^drawbridge-session-[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict; Secure$/,
  );
  const [cookie = ''] = set.split(';');
  const { csrf } = await meOf(bed, cookie);
  await bed.close();
  bed = await openWithUsers();
  expect(await meOf(bed, cookie)).toMatchObject({ name: 'Anna', csrf });
  // Of nobody's session: theirs is bound to it.
  expect((await bed.ask('/api/sign-out', { method: 'POST', headers: { cookie } })).status).toBe(403);
  const out = { cookie, 'x-drawbridge-csrf': csrf };
  expect((await bed.ask('/api/sign-out', { method: 'POST', headers: out })).status).toBe(200);
  expect(await meOf(bed, cookie)).toMatchObject({ name: null, roles: {} });
});

test('two pages on one host, whose ports cookies do not know, leave each other their sign-ins', async () => {
  await putUser(join(folder, 'users'), anna, 'correct horse', CHEAP);
  bed = await openWithUsers();
  const other = await openWithUsers(Buffer.alloc(32, 6));
  try {
    const jar = new Map<string, string>();
    for (const page of [bed, other]) {
      const [cookie = ''] = (await signIn(page, 'correct horse')).headers.get('set-cookie')?.split(';') ?? [];
      const [name = '', value = ''] = cookie.split('=');
      jar.set(name, value);
    }
    const all = [...jar].map(each => each.join('=')).join('; ');
    expect((await meOf(bed, all)).name).toBe('Anna');
    expect((await meOf(other, all)).name).toBe('Anna');
  } finally {
    await other.close();
  }
});

test('who is away for long signs in again; so does who got another password', async () => {
  await putUser(join(folder, 'users'), anna, 'correct horse', CHEAP);
  bed = await openWithUsers();
  const enter = async () =>
    (await signIn(bed as ServerBed, 'correct horse')).headers.get('set-cookie')?.split(';')[0];
  const cookie = (await enter()) ?? '';
  nowMs += 3_500_000;
  expect((await meOf(bed, cookie)).name).toBe('Anna');
  nowMs += 3_500_000;
  expect((await meOf(bed, cookie)).name).toBe('Anna');
  nowMs += 3_700_000;
  expect((await meOf(bed, cookie)).name).toBeNull();
  const other = (await enter()) ?? '';
  await putUser(join(folder, 'users'), anna, 'other horse here', CHEAP);
  expect((await signIn(bed, 'correct horse')).status).toBe(401);
  expect((await meOf(bed, other)).name).toBeNull();
});

test('a page that is open and only listens keeps its session', async () => {
  await putUser(join(folder, 'users'), anna, 'correct horse', CHEAP);
  bed = await openWithUsers(undefined, { liveEveryMs: { look: 1_000, beat: 20 } });
  const [cookie = ''] = (await signIn(bed, 'correct horse')).headers.get('set-cookie')?.split(';') ?? [];
  const stop = new AbortController();
  const live = await fetch(`${bed.origin}/api/live`, { headers: { cookie }, signal: stop.signal });
  const reader = live.body!.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  for (let each = 0; each < 3; each++) {
    nowMs += 3_000_000;
    // What was sent before, perhaps, and what is sent from now on.
    for (let beats = 0; beats < 2; beats++) expect((await reader.read()).value).toMatch('event: here');
  }
  stop.abort();
  expect((await meOf(bed, cookie)).name).toBe('Anna');
});

test('passwords are tried a few times, then not for a while', async () => {
  await putUser(join(folder, 'users'), anna, 'correct horse', CHEAP);
  bed = await openWithUsers();
  for (let each = 0; each < 5; each++) expect((await signIn(bed, 'wrong horse')).status).toBe(401);
  const refused = await signIn(bed, 'correct horse');
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { text: 'Too many tries. Again in 15 minutes.' },
  ]);
  nowMs += 15 * 60_000 + 1;
  expect((await signIn(bed, 'correct horse')).status).toBe(200);
});

test('tries are counted for a place and a name, and for a name from everywhere', () => {
  const tries = new Tries(() => nowMs);
  for (let each = 0; each < 5; each++) tries.failed('here', 'anna');
  expect(tries.waitMs('here', 'anna')).toBe(15 * 60_000);
  expect([tries.waitMs('there', 'anna'), tries.waitMs('here', 'bob')]).toEqual([0, 0]);
  for (let each = 0; each < 45; each++) tries.failed(`place ${each}`, 'anna');
  expect(tries.waitMs('there', 'anna')).toBeGreaterThan(0);
});

test('who signs in rightly again and again is not taken for somebody who guesses', () => {
  const tries = new Tries(() => nowMs);
  for (let each = 0; each < 60; each++) {
    tries.failed('here', 'anna');
    tries.succeeded('here', 'anna');
  }
  expect(tries.waitMs('here', 'anna')).toBe(0);
});

test('sessions of people with hundreds of groups are kept in a file that can be read again', async () => {
  const sessions = await openSessions();
  const groups = Array.from({ length: 200 }, (_, index) => `group ${index} ${'g'.repeat(40)}`);
  const reply = { header: () => reply } as never;
  for (let each = 0; each < 40; each++)
    await sessions.begin({ headers: {} } as never, reply, { id: `p${each}`, name: 'P', groups });
  await sessions.close();
  expect(statSync(join(folder, 'console-sessions.json')).size).toBeLessThan(256_000);
  await expect(openSessions()).resolves.toBeDefined();
});

test('a file of users that others can read is refused, and a short password as well', async () => {
  await expect(putUser(join(folder, 'users'), anna, 'short')).rejects.toThrow('at least 10');
  await putUser(join(folder, 'users'), anna, 'correct horse', CHEAP);
  expect(JSON.stringify(await readUsers(join(folder, 'users')))).not.toContain('horse');
});

test('a folder that is made for the file of users is private, and what lies beside it is not', async () => {
  const state = join(folder, 'data', 'state');
  await putUser(join(state, 'users'), anna, 'correct horse', CHEAP);
  expect(statSync(state).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o777 & ~process.umask());
});

describe('add-user', () => {
  const printed = usePrinted();
  const share = { name: 'tender', folder: './tender', project: { companyId: '5001', projectId: '7001' } };

  async function addUser(access: object, ...args: string[]): Promise<number> {
    const config = join(folder, 'drawbridge.json');
    writeFileSync(config, JSON.stringify({ shares: [share], console: { access } }));
    const { stdin } = process;
    const value = Readable.from(['correct horse\n']);
    Object.defineProperty(process, 'stdin', { value, configurable: true });
    try {
      const all = ['--config', config, '--data-dir', folder, 'console', 'add-user', ...args];
      return await main(all, 'drawbridge');
    } finally {
      Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
    }
  }

  const usersNow = async () => await readUsers(join(folder, 'state', 'console-users.json'));

  test('keeps who may sign in, with the password from standard input and nowhere else', async () => {
    expect(await addUser({ users: {} }, 'Anna', '--role', 'answer', '--share', 'tender')).toBe(0);
    const [user] = await usersNow();
    expect(user).toMatchObject(anna);
    expect(await isPasswordOf(user, 'correct horse')).toBe(true);
    expect(printed.text).toMatch('Anna may sign in, with the role "answer" on tender.');
    expect(printed.text).not.toMatch('horse');
  });

  test('another password leaves role and shares as they stand, and what is given is changed alone', async () => {
    await addUser({ users: {} }, 'Anna', '--role', 'answer', '--share', 'tender');
    const [before] = await usersNow();
    expect(await addUser({ users: {} }, 'anna')).toBe(0);
    const [after] = await usersNow();
    expect(after).toMatchObject({ role: 'answer', shares: ['tender'] });
    expect(after?.password).not.toBe(before?.password);
    expect(printed.text).toMatch('anna may sign in, with the role "answer" on tender.');
    await addUser({ users: {} }, 'Anna', '--role', 'operate');
    expect(await usersNow()).toEqual([expect.objectContaining({ role: 'operate', shares: ['tender'] })]);
    await addUser({ users: {} }, 'Anna', '--share', '*');
    expect(await usersNow()).toEqual([expect.objectContaining({ role: 'operate', shares: ['*'] })]);
    expect(printed.text).toMatch('with the role "operate" on all shares.');
  });

  test('who is new and for whom nothing is given may see all shares', async () => {
    expect(await addUser({ users: {} }, 'Bob')).toBe(0);
    expect(await usersNow()).toEqual([expect.objectContaining({ name: 'Bob', role: 'see', shares: ['*'] })]);
  });

  test('says what is missing where nobody signs in by a name of ours', async () => {
    expect(await addUser({}, 'Anna', '--share', '*')).toBe(0);
    expect(printed.text).toMatch('Anna may sign in once console.access has "users": {}');
  });

  test.each([
    [
      'a share that there is not',
      ['Anna', '--share', 'tendr'],
      /There is no share "tendr"\. There is: tender/,
    ],
    ['a name that is too long', ['A'.repeat(120)], /A name of 1 to 100 characters is needed\./],
    ['no name', [''], /A name of 1 to 100 characters is needed\./],
  ])('refuses %s', async (_, args, text) => {
    expect(await addUser({ users: {} }, ...args)).toBe(2);
    expect(printed.text).toMatch(text);
    expect(await usersNow()).toEqual([]);
  });
});

const PROXY = { peers: ['127.0.0.1'], nameHeader: 'X-Remote-User', groupsHeader: 'X-Groups' };
const GRANTS = [
  { people: ['a. novák'], groups: [], role: 'operate', shares: ['tender'] },
  { people: [], groups: ['site team'], role: 'see', shares: ['site'] },
] as const;
const grants = GRANTS.map(each => ({
  ...each,
  people: [...each.people],
  groups: [...each.groups],
  shares: [...each.shares],
}));

test('a proxy says who asks, and only it is believed', async () => {
  const me = async (given: ServerBed, headers: Record<string, string>) =>
    (await (await fetch(`${given.origin}/api/me`, { headers })).json()) as Me;
  const utf8 = Buffer.from('A. Novák').toString('latin1');
  bed = await openServer({ access: createProxyAccess(PROXY, grants), shares: () => ['tender', 'site'] });
  expect(await me(bed, { 'x-remote-user': utf8, 'x-groups': 'all, site team' })).toMatchObject({
    name: 'A. Novák',
    signIn: 'proxy',
    roles: { tender: 'operate', site: 'see' },
  });
  expect(await me(bed, {})).toMatchObject({ name: null });
  await bed.close();
  const elsewhere = { ...PROXY, peers: ['10.0.0.0/8', '::2'] };
  bed = await openServer({ access: createProxyAccess(elsewhere, grants) });
  expect(await me(bed, { 'x-remote-user': utf8 })).toMatchObject({ name: null, roles: {} });
  expect(() => createProxyAccess({ ...PROXY, peers: ['proxy.example'] }, [])).toThrow('no address');
});

test('each role includes those before it, on its shares alone', () => {
  const person = toPerson({ id: 'x@y.z', name: 'X', groups: [] }, [
    { people: ['X@y.z'], groups: [], role: 'answer', shares: ['tender'] },
    { people: ['x@y.z'], groups: [], role: 'see', shares: ['*'] },
  ]);
  expect(
    (['see', 'answer', 'operate'] as const).map(role => [
      person.may(role, 'tender'),
      person.may(role, 'site'),
    ]),
  ).toEqual([
    [true, true],
    [true, false],
    [false, false],
  ]);
});

test('what a provider says of somebody: an address that is not theirs for certain is nobody', () => {
  const names = { personClaim: 'email', nameClaim: 'name', groupsClaim: 'groups' };
  expect(toKnown({ email: 'a@b.c', email_verified: true, name: ' A ', groups: ['g', 1] }, names)).toEqual({
    id: 'a@b.c',
    name: 'A',
    groups: ['g'],
  });
  expect(toKnown({ email: 'a@b.c', groups: 'g' }, names)).toEqual({
    id: 'a@b.c',
    name: 'a@b.c',
    groups: ['g'],
  });
  for (const email_verified of [false, 'false', 0, null, 'no'])
    expect(() => toKnown({ email: 'a@b.c', email_verified }, names)).toThrow('not verified');
  expect(toKnown({ email: 'a@b.c', email_verified: 'true' }, names).id).toBe('a@b.c');
  // What the token says counts, whatever the other address adds to it, and the other way round.
  const both = (token: unknown, more: unknown) =>
    toKnown(joinClaims({ email: 'a@b.c', email_verified: token }, { email_verified: more }), names).id;
  expect(() => both(false, 'true')).toThrow('not verified');
  expect(() => both(true, 'false')).toThrow('not verified');
  expect(both(undefined, true)).toBe('a@b.c');
  expect(() => toKnown({ name: 'A' }, names)).toThrow('"email" is missing');
});

test('a cookie that is there twice is none', () => {
  expect(readCookie('a=1; s=x-_1', 's')).toBe('x-_1');
  expect(readCookie('s=1; s=2', 's')).toBeUndefined();
  expect(readCookie('s="1"', 's')).toBeUndefined();
});
