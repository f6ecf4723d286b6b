// Hosts that share an account: on a real Temporal, and with one that does not answer.
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { hostClock } from '../../activities/host/clock';
import { withResolvers } from '../../activities/host/with-resolvers';
import { SharedRateGate } from '../../activities/service/rate/shared-rate-gate';
import { createLeaseRun, keepRateLease, type LeaseRun, toIdentity } from '../../workers/rate-leases';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import { rateLeasesWorkflowId } from '../../workflows/rate/rate-leases-contract';
import { RateLimits } from '../sandbox/http/rate-limits';
import { DEFAULT_SETTINGS } from '../sandbox/settings';
import { recordHistory } from '../setup/recorded-histories';
import { startNamespace, type TestNamespace } from '../setup/temporal-namespace';
import { useTemporaryFolder } from '../setup/temporary-folder';

jest.setTimeout(120_000);

const SPIKE = { limit: 25, lengthMs: 5_000 };
const HOURLY = { limit: 3_600, lengthMs: 3_600_000 };
const TIMES = { lookMs: 300, askAgainMs: 300 };
const folder = useTemporaryFolder();
/** Told of each request, and of each part that is handed out. */
const moved = new EventEmitter();

/** The limit of the stand-in, and what came of each request. */
class Service {
  readonly #limits = new RateLimits();
  /** When each window began, and how many requests had been taken before it. */
  readonly windows: { readonly atMs: number; readonly taken: number }[] = [];
  taken = 0;
  /** Of each: how far into its window it came, and what had been taken of that by then. */
  readonly refused: { readonly atMs: number; readonly inWindowMs: number; readonly taken: number }[] = [];
  #endsAtMs = 0;

