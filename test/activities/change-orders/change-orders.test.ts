// A change order that a lost answer may have made, and one that is there more than once.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createChangeOrderActivities } from '../../../activities/change-orders/change-orders';
import type {
  FindCompanionInput,
  MadeHere,
  PutChangeOrderInput,
} from '../../../activities/change-orders/change-orders-api';
import { NotFoundError, ServiceUnavailableError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';

const INPUT = {
  project: { companyId: '5001', projectId: '7002' },
  contractId: '6003',
  kind: 'request',
  originId: 'CO-14/r1',
  fields: { title: 'Glazing' },
} as const;
const INPUT_OF_RUN = { ...INPUT, asked: { runId: 'run-1' } };
const OURS = { id: 1, title: 'Glazing', origin_id: 'CO-14/r1', status: 'draft' };
const OTHERS = { id: 9, title: 'Glazing', origin_id: 'other', status: 'draft' };

/** A contract with these requests. The list shows no origin ids, as the service's. */
function contractWith(...requests: { readonly id: number; readonly [key: string]: unknown }[]) {
  return contractAfter(Number.POSITIVE_INFINITY, requests);
}

/** The same where a run before of this id has ended `sinceMs` ago; each fault is met once, by its route. */
function contractAfter(
  sinceMs: number,
  requests: { readonly id: number; readonly [key: string]: unknown }[],
  faults: Record<string, Error | undefined> = {},
) {
  const asked: string[] = [];
  let told: object | undefined;
  const client: Sender = {
    send: async (endpoint, { params }) => {
      asked.push(endpoint.name);
      const fault = faults[endpoint.name];
      faults[endpoint.name] = undefined;
      if (fault !== undefined) throw fault;
      const { id } = params as { readonly id?: string };
      const isGone = requests.some(row => String(row.id) === id && row.gone === true);
      if (isGone) throw new NotFoundError('no such request', { effect: 'rejected' });
      const answers: Readonly<Record<string, unknown>> = {
        'changeOrderRequests.list': requests.map(({ origin_id: _, ...row }) => row),
        'changeOrderRequests.show': requests.find(row => String(row.id) === id),
        'changeOrderRequests.create': { ...OURS, id: 10 },
        'changeOrderRequests.update': OURS,
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
  const put = async (attempt = 1, heartbeatDetails?: unknown, input: PutChangeOrderInput = INPUT) => {
    const environment = new MockActivityEnvironment({ attempt, heartbeatDetails, workflowExecution });
    environment.on('heartbeat', (details: object) => {
      told = details;
    });
    return await environment.run(putChangeOrder, input);
  };
  // What the next attempt begins with, which comes when its pause is over.
  return { put, asked, requests, faults, told: () => ({ ...told, back: undefined }) };
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

test('one that is meant by its id has gone only where a second look says so, half a minute later', async () => {
  const { put } = contractWith({ ...OURS, gone: true });
  const input = { ...INPUT_OF_RUN, id: '1' };
  await expect(put(1, undefined, input)).rejects.toMatchObject({ type: 'NOT_YET' });
  const missed = { comebacks: 1, missedIn: 1 };
  expect(await put(2, missed, input)).toMatchObject({ kind: 'refused', reason: { code: 'NOT_FOUND' } });
  expect(await contractWith(OURS).put(2, missed, input)).toMatchObject({ kind: 'found' });
});

test('one that is listed is taken at once', async () => {
  expect(await contractWith(OTHERS, OURS).put(2)).toMatchObject({ kind: 'found', changeOrder: { id: '1' } });
});

const askedAgain = (asked: NonNullable<PutChangeOrderInput['asked']>) => ({ ...INPUT, asked });
test.each<[string, number, object | undefined, PutChangeOrderInput, MadeHere | undefined]>([
  ['here: the answer to an attempt was lost', 2, { isSent: true }, INPUT_OF_RUN, 'yes'],
  ['the same, by a second look', 3, { comebacks: 1, lookedIn: 2, isSent: true }, INPUT_OF_RUN, 'yes'],
  ['perhaps here: an attempt before was cut off', 2, undefined, INPUT_OF_RUN, 'perhaps'],
  ['perhaps here: a reset has replaced its run', 1, undefined, askedAgain({ runId: 'run-0' }), 'perhaps'],
  [
    'perhaps here: the call stood still',
    1,
    undefined,
    askedAgain({ runId: 'run-1', again: true }),
    'perhaps',
  ],
  ['before: by a first attempt', 1, undefined, INPUT_OF_RUN, undefined],
  ['before: by a second look', 2, { comebacks: 1, lookedIn: 1 }, INPUT_OF_RUN, undefined],
  ['before: the attempt before made nothing', 2, { madeNothingIn: 1 }, INPUT_OF_RUN, undefined],
])('one that is found was made %s', async (_, attempt, details, input, madeHere) => {
  const found = await contractAfter(2_000, [OTHERS, OURS]).put(attempt, details, input);
  expect(found).toEqual({ kind: 'found', changeOrder: expect.objectContaining({ id: '1' }), madeHere });
});

describe('an attempt tells the next one what it knows of one that is found then', () => {
  const away = () => new ServiceUnavailableError('away', { effect: 'unknown', fault: 'network' });

  test('a correction without an answer has made nothing: a run before made it', async () => {
    const { put, told } = contractAfter(2_000, [OURS], { 'changeOrderRequests.update': away() });
    const input = { ...INPUT_OF_RUN, fields: { ...INPUT.fields, description: 'As agreed' } };
    await expect(put(1, undefined, input)).rejects.toThrow('away');
    const result = await put(2, told(), input);
    expect(result).toMatchObject({ kind: 'corrected' });
    expect(result).not.toHaveProperty('madeHere');
  });

  test('so it is where the second look failed, for what a run before may have made', async () => {
    const { put, told, requests, faults } = contractAfter(2_000, [OTHERS]);
    await expect(put(1, undefined, INPUT_OF_RUN)).rejects.toMatchObject({ type: 'NOT_YET' });
    requests.push(OURS);
    faults['changeOrderRequests.list'] = away();
    await expect(put(2, told(), INPUT_OF_RUN)).rejects.toThrow('away');
    expect(await put(3, told(), INPUT_OF_RUN)).not.toHaveProperty('madeHere');
  });

  test('one that was sent, and whose answer was lost, was made here', async () => {
    const { put, told, requests } = contractAfter(Number.POSITIVE_INFINITY, [OTHERS], {
      'changeOrderRequests.create': away(),
    });
    await expect(put(1, undefined, INPUT_OF_RUN)).rejects.toThrow('away');
    requests.push(OURS);
    expect(await put(2, told(), INPUT_OF_RUN)).toMatchObject({ kind: 'found', madeHere: 'yes' });
  });
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
  type Known = Pick<FindCompanionInput, 'knownIds' | 'isFound' | 'isPerhapsFound'>;
  let asksOfRuns = 0;

  /**
   * What is answered where these potential change orders of the package's title carry no origin id.
   *
   * @param sinceMs since the end of a run before
   */
  async function findAmong(
    ids: readonly number[],
    more: Known,
    { told, sinceMs = Number.POSITIVE_INFINITY }: { readonly told?: object; readonly sinceMs?: number } = {},
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
    const { findCompanion } = createChangeOrderActivities({
      client,
      draining: new AbortController().signal,
      sinceRunBefore: async () => {
        asksOfRuns++;
        return sinceMs;
      },
    });
    const input = { ...INPUT, originId: 'CO-14/p1', packageTitle: 'Facade', ...more };
    const attempt = told === undefined ? 1 : 2;
    return await new MockActivityEnvironment({ attempt, heartbeatDetails: told }).run(findCompanion, input);
  }
  const found = { isFound: true } as const;
  const perhaps = { isPerhapsFound: true } as const;
  /** Half a minute of looks is over with this one. */
  const lastLook = { told: { comebacks: 1, looked: { attempt: 1, looks: 6 } } };
  /** Half a minute is over since the end of a run before. */
  const later = { told: { comebacks: 1, lookedIn: 1 }, sinceMs: 4_000 };

  test.each<[string, number[], string[], Partial<Known>, object]>([
    ['a found package may be older than what was there: that one', [1], ['1'], found, { id: '1' }],
    ['one has come since: that one', [1, 2], ['1'], found, { id: '2' }],
    ['nobody knows whether the package was there, and one has come', [1, 2], ['1'], perhaps, { id: '2' }],
    ['none has come since, and two can be it', [1, 2], ['1', '2'], found, { kind: 'ambiguous' }],
  ])('%s', async (_, ids, knownIds, more, expected) => {
    expect(await findAmong(ids, { knownIds, ...more })).toMatchObject(expected);
  });

  test.each<[string, number[], string[], Partial<Known>, object]>([
    ['what was there before a package of this run is not it', [1], ['1'], {}, { kind: 'none' }],
    ['there is none at all', [], [], {}, { kind: 'none' }],
    ['there is none at all, and the package was found', [], [], found, { kind: 'none' }],
    [
      'one was there before a package that perhaps is of this run: people tell',
      [1],
      ['1'],
      perhaps,
      { kind: 'ambiguous', ids: ['1'] },
    ],
  ])('is looked for through half a minute where %s', async (_, ids, knownIds, more, end) => {
    const startedMs = Date.now();
    const early = await findAmong(ids, { knownIds, ...more }).catch((error: unknown) => error);
    expect(early).toMatchObject({ type: 'NOT_YET' });
    // One that is listed a moment later is found a moment later.
    expect(retryAtMsOf(early) - startedMs).toBeLessThan(2_000);
    expect(await findAmong(ids, { knownIds, ...more }, lastLook)).toEqual(end);
    expect(await findAmong([...ids, 2], { knownIds, ...more }, lastLook)).toEqual({ kind: 'found', id: '2' });
  });

  test.each<[string, number[], string[]]>([
    ['the survey showed the package, and one is listed', [9], []],
    ['one is listed that was there by the survey', [9], ['9']],
  ])('of a package of a run that has ended a moment ago is not taken early: %s', async (_, ids, knownIds) => {
    const more = { knownIds, ...found };
    await expect(findAmong(ids, more, { sinceMs: 4_000 })).rejects.toMatchObject({ type: 'NOT_YET' });
    expect(await findAmong(ids, more, later)).toEqual({ kind: 'found', id: '9' });
    // The own one was listed late.
    const both = await findAmong([...ids, 10], more, later);
    expect(both).toEqual(
      knownIds.length === 0 ? { kind: 'ambiguous', ids: ['9', '10'] } : { kind: 'found', id: '10' },
    );
  });

  test('of a package of this run is taken at once, whatever run has ended before', async () => {
    asksOfRuns = 0;
    expect(await findAmong([1, 2], { knownIds: ['1'] }, { sinceMs: 0 })).toEqual({ kind: 'found', id: '2' });
    expect(asksOfRuns).toBe(0);
  });
});

function retryAtMsOf(error: unknown): number {
  const { details } = error as { readonly details?: readonly { readonly retryAtMs?: number }[] };
  return details?.[0]?.retryAtMs ?? Number.NaN;
}
