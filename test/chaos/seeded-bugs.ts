// The bugs that are put in on purpose: mistakes that naive code makes, each at one
// place of the compiled product.

export interface Bug {
  readonly name: string;
  /** Below the root of the built product. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
}

const SUBMIT = 'workflows/ingest/stages/submit.js';
const UNKNOWN = "case 'unknown':\n            return takeSilence(group);";

/** The costliest first. */
export const BUGS: readonly Bug[] = [
  {
    name: 'a submission without an answer is made again under a second upload',
    file: SUBMIT,
    from: UNKNOWN,
    to: `case 'unknown':
            for (const state of group) {
                state.completed = false;
                state.intended = false;
                state.uploadId = state.fileUploadId = state.openedAtMs = undefined;
            }
            return await (0, link_1.linkStage)(batch, group);`,
  },
  {
    name: 'a submission without an answer counts as done',
    file: SUBMIT,
    from: UNKNOWN,
    to: `case 'unknown':
            for (const state of group) batch.submitted(state, null, 'unknown', Date.now());
            return [];`,
  },
  {
    name: 'success is assumed from the length of a 207',
    file: 'activities/ingest/documents.js',
    from: 'linked: sorted.succeeded.map(({ index }) => index),',
    to: 'linked: [...sorted.succeeded, ...sorted.missing].map(({ index }) => index),',
  },
  {
    name: 'the failed of a 207 count as linked',
    file: 'activities/ingest/documents.js',
    from: 'linked: sorted.succeeded.map(({ index }) => index),',
    to: 'linked: input.items.map(({ index }) => index),',
  },
  {
    name: 'the intent is not on the share before the submission',
    file: SUBMIT,
    from: 'const unrecorded = free.filter(state => !state.intended);',
    to: 'const unrecorded = [];',
  },
  {
    name: 'an outage spends attempts',
    file: 'workflows/run/activity-calls.js',
    from: "maximumInterval: '1 minute' }",
    to: "maximumInterval: '1 minute', maximumAttempts: 2 }",
  },
  {
    name: 'a refusal without a name is believed of all',
    file: SUBMIT,
    from: 'return isChanged ? await submitGroup(batch, ready) : await submitHalves(batch, ready);',
    to: `for (const state of ready)
        batch.setApart(state, { code: 'DUPLICATE_REVISION', text: 'It exists.', fix: 'None.' });
      return [];`,
  },
  {
    name: 'a redirect is followed',
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
    file: 'activities/transfer/storage/storage.js',
    from: 'headers: target.headers,',
    to: "headers: { ...target.headers, authorization: 'Bearer of-the-service' },",
  },
  {
    name: 'Retry-After is not read',
    file: 'activities/host/retry-after.js',
    from: 'function parseRetryAfter(value, serverNowMs) {',
    to: 'function parseRetryAfter(value, serverNowMs) { return undefined;',
  },
  {
    name: 'an upload that is not shown counts as submitted',
    file: 'workflows/ingest/stages/absence.js',
    from: "kind === 'hidden' && state.mayBeSubmitted",
    to: "kind === 'hidden'",
  },
  {
    name: 'revisions are paired with documents the wrong way round',
    file: 'workflows/ingest/decide/judge-submission.js',
    from: '(0, pair_revisions_1.pairRevisions)(missing, revisionIds)',
    to: '(0, pair_revisions_1.pairRevisions)(missing, [...revisionIds].reverse())',
  },
  {
    name: 'the token is logged',
    file: 'activities/service/service-client.js',
    from: 'call: endpoint.name,',
    to: 'call: endpoint.name, sent: token?.accessToken.reveal(),',
  },
  {
    name: 'a document that was set apart is filed as done',
    file: 'activities/share/receipt/settle-up.js',
    from: "return outcome === 'set-apart' ? layout.attention : undefined;",
    to: "return outcome === 'set-apart' ? layout.done : undefined;",
  },
];
