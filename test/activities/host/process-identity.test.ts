// A process is told from every other one, whoever has its pid now; where nobody can tell, that is said.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  identify,
  livenessOf,
  storedIdentity,
  thisProcess,
  toFormerIdentity,
} from '../../../activities/host/process-identity';

const self = thisProcess();
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startSleeper(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(child);
  await once(child, 'spawn');
  return child.pid!;
}

async function endedPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid!;
}

test('a process is alive until it ends', async () => {
  expect(livenessOf(self)).toBe('alive');
  const identity = identify(await startSleeper())!;
  expect(livenessOf(identity)).toBe('alive');
  const ended = once(children[0]!, 'exit');
  children[0]!.kill('SIGKILL');
  await ended;
  expect(livenessOf(identity)).toBe('dead');
  expect(identify(identity.pid)).toBeUndefined();
});

test('another process with its pid is not it, nor is one of another start of the machine', () => {
  expect(livenessOf({ ...self, startedAt: '1' })).toBe('dead');
  expect(livenessOf({ ...self, boot: 'another' })).toBe('dead');
  // A container that is started again after its machine was has another space of pids as well.
  expect(livenessOf({ ...self, boot: 'another', pidSpace: 'pid:[1]' })).toBe('dead');
});

test('of another host, and of another container, nobody here can tell', () => {
  expect(livenessOf({ ...self, host: 'another' })).toBe('elsewhere');
  expect(livenessOf({ ...self, host: 'another', boot: 'another' })).toBe('elsewhere');
  expect(livenessOf({ ...self, pidSpace: 'pid:[1]' })).toBe('elsewhere');
});

test('in a folder of one host another start of the machine has ended, whatever the host was called then', () => {
  const isOfOneHost = true;
  expect(livenessOf({ ...self, host: 'former', boot: 'another' }, { isOfOneHost })).toBe('dead');
  expect(livenessOf({ ...self, host: 'former' }, { isOfOneHost })).toBe('elsewhere');
  expect(livenessOf({ ...self, host: 'former', boot: '' }, { isOfOneHost })).toBe('elsewhere');
});

test('without the time of its beginning a pid tells only whether it is in use', async () => {
  expect(livenessOf({ ...self, startedAt: '' })).toBe('running');
  expect(livenessOf({ ...self, startedAt: '', pid: await endedPid() })).toBe('dead');
});

test('a system that does not say when processes began takes nobody that runs for dead', async () => {
  const pid = await startSleeper();
  const ended = await endedPid();
  const before = { platform: process.platform, path: process.env.PATH };
  // Neither /proc nor `ps`.
  Object.defineProperty(process, 'platform', { value: 'win32' });
  process.env.PATH = '';
  try {
    expect(livenessOf({ ...self, pid, startedAt: 'some day' })).toBe('running');
    expect(livenessOf({ ...self, pid: ended, startedAt: 'some day' })).toBe('dead');
    expect(identify(pid)).toBeUndefined();
  } finally {
    Object.defineProperty(process, 'platform', { value: before.platform });
    process.env.PATH = before.path;
  }
});

test('what has ended is dead also while its parent takes no note of it', async () => {
  const child = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30']);
  children.push(child);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = Number(String(said));
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await delay(1);
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(livenessOf({ ...self, pid, startedAt: '' })).toBe('dead');
  expect(identify(pid)).toBeUndefined();
});

describe('what lies in files', () => {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  /** As version 0.1.0 computes it. */
  const former = {
    host: hostname(),
    space: readlinkSync('/proc/self/ns/pid'),
    pid: process.pid,
    started: `${boot}:${
      readFileSync('/proc/self/stat', 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19]
    }`,
  };

  test('is read in the form of today and in that of version 0.1.0', () => {
    expect(storedIdentity.parse(JSON.parse(JSON.stringify(self)))).toEqual(self);
    expect(storedIdentity.parse(former)).toEqual(self);
  });

  test('can be written in the form that version 0.1.0 compares with', () => {
    expect(toFormerIdentity(self)).toEqual(former);
    expect(toFormerIdentity({ ...self, startedAt: '' }).started).toBe('unknown');
  });

  test.each([
    ['Sun Nov 22 12:33:38 2026', 'Sun Nov 22 12:33:38 2026'],
    ['unknown', ''],
  ])('of version 0.1.0 without /proc has no boot: %s', (started, startedAt) => {
    const read = storedIdentity.parse({ ...former, started });
    expect(read).toEqual({ ...self, boot: '', startedAt });
    expect(toFormerIdentity(read).started).toBe(started);
    // Not dead: that needs a boot, or a time, to compare with.
    if (startedAt === '') expect(livenessOf(read)).toBe('running');
  });

  test.each([0, -1, 1.5])('names no process by the pid %d, which means a group of them or none', pid => {
    expect(storedIdentity.safeParse({ ...self, pid }).success).toBe(false);
    expect(storedIdentity.safeParse({ ...former, pid }).success).toBe(false);
  });
});
