// Which files are the present revision already, and which only look like it.
import type { Candidate, Earlier } from '../../../../activities/ledger/decide/candidate';
import { findPresent } from '../../../../activities/ledger/decide/find-present';
import { aCandidate, anEarlier } from './fixtures';

const OTHER_BYTES = { sha256: 'bytes-2' };

test.each<[string, Partial<Candidate>, readonly Partial<Earlier>[]]>([
  ['nothing is said of either', {}, [{}]],
  ['it was said then and not now', {}, [{ said: { number: 'A-101', revision: 'P01' }, revision: 'P01' }]],
  [
    'the same is said again, in another case',
    { number: 'a-101', revision: 'p01' },
    [{ said: { number: 'A-101', revision: 'P01' } }],
  ],
  ['what is said now was answered by a person then', { revision: 'P01' }, [{ revision: 'P01' }]],
  ['the service has made another name of the file’s', {}, [{ name: 'HBT-A-101' }]],
  ['it came in another folder', { path: 'again/A-101.pdf' }, [{}]],
  ['it came with another name’s case and accents', { name: 'E\u0301TAGE' }, [{ name: '\u00e9tage' }]],
  ['former revisions were other files', {}, [{}, OTHER_BYTES]],
  [
    'a later file of the same name has another Number',
    { number: 'A-101' },
    [{ ...OTHER_BYTES, said: { number: 'B-7', revision: null } }, { number: 'A-101' }],
  ],
])('skipped: %s', (_, candidate, revisions) => {
  const earlier = revisions.map(anEarlier);
  expect(findPresent(aCandidate(candidate), earlier)).toMatchObject({ sha256: 'bytes-1' });
});

test.each<[string, Partial<Candidate>, readonly Partial<Earlier>[]]>([
  ['nothing was sent', {}, []],
  ['the bytes are others', {}, [OTHER_BYTES]],
  ['another file came after it', {}, [OTHER_BYTES, {}]],
  ['another revision is said', { revision: 'P02' }, [{ said: { number: null, revision: 'P01' } }]],
  ['a revision is said where none was', { revision: 'P02' }, [{}]],
  ['another Number is said', { number: 'B-7' }, [{ number: 'A-101' }]],
  ['it is another kind of file', { mimeType: 'image/vnd.dwg' }, [{}]],
  ['neither the name nor the file’s name is the same', { name: 'B', path: 'B.pdf' }, [{}]],
])('sent: %s', (_, candidate, revisions) => {
  expect(findPresent(aCandidate(candidate), revisions.map(anEarlier))).toBeUndefined();
});
