import fc from 'fast-check';
import {
  countAll,
  listVerdict,
  OUTCOME_WORDS,
  OUTCOMES,
  type Tally,
  tallyOutcomes,
  tellSum,
  tellVerdict,
} from '../../../../activities/registers/words/outcome-words';

const tally = (counts: Partial<Tally>): Tally => ({ ...tallyOutcomes([]), ...counts });

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

describe('a tally', () => {
  test('counts every document once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...OUTCOMES)), outcomes => {
        expect(countAll(tallyOutcomes(outcomes))).toBe(outcomes.length);
      }),
    );
  });

  test('is told as a sum that adds up', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9_999), { minLength: 6, maxLength: 6 }), counts => {
        const sum = tellSum(
          Object.fromEntries(OUTCOMES.map((outcome, at) => [outcome, counts[at]])) as Tally,
        );
        const [parts = '', all] = sum.replaceAll(',', '').split(' = ');
        const added = parts.split(' + ').reduce((total, part) => total + Number.parseInt(part, 10), 0);
        expect(added).toBe(Number(all));
      }),
    );
    expect(tellSum(tally({ through: 1240, held: 20 }))).toBe('1,240 through + 20 held = 1,260');
  });

  test.each<[Partial<Tally>, string]>([
    [{}, 'There is no document in it.'],
    [{ through: 1 }, 'The one document is through.'],
    [{ through: 1240 }, 'All 1,240 are through.'],
    [{ through: 1, held: 1 }, '1 of 2 is through. 1 is held and waits for you.'],
    [
      { through: 212, held: 20, 'on-the-way': 68 },
      '212 of 300 are through. 20 are held and wait for you; 68 are on the way.',
    ],
    [{ 'already-there': 300 }, '0 of 300 are through. 300 are already there.'],
  ])('%j is told in one sentence or two', (counts, expected) => {
    expect(tellVerdict(tally(counts))).toBe(expected);
    expect(listVerdict(tally(counts)).length).toBeLessThanOrEqual(2);
  });

  test('held documents wait for whom they are said to wait for', () => {
    expect(listVerdict(tally({ through: 1, held: 2 }), 'a person')[1]).toBe(
      '2 are held and wait for a person.',
    );
  });
});