  async answer(): Promise<{ readonly status: number; readonly headers: ReadonlyMap<string, string> }> {
    await delay(5);
    const limits = { hourly: HOURLY.limit, spike: SPIKE.limit, spikeWindowSeconds: SPIKE.lengthMs / 1_000 };
    const nowMs = Date.now();
    const { allowed, headers } = this.#limits.admit({ ...DEFAULT_SETTINGS, timeScale: 1, limits }, nowMs);
    if (nowMs >= this.#endsAtMs) this.windows.push({ atMs: nowMs, taken: this.taken });
    if (nowMs >= this.#endsAtMs) this.#endsAtMs = Math.floor(nowMs / 1_000) * 1_000 + SPIKE.lengthMs;
    if (allowed) this.taken += 1;
    else {
      const { atMs, taken } = this.windows.at(-1) ?? { atMs: nowMs, taken: 0 };
      this.refused.push({ atMs: nowMs, inWindowMs: nowMs - atMs, taken: this.taken - taken });
    }
    moved.emit('moved');
    const named = Object.entries(headers).map(([name, value]): [string, string] => [
      name.toLowerCase(),
      value,
    ]);
    const date = new Date(nowMs).toUTCString();
    await delay(5);
    return { status: allowed ? 200 : 429, headers: new Map([...named, ['date', date]]) };
  }
}

/**
 * One host: a state folder, a worker that polls, what keeps its lease, and callers that never have enough.
 */
class Host {
  readonly gate: SharedRateGate;
  part: number | undefined;
  readonly #stop = new AbortController();
  readonly #ends: Promise<unknown>[] = [];

  constructor(name: string) {
    this.gate = new SharedRateGate({ folder: join(folder(), name), account: 'https://api.example\nus' });
  }

  async start(temporal: TestNamespace): Promise<void> {
    const host = await this.gate.host();
    // Two workers of one queue cannot be on one connection.
    const connection = await NativeConnection.connect({ address: temporal.address });
    const worker = await Worker.create({
      connection,
      namespace: temporal.namespace,
      identity: toIdentity(process.pid, 'machine', host),
      taskQueue: SERVICE_TASK_QUEUE,
      workflowBundle: { codePath: temporal.bundlePath },
      activities: { nothing: async () => undefined },
    });
    this.#ends.push(worker.runUntil(once(this.#stop.signal, 'abort')).finally(() => connection.close()));
    this.#ends.push(
      keepRateLease({
        gate: this.gate,
        run: createLeaseRun({ ...this.gate, host, client: temporal.client, shares: [] }),
        clock: hostClock,
        signal: this.#stop.signal,
        times: TIMES,
        logger: {
          debug: ({ event, part }) => {
            if (event !== 'rate-lease') return;
            this.part = typeof part === 'number' ? part : undefined;
            moved.emit('moved');
          },
        },
      }),
    );
  }

  call(service: Service, callers: number): void {
    const { signal } = this.#stop;
    for (let n = 0; n < callers; n++) {
      this.#ends.push(
        (async () => {
          while (!signal.aborted) {
            const permit = await this.gate.acquire({ maxWaitMs: 60_000, signal });
            const { status, headers } = await service.answer();
            this.gate.observe(permit, headers, status);
          }
        })().catch(() => undefined),
      );
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#ends);
    await this.gate.close();
  }
}

/** A coordinator that has no part for this host. */
const GIVES_NOTHING = {
  hasOthers: async () => true,
  calls: async () => 0,
  ask: async () => ({ part: 0, forMs: 60_000, isShort: true }),
};

describe('whoever polled last tells how late it is', () => {
  const OURS = '11111111';
  const seen = async (polls: Readonly<Record<string, number>>): Promise<boolean> => {
    const pollers = Object.entries(polls).map(([host, atMs]) => ({
      identity: toIdentity(1, 'machine', host),
      lastAccessTime: { seconds: Math.floor(atMs / 1_000) },
    }));
    const client = {
      options: { namespace: 'default' },
      withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
      workflowService: { describeTaskQueue: async () => ({ pollers }) },
    } as unknown as Client;
    return await createLeaseRun({ client, account: 'a', host: OURS, shares: [] }).hasOthers();
  };

  test.each([
    ['ahead', -200_000],
    ['right', 0],
    ['behind', 200_000],
  ])('so others are seen, and not for long after their end, where our own clock is %s', async (_, offMs) => {
    const nowMs = Date.now() + offMs;
    expect(await seen({ [OURS]: nowMs - 30_000, '22222222': nowMs })).toBe(true);
    expect(await seen({ [OURS]: nowMs, '22222222': nowMs - 140_000 })).toBe(true);
    expect(await seen({ [OURS]: nowMs, '22222222': nowMs - 152_000 })).toBe(false);
    expect(await seen({ [OURS]: nowMs })).toBe(false);
  });

  test('and nobody is seen where nobody polled', async () => {
    expect(await seen({})).toBe(false);
  });
});

describe('on a real Temporal', () => {
  let temporal: TestNamespace;
  const hosts: Host[] = [];

  beforeEach(async () => {
    temporal = await startNamespace();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.stop();
    await temporal.close();
  });

  async function startHosts(...names: string[]): Promise<Host[]> {
    for (const name of names) {
      const host = new Host(name);
      hosts.push(host);
      await host.start(temporal);
    }
    return hosts;
  }

  test('three hosts use the whole limit together, and none of their requests is refused', async () => {
    const service = new Service();
    const [first, ...others] = await startHosts('one', 'two', 'three');
    // What is worth most is known when the others come: the first has used it all.
    first!.call(service, 8);
    for (const host of others) host.call(service, 8);
    // A part that was handed out before the limit was known is a third; later ones are eight or nine of 25.
    await until(() => isShared(sumOfParts(hosts)) && hosts.every(({ part = 0 }) => part > 0 && part < 0.5));
    // A part that grew does so with the next window; from then on, windows whole.
    const known = service.windows.length + 1;
    await until(() => service.windows.length >= known + 4);
    const [from, to] = [service.windows[known]!, service.windows[known + 3]!];
    const allowed = (SPIKE.limit * (to.atMs - from.atMs)) / SPIKE.lengthMs;
    expect(service.refused).toEqual([]);
    expect((to.taken - from.taken) / allowed).toBeGreaterThanOrEqual(0.95);
    await recordHistory(temporal.client.workflow.getHandle(rateLeasesWorkflowId(first!.gate.account)));
  });

  test('a host that knows of the limit by the hour alone does not change what parts are counted in', async () => {
    const [host] = await startHosts('one');
    const ask = async (name: string, limit: number, periodMs: number) => {
      const run = createLeaseRun({ ...host!.gate, host: name, client: temporal.client, shares: [] });
      return await run.ask({ want: 0.3, uses: 0, isNew: false, limit, periodMs });
    };
    await ask('aaaaaaaa', SPIKE.limit, SPIKE.lengthMs);
    for (let times = 0; times < 2; times++) {
      // Of 25, in whole requests.
      expect((await ask('bbbbbbbb', HOURLY.limit, HOURLY.lengthMs)).part).toBe(8 / 25);
    }
    await recordHistory(temporal.client.workflow.getHandle(rateLeasesWorkflowId(host!.gate.account)));
  });

  test('a host that is alone asks nobody, and leaves no run', async () => {
    const service = new Service();
    const [host] = await startHosts('one');
    host!.call(service, 4);
    await until(() => service.taken >= 30);
    const handle = temporal.client.workflow.getHandle(rateLeasesWorkflowId(host!.gate.account));
    await expect(handle.describe()).rejects.toThrow(WorkflowNotFoundError);
    expect(service.refused).toEqual([]);
  });
});

function sumOfParts(hosts: readonly Host[]): number {
  return hosts.reduce((sum, { part = 0 }) => sum + part, 0);
}

function isShared(sum: number): boolean {
  return sum >= 0.95 && sum < 1 + 1e-6;
}

/** Within a minute. */
async function until(isSo: () => boolean): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  while (!isSo()) await once(moved, 'moved', { signal });
}

