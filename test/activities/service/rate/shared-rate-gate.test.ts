// Several gates on one folder, as several processes of a host have them. Killing
// real ones is the chaos suite's.
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { hostClock, systemClock } from '../../../../activities/host/clock';
import { initialRateState } from '../../../../activities/service/rate/rate-calculator';
import type { Permit } from '../../../../activities/service/rate/rate-gate';
import type { RateState } from '../../../../activities/service/rate/rate-state';
import {
  SharedRateGate,
  type SharedRateGateOptions,
} from '../../../../activities/service/rate/shared-rate-gate';
import { RateLeader } from '../../../../activities/service/rate/shared-rate-leader';
import { RateStateFile, readRateStateFile } from '../../../../activities/service/rate/shared-rate-state';
import { useTemporaryFolder } from '../../../setup/temporary-folder';
import { errorOf } from '../client-bed';

const folder = useTemporaryFolder();
const open: SharedRateGate[] = [];

afterEach(async () => {
  for (const gate of open.splice(0)) await gate.close();
});

function gateOn(options: Partial<SharedRateGateOptions> = {}): SharedRateGate {
  const gate = new SharedRateGate({ folder: folder(), account: 'https://api.example\nus', ...options });
  open.push(gate);
  return gate;
}

/** A permit whose answer is newer than all others: what it shows counts. */
const LATE: Permit = { seq: 99, weight: 1, sentAtMs: hostClock.monotonicMs() };

/** Headers of a window that ends so many seconds from now. */
function limited(limit: number, remaining: number, resetInSeconds = 60): ReadonlyMap<string, string> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  return new Map([
    ['date', new Date(nowSeconds * 1_000).toUTCString()],
    ['x-rate-limit-limit', String(limit)],
    ['x-rate-limit-remaining', String(remaining)],
    ['x-rate-limit-reset', String(nowSeconds + resetInSeconds)],
  ]);
}

/** The first gate leads, the others follow; the window has `remaining` of `limit` left. */
async function openGates(count: number, limit: number, remaining: number): Promise<SharedRateGate[]> {
  const gates = Array.from({ length: count }, () => gateOn());
  const [leader] = gates;
  leader!.observe(await leader!.acquire({ maxWaitMs: 0 }), limited(limit, remaining), 200);
  for (const follower of gates.slice(1)) {
    const permit = await follower.acquire({ maxWaitMs: 0 }).catch(() => undefined);
    if (permit !== undefined) follower.release(permit);
  }
  return gates;
}

async function takeAll(gates: readonly SharedRateGate[]): Promise<Permit[]> {
  const taken: Permit[] = [];
  for (let n = 0; ; n++) {
    const permit = await gates[n % gates.length]!.acquire({ maxWaitMs: 2_000 }).catch(() => undefined);
    if (permit === undefined) return taken;
    taken.push(permit);
  }
}

function stateFiles(): string[] {
  return readdirSync(folder(), { recursive: true })
    .map(String)
    .filter(name => name.endsWith('.json'))
    .map(name => join(folder(), name));
}

