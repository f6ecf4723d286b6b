// What is said of this host and of its configuration.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  judgeConfig,
  judgeConfigError,
  judgeKey,
  judgeNode,
  judgeState,
  LEAST_NODE,
} from '../../../client/doctor/judge-host';
import type { StateFolder } from '../../../client/doctor/look-at-host';
import { loadConfig } from '../../../workers/config/config';
import { ConfigError } from '../../../workers/config/config-faults';

test('the least Node is the one that package.json asks for', () => {
  const { engines } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8'));
  expect(engines.node).toBe(`>=${LEAST_NODE}`);
});

test.each([
  ['20.19.0', 'ok'],
  ['24.1.0', 'ok'],
  ['20.18.3', 'wrong'],
  ['18.20.0', 'wrong'],
])('Node %s is %s', (version, verdict) => {
  expect(judgeNode(version).verdict).toBe(verdict);
});

const GIB = 1024 ** 3;
const there = { kind: 'there', isOpen: false, isForeign: false, freeBytes: 9 * GIB } as const;

test.each<[string, Omit<StateFolder, 'folder'>, string, RegExp]>([
  ['not there', { kind: 'missing' }, 'look', /nothing was started/],
  ['a file or a link', { kind: 'no-folder' }, 'wrong', /no folder, or a link/],
  ['of another account', { kind: 'unusable', code: 'EACCES' }, 'wrong', /EACCES/],
  ['foreign', { ...there, isForeign: true }, 'look', /belongs to another user/],
  ['open to others', { ...there, isOpen: true }, 'look', /other users/],
  ['nearly full', { ...there, freeBytes: GIB / 2 }, 'look', /512 MiB left/],
  ['full', { ...there, freeBytes: 0 }, 'wrong', /0 B left/],
  ['well', there, 'ok', /9\.0 GiB left/],
])('a state folder that is %s', (_, facts, verdict, text) => {
  const finding = judgeState({ folder: '/state', ...facts });
  expect(finding).toMatchObject({ verdict, text: expect.stringMatching(text) });
  expect('todo' in finding).toBe(verdict !== 'ok');
});

test('a key is named without telling anything of it', () => {
  const key = Buffer.alloc(32, 7);
  const ok = judgeKey({ from: 'file', key });
  expect(ok).toMatchObject({
    verdict: 'ok',
    text: expect.stringMatching(/^[0-9a-f]{16}, in the state folder/),
  });
  expect(ok.text).not.toContain('0707');
  expect(judgeKey({ from: 'file' }).verdict).toBe('look');
  expect(judgeKey({ from: 'file', why: 'It can be read by others.' }).verdict).toBe('wrong');
});

test('each fault of the configuration is a line', () => {
  const faults = [
    { path: 'shares[0].name', text: 'missing' },
    { path: '', text: 'not valid JSON' },
  ];
  expect(judgeConfigError(new ConfigError('x.json', faults)).map(({ text }) => text)).toEqual([
    'shares[0].name: missing.',
    'not valid JSON.',
  ]);
});

test('a service without a share, and production on a development server, are wrong', () => {
  const bare = loadConfig({ environment: {}, workingFolder: '/nowhere' });
  expect(judgeConfig(bare, true, [])).toMatchObject([{ verdict: 'ok' }]);
  const service = { baseUrl: 'https://api.example.com' } as NonNullable<typeof bare.service>;
  const config = {
    ...bare,
    service,
    settings: { ...bare.settings, service: { environment: 'production' } as never },
  };
  expect(judgeConfig(config, true, []).map(({ verdict }) => verdict)).toEqual(['wrong', 'wrong']);
  expect(judgeConfig(config, false, [])).toMatchObject([
    { verdict: 'wrong', text: expect.stringContaining('no share') },
  ]);
});

test('a secret of the page that cannot be read is wrong, with what does not start without it', () => {
  const config = loadConfig({ environment: {}, workingFolder: '/nowhere' });
  const openidFault = { path: 'console.access.openid.clientSecret', text: 'X is not set' };
  expect(judgeConfig({ ...config, console: { ...config.console, openidFault } }, true, [])).toMatchObject([
    {
      verdict: 'wrong',
      text: 'console.access.openid.clientSecret: X is not set.',
      todo: expect.stringContaining('neither `console` starts'),
    },
  ]);
});
