import { inspect } from 'node:util';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { ConflictStandsError } from '../../../activities/ingest/submit/conflict-stands-error';
import { readFailureDetails, withAwaySince } from '../../../activities/scope/dependency-failure';
import { type FailureDetails, type RetryFacts, toActivityFailure } from '../../../activities/scope/failure';
import { NotYetError } from '../../../activities/scope/not-yet';
import * as errors from '../../../activities/service/errors';
import { NotReleasedError, StorageUnavailableError } from '../../../activities/transfer/errors';
import { FAILURE_HANDLING } from '../../../workflows/run/failure-contract';

const facts = { effect: 'rejected', route: 'POST /a/{id}', status: 422 } as const;

function failureOf(
  error: unknown,
  retry?: RetryFacts,
): ApplicationFailure & { readonly facts: FailureDetails } {
  const failure = toActivityFailure(error, retry);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  return Object.assign(failure as ApplicationFailure, {
    facts: (failure as ApplicationFailure).details?.[0] as FailureDetails,
  });
}

function fsError(code: string, syscall = 'open'): Error {
  return Object.assign(new Error(`${code}: failed, ${syscall} '/mnt/share/private name.pdf'`), {
    code,
    syscall,
    errno: -1,
  });
}

test.each<[unknown, string, boolean]>([
  [new errors.ServiceUnavailableError('m', { ...facts, fault: 'network' }), 'SERVICE_UNAVAILABLE', true],
  [new errors.InternalServiceError('m', facts), 'SERVICE_UNAVAILABLE', true],
  [new errors.RateLimitedError('m', { ...facts, retryAtMs: 1 }), 'RATE_LIMITED', true],
  [new errors.TokenRejectedError('m', facts), 'TOKEN_REJECTED', false],
  [new errors.LoginRequiredError('m', facts), 'LOGIN_REQUIRED', false],
  [new errors.AccessDeniedError('m', facts), 'ACCESS_DENIED', false],
  [new errors.MisconfiguredError('m', facts), 'MISCONFIGURED', false],
  [new errors.RequestRefusedError('m', facts), 'REQUEST_REFUSED', false],
  [new errors.NotFoundError('m', facts), 'REQUEST_REFUSED', false],
  [new errors.GoneError('m', facts), 'REQUEST_REFUSED', false],
  [new errors.InvalidRequestError('m', facts), 'BUG', false],
  [new StorageUnavailableError('m', 5), 'SERVICE_UNAVAILABLE', true],
  [new NotReleasedError(2, 5), 'NOT_RELEASED', true],
  [new ConflictStandsError(2, 5, false), 'CONFLICT_STANDS', true],
  [new ConflictStandsError(2, 5, true), 'CONFLICT_STANDS', true],
  [new NotYetError('m', 5), 'NOT_YET', true],
  [fsError('ENOENT', 'scandir'), 'SHARE_UNAVAILABLE', true],
  [fsError('EIO', 'read'), 'SHARE_UNAVAILABLE', true],
  [fsError('ESTALE'), 'SHARE_UNAVAILABLE', true],
  [fsError('ENOSPC', 'write'), 'SHARE_UNAVAILABLE', true],
  [fsError('EBUSY', 'rename'), 'SHARE_UNAVAILABLE', true],
  ...(
    [
      ['share-away', 'SHARE_UNAVAILABLE', true],
      ['share-full', 'SHARE_UNAVAILABLE', true],
      ['share-read-only', 'SHARE_UNAVAILABLE', true],
      ['unreadable-now', 'SHARE_UNAVAILABLE', true],
      ['folder-blocked', 'SHARE_UNAVAILABLE', true],
      ['HASH_THREAD', 'SHARE_UNAVAILABLE', true],
      ['STORAGE_FAULT', 'SERVICE_UNAVAILABLE', true],
      ['UNSAFE_TARGET', 'MISCONFIGURED', false],
      ['share-faults', 'MISCONFIGURED', false],
      ['key-differs', 'MISCONFIGURED', false],
      ['project-differs', 'MISCONFIGURED', false],
      ['batch-held', 'BATCH_HELD', false],
      ['batch-unknown', 'BATCH_UNUSABLE', false],
      ['batch-damaged', 'BATCH_UNUSABLE', false],
      ['manifest-differs', 'BATCH_UNUSABLE', false],
      ['bad-request', 'REQUEST_REFUSED', false],
      ['file-missing', 'BUG', false],
      ['SOURCE_FILE', 'BUG', false],
      ['constructor', 'BUG', false],
    ] as const
  ).map(([code, type, isRetryable]): [unknown, string, boolean] => [
    Object.assign(new Error(code), { code }),
    type,
    isRetryable,
  ]),
  [new TypeError('x is undefined'), 'BUG', false],
  [fsError('ECONNREFUSED', 'connect'), 'BUG', false],
  ['a text', 'BUG', false],
  [undefined, 'BUG', false],
])('%s becomes %s, repeated: %p', (error, type, isRetryable) => {
  const failure = failureOf(error);
  expect(failure.type).toBe(type);
  expect(FAILURE_HANDLING).toHaveProperty(failure.type ?? '');
  expect(failure.nonRetryable).toBe(!isRetryable);
});

