// Signing in and out at the stand-in service, as a person does it: the command, the
// browser's redirects, the pasted code.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { request } from 'undici';
import { main } from '../../../client/main';
import { SandboxControl } from '../../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { usePrinted } from '../../setup/printed';
import { testTemporal } from '../../setup/temporal';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
let sandbox: Sandbox;
let control: SandboxControl;
const printed = usePrinted();

beforeAll(async () => {
  sandbox = await startSandbox({ settings: { limits: null } });
  control = new SandboxControl(sandbox.controlUrl);
  process.env.DRAWBRIDGE_CLIENT_SECRET = DEFAULT_CREDENTIALS.clientSecret;
  process.env.TEMPORAL_ADDRESS = testTemporal().address;
});
afterAll(async () => {
  delete process.env.DRAWBRIDGE_CLIENT_SECRET;
  delete process.env.TEMPORAL_ADDRESS;
  await sandbox.close();
});

beforeEach(async () => {
  await control.reset();
});

function run(service: Record<string, unknown>, ...args: string[]): Promise<number> {
  const path = join(folder(), 'drawbridge.json');
  const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
  writeFileSync(
    path,
    JSON.stringify({
      service: {
        environment: 'sandbox',
        baseUrl: sandbox.apiUrl,
        authUrl: sandbox.authUrl,
        clientId: DEFAULT_CREDENTIALS.clientId,
        grant: 'refresh_token',
        allowInsecureLoopback: true,
        ...service,
      },
      shares: [{ name: 'tender', folder: join(folder(), 'share'), project }],
    }),
  );
  return main(['--data-dir', folder(), '--config', path, ...args], 'drawbridge');
}

/** The page that the command asks to be opened. */
async function authorizePage(): Promise<URL> {
  for (;;) {
    const address = /^ {2}(http\S+\/oauth\/authorize\S+)$/m.exec(printed.text)?.[1];
    if (address !== undefined && /Waiting|paste the code/.test(printed.text)) return new URL(address);
    await printed.more();
  }
}

/** As a browser: opens the page, grants, and follows the redirect back. */
async function grantInBrowser(page: URL): Promise<{ status: number; text: string; location: string }> {
  const granted = await request(page);
  await granted.body.dump();
  const location = String(granted.headers.location);
  const back = await request(location);
  return { status: back.statusCode, text: await back.body.text(), location };
}

function tokenFiles(environment = 'sandbox'): string[] {
  const root = join(folder(), 'state', 'tokens', environment);
  return readdirSync(root)
    .filter(name => name.endsWith('.json'))
    .map(name => join(root, name));
}

async function signIn(): Promise<void> {
  printed.clear();
  const running = run({}, 'login');
  await grantInBrowser(await authorizePage());
  expect(await running).toBe(0);
}

function storedSecrets(): string[] {
  const record = JSON.parse(readFileSync(tokenFiles()[0]!, 'utf8')) as Record<string, string | null>;
  return [record.accessToken, record.refreshToken].filter(token => typeof token === 'string');
}

