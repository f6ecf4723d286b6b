import fc from 'fast-check';
import { foldText } from '../../../activities/host/fold-text';

test('the Unicode form in which a text was typed does not matter', () => {
  expect(foldText('E\u0301tage')).toBe(foldText('\u00c9tage'));
  expect(foldText('ＰＤＦ')).toBe('pdf');
});

test('case and white space around and between words do not matter, other characters do', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z0-9&+.-]{1,5}$/), { minLength: 1 }), words => {
      expect(foldText(`  ${words.join(' \n ').toUpperCase()}\t`)).toBe(foldText(words.join('_')));
    }),
  );
  expect(foldText('A&B')).not.toBe(foldText('A+B'));
  expect(foldText('1.0')).not.toBe(foldText('10'));
});
