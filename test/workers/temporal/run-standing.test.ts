import { toRunStanding } from '../../../workers/temporal/run-standing';

test.each([
  ['RUNNING', 'running'],
  ['CONTINUED_AS_NEW', 'running'],
  ['PAUSED', 'running'],
  ['UNKNOWN', 'running'],
  ['COMPLETED', 'completed'],
  ['FAILED', 'stopped'],
  ['CANCELLED', 'stopped'],
  ['TERMINATED', 'stopped'],
  ['TIMED_OUT', 'stopped'],
] as const)('%s means that it is %s', (status, standing) => {
  expect(toRunStanding(status)).toBe(standing);
});
