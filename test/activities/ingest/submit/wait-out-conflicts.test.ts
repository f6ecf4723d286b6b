// Looking and submitting while workflows stand against documents: what an attempt sends, what it tells, and
// what it fails with so that the next one comes.
import type { WaitOutConflictsInput } from '../../../../activities';
import { ConflictStandsError } from '../../../../activities/ingest/submit/conflict-stands-error';
import type { HoldSeen, SeeHold } from '../../../../activities/ingest/submit/see-hold';
import { waitOutConflicts } from '../../../../activities/ingest/submit/wait-out-conflicts';
import { createRevisions } from '../../../../activities/service/endpoints/document-revisions';
import { readSelectedUploads } from '../../../../activities/service/endpoints/document-uploads';
import {
  NotFoundError,
  RequestRefusedError,
  ServiceUnavailableError,
} from '../../../../activities/service/errors';
import type { Sender } from '../../../../activities/service/service-client';
import { explainRefusal, explainUnended } from '../../../../workflows/ingest/decide/judge-refusal';

const NOW_MS = 1_000_000_000;
const HOUR_MS = 3_600_000;
const STANDS = explainRefusal({ reasonCode: 'WORKFLOW_CONFLICT', message: '' }).text;

/** Uploads that are there, and what is answered to a submission of them. */
function serve(
  there: readonly string[],
  answer: (ids: readonly string[]) => unknown,
  eventOf: (id: string) => string = id => `E ${id}`,
) {
  const sent: string[][] = [];
  const client = {
    send: async (
      { name }: { name: string },
      { body }: { body?: { ids?: string[]; uploads?: { id: string }[] } },
    ) => {
      if (name === 'uploads.selected') {
        const ids = body?.ids?.filter(id => there.includes(id)) ?? [];
        const uploads = ids.map(id => ({ id, upload_status: 'COMPLETED', latest_event_id: eventOf(id) }));
        return { data: readSelectedUploads.response.parse({ data: uploads }) };
      }
      if (name !== 'revisions.create') throw new NotFoundError('404', { effect: 'rejected', status: 404 });
      createRevisions.request?.parse(body);
      const ids = body?.uploads?.map(({ id }) => id) ?? [];
      sent.push(ids);
      const result = answer(ids);
      if (result instanceof Error) throw result;
      return { data: result };
    },
  } as unknown as Sender;
  const seeHold: SeeHold = async () => 'ours';
  return { deps: { client, withoutBulk: new Map(), withoutList: new Map(), seeHold }, sent };
}

function refuse(ids: readonly string[], reasonCode = 'WORKFLOW_CONFLICT'): Error {
  const reasons = ids.map(id => ({ reasonCode, rawCode: reasonCode, message: '', source: id }) as never);
  return new RequestRefusedError('422', { effect: 'rejected', status: 422, reasons });
}

function ask(more: Partial<WaitOutConflictsInput> = {}): WaitOutConflictsInput {
  return {
    project: { companyId: '1', projectId: '2' },
    items: ['U0', 'U1'].map((uploadId, index) => ({
      index,
      uploadId: uploadId as never,
      said: 0,
      isUntold: false,
    })),
    texts: [STANDS],
    dueMs: NOW_MS,
    pace: { sinceMs: NOW_MS - HOUR_MS, leastMs: 60_000, longestMs: HOUR_MS },
    asked: { runId: 'R' },
    ...more,
  };
}

function at(attempt: number, lastDetails?: unknown) {
  const reports: unknown[] = [];
  const report = (details: unknown): void => void reports.push(details);
  const { signal } = new AbortController();
  return { scope: { attempt, lastDetails, report, signal, temporalMs: () => NOW_MS }, reports };
}

const clock = { wallMs: () => NOW_MS };

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

