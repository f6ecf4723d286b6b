// Which documents are held, by what the ledger shows, and in which words.
import type { Candidate, Earlier } from '../../../../activities/ledger/decide/candidate';
import { decideDocument } from '../../../../activities/ledger/decide/decide-document';
import { rulesFor } from '../../../../activities/ledger/decide/duplicate-rules';
import type { DuplicateRules } from '../../../../activities/share/share-config';
import { aCandidate, anEarlier } from './fixtures';

const OTHER_BYTES = { sha256: 'bytes-2' };
const OTHER_NAME = { name: 'A-100', path: 'TR-0142/A-100.pdf' };
const OF_FOLDER = { name: 'A-102', isNameSaid: true, path: 'A-102/plan.pdf' };
const IN_FOLDER = { name: 'A-101', path: 'A-101/plan.pdf' };
const NOTHING = { number: null, revision: null };
const sent = (revision: string, changes: Partial<Earlier> = {}) =>
  anEarlier({ ...OTHER_BYTES, revision, said: { number: null, revision }, ...changes });

interface Case {
  readonly candidate?: Partial<Candidate>;
  readonly revisions?: readonly Earlier[];
  readonly sameBytes?: readonly Earlier[];
  readonly rules?: Partial<DuplicateRules>;
}

function decide({ candidate = {}, revisions = [], sameBytes = [], rules }: Case): string {
  const one = aCandidate(candidate);
  const decided = decideDocument(one, { revisions, sameBytes }, rulesFor(rules, one));
  return decided === undefined ? 'send' : `${decided.kind} ${decided.reason.code}`;
}

test.each<[string, Case, string]>([
  ['nothing is known', {}, 'send'],
  [
    'it is the present revision',
    { revisions: [anEarlier()], sameBytes: [anEarlier()] },
    'skip already-there',
  ],
  [
    'it is the present revision, and people want to be asked',
    { revisions: [anEarlier()], rules: { sameFile: 'hold' } },
    'hold already-there',
  ],
  ['the bytes went under another name', { sameBytes: [anEarlier(OTHER_NAME)] }, 'hold same-bytes'],
  [
    'the bytes went under both names',
    { sameBytes: [anEarlier(OTHER_NAME), anEarlier()], revisions: [sent('P02')] },
    'send',
  ],
  [
    'the service has made another name of the file’s',
    { sameBytes: [anEarlier({ name: 'HBT-A-101' })] },
    'send',
  ],
  [
    'the bytes went in another folder, and each says what its document is called',
    { candidate: OF_FOLDER, sameBytes: [anEarlier({ ...IN_FOLDER, said: { ...NOTHING, name: 'A-101' } })] },
    'send',
  ],
  [
    'the bytes went in another folder, of which nobody knows whether it said a name',
    { candidate: OF_FOLDER, sameBytes: [anEarlier(IN_FOLDER)] },
    'hold same-bytes',
  ],
  [
    'a later revision is there',
    { candidate: { revision: 'P01' }, revisions: [sent('P02')] },
    'hold later-there',
  ],
  [
    'a later revision is there behind one that cannot be compared',
    { candidate: { revision: 'P01' }, revisions: [sent('first issue'), sent('P02')] },
    'hold later-there',
  ],
  [
    'the preliminary issue comes after the contractual one',
    { candidate: { revision: 'P09' }, revisions: [sent('C01')] },
    'hold later-there',
  ],
  ['an earlier revision is there', { candidate: { revision: 'P03' }, revisions: [sent('P02')] }, 'send'],
  ['the same revision is there', { candidate: { revision: 'P02' }, revisions: [sent('P02')] }, 'send'],
  ['revisions are of two schemes', { candidate: { revision: 'A' }, revisions: [sent('2')] }, 'send'],
  [
    'the later one is of its own batch, which was put in order',
    { candidate: { revision: 'P01' }, revisions: [sent('P02', { batchId: aCandidate().batchId })] },
    'send',
  ],
  [
    'the later one is of another Number',
    {
      candidate: { revision: 'P01', number: 'A-101' },
      revisions: [sent('P02', { number: 'B-7', said: { number: 'B-7', revision: 'P02' } })],
    },
    'send',
  ],
  [
    'a former file comes again and says nothing',
    { revisions: [anEarlier(OTHER_BYTES), anEarlier()], sameBytes: [anEarlier()] },
    'hold later-there',
  ],
  [
    'a former file comes again under the revision that another one has had since',
    {
      candidate: { revision: 'P01' },
      revisions: [sent('P01'), sent('P01', { sha256: 'bytes-1' })],
      sameBytes: [anEarlier()],
    },
    'hold later-there',
  ],
  [
    'a former file comes again as a new revision',
    {
      candidate: { revision: 'P03' },
      revisions: [sent('P02'), sent('P01', { sha256: 'bytes-1' })],
      sameBytes: [anEarlier()],
    },
    'send',
  ],
  [
    'only new ones, and it is there',
    { rules: { mode: 'new-only' }, revisions: [sent('P01')] },
    'hold not-new',
  ],
  ['only new ones, and it is', { rules: { mode: 'new-only' } }, 'send'],
  ['only known ones, and it is not', { rules: { mode: 'supersede-only' } }, 'hold not-there'],
  ['only known ones, and it is', { rules: { mode: 'supersede-only' }, revisions: [sent('P01')] }, 'send'],
])('%s', (_, what, decided) => {
  expect(decide(what)).toBe(decided);
});

