// Tokens: getting, looking at and revoking them (specification, Authentication). Forms, not JSON.
import { z } from 'zod';
import type { Endpoint } from '../endpoint';
import { Secret } from '../secret';
import { wireId, wireList, wireSeconds, wireText } from './wire';

const secretText = z
  .string()
  .min(1)
  .regex(/^[\x21-\x7e]+$/)
  .transform(text => new Secret(text));

const tokenResponse = z
  .object({
    access_token: secretText,
    refresh_token: secretText.nullish(),
    // Never assumed: without it a 401 says when the token has ended. A lifetime that cannot be read counts as
    // none given: to refuse the response for it would waste the login.
    expires_in: wireSeconds.nonnegative().nullish().catch(null),
  })
  .transform(response => ({
    accessToken: response.access_token,
    refreshToken: response.refresh_token ?? null,
    lifetimeMs: typeof response.expires_in === 'number' ? response.expires_in * 1_000 : null,
  }));
export type TokenResponse = z.output<typeof tokenResponse>;

const revealed = z.custom<Secret>(value => value instanceof Secret).transform(secret => secret.reveal());
const client = { clientId: z.string().min(1), clientSecret: revealed };

const tokenBody = z
  .discriminatedUnion('grant', [
    z.strictObject({ grant: z.literal('client_credentials'), ...client }),
    z.strictObject({ grant: z.literal('refresh_token'), ...client, refreshToken: revealed }),
    z.strictObject({
      grant: z.literal('authorization_code'),
      ...client,
      code: revealed,
      redirectUri: z.string().min(1),
      codeVerifier: revealed.optional(),
    }),
  ])
  .transform(body => ({
    grant_type: body.grant,
    client_id: body.clientId,
    client_secret: body.clientSecret,
    ...(body.grant === 'refresh_token' ? { refresh_token: body.refreshToken } : {}),
    ...(body.grant === 'authorization_code' ? { code: body.code, redirect_uri: body.redirectUri } : {}),
    ...(body.grant === 'authorization_code' && body.codeVerifier !== undefined
      ? { code_verifier: body.codeVerifier }
      : {}),
  }));

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

export type TokenRequest =
  | (ClientCredentials & { readonly grant: 'client_credentials' })
  | (ClientCredentials & { readonly grant: 'refresh_token'; readonly refreshToken: Secret })
  | (ClientCredentials & {
      readonly grant: 'authorization_code';
      readonly code: Secret;
      readonly redirectUri: string;
      /**
       * What the code was asked for with (RFC 7636); a service that does not know
       * it ignores it (RFC 6749, 3.2).
       */
      readonly codeVerifier?: Secret;
    });

type NoParams = Readonly<Record<string, never>>;

/** A refresh token is used up by its first exchange, also when the response is lost. */
export const requestToken: Endpoint<NoParams, undefined, TokenRequest, TokenResponse> = {
  name: 'oauth.token',
  method: 'POST',
  origin: 'auth',
  path: '/oauth/token',
  request: tokenBody,
  requestForm: 'form',
  response: tokenResponse,
  success: [200, 201],
  repeatable: 'no',
  authorization: 'none',
};

const tokenInfo = z
  .object({
    resource_owner_id: wireId.nullish(),
    scopes: wireList(z.string()),
    expires_in_seconds: wireSeconds.nullish(),
    application: z.object({ uid: wireText }).nullish(),
    created_at: wireSeconds.nullish(),
  })
  .transform(info => ({
    resourceOwnerId: info.resource_owner_id ?? null,
    scopes: info.scopes,
    expiresInMs: typeof info.expires_in_seconds === 'number' ? info.expires_in_seconds * 1_000 : null,
    applicationId: info.application?.uid ?? null,
    createdAtMs: typeof info.created_at === 'number' ? info.created_at * 1_000 : null,
  }));
export type TokenInfo = z.output<typeof tokenInfo>;

/** Details of the token that the request carries. */
export const showTokenInfo: Endpoint<NoParams, undefined, undefined, TokenInfo> = {
  name: 'oauth.info',
  method: 'GET',
  origin: 'auth',
  path: '/oauth/token/info',
  response: tokenInfo,
  success: [200],
  repeatable: 'yes',
};

/** 200 whether or not the token was valid: it proves nothing. */
export const revokeToken: Endpoint<
  NoParams,
  undefined,
  ClientCredentials & { readonly token: Secret },
  null
> = {
  name: 'oauth.revoke',
  method: 'POST',
  origin: 'auth',
  path: '/oauth/revoke',
  request: z
    .strictObject({ ...client, token: revealed })
    .transform(body => ({ token: body.token, client_id: body.clientId, client_secret: body.clientSecret })),
  requestForm: 'form',
  response: z.null(),
  responseForm: 'ignored',
  success: [200],
  repeatable: 'yes',
  authorization: 'none',
};
