import fc from 'fast-check';
import { BAR_WIDTH, drawBar, planBar } from '../../../../activities/registers/status/tally-bar';
import { OUTCOMES, type Tally, tallyOutcomes } from '../../../../activities/registers/words/outcome-words';

const tally = (counts: Partial<Tally>): Tally => ({ ...tallyOutcomes([]), ...counts });

describe('planBar', () => {
  test('one of 5,000 is wide enough to be seen', () => {
    expect(planBar(tally({ through: 4_999, held: 1 }))[1]?.width).toBeGreaterThanOrEqual(4);
  });

  test('fills the bar in the order of the sum, whatever the counts', () => {
    const tallies = fc
      .tuple(...OUTCOMES.map(() => fc.nat(5_000)))
      .map(counts => tally(Object.fromEntries(OUTCOMES.map((outcome, at) => [outcome, counts[at]]))));
    fc.assert(
      fc.property(tallies, counts => {
        const parts = planBar(counts);
        expect(parts.map(({ outcome }) => outcome)).toEqual(OUTCOMES.filter(outcome => counts[outcome] > 0));
        const last = parts.at(-1);
        if (last !== undefined) expect(last.x + last.width).toBeCloseTo(BAR_WIDTH, 0);
        for (const { width } of parts) expect(width).toBeGreaterThanOrEqual(4);
      }),
    );
  });

  test('of nothing there is nothing to draw', () => {
    expect(planBar(tally({}))).toEqual([]);
    expect(drawBar(tally({}))).toContain('aria-label="0 = 0"');
  });
});
