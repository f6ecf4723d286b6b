import { inspect } from 'node:util';
import type { Clock } from '../../../../activities/host/clock';
import { ServiceUnavailableError } from '../../../../activities/service/errors';
import type { RateGate } from '../../../../activities/service/rate/rate-gate';
import { Secret } from '../../../../activities/service/secret';
import { completeServiceConfig, type ServiceOptions } from '../../../../activities/service/service-config';
import { TokenSource } from '../../../../activities/service/tokens/token-source';
import { findFreePorts } from '../../../setup/free-port';
import { errorOf, FakeGate } from '../client-bed';
import { FakeAuthServer } from './fake-auth-server';
import { FakeTokenStore } from './fake-token-store';

let auth: FakeAuthServer;
let store: FakeTokenStore;
let clock: Clock & { aheadMs: number; wallAheadMs: number };
const sources: TokenSource[] = [];

beforeEach(async () => {
  auth = new FakeAuthServer();
  await auth.listen();
  store = new FakeTokenStore();
  clock = {
    aheadMs: 0,
    wallAheadMs: 0,
    monotonicMs: () => performance.now() + clock.aheadMs,
    wallMs: () => Date.now() + clock.aheadMs + clock.wallAheadMs,
  };
});

afterEach(async () => {
  await Promise.all(sources.splice(0).map(source => source.close()));
  await auth.close();
});

/** Where no answer comes. */
const IMPATIENT = { timeouts: { totalMs: 300 } };

function source(options: Partial<ServiceOptions> = {}, gate?: RateGate): TokenSource {
  const made = new TokenSource({
    config: completeServiceConfig({
      baseUrl: auth.url,
      authUrl: auth.url,
      clientId: 'client-1',
      clientSecret: new Secret('canary-secret'),
      allowInsecureLoopback: true,
      timeouts: { totalMs: 20_000 },
      ...options,
    }),
    store,
    clock,
    ...(gate === undefined ? {} : { gate }),
  });
  sources.push(made);
  return made;
}

/** A source with a login, as `login` would leave it. */
function refreshing(options: Partial<ServiceOptions> = {}): TokenSource {
  return source({ grant: 'refresh_token', initialRefreshToken: new Secret(auth.login()), ...options });
}

describe('a token', () => {
  test('is obtained once for all who ask at once', async () => {
    const one = source();
    const tokens = await Promise.all(Array.from({ length: 50 }, () => one.current()));
    expect(new Set(tokens.map(token => token.generation))).toEqual(new Set([1]));
    expect(auth.exchanges).toBe(1);
    await one.current();
    expect(auth.exchanges).toBe(1);
  });

  test('is stored before it is used', async () => {
    const token = await refreshing().current();
    expect(store.saved.at(-1)).toMatchObject({
      accessToken: token.accessToken.reveal(),
      generation: 1,
      exchange: null,
    });
  });

  test('is taken over from the store by the next process', async () => {
    await refreshing().current();
    const token = await refreshing().current();
    expect(token.generation).toBe(1);
    expect(auth.exchanges).toBe(1);
  });

  test('is described without any part of it', async () => {
    const one = source();
    expect(one.describe()).toBeUndefined();
    await one.current();
    const described = one.describe();
    expect(described).toMatchObject({ generation: 1, grant: 'client_credentials' });
    expect(Math.abs((described?.expiresAtMs ?? 0) - (Date.now() + 5_400_000))).toBeLessThan(5_000);
    expect(inspect([one, described, await one.current()], { depth: 9, showHidden: true })).not.toContain(
      'canary',
    );
  });
});

describe('50 callers that see a 401 at once', () => {
  test('lead to one exchange', async () => {
    const one = refreshing();
    const { generation } = await one.current();
    const tokens = await Promise.all(Array.from({ length: 50 }, () => one.refresh(generation)));
    expect(new Set(tokens.map(token => token.generation))).toEqual(new Set([2]));
    expect(auth.exchanges).toBe(2);
  });

  test('and stragglers with the old generation cause no further one', async () => {
    const one = source();
    await one.current();
    await one.refresh(1);
    expect((await one.refresh(1)).generation).toBe(2);
    expect(auth.exchanges).toBe(2);
  });

  test('in two processes lead to one exchange', async () => {
    const [one, two] = [refreshing(), refreshing()];
    await Promise.all([one.current(), two.current()]);
    const tokens = await Promise.all([one.refresh(1), two.refresh(1), one.refresh(1)]);
    expect(tokens.map(token => token.generation)).toEqual([2, 2, 2]);
    expect(auth.exchanges).toBe(2);
    expect([...auth.sends.values()]).toEqual([1, 1]);
  });
});

