// What the config file says of the document service: where it is, how we sign in, how patient we are.
import { z } from 'zod';
import { duration, secretReference, size, webAddress } from './config-values';

export const serviceSection = z
  .strictObject({
    environment: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a short name such as "sandbox" or "production"')
      .default('production')
      .describe('Keeps the tokens of separate environments apart.'),
    baseUrl: webAddress.describe('The address of the API.'),
    authUrl: webAddress.describe('The address of the authentication service of the same environment.'),
    companyHeader: z
      .string()
      .regex(
        /^(?!(?:accept|authorization|connection|content-.*|cookie|host|transfer-encoding)$)[A-Za-z][A-Za-z0-9-]{0,63}$/i,
        'a header name such as "Service-Company-Id", none that requests carry anyway',
      )
      .default('Service-Company-Id')
      .describe('The header that names the company on every request.'),
    clientId: z.string().regex(/^[\x21-\x7e]{1,500}$/, '1 to 500 visible characters without blanks'),
    clientSecret: secretReference.default({ env: 'DRAWBRIDGE_CLIENT_SECRET' }),
    grant: z
      .enum(['client_credentials', 'refresh_token'])
      .default('client_credentials')
      .describe('client_credentials: a service account. refresh_token: a person has signed in.'),
    refreshToken: secretReference
      .optional()
      .describe('With the grant refresh_token: the first refresh token, used once and then never again.'),
    tokenKey: secretReference
      .optional()
      .describe('32 bytes, as 64 hexadecimal digits or base64: tokens on disk are encrypted with it.'),
    timeouts: z
      .strictObject({
        headers: duration('100ms', '15m').default(30_000),
        body: duration('100ms', '15m').default(30_000),
        total: duration('1s', '30m').default(60_000),
      })
      .prefault({}),
    maxAnswerBytes: size('64KiB', '64MiB').default(5_000_000),
    connections: z
      .number()
      .int()
      .min(1)
      .max(64)
      .default(16)
      .describe('Requests under way at once, per address.'),
    rateShare: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .describe(
        'The part of the rate limit that Drawbridge may use; the rest is for people and other programs. Processes and hosts share it out by themselves.',
      ),
    caBundle: z.string().min(1).optional().describe('A PEM file with further certificate authorities.'),
    allowInsecureLoopback: z
      .boolean()
      .default(false)
      .describe('Allows http:// to this machine itself, for the stand-in service.'),
    allowPrivateStorage: z
      .boolean()
      .default(false)
      .describe('Allows storage addresses that lead into a private network; otherwise public ones only.'),
  })
  .describe('The document service. Left out, `run` starts the stand-in service.');

export type ServiceSettings = z.output<typeof serviceSection>;
