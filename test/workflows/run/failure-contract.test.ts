import { FAILURE_HANDLING, isBlocking } from '../../../workflows/run/failure-contract';

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
  ['BATCH_HELD', true],
  ['BUG', false],
  ['SERVICE_UNAVAILABLE', false],
  ['WORKER_DRAINING', false],
  ['constructor', false],
  ['', false],
])('%j blocks: %p', (type, blocks) => {
  expect(isBlocking(type)).toBe(blocks);
});
