// Answers as a service, a gateway or a network may spoil them: status, headers, body, and what they quote.
import { gzipSync } from 'node:zlib';
import { type Dice, type Json, nest, spoilBytes, spoilJson, toText } from './bad-input-mutate';
import { type AnyEndpoint, sampleOf } from './bad-input-samples';

export const TOKEN = 'canary-answer-token-2b77';
export const SECRET = 'canary-answer-secret-90ae';
export const SIGNATURE = 'canary-answer-signature-31fd';
const STATUSES = [
  200, 200, 200, 201, 204, 207, 301, 302, 400, 401, 403, 404, 405, 408, 409, 410, 413, 418, 422, 422, 429,
  500, 502, 503, 504,
];

export interface Spoiled {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Cut the connection after this many bytes of the body. */
  readonly cutAt?: number | undefined;
}

/** An answer of the endpoint, a good one or a refusal, with something wrong. */
export function spoilAnswer(dice: Dice, endpoint: AnyEndpoint, turn: number): Spoiled {
  const status = dice.below(2) === 0 ? dice.pick(endpoint.success) : dice.pick(STATUSES);
  const isGood = endpoint.success.includes(status);
  const isLarge = turn % 40 === 0;
  const value = isGood
    ? spoilJson(dice, sampleOf(endpoint, dice), isLarge)
    : spoilJson(dice, refusal(dice), isLarge);
  const text = Buffer.from(toText(value));
  const body = dice.below(4) === 0 ? spoilBytes(dice, text) : text;
  return {
    ...spoilForm(dice, body, turn),
    status,
  };
}

/** The body's outside: type, encoding, length, a page instead of JSON. */
function spoilForm(dice: Dice, body: Buffer, turn: number): Omit<Spoiled, 'status'> {
  const json = { 'content-type': 'application/json' };
  const retryAfter = {
    'retry-after': dice.pick([
      '-1',
      '0',
      'soon',
      '1e9',
      '99999999999',
      'Wed, 21 Oct 2099 07:28:00 GMT',
      'Thu, 01 Jan 1970 00:00:00 GMT',
      '1',
    ]),
  };
  switch (dice.below(14)) {
    case 0:
      return {
        headers: { 'content-type': 'text/html' },
        body: Buffer.from(`<html>${SECRET} Bearer ${TOKEN}</html>`),
      };
    case 1:
      return { headers: {}, body };
    case 2:
      return {
        headers: {
          'content-type': dice.pick([
            'text/plain',
            'application/problem+json',
            'application/xml',
            ';;;',
            'application/json; charset=latin1',
          ]),
        },
        body,
      };
    case 3:
      return {
        headers: { ...json, 'content-encoding': 'gzip' },
        body: turn % 10 === 0 ? gzipSync(Buffer.alloc(30_000_000)) : gzipSync(body),
      };
    case 4:
      return { headers: json, body, cutAt: dice.below(Math.max(1, body.length)) };
    case 5:
      return turn % 20 === 0
        ? { headers: json, body: Buffer.alloc(6_000_000, 0x20) }
        : { headers: json, body };
    case 6:
      return { headers: json, body: Buffer.from(turn % 10 === 0 ? toText(nest(30_000, true)) : '') };
    case 7:
    case 8:
      return { headers: { ...json, ...retryAfter }, body };
    case 9:
      return { headers: { ...json, ...spoilPaging(dice) }, body };
    default:
      return { headers: json, body };
  }
}

/** Headers of lists and limits that lead astray. */
export function spoilPaging(dice: Dice): Readonly<Record<string, string>> {
  return {
    link: dice.pick([
      '<http://127.0.0.1:1/elsewhere?page=2>; rel="next"',
      '<>; rel=next',
      '<?page=2>; rel="next"',
      ',,,',
      '</x',
      '<http://[>; rel="next"',
      'x'.repeat(5_000),
    ]),
    total: dice.pick(['-1', '99999999999999999999', 'many', '3', 'NaN']),
    'x-rate-limit-remaining': dice.pick(['', '-5', 'none', '100']),
    'x-rate-limit-reset': dice.pick(['0', 'soon', '-1']),
    'x-request-id': dice.pick([`Bearer ${TOKEN}`, 'a', 'x'.repeat(4_000)]),
  };
}

/** An error of the service as it might be, quoting what it should not. */
function refusal(dice: Dice): Json {
  const quoted = dice.pick([
    'no',
    `Bearer ${TOKEN} is wrong`,
    `client_secret=${SECRET}`,
    `see https://storage.example.com/a?X-Signature=${SIGNATURE}`,
    `https://storage.example.com/a?${'p=1&'.repeat(1_600)}sig=${SIGNATURE} and ${TOKEN}`,
    `{"access_token":"${TOKEN}"}`,
    `https://storage.example.com/a?${'p'.repeat(5_930 + dice.below(50))} ${TOKEN}`,
  ]);
  const detail = (): Json => ({
    reason_code: dice.pick([
      'INVALID_PROPERTY',
      'WORKFLOW_CONFLICT',
      'INVALID_TOKEN',
      'NEW_CODE',
      'UPLOAD_NOT_FOUND',
      TOKEN,
    ]),
    message: quoted,
    source: dice.pick(['01JABCDEFGHJKMNPQRSTVWXYZ0', quoted]),
    document_container_id: 'c',
    existing_revisions_with_workflows: Array.from({ length: dice.pick([1, 30]) }, () => ({
      id: 'r',
      name: 'n'.repeat(300),
      revision: quoted,
      status: 'x'.repeat(300),
      assigned_workflow: 'w'.repeat(300),
    })),
  });
  return dice.pick<Json>([
    {
      error: {
        code: 'VALIDATION_ERROR',
        message: quoted,
        details: Array.from({ length: dice.pick([1, 3, 120]) }, detail),
      },
    },
    { errors: { field: [quoted] } },
    { errors: Array.from({ length: dice.pick([1, 900]) }, () => quoted) },
    { error: quoted },
    { message: quoted },
    { reason: quoted },
  ]);
}
