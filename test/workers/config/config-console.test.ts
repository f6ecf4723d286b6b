// The page is never served to others without signing in, whatever is forgotten in its section.
import { checkConsole, consoleSection } from '../../../workers/config/config-console';

const PUBLIC = 'https://page.example.com';
const users = { users: {} };
const grantOn = (...shares: readonly string[]) => ({ people: ['a.novak'], role: 'see', shares });

test.each([
  ['nothing: this machine only', {}, []],
  ['another address without signing in', { host: '0.0.0.0', publicOrigin: PUBLIC }, ['console.access']],
  ['behind a proxy of this machine without signing in', { publicOrigin: PUBLIC }, ['console.access']],
  ['another address without its name', { host: '::', access: users }, ['console.publicOrigin']],
  [
    'passwords over http',
    { publicOrigin: 'http://page.example.com', access: users },
    ['console.publicOrigin'],
  ],
  ['with users', { host: '0.0.0.0', publicOrigin: PUBLIC, access: users }, []],
  [
    'two ways at once',
    { access: { ...users, proxy: { peers: ['127.0.0.1'], nameHeader: 'X-User' } } },
    ['console.access'],
  ],
  [
    'OpenID Connect without an address to come back to',
    { access: { openid: { issuer: 'https://id.example.com', clientId: 'page' } } },
    ['console.publicOrigin'],
  ],
  ['grants where nobody signs in', { access: { grants: [grantOn('*')] } }, ['console.access.grants']],
  ['grants beside users', { access: { ...users, grants: [grantOn('tender', '*')] } }, []],
  [
    'grants on shares that there are not',
    { access: { ...users, grants: [grantOn('tender'), grantOn('tendr', 'site', 'Tender')] } },
    ['console.access.grants[1].shares[0]', 'console.access.grants[1].shares[2]'],
  ],
])('%s', (_what, section, paths) => {
  const faults = checkConsole(consoleSection.parse(section), ['tender', 'site']);
  expect(faults.map(({ path }) => path)).toEqual(paths);
});

test('where the shares are not known, as one is wrong, no share of a grant is called unknown', () => {
  const section = consoleSection.parse({ access: { ...users, grants: [grantOn('tendr')] } });
  expect(checkConsole(section, undefined)).toEqual([]);
});

test('an origin has no path, and a prefix is one', () => {
  expect(consoleSection.safeParse({ publicOrigin: `${PUBLIC}/page` }).success).toBe(false);
  expect(consoleSection.safeParse({ publicOrigin: `${PUBLIC}/` }).success).toBe(true);
  expect(consoleSection.safeParse({ prefix: '/a/b' }).success).toBe(true);
  for (const prefix of ['a', '/', '/a/', '/a"b', '//evil.example'])
    expect([prefix, consoleSection.safeParse({ prefix }).success]).toEqual([prefix, false]);
});

test('proxies that are believed are addresses or networks, and all that are neither are told', () => {
  const peersOf = (peers: readonly string[]) =>
    consoleSection.safeParse({ access: { proxy: { peers, nameHeader: 'X-User' } } });
  expect(peersOf(['10.1.0.0/24', '::1', 'fd00::/128', '10.0.0.1']).success).toBe(true);
  const wrong = ['10.1.0.0/33', 'proxyhost', 'fd00::/129', '10.0.0.1/', '10.1.0.0/24/2'];
  const paths = peersOf(['10.0.0.1', ...wrong, '']).error?.issues.map(({ path }) => path.join('.'));
  expect(paths).toEqual([1, 2, 3, 4, 5, 6].map(at => `access.proxy.peers.${at}`));
});
