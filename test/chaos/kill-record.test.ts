// A long run of kill cases that was broken off goes on with what is left.
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprintOf, KillRecord } from './kill-record';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kill-record-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const VIOLATION = { invariant: '2 one revision a document', case: 'b', what: 'two' };

test('it knows what ended, what was found, and the boundaries of the first run', () => {
  const first = new KillRecord(folder, 'kills', 'build', ['a #1', 'b #1']);
  first.note('a', { reached: 1, violations: [] });
  first.note('b', { reached: 0, violations: [VIOLATION] });
  const next = new KillRecord(folder, 'kills', 'build', ['another by chance']);
  expect(next.boundaries).toEqual(['a #1', 'b #1']);
  expect(next.endOf('a')).toEqual({ reached: 1, violations: [] });
  expect(next.endOf('b')).toEqual({ reached: 0, violations: [VIOLATION] });
  expect(next.endOf('c')).toBeUndefined();
});

test('half a line is a case that did not end', () => {
  new KillRecord(folder, 'kills', 'build', ['a #1']).note('a', { reached: 1, violations: [] });
  const [file = ''] = readdirSync(folder);
  appendFileSync(join(folder, file), '{"case":"b","reach');
  const next = new KillRecord(folder, 'kills', 'build', []);
  expect([next.endOf('a')?.reached, next.endOf('b')]).toEqual([1, undefined]);
  // What comes behind it is not lost with it.
  next.note('b', { reached: 1, violations: [] });
  next.note('c', { reached: 1, violations: [] });
  const last = new KillRecord(folder, 'kills', 'build', []);
  expect(last.endOf('c')?.reached).toBe(1);
});

test('the record of another build says nothing about this one', () => {
  new KillRecord(folder, 'kills', 'build', ['a #1']);
  expect(() => new KillRecord(folder, 'kills', 'other', ['a #1'])).toThrow(/another build/);
});

test('the build is what runs: a changed file of the product counts, one of the tests or the page does not', () => {
  const write = (room: string, text: string) => {
    mkdirSync(join(folder, room), { recursive: true });
    writeFileSync(join(folder, room, 'a.js'), text);
    return fingerprintOf(folder);
  };
  const before = write('activities', '1');
  const whole = fingerprintOf(folder, []);
  expect(write('test/chaos', '1')).toBe(before);
  expect(write('client/console/page', '1')).toBe(before);
  expect(write('.compiled/v24', '1')).toBe(before);
  expect(fingerprintOf(folder, [])).not.toBe(whole);
  const after = write('activities', '2');
  expect(after).not.toBe(before);
  expect(write('client', '2')).not.toBe(after);
});
