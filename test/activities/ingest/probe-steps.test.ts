// Waiting out an outage with one document at a time: which one, how often, and what counts as its end.
import { ApplicationFailure } from '@temporalio/common';
import { probeLinking, probeSubmission } from '../../../activities/ingest/probe-steps';
import type { HoldSeen, SeeHold } from '../../../activities/ingest/submit/see-hold';
import {
  InternalServiceError,
  RateLimitedError,
  RequestRefusedError,
  ServiceUnavailableError,
} from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';

type Sent = { call: string; ids: string[] };

function serve(answer: (sent: Sent) => unknown): { client: Sender; sent: Sent[] } {
  const sent: Sent[] = [];
  const client = {
    send: async (
      endpoint: { name: string },
      input: {
        body?: { uploads?: { id: string }[]; updates?: { id: string }[] };
        params?: { uploadId?: string };
      },
    ) => {
      const items = input.body?.uploads ?? input.body?.updates ?? [];
      const one = { call: endpoint.name, ids: items.map(({ id }) => id) };
      sent.push(one);
      const result = answer(one);
      if (result instanceof Error) throw result;
      const isShown = endpoint.name === 'uploads.show' && typeof result === 'object';
      return { data: isShown ? { id: input.params?.uploadId, ...result } : result, status: 200 };
    },
  } as unknown as Sender;
  return { client, sent };
}

const by = (client: Sender, seeHold: SeeHold = async () => 'ours') => ({ client, seeHold });
const project = { companyId: '1', projectId: '2' };
const asked = { runId: 'R' };
const items = ['U0', 'U1', 'U2'].map((uploadId, index) => ({
  index,
  uploadId: uploadId as never,
  eventId: 'E' as never,
  fileUploadId: `F${index}` as never,
  writes: [],
}));
const at = (attempt: number, lastDetails?: unknown) => ({
  attempt,
  signal: new AbortController().signal,
  lastDetails,
  report: () => undefined,
  isOfOtherRun: false,
  temporalMs: () => 5,
});
const unasked = (): never => {
  throw new Error('Asked for what was not needed');
};
const away = (retryAtMs?: number) =>
  new ServiceUnavailableError('503', { fault: 'status', effect: 'unknown', status: 503, retryAtMs });
const broken = () => new InternalServiceError('500', { effect: 'unknown', status: 500 });

async function failureOf(work: Promise<unknown>): Promise<ApplicationFailure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApplicationFailure)) throw new Error(`No failure but ${String(error)}`);
  return error;
}

