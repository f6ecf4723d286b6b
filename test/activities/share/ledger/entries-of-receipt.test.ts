import type { Manifest } from '../../../../activities/share/batch/manifest';
import { DocumentWords } from '../../../../activities/share/drop/document-words';
import { entriesOfOutcomes, entriesOfReceipt } from '../../../../activities/share/ledger/entries-of-receipt';
import { makeReceipt } from '../../../../activities/share/receipt/make-receipt';
import type { Reason } from '../../../../workflows/contract';
import type { DocumentOutcome } from '../../../../workflows/ingest/ingest-contract';
import { submitted } from '../share-test-bed';

const RULES = { naming: 'file', words: new DocumentWords() } as const;
const REASON: Reason = { code: 'x', text: 'x', fix: 'x' };

const manifest: Manifest = {
  version: 1,
  batchId: '20260131-093000-k3f5a2',
  share: 'tender',
  project: { companyId: '1', projectId: '2' },
  createdAt: '2026-01-31T09:30:00.000Z',
  files: ['Package/E\u0301tage.pdf', 'b.pdf', 'empty.pdf'].map((path, index) => ({
    index,
    path,
    sizeBytes: index === 2 ? 0 : 10,
    mtimeNs: '1',
    mimeType: 'application/pdf',
    values: {},
    ...(index === 2 ? { refused: REASON } : { sha256: String(index).repeat(64) }),
  })),
};

const outcomes: DocumentOutcome[] = [
  {
    ...submitted(0),
    stored: [
      { label: 'Revision', value: ' P02 ' },
      { label: 'Number', value: '  ' },
    ],
  },
  { index: 1, kind: 'set-apart', reason: REASON },
];

const entry = {
  index: 0,
  path: 'Package/E\u0301tage.pdf',
  sha256: '0'.repeat(64),
  sizeBytes: 10,
  mimeType: 'application/pdf',
  name: '\u00c9tage.pdf',
  number: null,
  revision: 'P02',
  said: { number: null, revision: null },
  uploadId: 'U0',
  revisionId: 'R0',
  submittedAtMs: Date.UTC(2026, 0, 31, 9, 30),
};

test('of outcomes and of the receipt they end in, the same entries are made', () => {
  const now = new Date();
  const receipt = makeReceipt({ manifest, manifestSha256: '', outcomes, held: [], final: true, now });
  expect(entriesOfOutcomes(manifest, outcomes, RULES)).toEqual([entry]);
  expect(entriesOfReceipt(manifest, receipt, RULES)).toEqual([entry]);
});

test('values that are too long for a record are cut; a revision whose id was lost is noted without', () => {
  const [long] = entriesOfOutcomes(
    manifest,
    [
      {
        ...submitted(1),
        revisionId: null,
        stored: [{ label: 'number', value: 'x'.repeat(5_000) }],
      } as DocumentOutcome,
    ],
    { ...RULES, naming: 'stem' },
  );
  expect(long).toMatchObject({ index: 1, name: 'b', number: 'x'.repeat(2_000), revisionId: null });
});

test('an outcome of a file that the batch does not have, or that could not travel, is no entry', () => {
  expect(entriesOfOutcomes(manifest, [submitted(2), submitted(7)], RULES)).toEqual([]);
});

test('a Name that was said is noted as said, and is the document’s where no look at the service showed another', () => {
  const [first, ...others] = manifest.files;
  if (first === undefined) throw new Error('no file');
  const named = { ...manifest, files: [{ ...first, values: { Name: 'A-101' } }, ...others] };
  const said = { number: null, revision: null, name: 'A-101' };
  expect(entriesOfOutcomes(named, outcomes, RULES)).toEqual([{ ...entry, name: 'A-101', said }]);
  const stored = [{ label: 'Name', value: 'HBT-A-101' }];
  expect(entriesOfOutcomes(named, [{ ...submitted(0), stored }], RULES)).toMatchObject([
    { name: 'HBT-A-101', said },
  ]);
});

test('what the service stored, and what was said, is known by the labels of the project', () => {
  const fields = [
    { name: 'name', label: 'Document Name' },
    { name: 'revision', label: 'Index' },
    // Somebody else's, which its label alone would take for the document's.
    { name: 'client', label: 'Revision' },
  ];
  const rules = { ...RULES, words: new DocumentWords({ fields }) };
  const [first, ...others] = manifest.files;
  if (first === undefined) throw new Error('no file');
  const values = { Document_Name: 'A-101', Index: 'b' };
  const said = { number: null, revision: 'b', name: 'A-101' };
  const named = { ...manifest, files: [{ ...first, values }, ...others] };
  const silent = { ...submitted(0), stored: [{ label: 'Revision', value: 'R7' }] };
  expect(entriesOfOutcomes(named, [silent], rules)).toMatchObject([{ name: 'A-101', revision: 'b', said }]);
  const stored = [
    { label: 'Document Name', value: 'HBT-A-101' },
    { label: 'index', value: 'c' },
    { label: 'Number', value: '42' },
  ];
  expect(entriesOfOutcomes(named, [{ ...submitted(0), stored }], rules)).toMatchObject([
    { name: 'HBT-A-101', number: '42', revision: 'c', said },
  ]);
});
