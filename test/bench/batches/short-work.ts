// What takes milliseconds on a share, while large files of it are sent for hours: how long it takes from when
// it is asked for until it is done. The large ones are sparse, and the storage takes none of them.
import { mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tsToMs } from '@temporalio/common/lib/time';
import { shareTaskQueue } from '../../../workflows/contract';
import { Rig } from '../../setup/rig';
import { type Figure, row } from '../figures';

const LARGE_FILES = 4;
const PATIENCE_MS = 60 * 60_000;

export interface ShortWork {
  /** Of each piece of short work of the small jobs, by when it was scheduled and when it was done. */
  readonly tookMs: readonly number[];
  /** Of the large files, how many had been sent when the small jobs had their receipts. */
  readonly largeSent: number;
}

export async function benchShortWork(): Promise<Figure[]> {
  const { tookMs } = await measureShortWork({ largeBytes: 50 * 1_024 ** 3, jobs: 20 });
  const sorted = tookMs.toSorted((one, other) => one - other);
  return [row('shortWork', (sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0) / 1_000)];
}

/** @param largeBytes of each of the four. */
export async function measureShortWork(input: {
  readonly largeBytes: number;
  readonly jobs: number;
}): Promise<ShortWork> {
  const { largeBytes, jobs } = input;
  const rig = await Rig.start({ share: { maxFileBytes: '60GiB' } });
  try {
    const isStuck = Array.from({ length: LARGE_FILES }, (_, at) => `large ${at}.bin`);
    for (const fileName of isStuck) {
      await rig.control.addFault({
        route: 'storage.put',
        match: { fileName },
        times: 0,
        action: { kind: 'hang' },
      });
    }
    await rig.startWorker();
    await rig.startWatcher();
    dropSparse(rig, isStuck, largeBytes);
    // One of them alone may have all connections.
    await until(async () => (await rig.control.faults()).some(({ fired }) => fired > 0));
    for (let job = 0; job < jobs; job += 1)
      rig.dropFiles({ [`Small ${job}/small ${job}.pdf`]: `%PDF ${job}` });
    await rig.untilSettled(jobs, PATIENCE_MS);
    const operations = await rig.control.operations();
    const largeSent = operations.filter(
      ({ what, detail }) => what === 'upload-completed' && isStuck.includes(String(detail?.fileName)),
    ).length;
    return { tookMs: await timesOf(rig), largeSent };
  } finally {
    await rig.close();
  }
}

function dropSparse(rig: Rig, names: readonly string[], bytes: number): void {
  const making = join(rig.folder, 'making');
  mkdirSync(making);
  for (const name of names) {
    writeFileSync(join(making, name), name);
    truncateSync(join(making, name), bytes);
  }
  renameSync(making, join(rig.drop, 'Large'));
}

/** Opening, noting and settling: what goes over the queue of short work. */
async function timesOf(rig: Rig): Promise<readonly number[]> {
  const queue = shareTaskQueue(rig.config.shares[0]?.name ?? '');
  const times: number[] = [];
  for (const handle of rig.handles()) {
    const { events } = await handle.fetchHistory();
    const asked = new Map<string, number>();
    for (const { eventId, eventTime, ...event } of events ?? []) {
      const atMs = eventTime == null ? 0 : tsToMs(eventTime);
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.taskQueue?.name === queue) asked.set(String(eventId), atMs);
      const done = event.activityTaskCompletedEventAttributes;
      const askedMs = asked.get(String(done?.scheduledEventId));
      if (askedMs !== undefined) times.push(atMs - askedMs);
    }
  }
  return times;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('It takes more than an hour.');
    await delay(100);
  }
}
