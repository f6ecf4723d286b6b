import { tallyForetold, tellForetoldSum } from '../../../../activities/registers/words/foretold-words';

test('the sum of what is foretold adds up, in one order, without what there is none of', () => {
  const tally = tallyForetold(['held', 'through', 'through', 'open']);
  expect(tellForetoldSum(tally)).toBe(
    '2 would go through + 1 for the service to decide + 1 would be held = 4',
  );
  expect(tellForetoldSum(tallyForetold([]))).toBe('0 = 0');
});
