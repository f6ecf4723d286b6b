// What a person, or another program, does in the stand-in service beside the product: a request of its own.
import { COMPANY_HEADER, DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { type RawAnswer, send } from '../sandbox/raw-client';
import type { Sandbox } from '../sandbox/server';

/** With a token of its own, since a reset of the stand-in ends all tokens. `path`: below the version. */
export async function askService(
  { apiUrl, authUrl }: Pick<Sandbox, 'apiUrl' | 'authUrl'>,
  method: 'GET' | 'PATCH' | 'POST',
  path: string,
  body?: unknown,
): Promise<RawAnswer> {
  const { clientId, clientSecret } = DEFAULT_CREDENTIALS;
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const token = await send('POST', `${authUrl}/oauth/token`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  return await send(method, `${apiUrl}/rest/v1.0/${path}`, {
    headers: {
      authorization: `Bearer ${token.json.access_token}`,
      [COMPANY_HEADER]: DEFAULT_COMPANY_ID,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