describe('where Temporal does not answer', () => {
  const away = (): never => {
    throw new Error('away');
  };

  /** What the gate of a host with work is told, until it has looked so often. */
  async function keep(run: LeaseRun, looks: number): Promise<(number | undefined)[]> {
    const told: (number | undefined)[] = [];
    const stop = new AbortController();
    let looked = 0;
    const gate = {
      demand: async () => {
        looked += 1;
        if (looked === looks) stop.abort();
        return { given: 5, isShort: true, limit: 25, periodMs: 10_000 };
      },
      lease: (part: number | undefined) => told.push(part),
      onWaiting: undefined,
    };
    const times = { lookMs: 1, askAgainMs: 0 };
    await keepRateLease({ gate, run, clock: hostClock, signal: stop.signal, times });
    return told;
  }

  test('a host that has no part goes by what remains', async () => {
    const run: LeaseRun = {
      hasOthers: async () => away(),
      calls: async () => away(),
      ask: async () => away(),
    };
    expect(await keep(run, 2)).toEqual([0, undefined, undefined]);
  });

  test('one that has a part keeps it: the others cannot ask either', async () => {
    let asked = 0;
    const ask: LeaseRun['ask'] = async () => {
      asked += 1;
      return { part: 0.36, forMs: 1, isShort: false };
    };
    const run: LeaseRun = { hasOthers: async () => asked === 0 || away(), calls: async () => 0, ask };
    expect(await keep(run, 20)).toEqual([0, 0.36]);
  });

  test('nothing is sent before the first look has ended', async () => {
    const [asked, found] = [withResolvers<void>(), withResolvers<boolean>()];
    const told: (number | undefined)[] = [];
    const stop = new AbortController();
    const ended = keepRateLease({
      gate: {
        demand: async () => ({ given: 0, isShort: false }),
        lease: part => {
          told.push(part);
          if (told.length === 2) stop.abort();
        },
        onWaiting: undefined,
      },
      run: {
        hasOthers: async () => {
          asked.resolve();
          return await found.promise;
        },
        calls: async () => 0,
        ask: async () => away(),
      },
      clock: hostClock,
      signal: stop.signal,
    });
    await asked.promise;
    expect(told).toEqual([0]);
    found.resolve(false);
    await ended;
    expect(told).toEqual([0, undefined]);
  });

  test('a host whose part does not come goes by what remains in the end, and asks on', async () => {
    let nowMs = 0;
    const told: (number | undefined)[] = [];
    const stop = new AbortController();
    await keepRateLease({
      gate: {
        demand: async () => {
          nowMs += 10_000;
          if (told.length === 8) stop.abort();
          return { given: 0, isShort: true };
        },
        lease: part => told.push(part),
        onWaiting: undefined,
      },
      run: GIVES_NOTHING,
      clock: { monotonicMs: () => nowMs, wallMs: () => nowMs },
      signal: stop.signal,
      times: { lookMs: 1, askAgainMs: 1 },
    });
    expect(told.slice(0, 8)).toEqual([0, 0, 0, 0, 0, 0, undefined, undefined]);
  });
});

describe('a host that was told to wait for a part', () => {
  /** What it says that it uses, each time it asks; `hasOthers` by the number of its looks. */
  async function usesOf(hasOthers: (look: number) => boolean, looks: number): Promise<number[]> {
    let look = 0;
    const stop = new AbortController();
    const uses: number[] = [];
    await keepRateLease({
      gate: {
        demand: async () => {
          if (++look === looks) stop.abort();
          return { given: 0, isShort: true };
        },
        lease: () => undefined,
        onWaiting: undefined,
      },
      run: {
        hasOthers: async () => hasOthers(look),
        calls: async () => 0,
        ask: async question => {
          uses.push(question.uses);
          return { part: 0, forMs: 60_000, isShort: true };
        },
      },
      clock: { monotonicMs: () => look * 1_000, wallMs: () => look * 1_000 },
      signal: stop.signal,
      times: { lookMs: 1, askAgainMs: 1 },
    });
    return uses;
  }

  test('uses nothing of the limit, until it is alone: then it uses all of it', async () => {
    expect(await usesOf(look => look !== 3, 4)).toEqual([0, 0, 1]);
  });

  test('waits the whole time for it again when it has had no work meanwhile', async () => {
    const told: (number | undefined)[] = [];
    let look = 0;
    let nowMs = 0;
    const stop = new AbortController();
    await keepRateLease({
      gate: {
        demand: async () => {
          look += 1;
          // Idle at the second look, an hour later.
          nowMs += look === 2 ? 3_600_000 : 1_000;
          if (look === 4) stop.abort();
          return { given: 0, isShort: look !== 2 };
        },
        lease: part => told.push(part),
        onWaiting: undefined,
      },
      run: GIVES_NOTHING,
      clock: { monotonicMs: () => nowMs, wallMs: () => nowMs },
      signal: stop.signal,
      times: { lookMs: 1, askAgainMs: 1 },
    });
    expect(told).toEqual([0, 0, 0, 0, 0]);
  });
});