test('before its time nothing is asked of the service', async () => {
  const { deps, sent } = serve([], () => undefined);
  const { scope } = at(1);
  const failure = await failureOf(waitOutConflicts(deps, ask({ dueMs: NOW_MS + 5 }), scope, clock));
  expect(failure).toMatchObject({ code: 'CONFLICT_STANDS', retryAtMs: NOW_MS + 5 });
  expect(sent).toEqual([]);
});

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])('where the date of the host is %s, it is looked in its time, and told when it was', async (_, aheadMs) => {
  const otherClock = { wallMs: () => NOW_MS + aheadMs };
  const { deps, sent } = serve(['U0', 'U1'], ids => refuse(ids));
  const early = ask({ dueMs: NOW_MS + 5 });
  const failure = await failureOf(waitOutConflicts(deps, early, at(1).scope, otherClock));
  // What tries again counts by the clock of this host.
  expect(failure).toMatchObject({ retryAtMs: NOW_MS + aheadMs + 5 });
  expect(sent).toEqual([]);
  const { scope, reports } = at(1);
  expect(await failureOf(waitOutConflicts(deps, ask(), scope, otherClock))).toMatchObject({
    retryAtMs: NOW_MS + aheadMs + HOUR_MS / 3,
  });
  expect(reports).toMatchObject([{ refused: { lastMs: NOW_MS } }]);
});

test('and that something before is untold still is told with it, until it was seen and refused', async () => {
  const { deps } = serve([], () => undefined);
  const codeOf = async (more: Partial<WaitOutConflictsInput>, details?: unknown, attempt = 1) =>
    await failureOf(
      waitOutConflicts(deps, ask({ dueMs: NOW_MS + 5, ...more }), at(attempt, details).scope, clock),
    );
  const items = ask().items.map(item => ({ ...item, isUntold: true }));
  const afterReset = { asked: { runId: 'R', afterReset: true } } as const;
  const again = { asked: { runId: 'R', again: true } } as const;
  for (const more of [{ items }, afterReset, again]) {
    expect(await codeOf(more)).toMatchObject({ code: 'CONFLICT_UNTOLD', retryAtMs: NOW_MS + 5 });
    const cleared = { answered: 1, isCleared: true };
    expect(await codeOf(more, cleared, 2)).toMatchObject({ code: 'CONFLICT_STANDS' });
  }
});

test('refused for the same as before, it is looked again after a third of the time waited', async () => {
  const { deps, sent } = serve(['U0', 'U1'], ids => refuse(ids));
  const { scope, reports } = at(2, { answered: 1, isCleared: false, refused: { times: 0, lastMs: 0 } });
  const failure = await failureOf(waitOutConflicts(deps, ask(), scope, clock));
  expect(failure).toBeInstanceOf(ConflictStandsError);
  expect(failure).toMatchObject({ retryAtMs: NOW_MS + HOUR_MS / 3 });
  expect(reports).toEqual([{ answered: 2, isCleared: true, refused: { times: 1, lastMs: NOW_MS } }]);
  expect(sent).toEqual([['U0', 'U1']]);
});

test('told behind the reason why an answer has ended nothing, it is the same as before', async () => {
  const { deps } = serve(['U0', 'U1'], ids => refuse(ids));
  const told = { reasonCode: 'WORKFLOW_CONFLICT', message: '' };
  const texts = [explainUnended('others', told).text];
  const failure = await failureOf(waitOutConflicts(deps, ask({ texts }), at(1).scope, clock));
  expect(failure).toBeInstanceOf(ConflictStandsError);
});

test('those that nothing stands against any more go with the second request', async () => {
  const { deps, sent } = serve(['U0', 'U1'], ids =>
    ids.includes('U0') ? refuse(['U0']) : { revisionIds: ['R1'], failures: [] },
  );
  expect(await waitOutConflicts(deps, ask(), at(1).scope, clock)).toEqual({
    documents: [{ index: 1, end: { kind: 'submitted', revisionId: 'R1', paired: 'certain' } }],
    refused: { times: 1, lastMs: NOW_MS },
    atMs: NOW_MS,
  });
  expect(sent).toEqual([['U0', 'U1'], ['U1']]);
});