describe('submitting', () => {
  test('each attempt sends another single one', async () => {
    const { client, sent } = serve(() => away());
    for (const attempt of [1, 2, 3, 4]) {
      const failure = await failureOf(probeSubmission(by(client), { project, items, asked }, at(attempt)));
      expect(failure).toMatchObject({ type: 'SERVICE_UNAVAILABLE', nonRetryable: false });
    }
    expect(sent.map(({ ids }) => ids)).toEqual([['U0'], ['U1'], ['U2'], ['U0']]);
  });

  test.each([
    ['nothing', undefined],
    ['a second', 1_000],
  ])('in a long outage the tries lie minutes apart, though the service names %s', async (_, laterMs) => {
    const { client } = serve(() => away(laterMs === undefined ? undefined : Date.now() + laterMs));
    const { nextRetryDelay } = await failureOf(
      probeSubmission(by(client), { project, items, asked }, at(40)),
    );
    expect(Number(nextRetryDelay)).toBeGreaterThanOrEqual(90_000);
    expect(Number(nextRetryDelay)).toBeLessThanOrEqual(270_000);
  });

  test('a refusal is an answer', async () => {
    const refusal = new RequestRefusedError('422', {
      effect: 'rejected',
      status: 422,
      reasons: [{ reasonCode: 'UPLOAD_NOT_FOUND', rawCode: 'UPLOAD_NOT_FOUND', message: '' } as never],
    });
    const { client } = serve(() => refusal);
    expect(await probeSubmission(by(client), { project, items, asked }, at(2))).toMatchObject({
      kind: 'answered',
      index: 1,
      result: { kind: 'refused', refusals: [{ reasonCode: 'UPLOAD_NOT_FOUND' }] },
    });
  });

  test('429 is waited out with minutes in between, whatever time is named, and nobody gives up for it', async () => {
    const { client } = serve(
      () => new RateLimitedError('429', { effect: 'rejected', status: 429, retryAtMs: Date.now() + 1_000 }),
    );
    const failure = await failureOf(
      probeSubmission(by(client), { project, items, asked, giveUpAfter: 3 }, at(40)),
    );
    expect(failure.type).toBe('RATE_LIMITED');
    expect(Number(failure.nextRetryDelay)).toBeGreaterThanOrEqual(90_000);
  });

  test('it gives up after the attempts it was given, not before', async () => {
    const { client } = serve(() => away());
    const input = { project, items, asked, giveUpAfter: 3 };
    await failureOf(probeSubmission(by(client), input, at(2)));
    expect(await probeSubmission(by(client), input, at(3, { attempts: 2, unheard: [0, 1] }))).toEqual({
      kind: 'gave-up',
      unheard: [0, 1, 2],
    });
  });

  test('whose request got no answer is told, though another one is answered in the end', async () => {
    const answers = [
      away(),
      new RateLimitedError('429', { effect: 'rejected', status: 429, retryAtMs: 1 }),
      { revisionIds: ['R'], failures: [] },
    ];
    const { client } = serve(() => answers.shift());
    let left: unknown;
    const attempt = async (number: number) =>
      await probeSubmission(
        by(client),
        { project, items, asked },
        {
          ...at(number, left),
          report: (details: object) => {
            left = details;
          },
        },
      );
    await failureOf(attempt(1));
    await failureOf(attempt(2));
    // Not sent, for certain: the second is not among them.
    expect(await attempt(3)).toMatchObject({ index: 2, unheard: [0] });
  });

  test.each([
    ['for the one', (refusal: object) => ({ revisionIds: [], failures: [refusal] })],
    [
      'as the refusal of the request',
      (refusal: object) =>
        new RequestRefusedError('422', { effect: 'rejected', status: 422, reasons: [refusal as never] }),
    ],
  ])('where the service names a failure of its own %s, nothing is answered yet', async (_, toResponse) => {
    const codes = ['UNKNOWN_FAILURE', 'INVALID_INPUT'];
    const { client } = serve(() => {
      const reasonCode = codes.shift() ?? '';
      return toResponse({ uploadId: 'U0', reasonCode, rawCode: reasonCode, message: '' });
    });
    const input = { project, items: items.slice(0, 1), asked };
    expect(await failureOf(probeSubmission(by(client), input, at(1)))).toMatchObject({
      type: 'SERVICE_UNAVAILABLE',
    });
    expect(await probeSubmission(by(client), input, at(1))).toMatchObject({ kind: 'answered', index: 0 });
  });

  test('an attempt that ended without a word may have been heard', async () => {
    const { client } = serve(() => ({ revisionIds: ['R'], failures: [] }));
    const input = { project, items, asked };
    expect(await probeSubmission(by(client), input, at(1))).not.toHaveProperty('unheard');
    expect(await probeSubmission(by(client), input, at(2))).toMatchObject({ index: 1, unheard: [0] });
    const told = { attempts: 1, unheard: [] };
    expect(await probeSubmission(by(client), input, at(3, told))).toMatchObject({ index: 2, unheard: [1] });
    expect(await probeSubmission(by(client), input, at(40))).toMatchObject({ unheard: [2, 1, 0] });
  });

  const batch = { share: 'tender', batchId: 'B' };

  test.each([
    ['seen to be ours', 'ours', 7, {}, true],
    ["another one's by now", 'lost', 1, {}, false],
    ['not to be seen here, right after the workflow has asked', 'unseen', 1, {}, true],
    ['not to be seen here, and was not asked for either', 'unseen', 1, { isHoldToSee: true }, false],
    ['not to be seen here, later', 'unseen', 2, {}, false],
    ['not to be seen here, counted on after it was asked for', 'unseen', 8, { attemptsBefore: 7 }, true],
    ['not to be seen here, counted on, later', 'unseen', 9, { attemptsBefore: 7 }, false],
  ] as const)('of a batch that is %s', async (_, seen: HoldSeen, attempt, more, isSubmitted) => {
    const { client, sent } = serve(() => ({ revisionIds: ['R'], failures: [] }));
    const seeHold: SeeHold = async asked => (asked === batch ? seen : 'lost');
    const scope = at(attempt, attempt === 1 ? undefined : { attempts: attempt - 1, unheard: [1] });
    const result = await probeSubmission(
      by(client, seeHold),
      { project, items, asked, batch, ...more },
      scope,
    );
    expect(result).toMatchObject(
      isSubmitted ? { kind: 'answered' } : { kind: 'hold-to-see', attempts: attempt - 1 },
    );
    expect(sent).toHaveLength(isSubmitted ? 1 : 0);
    // Of requests before nothing else would be told.
    expect(result.unheard).toEqual(attempt === 1 ? undefined : [1]);
  });

  test('an attempt without a word may have been heard, also where the hold is not seen then', async () => {
    const { client, sent } = serve(() => away());
    const input = { project, items, asked, batch };
    const deps = by(client, async () => 'lost');
    expect(await probeSubmission(deps, input, at(2))).toEqual({
      kind: 'hold-to-see',
      attempts: 1,
      unheard: [0],
    });
    // The run was told of those before it saw to the hold.
    expect(await probeSubmission(deps, { ...input, attemptsBefore: 2 }, at(3))).toEqual({
      kind: 'hold-to-see',
      attempts: 2,
    });
    expect(sent).toEqual([]);
  });

  describe('each of them may have been heard by attempts that nothing is known of', () => {
    const { client } = serve(() => ({ revisionIds: ['R'], failures: [] }));

    test('of the run that was ended: dispatched again after a reset, whatever this run tells of its own attempts', async () => {
      const input = { project, items, asked };
      for (const told of [undefined, { attempts: 2, unheard: [] }]) {
        const scope = { ...at(2, told), isOfOtherRun: true };
        expect(await probeSubmission(by(client), input, scope)).toMatchObject({
          index: 1,
          unheard: [0, 1, 2],
        });
      }
    });

    test.each([
      ['asked anew', { afterReset: true }],
      ['before this run stood still for something that a person repaired', { again: true }],
    ] as const)('%s', async (_, more) => {
      const input = { project, items, asked: { ...asked, ...more } };
      expect(await probeSubmission(by(client), input, at(1))).toMatchObject({ index: 0, unheard: [0, 1, 2] });
    });
  });
});

