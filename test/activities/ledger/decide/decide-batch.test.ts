// What the files of a batch show by themselves: held are those that a person must look at, and no others.
import type { Candidate } from '../../../../activities/ledger/decide/candidate';
import { decideBatch } from '../../../../activities/ledger/decide/decide-batch';
import { rulesFor } from '../../../../activities/ledger/decide/duplicate-rules';
import type { DuplicateRules } from '../../../../activities/share/share-config';
import { aCandidate } from './fixtures';

function held(files: readonly Partial<Candidate>[], rules: Partial<DuplicateRules> = {}): string[] {
  const candidates = files.map((file, index) => aCandidate({ sha256: `bytes of ${index}`, ...file, index }));
  const stops = decideBatch(candidates, one => rulesFor(rules, one));
  return [...stops].map(([index, { kind, reason }]) => `${index} ${kind} ${reason.code}`).sort();
}

const named = (name: string, changes: Partial<Candidate> = {}) => ({
  name,
  path: `TR/${name}.pdf`,
  ...changes,
});
const SAME = { sha256: 'the same' };

test.each<[string, readonly Partial<Candidate>[], string[]]>([
  ['files of their own', [named('A'), named('B')], []],
  [
    'the same bytes under two names',
    [named('A', SAME), named('B', SAME), named('C')],
    ['0 hold same-bytes-in-job', '1 hold same-bytes-in-job'],
  ],
  ['the same file in two folders', [named('A', SAME), named('A', { ...SAME, path: 'again/A.pdf' })], []],
  [
    'two files of one name',
    [named('A'), named('a', { path: 'again/a.pdf' })],
    ['0 hold no-order', '1 hold no-order'],
  ],
  ['a PDF and a DWG of one name', [named('A'), named('A', { mimeType: 'image/vnd.dwg' })], []],
  ['two revisions of one name', [named('A', { revision: 'P01' }), named('A', { revision: 'P02' })], []],
  [
    'two files of one revision',
    [named('A', { revision: 'P01' }), named('A', { revision: 'p1' })],
    ['0 hold no-order', '1 hold no-order'],
  ],
  [
    'revisions of two schemes, of one Number',
    [named('A', { revision: 'P01', number: 'N' }), named('B', { revision: '1', number: 'N' })],
    ['0 hold no-order', '1 hold no-order'],
  ],
  [
    'a row says that it is meant',
    [named('A', { ...SAME, action: 'send' }), named('B', SAME)],
    ['1 hold same-bytes-in-job'],
  ],
])('%s', (_, files, expected) => {
  expect(held(files)).toEqual(expected);
});

test('a share may want none of it', () => {
  const files = [named('A', SAME), named('B', SAME), named('C'), named('C')];
  expect(held(files, { sameBytes: 'send', noOrder: 'send' })).toEqual([]);
});

test('a number that a pattern reads from many names is no document’s', () => {
  const sheets = Array.from({ length: 31 }, (_, at) => named(`sheet ${at}`, { number: 'A-1' }));
  expect(held(sheets)).toEqual([]);
});

test('of any files, the same are held in whatever order they come', () => {
  const kinds = [named('A'), named('A', SAME), named('B', SAME), named('C', { revision: 'P01' }), named('C')];
  for (let turn = 0; turn < kinds.length; turn += 1) {
    const turned = [...kinds.slice(turn), ...kinds.slice(0, turn)];
    const places = held(turned).map(text => (Number(text.slice(0, 1)) + turn) % kinds.length);
    expect(places.toSorted()).toEqual([0, 1, 2, 3, 4]);
  }
});
