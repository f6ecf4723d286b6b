// Two entries, compared by person, cost code and time type.
import { type EntryParts, hasSameParts } from '../../../../workflows/timesheets/decide/has-same-parts';

const WHOLE = { costCodeId: '1', timeTypeId: '61', partyId: '7', loginId: '9' };

test.each<[string, EntryParts, boolean]>([
  ['the same', WHOLE, true],
  ['nothing, which leaves all open', {}, true],
  ...(['costCodeId', 'timeTypeId', 'partyId', 'loginId'] as const).flatMap(
    (part): [string, EntryParts, boolean][] => [
      [`another ${part}`, { ...WHOLE, [part]: '2' }, false],
      [`no ${part} in the service`, { ...WHOLE, [part]: null }, false],
      [`${part} left open`, { ...WHOLE, [part]: undefined }, true],
    ],
  ),
])('an entry beside one that says %s', (_, other, isSame) => {
  expect(hasSameParts(WHOLE, other)).toBe(isSame);
  expect(hasSameParts(other, WHOLE)).toBe(isSame);
});
