import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayNumber } from '../../../../client/console/contract/operations';
import { DayRing, QUARTER_MS } from '../../../../client/console/operations/day-ring';
import { tellEach } from '../../../../client/console/operations/tell-each';

const NOW = Date.parse('2026-11-23T14:52:00Z');
const NONE = tellEach(dayNumber.options, (): number | null => null);
const numbers = (some: Partial<typeof NONE> = {}) => ({ ...NONE, ...some });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'day-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a quarter keeps the worst of each part and the last of each number; what nobody saw stays open', async () => {
  const ring = new DayRing(folder);
  await ring.note(NOW, { numbers: numbers({ drop: 3 }), parts: { service: 'a', temporal: 'h' } });
  await ring.note(NOW + 1_000, { numbers: numbers({ drop: 5 }), parts: { service: 'h', temporal: 's' } });
  await ring.note(NOW + QUARTER_MS, { numbers: numbers({ drop: 0 }), parts: { service: 'h' } });
  const day = await ring.read(NOW + QUARTER_MS);
  expect(day).toHaveLength(96);
  expect(day.slice(-2)).toMatchObject([
    { numbers: { drop: 5 }, parts: { service: 'a', temporal: 's' } },
    { numbers: { drop: 0 }, parts: { service: 'h' } },
  ]);
  expect(day.slice(0, -2).every(each => each === undefined)).toBe(true);
});

test('the day is there after a restart, without what is older than a day', async () => {
  const before = new DayRing(folder);
  await before.note(NOW - 96 * QUARTER_MS, { numbers: NONE, parts: { service: 'a' } });
  await before.note(NOW, { numbers: NONE, parts: { service: 's' } });
  await before.save();
  const day = await new DayRing(folder).read(NOW);
  expect(day.filter(each => each !== undefined)).toEqual([
    { numbers: NONE, at: Math.floor(NOW / QUARTER_MS), parts: { service: 's' } },
  ]);
});

test('what a page of another version left there is not read', async () => {
  const path = join(folder, 'console-day.json');
  writeFileSync(path, JSON.stringify({ version: 1, quarters: [] }), { mode: 0o600 });
  const ring = new DayRing(folder);
  expect((await ring.read(NOW)).every(each => each === undefined)).toBe(true);
  await ring.note(NOW, { numbers: NONE, parts: {} });
  expect((await new DayRing(folder).read(NOW)).at(-1)).toMatchObject({ numbers: NONE });
});

test('what was counted before a restart within a quarter stays counted', async () => {
  const before = new DayRing(folder);
  await before.note(NOW, { numbers: numbers({ submitted: 7, requests: 30, left: 7 }), parts: {} });
  await before.save();
  const after = new DayRing(folder);
  await after.note(NOW + 1_000, { numbers: NONE, parts: {} });
  expect((await after.read(NOW)).at(-1)).toMatchObject({ numbers: { submitted: 7, requests: 30 } });
  await after.note(NOW + 2_000, { numbers: numbers({ submitted: 2, requests: 5, left: 2 }), parts: {} });
  await after.note(NOW + 3_000, { numbers: numbers({ submitted: 3, requests: 8, left: 3 }), parts: {} });
  expect((await after.read(NOW)).at(-1)).toMatchObject({ numbers: { submitted: 10, requests: 38, left: 3 } });
  await after.note(NOW + QUARTER_MS, { numbers: numbers({ submitted: 1, requests: 1, left: 1 }), parts: {} });
  expect((await after.read(NOW + QUARTER_MS)).at(-1)).toMatchObject({
    numbers: { submitted: 1, requests: 1 },
  });
});