test('what an error says goes into the history without what is secret in it, and in bounds', () => {
  const said = `GET https://s.example/1?signature=canary-7f3a failed with Bearer canary-7f3a-token ${'x'.repeat(2_000)}`;
  for (const error of [
    Object.assign(new Error(said), { code: 'share-away' }),
    new errors.AccessDeniedError(said, facts),
    new TypeError(said),
  ]) {
    const { message } = failureOf(error);
    expect(message).not.toContain('canary');
    expect(message.length).toBeLessThanOrEqual(500);
  }
});

test('every service error has its type', () => {
  const made = Object.values(errors).filter(
    (value): value is typeof errors.RequestRefusedError =>
      typeof value === 'function' && value.prototype instanceof errors.ServiceErrorBase,
  );
  expect(made.length).toBe(11);
  for (const Made of made) {
    const error = new Made('m', { ...facts, retryAtMs: 1, fault: 'network' } as never);
    expect(FAILURE_HANDLING).toHaveProperty(failureOf(error).type ?? '');
  }
});

test('details carry facts only', () => {
  const reasons = [
    { reasonCode: 'DUPLICATE_REVISION', rawCode: 'DUPLICATE_REVISION', message: 'm' },
  ] as const;
  const failure = failureOf(
    new errors.RequestRefusedError('refused', { ...facts, reasons, cause: new Error('canary') }),
  );
  expect(failure.facts).toEqual({
    code: 'REQUEST_REFUSED',
    effect: 'rejected',
    route: 'POST /a/{id}',
    status: 422,
    reasons,
    retryAtMs: null,
    dependency: null,
    awaySinceMs: null,
  });
  expect(inspect(failure, { depth: 10 })).not.toContain('canary');
});

test('a rate limit says when to repeat', () => {
  const failure = failureOf(new errors.RateLimitedError('m', { ...facts, retryAtMs: Date.now() + 40_000 }));
  expect(failure.nextRetryDelay).toBeGreaterThan(39_000);
  expect(failure.nextRetryDelay).toBeLessThanOrEqual(40_000);
  const past = failureOf(new errors.RateLimitedError('m', { ...facts, retryAtMs: 5 }));
  expect(past.nextRetryDelay).toBe(1);
});

test('a rate limit that answers "in a second" again and again is not taken at its word for ever', () => {
  const said = (status: number | undefined) =>
    new errors.RateLimitedError('m', { ...facts, status, retryAtMs: Date.now() + 1_000 });
  const delays = [5, 6, 40].map(
    attempt => failureOf(said(429), { attempt, random: () => 0.5 }).nextRetryDelay as number,
  );
  expect(delays[0]).toBeLessThanOrEqual(1_000);
  expect(delays[1]).toBeGreaterThanOrEqual(30_000);
  expect(delays[2]).toBe(60_000);
  const minutes = { attempt: 40, random: () => 0.5, longestMs: 180_000 };
  expect(failureOf(said(429), minutes).nextRetryDelay).toBe(180_000);
  // Our own gate's word costs no request, and it knows when there is room.
  expect(failureOf(said(undefined), minutes).nextRetryDelay).toBeLessThanOrEqual(1_000);
});

test('what Temporal threw passes through, an abort is a cancellation', () => {
  const own = ApplicationFailure.nonRetryable('own', 'OWN');
  const cancelled = new CancelledFailure('stop');
  expect(toActivityFailure(own)).toBe(own);
  expect(toActivityFailure(cancelled)).toBe(cancelled);
  expect(toActivityFailure(new DOMException('aborted', 'AbortError'))).toBeInstanceOf(CancelledFailure);
});

test('an unknown error keeps its place, not its cause, and no secret', () => {
  const error = new Error('Bearer canary-token at https://s.example/x?sig=canary', {
    cause: new Error('canary-cause'),
  });
  const failure = failureOf(error);
  expect(failure.message).toMatch(
    /^Error: Bearer \*\*\* at https:\/\/s\.example\/x\?\*\*\* at .*failure\.test\.ts:\d+:\d+/,
  );
  expect(failure.cause).toBeUndefined();
  expect(inspect(failure, { depth: 10 })).not.toContain('canary');
});

