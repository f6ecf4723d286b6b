// Signing out at the stand-in service: what ends there, what is forgotten here, and
// what others who hold a token see.
import { Secret } from '../../../../activities/service/secret';
import { completeServiceConfig, type ServiceOptions } from '../../../../activities/service/service-config';
import { TokenSource } from '../../../../activities/service/tokens/token-source';
import { SandboxControl } from '../../../sandbox/control';
import { DEFAULT_CREDENTIALS } from '../../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../../sandbox/server';
import { errorOf } from '../client-bed';
import { FakeTokenStore } from './fake-token-store';

let sandbox: Sandbox;
let control: SandboxControl;
let store: FakeTokenStore;
const sources: TokenSource[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ settings: { limits: null } });
  control = new SandboxControl(sandbox.controlUrl);
});
beforeEach(async () => {
  await control.reset();
  store = new FakeTokenStore();
});
afterEach(async () => {
  await Promise.all(sources.splice(0).map(source => source.close()));
});
afterAll(async () => {
  await sandbox.close();
});

function source(options: Partial<ServiceOptions> = {}): TokenSource {
  const config = completeServiceConfig({
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId: DEFAULT_CREDENTIALS.clientId,
    clientSecret: new Secret(DEFAULT_CREDENTIALS.clientSecret),
    allowInsecureLoopback: true,
    ...options,
  });
  const made = new TokenSource({ config, store });
  sources.push(made);
  return made;
}

async function person(): Promise<{ one: TokenSource; initialRefreshToken: Secret }> {
  const initialRefreshToken = new Secret((await control.login()).refreshToken);
  const one = source({ grant: 'refresh_token', initialRefreshToken });
  await one.current();
  return { one, initialRefreshToken };
}

const gentle = { evenIfUnreached: false };

test('both tokens end at the service, and a process that still holds one must log in', async () => {
  const { one, initialRefreshToken } = await person();
  const other = source({ grant: 'refresh_token', initialRefreshToken });
  const held = await other.current();
  expect(await one.signOut(gentle)).toEqual({ tokens: 2, revoked: true });
  expect((await control.requests())['oauth.revoke']).toBe(2);
  const error = await errorOf(other.refresh(held.generation));
  expect(error).toMatchObject({ code: 'LOGIN_REQUIRED', message: expect.stringContaining('signed out') });
  expect(one.describe()).toBeUndefined();
});

test('a process that still holds one must log in at once, also where the service was not told', async () => {
  const { one, initialRefreshToken } = await person();
  const other = source({ grant: 'refresh_token', initialRefreshToken });
  await other.current();
  await control.addFault({ route: 'oauth.revoke', action: { kind: 'cut-request' } });
  expect(await one.signOut({ evenIfUnreached: true })).toEqual({ tokens: 2, revoked: false });
  expect(await errorOf(other.current())).toMatchObject({ code: 'LOGIN_REQUIRED', effect: 'not-sent' });
  expect(other.atHand()).toBeUndefined();
});

test('and a service account gets another one', async () => {
  const [one, other] = [source(), source()];
  const held = await one.current();
  expect((await other.current()).generation).toBe(held.generation);
  await one.signOut(gentle);
  expect((await other.current()).generation).toBeGreaterThan(held.generation);
});

test('the configured first refresh token does not begin the login again', async () => {
  const { one, initialRefreshToken } = await person();
  await one.signOut(gentle);
  const later = source({ grant: 'refresh_token', initialRefreshToken });
  expect(await errorOf(later.current())).toMatchObject({ code: 'LOGIN_REQUIRED', effect: 'not-sent' });
  expect((await control.requests())['oauth.token']).toBe(1);
});

test('a service account gets a token of a newer generation when it next needs one', async () => {
  const account = source();
  const before = await account.current();
  expect(await account.signOut(gentle)).toEqual({ tokens: 1, revoked: true });
  const after = await account.current();
  expect(after.generation).toBeGreaterThan(before.generation);
  expect(after.accessToken.reveal()).not.toBe(before.accessToken.reveal());
});

test('signing out twice, or with nothing there, is no error and asks the service nothing', async () => {
  const { one } = await person();
  await one.signOut(gentle);
  const before = await control.requests();
  expect(await one.signOut(gentle)).toEqual({ tokens: 0, revoked: true });
  expect(await control.requests()).toEqual(before);
});

test('tokens that the service has ended already are signed out all the same', async () => {
  const { one } = await person();
  await control.revokeTokens();
  expect(await one.signOut(gentle)).toEqual({ tokens: 2, revoked: true });
});

test('when the service cannot be told, nothing is forgotten; no error shows a token', async () => {
  const { one } = await person();
  const held = await one.current();
  await control.addFault({ route: 'oauth.revoke', action: { kind: 'reply-lost' } });
  const error = await errorOf(one.signOut(gentle));
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(JSON.stringify({ ...error, message: error.message })).not.toContain(held.accessToken.reveal());
  expect((await store.load())?.refreshToken).not.toBeNull();
  // The lost answer was one to a revocation that happened: asking again does no harm.
  expect(await one.signOut(gentle)).toEqual({ tokens: 2, revoked: true });
});