describe('gates of one account', () => {
  test('together give no more permits than remain', async () => {
    expect(await takeAll(await openGates(4, 25, 10))).toHaveLength(10);
  });

  test('each permit has a number of its own', async () => {
    const taken = await takeAll(await openGates(3, 25, 9));
    expect(new Set(taken.map(({ seq }) => seq)).size).toBe(9);
  });

  test('that start at the same instant send one probe, not one each', async () => {
    const gates = Array.from({ length: 12 }, () => gateOn());
    const tries = gates.map(gate => gate.acquire({ maxWaitMs: 200 }).catch(() => undefined));
    const permits = (await Promise.all(tries)).filter(permit => permit !== undefined);
    expect(permits).toHaveLength(1);
  });

  test('an answer that one hears lets the waiters of another through', async () => {
    const [leader, follower] = await openGates(2, 5, 0);
    const waiting = follower!.acquire({ maxWaitMs: 100_000 });
    leader!.observe(LATE, limited(5, 4, 300), 200);
    await expect(waiting).resolves.toMatchObject({ weight: 1 });
  });

  test('keep the order in which was asked, whoever asked', async () => {
    const gates = await openGates(3, 5, 0);
    const waiting: Promise<Permit>[] = [];
    for (const n of [0, 1, 2, 3]) {
      const isTold = new Promise<void>(resolve => {
        waiting.push(gates[n % 3]!.acquire({ maxWaitMs: 100_000, onWaiting: () => resolve() }));
      });
      await isTold;
    }
    gates[0]!.observe(LATE, limited(5, 5, 300), 200);
    const given = (await Promise.all(waiting)).map(({ seq }) => seq);
    expect(given).toEqual([...given].sort((left, right) => left - right));
  });

  test('turn a follower away that would wait longer than it may, and say when to come back', async () => {
    const [, follower] = await openGates(2, 5, 0);
    const error = await errorOf(follower!.acquire({ maxWaitMs: 5_000 }));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', effect: 'not-sent' });
    expect(error.retryAtMs).toBeGreaterThan(Date.now() + 50_000);
  });

  test('a follower may wait without an end', async () => {
    const [leader, follower] = await openGates(2, 5, 0);
    const waiting = follower!.acquire({ maxWaitMs: Number.POSITIVE_INFINITY });
    await errorOf(follower!.acquire({ maxWaitMs: 0 }));
    leader!.observe(LATE, limited(5, 2, 300), 200);
    await expect(waiting).resolves.toMatchObject({ weight: 1 });
  });

  test('a follower that stops waiting takes nothing', async () => {
    const [leader, follower] = await openGates(2, 5, 0);
    const stop = new AbortController();
    const waiting = follower!.acquire({ maxWaitMs: 100_000, signal: stop.signal });
    stop.abort(new Error('enough'));
    expect(await errorOf(waiting)).toMatchObject({ message: 'enough' });
    // Messages of one process arrive in their order: once this one is answered, the leader knows.
    await errorOf(follower!.acquire({ maxWaitMs: 0 }));
    leader!.observe(LATE, limited(5, 2, 300), 200);
    expect(await takeAll([leader!, follower!])).toHaveLength(2);
  });

  test('a refusal that a follower hears holds all of them back, and says so to its caller', async () => {
    const [leader, follower] = await openGates(2, 25, 20);
    const permit = await follower!.acquire({ maxWaitMs: 0 });
    expect(follower!.observe(permit, new Map([['retry-after', '30']]), 429)).toBeGreaterThan(
      Date.now() + 29_000,
    );
    expect(await errorOf(follower!.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await errorOf(leader!.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('do not meet those of another account', async () => {
    await openGates(1, 5, 0);
    const other = gateOn({ account: 'https://api.example\nthem' });
    await expect(other.acquire({ maxWaitMs: 0 })).resolves.toMatchObject({ seq: 1 });
  });

  test('use their share of what is there', async () => {
    const gate = gateOn({ fraction: 0.4 });
    gate.observe(await gate.acquire({ maxWaitMs: 0 }), limited(20, 19), 200);
    expect(await takeAll([gate])).toHaveLength(7);
  });
});

describe('a gate that ends', () => {
  test('leaves its knowledge to the next: nothing is sent into a window that is spent', async () => {
    const [first] = await openGates(1, 5, 0);
    await first!.close();
    expect(await errorOf(gateOn().acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('is replaced as the leader by a follower, whose waiters wait on', async () => {
    const [leader, follower, third] = await openGates(3, 25, 2);
    await leader!.acquire({ maxWaitMs: 0 });
    await follower!.acquire({ maxWaitMs: 0 });
    const waiting = third!.acquire({ maxWaitMs: 100_000 });
    await leader!.close();
    expect(await errorOf(follower!.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
    follower!.observe(LATE, limited(25, 24, 300), 200);
    await expect(waiting).resolves.toMatchObject({ weight: 1 });
  });

  test('an answer that comes when the leader has just gone is not forgotten', async () => {
    const [leader, follower] = await openGates(2, 25, 10);
    const permit = await follower!.acquire({ maxWaitMs: 0 });
    await leader!.close();
    follower!.observe(permit, limited(25, 3), 200);
    expect(await takeAll([follower!])).toHaveLength(3);
  });

  test.each(['adopt', 'take'] as const)(
    'a next leader that steps down in its first moment (%s) forgets no refusal',
    async at => {
      let lateMs = 0;
      const clock = { ...hostClock, monotonicMs: () => hostClock.monotonicMs() + lateMs };
      const first = gateOn();
      first.observe(await first.acquire({ maxWaitMs: 0 }), limited(25, 20), 200);
      const next = gateOn({ clock });
      const permits = [await next.acquire({ maxWaitMs: 0 }), await next.acquire({ maxWaitMs: 0 })];
      const own = join(folder(), readdirSync(folder())[0]!);
      const ofLeader: (this: RateLeader, ...told: never[]) => unknown = RateLeader.prototype[at];
      const spy = jest.spyOn(RateLeader.prototype, at as 'take');
      spy.mockImplementationOnce(function (this: RateLeader, ...told: unknown[]) {
        // The process stands still here, and a successor takes it for dead.
        lateMs += 1_000;
        for (const name of readdirSync(own).filter(each => each.endsWith('.sock')))
          unlinkSync(join(own, name));
        return ofLeader.apply(this, told as never[]) as undefined;
      });
      await first.close();
      for (const permit of permits) next.observe(permit, new Map([['retry-after', '30']]), 429);
      expect(await errorOf(next.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
      spy.mockRestore();
    },
  );

  test('takes the permits of its unanswered requests with it until the window ends', async () => {
    const [leader, follower] = await openGates(2, 25, 10);
    for (let n = 0; n < 4; n++) await follower!.acquire({ maxWaitMs: 0 });
    await follower!.close();
    // The leader hears of it by the end of the connection; nothing else tells when.
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(await takeAll([leader!])).toHaveLength(6);
  });

  test('leaves a folder that does not grow', async () => {
    for (let n = 0; n < 5; n++) {
      const gate = gateOn();
      gate.release(await gate.acquire({ maxWaitMs: 0 }));
      await gate.close();
    }
    expect(stateFiles()).toHaveLength(1);
  });
});

describe('a leader that is not what it seems', () => {
  const silent: Server[] = [];
  afterEach(() => {
    for (const server of silent.splice(0)) server.close();
  });

  /** The folder of the account, as a gate has made it. */
  async function ownFolder(): Promise<string> {
    const gate = gateOn();
    gate.observe(await gate.acquire({ maxWaitMs: 0 }), limited(25, 4), 200);
    await gate.close();
    return join(folder(), readdirSync(folder())[0]!);
  }

  test('hangs: the next one takes over, with its state', async () => {
    const own = await ownFolder();
    const sockets: Socket[] = [];
    const hung = createServer(socket => void sockets.push(socket)).listen(join(own, '2.sock'));
    silent.push(hung);
    await once(hung, 'listening');
    const gate = gateOn({ askEveryMs: 30 });
    await expect(gate.acquire({ maxWaitMs: 10_000 })).resolves.toMatchObject({ weight: 1 });
    expect(await takeAll([gate])).toHaveLength(3);
    expect(readdirSync(own)).toContain('3.sock');
    for (const socket of sockets) socket.destroy();
  });

  test('is busy for a while: those who wait ask for signs of life, and wait on', async () => {
    const [leader] = await openGates(1, 5, 0);
    const follower = gateOn({ askEveryMs: 10 });
    const waiting = follower.acquire({ maxWaitMs: 100_000 });
    await new Promise(resolve => setTimeout(resolve, 200));
    leader!.observe(LATE, limited(5, 4, 300), 200);
    await expect(waiting).resolves.toMatchObject({ weight: 1 });
    const own = join(folder(), readdirSync(folder())[0]!);
    expect(readdirSync(own)).toContain('1.sock');
  });

  test('was replaced while it stood still: it gives nothing more, and takes from the next', async () => {
    const own = await ownFolder();
    const old = gateOn();
    old.release(await old.acquire({ maxWaitMs: 0 }));
    const leader = readdirSync(own).find(name => name.endsWith('.sock'));
    // As a successor does that took it for dead.
    unlinkSync(join(own, leader!));
    const next = gateOn();
    next.release(await next.acquire({ maxWaitMs: 0 }));
    const waiting = await takeAll([next]);
    expect(waiting).toHaveLength(4);
    await new Promise(resolve => setTimeout(resolve, 600));
    expect(await errorOf(old.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('says what cannot be read: it is left', async () => {
    const own = await ownFolder();
    const odd = createServer(socket => {
      socket.once('data', () => socket.write('{"kind":"granted","id":"one"}\n'));
    }).listen(join(own, '2.sock'));
    silent.push(odd);
    await once(odd, 'listening');
    const gate = gateOn();
    const asked = gate.acquire({ maxWaitMs: 10_000 });
    await new Promise(resolve => setTimeout(resolve, 100));
    unlinkSync(join(own, '2.sock'));
    await expect(asked).resolves.toMatchObject({ weight: 1 });
  });
});

describe('the folder of the gates', () => {
  test('may have a path longer than a socket’s may be', async () => {
    const deep = join(folder(), 'x'.repeat(120));
    const gates = [1, 2].map(() => gateOn({ folder: deep }));
    gates[0]!.observe(await gates[0]!.acquire({ maxWaitMs: 0 }), limited(25, 6), 200);
    expect(await takeAll(gates)).toHaveLength(6);
    expect(readdirSync(join(deep, readdirSync(deep)[0]!)).sort()).toEqual(['1.json', '1.sock']);
  });

  test('that cannot be used leaves a process to itself, with a warning', async () => {
    writeFileSync(join(folder(), 'rate'), 'a file, no folder');
    const warnings: unknown[] = [];
    const logger = { debug: () => undefined, warn: (facts: unknown) => void warnings.push(facts) };
    const gate = gateOn({ folder: join(folder(), 'rate'), logger });
    gate.observe(await gate.acquire({ maxWaitMs: 0 }), limited(25, 3), 200);
    expect(await takeAll([gate])).toHaveLength(3);
    expect(warnings).toHaveLength(1);
  });

  test('that others can read is not used', async () => {
    const gate = gateOn();
    gate.release(await gate.acquire({ maxWaitMs: 0 }));
    await gate.close();
    const own = join(folder(), readdirSync(folder())[0]!);
    chmodSync(own, 0o755);
    const warnings: unknown[] = [];
    const logger = { debug: () => undefined, warn: (facts: unknown) => void warnings.push(facts) };
    await gateOn({ logger }).acquire({ maxWaitMs: 0 });
    expect(warnings).toEqual([{ event: 'rate-limit-unshared', code: 'MISCONFIGURED' }]);
  });

  test('whose mark of the host others can read does not keep a process from its work; it is told', async () => {
    const warnings: unknown[] = [];
    const logger = { debug: () => undefined, warn: (facts: unknown) => void warnings.push(facts) };
    const gate = gateOn({ logger });
    const host = await gate.host();
    expect(warnings).toEqual([]);
    chmodSync(join(folder(), 'host-mark'), 0o644);
    expect(await gate.host()).not.toBe(host);
    const error = expect.objectContaining({ message: expect.stringContaining('set its mode to 0600') });
    expect(warnings).toEqual([{ event: 'host-unmarked', folder: folder(), error }]);
  });

  test.each([
    ['cut off', (text: string) => text.slice(0, text.length / 2)],
    ['half overwritten', (text: string) => text.replace(/"writes":\d+/, '"writes":999')],
    ['of an earlier start of the machine', (text: string) => text.replace(/"boot":"[^"]*"/, '"boot":"b"')],
    ['edited', (text: string) => text.replace(/"limit":\d+/, '"limit":"many"')],
    ['empty', () => ''],
  ])('a state that is %s is not believed: one request goes ahead', async (_, spoil) => {
    const [first] = await openGates(1, 5, 0);
    await first!.close();
    const [file] = stateFiles();
    writeFileSync(file!, spoil(readFileSync(file!, 'utf8')));
    const gate = gateOn();
    await expect(gate.acquire({ maxWaitMs: 0 })).resolves.toMatchObject({ seq: 1 });
    expect(await errorOf(gate.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('the file has the words of older builds, which read it and are read', () => {
    const path = join(folder(), '1.json');
    const state: RateState = { ...initialRateState(), probe: { seq: 3, sentAtMs: 5 } };
    new RateStateFile({
      path,
      boot: 'b',
      from: state,
      fraction: 1,
      onFault: error => {
        throw error;
      },
    }).close();
    const { probe, ...others } = state;
    const written = { writes: 1, boot: 'b', state: { ...others, scout: probe }, written: 1 };
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(written);
    expect(readRateStateFile(path, 'b')).toEqual(state);
  });

  test('on a full disk the state is kept in memory, and no old one is left behind', () => {
    const path = join(folder(), '1.json');
    symlinkSync('/dev/full', path);
    const faults: unknown[] = [];
    const cell = new RateStateFile({
      path,
      boot: 'b',
      from: null,
      fraction: 1,
      onFault: error => void faults.push(error),
    });
    cell.write({ ...initialRateState(), lastSeq: 7 });
    expect(cell.read().lastSeq).toBe(7);
    expect(faults).toMatchObject([{ code: 'ENOSPC' }]);
    expect(readdirSync(folder())).toEqual([]);
    cell.close();
  });

  test('on a disk with room again the state is noted again; full once more, that is said again', () => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const path = join(folder(), '1.json');
    const said: string[] = [];
    symlinkSync('/dev/full', path);
    const cell = new RateStateFile({
      path,
      boot: 'b',
      from: null,
      fraction: 1,
      onFault: () => void said.push('full'),
      onRoom: () => void said.push('room'),
      clock,
    });
    const note = (lastSeq: number) => cell.write({ ...initialRateState(), lastSeq });
    note(1);
    // Not asked at each request.
    expect(readdirSync(folder())).toEqual([]);
    nowMs += 5_000;
    symlinkSync('/dev/full', path);
    note(2);
    expect(said).toEqual(['full']);
    nowMs += 5_000;
    note(3);
    expect(readRateStateFile(path, 'b')).toMatchObject({ lastSeq: 3 });
    note(4);
    expect(readRateStateFile(path, 'b')).toMatchObject({ lastSeq: 4 });
    expect(said).toEqual(['full', 'room']);
    cell.close();
    note(5);
    expect(readRateStateFile(path, 'b')).toMatchObject({ lastSeq: 4 });
  });

  test('a socket that nobody listens on, or a folder in its place, is passed over', async () => {
    const gate = gateOn();
    gate.release(await gate.acquire({ maxWaitMs: 0 }));
    await gate.close();
    const own = join(folder(), readdirSync(folder())[0]!);
    mkdirSync(join(own, '7.sock'));
    const next = gateOn();
    await expect(next.acquire({ maxWaitMs: 0 })).resolves.toMatchObject({ weight: 1 });
    expect(readdirSync(own)).toContain('8.sock');
  });
});

test('a part that is told before anybody leads counts from the first permit on', async () => {
  const gate = gateOn();
  gate.lease(0);
  expect(await errorOf(gate.acquire({ maxWaitMs: 0 }))).toMatchObject({ code: 'RATE_LIMITED' });
  const waiting = gate.acquire({ maxWaitMs: 60_000 });
  gate.lease(undefined);
  await expect(waiting).resolves.toMatchObject({ weight: 1 });
});

test('a gate that is closed says so', async () => {
  const gate = gateOn();
  await gate.close();
  expect(await errorOf(gate.acquire({ maxWaitMs: 0 }))).toMatchObject({ message: /closed/ });
});

test('what is told of a limit grows older with the clock, and is over when its window is', async () => {
  let nowMs = 1_000;
  const gate = gateOn({ clock: { ...hostClock, monotonicMs: () => nowMs } });
  gate.observe(await gate.acquire({ maxWaitMs: 0 }), limited(100, 40, 60), 200);
  expect(gate.limits).toEqual([{ limit: 100, remaining: 40, resetInMs: 60_000, longestMs: 60_000 }]);
  nowMs += 45_000;
  expect(gate.limits).toMatchObject([{ remaining: 40, resetInMs: 15_000 }]);
  nowMs += 3_600_000;
  expect(gate.limits).toMatchObject([{ remaining: 100, resetInMs: 0 }]);
});