describe('linking', () => {
  const input = { project, items, asked, fieldIds: [] };
  const through = (client: Sender) => ({ client, lookups: { rules: unasked } });

  test('a 500 of one that is not linked goes on with the next', async () => {
    const { client, sent } = serve(({ call }) =>
      call.includes('patch') || call.includes('update') ? broken() : { uploadStatus: 'INCOMPLETE' },
    );
    for (const attempt of [1, 2, 3]) await failureOf(probeLinking(through(client), input, at(attempt)));
    expect(sent.flatMap(({ ids }) => ids)).toEqual(['U0', 'U1', 'U2']);
  });

  test('a 500 of one that was linked unheard is its end', async () => {
    const { client } = serve(({ ids }) => (ids.length > 0 ? broken() : { uploadStatus: 'COMPLETED' }));
    expect(await probeLinking(through(client), input, at(5))).toEqual({
      kind: 'answered',
      index: 1,
      result: { kind: 'answered', linked: [1], failed: [], missing: [] },
    });
  });

  const callsOf = (sent: readonly Sent[]) =>
    sent.map(({ call, ids }) => (ids.length > 0 ? `write ${ids}` : call));

  test('from the second turn on it looks before it writes, and not once more after', async () => {
    const { client, sent } = serve(({ ids }) => (ids.length > 0 ? broken() : { uploadStatus: 'INCOMPLETE' }));
    await failureOf(probeLinking(through(client), input, at(4)));
    expect(callsOf(sent)).toEqual([expect.stringContaining('.show'), 'write U0']);
  });

  test.each([
    ['dispatched again after a reset', 2, true, {}],
    ['asked anew after a reset', 1, false, { afterReset: true }],
    ['asked again, once a person has repaired something,', 1, false, { again: true }],
  ])('%s it looks before it writes', async (_, attempt, isOfOtherRun, more) => {
    const { client, sent } = serve(() => ({ uploadStatus: 'COMPLETED' }));
    const again = { ...input, asked: { ...asked, ...more } };
    expect(await probeLinking(through(client), again, { ...at(attempt), isOfOtherRun })).toMatchObject({
      index: attempt - 1,
      result: { linked: [attempt - 1] },
    });
    expect(callsOf(sent)).toEqual([expect.stringContaining('.show')]);
  });

  test('before it gives up it looks once more', async () => {
    let isLinked = false;
    const { client } = serve(({ ids }) => {
      if (ids.length === 0) return { uploadStatus: isLinked ? 'COMPLETED' : 'INCOMPLETE' };
      isLinked = true;
      return broken();
    });
    expect(await probeLinking(through(client), { ...input, giveUpAfter: 4 }, at(4))).toMatchObject({
      kind: 'answered',
      result: { linked: [0] },
    });
  });

  test('a page in place of the answer is counted, too: it may be for the values of this one', async () => {
    const page = new ServiceUnavailableError('HTML', { fault: 'response', effect: 'unknown', status: 403 });
    const { client } = serve(({ ids }) => (ids.length > 0 ? page : { uploadStatus: 'INCOMPLETE' }));
    const patient = { ...input, giveUpAfter: 5 };
    for (const attempt of [1, 4]) await failureOf(probeLinking(through(client), patient, at(attempt)));
    expect(await probeLinking(through(client), patient, at(5))).toEqual({ kind: 'gave-up' });
  });

  test('an outage is waited out even where it may give up, for it says nothing of the file', async () => {
    const { client } = serve(() => away());
    await failureOf(probeLinking(through(client), { ...input, giveUpAfter: 1 }, at(9)));
  });
});
