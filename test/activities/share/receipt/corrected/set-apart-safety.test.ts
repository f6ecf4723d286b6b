// What of all that was set apart goes again without a look, and what has to be corrected in a row before it.
import { REASON_CODES } from '../../../../../activities/service/reasons';
import {
  isCertainlyWithoutRevision,
  type NeededInRow,
  neededInRow,
} from '../../../../../activities/share/receipt/corrected/set-apart-safety';

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

test.each([
  'perhaps-submitted',
  'taken-by-a-person',
  'UNKNOWN_FAILURE',
  'set-apart-by-person',
  'constructor',
])('a row with %s goes on only where somebody says that it is to be sent', code => {
  expect(neededInRow({ reason: because(code), wasSeen: false })).toBe('send');
});

test.each<[string, boolean, NeededInRow]>([
  ['storage-refused', false, 'anything'],
  ['storage-refused', true, 'send'],
  ['unknown-value', false, 'anything'],
  // Its row is what was wrong: whoever corrects it answers for it.
  ['unknown-value', true, 'anything'],
  ['INVALID_PROPERTY', true, 'anything'],
  ['DUPLICATE_REVISION', true, 'revision'],
])('of a row with %s, its upload seen: %s, there has to be corrected: %s', (code, wasSeen, needed) => {
  expect(neededInRow({ reason: because(code), wasSeen })).toBe(needed);
});
