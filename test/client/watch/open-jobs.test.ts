// Jobs whose folder holds nothing more are closed, and trouble with one of them is that one's alone.
import { ShareError } from '../../../activities/share/files/share-error';
import type { JobRecord } from '../../../activities/share/jobs/job-record';
import type { SheetNews } from '../../../activities/share/receipt/sheet-news';
import { SHARE_DEFAULTS } from '../../../activities/share/share-config';
import { OpenJobs, type OpenJobsDeps } from '../../../client/watch/open-jobs';
import type { WatchEvent } from '../../../client/watch/watch-events';
import { fsError } from '../../activities/share/faulty-fs';

const QUIET_MS = 100;

/** The jobs A and B, whose files are all claimed; what `failing` holds is thrown when A is to be closed. */
function begun() {
  const failing: { error: unknown } = { error: undefined };
  const events: WatchEvent[] = [];
  const clock = { nowMs: 0 };
  const corrected: SheetNews[] = [];
  const jobs = new OpenJobs({
    share: {
      config: { ...SHARE_DEFAULTS, quietMs: QUIET_MS },
      closeJob: async ({ name }: JobRecord) => {
        if (name === 'A' && failing.error !== undefined) throw failing.error;
        return { folders: [] };
      },
      settleJob: async () => undefined,
      takeUpCorrections: async () => corrected,
      takeUpDropped: async () => [
        { path: 'c.xlsx', sheet: 'drop/c.xlsx', why: 'TypeError', error: new TypeError('x') },
      ],
    },
    hasAny: () => false,
    folders: { noteLeft: () => undefined },
    isClaiming: () => false,
    tell: (event: WatchEvent) => events.push(event),
    nowMs: () => clock.nowMs,
  } as unknown as OpenJobsDeps);
  for (const name of ['A', 'B']) jobs.note({ jobId: name, name, folder: name, place: name } as JobRecord);
  return { jobs, failing, events, clock, corrected };
}

test('one that cannot be closed is told once and tried again, and the others are closed', async () => {
  const { jobs, failing, events, clock } = begun();
  failing.error = fsError('EACCES');
  expect(await jobs.close()).toBe(QUIET_MS);
  clock.nowMs = QUIET_MS;
  const againMs = await jobs.close();
  expect(events).toMatchObject([
    { event: 'job-damaged', job: 'A', why: 'EACCES' },
    { event: 'job-closed', job: 'B' },
  ]);
  expect(againMs).toBeGreaterThanOrEqual(clock.nowMs + 1_000);
  expect(againMs).toBeLessThan(60_000);
  clock.nowMs = againMs - 1;
  expect(await jobs.close()).toBe(againMs);
  clock.nowMs = againMs;
  await jobs.close();
  expect(events).toHaveLength(2);
  failing.error = undefined;
  clock.nowMs = 2 * againMs;
  await jobs.close();
  expect(events.slice(2)).toMatchObject([{ event: 'job-closed', job: 'A' }]);
});

test('a bug is told by its own message, with its stack, and the others are closed', async () => {
  const { jobs, failing, events, clock } = begun();
  failing.error = new TypeError('left is undefined');
  await jobs.close();
  clock.nowMs = QUIET_MS;
  await jobs.close();
  const why = expect.stringMatching(/^TypeError: left is undefined at .*open-jobs\.test\.ts:\d+:\d+/);
  expect(events).toMatchObject([
    { event: 'job-damaged', job: 'A', why, error: failing.error },
    { event: 'job-closed', job: 'B' },
  ]);
});

test('trouble of the whole share is thrown', async () => {
  const { jobs, failing, clock } = begun();
  failing.error = new ShareError('share-read-only', 'The share is read-only.');
  await jobs.close();
  clock.nowMs = QUIET_MS;
  await expect(jobs.close()).rejects.toThrow('read-only');
});

test('a bug met with a corrected sheet is told with its stack, other trouble by its words alone', async () => {
  const error = new TypeError('cells is undefined');
  const { jobs, events, corrected } = begun();
  corrected.push(
    { kind: 'trouble', path: 'a.xlsx', why: 'TypeError', error },
    { kind: 'trouble', path: 'b.xlsx', why: 'EACCES', error: fsError('EACCES') },
  );
  await jobs.takeUpCorrections(undefined);
  await jobs.takeUpDropped([], true);
  expect(events).toEqual([
    { event: 'sheet-waits', path: 'a.xlsx', why: 'TypeError', error },
    { event: 'sheet-waits', path: 'b.xlsx', why: 'EACCES' },
    { event: 'sheet-waits', path: 'drop/c.xlsx', why: 'TypeError', error: expect.any(TypeError) },
  ]);
});