const EVERYTHING: Case = {
  candidate: { revision: 'P01' },
  revisions: [sent('P02')],
  sameBytes: [anEarlier(OTHER_NAME)],
};

test.each<[string, string]>([
  ['Send', 'send'],
  [' NEW-ONLY ', 'hold not-new'],
  ['supersede', 'hold same-bytes'],
  ['for review', 'hold same-bytes'],
])('its row says "%s"', (action, decided) => {
  expect(decide({ ...EVERYTHING, candidate: { ...EVERYTHING.candidate, action } })).toBe(decided);
});

test('a row’s "auto" goes before the mode of the share', () => {
  expect(decide({ candidate: { action: 'auto' }, rules: { mode: 'supersede-only' } })).toBe('send');
});

test('each doubt is asked for once, and no other is put aside with it', () => {
  const next = (...meant: string[]) =>
    decide({ ...EVERYTHING, candidate: { revision: 'P01', meant }, rules: { mode: 'new-only' } });
  expect(next()).toBe('hold not-new');
  expect(next('not-new')).toBe('hold same-bytes');
  expect(next('not-new', 'same-bytes-in-job')).toBe('hold later-there');
  expect(next('not-new', 'same-bytes', 'later-there')).toBe('send');
});

test('the reasons name the other file, its revision, the day, and where it came from', () => {
  const candidate = aCandidate({ revision: 'P01' });
  const reasonOf = (what: Case) =>
    decideDocument(
      candidate,
      { revisions: [], sameBytes: [], ...what },
      rulesFor({ ...what.rules }, candidate),
    )?.reason.text;
  expect(reasonOf({ sameBytes: [anEarlier({ ...OTHER_NAME, revision: 'P02' })] })).toBe(
    'The same file was sent as "A-100.pdf" on 3 May 2026 (revision P02 of "A-100" in "TR-0142", revision id R1).',
  );
  expect(reasonOf({ revisions: [sent('P02', { number: 'A-101' })] })).toBe(
    'A later revision is there already: revision P02 of "A-101" (sent on 3 May 2026 in "TR-0142", revision id R1). Sent now, revision P01 would supersede it.',
  );
  expect(
    decideDocument(
      aCandidate(),
      { revisions: [anEarlier({ job: null, revisionId: null })], sameBytes: [] },
      rulesFor(undefined, {}),
    )?.reason.text,
  ).toBe(
    'This very file was sent before, and nothing newer of its document since then: "A-101" (sent on 3 May 2026 in batch 20260503-120000-aaaaaa). Nothing was sent.',
  );
});
