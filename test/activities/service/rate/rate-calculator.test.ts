import fc from 'fast-check';
import {
  adoptPermits,
  countUpTo,
  initialRateState,
  observeResponse,
  planNextSend,
  rollWindows,
  takeLease,
  takePermit,
} from '../../../../activities/service/rate/rate-calculator';
import type { RateResponse } from '../../../../activities/service/rate/rate-state';
import { type SimulationInput, simulate } from './simulated-limits';

const SPIKE = { limit: 25, lengthMs: 10_000 };
const HOURLY = { limit: 3_600, lengthMs: 3_600_000 };

const usual: SimulationInput = {
  limits: [HOURLY, SPIKE],
  requests: 500,
  callers: 16,
  latencyMs: n => 40 + ((n * 37) % 60),
  skewMs: 1_700_000_000_437,
  windows: 'aligned',
  rounding: 'up',
};

describe('the rate calculator alone on the account', () => {
  test.each([
    ['aligned windows', usual],
    ['windows that begin with a request', { ...usual, windows: 'on-demand' } as const],
    ['one caller', { ...usual, callers: 1 }],
    ['slow answers', { ...usual, latencyMs: (n: number) => 300 + ((n * 811) % 2_000) }],
    ['a limit of one', { ...usual, limits: [{ limit: 1, lengthMs: 2_000 }], requests: 60 }],
    [
      'the hour as the scarcer window',
      { ...usual, limits: [{ limit: 60, lengthMs: 60_000 }, SPIKE], requests: 600 },
    ],
  ] satisfies [string, SimulationInput][])('is never refused with %s', (_, input) => {
    expect(simulate(input).refused).toBe(0);
  });

  test.each([
    ['16 callers', usual],
    ['one caller', { ...usual, callers: 1 }],
    ['a hundred callers', { ...usual, callers: 100 }],
  ])('uses the windows to within 5 % with %s', (_, input) => {
    const { tookMs } = simulate({ ...input, requests: 1_000, limits: [SPIKE] });
    expect(tookMs / ((1_000 / SPIKE.limit) * SPIKE.lengthMs)).toBeLessThanOrEqual(1.05);
  });

  test.each([0, 200, 400, 600, 800, 950, 999])(
    'needs no luck with the server’s second (%i ms into it)',
    intoMs => {
      const { tookMs, refused } = simulate({
        ...usual,
        requests: 1_000,
        limits: [SPIKE],
        latencyMs: () => 8,
        skewMs: 1_700_000_000_000 + intoMs,
      });
      expect(refused).toBe(0);
      expect(tookMs / ((1_000 / SPIKE.limit) * SPIKE.lengthMs)).toBeLessThanOrEqual(1.03);
    },
  );

  test('spends an hour and goes on after it', () => {
    const { tookMs, refused } = simulate({ ...usual, requests: 4_000, skewMs: 1_699_999_200_000 });
    expect(refused).toBe(0);
    expect(tookMs).toBeGreaterThan(3_000_000);
    expect(tookMs).toBeLessThan(1.05 * 3_600_000 + 200_000);
  });

  test('learns from few refusals that a server rounds its resets down', () => {
    const { refused } = simulate({ ...usual, rounding: 'down', windows: 'on-demand', requests: 1_000 });
    expect(refused).toBeLessThanOrEqual(12);
  });

  test('holds its promises under any limit, latency, skew and loss', () => {
    fc.assert(
      fc.property(
        fc.record({
          limit: fc.integer({ min: 2, max: 60 }),
          seconds: fc.integer({ min: 2, max: 30 }),
          callers: fc.integer({ min: 1, max: 40 }),
          skewMs: fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 }),
          latencies: fc.array(fc.integer({ min: 2, max: 400 }), { minLength: 1, maxLength: 20 }),
          windows: fc.constantFrom('aligned' as const, 'on-demand' as const),
          lossEvery: fc.constantFrom(0, 7, 50),
        }),
        ({ limit, seconds, callers, skewMs, latencies, windows, lossEvery }) => {
          const requests = limit * 12;
          const { refused, tookMs } = simulate({
            limits: [{ limit, lengthMs: seconds * 1_000 }, HOURLY],
            requests,
            callers,
            latencyMs: n => latencies[n % latencies.length]!,
            skewMs,
            windows,
            rounding: 'up',
            isLost: n => lossEvery > 0 && n % lossEvery === 0,
          });
          expect(refused).toBe(0);
          // A request without an answer may or may not have been counted; being careful
          // costs its place in the window.
          if (lossEvery > 0) return;
          // A second is lost once for want of the server's clock, and in each window what rounding the reset
          // up, the probe and the slowest answers cost. With few callers the latency, not the limit, decides.
          const slowestMs = Math.max(...latencies);
          const perWindowMs = (windows === 'on-demand' ? 1_000 : 0) + 200 + 3 * slowestMs;
          const byLimitMs = 12 * (seconds * 1_000 + perWindowMs);
          const byLatencyMs = (requests * slowestMs) / callers;
          expect(tookMs).toBeLessThanOrEqual(3_000 + byLimitMs + byLatencyMs);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the rate calculator where others use the account', () => {
  const others: SimulationInput = { ...usual, callers: 8, requests: 1_000, limits: [SPIKE] };
  const idealMs = (1_000 / SPIKE.limit) * SPIKE.lengthMs;

  test.each([2, 3, 5])('%i hosts with equal shares are never refused', hosts => {
    const { refused, tookMs } = simulate({ ...others, hosts, share: 1 / hosts });
    expect(refused).toBe(0);
    // What no host may use by rounding down (25 are 8 for each of three) is the price.
    const used = hosts * Math.floor(SPIKE.limit / hosts);
    expect(tookMs / idealMs).toBeLessThanOrEqual((1.08 * SPIKE.limit) / used);
  });

  test.each([[[9, 8, 8]], [[13, 12]], [[23, 1, 1]]])(
    'hosts with %j of 25 leased use all of both windows',
    parts => {
      const { refused, tookMs } = simulate({
        ...others,
        requests: 2_500,
        limits: [SPIKE, { limit: 1_000, lengthMs: 600_000 }],
        leases: parts.map(part => part / 25),
      });
      // That there is an hour, too, nobody knows before it is spent for the first time.
      expect(refused).toBeLessThanOrEqual(1);
      const allowedMs = 2 * 600_000 + (500 / SPIKE.limit) * SPIKE.lengthMs;
      expect(tookMs / allowedMs).toBeLessThanOrEqual(1.05);
    },
  );

  /** After one answer: a window of 25 that ends in 10 s, so many left. */
  function opened(remaining: number) {
    const { state, permit } = takePermit(initialRateState(), 0);
    const response = { status: 200, limit: 25, remaining, resetAtServerMs: 10_000, dateMs: 0 };
    return observeResponse(state, permit, 10, response, 0.5).state;
  }

  test('a part that shrinks does so at once, one that grows with the next window', () => {
    const alone = opened(20);
    const half = takeLease(alone, 12 / 25);
    expect(half.windows[0]).toMatchObject({ ownLeft: 9 });
    expect(takeLease(half, 6 / 25).windows[0]).toMatchObject({ ownLeft: 4 });
    const whole = takeLease(half, undefined);
    expect(whole.windows[0]).toMatchObject({ ownLeft: 9 });
    expect(rollWindows(whole, 60_000).windows[0]).toMatchObject({ ownLeft: null });
  });

  test('a host that waits for its part sends nothing, and goes on with it', () => {
    const waiting = takeLease(opened(20), 0);
    expect(planNextSend(waiting, 1_000).askAgainAtMs).toBeGreaterThan(1_000);
    expect(planNextSend(takeLease(waiting, 12 / 25), 1_000).askAgainAtMs).toBe(1_000);
  });

  test('shares hold for both windows, whenever they begin', () => {
    const input = { ...others, hosts: 2, share: 0.5, requests: 400, windows: 'on-demand' as const };
    const { refused } = simulate({ ...input, limits: [{ limit: 60, lengthMs: 60_000 }, SPIKE] });
    expect(refused).toBe(0);
  });

  test.each([2, 3, 5])('%i hosts without shares learn of each other from what remains: no storm', hosts => {
    const { refused, tookMs } = simulate({ ...others, hosts });
    expect(refused / others.requests).toBeLessThan(0.2);
    expect(tookMs / idealMs).toBeLessThanOrEqual(1.05);
    // Even when all of them move in step and answers come at once.
    expect(simulate({ ...others, hosts, latencyMs: () => 8 }).refused / others.requests).toBeLessThan(0.25);
  });

  test('nobody waits for ever, whatever the others do', () => {
    fc.assert(
      fc.property(
        fc.record({
          limit: fc.integer({ min: 1, max: 40 }),
          seconds: fc.integer({ min: 2, max: 30 }),
          callers: fc.integer({ min: 1, max: 20 }),
          hosts: fc.integer({ min: 1, max: 4 }),
          share: fc.constantFrom(1, 0.5, 0.2),
          windows: fc.constantFrom('aligned' as const, 'on-demand' as const),
          rounding: fc.constantFrom('up' as const, 'down' as const),
          latencies: fc.array(fc.integer({ min: 2, max: 3_000 }), { minLength: 1, maxLength: 20 }),
          lossEvery: fc.constantFrom(0, 3, 50),
        }),
        ({ limit, seconds, latencies, lossEvery, ...rest }) => {
          const requests = limit * 8;
          const { tookMs } = simulate({
            ...usual,
            ...rest,
            limits: [{ limit, lengthMs: seconds * 1_000 }, HOURLY],
            requests,
            latencyMs: n => latencies[n % latencies.length]!,
            isLost: n => lossEvery > 0 && n % lossEvery === 0,
          });
          expect(tookMs).toBeLessThan(40 * 8 * (seconds * 1_000 + 10_000));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('a host alone uses no more than its share', () => {
    const { tookMs, refused } = simulate({ ...others, share: 0.4 });
    expect(refused).toBe(0);
    expect(tookMs / (idealMs / 0.4)).toBeGreaterThan(0.95);
    expect(tookMs / (idealMs / 0.4)).toBeLessThan(1.05);
  });
});

describe('the rate calculator with single answers', () => {
  const shown = (facts: Partial<RateResponse>): RateResponse => ({
    status: 200,
    limit: 10,
    remaining: 5,
    resetAtServerMs: 1_010_000,
    dateMs: 1_000_000,
    ...facts,
  });

  test('sends one request alone before it knows anything', () => {
    const first = takePermit(initialRateState(), 0);
    expect(planNextSend(first.state, 1).askAgainAtMs).toBeGreaterThan(1);
    const answered = observeResponse(first.state, first.permit, 50, shown({}), 0).state;
    expect(planNextSend(answered, 51).askAgainAtMs).toBe(51);
  });

  test('does not hold back when answers carry no rate headers', () => {
    const first = takePermit(initialRateState(), 0);
    let state = observeResponse(first.state, first.permit, 50, { status: 200, dateMs: 0 }, 0).state;
    for (let n = 0; n < 100; n++) {
      expect(planNextSend(state, 51).askAgainAtMs).toBe(51);
      state = takePermit(state, 51).state;
    }
  });

  test('takes the lowest remaining of answers that overtake each other', () => {
    let state = initialRateState();
    const permits = [];
    for (let n = 0; n < 3; n++) {
      const taken = takePermit(state, 0);
      state = taken.state;
      permits.push(taken.permit);
    }
    state = observeResponse(state, permits[2]!, 10, shown({ remaining: 2 }), 0).state;
    state = observeResponse(state, permits[0]!, 11, shown({ remaining: 4 }), 0).state;
    state = observeResponse(state, permits[1]!, 12, shown({ remaining: 3 }), 0).state;
    expect(state.windows[0]?.seen).toBe(2);
  });

  test('waits for the reset by the server’s clock, not ours', () => {
    const first = takePermit(initialRateState(), 5_000);
    const state = observeResponse(first.state, first.permit, 5_100, shown({ remaining: 0 }), 0).state;
    // At 5,100 the server shows at least second 1,000; its reset is ten seconds later.
    const next = planNextSend(state, 5_100);
    expect(next.askAgainAtMs).toBeGreaterThanOrEqual(15_100);
    expect(next.askAgainAtMs).toBeLessThan(15_300);
  });

  test('says when a caller far back in the queue will get through', () => {
    const first = takePermit(initialRateState(), 0);
    const state = observeResponse(first.state, first.permit, 0, shown({ remaining: 0 }), 0).state;
    expect(planNextSend(state, 0, { ahead: 9 }).expectedAtMs).toBeLessThan(11_000);
    expect(planNextSend(state, 0, { ahead: 10 }).expectedAtMs).toBeGreaterThan(19_000);
  });

  test('those who wait for an hour to end are told to come back as the short window lets them', () => {
    const short = { limit: 10, remaining: 5, resetAtServerMs: 1_010_000 };
    const hour = { limit: 1_000, remaining: 0, resetAtServerMs: 1_600_000 };
    let state = initialRateState();
    for (const facts of [short, hour]) {
      const { permit, ...taken } = takePermit(state, 0);
      state = observeResponse(taken.state, permit, 0, shown(facts), 0).state;
    }
    const expected = [0, 9, 10, 29, 30, 999].map(ahead => planNextSend(state, 0, { ahead }).expectedAtMs);
    const [first = 0] = expected;
    expect(first).toBeGreaterThanOrEqual(600_000);
    expect(first).toBeLessThan(602_000);
    expect(expected.map(atMs => atMs - first)).toEqual([0, 0, 10_000, 20_000, 30_000, 990_000]);
  });

  test('stays away for the longer of Retry-After and the reset, and an hour at most', () => {
    const first = takePermit(initialRateState(), 0);
    const pausedFor = (facts: Partial<RateResponse>) =>
      observeResponse(first.state, first.permit, 0, shown({ status: 429, remaining: 0, ...facts }), 0)
        .pausedForMs!;
    expect(pausedFor({ retryAfterMs: 3_000 })).toBeGreaterThanOrEqual(10_000);
    expect(pausedFor({ retryAfterMs: 30_000 })).toBe(30_000);
    expect(pausedFor({ retryAfterMs: 9_999_999 })).toBe(3_600_000);
  });

  /**
   * Refused each time with "in a second", for so long; answers how often it was
   * asked in the last hour of them.
   */
  function askForHours(hours: number, inFlight: number): number {
    let state = initialRateState();
    let nowMs = 0;
    let sentLately = 0;
    while (nowMs < hours * 3_600_000) {
      const permits = [];
      while (permits.length < inFlight && planNextSend(state, nowMs).askAgainAtMs <= nowMs) {
        const taken = takePermit(state, nowMs);
        permits.push(taken.permit);
        state = taken.state;
      }
      if (nowMs >= (hours - 1) * 3_600_000) sentLately += permits.length;
      for (const permit of permits) {
        const response = { status: 429, retryAfterMs: 1_000, dateMs: nowMs };
        state = observeResponse(state, permit, nowMs + 20, response, 0.5).state;
      }
      nowMs = Math.max(nowMs + 20, planNextSend(state, nowMs + 20).askAgainAtMs);
    }
    return sentLately;
  }

  test('refusals without an end cost some thirty requests an hour, whatever time they name', () => {
    expect(askForHours(3, 16)).toBeLessThanOrEqual(32);
    expect(askForHours(3, 16)).toBeGreaterThanOrEqual(25);
  });

  test('many refused at one time are one refusal: what it says is believed', () => {
    let state = initialRateState();
    const first = takePermit(state, 0);
    state = observeResponse(first.state, first.permit, 10, { status: 200, dateMs: 0 }, 0).state;
    const permits = [];
    for (let n = 0; n < 30; n++) {
      const taken = takePermit(state, 20);
      permits.push(taken.permit);
      state = taken.state;
    }
    for (const permit of permits) {
      state = observeResponse(state, permit, 40, { status: 429, retryAfterMs: 3_000, dateMs: 0 }, 0).state;
    }
    expect(planNextSend(state, 50).askAgainAtMs).toBe(3_040);
    expect(state.refusalsInARow).toBe(1);
  });

  test('does not let lost answers close a window for good', () => {
    const first = takePermit(initialRateState(), 0);
    let state = observeResponse(
      first.state,
      first.permit,
      1,
      shown({ remaining: 3, resetAtServerMs: 4_000_000 }),
      0,
    ).state;
    for (let n = 0; n < 3; n++) {
      const taken = takePermit(state, 2);
      state = observeResponse(taken.state, taken.permit, 3, null, 0).state;
    }
    expect(planNextSend(rollWindows(state, 4), 4).askAgainAtMs).toBe(4);
  });

  test('a limit that was changed does not hold back for ever', () => {
    let state = initialRateState();
    let nowMs = 0;
    let sent = 0;
    for (; nowMs < 60_000; nowMs += 100) {
      state = rollWindows(state, nowMs);
      if (planNextSend(state, nowMs).askAgainAtMs > nowMs) continue;
      const taken = takePermit(state, nowMs);
      sent += nowMs >= 40_000 ? 1 : 0;
      const limit = nowMs < 15_000 ? 10 : 100;
      const endsAtMs = Math.floor(nowMs / 10_000) * 10_000 + 10_000;
      const facts = {
        limit,
        remaining: limit - 1,
        resetAtServerMs: endsAtMs,
        dateMs: Math.floor(nowMs / 1_000) * 1_000,
      };
      state = observeResponse(taken.state, taken.permit, nowMs + 20, { status: 200, ...facts }, 0).state;
    }
    expect(state.windows.map(window => window.limit)).toEqual([100]);
    expect(sent).toBeGreaterThan(150);
  });

  test('a short window that hides behind the hour is still counted', () => {
    const first = takePermit(initialRateState(), 0);
    let state = observeResponse(first.state, first.permit, 10, shown({ limit: 5, remaining: 0 }), 0).state;
    let sent = 0;
    for (let nowMs = 20; nowMs < 41_000; nowMs += 50) {
      state = rollWindows(state, nowMs);
      if (planNextSend(state, nowMs).askAgainAtMs > nowMs) continue;
      const taken = takePermit(state, nowMs);
      sent += 1;
      const dateMs = 1_000_000 + Math.floor(nowMs / 1_000) * 1_000;
      const hour = { limit: 3_600, remaining: 9, resetAtServerMs: 3_000_000, dateMs };
      state = observeResponse(taken.state, taken.permit, nowMs + 10, shown(hour), 0).state;
    }
    expect(sent).toBeLessThanOrEqual(3 * 5 + 5);
    expect(sent).toBeGreaterThanOrEqual(10);
  });

  test('a probe whose answer is lost is followed by another alone', () => {
    const first = takePermit(initialRateState(), 0);
    const lost = observeResponse(first.state, first.permit, 10, null, 0).state;
    const second = takePermit(lost, 11);
    expect(planNextSend(second.state, 12).askAgainAtMs).toBeGreaterThan(12);
  });

  test('a service that stops speaking of limits is not held to its old ones', () => {
    const first = takePermit(initialRateState(), 0);
    let state = observeResponse(first.state, first.permit, 10, shown({ limit: 5, remaining: 4 }), 0).state;
    let sent = 0;
    for (let nowMs = 20; nowMs < 60_000; nowMs += 50) {
      state = rollWindows(state, nowMs);
      if (planNextSend(state, nowMs).askAgainAtMs > nowMs) continue;
      const taken = takePermit(state, nowMs);
      sent += 1;
      const dateMs = 1_000_000 + Math.floor(nowMs / 1_000) * 1_000;
      state = observeResponse(taken.state, taken.permit, nowMs + 10, { status: 200, dateMs }, 0).state;
    }
    expect(state.windows).toEqual([]);
    expect(sent).toBeGreaterThan(700);
  });

  test('permits of a leader before count as under way until they are answered', () => {
    const first = takePermit(initialRateState(), 0);
    let state = observeResponse(first.state, first.permit, 10, shown({ remaining: 2 }), 0).state;
    const held = [6, 9].map(seq => ({ seq, weight: 1, sentAtMs: 0 }));
    state = adoptPermits(adoptPermits(state, held), held);
    expect(planNextSend(state, 20).askAgainAtMs).toBeGreaterThan(20);
    state = observeResponse(state, held[1]!, 30, shown({ remaining: 1 }), 0).state;
    expect(planNextSend(state, 31).askAgainAtMs).toBeGreaterThan(31);
    expect(takePermit(state, 32).permit.seq).toBe(10);
  });

  test('keeps its state in plain JSON', () => {
    const first = takePermit(initialRateState(), 0);
    const state = observeResponse(first.state, first.permit, 1, shown({}), 0).state;
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});

test('numbers in ascending order are counted up to any number', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(60), { maxLength: 30 }),
      fc.integer({ min: -1, max: 61 }),
      (some, most) => {
        const ascending = some.toSorted((one, other) => one - other);
        expect(countUpTo(ascending, most)).toBe(ascending.filter(one => one <= most).length);
      },
    ),
  );
});
