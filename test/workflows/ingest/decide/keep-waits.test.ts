import {
  type KeptWait,
  leaveLine,
  meetConflict,
  standInLine,
} from '../../../../workflows/ingest/decide/keep-waits';

const met = (atMs: number, why = 'It runs.') => ({ atMs, why, policy: 'wait' as const });
const inLine = (sinceMs: number, why: string, untilMs?: number): KeptWait =>
  untilMs === undefined ? { what: 'in-line', sinceMs, why } : { what: 'in-line', sinceMs, why, untilMs };

test('a wait in line has its beginning, its end, and what was in front of it last', () => {
  const standing = standInLine(standInLine(undefined, 1, 'A'), 1, 'B');
  expect(standing).toEqual([inLine(1, 'B')]);
  expect(leaveLine(standing, 9)).toEqual([inLine(1, 'B', 9)]);
  expect(leaveLine(undefined, 9)).toBeUndefined();
});

test('the run that goes on in the place of another goes on with the wait; what has ended stays as it was', () => {
  expect(standInLine([inLine(1, 'A')], 7, 'A')).toEqual([inLine(1, 'A')]);
  expect(standInLine([inLine(1, 'A', 3)], 7, 'B')).toEqual([inLine(1, 'A', 3), inLine(7, 'B')]);
});

test('refusals one after the other are one wait, with the first, the last, and what was said last', () => {
  const conflict = { what: 'workflow-conflict', sinceMs: 1, untilMs: 9, times: 2, policy: 'wait', why: 'B' };
  const twice = meetConflict(meetConflict(undefined, met(1)), met(9, 'B'));
  expect(twice).toEqual([conflict]);
  expect(leaveLine(twice, 10)).toBe(twice);
  const between = leaveLine(standInLine(twice, 11, 'A'), 12);
  expect(meetConflict(between, met(13))).toMatchObject([conflict, inLine(11, 'A', 12), { times: 1 }]);
});

test('no more is kept than the latest five, each of so many characters', () => {
  let waits: readonly KeptWait[] | undefined;
  for (let atMs = 0; atMs < 7; atMs++) waits = leaveLine(standInLine(waits, atMs, 'x'.repeat(9_999)), atMs);
  expect(waits?.map(({ sinceMs }) => sinceMs)).toEqual([2, 3, 4, 5, 6]);
  expect(waits?.[0]?.why).toHaveLength(400);
  expect(meetConflict(undefined, met(1, 'x'.repeat(9_999)))[0]?.why).toHaveLength(400);
});
