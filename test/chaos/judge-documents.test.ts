// By which name a revision is found: the field's, as long as something was dropped under it.
import { DocumentIndex } from './judge-documents';

const documents = new DocumentIndex([
  { path: 'sheet-086.pdf', sha256: 'first' },
  { path: 'sheet-086.pdf', sha256: 'second' },
  { path: 'sheet-083.txt', sha256: 'other' },
]);

test.each([
  ['the field', 'sheet-086.pdf', 'sheet-083.txt', 'sheet-086.pdf'],
  [
    'the field of a file that made way for another',
    'sheet-086 (2).pdf',
    'sheet-083.txt',
    'sheet-086 (2).pdf',
  ],
  ['the file, where a naming standard computes the field', 'TEST4-SP-I-17', 'sheet-083.txt', 'sheet-083.txt'],
])('a revision is called by %s', (_, name, fileName, called) => {
  expect(documents.calledOf({ name, fileName })).toBe(called);
});

test('bytes are found under every path that they were dropped at, or given when they made way', () => {
  const claimed = ['sheet-086.pdf', 'sheet-086 (2).pdf', 'sheet-083 (2).txt'];
  expect(documents.pathsOf('second', claimed)).toEqual(['sheet-086.pdf', 'sheet-086 (2).pdf']);
  expect(documents.pathsOf('second', [])).toEqual(['sheet-086.pdf']);
  expect(documents.pathsOf('never dropped', claimed)).toEqual([]);
});

test('a document that made way for another is one that was dropped', () => {
  expect(documents.allowed('sheet-086 (2).pdf', 'second')).toBe(1);
  expect(documents.allowed('sheet-083.txt', 'second')).toBe(0);
});
