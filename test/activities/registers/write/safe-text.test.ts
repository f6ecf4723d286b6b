import fc from 'fast-check';
import { toCsvText, toWorkbookText } from '../../../../activities/registers/write/safe-text';
import { startCpuTimer } from '../../../setup/cpu-time';

describe('toCsvText', () => {
  test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', '＝1', 'a;=1', 'a,=1', 'a\t+1', 'one\n-1', 'a;"=1"'])(
    'keeps a spreadsheet from running %j',
    text => {
      for (const piece of toCsvText(text).split(/[,;\t\r\n]/)) expect(piece).not.toMatch(/^[\s"]*[=+\-@＝]/);
    },
  );

  test('leaves ordinary texts as they are', () => {
    for (const text of ['A-101', 'x = 1', 'Level -1', 'a;b', 'Status: A4; Type: Drawing', '']) {
      expect(toCsvText(text)).toBe(text);
    }
  });

  test('a name of nothing but tabs costs no more than another', () => {
    const cpuMs = startCpuTimer();
    expect(toCsvText('\t'.repeat(200_000))).toMatch(/^'\t+…$/);
    expect(cpuMs()).toBeLessThan(1_000);
  });

  test('no text whatever begins a piece like a formula', () => {
    const texts = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', ' ', '"', ';', ',', '\t', '\n', 'a', "'"),
    });
    fc.assert(
      fc.property(texts, text => {
        for (const piece of toCsvText(text).split(/[,;\t\r\n]/)) expect(piece).not.toMatch(/^[\s"]*[=+\-@]/);
      }),
    );
  });
});

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
