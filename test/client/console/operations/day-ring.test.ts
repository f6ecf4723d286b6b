import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DayRing, QUARTER_MS } from '../../../../client/console/operations/day-ring';

const NOW = Date.parse('2026-11-23T14:52:00Z');
const none = { submitted: null, requests: null, drop: null, answerMs: null };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'day-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a quarter keeps the worst of each part and the last of each number; what nobody saw stays open', async () => {
  const ring = new DayRing(folder);
  await ring.note(NOW, { ...none, drop: 3, parts: { service: 'a', temporal: 'h' } });
  await ring.note(NOW + 1_000, { ...none, drop: 5, parts: { service: 'h', temporal: 's' } });
  await ring.note(NOW + QUARTER_MS, { ...none, drop: 0, parts: { service: 'h' } });
  const day = await ring.read(NOW + QUARTER_MS);
  expect(day).toHaveLength(96);
  expect(day.slice(-2)).toMatchObject([
    { drop: 5, parts: { service: 'a', temporal: 's' } },
    { drop: 0, parts: { service: 'h' } },
  ]);
  expect(day.slice(0, -2).every(each => each === undefined)).toBe(true);
});

test('the day is there after a restart, without what is older than a day', async () => {
  const before = new DayRing(folder);
  await before.note(NOW - 96 * QUARTER_MS, { ...none, parts: { service: 'a' } });
  await before.note(NOW, { ...none, parts: { service: 's' } });
  await before.save();
  const day = await new DayRing(folder).read(NOW);
  expect(day.filter(each => each !== undefined)).toEqual([
    { ...none, at: Math.floor(NOW / QUARTER_MS), parts: { service: 's' } },
  ]);
});

test('what was counted before a restart within a quarter stays counted', async () => {
  const before = new DayRing(folder);
  await before.note(NOW, { ...none, submitted: 7, requests: 30, parts: {} });
  await before.save();
  const after = new DayRing(folder);
  await after.note(NOW + 1_000, { ...none, parts: {} });
  expect((await after.read(NOW)).at(-1)).toMatchObject({ submitted: 7, requests: 30 });
  await after.note(NOW + 2_000, { ...none, submitted: 2, requests: 5, parts: {} });
  await after.note(NOW + 3_000, { ...none, submitted: 3, requests: 8, parts: {} });
  expect((await after.read(NOW)).at(-1)).toMatchObject({ submitted: 10, requests: 38 });
  await after.note(NOW + QUARTER_MS, { ...none, submitted: 1, requests: 1, parts: {} });
  expect((await after.read(NOW + QUARTER_MS)).at(-1)).toMatchObject({ submitted: 1, requests: 1 });
});
