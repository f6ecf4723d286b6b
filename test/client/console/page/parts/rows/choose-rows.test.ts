import {
  chooseAll,
  extendTo,
  NONE_CHOSEN,
  toClipboardTable,
  toggle,
} from '../../../../../../client/console/page/parts/rows/choose-rows';

const ORDER = ['a', 'b', 'c', 'd'];

test('a range goes from where it began, in either direction, and keeps what was chosen besides', () => {
  const begun = toggle(toggle(NONE_CHOSEN, 'a'), 'c');
  const down = extendTo(begun, 'd', ORDER);
  expect([...down.keys].sort()).toEqual(['a', 'c', 'd']);
  expect([...extendTo(down, 'b', ORDER).keys].sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('all that fit are chosen, and none when they are all chosen', () => {
  const all = chooseAll(NONE_CHOSEN, ORDER);
  expect(all.keys.size).toBe(4);
  expect(chooseAll(all, ORDER)).toEqual(NONE_CHOSEN);
  expect(toggle(all, 'b').keys.has('b')).toBe(false);
});

test('a copied cell stays one cell, and is no formula', () => {
  expect(
    toClipboardTable([
      ['a\tb', null],
      ['=1+1', 'c\r\nd'],
    ]),
  ).toBe("a b\t\r\n'=1+1\tc d");
});
