import { inspect } from 'node:util';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import {
  BLOCKING_TYPES,
  FAILURE_TYPES,
  type FailureDetails,
  toActivityFailure,
  withActivityFailures,
} from '../../activities/failure';
import * as errors from '../../activities/service/errors';
import { StorageUnavailableError } from '../../activities/transfer/errors';

const facts = { effect: 'rejected', route: 'POST /a/{id}', status: 422 } as const;

function failureOf(error: unknown): ApplicationFailure & { readonly facts: FailureDetails } {
  const failure = toActivityFailure(error);
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

it.each([
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
  [fsError('ENOENT', 'scandir'), 'SHARE_UNAVAILABLE', true],
  [fsError('EIO', 'read'), 'SHARE_UNAVAILABLE', true],
  [fsError('ESTALE'), 'SHARE_UNAVAILABLE', true],
  [fsError('ENOSPC', 'write'), 'SHARE_UNAVAILABLE', true],
  [fsError('EBUSY', 'rename'), 'SHARE_UNAVAILABLE', true],
  [Object.assign(new Error('m'), { code: 'share-away' }), 'SHARE_UNAVAILABLE', true],
  [Object.assign(new Error('m'), { code: 'batch-damaged' }), 'BATCH_UNUSABLE', false],
  [new TypeError('x is undefined'), 'BUG', false],
  [fsError('ECONNREFUSED', 'connect'), 'BUG', false],
  ['a text', 'BUG', false],
  [undefined, 'BUG', false],
])('%s becomes %s, repeated: %p', (error, type, isRetryable) => {
  const failure = failureOf(error);
  expect(failure.type).toBe(type);
  expect(FAILURE_TYPES).toContain(failure.type);
  expect(failure.nonRetryable).toBe(!isRetryable);
});

it('every service error has its type', () => {
  const made = Object.values(errors).filter(
    (value): value is typeof errors.RequestRefusedError =>
      typeof value === 'function' && value.prototype instanceof errors.ServiceErrorBase,
  );
  expect(made.length).toBe(11);
  for (const Made of made) {
    const error = new Made('m', { ...facts, retryAtMs: 1, fault: 'network' } as never);
    expect(FAILURE_TYPES).toContain(failureOf(error).type);
  }
});

it('details carry facts only', () => {
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
  });
  expect(inspect(failure, { depth: 10 })).not.toContain('canary');
});

it('a rate limit says when to repeat', () => {
  const failure = failureOf(new errors.RateLimitedError('m', { ...facts, retryAtMs: Date.now() + 40_000 }));
  expect(failure.nextRetryDelay).toBeGreaterThan(39_000);
  expect(failure.nextRetryDelay).toBeLessThanOrEqual(40_000);
  const past = failureOf(new errors.RateLimitedError('m', { ...facts, retryAtMs: 5 }));
  expect(past.nextRetryDelay).toBe(1);
});

it('only a person’s matters block', () => {
  expect([...BLOCKING_TYPES].sort()).toEqual([
    'ACCESS_DENIED',
    'LOGIN_REQUIRED',
    'MISCONFIGURED',
    'TOKEN_REJECTED',
  ]);
});

it('what Temporal threw passes through, an abort is a cancellation', () => {
  const own = ApplicationFailure.nonRetryable('own', 'OWN');
  const cancelled = new CancelledFailure('stop');
  expect(toActivityFailure(own)).toBe(own);
  expect(toActivityFailure(cancelled)).toBe(cancelled);
  expect(toActivityFailure(new DOMException('aborted', 'AbortError'))).toBeInstanceOf(CancelledFailure);
});

it('an unknown error keeps its place, not its cause, and no secret', () => {
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

it('a share’s failure names no file', () => {
  expect(failureOf(fsError('EIO', 'read')).message).not.toContain('private name');
});

it('work passes its result on and its errors through the map', async () => {
  await expect(withActivityFailures(async () => 7)).resolves.toBe(7);
  await expect(withActivityFailures(() => Promise.reject(fsError('EIO')))).rejects.toMatchObject({
    type: 'SHARE_UNAVAILABLE',
  });
});

it('a refusal that names a hundred conflicts still travels as one small payload', () => {
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
