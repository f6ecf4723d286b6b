import type { DropEntry } from '../../../activities/share/drop/scan-drop';
import type { DropRegister } from '../../../activities/share/register/look-in-drop';
import { RegisterWait } from '../../../client/watch/register-wait';
import type { WatchEvent } from '../../../client/watch/watch-events';

const entry = (path: string, mtimeNs = 1n): DropEntry => ({
  path,
  kind: 'file',
  sizeBytes: 1,
  mtimeNs,
  identity: path,
});
const missing = (...files: readonly string[]) => files.map(file => ({ kind: 'missing' as const, file }));
const LISTED: DropRegister = { path: 'Job/register.csv', awaited: missing('c.pdf'), order: ['Job/a.pdf'] };

/** The register goes with the first of its files. */
const ORDER = ['Job/register.csv', 'Job/a.pdf'];

function waiting(
  register: () => DropRegister | 'busy' | undefined,
  clock = { ms: 0 },
  stay: () => readonly string[] = () => [],
  lookAgain: () => Promise<boolean> = async () => false,
) {
  let looks = 0;
  const lookForRegister = async () => {
    looks++;
    return register();
  };
  const told: WatchEvent[] = [];
  const wait = new RegisterWait({
    share: { lookForRegister, leaveUnlisted: async () => stay() },
    waitMs: 1_000,
    lookEveryMs: 100,
    lookAgain,
    nowMs: () => clock.ms,
    tell: event => told.push(event),
  });
  return { wait, clock, told, looks: () => looks };
}

test('missing files are waited for from the first look on, however many others come, and then no longer', async () => {
  const { wait, clock } = waiting(() => LISTED);
  expect(await wait.look('Job', [entry('Job/a.pdf')])).toEqual({
    begins: 'not-yet',
    register: ORDER[0],
    order: ORDER,
    stay: [],
  });
  clock.ms = 999;
  expect(await wait.look('Job', [entry('Job/a.pdf'), entry('Job/b.pdf')])).toMatchObject({
    begins: 'not-yet',
  });
  clock.ms = 1_000;
  expect(await wait.look('Job', [entry('Job/a.pdf'), entry('Job/b.pdf')])).toMatchObject({
    begins: 'when-quiet',
  });
});

test('a folder that a person has marked as whole waits for no file that its register lists, and is not told of', async () => {
  const { wait, told } = waiting(() => LISTED);
  expect(await wait.look('Job', [entry('Job/a.pdf')], true)).toMatchObject({ begins: 'now', order: ORDER });
  expect(wait.waiting()).toEqual([]);
  expect(told).toEqual([]);
});

test('who marks it while it waits ends the waiting', async () => {
  const { wait } = waiting(() => LISTED);
  await wait.look('Job', [entry('Job/a.pdf')]);
  expect(wait.waiting()).toMatchObject([{ top: 'Job', missing: ['c.pdf'] }]);
  expect(await wait.look('Job', [entry('Job/a.pdf')], true)).toMatchObject({ begins: 'now' });
  expect(wait.waiting()).toEqual([]);
});

test('a folder that went, and is dropped once more under its name, is told of and waited for anew', async () => {
  const { wait, clock, told } = waiting(() => LISTED);
  await wait.look('Job', [entry('Job/a.pdf')]);
  wait.keepOnly(new Map([['Job', {}]]));
  clock.ms = 1_000;
  expect(await wait.look('Job', [entry('Job/a.pdf')])).toMatchObject({ begins: 'when-quiet' });
  wait.keepOnly(new Map([['Other', {}]]));
  expect(await wait.look('Job', [entry('Job/a.pdf')])).toMatchObject({ begins: 'not-yet' });
  expect(told.map(({ event }) => event)).toEqual(['register-waits', 'register-waits']);
});

test('a folder with all that its register lists begins at once', async () => {
  const { wait } = waiting(() => ({ ...LISTED, awaited: [] }));
  expect(await wait.look('Job', [entry('Job/a.pdf')])).toEqual({
    begins: 'now',
    register: ORDER[0],
    order: ORDER,
    stay: [],
  });
});

test('files that did not change are not read again, also where there is no register', async () => {
  for (const register of [undefined, LISTED]) {
    const { wait, looks } = waiting(() => register);
    for (const mtimeNs of [1n, 1n, 2n]) await wait.look('Job', [entry('Job/a.pdf', mtimeNs)]);
    expect(looks()).toBe(2);
  }
});

test('a register that cannot be read just now is read as soon as it can be, and its files are waited for', async () => {
  let register: DropRegister | 'busy' = 'busy';
  const { wait, clock, told } = waiting(() => register);
  const look = async () => await wait.look('Job', [entry('Job/a.pdf')]);
  expect(await look()).toEqual({ begins: 'not-yet', order: [], stay: [] });
  expect(wait.waiting()).toEqual([]);
  clock.ms = 500;
  register = LISTED;
  expect(await look()).toMatchObject({ begins: 'not-yet', order: ORDER });
  expect(told).toMatchObject([{ event: 'register-waits', missing: 1 }]);
});

test('a register that stays open elsewhere does not hold its folder for ever, and is read when it is free', async () => {
  let register: DropRegister | 'busy' = 'busy';
  const { wait, clock } = waiting(() => register);
  const look = async () => await wait.look('Job', [entry('Job/a.pdf')]);
  expect(await look()).toMatchObject({ begins: 'not-yet' });
  clock.ms = 5_000;
  expect(await look()).toBeUndefined();
  register = LISTED;
  expect(await look()).toMatchObject({ begins: 'not-yet', order: ORDER });
});

