import { readNameValues } from '../../../../activities/share/drop/name-values';
import { compilePattern } from '../../../../activities/share/drop/pattern';

describe('readNameValues', () => {
  const patterns = {
    fileName: compilePattern('^(?<number>[A-Z]+-\\d+)_(?<revision>[^_.]+)(_(?<name>[^.]+))?\\.'),
    folder: compilePattern('^(?<discipline>[^/]+)/(?<revision>[^/]+)$'),
  };

  test('reads named groups; the file name counts more than the folder', () => {
    expect(readNameValues('Structural/P1/S-101_B_Ground floor.pdf', patterns)).toEqual({
      number: 'S-101',
      revision: 'B',
      name: 'Ground floor',
      discipline: 'Structural',
    });
  });

  test('gives nothing for names that do not match, and leaves empty groups out', () => {
    expect(readNameValues('photo.jpg', patterns)).toEqual({});
    expect(readNameValues('S-101_B.pdf', patterns)).toEqual({ number: 'S-101', revision: 'B' });
  });

  test('matches accents however they were typed', () => {
    const fileName = compilePattern('^(?<name>é.*)\\.pdf$');
    expect(readNameValues('e\u0301tage.pdf', { fileName })).toEqual({ name: 'étage' });
  });
});
