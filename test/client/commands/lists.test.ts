// The commands that list straight from the service: people of a project, what webhooks can be about, what
// observations ask for and change orders are made for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHook } from '../../../activities/service/endpoints/webhooks';
import { HeaderRateGate } from '../../../activities/service/rate/rate-gate';
import { Secret } from '../../../activities/service/secret';
import { ServiceClient } from '../../../activities/service/service-client';
import { completeServiceConfig } from '../../../activities/service/service-config';
import { TokenSource } from '../../../activities/service/tokens/token-source';
import { main } from '../../../client/main';
import { FakeTokenStore } from '../../activities/service/tokens/fake-token-store';
import { SandboxControl } from '../../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { usePrinted } from '../../setup/printed';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
let sandbox: Sandbox;
let control: SandboxControl;
const printed = usePrinted();

beforeAll(async () => {
  sandbox = await startSandbox({ settings: { limits: null } });
  control = new SandboxControl(sandbox.controlUrl);
  process.env.DRAWBRIDGE_CLIENT_SECRET = DEFAULT_CREDENTIALS.clientSecret;
});
afterAll(async () => {
  delete process.env.DRAWBRIDGE_CLIENT_SECRET;
  await sandbox.close();
});
beforeEach(async () => {
  await control.reset();
});

function run(...args: string[]): Promise<number> {
  return runWith({}, ...args);
}

/** As `webhooks ensure` makes it. */
async function makeHook(secret: string): Promise<string> {
  const { clientId, clientSecret } = DEFAULT_CREDENTIALS;
  const config = completeServiceConfig({
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId,
    clientSecret: new Secret(clientSecret),
    allowInsecureLoopback: true,
  });
  const tokens = new TokenSource({ config, store: new FakeTokenStore() });
  const client = new ServiceClient({ config, tokens, gate: new HeaderRateGate() });
  try {
    const { data } = await client.send(createHook, {
      params: {},
      companyId: DEFAULT_COMPANY_ID,
      body: {
        scope: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain },
        hook: {
          apiVersion: 'v2',
          namespace: 'drawbridge',
          destinationUrl: 'https://hooks.example.com/webhooks',
          destinationHeaders: { Authorization: secret },
        },
      },
    });
    return data.id;
  } finally {
    await client.close();
    await tokens.close();
  }
}

function runWith(more: object, ...args: string[]): Promise<number> {
  const path = join(folder(), 'drawbridge.json');
  const service = {
    environment: 'sandbox',
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId: DEFAULT_CREDENTIALS.clientId,
    allowInsecureLoopback: true,
  };
  const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
  const shares = [{ name: 'tender', folder: join(folder(), 'share'), project }];
  writeFileSync(path, JSON.stringify({ service, shares, ...more }));
  return main(['--data-dir', folder(), '--config', path, ...args], 'drawbridge');
}

const ofProject = ['--company', DEFAULT_COMPANY_ID, '--project', DEFAULT_PROJECTS.plain];

describe('users list', () => {
  test('shows everybody in the project of the share, with their permission templates', async () => {
    expect(await run('users', 'list')).toBe(0);
    expect(printed.text).toMatch(/^ID +NAME +E-MAIL +ACTIVE +TEMPLATE\n9001 +Ada Ashby +\S+@\S+ +yes +\S/);
    expect(printed.text.match(/^9\d{3} /gm)).toHaveLength(130);
  });

  test('as JSON gives what was read', async () => {
    expect(await run('users', 'list', '--json', ...ofProject)).toBe(0);
    const users: unknown = JSON.parse(printed.text);
    expect(users).toHaveLength(130);
    expect(users).toContainEqual(
      expect.objectContaining({
        id: '9130',
        name: 'Robin Namesake',
        permissionTemplate: { id: expect.any(String), name: expect.any(String) },
      }),
    );
  });

  test('ends with the service’s words when there is no such project', async () => {
    expect(await run('users', 'list', '--company', DEFAULT_COMPANY_ID, '--project', '7999')).toBe(1);
    expect(printed.text).toMatch(/The service refused: .*404/);
  });
});

