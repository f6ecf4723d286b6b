import { FAILURE_HANDLING, isFailureType } from '../../../workflows/run/failure-contract';

test('only what a person, or another Temporal, has to give up blocks', () => {
  const blocking = Object.entries(FAILURE_HANDLING).flatMap(([type, how]) =>
    how === 'blocks' ? [type] : [],
  );
  expect(blocking.sort()).toEqual([
    'ACCESS_DENIED',
    'BATCH_HELD',
    'LOGIN_REQUIRED',
    'MISCONFIGURED',
    'TOKEN_REJECTED',
  ]);
});

test.each([
  ['BUG', true],
  ['BATCH_HELD', true],
  ['WORKER_DRAINING', false],
  ['constructor', false],
  ['', false],
])('%j is a type of ours: %p', (type, isOurs) => {
  expect(isFailureType(type)).toBe(isOurs);
});