test.each([
  ['is empty', ''],
  ['is longer than an id', 'E'.repeat(201)],
])('one whose event id %s is not submitted, and keeps back no other', async (_, eventId) => {
  const accept = (ids: readonly string[]) => ({ revisionIds: ids.map(id => `R ${id}`), failures: [] });
  const { deps, sent } = serve(['U0', 'U1'], accept, id => (id === 'U0' ? eventId : 'E1'));
  const { documents } = await waitOutConflicts(deps, ask(), at(1).scope, clock);
  expect(documents).toMatchObject([
    { index: 0, end: { kind: 'changed' } },
    { index: 1, end: { kind: 'submitted' } },
  ]);
  expect(sent).toEqual([['U1']]);
});

test('something else that stands against a document is told', async () => {
  const { deps } = serve(['U0', 'U1'], ids => refuse(ids, 'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION'));
  const { documents } = await waitOutConflicts(deps, ask(), at(1).scope, clock);
  expect(documents).toMatchObject([{ end: { kind: 'conflict' } }, { end: { kind: 'conflict' } }]);
});

test.each([
  ['of the first attempt was taken by somebody', 1, undefined, false, 'changed'],
  ['after attempts that were all answered as well', 3, { answered: 2 }, false, 'changed'],
  ['after an attempt that was cut may be a revision', 3, { answered: 1 }, false, 'unheard'],
  ['where nothing is known of the attempt before as well', 2, undefined, false, 'unheard'],
  ['and so may what an activity before left untold', 2, { answered: 1, isCleared: false }, true, 'unheard'],
  ['until it was seen and refused', 2, { answered: 1, isCleared: true }, true, 'changed'],
] as const)('what is gone %s', async (_, attempt, details, isUntold, kind) => {
  const { deps, sent } = serve(['U1'], ids => refuse(ids));
  const items = ask().items.map(item => ({ ...item, isUntold }));
  const { documents } = await waitOutConflicts(deps, ask({ items }), at(attempt, details).scope, clock);
  expect(documents).toEqual([{ index: 0, end: { kind } }]);
  expect(sent).toEqual([['U1']]);
});

test.each([
  ['may be a revision, by a request of before', 1, undefined, 'unheard'],
  ['as well after attempts since', 3, { answered: 2, isCleared: false }, 'unheard'],
  ['was taken by somebody, if it was seen and refused since', 3, { answered: 2, isCleared: true }, 'changed'],
] as const)(
  'what is gone when asked anew after a reset or a repair %s',
  async (_, attempt, details, kind) => {
    const { deps } = serve(['U1'], ids => refuse(ids));
    const afterReset = { runId: 'R', afterReset: true };
    // An attempt was cut, the next one stood still for a token: what the first one did nobody tells any more.
    for (const asked of [afterReset, { runId: 'R', again: true } as const]) {
      const { documents } = await waitOutConflicts(deps, ask({ asked }), at(attempt, details).scope, clock);
      expect(documents).toEqual([{ index: 0, end: { kind } }]);
    }
  },
);

test.each([
  ['one that the refusal calls gone', ['U0'], 'UPLOAD_NOT_FOUND', 'unheard'],
  ['one that a refusal without a name may mean', ['other'], 'UPLOAD_NOT_FOUND', 'unheard'],
  [
    'one that is refused by name for what nobody is refused who is gone',
    ['U0'],
    'DUPLICATE_REVISION',
    'changed',
  ],
] as const)('of what is in doubt and still shown: %s', async (_, named, code, kind) => {
  const { deps } = serve(['U0'], () => refuse(named, code));
  const items = ask().items.slice(0, 1);
  for (const isUntold of [true, false]) {
    const input = ask({ items: items.map(item => ({ ...item, isUntold })) });
    const { documents } = await waitOutConflicts(deps, input, at(1).scope, clock);
    expect(documents).toEqual([{ index: 0, end: { kind: isUntold ? kind : 'changed' } }]);
  }
});