describe('webhooks resources', () => {
  test('shows what triggers can be set on, and only the events there are', async () => {
    expect(await run('webhooks', 'resources', '--share', 'tender')).toBe(0);
    expect(printed.text).toMatch(
      /^RESOURCE +EVENTS +CATEGORY\nDocument Upload +create, update +Document Management$/m,
    );
    expect(printed.text).toMatch(/^Observation Items +create, update, delete +Quality & Safety$/m);
  });

  test('as JSON gives what was read', async () => {
    expect(await run('webhooks', 'resources', '--json', ...ofProject)).toBe(0);
    expect(JSON.parse(printed.text)).toContainEqual({
      name: 'Document Upload',
      category: 'Document Management',
      except: ['delete'],
    });
  });
});

test('observations field-sets shows what each category asks for', async () => {
  expect(await run('observations', 'field-sets', '--share', 'tender')).toBe(0);
  expect(printed.text).toMatch(/^CATEGORY +FIELD SET +REQUIRED FIELDS\n/);
  expect(printed.text).toMatch(/^Safety .*description, assignee_id$/m);
});

test('change-orders reasons shows the reasons of the company', async () => {
  expect(await run('change-orders', 'reasons', '--share', 'tender')).toBe(0);
  expect(printed.text).toMatch(/^ID +REASON +OFFERED\n/);
  expect(printed.text).toMatch(/^\d+ +Design development +yes$/m);
  expect(printed.text).toMatch(/^\d+ +Back charge +no$/m);
});

describe('webhooks deliveries', () => {
  test('shows what became of events, of one outcome when asked for', async () => {
    const secret = 'canary-webhook-secret';
    process.env.DRAWBRIDGE_HOOKS = secret;
    const webhooks = {
      secret: { env: 'DRAWBRIDGE_HOOKS' },
      destinationUrl: 'https://hooks.example.com/webhooks',
      scopes: [{ companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain }],
    };
    try {
      const hookId = await makeHook(secret);
      await control.deliver(hookId, { event: { id: 11 }, outcome: 'ok' });
      await control.deliver(hookId, { event: { id: 12 }, outcome: 'failed' });
      expect(await runWith({ webhooks }, 'webhooks', 'deliveries', '--status', 'failing')).toBe(0);
      expect(printed.text).toMatch(/^WHEN +EVENT +WHAT +OUTCOME +STATUS +TROUBLE\n\S+ +12 /);
      expect(printed.text).not.toMatch(/ 11 /);
      printed.clear();
      expect(await runWith({ webhooks }, 'webhooks', 'deliveries', '--json')).toBe(0);
      const events = (JSON.parse(printed.text) as { eventId: string }[]).map(({ eventId }) => eventId);
      expect(events).toEqual(['12', '11']);
      expect(printed.text).not.toContain(secret);
    } finally {
      delete process.env.DRAWBRIDGE_HOOKS;
    }
  });

  test('says what is missing where no webhooks are configured', async () => {
    expect(await run('webhooks', 'deliveries', '--status', 'failing')).toBe(2);
    expect(printed.text).toContain('No webhooks are configured');
  });

  test('takes only the outcomes there are', async () => {
    expect(await run('webhooks', 'deliveries', '--status', 'lost')).toBe(2);
    expect(await control.requests()).toEqual({});
  });
});

test.each([
  ['users', 'list', 'users.list', /^9001 +Ada Ashby/m],
  ['change-orders', 'reasons', 'changeReasons.list', /Design development/],
])(
  '%s %s waits out a spent limit and says so, instead of ending at it',
  async (group, name, route, shown) => {
    await control.addFault({ route, action: { kind: 'rate-limited', seconds: 1 } });
    expect(await run(group, name, '--share', 'tender')).toBe(0);
    expect(printed.text).toMatch(/^The rate limit is spent; goes on in \d+ s \(Ctrl-C ends\)\.\n/);
    expect(printed.text).toMatch(shown);
    expect((await control.requests())[route]).toBe(2);
  },
);

test.each([
  ['users', 'list'],
  ['change-orders', 'reasons'],
  ['observations', 'field-sets'],
  ['webhooks', 'resources'],
])('%s %s asks nothing before the project is known', async (group, name) => {
  expect(await run(group, name, '--share', 'other')).toBe(2);
  expect(printed.text).toContain('There is no share "other"');
  expect(await control.requests()).toEqual({});
});
