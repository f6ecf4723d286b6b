import fc from 'fast-check';
import {
  askLease,
  fairParts,
  isIdle,
  LEASE_MS,
  type LeaseQuestion,
  type LeaseReply,
  type LeaseState,
  NO_LEASES,
} from '../../../../workflows/rate/decide/rate-leases';

const SPIKE = { limit: 25, periodMs: 10_000 };
const REST_MS = 11_000;

/** Hosts that ask one after the other. */
class Asking {
  state: LeaseState = NO_LEASES;
  isCalling = false;
  nowMs = 0;

  ask(host: string, question: Partial<LeaseQuestion> = {}): LeaseReply {
    const asked = askLease(
      this.state,
      { host, want: 1, uses: 0, isNew: false, ...SPIKE, ...question },
      this.nowMs,
    );
    this.state = asked.state;
    this.isCalling = asked.isCalling;
    return asked.reply;
  }

  /** In whole requests of the limit. */
  part(host: string, question: Partial<LeaseQuestion> = {}): number {
    return Math.round(this.ask(host, question).part * SPIKE.limit * 1_000) / 1_000;
  }
}

test('three that want all of it have all of it together, to the last request', () => {
  const parts = fairParts(
    ['a', 'b', 'c'].map(host => ({ host, want: 1 })),
    25,
  );
  expect([...parts.values()].sort()).toEqual([8, 8, 9]);
});

test('what one does not want is the others', () => {
  const parts = fairParts(
    [
      { host: 'a', want: 1 },
      { host: 'b', want: 0.1 },
      { host: 'c', want: 0 },
    ],
    25,
  );
  expect(Object.fromEntries(parts)).toEqual({ a: 22, b: 3, c: 0 });
});

test('one that was alone gives up the half at once, and the other has it when no window knows of it', () => {
  const hosts = new Asking();
  expect(hosts.part('new', { isNew: true })).toBe(0);
  expect(hosts.part('first', { uses: 1 })).toBe(12);
  expect(hosts.part('new')).toBe(0);
  hosts.nowMs += REST_MS;
  expect(hosts.part('new')).toBe(13);
});

test('one that has more than its due is called, and nothing is two hosts’ meanwhile', () => {
  const hosts = new Asking();
  expect(hosts.part('a')).toBe(25);
  expect(hosts.ask('b')).toMatchObject({ part: 0, isShort: true });
  expect(hosts.isCalling).toBe(true);
  expect(hosts.part('a')).toBe(12);
  expect(hosts.part('b')).toBe(0);
  // What is missing rests: there is nobody to call.
  expect(hosts.isCalling).toBe(false);
  hosts.nowMs += REST_MS;
  expect(hosts.part('b')).toBe(13);
});

test('the lease of a host that died ends by itself, and its part is the others’ a window later', () => {
  const hosts = new Asking();
  hosts.part('dead');
  hosts.part('a');
  hosts.nowMs += LEASE_MS;
  expect(hosts.part('a')).toBe(0);
  hosts.nowMs += REST_MS + 2_000;
  expect(hosts.part('a')).toBe(25);
});

test('what is given back is free a window later, and nobody is left', () => {
  const hosts = new Asking();
  hosts.part('a');
  expect(hosts.part('a', { want: 0 })).toBe(0);
  expect(isIdle(hosts.state, hosts.nowMs)).toBe(true);
  expect(hosts.part('b')).toBe(0);
  hosts.nowMs += REST_MS;
  expect(hosts.part('b')).toBe(25);
});

test('a host that knows of a longer window alone changes nothing, however often it asks', () => {
  const hosts = new Asking();
  const hourly = { limit: 3_600, periodMs: 3_600_000 };
  hosts.part('a', { want: 0.5 });
  for (let times = 0; times < 3; times++) hosts.ask('b', { ...hourly, want: 0.4 });
  expect(hosts.state).toMatchObject({ whole: SPIKE.limit, periodMs: SPIKE.periodMs });
  hosts.part('c');
  const inUse = hosts.state.holders.reduce((sum, { part }) => sum + part, 0);
  expect(inUse).toBeLessThanOrEqual(SPIKE.limit);
});

test('whatever hosts ask and whenever, parts that are in use never come to more than the limit', () => {
  const step = fc.record({
    host: fc.constantFrom('a', 'b', 'c', 'd'),
    want: fc.constantFrom(0, 0.1, 0.5, 1),
    afterMs: fc.integer({ min: 0, max: 40_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const hosts = new Asking();
      const held = new Map<string, { readonly part: number; readonly untilMs: number }>();
      for (const { host, want, afterMs } of steps) {
        hosts.nowMs += afterMs;
        const { part, forMs } = hosts.ask(host, { want });
        held.set(host, { part, untilMs: hosts.nowMs + forMs });
        const inUse = [...held.values()].filter(({ untilMs }) => untilMs > hosts.nowMs);
        expect(inUse.reduce((sum, each) => sum + each.part, 0)).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
    { numRuns: 300 },
  );
});
