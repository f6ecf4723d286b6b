import { isIgnoredName } from '../../../../activities/registers/words/ignored-names';
import { findNameFault } from '../../../../activities/share/drop/drop-names';

describe('isIgnoredName', () => {
  test.each([
    'a.part',
    'a.PARTIAL',
    'a.crdownload',
    'a.tmp',
    '~$plan.docx',
    '.~lock.plan.odt#',
    'Thumbs.db',
    'desktop.ini',
    '.DS_Store',
    '._plan.pdf',
    '.hidden',
    '.nfs0000000000a1',
  ])('ignores %s', name => {
    expect(isIgnoredName(name)).toBe(true);
  });

  test.each(['plan.pdf', 'a.part.pdf', 'party.doc', '~plan.pdf', 'tmp', 'A & B + C.pdf', '図面.pdf'])(
    'takes %s',
    name => {
      expect(isIgnoredName(name)).toBe(false);
    },
  );
});

describe('findNameFault', () => {
  test.each([
    ['line\nbreak.pdf', 'control-characters'],
    ['tab\t.pdf', 'control-characters'],
    ['invoice\u202Efdp.exe', 'direction-marks'],
    [`${'é'.repeat(130)}.pdf`, 'too-long'],
    ['   ', 'blank-name'],
    ['\u3000\u200b', 'blank-name'],
  ])('finds what is wrong with %j', (name, fault) => {
    expect(findNameFault(name)).toBe(fault);
  });

  test.each([
    'A & B + C (1).pdf',
    'e\u0301.pdf',
    '図面 101.pdf',
    `${'a'.repeat(196)}.pdf`,
    ' x .pdf',
    "=cmd|'.pdf",
  ])('finds nothing wrong with %j', name => {
    expect(findNameFault(name)).toBeUndefined();
  });
});
