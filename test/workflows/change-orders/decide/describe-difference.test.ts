import {
  type Difference,
  describeDifference,
} from '../../../../workflows/change-orders/decide/describe-difference';

test.each<[Difference, string]>([
  [
    { field: 'title', shown: 'Glazing', wanted: 'glazing' },
    'The request 7 has "Glazing" as its title, not "glazing".',
  ],
  [
    { field: 'description', shown: 'North side\r\nand south', wanted: '' },
    'The request 7 has "North side\r\nand south" as its description, not "".',
  ],
  [
    { field: 'dueDate', shown: '2026-03-01T00:00:00Z', wanted: '2026-03-02' },
    'The request 7 has "2026-03-01T00:00:00Z" as its due date, not "2026-03-02".',
  ],
  [
    { field: 'scheduleImpactDays', shown: '-3', wanted: '3' },
    'The request 7 has "-3" as its schedule impact, not "3".',
  ],
  [
    { field: 'grandTotal', shown: '10.10', wanted: '10.11' },
    'The request 7 has "10.10" as its amount, not "10.11".',
  ],
  [
    { field: 'description', shown: null, wanted: 'x' },
    'The request 7 has nothing as its description, not "x".',
  ],
])('a difference in words: %j', (difference, text) => {
  expect(describeDifference('request 7', difference)).toBe(text);
});
