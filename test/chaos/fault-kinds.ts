// Every kind of fault that the stand-in knows, at every route a batch uses, as orders: which of them can
// strike any document, and which are one document's own.
import type { FaultAction, FaultOrder } from '../sandbox/control';
import type { SeededChance } from './fault-random';

type Action = FaultOrder['action'];

/** Routes that a batch comes by, with about how many requests a document costs there. */
export const ROUTES: Readonly<Record<string, number>> = {
  'oauth.token': 0.01,
  'requirements.list': 0.01,
  'fields.list': 0.01,
  'field-values.list': 0.02,
  'uploads.create': 0.03,
  'files.create': 1,
  'storage.put': 1,
  'files.patch': 1,
  'files.show': 1,
  'uploads.patch': 0.04,
  'uploads.selected': 0.08,
  'uploads.show': 0.05,
  'revisions.create': 0.04,
};

/** Nobody is to blame for these: every document they meet must get through. Each is struck once or twice. */
const REQUEST_ACTIONS: readonly Action[] = [
  { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' },
  { kind: 'status', status: 500, reasonCode: 'INTERNAL_SERVER_ERROR', effect: true },
  { kind: 'status', status: 502 },
  { kind: 'status', status: 503, effect: true },
  { kind: 'status', status: 504, effect: true },
  { kind: 'status', status: 408 },
  { kind: 'status', status: 401, reasonCode: 'INVALID_TOKEN' },
  { kind: 'reply-lost' },
  { kind: 'cut-request' },
  { kind: 'cut-answer' },
  { kind: 'delay', ms: 400 },
  { kind: 'delay', ms: 400, when: 'after' },
  { kind: 'hang' },
  { kind: 'hang', effect: true },
  { kind: 'malformed', body: '{"data": [{"id": 7}' },
  { kind: 'malformed', body: '{"data": {"ids": "none", "success": 3}}' },
  { kind: 'malformed', body: '', effect: false },
  { kind: 'html' },
  { kind: 'html', status: 404 },
  { kind: 'html', status: 502, effect: true },
  { kind: 'redirect' },
  { kind: 'redirect', status: 307 },
  { kind: 'rate-limited', withRetryAfter: 'seconds', seconds: 20 },
  { kind: 'rate-limited', withRetryAfter: 'date', seconds: 20 },
  { kind: 'rate-limited', withRetryAfter: 'none', seconds: 20 },
  { kind: 'unavailable', retryAfter: 20 },
  { kind: 'unavailable', retryAfter: 'date' },
];

/** What makes the outcome of a submission unknown: it took effect or not, and nobody says which. */
export const SILENT_ACTIONS: readonly Action[] = [
  { kind: 'reply-lost' },
  { kind: 'cut-answer' },
  { kind: 'cut-request' },
  { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR', effect: true },
  { kind: 'status', status: 504, effect: true },
  { kind: 'hang', effect: true },
  { kind: 'html', effect: true },
  { kind: 'malformed', body: '{"data": {"ids": [' },
];

/** Whether a strike at Step 8 with this action leaves the outcome unknown. */
export function isSilent(action: FaultAction): boolean {
  if (action.kind === 'status') return action.status >= 500;
  return ['reply-lost', 'cut-answer', 'cut-request', 'hang', 'html', 'malformed', 'redirect'].includes(
    action.kind,
  );
}

/** All pairs of route and whole-request fault. */
export const REQUEST_FAULTS: readonly { readonly route: string; readonly action: Action }[] = Object.keys(
  ROUTES,
).flatMap(route =>
  REQUEST_ACTIONS.filter(action => canStrike(route, action)).map(action => ({ route, action })),
);

/**
 * 401 is no answer of the storage, and of the authentication it means credentials
 * that only a person can repair.
 */
function canStrike(route: string, action: Action): boolean {
  const is401 = action.kind === 'status' && action.status === 401;
  return !(is401 && (route === 'storage.put' || route === 'oauth.token'));
}

const REFUSALS = [
  'DUPLICATE_REVISION',
  'INVALID_INPUT',
  'INVALID_PROPERTY',
  'FILE_KEY_MISMATCH',
  'UPLOAD_NOT_FOUND',
  'A_CODE_OF_TOMORROW',
] as const;
const ITEM_FAILURES = ['CONCURRENCY_CONFLICT', 'UNKNOWN_FAILURE', 'DUPLICATE_REVISION', 'ANOTHER_NEW_CODE'];

/** Faults of one document: it may end in either way, and nobody else may suffer. */
export function ownFaults(chance: SeededChance): readonly ((fileName: string) => FaultOrder)[] {
  const at =
    (route: string, action: Action, times = 1) =>
    (fileName: string) =>
      ({ route, match: { fileName }, times, action }) satisfies FaultOrder;
  const refusal = (route: string, reasonCode: string) =>
    at(route, { kind: 'request-refusal', reasonCode, named: chance.isLikely(0.5) }, chance.pick([1, 3, 0]));
  return [
    at('uploads.patch', { kind: 'drop-from-207' }),
    at('uploads.patch', { kind: 'drop-from-207' }),
    at('uploads.patch', { kind: 'drop-from-207' }, 2),
    at('uploads.patch', { kind: 'fail-in-207' }),
    at('uploads.patch', { kind: 'fail-in-207', code: 403 }, 2),
    at('uploads.patch', { kind: 'storage-unverified' }),
    refusal('uploads.create', 'INVALID_PROPERTY'),
    refusal('uploads.create', 'INVALID_PROPERTY'),
    refusal('uploads.patch', 'INVALID_PROPERTY'),
    refusal('uploads.patch', 'INVALID_PROPERTY'),
    ...chance
      .shuffle(REFUSALS)
      .slice(0, 3)
      .map(code => refusal('revisions.create', code)),
    ...chance
      .shuffle([...ITEM_FAILURES, ...ITEM_FAILURES])
      .slice(0, 4)
      .map(reasonCode => at('revisions.create', { kind: 'item-failure', reasonCode }, chance.between(1, 2))),
    at('uploads.create', { kind: 'swap-ids' }),
    at('uploads.create', { kind: 'swap-ids' }),
    at('uploads.create', { kind: 'extra-id' }),
    at('uploads.create', { kind: 'missing-id' }),
    at('storage.put', { kind: 'expired-url' }),
    at('storage.put', { kind: 'expired-url', early: true }),
    at('storage.put', { kind: 'expired-url' }, 2),
    at('storage.put', { kind: 'wrong-etag' }),
    at('storage.put', { kind: 'corrupt-bytes' }),
    at('analysis', { kind: 'analysis-error' }),
    at('analysis', { kind: 'analysis-never' }),
    at('scan', { kind: 'never-available' }),
    at('files.create', { kind: 'status', status: 400, reasonCode: 'INVALID_PROPERTY' }),
    at('files.create', { kind: 'status', status: 422, reasonCode: 'A_CODE_OF_TOMORROW' }),
    at('files.patch', { kind: 'status', status: 400, reasonCode: 'INVALID_PROPERTY' }),
    at('files.show', { kind: 'status', status: 404, reasonCode: 'NOT_FOUND' }),
    at('storage.put', { kind: 'status', status: 403, early: true }),
    at('storage.put', { kind: 'status', status: 400 }),
  ];
}
