import { renameTo, wishName } from '../../../../activities/ingest/decide/name-document';
import { nameOfFile, stemOf } from '../../../../activities/share/drop/name-of-file';
import { requirement, rulesOf } from './fixtures';

const pdf = (fileName: string) => ({ fileName, mimeType: 'application/pdf' });
const unknown = (fileName: string) => ({ fileName, mimeType: 'application/octet-stream' });

test.each([
  [pdf('W-001.pdf'), 'W-001'],
  [unknown('tower.rvt'), 'tower'],
  [{ fileName: 'model.7z', mimeType: 'application/x-7z-compressed' }, 'model'],
  [unknown('Report v1.2'), 'Report v1.2'],
  [pdf('a.b.pdf'), 'a.b'],
  [unknown('.profile'), '.profile'],
  [unknown('name.'), 'name.'],
  [pdf('E\u0301tage.pdf'), '\u00c9tage'],
])('the stem of %j is %j', (file, stem) => {
  expect(stemOf(file)).toBe(stem);
});

test('what is wished for: the given name, else the file’s; firmly, unless the service is to decide', () => {
  const plain = rulesOf([requirement('r')]);
  const standard = rulesOf([requirement('r', {}, [], { scrapedFieldIds: [] })]);
  const file = { ...pdf('W-001_A.pdf'), values: {} };
  const named = { ...file, values: { Name: 'W-001' } };
  expect(wishName(plain, file, 'stem')).toEqual({ text: 'W-001_A', isFirm: true });
  expect(wishName(plain, file, 'file')).toEqual({ text: 'W-001_A.pdf', isFirm: true });
  expect(wishName(plain, file, 'service')).toEqual({ text: 'W-001_A', isFirm: false });
  expect(wishName(standard, file, 'file')).toEqual({ text: 'W-001_A.pdf', isFirm: false });
  for (const naming of ['stem', 'file', 'service'] as const) {
    expect(wishName(standard, named, naming)).toEqual({ text: 'W-001', isFirm: true });
  }
});

test('a Mac’s decomposed name goes out composed', () => {
  expect(nameOfFile(pdf('e\u0301.pdf'), 'file')).toBe('\u00e9.pdf');
});

test.each([
  ['the service’s own name', { names: ['scan 1'], nameSource: 'SCRAPED' }, true],
  ['a name of which nobody says whose it is', { names: ['scan 1'] }, true],
  ['a name that a person gave', { names: ['scan 1'], nameSource: 'MANUAL' }, false],
  ['the wished name, decomposed', { names: ['e\u0301'] }, false],
  ['no name yet', { names: [' '] }, false],
])('%s is replaced: %j, %j', (_, shown, isReplaced) => {
  const wanted = isReplaced ? { fieldId: 'F1', values: ['\u00e9'] } : undefined;
  expect(renameTo({ text: '\u00e9', isFirm: true }, shown, 'F1')).toEqual(wanted);
  expect(renameTo({ text: '\u00e9', isFirm: false }, shown, 'F1')).toBeUndefined();
});