test('a share’s failure names no file', () => {
  expect(failureOf(fsError('EIO', 'read')).message).not.toContain('private name');
});

test('a refusal that names a hundred conflicts still travels as one small payload', () => {
  const entry = 'x'.repeat(200);
  const revision = {
    id: entry,
    name: entry,
    revision: entry,
    workflowInstanceId: entry,
    assignedWorkflow: entry,
    workflowCurrentStep: entry,
    status: entry,
  };
  const conflict = {
    documentContainerId: 'c',
    existingRevisions: Array.from({ length: 20 }, () => revision),
    conflictingUploads: [],
  };
  const reasons = Array.from(
    { length: 100 },
    () =>
      ({ reasonCode: 'WORKFLOW_CONFLICT', rawCode: 'WORKFLOW_CONFLICT', message: 'm', conflict }) as const,
  );
  const { facts: details } = failureOf(new errors.RequestRefusedError('m', { ...facts, reasons }));
  expect(details.reasons).toHaveLength(100);
  expect(details.reasons[0]?.conflict).toEqual(conflict);
  expect(JSON.stringify(details).length).toBeLessThan(100_000);
});

describe('what is away', () => {
  const network = { effect: 'not-sent', fault: 'network' } as const;
  const unavailable = errors.ServiceUnavailableError;

  test.each<[string, unknown, FailureDetails['dependency']]>([
    ['a call of the API', new unavailable('m', { ...network, route: 'GET /rest/v1.0/x' }), 'api'],
    ['a 500 of the API', new errors.InternalServiceError('m', facts), 'api'],
    [
      'an answer of the API that counts wrong',
      new unavailable('m', { ...network, fault: 'response' }),
      'api',
    ],
    ['a token', new unavailable('m', { ...network, route: 'POST /oauth/token' }), 'authentication'],
    ['a host that no token can be had from', new unavailable('m', network), 'authentication'],
    ['the token store', new unavailable('m', { ...network, fault: 'token-store' }), 'authentication'],
    ['the storage', new StorageUnavailableError('m'), 'storage'],
    ['the share', Object.assign(new Error('m'), { code: 'share-away' }), 'share'],
    ['the disk', fsError('EIO'), 'share'],
    ['nothing: a limit', new errors.RateLimitedError('m', { ...facts, retryAtMs: 1 }), null],
    ['nothing: a person is needed', new errors.LoginRequiredError('m', facts), null],
    ['nothing: a refusal', new errors.RequestRefusedError('m', facts), null],
    ['nothing: a bug', new TypeError('m'), null],
  ])('%s', (_name, error, dependency) => {
    expect(failureOf(error).facts.dependency).toBe(dependency);
  });

  test('is tried again after a growing time, spread out, 90 s at most', () => {
    const delays = (random: number) =>
      [1, 2, 4, 7, 40].map(
        attempt => failureOf(fsError('EIO'), { attempt, random: () => random }).nextRetryDelay,
      );
    expect(delays(0)).toEqual([500, 1_000, 4_000, 30_000, 30_000]);
    expect(delays(0.999_999)).toEqual([1_500, 3_000, 12_000, 90_000, 90_000]);
  });

  test('is not asked by everybody at the moment that it named itself', () => {
    const error = new unavailable('m', { ...network, retryAtMs: Date.now() + 20_000 });
    const delayMs = (random: number) =>
      failureOf(error, { attempt: 1, random: () => random }).nextRetryDelay ?? 0;
    expect(Number(delayMs(0))).toBeLessThanOrEqual(20_000);
    expect(Number(delayMs(0.9))).toBeGreaterThan(28_000);
  });

  test('is no news in single attempts, unlike a limit or a bug', () => {
    expect(failureOf(fsError('EIO')).category).toBe('BENIGN');
    expect(failureOf(new errors.RateLimitedError('m', { ...facts, retryAtMs: 1 })).category).toBeUndefined();
    expect(failureOf(new TypeError('m')).category).toBeUndefined();
  });

  test('carries since when, and is otherwise the same failure', () => {
    const failure = failureOf(fsError('EIO'), { attempt: 3, random: () => 0 });
    const since = withAwaySince(failure, 17);
    expect(readFailureDetails(since)).toEqual({ ...failure.facts, awaySinceMs: 17 });
    const { type, message, nonRetryable, nextRetryDelay, category } = failure;
    expect(since).toMatchObject({ type, message, nonRetryable, nextRetryDelay, category });
  });

  test('is not read out of errors of others', () => {
    for (const error of [undefined, null, 'x', new Error('m'), ApplicationFailure.nonRetryable('m', 'X', 1)])
      expect(readFailureDetails(error)).toBeUndefined();
  });
});
