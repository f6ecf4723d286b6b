// The config file: what it becomes, and that every fault is reported, at once, without a secret.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { requireWordForProduction } from '../../../client/session/command-config';
import { type Config, type LoadConfigInput, loadConfig } from '../../../workers/config/config';
import { ConfigError } from '../../../workers/config/config-faults';
import type { ConfigFault } from '../../../workers/config/config-types';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();

const SERVICE = {
  baseUrl: 'https://api.example.com/',
  authUrl: 'https://login.example.com',
  clientId: 'client',
  clientSecret: { env: 'THE_SECRET' },
};
const SHARE = { name: 'tender', folder: 'share', project: { companyId: 5001, projectId: '7001' } };
const SECRET_VALUE = 'canary-b7c1d9';

function load(content: unknown, input: LoadConfigInput = {}): Config {
  const path = join(folder(), 'drawbridge.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return loadConfig({ path, environment: { THE_SECRET: SECRET_VALUE }, ...input });
}

function faultsOf(content: unknown, input?: LoadConfigInput): readonly ConfigFault[] {
  try {
    load(content, input);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('a config file', () => {
  test('becomes absolute paths, milliseconds, bytes and text ids', () => {
    const config = load({
      shares: [{ ...SHARE, settle: '2s', batch: { maxBytes: '1GiB', quiet: 250 }, hold: '1.5d' }],
      stateDir: 'state',
    });
    expect(config.stateDir).toBe(join(folder(), 'state'));
    expect(config.temporal.embedded.database).toBe(join(folder(), 'state', 'temporal.db'));
    expect(config.shares[0]).toMatchObject({
      folder: join(folder(), 'share'),
      project: { companyId: '5001', projectId: '7001' },
      settleMs: 2_000,
      quietMs: 250,
      maxBatchBytes: 1024 ** 3,
      scanEveryMs: 10_000,
      policy: { conflict: { kind: 'ask' }, holdMs: 129_600_000, transferChunk: 34 },
    });
  });

  test('a thousand shares are one configuration, and one more is told', () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...SHARE, name: `share-${at}`, folder: `share ${at}` }));
    expect(load({ shares: named(1_000) }).shares).toHaveLength(1_000);
    expect(() => load({ shares: named(1_001) })).toThrow(/at most 1000 entries/);
  });

  test('takes a time zone by its name alone', () => {
    const config = load({ shares: [{ ...SHARE, timeZone: 'Europe/Berlin' }] });
    expect(config.shares[0]).toMatchObject({ timeZone: 'Europe/Berlin' });
    const faults = faultsOf({ shares: [{ ...SHARE, timeZone: 'Middle/Earth' }] });
    expect(faults.map(({ path }) => path)).toEqual(['shares[0].timeZone']);
  });

  test('what parts the cells of receipt.csv is one of three', () => {
    const set = (delimiter: string) => ({ shares: [{ ...SHARE, receipt: { delimiter } }] });
    expect(load({ shares: [SHARE] }).shares[0]).toMatchObject({ receiptDelimiter: ',' });
    expect(load(set('tab')).shares[0]).toMatchObject({ receiptDelimiter: '\t' });
    expect(faultsOf(set('|'))).toMatchObject([
      { path: 'shares[0].receipt.delimiter', text: 'expected one of ",", ";", "tab", found "|"' },
    ]);
  });

  test('reads the secret from the environment and never shows it', () => {
    const config = load({ service: SERVICE });
    expect(config.service?.clientSecret.reveal()).toBe(SECRET_VALUE);
    expect(config.service?.baseUrl).toBe('https://api.example.com');
    expect(JSON.stringify(config)).not.toContain(SECRET_VALUE);
  });

  test('reads the secret from a file beside it, without the line end', () => {
    writeFileSync(join(folder(), 'secret.txt'), `${SECRET_VALUE}\n`, { mode: 0o600 });
    const config = load({ service: { ...SERVICE, clientSecret: { file: 'secret.txt' } } });
    expect(config.service?.clientSecret.reveal()).toBe(SECRET_VALUE);
  });

  test('keeps the tokens of separate environments apart', () => {
    expect(load({ service: { ...SERVICE, environment: 'sandbox' } }).tokens.environment).toBe('sandbox');
    expect(load({}).tokens.environment).toBe('stand-in');
  });

  test('may be absent: then there is no service and no share', () => {
    const config = loadConfig({ workingFolder: folder(), environment: {} });
    expect(config.service).toBeUndefined();
    expect(config.shares).toEqual([]);
    expect(config.source).toBe('the built-in configuration');
  });

  test('is found by DRAWBRIDGE_CONFIG, and the flag wins over it', () => {
    mkdirSync(join(folder(), 'other'));
    writeFileSync(join(folder(), 'other', 'a.json'), '{"stateDir":"a"}');
    writeFileSync(join(folder(), 'b.json'), '{"stateDir":"b"}');
    const environment = { DRAWBRIDGE_CONFIG: 'other/a.json' };
    expect(loadConfig({ workingFolder: folder(), environment }).stateDir).toBe(join(folder(), 'other', 'a'));
    expect(loadConfig({ workingFolder: folder(), environment, path: 'b.json' }).stateDir).toBe(
      join(folder(), 'b'),
    );
  });

  test('takes flags of the command line over file and environment', () => {
    const config = load(
      { service: SERVICE },
      {
        environment: { THE_SECRET: 'x', DRAWBRIDGE_SERVICE__BASE_URL: 'https://env.example.com' },
        flags: { service: { baseUrl: 'https://flag.example.com', authUrl: undefined } },
      },
    );
    expect(config.service).toMatchObject({
      baseUrl: 'https://flag.example.com',
      authUrl: 'https://login.example.com',
    });
  });
});