test('the time for missing files goes on while their register cannot be read', async () => {
  let register: DropRegister | 'busy' = LISTED;
  const { wait, clock } = waiting(() => register);
  const look = async (mtimeNs: bigint) => await wait.look('Job', [entry('Job/a.pdf', mtimeNs)]);
  await look(1n);
  register = 'busy';
  await look(2n);
  clock.ms = 1_000;
  register = LISTED;
  expect(await look(2n)).toMatchObject({ begins: 'when-quiet' });
});

test('of very many folders the oldest is looked at anew, and its time begins anew', async () => {
  const { wait, clock } = waiting(() => LISTED);
  await wait.look('Job', [entry('Job/a.pdf')]);
  clock.ms = 5_000;
  expect(await wait.look('Job', [entry('Job/a.pdf')])).toMatchObject({ begins: 'when-quiet' });
  for (let at = 0; at < 1_000; at++) await wait.look(`Job ${at}`, []);
  expect(await wait.look('Job', [entry('Job/a.pdf')])).toMatchObject({ begins: 'not-yet' });
});

test('what is waited for is told once, some of it by name, and nothing where all is there', async () => {
  const path = 'superseded/A-1.pdf';
  const awaited = [
    { kind: 'doubtful' as const, file: 'A-1.pdf', path },
    ...missing(...Array.from({ length: 11 }, (_, at) => `B-${at}.pdf`)),
  ];
  const { wait, told } = waiting(() => ({ ...LISTED, awaited }));
  for (const mtimeNs of [1n, 1n, 2n]) await wait.look('Job', [entry('Job/a.pdf', mtimeNs)]);
  expect(told).toEqual([
    {
      event: 'register-waits',
      path: 'Job',
      register: 'register.csv',
      missing: 12,
      named: [`A-1.pdf (${path} if nothing else comes)`, 'B-0.pdf', 'B-1.pdf', 'B-2.pdf', 'B-3.pdf'],
      waitMs: 1_000,
    },
  ]);
  const whole = waiting(() => ({ ...LISTED, awaited: [] }));
  await whole.wait.look('Job', [entry('Job/a.pdf')]);
  expect(whole.told).toEqual([]);
});

test('files that stay are told once each, also where their register is gone', async () => {
  let stay = ['Job/x.pdf'];
  const { wait, told } = waiting(
    () => undefined,
    { ms: 0 },
    () => stay,
  );
  const look = async (mtimeNs: bigint) => await wait.look('Job', [entry('Job/x.pdf', mtimeNs)]);
  expect(await look(1n)).toEqual({ begins: 'as-without', order: [], stay });
  await look(2n);
  stay = ['Job/x.pdf', 'Job/y.pdf'];
  await look(2n);
  await look(3n);
  expect(told).toEqual([
    { event: 'files-left', path: 'Job', files: 1, named: ['x.pdf'] },
    { event: 'files-left', path: 'Job', files: 1, named: ['y.pdf'] },
  ]);
  stay = [];
  expect(await look(4n)).toBeUndefined();
});

test('the register of a folder that waits is looked at again, at its pace, and is read anew when it has changed', async () => {
  let awaited = missing('c.pdf');
  let hasChanged = false;
  const clock = { ms: 0 };
  const again = jest.fn(async () => hasChanged);
  const { wait, looks } = waiting(() => ({ ...LISTED, awaited }), clock, undefined, again);
  const look = async (ms: number, mtimeNs = 1n) => {
    clock.ms = ms;
    return await wait.look('Job', [entry('Job/register.csv', mtimeNs), entry('Job/a.pdf')]);
  };
  for (const ms of [0, 99, 100, 150, 199, 200]) expect(await look(ms)).toMatchObject({ begins: 'not-yet' });
  expect(again.mock.calls).toEqual([[{ path: 'Job/register.csv' }], [{ path: 'Job/register.csv' }]]);
  hasChanged = true;
  // Until it has settled nothing goes by what it said, though its time is over by then.
  expect(await look(1_000)).toMatchObject({ begins: 'not-yet' });
  expect([looks(), wait.waiting()]).toEqual([1, []]);
  awaited = [];
  expect(await look(1_001, 2n)).toMatchObject({ begins: 'now' });
  expect([looks(), again.mock.calls.length]).toEqual([2, 3]);
});

test('folders that wait are told with what is missing, and until when, by the first look', async () => {
  let awaited = missing('c.pdf');
  const clock = { ms: 0 };
  const { wait } = waiting(() => ({ ...LISTED, awaited }), clock);
  const look = async (mtimeNs: bigint) =>
    await wait.look('Job', [entry('Job/register.csv'), entry('Job/a.pdf', mtimeNs)]);
  expect(wait.waiting()).toEqual([]);
  await look(1n);
  const [first] = wait.waiting();
  expect(first).toMatchObject({ top: 'Job', files: 1, register: 'Job/register.csv', missing: ['c.pdf'] });
  expect(Date.parse(first!.until) - Date.parse(first!.since)).toBe(1_000);
  clock.ms = 500;
  await look(2n);
  expect(wait.waiting()).toEqual([first]);
  awaited = [];
  await look(3n);
  expect(wait.waiting()).toEqual([]);
  awaited = missing('c.pdf');
  clock.ms = 1_000;
  await look(4n);
  expect(wait.waiting()).toEqual([]);
});
