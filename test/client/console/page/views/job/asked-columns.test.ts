import { askedColumns } from '../../../../../../client/console/page/views/job/asked-columns';

const many = (from: string) => Array.from({ length: 90 }, (_, at) => `${from} column ${at}`);

test('what is chosen is asked for as it is, as long as it fits into a question', () => {
  expect(askedColumns(['Zone', 'Checked by'], undefined)).toEqual(['Zone', 'Checked by']);
});

test('of more, those are asked for that this job has, and no name is cut', () => {
  const chosen = [...many('Old'), ...many('Other'), 'Zone'];
  const first = askedColumns(chosen, undefined);
  expect(first.join('\n').length).toBeLessThanOrEqual(2_000);
  // What was chosen last is what somebody wants to see now.
  expect(first.at(-1)).toBe('Zone');
  expect(chosen).toEqual(expect.arrayContaining([...first]));
  expect(askedColumns(chosen, ['Zone', 'Old column 3', 'Not chosen'])).toEqual(['Old column 3', 'Zone']);
});
