import { KeptPages } from '../../../../client/console/serve/kept-pages';

let nowMs = 0;
let made = 0;
const make = () => ({ made: ++made });
let pages: KeptPages<{ readonly made: number }>;
beforeEach(() => {
  nowMs = 1_000;
  made = 0;
  pages = new KeptPages(() => nowMs);
});

test('who asks the same in one moment gets the same page, and nobody changes it', () => {
  const parts = [{}, 'away', undefined];
  const page = pages.of('all', parts, make);
  expect(pages.of('all', [...parts], make)).toBe(page);
  expect(Object.isFrozen(page)).toBe(true);
  expect(made).toBe(1);
});

test.each([
  ['another question', 'open', [1, 2], 0],
  ['something else that it is made of', 'all', [1, 3], 0],
  ['less that it is made of', 'all', [1], 0],
  ['more', 'all', [1, 2, 3], 0],
  ['another moment', 'all', [1, 2], 1_000],
])('%s has a page of its own', (_what, question, parts, laterMs) => {
  pages.of('all', [1, 2], make);
  nowMs += laterMs;
  expect(pages.of(question, parts, make)).toEqual({ made: 2 });
});

test('a page is as old as its making, however often it is asked for', () => {
  for (let times = 0; times < 6; times += 1, nowMs += 300) pages.of('all', [], make);
  expect(made).toBe(2);
});

test('of many questions those that were asked last are kept', () => {
  for (let at = 0; at < 20; at += 1) pages.of(`${at}`, [], make);
  pages.of('0', [], make);
  pages.of('20', [], make);
  expect(made).toBe(21);
  pages.of('0', [], make);
  expect(made).toBe(21);
  pages.of('1', [], make);
  expect(made).toBe(22);
});
