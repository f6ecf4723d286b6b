// What is said of the service.
import { judgeService } from '../../../client/doctor/judge-service';
import type { ServiceFacts, Unanswered } from '../../../client/doctor/look-at-service';

const NOW_MS = Date.parse('2026-01-31T10:00:00Z');
const project = { companyId: '5001', projectId: '7001' };

const well: ServiceFacts = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://login.example.com',
  clientId: 'client',
  isStandIn: false,
  grant: 'client_credentials',
  token: { value: { isFresh: true, expiresAtMs: NOW_MS + 3_600_000 } },
  projects: [{ project, shares: ['tender'], read: { value: [] } }],
  hooks: [{ scope: 'project 7001', isThere: { value: true } }],
  hasAnswered: true,
  clock: { lowMs: -900, highMs: 100 },
  limits: [{ limit: 3_600, remaining: 3_599 }],
};

const notWell = (facts: Partial<ServiceFacts>) =>
  judgeService({ ...well, ...facts }, NOW_MS, 'drawbridge').flatMap(({ check, verdict, todo }) =>
    verdict === 'ok' ? [] : [`${check}: ${verdict}: ${todo ?? ''}`],
  );
const failed = (code: Unanswered['code']): Unanswered => ({ code, why: 'it said so' });
const readWith = (code: Unanswered['code']) => ({
  projects: [{ project, shares: ['tender'], read: failed(code) }],
});
test('a service where all is well', () => {
  expect(notWell({})).toEqual([]);
  expect(judgeService(well, NOW_MS, 'drawbridge')[0]?.text).toBe(
    'the service account client was given a token by https://login.example.com, good for 60 min more; it is not kept.',
  );
});

const UNASKED = { projects: [], hooks: [], hasAnswered: false, clock: undefined, limits: [] };

test.each<[string, Unanswered['code'], ServiceFacts['grant'], RegExp]>([
  [
    'credentials are refused',
    'LOGIN_REQUIRED',
    'client_credentials',
    /^sign-in: wrong: Correct service.client/,
  ],
  ['nobody is signed in', 'LOGIN_REQUIRED', 'refresh_token', /^sign-in: wrong: Sign in: drawbridge login/],
  ['a login would have to be renewed', 'NOT_RENEWED', 'refresh_token', /^sign-in: not-asked: .*whoami/],
  ['the host is away', 'SERVICE_UNAVAILABLE', 'client_credentials', /^sign-in: wrong: .*service\.authUrl/],
  ['the limit is spent', 'RATE_LIMITED', 'client_credentials', /^sign-in: not-asked/],
  ['the configuration cannot work', 'MISCONFIGURED', 'client_credentials', /^sign-in: wrong/],
])('without a token because %s, the service is not asked', (_, code, grant, text) => {
  expect(notWell({ ...UNASKED, grant, token: failed(code) })).toEqual([
    expect.stringMatching(text),
    'service: not-asked: ',
  ]);
});

test.each<[string, Partial<ServiceFacts>, readonly RegExp[]]>([
  [
    'there is no such project',
    readWith('NOT_FOUND'),
    [/^project 7001 \(share tender\): wrong: Correct project\./],
  ],
  ['it may not be read', readWith('ACCESS_DENIED'), [/wrong: Have it given the permission/]],
  ['the token is of another environment', readWith('TOKEN_REJECTED'), [/wrong: Are service\.baseUrl and/]],
  ['it was not to be asked', readWith('RATE_LIMITED'), [/^project .*: not-asked/]],
  [
    'the service is away',
    { ...UNASKED, ...readWith('SERVICE_UNAVAILABLE') },
    [/^service: wrong: .*service\.baseUrl/, /^project .*: not-asked/],
  ],
  ['its clock is behind', { clock: { lowMs: -61_000, highMs: -60_000 } }, [/^clock of the service: look/]],
  ['its clock is not told', { clock: undefined }, [/^clock of the service: not-asked/]],
  ['the limit is spent', { limits: [{ limit: 10, remaining: 0 }] }, [/^rate limit: look/]],
  ['no limit is told', { limits: [] }, []],
  [
    'the hook is missing',
    { hooks: [{ scope: 'x', isThere: { value: false } }] },
    [/look: Make it: .* ensure/],
  ],
  [
    'the hook was not to be read',
    { hooks: [{ scope: 'x', isThere: failed('ACCESS_DENIED') }] },
    [/not-asked/],
  ],
])('%s', (_, facts, texts) => {
  expect(notWell(facts)).toEqual(texts.map(text => expect.stringMatching(text)));
});
