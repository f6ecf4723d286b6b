import { HeaderRateGate, type Permit } from '../../../../activities/service/rate/rate-gate';
import { readRateHeaders } from '../../../../activities/service/rate/rate-headers';
import { Secret } from '../../../../activities/service/secret';
import { ServiceClient } from '../../../../activities/service/service-client';
import { completeServiceConfig } from '../../../../activities/service/service-config';
import { errorOf, showThing, useClientBed } from '../client-bed';
import { json } from '../scripted-service';

const bed = useClientBed();

/** Headers of a window that ends so many seconds from now. */
function limited(limit: number, remaining: number, resetInSeconds: number): ReadonlyMap<string, string> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  return new Map([
    ['date', new Date(nowSeconds * 1_000).toUTCString()],
    ['x-rate-limit-limit', String(limit)],
    ['x-rate-limit-remaining', String(remaining)],
    ['x-rate-limit-reset', String(nowSeconds + resetInSeconds)],
  ]);
}

async function openGate(limit: number, remaining: number, resetInSeconds: number): Promise<HeaderRateGate> {
  const gate = new HeaderRateGate();
  const probe = await gate.acquire({ maxWaitMs: 0 });
  gate.observe(probe, limited(limit, remaining, resetInSeconds), 200);
  return gate;
}

/** Turned away: when it is to come back, Unix ms. */
async function backAt(gate: HeaderRateGate, maxWaitMs: number): Promise<number> {
  return Number((await errorOf(gate.acquire({ maxWaitMs }))).retryAtMs);
}

