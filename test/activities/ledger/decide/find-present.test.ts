// Which files are the present revision already, and which only look like it.
import type { Candidate, Earlier } from '../../../../activities/ledger/decide/candidate';
import { findPresent } from '../../../../activities/ledger/decide/find-present';
import { aCandidate, anEarlier } from './fixtures';

const OTHER_BYTES = { sha256: 'bytes-2' };
/** A file of one name in many folders, each of which says what the document is called. */
const ofFolder = (name: string): Partial<Candidate> => ({
  name,
  isNameSaid: true,
  path: `${name}/plan.pdf`,
});
const sentAs = (name: string, changes: Partial<Earlier> = {}): Partial<Earlier> => ({
  name,
  path: `${name}/plan.pdf`,
  said: { name, number: null, revision: null },
  ...changes,
});

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
  ['its Name is said again', ofFolder('a-101'), [sentAs('A-101', { path: 'TR-0142/A-101/plan.pdf' })]],
  ['its Name was stored then', ofFolder('A-101'), [{ path: 'A-101/plan.pdf' }]],
  ['its Name was corrected by a person then', ofFolder('A-1O1'), [sentAs('A-1O1', { name: 'A-101' })]],
  ['its Name was said then and not now', { name: 'plan', path: 'plan.pdf' }, [sentAs('A-101')]],
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
  ['another Name is said of a file of the same name', ofFolder('A-102'), [sentAs('A-101')]],
  [
    'another Name is said than was stored before it was kept what was said',
    ofFolder('A-102'),
    [{ path: 'A-101/plan.pdf' }],
  ],
  ['a Name is said where none was', ofFolder('A-102'), [{ name: 'plan', path: 'plan.pdf' }]],
])('sent: %s', (_, candidate, revisions) => {
  expect(findPresent(aCandidate(candidate), revisions.map(anEarlier))).toBeUndefined();
});
