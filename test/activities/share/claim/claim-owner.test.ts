// Who claims a batch is judged by what a claim says of its process, also when version 0.1.0 wrote it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  beginClaim,
  type ClaimOwner,
  endClaim,
  judgeOwner,
} from '../../../../activities/share/claim/claim-owner';

const startOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? '';

/** As version 0.1.0 names a process. */
const PLACE = [
  hostname(),
  readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  readlinkSync('/proc/self/ns/pid'),
].join(' ');

function claimOf(pid: number, processStart: string): ClaimOwner {
  const claimedAt = '2026-01-31T09:30:00.000Z';
  return { version: 1, claimId: 'a', watcherId: 'w', host: PLACE, pid, processStart, claimedAt };
}

test('a claim of ours names us as version 0.1.0 does, and is alive while we are at it', () => {
  const claim = beginClaim('w', '2026-01-31T09:30:00.000Z', undefined);
  expect(claim).toMatchObject({ host: PLACE, pid: process.pid, processStart: startOf(process.pid) });
  expect(judgeOwner(claim)).toBe('alive');
  endClaim(claim.claimId);
  expect(judgeOwner(claim)).toBe('dead');
});

test('a claim of a living process is alive until that ends', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const claim = claimOf(pid, startOf(pid));
  expect(judgeOwner(claim)).toBe('alive');
  expect(judgeOwner({ ...claim, processStart: '1' })).toBe('dead');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(judgeOwner(claim)).toBe('dead');
});

test('nothing is certain of another host, not even of one with our name: a share is seen by many', () => {
  const claim = claimOf(process.pid, startOf(process.pid));
  expect(judgeOwner({ ...claim, host: 'elsewhere' })).toBe('unknown');
  expect(judgeOwner({ ...claim, host: PLACE.replace(/ \S+ /, ' another-boot ') })).toBe('unknown');
});

test('seconds, as version 0.1.0 notes them where there is no /proc, can be compared with nothing', () => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  try {
    expect(judgeOwner(claimOf(process.ppid, '1790000000'))).toBe('unknown');
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});