describe('a token that was refused', () => {
  test('is not given again while its renewal fails', async () => {
    const one = source();
    const { generation } = await one.current();
    for (let n = 0; n < 7; n++) auth.faults.push('unavailable');
    expect(await errorOf(one.refresh(generation))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    for (let n = 0; n < 6; n++) {
      expect(one.atHand()).toBeUndefined();
      expect(await errorOf(one.current())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }
    expect((await one.current()).generation).toBe(generation + 1);
  });

  test('is not given again either when nobody asked for another one', async () => {
    const one = source();
    const { generation } = await one.current();
    one.refuse(generation);
    expect((await one.current()).generation).toBe(generation + 1);
  });

  test('is not taken from the store once more', async () => {
    const [one, two] = [refreshing(), refreshing()];
    const { generation } = await one.current();
    await two.current();
    auth.faults.push('unavailable', 'unavailable');
    await errorOf(one.refresh(generation));
    expect(await errorOf(one.current())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await two.refresh(generation);
    expect((await one.current()).generation).toBe(generation + 1);
    expect(auth.exchanges).toBe(2);
  });
});

describe('after a login in another process', () => {
  test('the new token is used from the next request on, although the old one lives', async () => {
    const running = refreshing();
    await running.current();
    const { generation } = await source({ grant: 'refresh_token' }).signIn({
      code: new Secret('good-code'),
      redirectUri: 'urn:x',
    });
    expect((await running.current()).generation).toBe(generation);
    expect(running.atHand()?.generation).toBe(generation);
    expect(auth.exchanges).toBe(2);
  });

  test('a store that cannot be read for a moment is no reason to stop', async () => {
    const running = source();
    await running.current();
    store.loadFault = new ServiceUnavailableError('the token store failed (EIO)', {
      fault: 'token-store',
      effect: 'not-sent',
    });
    store.plant({ ...(await store.record())!, generation: 2 });
    expect((await running.current()).generation).toBe(1);
    store.loadFault = undefined;
    expect((await running.current()).generation).toBe(2);
  });
});

describe('expiry', () => {
  test('at once, as the service says, still leaves a token that can be used', async () => {
    auth.expiresIn = 0;
    const one = source();
    const { generation } = await one.current();
    expect(one.atHand()?.generation).toBe(generation);
    expect(auth.exchanges).toBe(1);
  });

  test('is met by renewing a minute ahead', async () => {
    const one = source();
    await one.current();
    clock.aheadMs = 5_400_000 - 61_000;
    expect((await one.current()).generation).toBe(1);
    clock.aheadMs = 5_400_000 - 59_000;
    expect((await one.current()).generation).toBe(2);
  });

  test('of a short token is met a tenth of its life ahead', async () => {
    auth.expiresIn = 100;
    const one = source();
    await one.current();
    clock.aheadMs = 89_000;
    expect((await one.current()).generation).toBe(1);
    clock.aheadMs = 91_000;
    expect((await one.current()).generation).toBe(2);
  });

  test('that the service does not tell is left to the 401', async () => {
    auth.expiresIn = undefined;
    const one = source();
    await one.current();
    clock.aheadMs = 40 * 86_400_000;
    expect((await one.current()).generation).toBe(1);
    expect(one.describe()?.expiresAtMs).toBeNull();
    expect((await one.refresh(1)).generation).toBe(2);
  });

  test('is not put off by a wall clock set back', async () => {
    await source().current();
    clock.wallAheadMs = -30 * 86_400_000;
    const later = source();
    expect((await later.current()).generation).toBe(1);
    clock.aheadMs = 5_400_000;
    expect((await later.current()).generation).toBe(2);
  });

  test('a renewal that fails does not stop work while the token lives', async () => {
    const one = source();
    await one.current();
    auth.faults.push('bad-gateway');
    clock.aheadMs = 5_400_000 - 30_000;
    expect((await one.current()).generation).toBe(1);
    expect((await one.current()).generation).toBe(1);
    expect(auth.seen).toHaveLength(2);
    clock.aheadMs = 5_400_000 - 20_000;
    expect((await one.current()).generation).toBe(2);
  });

  test('a renewal that fails after the end is an error', async () => {
    const one = source();
    await one.current();
    auth.faults.push('bad-gateway');
    clock.aheadMs = 5_400_001;
    expect(await errorOf(one.current())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect((await one.current()).generation).toBe(2);
  });
});

describe('a refresh token whose exchange had no answer', () => {
  test('is sent once more, and then a person must log in', async () => {
    const one = refreshing();
    auth.faults.push('lose-answer');
    expect(await errorOf(one.current())).toMatchObject({ code: 'SERVICE_UNAVAILABLE', effect: 'unknown' });
    expect(await errorOf(one.current())).toMatchObject({ code: 'LOGIN_REQUIRED' });
    expect(await errorOf(one.current())).toMatchObject({ code: 'LOGIN_REQUIRED' });
    expect(auth.sends.get('canary-refresh-1')).toBe(2);
  });

  test('is not sent where the lock was lost while its place in the rate limit was waited for', async () => {
    const gate = new FakeGate();
    // A lock that is lost shows when something is saved.
    gate.beforePermit = () => {
      store.failingSaves = 1;
    };
    const initialRefreshToken = new Secret(auth.login());
    const one = source({ grant: 'refresh_token', initialRefreshToken, authCountsAgainstLimit: true }, gate);
    expect(await errorOf(one.current())).toMatchObject({ code: 'ENOSPC' });
    expect([auth.seen.length, gate.released]).toEqual([0, 1]);
    gate.beforePermit = () => undefined;
    expect((await one.current()).generation).toBe(1);
  });

  test('still works when the exchange had not happened', async () => {
    const one = refreshing();
    auth.faults.push('cut');
    expect(await errorOf(one.current())).toMatchObject({ effect: 'unknown' });
    expect((await one.current()).generation).toBe(1);
  });

  test('is not sent a third time, after an unknown second try', async () => {
    const one = refreshing(IMPATIENT);
    auth.faults.push('bad-gateway', 'hang');
    await errorOf(one.current());
    await errorOf(one.current());
    expect(await errorOf(one.current())).toMatchObject({ code: 'LOGIN_REQUIRED' });
    expect(auth.sends.get('canary-refresh-1')).toBe(2);
  });

  test('is sent again only to a host that answers', async () => {
    const one = refreshing();
    auth.faults.push('bad-gateway');
    await errorOf(one.current());
    const [port] = await findFreePorts(1);
    const away = source({ grant: 'refresh_token', authUrl: `http://127.0.0.1:${port}` });
    // The same store, moved to a host that is down: only the origin in the record has to agree.
    store.plant({ ...(await store.load())!, authOrigin: `http://127.0.0.1:${port}` });
    expect(await errorOf(away.current())).toMatchObject({ code: 'SERVICE_UNAVAILABLE', effect: 'not-sent' });
    expect((await store.load())?.exchange?.sends).toBe(1);
  });

  test('a killed process counts as no answer', async () => {
    const one = refreshing();
    await one.current();
    const record = (await store.load())!;
    // The marker is written, then the process dies after the exchange took place.
    auth.faults.push('lose-answer');
    await errorOf(one.refresh(1));
    expect((await store.load())?.exchange?.sends).toBe(1);
    expect((await store.load())?.refreshToken).toBe(record.refreshToken);
    const next = source({ grant: 'refresh_token' });
    expect(await errorOf(next.refresh(1))).toMatchObject({ code: 'LOGIN_REQUIRED' });
  });
});

describe('a refresh token that was certainly not used up', () => {
  test.each(['unavailable', 'unavailable-with-date', 'invalid-client'] as const)(
    '%s: may be sent again',
    async fault => {
      const one = refreshing();
      auth.faults.push(fault, fault, fault);
      for (let n = 0; n < 3; n++) await errorOf(one.current());
      expect((await store.load())?.exchange ?? null).toBeNull();
      expect((await one.current()).generation).toBe(1);
    },
  );

  test('a host that is down for long burns nothing', async () => {
    const [port] = await findFreePorts(1);
    const one = refreshing({ authUrl: `http://127.0.0.1:${port}` });
    for (let n = 0; n < 5; n++) {
      expect(await errorOf(one.current())).toMatchObject({ code: 'SERVICE_UNAVAILABLE', effect: 'not-sent' });
    }
    expect((await store.load())?.burnt ?? null).toBeNull();
  });

  test('a credential that is refused says so, and heals without a login', async () => {
    const one = refreshing();
    auth.faults.push('invalid-client');
    expect(await errorOf(one.current())).toMatchObject({ code: 'LOGIN_REQUIRED' });
    expect((await one.current()).generation).toBe(1);
  });
});

describe('a burnt login', () => {
  async function burn(): Promise<void> {
    const one = refreshing();
    auth.faults.push('lose-answer');
    await errorOf(one.current());
    await errorOf(one.current());
    expect((await store.load())?.burnt).not.toBeNull();
  }

  test('is not sent again by any process, nor by its own first token', async () => {
    await burn();
    const seen = auth.seen.length;
    expect(
      await errorOf(
        source({ grant: 'refresh_token', initialRefreshToken: new Secret('canary-refresh-1') }).current(),
      ),
    ).toMatchObject({
      code: 'LOGIN_REQUIRED',
    });
    expect(auth.seen).toHaveLength(seen);
  });

  test('is replaced by a new first token', async () => {
    await burn();
    const token = await source({
      grant: 'refresh_token',
      initialRefreshToken: new Secret(auth.login()),
    }).current();
    expect(token.generation).toBeGreaterThan(0);
  });

  test('is replaced by a sign-in, also for a source that runs', async () => {
    await burn();
    const running = source({ grant: 'refresh_token' });
    await errorOf(running.current());
    const login = source({ grant: 'refresh_token' });
    expect(await errorOf(login.signIn({ code: new Secret('bad-code'), redirectUri: 'urn:x' }))).toMatchObject(
      {
        code: 'LOGIN_REQUIRED',
      },
    );
    await login.signIn({ code: new Secret('good-code'), redirectUri: 'urn:x' });
    expect((await running.current()).generation).toBe((await login.current()).generation);
  });
});

test('a token that could not be stored is stored later, and only then used', async () => {
  const one = refreshing();
  store.failingSaves = 2;
  store.savesBeforeFailure = 1;
  await errorOf(one.current());
  expect(auth.exchanges).toBe(1);
  await errorOf(one.current());
  const token = await one.current();
  expect(auth.exchanges).toBe(1);
  expect((await store.load())?.accessToken).toBe(token.accessToken.reveal());
});

test('a store of another environment or client is refused', async () => {
  await source().current();
  store.plant({ ...(await store.load())!, authOrigin: 'https://login.sandbox.example' });
  expect(await errorOf(source().current())).toMatchObject({ code: 'MISCONFIGURED' });
  store.plant({ ...(await store.load())!, authOrigin: auth.url, clientId: 'client-2' });
  expect(await errorOf(source().current())).toMatchObject({ code: 'MISCONFIGURED' });
});

test('tokens of another grant are not taken over', async () => {
  await source().current();
  const token = await refreshing().current();
  expect(token.generation).toBe(2);
});

test('no error holds a token or secret', async () => {
  for (const fault of [
    'lose-answer',
    'cut',
    'unavailable',
    'bad-gateway',
    'html',
    'invalid-client',
    'hang',
  ] as const) {
    auth.faults.push(fault);
    const error = await errorOf(refreshing(fault === 'hang' ? IMPATIENT : {}).current());
    expect(inspect(error, { depth: 10 })).not.toContain('canary');
    store = new FakeTokenStore();
  }
});

test('the configured first refresh token is not sent again when a later login is used up', async () => {
  const first = auth.login();
  const one = source({ grant: 'refresh_token', initialRefreshToken: new Secret(first) });
  await one.current();
  for (let login = 0; login < 3; login++) {
    const { generation } = await one.signIn({ code: new Secret('good-code'), redirectUri: 'urn:x' });
    auth.faults.push('lose-answer');
    await errorOf(one.refresh(generation));
    expect(await errorOf(one.refresh(generation))).toMatchObject({ code: 'LOGIN_REQUIRED' });
    expect(await errorOf(one.refresh(generation))).toMatchObject({ code: 'LOGIN_REQUIRED' });
  }
  expect(auth.sends.get(first)).toBe(1);
});

test.each([400, 401, 500, 503])(
  'what the host says with a %i is not kept, for it may quote what was sent',
  async status => {
    auth.faults.push({
      status,
      body: { error: 'server_error', error_description: 'no canary-secret', message: 'canary-secret' },
    });
    const error = await errorOf(source().current());
    expect(inspect(error, { depth: 9 })).not.toContain('canary-secret');
    expect(JSON.stringify(error.reasons)).not.toContain('canary');
  },
);

test('a text instead of JSON is not kept either', async () => {
  auth.faults.push({ status: 500, body: 'canary-secret is wrong' });
  expect(inspect(await errorOf(source().current()), { depth: 9 })).not.toContain('canary-secret');
});
