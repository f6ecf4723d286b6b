import { sharedPart } from '../../../../../client/console/page/parts/shared-part';

test.each([
  [['HBT-ARU-S-0041', 'HBT-ARU-S-0042'], 'HBT-ARU-S-'],
  [['HBT-ARU-S-0041', null, 'HBT-ARU-A-0042'], 'HBT-ARU-'],
  [['HBT-1'], ''],
  [['ABC1', 'ABC2'], ''],
  [['X-1', 'Y-1'], ''],
  [[], ''],
])('%j share %j', (numbers, shared) => {
  expect(sharedPart(numbers)).toBe(shared);
});