describe('login in the browser', () => {
  test('asks for a code that nobody else can use, another one each time', async () => {
    const running = run({}, 'login');
    const page = await authorizePage();
    const granted = await request(page);
    await granted.body.dump();
    const location = new URL(String(granted.headers.location));
    // Somebody who read the code on its way has everything but the verifier.
    const stolen = await request(`${sandbox.authUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: DEFAULT_CREDENTIALS.clientId,
        client_secret: DEFAULT_CREDENTIALS.clientSecret,
        code: location.searchParams.get('code') ?? '',
        redirect_uri: page.searchParams.get('redirect_uri') ?? '',
      }).toString(),
    });
    expect(await stolen.body.json()).toMatchObject({ error: 'invalid_grant' });
    await (await request(location)).body.dump();
    expect(await running).toBe(0);
    const challenge = page.searchParams.get('code_challenge');
    printed.clear();
    const again = run({}, 'login');
    const second = await authorizePage();
    expect(second.searchParams.get('code_challenge')).not.toBe(challenge);
    await grantInBrowser(second);
    expect(await again).toBe(0);
  });

  test('stores the tokens for this user only and shows none of them', async () => {
    const running = run({}, 'login');
    const page = await authorizePage();
    expect(page.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(page.searchParams.get('state')).toMatch(/^[0-9a-f]{48}$/);
    expect(page.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(page.searchParams.get('code_challenge_method')).toBe('S256');
    const back = await grantInBrowser(page);
    expect([back.status, back.text]).toEqual([200, expect.stringContaining('Signed in')]);
    expect(await running).toBe(0);
    expect(printed.text).toContain('Signed in to sandbox');
    const [file = ''] = tokenFiles();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    const code = new URL(back.location).searchParams.get('code')!;
    for (const secret of [...storedSecrets(), code, DEFAULT_CREDENTIALS.clientSecret]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(printed.text).not.toContain(secret);
    }
    await expect(request(back.location)).rejects.toThrow(/ECONNREFUSED/);
  });

  test('takes no answer with another state, path, method or host, and goes on waiting', async () => {
    const running = run({}, 'login');
    const page = await authorizePage();
    const redirect = page.searchParams.get('redirect_uri')!;
    const state = page.searchParams.get('state')!;
    const status = async (url: string, init = {}) => {
      const answer = await request(url, init);
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await status(`${redirect}?code=evil&state=${'0'.repeat(48)}`)).toBe(400);
    expect(await status(`${redirect}?code=evil`)).toBe(400);
    expect(await status(`${redirect.replace('/callback', '/')}?code=evil&state=${state}`)).toBe(400);
    expect(await status(`${redirect}?code=evil&state=${state}`, { method: 'POST' })).toBe(400);
    expect(
      await status(`${redirect}?code=evil&state=${state}`, { headers: { host: 'evil.example:80' } }),
    ).toBe(400);
    await grantInBrowser(page);
    expect(await running).toBe(0);
    expect(await control.requests()).toMatchObject({ 'oauth.token': 1 });
  });

  test('ends with the reason when access is not granted', async () => {
    const running = run({}, 'login');
    const page = await authorizePage();
    page.searchParams.set('response_type', 'token');
    await grantInBrowser(page);
    expect(await running).toBe(1);
    expect(printed.text).toContain('Access was not granted (unsupported_response_type)');
  });

  test('says so when the code is refused', async () => {
    const running = run({}, 'login');
    const page = await authorizePage();
    const state = page.searchParams.get('state')!;
    const answer = await request(`${page.searchParams.get('redirect_uri')}?code=stale&state=${state}`);
    await answer.body.dump();
    expect(await running).toBe(1);
    expect(printed.text).toContain('the authorization code was refused');
    expect(printed.text).not.toContain('stale');
  });
});

describe('login with a pasted code', () => {
  test('takes the code that the service shows', async () => {
    const input = new PassThrough();
    jest.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin);
    const running = run({}, 'login', '--paste');
    const page = await authorizePage();
    expect(page.searchParams.get('redirect_uri')).toBe('urn:ietf:wg:oauth:2.0:oob');
    const shown = await request(page);
    const code = /<pre>([^<]+)<\/pre>/.exec(await shown.body.text())![1]!;
    input.write(`  ${code} \n`);
    expect(await running).toBe(0);
    expect(printed.text).not.toContain(code);
    expect(tokenFiles()).toHaveLength(1);
  });

  test.each([['two words'], ['http://127.0.0.1/callback?code=x&state=y'], ['']])(
    '"%s" is no code, and nothing is asked with it',
    async text => {
      const input = new PassThrough();
      jest.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin);
      const running = run({}, 'login', '--paste');
      await authorizePage();
      input.end(text === '' ? '' : `${text}\n`);
      expect(await running).toBe(1);
      expect(printed.text).toContain('no authorization code');
      expect(await control.requests()).not.toHaveProperty('oauth.token');
    },
  );
});

describe('a service account', () => {
  test('needs no login; its credentials are tried', async () => {
    expect(await run({ grant: 'client_credentials' }, 'login')).toBe(0);
    expect(printed.text).toContain('signs in by itself');
  });

  test('with wrong credentials is told so, without them', async () => {
    process.env.DRAWBRIDGE_CLIENT_SECRET = 'wrong-secret-canary';
    try {
      expect(await run({ grant: 'client_credentials' }, 'login')).toBe(1);
    } finally {
      process.env.DRAWBRIDGE_CLIENT_SECRET = DEFAULT_CREDENTIALS.clientSecret;
    }
    expect(printed.text).toContain('the client credentials were refused');
    expect(printed.text).not.toContain('wrong-secret-canary');
  });
});

describe('whoami', () => {
  test('shows who and where', async () => {
    await signIn();
    printed.clear();
    expect(await run({}, 'whoami', '--json')).toBe(0);
    expect(JSON.parse(printed.text)).toMatchObject({
      environment: 'sandbox',
      service: sandbox.apiUrl,
      kind: 'a person',
      user: 'Ada Ashby, id 9001',
      expires: expect.stringMatching(/^for \d+ more minutes/),
    });
    printed.clear();
    expect(await run({}, 'whoami')).toBe(0);
    expect(printed.text).toMatch(/User\s+Ada Ashby, id 9001/);
    for (const secret of storedSecrets()) expect(printed.text).not.toContain(secret);
  });

  test('says what to do when nobody is signed in', async () => {
    expect(await run({}, 'whoami')).toBe(1);
    expect(printed.text).toMatch(/Nobody is signed in.*"login"/);
  });
});

describe('logout', () => {
  test('ends the login at the service and removes the tokens here', async () => {
    await signIn();
    const secrets = storedSecrets();
    expect(secrets).toHaveLength(2);
    expect(await run({}, 'logout')).toBe(0);
    const content = readFileSync(tokenFiles()[0]!, 'utf8');
    for (const secret of secrets) expect(content).not.toContain(secret);
    const headers = { authorization: `Bearer ${secrets[0]}` };
    const info = await request(`${sandbox.authUrl}/oauth/token/info`, { headers });
    await info.body.dump();
    expect(info.statusCode).toBe(401);
    expect(await run({}, 'whoami')).toBe(1);
    expect(printed.text).toContain('signed out');
    expect(await run({}, 'logout')).toBe(0);
    expect(printed.text).toContain('Nobody was signed in');
    await signIn();
    expect(storedSecrets()).toHaveLength(2);
  });

  test('keeps the tokens when the service cannot be told, unless forced', async () => {
    await signIn();
    const secrets = storedSecrets();
    await control.addFault({
      route: 'oauth.revoke',
      action: { kind: 'status', status: 503, body: {} },
      times: 2,
    });
    expect(await run({}, 'logout')).toBe(1);
    expect(printed.text).toContain('Try again later');
    expect(storedSecrets()).toEqual(secrets);
    expect(await run({}, 'logout', '--force')).toBe(0);
    expect(printed.text).toContain('stay valid there until they expire');
    expect(storedSecrets()).toEqual([]);
  });
});

test('one client id cannot be two environments', async () => {
  await signIn();
  expect(await run({ environment: 'production' }, 'whoami')).toBe(2);
  expect(printed.text).toContain('is in use as environment "sandbox"');
  expect(await control.requests()).not.toHaveProperty('users.show');
});

test('without a service there is nothing to sign in to', async () => {
  const path = join(folder(), 'none.json');
  writeFileSync(path, '{}');
  expect(await main(['--config', path, 'login'], 'drawbridge')).toBe(2);
  expect(printed.text).toContain('No service is configured');
});
