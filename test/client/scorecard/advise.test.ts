import { advise, adviseInOneLine } from '../../../client/scorecard/advise';

const field = (label: string, found: number, lacked: number, overruled = 0) => ({
  label,
  found,
  lacked,
  overruled,
});

test.each([
  [0, 0, 0, 'no say'],
  [9, 0, 0, 'too few'],
  [10, 0, 0, 'trust it'],
  [90, 10, 1, 'trust it'],
  [89, 11, 0, 'ask'],
  [100, 0, 3, 'ask'],
  [10, 90, 0, 'ask'],
  [9, 91, 0, 'stop waiting'],
  [0, 10, 0, 'stop waiting'],
])('found %i, lacked %i, overruled %i: %s', (found, lacked, overruled, advice) => {
  expect(advise(field('Type', found, lacked, overruled))).toBe(advice);
});

test('all fields in one line', () => {
  expect(
    adviseInOneLine([
      field('Number', 100, 0),
      field('Type', 50, 0, 9),
      field('Revision', 100, 0),
      field('Date Authored', 1, 80),
      field('Description', 3, 0),
    ]),
  ).toBe(
    'trust it for Number and Revision; stop waiting for Date Authored: give it by register, name or default; ask people for Type.',
  );
  expect(adviseInOneLine([field('Description', 3, 0)])).toBeUndefined();
});
