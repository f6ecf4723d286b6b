import { UploadTurns } from '../../../../client/console/drop/upload-turns';

test('one window at a time sends an upload; who is silent for long has no turn any more', () => {
  let nowMs = 0;
  const turns = new UploadTurns(() => nowMs);
  turns.take('a', 'one');
  turns.take('b', 'two');
  expect(() => turns.take('a', 'two')).toThrow('Another window');
  nowMs += 9_000;
  turns.take('a', 'one');
  nowMs += 9_000;
  expect(() => turns.take('a', 'two')).toThrow('Another window');
  nowMs += 1_000;
  expect(turns.isMoving('a')).toBe(false);
  turns.take('a', 'two');
  expect(() => turns.take('a', 'one')).toThrow('Another window');
  turns.takeOver('a', 'one');
  expect(() => turns.take('a', 'two')).toThrow('Another window');
  turns.end('a');
  turns.take('a', 'two');
});

test('of thousands that were begun and left, none is kept', () => {
  let nowMs = 0;
  const turns = new UploadTurns(() => nowMs);
  for (let count = 0; count < 5_000; count++) {
    turns.take(`upload ${count}`, 'one');
    turns.take('goes on', 'two');
    nowMs += 1_000;
  }
  expect(turns.size).toBeLessThan(20);
  expect(turns.isMoving('goes on')).toBe(true);
});
