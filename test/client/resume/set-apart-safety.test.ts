// What `resume --set-apart` puts back by itself, and what only by name.
import { REASON_CODES } from '../../../activities/service/reasons';
import { isCertainlyWithoutRevision, isNamed } from '../../../client/resume/set-apart-safety';
import type { StoppedFilter } from '../../../client/resume/stopped-batch';

const because = (code: string) => ({ code, text: 'It was refused by the service.', fix: 'Drop it again.' });

test.each([
  'taken-by-a-person',
  'perhaps-taken',
  'perhaps-submitted',
  'comes-and-goes',
  'not-carried',
  'name-mismatch',
  'DUPLICATE_REVISION',
  'set-apart-by-person',
  'hold-expired',
  'UNKNOWN_FAILURE',
  'CONCURRENCY_CONFLICT',
  'link-failed',
  'values-unconfirmed',
  'values-changed',
  // What we do not know, and what every object has.
  'A_CODE_OF_TOMORROW',
  'constructor',
])('leaves %s where it lies', code => {
  expect(isCertainlyWithoutRevision({ reason: because(code), wasSeen: false })).toBe(false);
});

test.each(['empty-file', 'file-changed', 'never-available', 'unknown-value', 'INVALID_PROPERTY'])(
  'puts back %s, unless its upload was seen',
  code => {
    expect(isCertainlyWithoutRevision({ reason: because(code), wasSeen: false })).toBe(true);
    expect(isCertainlyWithoutRevision({ reason: because(code), wasSeen: true })).toBe(false);
  },
);

test('puts back nothing that the service refused when it was to be submitted, but for its values', () => {
  const putBack = REASON_CODES.filter(code =>
    isCertainlyWithoutRevision({ reason: because(code), wasSeen: false }),
  );
  expect(putBack).toEqual(['INVALID_PROPERTY', 'INVALID_INPUT']);
});

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
  expect(isNamed(filter, { reason: because('perhaps-taken') })).toBe(named);
});