describe('faults of a config file', () => {
  const cases: readonly [name: string, content: unknown, path: string, text: RegExp][] = [
    ['an unknown key with its neighbour', { sharess: [] }, 'sharess', /unknown key; did you mean "shares"\?/],
    [
      'an unknown key deep inside',
      { shares: [{ ...SHARE, batch: { maxfile: 3 } }] },
      'shares[0].batch.maxfile',
      /"maxFiles"/,
    ],
    [
      'an unknown key like no other',
      { xyzzyplugh: 1 },
      'xyzzyplugh',
      /known here: service, temporal, shares/,
    ],
    [
      'a missing setting',
      { shares: [{ name: 'a', folder: 'b' }] },
      'shares[0].project',
      /^missing; expected an object/,
    ],
    ['a wrong type', { shares: {} }, 'shares', /expected an array, found an object/],
    [
      'a wrong duration',
      { shares: [{ ...SHARE, settle: '5 weeks' }] },
      'shares[0].settle',
      /expected a duration .* found "5 weeks"/,
    ],
    [
      'a wait for the rate limit with which every request would give way',
      { limits: { maxWait: '1s' } },
      'limits.maxWait',
      /2s/,
    ],
    [
      'a duration out of bounds',
      { shares: [{ ...SHARE, settle: '2h' }] },
      'shares[0].settle',
      /between 100ms and 1h/,
    ],
    [
      'a wrong size',
      { shares: [{ ...SHARE, maxFileBytes: true }] },
      'shares[0].maxFileBytes',
      /expected a size/,
    ],
    [
      'a batch that is too large',
      { shares: [{ ...SHARE, batch: { maxFiles: 101 } }] },
      'shares[0].batch.maxFiles',
      /at most 100, found 101/,
    ],
    [
      'a choice that does not exist',
      { shares: [{ ...SHARE, missing: 'skip' }] },
      'shares[0].missing',
      /one of "hold", "set-apart", found "skip"/,
    ],
    [
      'terminating without a reason',
      { shares: [{ ...SHARE, conflict: { kind: 'terminate' } }] },
      'shares[0].conflict',
      /"reason"/,
    ],
    [
      'a pattern without groups',
      { shares: [{ ...SHARE, fileNamePattern: '^[A-Z]+' }] },
      'shares[0].fileNamePattern',
      /named group/,
    ],
    [
      'a pattern that does not compile',
      { shares: [{ ...SHARE, folderPattern: '(?<a>' }] },
      'shares[0].folderPattern',
      /named group/,
    ],
    [
      'a pattern that looks behind',
      { shares: [{ ...SHARE, fileNamePattern: '(?<=x)(?<a>b)' }] },
      'shares[0].fileNamePattern',
      /It looks behind/,
    ],
    [
      'a drop folder outside',
      { shares: [{ ...SHARE, drop: '../drop' }] },
      'shares[0].drop',
      /one folder name below the share/,
    ],
    [
      'one folder for two purposes',
      { shares: [{ ...SHARE, drop: 'done' }] },
      'shares[0]',
      /three separate names/,
    ],
    [
      'a share name twice',
      { shares: [SHARE, { ...SHARE, folder: 'other' }] },
      'shares[1].name',
      /used by shares\[0\]/,
    ],
    [
      'a share inside a share',
      { shares: [SHARE, { ...SHARE, name: 'b', folder: 'share/b' }] },
      'shares[1].folder',
      /apart from that of shares\[0\]/,
    ],
    ['the state on a share', { shares: [SHARE], stateDir: 'share/state' }, 'stateDir', /outside the share/],
    [
      'an address without https',
      { service: { ...SERVICE, baseUrl: 'http://api.example.com' } },
      'service.baseUrl',
      /https/,
    ],
    [
      'http to this machine, not allowed',
      { service: { ...SERVICE, authUrl: 'http://127.0.0.1:9' } },
      'service.authUrl',
      /allowInsecureLoopback/,
    ],
    [
      'an address with a password',
      { service: { ...SERVICE, baseUrl: `https://me:${SECRET_VALUE}@x.example.com` } },
      'service.baseUrl',
      /without user name/,
    ],
    [
      'a secret in the file',
      { service: { ...SERVICE, clientSecret: SECRET_VALUE } },
      'service.clientSecret',
      /a reference, \{"env"/,
    ],
    [
      'a secret that is not set',
      { service: { ...SERVICE, clientSecret: { env: 'NOT_THERE' } } },
      'service.clientSecret',
      /NOT_THERE is not set/,
    ],
    [
      'a secret file that is not there',
      { service: { ...SERVICE, clientSecret: { file: 'no.txt' } } },
      'service.clientSecret',
      /no\.txt cannot be read \(ENOENT\)/,
    ],
    [
      'a token key of the wrong length',
      { service: { ...SERVICE, tokenKey: { env: 'THE_SECRET' } } },
      'service.tokenKey',
      /32 bytes/,
    ],
    [
      'a CA bundle that is none',
      { service: { ...SERVICE, caBundle: 'drawbridge.json' } },
      'service.caBundle',
      /PEM/,
    ],
    [
      'a port beyond all ports',
      { temporal: { embedded: { port: 70_000 } } },
      'temporal.embedded.port',
      /at most 65535/,
    ],
    [
      'one port for two purposes',
      { temporal: { embedded: { port: 8233 } } },
      'temporal.embedded.uiPort',
      /another port than temporal\.embedded\.port, found 8233/,
    ],
    [
      'grants where nobody signs in',
      { console: { access: { grants: [{ people: ['a'], role: 'see' }] } } },
      'console.access.grants',
      /nobody signs in, grants say nothing/,
    ],
    [
      'a grant on a share that there is not',
      {
        shares: [SHARE],
        console: { access: { users: {}, grants: [{ people: ['a'], role: 'see', shares: ['tendr'] }] } },
      },
      'console.access.grants[0].shares[0]',
      /"\*" or the name of a share, there is no "tendr"/,
    ],
  ];

  test('tell a folder that is empty once', () => {
    const faults = faultsOf({ shares: [{ ...SHARE, folder: '' }] });
    expect(faults.map(({ path }) => path)).toEqual(['shares[0].folder']);
  });

  test('name an address without https beside another fault of its section', () => {
    const service = { ...SERVICE, authUrl: 'http://login.example.com', grant: 'none' };
    expect(faultsOf({ service }).map(fault => fault.path)).toEqual(['service.grant', 'service.authUrl']);
  });

  test.each(cases)('name %s', (_name, content, path, text) => {
    const faults = faultsOf(content);
    expect(faults.map(fault => fault.path)).toEqual([path]);
    expect(faults[0]?.text).toMatch(text);
    expect(faults[0]?.text).not.toContain(SECRET_VALUE);
  });

  test('are reported all at once, whatever their kind', () => {
    const faults = faultsOf(
      {
        service: { ...SERVICE, clientSecret: { env: 'NOT_THERE' } },
        shares: [
          SHARE,
          { ...SHARE, folder: 'share/inner' },
          { ...SHARE, name: 'Bad Name', folder: 'elsewhere' },
        ],
        logging: { level: 'loud' },
        extra: true,
      },
      { environment: { DRAWBRIDGE_LOGING__LEVEL: 'info' } },
    );
    expect(faults.map(fault => fault.path).sort()).toEqual([
      'DRAWBRIDGE_LOGING__LEVEL',
      'extra',
      'logging.level',
      'service.clientSecret',
      'shares[1].folder',
      'shares[1].name',
      'shares[2].name',
    ]);
  });

  test('tell grants that say nothing, and on which shares, together with all others', () => {
    const grants = [{ groups: ['g'], role: 'see', shares: ['tender', 'site'] }];
    const faults = faultsOf({ shares: [SHARE], console: { access: { grants } }, logging: { level: 'loud' } });
    expect(faults.map(fault => fault.path).sort()).toEqual([
      'console.access.grants',
      'console.access.grants[0].shares[1]',
      'logging.level',
    ]);
  });

  test('leave out secrets for commands that do not need them', () => {
    const content = { service: { ...SERVICE, clientSecret: { env: 'NOT_THERE' } } };
    expect(load(content, { secrets: 'leave' }).service?.clientId).toBe('client');
  });

  test('of the page are a fault where all are asked for, and kept with the page for who needs it elsewhere', () => {
    const file = join(folder(), 'page-secret');
    writeFileSync(file, SECRET_VALUE);
    chmodSync(file, 0o644);
    const openid = { issuer: 'https://id.example.com', clientId: 'page', clientSecret: { file } };
    const content = { console: { publicOrigin: 'https://page.example.com', access: { openid } } };
    const text = expect.stringMatching(/page-secret can be read by every user of this machine: chmod 600$/);
    const fault = { path: 'console.access.openid.clientSecret', text };
    expect(faultsOf(content, { secrets: 'all' })).toEqual([fault]);
    for (const secrets of ['read', 'leave'] as const) {
      const { console } = load(content, { secrets });
      expect([console.openidSecret, console.openidFault]).toEqual([undefined, fault]);
    }
    chmodSync(file, 0o600);
    expect(load(content, { secrets: 'all' }).console.openidSecret?.reveal()).toBe(SECRET_VALUE);
  });

  test('say where JSON breaks off, without quoting it', () => {
    const [fault] = faultsOf(`{\n  "service": { "clientSecret": "${SECRET_VALUE}" ]\n}`);
    expect(fault?.text).toMatch(/^not valid JSON/);
    expect(fault?.text).not.toContain('canary');
  });

  test('name a file that is not there', () => {
    const path = join(folder(), 'missing.json');
    expect(() => loadConfig({ path, environment: {} })).toThrow(
      /missing\.json has one fault:\n {2}there is no such file/,
    );
  });

  test('do not need the file to be readable to be told apart', () => {
    const path = join(folder(), 'a-folder');
    mkdirSync(path);
    chmodSync(path, 0o700);
    expect(() => loadConfig({ path, environment: {} })).toThrow(/cannot be read \(EISDIR\)/);
  });
});

describe('names that every object has', () => {
  test('are no unit of a duration', () => {
    expect(faultsOf({ shares: [{ ...SHARE, settle: '5constructor' }] })).toEqual([
      { path: 'shares[0].settle', text: expect.stringMatching(/expected a duration/) },
    ]);
  });

  test('are no environment variable', () => {
    const service = { ...SERVICE, tokenKey: { env: 'constructor' } };
    expect(faultsOf({ service })).toEqual([
      { path: 'service.tokenKey', text: 'the environment variable constructor is not set' },
    ]);
  });
});

describe('a config file that nobody would write', () => {
  test.each([
    ['too deep', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, /at most 50 levels/],
    ['with a name without end', JSON.stringify({ ['k'.repeat(300_000)]: 1 }), /^.{0,300}$/s],
    [
      'with a variable without end',
      JSON.stringify({ service: { ...SERVICE, tokenKey: { env: 'K'.repeat(300_000) } } }),
      /^.{0,1000}$/s,
    ],
    [
      'of nothing but faults',
      JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))),
      /and 300 more$/,
    ],
  ])('%s is an error that can be read', (_, content, message) => {
    try {
      load(content);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as Error).message.replace(/^.* has /, '')).toMatch(message);
      return;
    }
    throw new Error('it was accepted');
  });

  test('has patterns that compile as they will be used', () => {
    expect(faultsOf({ shares: [{ ...SHARE, fileNamePattern: '(?<number>x)\\' }] })).toHaveLength(1);
  });

  test('says what a default may be', () => {
    expect(faultsOf({ shares: [{ ...SHARE, defaults: { Type: 7 } }] })).toEqual([
      { path: 'shares[0].defaults.Type', text: 'expected a text or a list of texts, found 7' },
    ]);
  });
});

