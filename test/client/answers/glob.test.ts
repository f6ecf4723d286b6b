import { compileGlob } from '../../../client/answers/glob';

test.each([
  ['A-*', 'Package/A-1.pdf', true],
  ['a-*', 'Package/sub/A-1.pdf', true],
  ['A-*', 'Package/BA-1.pdf', false],
  ['A-?', 'Package/A-1.pdf', true],
  ['A-?', 'Package/A-10.pdf', false],
  ['*.pdf', 'A-1.pdf', true],
  ['*.pdf', 'A-1.dwg', false],
  ['A-1', 'Package/A-1.pdf', true],
  ['sub/*', 'Package/sub/A-1.pdf', true],
  ['sub/*', 'Package/sub/deep/A-1.pdf', false],
  ['sub/**', 'Package/sub/deep/A-1.pdf', true],
  ['Package/**/A-1.pdf', 'Package/A-1.pdf', true],
  ['Package\\A-1.pdf', 'Package/A-1.pdf', true],
  ['plan (1)+[x].pdf', 'Package/plan (1)+[x].pdf', true],
  ['A.1', 'Package/AX1.pdf', false],
  ['Übersicht*', 'Package/Übersicht 1.pdf', true],
])('%s and %s: %s', (glob, path, fits) => {
  expect(compileGlob(glob)(path)).toBe(fits);
});
