// What the filters of `resume` take and leave, and how its times are read.
import { sinceTime } from '../../../client/commands/resume';
import {
  claimTimeOf,
  isNamed,
  isWanted,
  type StoppedBatch,
  type StoppedFilter,
} from '../../../client/resume/stopped-batch';
import { callInTimeZone } from '../../setup/in-time-zone';

const BATCH: StoppedBatch = {
  batchId: '20260131-093000-k3f9a2',
  workflowId: 'ingest/7001/20260131-093000-k3f9a2',
  projectId: '7001',
  state: 'timed out',
  reason: { code: 'ACCESS_DENIED', text: 'The account may not submit.' },
  shareName: 'tender',
  sinceMs: 1_000,
};

test.each<[StoppedFilter, boolean]>([
  [{}, true],
  [{ batchId: BATCH.batchId, share: 'tender', projectId: '7001' }, true],
  [{ share: 'other' }, false],
  [{ projectId: '700' }, false],
  [{ batchId: '20260131-093000' }, false],
  [{ reason: 'access_denied' }, true],
  [{ reason: 'timed out' }, true],
  [{ reason: 'timed-out' }, true],
  [{ reason: 'may not submit' }, true],
  [{ reason: 'terminated' }, false],
  [{ sinceMs: 1_000 }, true],
  [{ sinceMs: 1_001 }, false],
])('%j: %s', (filter, isTaken) => {
  expect(isWanted(filter, BATCH)).toBe(isTaken);
});

test('takes a batch whose time nobody knows for an old one', () => {
  expect(isWanted({ sinceMs: 1 }, { ...BATCH, sinceMs: undefined })).toBe(false);
});

test.each([
  ['20260131-093000-k3f9a2', Date.UTC(2026, 0, 31, 9, 30)],
  ['20269931-093000-k3f9a2', undefined],
  ['my-batch', undefined],
])('a batch %s was claimed at %s', (batchId, ms) => {
  expect(claimTimeOf(batchId)).toBe(ms);
});

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['2h', 7_200_000],
  ['3d', 259_200_000],
])('%s is a time ago', (text, ms) => {
  const fromMs = Date.now() - ms;
  expect(sinceTime(text)).toBeGreaterThanOrEqual(fromMs);
  expect(sinceTime(text)).toBeLessThanOrEqual(Date.now() - ms);
});

test('reads dates, and refuses what is neither', () => {
  expect(sinceTime('2026-01-31')).toBe(Date.UTC(2026, 0, 31));
  expect(sinceTime('2026-01-31T09:30Z')).toBe(Date.UTC(2026, 0, 31, 9, 30));
  for (const text of ['yesterday', '7', '-2h', '2026-13-45', ''])
    expect(() => sinceTime(text)).toThrow('a date');
});

test('the time of a batch is the same instant everywhere', () => {
  const atMs = callInTimeZone(
    'America/New_York',
    'client/resume/stopped-batch.ts',
    'claimTimeOf',
    BATCH.batchId,
  );
  expect(atMs).toBe(Date.UTC(2026, 0, 31, 9, 30));
});

const REASON = { code: 'perhaps-taken', text: 'It was refused by the service.', fix: 'Drop it again.' };

test.each<[StoppedFilter, boolean]>([
  [{}, false],
  [{ share: 'tender', projectId: '7001', sinceMs: 1 }, false],
  [{ reason: 'perhaps-taken' }, true],
  [{ reason: 'Perhaps taken' }, true],
  // Words of the text fit many.
  [{ reason: 'refused' }, false],
  [{ reason: 'set apart' }, false],
  [{ batchId: '20260131-093000-k3f9a2' }, true],
  [{ document: 'Package A/A-101.pdf' }, true],
])('%j names a document: %s', (filter, named) => {
  expect(isNamed(filter, { reason: REASON })).toBe(named);
});