describe('the gate', () => {
  test('turns away at once whoever would wait longer than he may, and says when to come back', async () => {
    const gate = await openGate(10, 0, 60);
    const startedMs = Date.now();
    const error = await errorOf(gate.acquire({ maxWaitMs: 15_000 }));
    // Far less than it may wait, and enough for a machine that is busy with other things.
    expect(Date.now() - startedMs).toBeLessThan(10_000);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', effect: 'not-sent' });
    expect(error.retryAtMs).toBeGreaterThan(startedMs + 58_000);
    expect(error.retryAtMs).toBeLessThan(startedMs + 70_000);
  });

  test('turns away by place in the queue, not only by the next reset', async () => {
    const gate = await openGate(2, 0, 8);
    const inTime = [1, 2].map(() => gate.acquire({ maxWaitMs: 11_000 }).catch((error: unknown) => error));
    const tooLate = await errorOf(gate.acquire({ maxWaitMs: 11_000 }));
    expect(tooLate).toMatchObject({ code: 'RATE_LIMITED' });
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    expect(await errorOf(gate.acquire({ maxWaitMs: 1, signal: stop.signal }))).toMatchObject({
      message: 'enough',
    });
    const settled = await Promise.race([
      Promise.all(inTime),
      new Promise(resolve => setTimeout(resolve, 20, 'waiting')),
    ]);
    expect(settled).toBe('waiting');
    gate.observe({ seq: 2, weight: 1, sentAtMs: performance.now() }, limited(2, 2, 30), 200);
  });

  test('lets waiters through in the order they came', async () => {
    const gate = await openGate(5, 0, 1);
    const order: number[] = [];
    const observe = (permit: Permit, n: number) => {
      order.push(n);
      gate.observe(permit, limited(5, 4 - order.length, 5), 200);
    };
    await Promise.all([0, 1, 2].map(async n => observe(await gate.acquire({ maxWaitMs: 10_000 }), n)));
    expect(order).toEqual([0, 1, 2]);
  });

  test('who gives way goes after all who wait in place, whenever they came', async () => {
    const gate = new HeaderRateGate();
    const probe = await gate.acquire({ maxWaitMs: 0 });
    const order: string[] = [];
    const take = async (name: string, maxWaitMs: number) => {
      await gate.acquire({ maxWaitMs });
      order.push(name);
    };
    // Everybody waits for the answer to the first request of all.
    const taken = [take('look', 1_000), take('work', 10_000), take('more work', 10_000)];
    gate.observe(probe, limited(10, 9, 60), 200);
    await Promise.all(taken);
    expect(order).toEqual(['work', 'more work', 'look']);
  });

  test('those who are turned away are told to come back one after the other, not at one moment', async () => {
    const gate = await openGate(10, 0, 60);
    const startedMs = Date.now();
    const backMs: number[] = [];
    for (let asked = 0; asked < 40; asked++) {
      backMs.push((await backAt(gate, 0)) - startedMs);
    }
    // Eight a window, each of sixty seconds or more; a spread of at most a tenth comes on top.
    const windows = [0, 1, 2, 3].map(at => Math.min(...backMs.slice(at * 8, at * 8 + 8)));
    for (const [at, earliest] of windows.entries()) {
      expect(earliest).toBeGreaterThan(58_000 + at * 59_000);
    }
  });

  test.each([
    ['who goes first is told', 2_000, 1_000],
    ['a look is told', 0, 5_000],
  ])('%s a time that is near the end of the window', async (_, maxWaitMs, mostMs) => {
    const clock = { monotonicMs: () => 1_000, wallMs: () => 1_800_000_000_000 };
    const gate = new HeaderRateGate({ clock, random: () => 0.999 });
    const permit = await gate.acquire({ maxWaitMs: 0 });
    const headers = new Map([
      ...limited(100, 0, 600),
      ['date', new Date(clock.wallMs()).toUTCString()],
      ['x-rate-limit-reset', String(clock.wallMs() / 1_000 + 600)],
    ]);
    gate.observe(permit, headers, 200);
    const laterMs = (await backAt(gate, maxWaitMs)) - clock.wallMs() - 600_000;
    // The reset is told by the second, so the window may last a second longer.
    expect(laterMs).toBeGreaterThan(mostMs - 10);
    expect(laterMs).toBeLessThan(mostMs + 2_010);
  });

  test('who comes again and finds the hour spent gets a place of its own in the next', async () => {
    const start = { monotonicMs: 1_000, wallMs: Math.floor(Date.now() / 1_000) * 1_000 };
    let passedMs = 0;
    const clock = {
      monotonicMs: () => start.monotonicMs + passedMs,
      wallMs: () => start.wallMs + passedMs,
    };
    const gate = new HeaderRateGate({ clock, random: () => 0 });
    const observe = async (limit: number, remaining: number, resetInSeconds: number): Promise<void> => {
      const permit = await gate.acquire({ maxWaitMs: 60_000 });
      const seconds = clock.wallMs() / 1_000;
      const headers = new Map([
        ['date', new Date(clock.wallMs()).toUTCString()],
        ['x-rate-limit-limit', String(limit)],
        ['x-rate-limit-remaining', String(remaining)],
        ['x-rate-limit-reset', String(seconds + resetInSeconds)],
      ]);
      gate.observe(permit, headers, 200);
    };
    // An hour of a minute with 300 requests, and 25 in ten seconds; looks may have 240 and 20.
    await observe(25, 1, 10);
    await observe(300, 60, 60);
    const look = async (): Promise<number> => (await backAt(gate, 0)) - start.wallMs;
    const told: number[] = [];
    for (let asked = 0; asked < 100; asked++) told.push(await look());
    passedMs = 5_000;
    // Others have spent the hour meanwhile.
    gate.observe({ seq: 3, weight: 1, sentAtMs: clock.monotonicMs() }, limited(300, 0, 55), 200);
    const early = told.filter(atMs => atMs < 60_000);
    expect(early.length).toBeGreaterThan(40);
    const back = told.filter(atMs => atMs >= 60_000);
    for (const atMs of early) {
      passedMs = atMs;
      back.push(await look());
    }
    for (const atMs of back) {
      const beside = back.filter(other => Math.abs(other - atMs) < 5_000);
      expect(beside.length).toBeLessThanOrEqual(20);
    }
  });

  test('a look leaves what is left to those who were turned away before it', async () => {
    const gate = new HeaderRateGate();
    const probe = await gate.acquire({ maxWaitMs: 0 });
    // Nothing is left for a while; two that would wait in place for less are told to come back.
    gate.observe(probe, limited(2, 0, 30), 200);
    const work = await backAt(gate, 2_000);
    const more = await backAt(gate, 2_000);
    const look = await backAt(gate, 500);
    expect(look).toBeGreaterThan(Math.max(work, more) + 20_000);
    // And nobody of them comes back behind the look.
    expect(await backAt(gate, 2_000)).toBeLessThan(look + 5_000);
  });

  test('looks leave a fifth of a window to all others', async () => {
    const gate = await openGate(100, 99, 60);
    const taken: Permit[] = [];
    const takeAll = async (maxWaitMs: number) => {
      for (let turnedAway = false; !turnedAway; )
        await gate.acquire({ maxWaitMs }).then(
          permit => taken.push(permit),
          () => {
            turnedAway = true;
          },
        );
      return taken.length;
    };
    // The one that opened the window was as short of time as they are.
    expect(await takeAll(1_000)).toBe(79);
    expect(await takeAll(2_000)).toBe(99);
  });

  test('a look whose request never left has taken nothing', async () => {
    const gate = await openGate(100, 99, 60);
    for (let at = 0; at < 200; at++) gate.release(await gate.acquire({ maxWaitMs: 1_000 }));
    await expect(gate.acquire({ maxWaitMs: 1_000 })).resolves.toMatchObject({ weight: 1 });
  });

  test('tells a waiter once until when it waits', async () => {
    const gate = await openGate(5, 0, 2);
    const told: number[] = [];
    const stop = new AbortController();
    const waiting = gate.acquire({
      maxWaitMs: 10_000,
      signal: stop.signal,
      onWaiting: untilMs => told.push(untilMs),
    });
    gate.observe({ seq: 99, weight: 1, sentAtMs: performance.now() }, limited(5, 0, 2), 200);
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThan(Date.now());
    stop.abort(new Error('stop'));
    expect(await errorOf(waiting)).toMatchObject({ message: 'stop' });
  });

  test('an aborted waiter makes room for the next', async () => {
    const gate = new HeaderRateGate();
    const probe = await gate.acquire({ maxWaitMs: 0 });
    const stop = new AbortController();
    const first = gate.acquire({ maxWaitMs: 10_000, signal: stop.signal });
    const second = gate.acquire({ maxWaitMs: 10_000 });
    stop.abort(new Error('stop'));
    expect(await errorOf(first)).toMatchObject({ message: 'stop' });
    gate.observe(probe, limited(5, 4, 30), 200);
    await expect(second).resolves.toMatchObject({ weight: 1 });
  });

  test('a permit whose request never left is not counted', async () => {
    const gate = await openGate(2, 1, 60);
    for (let n = 0; n < 20; n++) gate.release(await gate.acquire({ maxWaitMs: 0 }));
    gate.observe(await gate.acquire({ maxWaitMs: 0 }), limited(2, 0, 60), 200);
    expect(await errorOf(gate.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('everybody stays away after a 429 or a 503 that says so', async () => {
    for (const status of [429, 503]) {
      const gate = new HeaderRateGate();
      const probe = await gate.acquire({ maxWaitMs: 0 });
      const untilMs = gate.observe(probe, new Map([['retry-after', '30']]), status);
      expect(untilMs).toBeGreaterThan(Date.now() + 29_000);
      expect(await errorOf(gate.acquire({ maxWaitMs: 5_000 }))).toMatchObject({ code: 'RATE_LIMITED' });
    }
  });

  test('a clock of ours that is hours off changes nothing', async () => {
    const wallMs = Date.now() + 5 * 3_600_000;
    const gate = new HeaderRateGate({
      clock: { monotonicMs: () => performance.now(), wallMs: () => wallMs },
    });
    gate.observe(await gate.acquire({ maxWaitMs: 0 }), limited(5, 0, 60), 200);
    const error = await errorOf(gate.acquire({ maxWaitMs: 1_000 }));
    expect(Number(error.retryAtMs) - wallMs).toBeLessThan(75_000);
    expect(Number(error.retryAtMs) - wallMs).toBeGreaterThan(55_000);
  });
});

test('unreadable headers count as none', () => {
  const headers = new Map([
    ['x-rate-limit-limit', '25, 3600'],
    ['x-rate-limit-remaining', '-1'],
    ['x-rate-limit-reset', 'soon'],
    ['date', 'today'],
  ]);
  expect(readRateHeaders(headers, 200, 1_234_567)).toEqual({
    status: 200,
    limit: undefined,
    remaining: undefined,
    resetAtServerMs: undefined,
    retryAfterMs: undefined,
    dateMs: 1_234_000,
  });
});

test('16 callers use real windows to the full without one refusal', async () => {
  const LIMIT = 20;
  const WINDOW_MS = 2_000;
  let windowEndsAtMs = 0;
  let used = 0;
  let refused = 0;
  bed().service.answer((_, response) => {
    const nowMs = Date.now();
    if (nowMs >= windowEndsAtMs) {
      windowEndsAtMs = Math.floor(nowMs / WINDOW_MS) * WINDOW_MS + WINDOW_MS;
      used = 0;
    }
    used += 1;
    const headers = {
      'x-rate-limit-limit': String(LIMIT),
      'x-rate-limit-remaining': String(Math.max(0, LIMIT - used)),
      'x-rate-limit-reset': String(windowEndsAtMs / 1_000),
    };
    if (used > LIMIT) refused += 1;
    setTimeout(() => json(response, used > LIMIT ? 429 : 200, { data: { id: 'a' } }, headers), 10);
  });
  const client = new ServiceClient({
    config: completeServiceConfig({
      baseUrl: bed().service.url,
      authUrl: bed().service.url,
      clientId: 'client-1',
      clientSecret: new Secret('x'),
      allowInsecureLoopback: true,
      maxWaitMs: 60_000,
    }),
    tokens: bed().tokens,
    gate: new HeaderRateGate(),
  });
  const startedMs = Date.now();
  let left = 5 * LIMIT;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await client.send(showThing, { params: { id: 'a' }, companyId: '1' });
    }
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  await client.close();
  expect(refused).toBe(0);
  // Four whole windows lie between the first and the fifth. How exactly they are used is proven in simulated
  // time; here a busy machine may be late for each.
  expect(Date.now() - startedMs).toBeLessThan(8 * WINDOW_MS);
}, 20_000);
