// Fields that the inputs of several jobs have.
import { idLike } from '../../../workflows/run/input-fields';
import { approveTimesheetsInput } from '../../../workflows/timesheets/timesheet-contract';

const id = idLike('7001');

test.each([
  ['7001', '7001'],
  [7001, '7001'],
  ['1234567890123456', '1234567890123456'],
  ['9007199254740991', '9007199254740991'],
])('takes the id %p', (given, read) => {
  expect(id.parse(given)).toBe(read);
});

test.each(['0', '007', 'x', '', 1.5, '9007199254740993', '12345678901234567', null])(
  'refuses the id %p and says what it wants',
  given => {
    const wanted = 'an id of digits, for example 7001';
    expect(id.safeParse(given).error?.issues[0]?.message).toBe(wanted);
  },
);

test('a sheet whose id the wire would round is refused before anything is asked', () => {
  const input = { companyId: '1', projectId: '2', status: 'approved' };
  const parse = (sheet: string) => approveTimesheetsInput.safeParse({ ...input, timesheetIds: [sheet] });
  expect(parse('9007199254740991').error).toBeUndefined();
  expect(parse('9007199254740993').error?.issues).toMatchObject([{ path: ['timesheetIds', 0] }]);
});
