import { foldHeader, isFileHeader } from '../../../activities/registers/column-words';
import { startCpuTimer } from '../../setup/cpu-time';

test.each(['Document No', ' document_no. ', 'DOCUMENT  NO *', '*Document\nNo:', 'Ｄocument No'])(
  'the header %j is "document no"',
  header => {
    expect(foldHeader(header)).toBe('document no');
  },
);

test.each([
  ['File', true],
  ['FILE_NAME *', true],
  ['Dateiname', true],
  ['Nom du fichier', true],
  ['Title', false],
  ['Profile', false],
  ['', false],
])('the header %j names a file: %p', (header, isFile) => {
  expect(isFileHeader(header)).toBe(isFile);
});

test('headers that go on without an end are folded in a moment', () => {
  const header = `${'.'.repeat(32_000)}x`;
  const cpuMs = startCpuTimer();
  for (let times = 0; times < 20; times += 1) expect(foldHeader(header)).toBe(header);
  expect(cpuMs()).toBeLessThan(2_000);
});
