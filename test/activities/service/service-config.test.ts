import { Secret } from '../../../activities/service/secret';
import {
  completeServiceConfig,
  isLoopbackHost,
  type ServiceOptions,
} from '../../../activities/service/service-config';
import { errorOf } from './client-bed';

const options: ServiceOptions = {
  baseUrl: 'https://api.example',
  authUrl: 'https://login.example',
  clientId: 'client-1',
  clientSecret: new Secret('canary'),
};
const complete = async (more: Partial<ServiceOptions>) => completeServiceConfig({ ...options, ...more });

test('fills in what need not be said', async () => {
  expect(await complete({ timeouts: { totalMs: 5_000 } })).toMatchObject({
    companyHeader: 'Service-Company-Id',
    grant: 'client_credentials',
    timeouts: { headersMs: 30_000, bodyMs: 30_000, totalMs: 5_000 },
    maxResponseBytes: 5_000_000,
    maxWaitMs: 15_000,
  });
});

test('names every fault at once and no value', async () => {
  const error = await errorOf(
    complete({
      baseUrl: 'http://api.example',
      authUrl: 'nonsense',
      clientId: 'ünicode',
      clientSecret: new Secret(''),
      companyHeader: 'a b',
      connections: 0,
    }),
  );
  expect(error).toMatchObject({ code: 'MISCONFIGURED', effect: 'not-sent' });
  for (const key of ['baseUrl', 'authUrl', 'clientId', 'clientSecret', 'companyHeader', 'connections']) {
    expect(error.message).toContain(key);
  }
  expect(error.message).not.toMatch(/canary|ünicode|nonsense/);
});

test.each([
  ['http://127.0.0.1:8080', true, true],
  ['http://localhost:8080', true, true],
  ['http://[::1]:8080', true, true],
  ['http://127.0.0.1:8080', false, false],
  ['http://127.0.0.1.example', true, false],
  ['http://10.0.0.1', true, false],
  ['https://user:pw@api.example', true, false],
  ['https://api.example?x=1', true, false],
  ['ftp://api.example', true, false],
])('%s with loopback %p is allowed: %p', async (baseUrl, allowInsecureLoopback, isAllowed) => {
  const work = complete({ baseUrl, allowInsecureLoopback });
  if (isAllowed) await expect(work).resolves.toMatchObject({ baseUrl });
  else await expect(work).rejects.toMatchObject({ code: 'MISCONFIGURED' });
});

test.each([
  ['127.9.9.9', true],
  ['localhost', true],
  ['[::1]', true],
  ['127.0.0.1.nip.example', false],
  ['::2', false],
])('%s means this machine: %p', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
