// Line items that are there already, beside those that are wanted.
import { putLineItems } from '../../../activities/change-orders/change-order-lines';
import type { PutLinesInput } from '../../../activities/change-orders/change-orders-api';
import { NotYetError } from '../../../activities/scope/not-yet';
import type { Sender } from '../../../activities/service/service-client';

const LISTED = {
  id: 640_001,
  origin_id: 'CO-14/p1/l1',
  description: 'Bored piles\nB\u00fcro',
  amount: '5.00',
  uom: 'm\u00b2',
};
const WANTED = { description: 'Bored piles\r\nBu\u0308ro', amount: '5', unit: 'm\u00b2' };

/** The names of what was asked, and how the line item ended. `listed`: what the list shows. */
async function put(
  fields: object,
  {
    listed = [LISTED],
    attempt = 1,
    lastDetails,
    asked: asking = { runId: 'run-1' },
    sinceMs = Number.POSITIVE_INFINITY,
  }: {
    listed?: readonly object[];
    attempt?: number;
    lastDetails?: object;
    asked?: PutLinesInput['asked'];
    sinceMs?: number;
  } = {},
): Promise<readonly string[]> {
  const asked: string[] = [];
  const client: Sender = {
    send: async endpoint => {
      asked.push(endpoint.name);
      const answer = endpoint.name === 'lineItems.list' ? listed : LISTED;
      return { data: endpoint.response.parse(answer), status: 200 } as never;
    },
  };
  const project = { companyId: '5001', projectId: '7001' };
  const lines = [{ originId: LISTED.origin_id, fields: { ...WANTED, ...fields } }];
  const input = { project, contractId: '6001', potentialId: '630001', lines, asked: asking };
  const scope = {
    signal: new AbortController().signal,
    attempt,
    lastDetails,
    report: () => undefined,
    comeBack: (): never => {
      throw new NotYetError('later', 0);
    },
  };
  const sinceRunBefore = async () => sinceMs;
  const answer = await putLineItems(client, input, scope, { sinceRunBefore }).catch((error: unknown) => {
    if (!(error instanceof NotYetError)) throw error;
    return { lines: [{ kind: 'looked for again' }] };
  });
  return [...asked, ...answer.lines.map(({ kind }) => kind)];
}

test.each<[string, object, readonly string[]]>([
  ['says the same, whatever the service made of line ends and letters', {}, ['lineItems.list', 'found']],
  ['says the same, with space around its unit', { unit: ' m\u00b2' }, ['lineItems.list', 'found']],
  ['says otherwise', { description: 'Cranes' }, ['lineItems.list', 'lineItems.update', 'changed']],
  ['has another unit', { unit: 'm' }, ['lineItems.list', 'lineItems.update', 'changed']],
])('one that %s', async (_, fields, expected) => {
  expect(await put(fields)).toEqual(expected);
});

test('one that may have been made already is looked for twice before it is made again', async () => {
  expect(await put({}, { listed: [], attempt: 2 })).toEqual(['lineItems.list', 'looked for again']);
  const later = { listed: [], attempt: 2, lastDetails: { lookedIn: 2 } };
  expect(await put({}, later)).toEqual(['lineItems.list', 'lineItems.create', 'made']);
  expect(await put({}, { attempt: 2 })).toEqual(['lineItems.list', 'found']);
  const reset = { listed: [], asked: { runId: 'run-1', afterReset: true } } as const;
  expect(await put({}, reset)).toEqual(['lineItems.list', 'looked for again']);
  expect(await put({}, { listed: [] })).toEqual(['lineItems.list', 'lineItems.create', 'made']);
  const next = { listed: [], sinceMs: 2_000 };
  expect(await put({}, next)).toEqual(['lineItems.list', 'looked for again']);
});
