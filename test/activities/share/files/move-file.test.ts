// Names beside names that are taken: numbered, and never too long for a file system.
import { withSuffix } from '../../../../activities/share/files/move-file';

test.each([
  ['done/plan.pdf', 'done/plan (2).pdf'],
  ['done/plan', 'done/plan (2)'],
  ['done/.plan', 'done/.plan (2)'],
  ['a.b/plan', 'a.b/plan (2)'],
])('%s becomes %s', (path, expected) => {
  expect(withSuffix(path, 2)).toBe(expected);
  expect(withSuffix(Buffer.from(path), 2)).toEqual(Buffer.from(expected));
});

test.each([
  ['a name', `${'x'.repeat(251)}.pdf`],
  ['a name of wide letters', `${'ü'.repeat(125)}.pdf`],
  ['a name of pairs', `${'🏗'.repeat(62)}.pdf`],
  ['a name that is nearly all ending', `a.${'x'.repeat(253)}`],
])('%s of the longest kind gives way to its number', (_, name) => {
  const suffixed = withSuffix(`done/${name}`, 10_000) as string;
  expect(Buffer.byteLength(suffixed.slice('done/'.length))).toBeLessThanOrEqual(255);
  expect(suffixed).toMatch(/ \(10000\)/);
  expect(Buffer.from(suffixed).toString('utf8')).toBe(suffixed);
});
