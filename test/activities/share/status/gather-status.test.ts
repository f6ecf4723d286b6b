import { tallyOutcomes } from '../../../../activities/registers/words/outcome-words';
import { expectEnd } from '../../../../activities/share/status/gather-status';

const MINUTE = 60_000;
const tally = (counts: object) => ({ ...tallyOutcomes([]), ...counts });

test.each([
  ['too early', { through: 30, 'in-line': 70 }, 10, 11, { kind: 'not-known' }],
  [
    'by the pace so far',
    { through: 50, 'on-the-way': 25, 'in-line': 25 },
    10,
    11,
    { kind: 'about', at: new Date(20 * MINUTE).toISOString() },
  ],
  ['nothing has moved for long', { through: 50, 'in-line': 50 }, 10, 25, { kind: 'not-known' }],
  ['some are held', { through: 50, 'on-the-way': 9, held: 1 }, 10, 11, { kind: 'when-answered' }],
  ['all have their outcome', { through: 50, 'set-apart': 1 }, 10, 11, { kind: 'over' }],
  ['none was submitted', { 'set-apart': 50, 'in-line': 50 }, 0, 11, { kind: 'not-known' }],
])('%s', (_, counts, last, now, expected) => {
  expect(expectEnd(tally(counts), 0, last * MINUTE, now * MINUTE)).toEqual(expected);
});
