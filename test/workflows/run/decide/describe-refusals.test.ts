import { describeRefusals } from '../../../../workflows/run/decide/describe-refusals';

test.each<[string, Parameters<typeof describeRefusals>[0], readonly string[]]>([
  [
    'the field stands in front',
    [{ message: "can't be blank", property: 'assignee_id' }],
    ["assignee_id: can't be blank"],
  ],
  ['unless the words name it', [{ message: 'Title is missing', property: 'title' }], ['Title is missing']],
  ['words without a field stay as they are', [{ message: 'No.' }], ['No.']],
  ['a field without words is named', [{ message: '', property: 'due_date' }], ['due_date']],
  ['nothing is nothing', [{ message: '' }], []],
  [
    'the same is said once, of two fields twice',
    [
      { message: 'is invalid', property: 'a' },
      { message: 'is invalid', property: 'a' },
      { message: 'is invalid', property: 'b' },
    ],
    ['a: is invalid', 'b: is invalid'],
  ],
])('%s', (_, reasons, texts) => {
  expect(describeRefusals(reasons)).toEqual(texts);
});

test('no more than asked for', () => {
  const reasons = Array.from({ length: 9 }, (_, index) => ({ message: `m${index}` }));
  expect(describeRefusals(reasons, 3)).toEqual(['m0', 'm1', 'm2']);
});
