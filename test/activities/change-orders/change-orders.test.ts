// A change order that a lost answer may have made, and one that is there more than once.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createChangeOrderActivities } from '../../../activities/change-orders/change-orders';
import type {
  FindCompanionInput,
  PutChangeOrderInput,
} from '../../../activities/change-orders/change-orders-api';
import { NotFoundError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';

const INPUT = {
  project: { companyId: '5001', projectId: '7002' },
  contractId: '6003',
  kind: 'request',
  originId: 'CO-14/r1',
  fields: { title: 'Glazing' },
} as const;
const OURS = { id: 1, title: 'Glazing', origin_id: 'CO-14/r1', status: 'draft' };
const OTHERS = { id: 9, title: 'Glazing', origin_id: 'other', status: 'draft' };

/** A contract with these requests. The list shows no origin ids, as the service's. */
function contractWith(...requests: { readonly id: number; readonly [key: string]: unknown }[]) {
  return contractAfter(Number.POSITIVE_INFINITY, requests);
}

/** The same where a run before of this id has ended `sinceMs` ago. */
function contractAfter(
  sinceMs: number,
  requests: { readonly id: number; readonly [key: string]: unknown }[],
) {
  const asked: string[] = [];
  const client: Sender = {
    send: async (endpoint, { params }) => {
      asked.push(endpoint.name);
      const { id } = params as { readonly id?: string };
      const isGone = requests.some(row => String(row.id) === id && row.gone === true);
      if (isGone) throw new NotFoundError('no such request', { effect: 'rejected' });
      const answers: Readonly<Record<string, unknown>> = {
        'changeOrderRequests.list': requests.map(({ origin_id: _, ...row }) => row),
        'changeOrderRequests.show': requests.find(row => String(row.id) === id),
        'changeOrderRequests.create': { ...OURS, id: 10 },
      };
      return { data: endpoint.response.parse(answers[endpoint.name]), status: 200 } as never;
    },
  };
  const { putChangeOrder } = createChangeOrderActivities({
    client,
    draining: new AbortController().signal,
    sinceRunBefore: async () => sinceMs,
  });
  const workflowExecution = { workflowId: 'change-order/7002/CO-14', runId: 'run-1' };
  const put = async (attempt = 1, heartbeatDetails?: unknown, input: PutChangeOrderInput = INPUT) =>
    await new MockActivityEnvironment({ attempt, heartbeatDetails, workflowExecution }).run(
      putChangeOrder,
      input,
    );
  return { put, asked, requests };
}

test('one that is not listed yet after a lost answer is looked for once more, half a minute later', async () => {
  const { put, asked } = contractWith(OTHERS);
  await expect(put(2)).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(asked).not.toContain('changeOrderRequests.create');
  expect(await put(3, { comebacks: 1, lookedIn: 2 })).toMatchObject({ kind: 'made', isInDoubt: true });
});

test.each([
  ['before the run was reset', { runId: 'run-1', afterReset: true }],
  ['for the run that a reset has replaced', { runId: 'run-0' }],
] as const)(
  'one that may have been made %s, and is not listed yet, is looked for once more',
  async (_, asked) => {
    const contract = contractWith(OTHERS);
    await expect(contract.put(1, undefined, { ...INPUT, asked })).rejects.toMatchObject({ type: 'NOT_YET' });
    expect(contract.asked).not.toContain('changeOrderRequests.create');
  },
);

test('one that this run asks for the first time is made at once', async () => {
  const input = { ...INPUT, asked: { runId: 'run-1' } };
  const made = await contractWith(OTHERS).put(1, undefined, input);
  expect(made).toEqual({ kind: 'made', changeOrder: expect.objectContaining({ id: '10' }) });
});

test('one that a run before has made a moment ago, and is not listed yet, is looked for once more', async () => {
  const { put, asked } = contractAfter(2_000, [OTHERS]);
  const input = { ...INPUT, asked: { runId: 'run-1' } };
  await expect(put(1, undefined, input)).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(asked).not.toContain('changeOrderRequests.create');
  // Should it be made all the same, it is counted in the end.
  const later = await put(2, { comebacks: 1, lookedIn: 1 }, input);
  expect(later).toMatchObject({ kind: 'made', isInDoubt: true });
  expect(await contractAfter(2_000, [OTHERS, OURS]).put(1, undefined, input)).toMatchObject({
    kind: 'found',
  });
});

test('one that is listed and not shown is looked at once more before it is made again', async () => {
  const { put, asked } = contractWith(OTHERS, { ...OURS, gone: true });
  await expect(put()).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(asked).not.toContain('changeOrderRequests.create');
  expect(await put(2, { comebacks: 1, missedIn: 1 })).toMatchObject({ kind: 'made' });
});

test('one that is listed is taken at once', async () => {
  expect(await contractWith(OTHERS, OURS).put(2)).toMatchObject({ kind: 'found', changeOrder: { id: '1' } });
});

const INPUT_OF_RUN = { ...INPUT, asked: { runId: 'run-1' } };
test.each<[string, number, object | undefined, PutChangeOrderInput, true | undefined]>([
  ['by an attempt whose answer was lost', 2, undefined, INPUT_OF_RUN, true],
  ['the same, found by the second look', 3, { comebacks: 1, lookedIn: 2 }, INPUT_OF_RUN, true],
  ['for the run that a reset has replaced', 1, undefined, { ...INPUT, asked: { runId: 'run-0' } }, true],
  ['before: a first attempt finds it', 1, undefined, INPUT_OF_RUN, undefined],
  [
    'before: the second look finds what a run before made',
    2,
    { comebacks: 1, lookedIn: 1 },
    INPUT_OF_RUN,
    undefined,
  ],
  ['before: the attempt before has made nothing', 2, { madeNothingIn: 1 }, INPUT_OF_RUN, undefined],
])('one that was perhaps made %s', async (_, attempt, details, input, isPerhapsMade) => {
  const found = await contractAfter(2_000, [OTHERS, OURS]).put(attempt, details, input);
  expect(found).toEqual({ kind: 'found', changeOrder: expect.objectContaining({ id: '1' }), isPerhapsMade });
});

test('one that is there twice is told, and nothing is made or changed', async () => {
  const { put, asked } = contractWith(OURS, OTHERS, { ...OURS, id: 2 });
  expect(await put()).toMatchObject({
    kind: 'refused',
    reason: { text: 'There is more than one change order request of the origin id "CO-14/r1": 1, 2.' },
  });
  expect(new Set(asked)).toEqual(new Set(['changeOrderRequests.list', 'changeOrderRequests.show']));
});

test('once people have said which is one too many, the other one is it', async () => {
  const { put } = contractWith({ ...OURS, status: 'void' }, { ...OURS, id: 2 });
  expect(await put()).toMatchObject({ kind: 'found', changeOrder: { id: '2' } });
  const one = contractWith({ ...OURS, status: 'void' });
  expect(await one.put()).toMatchObject({ changeOrder: { id: '1' } });
});

test('the origin id that one of another project has says nothing of one with the same id and time', async () => {
  const shown = { ...OURS, updated_at: '2026-02-02T10:00:00Z' };
  const { put, requests } = contractWith({ ...shown, origin_id: 'other' });
  expect(await put()).toMatchObject({ kind: 'made' });
  // In the other project the one of that id is ours.
  requests[0] = shown;
  const elsewhere = { ...INPUT, project: { ...INPUT.project, projectId: '7004' } };
  expect(await put(1, undefined, elsewhere)).toMatchObject({ kind: 'found', changeOrder: { id: '1' } });
});

test('the one that came along with a package is looked at once more where it is listed and not shown', async () => {
  const row = { id: 1, title: 'Facade', change_order_package_title: 'Facade' };
  let shows = 0;
  const client: Sender = {
    send: async endpoint => {
      const isShow = endpoint.name === 'potentialChangeOrders.show';
      if (isShow && ++shows === 1) throw new NotFoundError('not here yet', { effect: 'rejected' });
      return { data: endpoint.response.parse(isShow ? row : [row]), status: 200 } as never;
    },
  };
  const { findCompanion } = createChangeOrderActivities({ client, draining: new AbortController().signal });
  const input = { ...INPUT, originId: 'CO-14/p1', packageTitle: 'Facade', knownIds: [] };
  const find = (lastDetails?: object) =>
    new MockActivityEnvironment({
      attempt: lastDetails === undefined ? 1 : 2,
      heartbeatDetails: lastDetails,
    }).run(findCompanion, input);
  await expect(find()).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(await find({ comebacks: 1, missedIn: 1 })).toEqual({ kind: 'found', id: '1' });
});

describe('which one came along with a package', () => {
  /** What is answered where these potential change orders of the package's title carry no origin id. */
  async function findAmong(
    ids: readonly number[],
    more: Pick<FindCompanionInput, 'knownIds' | 'isFound'>,
    lastDetails?: object,
  ) {
    const rows = ids.map(id => ({ id, title: 'Facade', change_order_package_title: 'Facade' }));
    const client: Sender = {
      send: async ({ name, response }, { params }) => {
        const { id } = params as { readonly id?: string };
        const isShow = name === 'potentialChangeOrders.show';
        const answer = isShow ? rows.find(row => String(row.id) === id) : rows;
        return { data: response.parse(answer), status: 200 } as never;
      },
    };
    const { findCompanion } = createChangeOrderActivities({ client, draining: new AbortController().signal });
    const input = { ...INPUT, originId: 'CO-14/p1', packageTitle: 'Facade', ...more };
    const attempt = lastDetails === undefined ? 1 : 2;
    return await new MockActivityEnvironment({ attempt, heartbeatDetails: lastDetails }).run(
      findCompanion,
      input,
    );
  }
  const found = { isFound: true } as const;

  test.each([
    ['a found package may be older than what was there: that one', [1], ['1'], found, { id: '1' }],
    ['one has come since: that one, as where only the answer was lost', [1, 2], ['1'], found, { id: '2' }],
    ['none has come since, and two can be it', [1, 2], ['1', '2'], found, { kind: 'ambiguous' }],
  ])('%s', async (_, ids, knownIds, more, expected) => {
    expect(await findAmong(ids, { knownIds, ...more })).toMatchObject(expected);
  });

  test.each([
    ['what was there before a package of this run is not it', [1], ['1'], {}],
    ['there is none at all', [], [], {}],
    ['there is none at all, and the package was found', [], [], found],
  ])('is looked for once more where %s', async (_, ids, knownIds, more) => {
    await expect(findAmong(ids, { knownIds, ...more })).rejects.toMatchObject({ type: 'NOT_YET' });
    const looked = { comebacks: 1, lookedIn: 1 };
    expect(await findAmong(ids, { knownIds, ...more }, looked)).toEqual({ kind: 'none' });
    expect(await findAmong([...ids, 2], { knownIds, ...more }, looked)).toEqual({ kind: 'found', id: '2' });
  });
});
