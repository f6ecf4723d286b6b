import { OUTCOME_WORDS, OUTCOMES } from '../../../../activities/registers/words/outcome-words';

describe('the words of outcomes', () => {
  test('are six different ones, in the order of the sum', () => {
    expect(OUTCOMES.map(outcome => OUTCOME_WORDS[outcome].word)).toEqual([
      'Through',
      'Already there',
      'On the way',
      'In line',
      'Held',
      'Set apart',
    ]);
  });
});
