// Files beside the attachments that an item shows: what is there is never attached a second time.
import { findMissing } from '../../../activities/observations/missing-attachments';

test('attachments that were there before stand for no file of ours', () => {
  expect(findMissing(['plan A.jpg'], [['theirs.jpg']], ['theirs.jpg'])).toEqual(['plan A.jpg']);
  expect(findMissing(['plan A.jpg'], [['theirs.jpg'], ['plan_A.jpg']], ['theirs.jpg'])).toEqual([]);
  expect(findMissing(['theirs.jpg'], [['Axis C', 'theirs.jpg']], ['Axis C'])).toEqual([]);
});

test.each<[string, string[], string[][], string[] | 'unclear']>([
  ['nothing is attached yet', ['a.jpg', 'axis/b.jpg'], [], ['a.jpg', 'axis/b.jpg']],
  ['one of two is there', ['a.jpg', 'axis/b.jpg'], [['b.jpg']], ['a.jpg']],
  ['a name in the form of a Mac', ['Büro.jpg'.normalize('NFD')], [['Büro.jpg'.normalize('NFC')]], []],
  [
    'such a name beside one that is not there',
    ['Büro.jpg'.normalize('NFD'), 'b.jpg'],
    [['Büro.jpg']],
    ['b.jpg'],
  ],
  ['a title beside the name', ['a.jpg', 'b.jpg'], [['Axis C', 'a.jpg']], ['b.jpg']],
  ['other names for all', ['plan A.jpg', 'plan B.jpg'], [['plan_A.jpg'], ['plan_B.jpg']], []],
  ['another name for one', ['a.jpg', 'plan B.jpg'], [['plan_B.jpg'], ['a.jpg']], []],
  ['no name at all', ['a.jpg'], [[]], []],
  ['another name, and one too few', ['plan A.jpg', 'plan B.jpg'], [['plan_B.jpg']], 'unclear'],
])('%s', (_, paths, attachments, missing) => {
  expect(findMissing(paths, attachments)).toEqual(missing);
});
