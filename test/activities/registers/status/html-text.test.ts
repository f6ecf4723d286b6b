import fc from 'fast-check';
import { escapeHtml, showText } from '../../../../activities/registers/status/html-text';

describe('showText', () => {
  test.each([
    ['a & b', '<bdi>a &amp; b</bdi>'],
    ['\u202Egpj.exe', '<bdi><small>RLO</small>gpj.exe</bdi>'],
    ['a\u0000b\u0085', '<bdi>a<small>U+0000</small>b<small>U+0085</small></bdi>'],
    ['one\ntwo', '<bdi>one<small>↵</small>two</bdi>'],
    [' x  ', '<bdi>·x··</bdi>'],
    ['half \uD83D', '<bdi>half \uFFFD</bdi>'],
    ['ملف', '<bdi>ملف</bdi>'],
    ['\u{E0041}', '<bdi><small>U+E0041</small></bdi>'],
  ])('%j', (text, expected) => {
    expect(showText(text)).toBe(expected);
  });

  test('no text whatever brings markup of its own', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const inner = showText(text).replace(/<\/?(bdi|small)>/g, '');
        expect(inner).not.toMatch(/[<>"']/);
        expect(escapeHtml(text)).not.toMatch(/[<>"']/);
      }),
    );
  });
});
