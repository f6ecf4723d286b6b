// Each trouble is news when it begins and when it is over, not between.
import { IncidentLog } from '../../../activities/host/incident-log';

test('an incident begins once and ends once, and may begin again', () => {
  const log = new IncidentLog();
  expect([log.begins('share'), log.begins('share'), log.isOpen('share')]).toEqual([true, false, true]);
  expect([log.ends('share'), log.ends('share'), log.isOpen('share')]).toEqual([true, false, false]);
  expect(log.begins('share')).toBe(true);
});

test('incidents of several subjects do not touch each other', () => {
  const log = new IncidentLog();
  log.begins('share a');
  expect(log.begins('share b')).toBe(true);
  expect(log.ends('share a')).toBe(true);
  expect(log.isOpen('share b')).toBe(true);
});

test('another reason is news, the same one is not', () => {
  const log = new IncidentLog();
  const told = ['full', 'full', 'read-only', 'full'].map(why => log.begins('share', why));
  expect(told).toEqual([true, false, true, true]);
  expect(log.ends('share')).toBe(true);
  expect(log.ends('share')).toBe(false);
});

test('what is gone is forgotten, and would be news again', () => {
  const log = new IncidentLog();
  for (const batch of ['a', 'b']) log.begins(batch);
  log.keepOnly(new Set(['b']));
  expect([log.begins('a'), log.begins('b')]).toEqual([true, false]);
});
