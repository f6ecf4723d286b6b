// Overrides from the environment: found in any spelling, converted by the schema, unknown ones reported.
import { applyEnvironment } from '../../../workers/config/config-environment';

const CONTENT = {
  service: { clientSecret: { env: 'DRAWBRIDGE_MY_SECRET' } },
  shares: [{ name: 'tender-a' }, { name: 'site' }],
};

describe('environment overrides', () => {
  const cases: readonly [variable: string, value: string, expected: object][] = [
    ['DRAWBRIDGE_STATEDIR', '/var/lib/x', { stateDir: '/var/lib/x' }],
    ['DRAWBRIDGE_STATE_DIR', '/var/lib/x', { stateDir: '/var/lib/x' }],
    ['drawbridge_service__baseurl', 'https://x', { service: { baseUrl: 'https://x' } }],
    ['DRAWBRIDGE_SERVICE__BASE_URL', 'https://x', { service: { baseUrl: 'https://x' } }],
    ['DRAWBRIDGE_SERVICE__CLIENT_ID', '12345', { service: { clientId: '12345' } }],
    ['DRAWBRIDGE_SERVICE__ALLOW_INSECURE_LOOPBACK', 'TRUE', { service: { allowInsecureLoopback: true } }],
    [
      'DRAWBRIDGE_SERVICE__CLIENT_SECRET__FILE',
      '/run/secrets/x',
      { service: { clientSecret: { file: '/run/secrets/x' } } },
    ],
    ['DRAWBRIDGE_TEMPORAL__EMBEDDED__PORT', '7300', { temporal: { embedded: { port: 7300 } } }],
    ['DRAWBRIDGE_SHARES__0__SETTLE', '250', { shares: [{ settle: 250 }, {}] }],
    ['DRAWBRIDGE_SHARES__SITE__FOLDER', '/mnt/site', { shares: [{}, { folder: '/mnt/site' }] }],
    ['DRAWBRIDGE_SHARES__TENDER_A__BATCH__MAX_FILES', '7', { shares: [{ batch: { maxFiles: 7 } }, {}] }],
    [
      'DRAWBRIDGE_SHARES__1__DEFAULTS__Status',
      'For review',
      { shares: [{}, { defaults: { Status: 'For review' } }] },
    ],
    ['DRAWBRIDGE_SHARES__1__CONFLICT', 'wait', { shares: [{}, { conflict: 'wait' }] }],
    ['DRAWBRIDGE_SHARES__2__NAME', 'new', { shares: [{}, {}, { name: 'new' }] }],
  ];

  test.each(cases)('%s=%s', (variable, value, expected) => {
    const { merged, faults } = applyEnvironment(CONTENT, { [variable]: value });
    expect(faults).toEqual([]);
    expect(merged).toMatchObject(expected);
  });

  test('take whole lists and objects as JSON', () => {
    const value = '[{"name":"a"}]';
    expect(applyEnvironment({}, { DRAWBRIDGE_SHARES: value }).merged).toEqual({ shares: [{ name: 'a' }] });
  });

  test('leave the file content alone', () => {
    const before = structuredClone(CONTENT);
    applyEnvironment(CONTENT, { DRAWBRIDGE_SHARES__0__NAME: 'other' });
    expect(CONTENT).toEqual(before);
  });

  test('are told apart from secrets that the file refers to, and from variables of our own', () => {
    const outcome = applyEnvironment(CONTENT, {
      DRAWBRIDGE_MY_SECRET: 'x',
      DRAWBRIDGE_CLIENT_SECRET: 'x',
      DRAWBRIDGE_CONFIG: 'x',
      DRAWBRIDGE_TEST_BUNDLE: 'x',
      OTHER: 'x',
    });
    expect(outcome).toEqual({ merged: CONTENT, applied: {}, faults: [] });
  });

  test.each([
    ['DRAWBRIDGE_SERVICE__TOKEN_KEY', '{"env":"DRAWBRIDGE_A_KEY"}'],
    ['DRAWBRIDGE_SERVICE__TOKEN_KEY__ENV', 'DRAWBRIDGE_A_KEY'],
  ])('are told apart from a secret that %s refers to', (variable, value) => {
    const { merged, applied, faults } = applyEnvironment(
      {},
      { DRAWBRIDGE_A_KEY: 'x', [variable]: value, DRAWBRIDGE_STATE_DIR: '/x' },
    );
    expect(faults).toEqual([]);
    expect(merged).toEqual({ service: { tokenKey: { env: 'DRAWBRIDGE_A_KEY' } }, stateDir: '/x' });
    expect(Object.keys(applied).sort()).toEqual([variable, 'DRAWBRIDGE_STATE_DIR'].sort());
  });

  const wrong: readonly [variable: string, text: RegExp][] = [
    ['DRAWBRIDGE_SERVCE__BASEURL', /no such setting: did you mean "service"\?/],
    ['DRAWBRIDGE_SERVICE__BASEURI', /did you mean "baseUrl"\?/],
    ['DRAWBRIDGE_SHARES__9__NAME', /a number from 0 to 2 or a name: tender-a, site/],
    ['DRAWBRIDGE_STATE_DIR__X', /does not lead to a setting/],
  ];

  test.each(wrong)('%s is reported', (variable, text) => {
    const { faults } = applyEnvironment(CONTENT, { [variable]: 'x' });
    expect(faults).toEqual([{ path: variable, text: expect.stringMatching(text) }]);
  });
});
