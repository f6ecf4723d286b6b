import { BATCH, MILLION_A_DAY, needsOf } from './model';

test('one batch a day by one host is one batch, and the looks at one template', () => {
  const one = { ...MILLION_A_DAY, documentsPerDay: 100, shares: 1, accounts: 1, hostsPerAccount: 1 };
  expect(needsOf(one)).toMatchObject({ batchesPerDay: 1, actionsPerDay: BATCH.actions + 48 });
  expect(needsOf(one).limitUsed).toBeCloseTo(BATCH.requests / (24 * 3_600), 10);
});

test('small folders cost requests and Temporal more', () => {
  const small = needsOf({ ...MILLION_A_DAY, documentsPerBatch: 10 });
  // 3.6 a document: between 3.35 and 4.40, as jobs of 20 and of 5 were measured.
  expect(small.limitUsed).toBeCloseTo(3_600_000 / (50 * 3_600 * 24), 3);
  expect(small.eventsPerSecond).toBeCloseTo(10 * needsOf(MILLION_A_DAY).eventsPerSecond, 6);
});

test('the rate limit gives first, whatever Temporal could carry', () => {
  expect(needsOf(MILLION_A_DAY).limitUsed).toBeLessThan(1);
  expect(needsOf({ ...MILLION_A_DAY, busyHours: 10 }).limitUsed).toBeGreaterThan(1);
});

test('hosts that are alone on their account ask for no lease', () => {
  const leases =
    needsOf(MILLION_A_DAY).actionsPerDay - needsOf({ ...MILLION_A_DAY, hostsPerAccount: 1 }).actionsPerDay;
  expect(leases).toBe(50 * 2 * 60 * 24);
});
