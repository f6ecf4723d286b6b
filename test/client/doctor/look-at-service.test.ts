// What is asked of the service: reads alone, and nothing is left in the state folder.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../../activities/service/secret';
import { completeServiceConfig, type ServiceConfig } from '../../../activities/service/service-config';
import { lookAtService } from '../../../client/doctor/look-at-service';
import { standInShare } from '../../../client/session/stand-in';
import { createServiceAdapters } from '../../../workers/adapters';
import { type Config, loadConfig } from '../../../workers/config/config';
import { createLogger } from '../../../workers/logging';
import { SandboxControl } from '../../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
let sandbox: Sandbox;
let control: SandboxControl;

beforeAll(async () => {
  sandbox = await startSandbox();
  control = new SandboxControl(sandbox.controlUrl);
});
afterAll(async () => await sandbox.close());
beforeEach(async () => {
  await control.reset();
});

function configured(): Config {
  const config = loadConfig({ environment: {}, workingFolder: folder() });
  return {
    ...config,
    stateDir: join(folder(), 'state'),
    tokens: { ...config.tokens, folder: join(folder(), 'state/tokens') },
  };
}

const serviceWith = (more: Partial<ServiceConfig> = {}): ServiceConfig =>
  completeServiceConfig({
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId: DEFAULT_CREDENTIALS.clientId,
    clientSecret: new Secret(DEFAULT_CREDENTIALS.clientSecret),
    allowInsecureLoopback: true,
    ...more,
  });

const shareOf = (name: string, projectId: string) => ({
  ...standInShare('/nowhere'),
  name,
  project: { companyId: DEFAULT_COMPANY_ID, projectId },
});
const tender = () => shareOf('tender', DEFAULT_PROJECTS.plain);

test('one read a project, whatever number of shares it has; no token is kept', async () => {
  const shares = [tender(), shareOf('second', DEFAULT_PROJECTS.plain), shareOf('wrong', '999999')];
  const facts = await lookAtService(configured(), serviceWith(), shares);
  expect(facts).toMatchObject({
    isStandIn: true,
    token: { value: { isFresh: true } },
    projects: [
      { shares: ['tender', 'second'], read: { value: { status: 200 } } },
      { shares: ['wrong'], read: { code: 'NOT_FOUND' } },
    ],
    hasAnswered: true,
    limits: [{ limit: expect.any(Number) }],
  });
  expect(facts.clock?.highMs).toBeGreaterThanOrEqual(facts.clock?.lowMs ?? Number.POSITIVE_INFINITY);
  expect(Object.keys(await control.requests()).sort()).toEqual(['oauth.token', 'requirements.list']);
  expect(readdirSync(folder())).toEqual([]);
});

test('a token that is stored is used, and no other is asked for', async () => {
  const config = configured();
  const logger = createLogger({ level: 'silent' });
  const adapters = createServiceAdapters(config, serviceWith(), logger);
  await adapters.tokens.current();
  await adapters.close();
  const { token } = await lookAtService(config, serviceWith(), [tender()]);
  expect(token).toMatchObject({ value: { isFresh: false, expiresAtMs: expect.any(Number) } });
  expect((await control.requests())['oauth.token']).toBe(1);
});

test('refused credentials, and a service that is away', async () => {
  const refused = await lookAtService(
    configured(),
    serviceWith({ clientSecret: new Secret('no-such-secret') }),
    [tender()],
  );
  expect(refused).toMatchObject({ token: { code: 'LOGIN_REQUIRED' }, hasAnswered: false });
  expect(refused.projects).toMatchObject([{ read: undefined }]);
  expect(JSON.stringify(refused)).not.toContain('no-such-secret');
  // Where a sign-in counts as a request it is answered all the same by another host than the API's.
  for (const authCountsAgainstLimit of [false, true]) {
    const service = serviceWith({ baseUrl: 'http://127.0.0.1:9', authCountsAgainstLimit });
    expect(await lookAtService(configured(), service, [tender()])).toMatchObject({
      token: { value: { isFresh: true } },
      projects: [{ read: { code: 'SERVICE_UNAVAILABLE' } }],
      hasAnswered: false,
      clock: undefined,
    });
  }
});

test('a login is not renewed: its refresh token is the workers’', async () => {
  const initialRefreshToken = new Secret('a-first-refresh-token');
  const service = serviceWith({ grant: 'refresh_token', initialRefreshToken });
  const { token } = await lookAtService(configured(), service, [tender()]);
  expect(token).toMatchObject({ code: 'NOT_RENEWED' });
  expect(await control.requests()).toEqual({});
  expect(existsSync(join(folder(), 'state'))).toBe(false);
});
