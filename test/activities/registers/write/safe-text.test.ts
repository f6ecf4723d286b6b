import { toWorkbookText } from '../../../../activities/registers/write/safe-text';

describe('toWorkbookText', () => {
  test.each([
    ['a\u0000b\u0001c', 'a\uFFFDb\uFFFDc'],
    ['half \uD83D', 'half \uFFFD'],
    ['whole 😀', 'whole 😀'],
    ['_x0041_', '_x005F_x0041_'],
    ['a_x_b', 'a_x_b'],
    ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['tab\tstays', 'tab\tstays'],
  ])('makes of %j what an XML file can hold', (text, expected) => {
    expect(toWorkbookText(text)).toBe(expected);
  });

  test('cuts what no cell can hold, and not in the middle of a character', () => {
    const cut = toWorkbookText(`${'😀'.repeat(20_000)}`);
    expect(cut.length).toBeLessThanOrEqual(32_767);
    expect(cut.endsWith('…')).toBe(true);
    expect(cut).not.toMatch(/\p{Surrogate}/u);
  });
});
