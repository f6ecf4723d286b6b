/** The authentication origin, and what the API does with its tokens. */
import { COMPANY_HEADER, DEFAULT_CREDENTIALS } from './defaults';
import { RawClient, send } from './raw-client';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});

beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
});

afterAll(() => client.close());

const violations = async () => (await client.control.violations()).map(({ what }) => what);
const fieldsStatus = async () => (await client.api('GET', client.dm('/fields'))).status;
const refresh = (token: string) =>
  client.form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token });

function authorize(parameters: Record<string, string>) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: DEFAULT_CREDENTIALS.clientId,
    redirect_uri: 'http://127.0.0.1:9/callback',
    ...parameters,
  });
  return send('GET', `${client.sandbox.authUrl}/oauth/authorize?${query}`);
}

describe('client_credentials', () => {
  test('it answers a bearer token without a refresh token', async () => {
    const { status, json } = await client.signIn();
    expect(status).toBe(200);
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: expect.any(Number),
      created_at: expect.any(Number),
    });
    expect(await fieldsStatus()).toBe(200);
  });

  test('expires_in tells the lifetime, which the clock shortens', async () => {
    await client.control.configure({ timeScale: 60 });
    expect((await client.signIn()).json.expires_in).toBe(90);
  });

  test.each([
    ['a wrong secret', { grant_type: 'client_credentials', client_secret: 'x' }, 401, 'invalid_client'],
    ['an unknown grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('%s is refused as RFC 6749 says', async (_, fields, status, error) => {
    const answer = await client.form('/oauth/token', fields as Record<string, string>);
    expect([answer.status, answer.json.error]).toEqual([status, error]);
    expect(answer.json.error_description).toEqual(expect.any(String));
  });

  test('a JSON body is refused, multipart form data is read', async () => {
    const url = `${client.sandbox.authUrl}/oauth/token`;
    const { clientId, clientSecret } = DEFAULT_CREDENTIALS;
    const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const json = await send('POST', url, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
    expect([json.status, json.json.error]).toEqual([400, 'invalid_request']);
    const body = Object.entries(fields)
      .map(([name, value]) => `--b0\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('');
    const headers = { 'content-type': 'multipart/form-data; boundary=b0' };
    expect((await send('POST', url, { headers, body: `${body}--b0--\r\n` })).status).toBe(200);
  });
});

describe('authorization_code', () => {
  test('a code comes back with the state, and is good for one use', async () => {
    const { status, headers } = await authorize({ state: 'abc123' });
    expect(status).toBe(302);
    const location = new URL(String(headers.location));
    expect(location.searchParams.get('state')).toBe('abc123');
    const fields = {
      grant_type: 'authorization_code',
      code: location.searchParams.get('code') ?? '',
      redirect_uri: 'http://127.0.0.1:9/callback',
    };
    const tokens = await client.form('/oauth/token', fields);
    expect(tokens.json).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
    });
    const again = await client.form('/oauth/token', fields);
    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant']);
    expect(await violations()).toEqual(['code-reused']);
  });

  test('out of band, a page shows the code', async () => {
    const redirect_uri = 'urn:ietf:wg:oauth:2.0:oob';
    const page = await authorize({ redirect_uri });
    expect(page.headers['content-type']).toContain('text/html');
    const code = /<pre>(.*)<\/pre>/.exec(page.text)?.[1] ?? '';
    const tokens = await client.form('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
    });
    expect(tokens.status).toBe(200);
  });

  test('another redirect_uri than the code was made for is refused', async () => {
    const code = new URL(String((await authorize({})).headers.location)).searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, redirect_uri: 'https://elsewhere.example/' };
    expect((await client.form('/oauth/token', fields)).json.error).toBe('invalid_grant');
  });

  test('a code ends after ten minutes', async () => {
    await client.control.configure({ timeScale: 100_000 });
    const code = new URL(String((await authorize({})).headers.location)).searchParams.get('code') ?? '';
    await new Promise(resolve => setTimeout(resolve, 10));
    const fields = { grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1:9/callback' };
    expect((await client.form('/oauth/token', fields)).json.error).toBe('invalid_grant');
  });

  test.each([
    [{ client_id: 'somebody' }, 401],
    [{ redirect_uri: 'http://elsewhere.example/' }, 400],
  ])('%j is refused without a redirect', async (parameters, status) => {
    expect((await authorize(parameters as Record<string, string>)).status).toBe(status);
  });
});

describe('refresh_token', () => {
  test('each refresh gives a new pair, and the old refresh token is used up', async () => {
    const first = await client.control.login();
    const second = (await refresh(first.refreshToken)).json;
    expect(second.refresh_token).not.toBe(first.refreshToken);
    const again = await refresh(first.refreshToken);
    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant']);
    expect(await violations()).toEqual(['refresh-token-reused']);
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  test('a second use can revoke the whole login', async () => {
    await client.control.configure({ reuseRevokesLogin: true });
    const first = await client.control.login();
    const second = (await refresh(first.refreshToken)).json;
    await refresh(first.refreshToken);
    client.token = second.access_token;
    expect(await fieldsStatus()).toBe(401);
    expect((await refresh(second.refresh_token)).status).toBe(400);
  });

  test('a refresh whose answer is lost has consumed the token all the same', async () => {
    const { refreshToken } = await client.control.login();
    await client.control.addFault({ route: 'oauth.token', action: { kind: 'reply-lost' } });
    await expect(refresh(refreshToken)).rejects.toThrow(/other side closed|ECONNRESET|fetch failed/);
    expect((await refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('of two refreshes at once with one token, one wins', async () => {
    const { refreshToken } = await client.control.login();
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('info and revoke', () => {
  test('info describes the token', async () => {
    const headers = { authorization: `Bearer ${client.token}` };
    const answer = await send('GET', `${client.sandbox.authUrl}/oauth/token/info`, { headers });
    expect(answer.json).toEqual({
      resource_owner_id: 9900,
      scopes: [],
      expires_in_seconds: expect.any(Number),
      application: { uid: DEFAULT_CREDENTIALS.clientId },
      created_at: expect.any(Number),
    });
  });

  test('revoking ends access and refresh token; an unknown token is 200 too', async () => {
    const { accessToken, refreshToken } = await client.control.login();
    expect((await client.form('/oauth/revoke', { token: accessToken })).status).toBe(200);
    client.token = accessToken;
    expect(await fieldsStatus()).toBe(401);
    expect((await refresh(refreshToken)).status).toBe(400);
    expect((await client.form('/oauth/revoke', { token: 'unknown' })).status).toBe(200);
  });
});

describe('the API', () => {
  test.each([
    ['no token', undefined],
    ['a wrong token', 'Bearer nonsense'],
    ['another scheme', 'Basic abc'],
  ])('%s is 401 INVALID_TOKEN', async (_, authorization) => {
    const headers = { [COMPANY_HEADER]: '5001', ...(authorization === undefined ? {} : { authorization }) };
    const answer = await send('GET', `${client.sandbox.apiUrl}${client.dm('/fields')}`, { headers });
    expect([answer.status, answer.json.error.details[0].reason_code]).toEqual([401, 'INVALID_TOKEN']);
  });

  test('a refresh token is no access token', async () => {
    client.token = (await client.control.login()).refreshToken;
    expect(await fieldsStatus()).toBe(401);
  });

  test('an expired token is 401, a new one is not', async () => {
    await client.control.expireTokens();
    expect(await fieldsStatus()).toBe(401);
    await client.signIn();
    expect(await fieldsStatus()).toBe(200);
  });

  test('a token ends by itself when its lifetime is over', async () => {
    await client.control.configure({ tokenLifetimeSeconds: 20 });
    await client.signIn();
    await client.until(async () => (await fieldsStatus()) === 401);
  });

  test.each([
    '/rest/v1.0/projects/7001/users',
    '/rest/v2.1/companies/5001/uploads/01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ])('without the company header %s is 400', async path => {
    const headers = { authorization: `Bearer ${client.token}` };
    const answer = await send('GET', `${client.sandbox.apiUrl}${path}`, { headers });
    expect(answer.status).toBe(400);
    expect(await violations()).toEqual(['missing-company-header']);
  });

  test('another company than the path names is 403', async () => {
    const answer = await client.api('GET', client.dm('/fields'), undefined, { [COMPANY_HEADER]: '1' });
    expect(answer.status).toBe(403);
  });

  test('a body that does not say it is JSON is 415, one that is not JSON is 400', async () => {
    const path = client.dm('/document_uploads');
    expect((await client.api('POST', path, {}, { 'content-type': 'text/plain' })).status).toBe(415);
    const headers = {
      authorization: `Bearer ${client.token}`,
      [COMPANY_HEADER]: '5001',
      'content-type': 'application/json',
    };
    const answer = await send('POST', `${client.sandbox.apiUrl}${path}`, { headers, body: '{"uploads":' });
    expect(answer.status).toBe(400);
  });

  test('a path that nobody knows is 404 and recorded', async () => {
    expect((await client.api('GET', '/rest/v9/nothing')).status).toBe(404);
    expect(await violations()).toEqual(['unknown-route']);
  });

  test('no secret is in the log', async () => {
    const { accessToken, refreshToken } = await client.control.login();
    await refresh(refreshToken);
    const log = JSON.stringify([await client.control.operations(), await client.control.tokens()]);
    for (const secret of [accessToken, refreshToken, client.token, DEFAULT_CREDENTIALS.clientSecret]) {
      expect(log).not.toContain(secret);
    }
  });
});