test('names overridden settings as faults name them', () => {
  const environment = { THE_SECRET: SECRET_VALUE, DRAWBRIDGE_SHARES__TENDER__SETTLE: '1s' };
  expect(load({ shares: [SHARE] }, { environment }).overridden).toEqual({
    DRAWBRIDGE_SHARES__TENDER__SETTLE: 'shares[0].settle',
  });
});

describe('a production environment', () => {
  test.each([
    [{ service: SERVICE }, true],
    [{ service: { ...SERVICE, environment: 'sandbox' } }, false],
    [{ service: SERVICE, temporal: { embedded: { forProduction: true } } }, false],
    [{}, false],
  ])('on the embedded server asks for the operator’s word: %j: %s', (content, isAsked) => {
    const attempt = (): void => requireWordForProduction(load(content));
    if (isAsked) expect(attempt).toThrow('temporal.embedded.forProduction');
    else expect(attempt).not.toThrow();
  });
});

test('the switch that takes any certificate is refused, for every command', () => {
  const environment = { THE_SECRET: SECRET_VALUE, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  for (const secrets of ['read', 'leave'] as const) {
    expect(faultsOf({}, { environment, secrets })).toMatchObject([{ path: 'NODE_TLS_REJECT_UNAUTHORIZED' }]);
  }
  expect(faultsOf({}, { environment: { ...environment, NODE_TLS_REJECT_UNAUTHORIZED: '1' } })).toEqual([]);
});
