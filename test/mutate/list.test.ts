// The list is kept: each bug can still be made, and each test that must notice it is there. Whether they
// do notice says `npm run mutate`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { putIn, ROOMS } from './bug';
import { BUGS } from './bugs';

const ROOT = join(__dirname, '..', '..');
const ADVICE = [
  'It no longer applies. Where the code only moved, correct its file in test/mutate/bugs/ (once for all bugs of a file).',
  'Where it was rewritten, write the same mistake into the new code. Where the mistake cannot be made any more, put another',
  'one of the same room in its place. Then: npm run mutate -- --only "<its description>"',
].join('\n');

test('there are bugs enough, of every room, and none twice', () => {
  expect(BUGS.length).toBeGreaterThanOrEqual(150);
  for (const room of ROOMS) {
    expect([room, BUGS.filter(bug => bug.room === room).length >= 10]).toEqual([room, true]);
  }
  expect(new Set(BUGS.map(({ file, from, to }) => JSON.stringify([file, from, to]))).size).toBe(BUGS.length);
  expect(new Set(BUGS.map(({ file, why }) => `${file}: ${why}`)).size).toBe(BUGS.length);
});

test('each still applies: what it replaces stands in its file exactly once', () => {
  const texts = new Map<string, string>();
  const stale = BUGS.filter(bug => {
    const path = join(ROOT, bug.file);
    const text = texts.get(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
    texts.set(path, text);
    return bug.from === bug.to || putIn(text, bug) === undefined;
  });
  expect(stale.map(({ file, why, from }) => `${file}: ${why}\n  ${from}\n${ADVICE}`)).toEqual([]);
});

test('the tests that must notice are there', () => {
  const gone = BUGS.flatMap(({ tests }) => tests.filter(file => !existsSync(join(ROOT, file))));
  expect([...new Set(gone)]).toEqual([]);
});
