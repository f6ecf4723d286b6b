import fc from 'fast-check';
import { resolveText, takesIds } from '../../../../activities/ingest/decide/resolve-text';
import { field } from './fixtures';

const resolved = (value: string) => ({ kind: 'resolved', value });

describe('a number', () => {
  const numeric = field('sheet_count', 'numeric');

  test.each([
    ['12', '12'],
    [' 12.50 ', '12.50'],
    ['12,5', '12.5'],
    ['-0,125', '-0.125'],
    ['1234,567', '1234.567'],
    ['1.234', '1.234'],
  ])('%j is %s', (text, value) => {
    expect(resolveText(text, numeric)).toEqual(resolved(value));
  });

  test.each([
    '',
    'ten',
    '1 234',
    '1,234.5',
    '1.234,5',
    '1,234',
    '-12,000',
    '1e5',
    '0x10',
    'NaN',
    'Infinity',
    '٣',
    '1,2,3',
    '12.',
    '--1',
  ])('%j is refused rather than guessed', text => {
    expect(resolveText(text, numeric).kind).toBe('malformed');
  });
});

describe('a time', () => {
  const timestamp = field('date_authored', 'timestamp');

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00Z'],
    [' 2024-02-29 ', '2024-02-29T00:00:00Z'],
    ['2026-01-31T09:30', '2026-01-31T09:30:00Z'],
    ['2026-01-31 09:30:15', '2026-01-31T09:30:15Z'],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00Z'],
    ['2026-01-31T23:30:00-05:00', '2026-02-01T04:30:00Z'],
    ['2026-03-01T00:30:00+0530', '2026-02-28T19:00:00Z'],
    ['2026-01-31T09:30:00.250Z', '2026-01-31T09:30:00.250Z'],
  ])('%j is %s', (text, value) => {
    expect(resolveText(text, timestamp)).toEqual(resolved(value));
  });

  test.each([
    '2026-02-31',
    '2026-02-29',
    '2026-02-31T12:00:00+02:00',
    '2026-04-31T23:59:59-11:00',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-31T25:00',
    '2026-01-31T09:60',
    '2026-01-31T09:30:00+99:99',
    '31.01.2026',
    '01/02/2026',
    '2026-1-31',
    '20260131',
    'tomorrow',
    '1769817600',
    '2026-01-31T09:30:00ZZ',
    '',
  ])('%j is refused rather than rolled over or guessed', text => {
    expect(resolveText(text, timestamp)).toMatchObject({
      kind: 'malformed',
      expected: expect.stringContaining('2026-01-31'),
    });
  });

  test('any real day stays that day, and what was normalised once stays as it is', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
        date => {
          const day = date.toISOString().slice(0, 10);
          const result = resolveText(day, timestamp);
          expect(result).toEqual(resolved(`${day}T00:00:00Z`));
          if (result.kind === 'resolved') expect(resolveText(result.value, timestamp)).toEqual(result);
        },
      ),
    );
  });
});

describe('other fields', () => {
  test('text is taken as it is', () => {
    for (const type of ['string', 'rich_text', 'other'] as const) {
      expect(resolveText(' A & B + 1,234 ', field('f', type))).toEqual(resolved(' A & B + 1,234 '));
    }
  });

  test('lists and references take ids', () => {
    const types = [
      'lov_entry',
      'lov_entries',
      'reference',
      'string',
      'rich_text',
      'numeric',
      'timestamp',
      'other',
    ] as const;
    expect(types.filter(type => takesIds(field('f', type)))).toEqual([
      'lov_entry',
      'lov_entries',
      'reference',
    ]);
  });
});
