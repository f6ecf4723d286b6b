import type { LedgerDocument, LookUp } from '../../../activities/ledger/index-keys';
import type { LedgerIndex } from '../../../activities/ledger/ledger-index';
import { lookUpKnown } from '../../../activities/ledger/look-up-known';
import { DUPLICATE_DEFAULTS } from '../../../activities/share/share-config';
import { aContent, anEntry, BATCH } from '../share/ledger/ledger-test-bed';
import { aCandidate } from './decide/fixtures';

const WHERE = { project: { companyId: '1', projectId: '2' }, shares: [] };
const RULES = DUPLICATE_DEFAULTS;
const SENT = { name: 'A-101', path: 'x/A-101.pdf', number: null, sha256: 'bytes-1' };

function aDocument(index: number, changes: Partial<LedgerDocument> = {}): LedgerDocument {
  const { entries: _entries, ...common } = aContent();
  return { ...anEntry(index), ...common, batchId: BATCH, part: 1, submittedAtMs: index, ...changes };
}

/** An index with these alone. */
function indexOf(...documents: readonly LedgerDocument[]) {
  const asked: string[] = [];
  const texts = ({ sha256, name, number }: LedgerDocument) =>
    ({ sha256, name, number, upload: null, revision: null }) satisfies Record<LookUp, string | null>;
  const find: LedgerIndex['find'] = async (by, text) => {
    asked.push(`${by} ${text}`);
    return documents.filter(one => texts(one)[by] === text);
  };
  return { find, asked };
}

const placesOf = async (index: Pick<LedgerIndex, 'find'>, candidate = aCandidate()) =>
  (await lookUpKnown(index, candidate, RULES, WHERE)).revisions.map(({ index: place }) => place);

test('of a file that nobody has sent, one look-up is all', async () => {
  const index = indexOf(aDocument(1, { name: 'A-101' }));
  expect(await placesOf(index)).toEqual([]);
  expect(index.asked).toEqual(['sha256 bytes-1']);
});

test('of one that says its revision, those of its document are looked up, unless nobody asks', async () => {
  const index = indexOf(aDocument(1, { name: 'A-101' }));
  const candidate = aCandidate({ revision: 'P01' });
  expect(await placesOf(index, candidate)).toEqual([1]);
  const rules = { ...RULES, earlier: 'send' as const };
  expect(await lookUpKnown(index, candidate, rules, WHERE)).toEqual({ revisions: [], sameBytes: [] });
  const { revisions } = await lookUpKnown(index, aCandidate(), { ...rules, mode: 'new-only' }, WHERE);
  expect(revisions).toHaveLength(1);
});

test('all revisions by name and Number, each once, the newest first', async () => {
  const index = indexOf(
    aDocument(1, { ...SENT, number: 'N-1' }),
    aDocument(2, { name: 'A-101', number: 'N-1' }),
    aDocument(3, { name: 'A-101_P03', number: 'N-1' }),
    aDocument(4, { name: 'A-101', number: 'N-1', mimeType: 'image/vnd.dwg' }),
  );
  expect(await placesOf(index, aCandidate({ number: 'N-1' }))).toEqual([3, 2, 1]);
});

test('also by the name that the service has made of the file’s', async () => {
  const index = indexOf(aDocument(1, { ...SENT, name: 'HBT-A-101' }), aDocument(2, { name: 'HBT-A-101' }));
  expect(await placesOf(index)).toEqual([2, 1]);
});

test('where a Name is said, the document of another file of the same name is not looked up', async () => {
  const sent = { ...SENT, path: 'A-101/plan.pdf' };
  const index = indexOf(
    aDocument(1, sent),
    aDocument(2, { ...sent, said: { ...sent, name: 'A-101', revision: null } }),
  );
  const candidate = aCandidate({ name: 'A-102', isNameSaid: true, path: 'A-102/plan.pdf' });
  expect(await placesOf(index, candidate)).toEqual([]);
  expect(await placesOf(index, { ...candidate, name: 'A-101' })).toEqual([2, 1]);
});

test('a Number that many names have is not taken for a document’s', async () => {
  const many = Array.from({ length: 31 }, (_, at) => aDocument(at + 2, { name: `B-${at}`, number: 'N-1' }));
  const index = indexOf(aDocument(1, { ...SENT, number: 'N-1' }), ...many);
  expect(await placesOf(index, aCandidate({ number: 'N-1' }))).toEqual([1]);
});
