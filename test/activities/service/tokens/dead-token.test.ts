// A token that the service does not take any more, while the authentication host is
// away: how often it still goes out.
import { Secret } from '../../../../activities/service/secret';
import { ServiceClient } from '../../../../activities/service/service-client';
import { completeServiceConfig } from '../../../../activities/service/service-config';
import { TokenSource } from '../../../../activities/service/tokens/token-source';
import { errorOf, FakeGate, showThing } from '../client-bed';
import { json, ScriptedService } from '../scripted-service';
import { FakeAuthServer } from './fake-auth-server';
import { FakeTokenStore } from './fake-token-store';

const WORKERS = 4;

let auth: FakeAuthServer;
let api: ScriptedService;
let gate: FakeGate;
let tokens: TokenSource;
let client: ServiceClient;

beforeEach(async () => {
  auth = new FakeAuthServer();
  api = new ScriptedService();
  await Promise.all([auth.listen(), api.listen()]);
  const config = completeServiceConfig({
    baseUrl: api.url,
    authUrl: auth.url,
    clientId: 'client-1',
    clientSecret: new Secret('canary-secret'),
    allowInsecureLoopback: true,
  });
  gate = new FakeGate();
  tokens = new TokenSource({ config, store: new FakeTokenStore() });
  client = new ServiceClient({ config, tokens, gate });
  await tokens.current();
  api.answer((request, response) =>
    request.headers.authorization === 'Bearer canary-access-1'
      ? json(response, 401, { error: 'invalid_token' })
      : json(response, 200, { data: { id: 'shown' } }),
  );
});

afterEach(async () => {
  await Promise.all([client.close(), tokens.close()]);
  await Promise.all([auth.close(), api.close()]);
});

const sendOne = () => client.send(showThing, { params: { id: '1' }, companyId: '5001' });
const deadSends = () =>
  api.seen.filter(seen => seen.headers.authorization === 'Bearer canary-access-1').length;

test('goes out once for each request that was on its way, however often all of them are tried again', async () => {
  for (let n = 0; n < 1_000; n++) auth.faults.push('unavailable');
  for (let round = 0; round < 30; round++) {
    const errors = await Promise.all(Array.from({ length: WORKERS }, () => errorOf(sendOne())));
    for (const error of errors)
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', effect: 'rejected' });
  }
  expect(deadSends()).toBeLessThanOrEqual(WORKERS);
  auth.faults.length = 0;
  await Promise.all(Array.from({ length: WORKERS }, sendOne));
  expect(auth.exchanges).toBe(2);
  expect(deadSends()).toBeLessThanOrEqual(WORKERS);
});

test('does not go out for those that waited for their permit meanwhile', async () => {
  let first: Promise<unknown> | undefined;
  let turn = 0;
  const acquire = gate.acquire.bind(gate);
  jest.spyOn(gate, 'acquire').mockImplementation(async input => {
    turn += 1;
    // The first request asks for two permits; those of the others come only once it has its answer.
    if (turn > 1 && turn <= 50) await first;
    return await acquire(input);
  });
  first = sendOne();
  await Promise.all([first, ...Array.from({ length: 49 }, sendOne)]);
  expect(deadSends()).toBe(1);
  expect(auth.exchanges).toBe(2);
});