test('a request that nobody answers is told at once, and never repeated here', async () => {
  const fault = { fault: 'network', effect: 'unknown' } as const;
  const { deps, sent } = serve(['U0', 'U1'], () => new ServiceUnavailableError('cut', fault));
  const { documents } = await waitOutConflicts(deps, ask(), at(1).scope, clock);
  expect(documents).toMatchObject([{ end: { kind: 'unheard' } }, { end: { kind: 'unheard' } }]);
  expect(sent).toHaveLength(1);
});

test('one that did not leave is tried again, and nothing of it is in doubt', async () => {
  const fault = { fault: 'network', effect: 'not-sent' } as const;
  const { deps } = serve(['U0', 'U1'], () => new ServiceUnavailableError('no way', fault));
  const { scope, reports } = at(1);
  const failure = await failureOf(waitOutConflicts(deps, ask(), scope, clock));
  expect(failure).toMatchObject({ type: 'SERVICE_UNAVAILABLE', nonRetryable: false });
  expect(reports).toMatchObject([{ answered: 1 }]);
});

test('asked only to look, it submits nothing and tells what is gone', async () => {
  const { deps, sent } = serve(['U0'], () => undefined);
  const items = ask().items.map(item => ({ ...item, isUntold: true }));
  const { documents } = await waitOutConflicts(deps, ask({ items, onlyLook: true }), at(1).scope, clock);
  expect(documents).toEqual([{ index: 1, end: { kind: 'unheard' } }]);
  expect(sent).toEqual([]);
});

const BATCH = { share: 'tender', batchId: 'B' };

test.each([
  ['seen to be ours', 'ours', 7, true],
  ["another one's by now", 'lost', 1, false],
  ['not to be seen here, right after the workflow has asked', 'unseen', 1, true],
  ['not to be seen here, later', 'unseen', 2, false],
] as const)('a batch that is %s', async (_, seen: HoldSeen, attempt, isSubmitted) => {
  const accept = (ids: readonly string[]) => ({ revisionIds: ids.map(id => `R ${id}`), failures: [] });
  const { deps, sent } = serve(['U0', 'U1'], accept);
  const refused = { times: 3, lastMs: 5 };
  const { scope } = at(attempt, { answered: attempt - 1, isCleared: true, refused });
  const work = waitOutConflicts(
    { ...deps, seeHold: async batch => (batch === BATCH ? seen : 'lost') },
    ask({ batch: BATCH }),
    scope,
    clock,
  );
  expect(await work).toMatchObject(
    isSubmitted
      ? { documents: [{ end: { kind: 'submitted' } }, { end: { kind: 'submitted' } }] }
      : { documents: [], refused, atMs: NOW_MS, holdToSee: true },
  );
  expect(sent).toEqual(isSubmitted ? [['U0', 'U1']] : []);
});

test('what may have been submitted by an attempt that was cut is told, also where the hold is not seen', async () => {
  const { deps, sent } = serve(['U0'], () => undefined);
  const { scope } = at(2);
  const result = await waitOutConflicts(
    { ...deps, seeHold: async () => 'unseen' },
    ask({ batch: BATCH }),
    scope,
    clock,
  );
  expect(result).toMatchObject({ documents: [{ index: 1, end: { kind: 'unheard' } }], holdToSee: true });
  expect(sent).toEqual([]);
});

test('the hold is not asked for by who only looks, nor before the time', async () => {
  const { deps } = serve(['U0', 'U1'], () => undefined);
  const seeHold = jest.fn<ReturnType<SeeHold>, Parameters<SeeHold>>(async () => 'lost');
  const input = ask({ batch: BATCH });
  const later = waitOutConflicts({ ...deps, seeHold }, { ...input, dueMs: NOW_MS + 5 }, at(1).scope, clock);
  expect(await failureOf(later)).toBeInstanceOf(ConflictStandsError);
  await failureOf(waitOutConflicts({ ...deps, seeHold }, { ...input, onlyLook: true }, at(1).scope, clock));
  expect(seeHold).not.toHaveBeenCalled();
});
