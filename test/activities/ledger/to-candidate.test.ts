// A file of a batch as it is compared with what was sent before.
import { toCandidate } from '../../../activities/ledger/to-candidate';
import type { Manifest } from '../../../activities/share/batch/manifest';
import { DocumentWords } from '../../../activities/share/drop/document-words';
import { POLICY } from '../share/share-test-bed';

const FIELDS = [
  { name: 'name', label: 'Document Name' },
  { name: 'revision', label: 'Index' },
];
const NONE = { name: 'form.pdf', isNameSaid: false, revision: undefined };

/** A pattern may call one field by its name and by its label. */
const TWO = { name: 'Form B', 'Document Name': 'Form C' };

test.each([
  ['by labels in its row', FIELDS, { Index: 'a' }, ['form.pdf', 'Form A', 'b'], 'Form A', 'b'],
  ['by labels in its name, where the row is silent', FIELDS, { Index: 'a' }, ['form.pdf'], undefined, 'a'],
  ['by its name for the service in its name', FIELDS, { name: 'Form B' }, ['form.pdf'], 'Form B', undefined],
  ['of two that a pattern gives, by the last', FIELDS, TWO, ['form.pdf'], 'Form C', undefined],
  ['not by labels that nobody knows', undefined, { Index: 'a' }, ['', 'Form A', 'b'], undefined, undefined],
])('%s', (_, fields, values, cells, name, revision) => {
  const file = {
    index: 0,
    path: 'TR/form.pdf',
    sizeBytes: 1,
    mtimeNs: '1',
    mimeType: 'application/pdf',
    sha256: '0'.repeat(64),
    values,
    entry: { register: 0, row: { number: 2, cells } },
  };
  const headers = ['File', 'Document Name', 'Index'];
  const manifest: Manifest = {
    version: 1,
    batchId: '20260131-093000-k3f5a2',
    share: 'tender',
    project: { companyId: '1', projectId: '2' },
    createdAt: '2026-01-31T09:30:00.000Z',
    files: [file],
    registers: [{ path: 'r.csv', sizeBytes: 1, sha256: '', headers, notThere: [], notices: [] }],
  };
  const words = new DocumentWords({ fields });
  expect(toCandidate({ policy: POLICY }, manifest, file, words)).toMatchObject({
    ...NONE,
    ...(name === undefined ? {} : { name, isNameSaid: true }),
    revision,
  });
  const refused = { ...file, refused: { code: 'x', text: 'x', fix: 'x' } };
  expect(toCandidate({ policy: POLICY }, manifest, refused, words)).toBeUndefined();
});
