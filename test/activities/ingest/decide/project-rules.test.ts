import fc from 'fast-check';
import { findField, fold } from '../../../../activities/ingest/decide/project-rules';
import { FIELDS, field, NUMBER, TYPE } from './fixtures';

describe('findField', () => {
  const authored = field('date_authored', 'timestamp', { label: 'Authored on' });
  const fields = [...FIELDS, authored];

  test.each([
    ['type', TYPE],
    ['TYPE', TYPE],
    ['  Type ', TYPE],
    ['date_authored', authored],
    ['Date Authored', authored],
    ['authored  ON', authored],
    ['Authored\u00a0on', authored],
    ['nothing', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('%j', (given, expected) => {
    expect(findField(fields, given)).toEqual(expected);
  });

  test('a name goes before a label', () => {
    const impostor = field('kind', 'string', { label: 'Number' });
    expect(findField([impostor, ...fields], 'number')).toBe(NUMBER);
    expect(findField([impostor, ...fields], 'kind')).toBe(impostor);
  });

  test('a label that two fields have names neither; their names still do', () => {
    const one = field('zone_1', 'string', { label: 'Zone' });
    const two = field('zone_2', 'string', { label: 'zone' });
    expect(findField([one, two], 'Zone')).toBeUndefined();
    expect(findField([one, two], 'zone 2')).toBe(two);
  });
});

describe('fold', () => {
  test('the Unicode form in which a text was typed does not matter', () => {
    expect(fold('E\u0301tage')).toBe(fold('\u00c9tage'));
    expect(fold('ＰＤＦ')).toBe('pdf');
  });

  test('case and white space around and between words do not matter, other characters do', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9&+.-]{1,5}$/), { minLength: 1 }), words => {
        expect(fold(`  ${words.join(' \n ').toUpperCase()}\t`)).toBe(fold(words.join('_')));
      }),
    );
    expect(fold('A&B')).not.toBe(fold('A+B'));
    expect(fold('1.0')).not.toBe(fold('10'));
  });
});
