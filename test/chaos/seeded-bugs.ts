// The bugs that are put in on purpose: mistakes that naive code makes, each at one
// place of the compiled product.

/** One place of the built product that is written differently. */
export interface Edit {
  /** Below the root of the built product. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
}

/** What must be noticed, and by what. */
export interface Sought {
  readonly name: string;
  /**
   * What must tell: one of these invariants. Whatever else is found may come of anything that the bug breaks
   * on its way, and proves nothing.
   */
  readonly tells: readonly [string, ...string[]];
}

export interface Bug extends Edit, Sought {}

const SUBMIT = 'workflows/ingest/stages/submit.js';
const UNKNOWN = "case 'unknown':\n            return takeSilence(group);";

/** The costliest first. */
export const BUGS: readonly Bug[] = [
  {
    name: 'a submission without an answer is made again under a second upload',
    tells: ['6 no other upload while a submission is in doubt'],
    file: SUBMIT,
    from: UNKNOWN,
    to: `case 'unknown':
            for (const state of group) {
                state.completed = false;
                state.intended = false;
                state.uploadId = state.fileUploadId = state.openedAtMs = undefined;
            }
            return await require('./link').linkStage(batch, group);`,
  },
  {
    name: 'a submission without an answer counts as done',
    tells: ['3 a receipt that says submitted is true'],
    file: SUBMIT,
    from: UNKNOWN,
    to: `case 'unknown':
            for (const state of group) batch.submitted(state, null, 'unknown', Date.now());
            return [];`,
  },
  {
    name: 'success is assumed from the length of a 207',
    tells: ['10 a bad document never changes the fate of the others'],
    file: 'activities/ingest/documents.js',
    from: 'linked: sorted.succeeded.map(({ index }) => index),',
    to: 'linked: [...sorted.succeeded, ...sorted.missing].map(({ index }) => index),',
  },
  {
    name: 'the failed of a 207 count as linked',
    tells: ['10 a bad document never changes the fate of the others'],
    file: 'activities/ingest/documents.js',
    from: 'linked: sorted.succeeded.map(({ index }) => index),',
    to: 'linked: input.items.map(({ index }) => index),',
  },
  {
    name: 'the intent is not on the share before the submission',
    tells: ['7 the intent is on the share before the submission'],
    file: SUBMIT,
    from: 'const unrecorded = free.filter(state => !state.intended);',
    to: 'const unrecorded = [];',
  },
  {
    name: 'an outage spends attempts',
    tells: ['15 everything ends'],
    file: 'workflows/run/activity-calls.js',
    from: "maximumInterval: '1 minute' }",
    to: "maximumInterval: '1 minute', maximumAttempts: 2 }",
  },
  {
    name: 'a refusal without a name is believed of all',
    tells: ['10 a bad document never changes the fate of the others'],
    file: SUBMIT,
    from: 'return isChanged ? await submitGroup(batch, ready) : await submitHalves(batch, ready);',
    to: `for (const state of ready)
        batch.setApart(state, { code: 'DUPLICATE_REVISION', text: 'It exists.', fix: 'None.' });
      return [];`,
  },
  {
    name: 'a redirect is followed',
    tells: ['18 the bearer goes to the service alone'],
    file: 'activities/service/send/http-exchange.js',
    from: 'const headers = joinHeaders(response.headers);',
    to: `const headers = joinHeaders(response.headers);
            if (headers.has('location')) {
                const next = await (0, undici_1.request)(headers.get('location'), { headers: input.headers });
                await next.body.dump();
            }`,
  },
  {
    name: 'the bearer goes to storage',
    tells: ['18 the bearer goes to the service alone'],
    file: 'activities/transfer/storage/storage.js',
    from: 'headers: target.headers,',
    to: "headers: { ...target.headers, authorization: 'Bearer of-the-service' },",
  },
  {
    name: 'Retry-After is not read',
    tells: ['16 limits are kept'],
    file: 'activities/host/retry-after.js',
    from: 'function parseRetryAfter(value, serverNowMs) {',
    to: 'function parseRetryAfter(value, serverNowMs) { return undefined;',
  },
  {
    name: 'an upload that is not shown counts as submitted',
    tells: ['3 a receipt that says submitted is true'],
    file: 'workflows/ingest/stages/absence.js',
    from: "if (kind === 'hidden' && state.mayBeSubmitted)\n            gone.push(state);",
    to: "if (kind !== undefined)\n            batch.submitted(state, null, 'unknown', Date.now());",
  },
  {
    name: 'revisions are paired with documents the wrong way round',
    tells: ['3 a receipt that says submitted is true'],
    file: 'workflows/ingest/decide/judge-submission.js',
    from: '(0, pair_revisions_1.pairRevisions)(missing, revisionIds)',
    to: '(0, pair_revisions_1.pairRevisions)(missing, [...revisionIds].reverse())',
  },
  {
    name: 'the token is logged',
    tells: ['19 no secret is logged'],
    file: 'activities/service/service-client.js',
    from: 'call: endpoint.name,',
    to: 'call: endpoint.name, sent: token?.accessToken.reveal(),',
  },
  {
    name: 'a document that was set apart is filed as done',
    tells: ['3 files lie where the receipt says'],
    file: 'activities/share/receipt/settle-up.js',
    from: "return outcome === 'set-apart' ? layout.attention : undefined;",
    to: "return outcome === 'set-apart' ? layout.done : undefined;",
  },
];
