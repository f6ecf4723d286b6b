import type { FileProgress, FileToSend } from '../../../activities/transfer/ports';
import { TransferBed } from './transfer-bed';

const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;

let bed: TransferBed;

beforeEach(async () => {
  bed = await TransferBed.create();
});

afterEach(async () => {
  await bed.close();
});

async function calls(work: () => Promise<unknown>): Promise<string[]> {
  const before = bed.sessions.calls.length;
  await work();
  return bed.sessions.calls.slice(before).map(each => each.call);
}

/** A file whose first attempt is cut off when `segments` of its 6 segments are sent. */
async function interrupted(segments: number) {
  const file = await bed.folder.file('resumed.bin', 6 * 100_000, 100_000);
  bed.sessions.failNext('report', new Error('worker died'));
  await expect(bed.transfer([file])).rejects.toThrow('worker died');
  const whole = bed.lastProgress(0)!;
  const partEtags = whole.partEtags.map((etag, index) => (index < segments ? etag : null));
  bed.server.puts.length = 0;
  return { file, progress: { ...whole, partEtags } };
}

function sentPaths(): string[] {
  return bed.server.puts.map(put => put.path).toSorted();
}

describe('a file that was under way', () => {
  test('sends only what was not sent, to fresh addresses of the same session', async () => {
    const { file, progress } = await interrupted(4);
    bed.sessions.expireAddresses('s1');
    const made = await calls(async () => {
      const outcomes = await bed.transfer([file], { progress: [progress] });
      expect(outcomes.get(0)).toEqual({
        kind: 'available',
        sessionId: 's1',
        openedAtMs: progress.openedAtMs,
        reportedAtMs: expect.any(Number),
        putBytes: 200_000,
      });
    });
    expect(made).toEqual(['look', 'report', 'look']);
    expect(sentPaths()).toEqual(['/s1/4', '/s1/5']);
  });

  test('is only reported when all was sent', async () => {
    const { file, progress } = await interrupted(6);
    const made = await calls(() => bed.transfer([file], { progress: [progress] }));
    expect(made).toEqual(['report', 'look']);
    expect(sentPaths()).toEqual([]);
  });

  test('is only looked at when it was reported', async () => {
    const { file, progress } = await interrupted(6);
    await bed.sessions.report('s1', progress.partEtags);
    bed.clock.advance(1_000);
    const made = await calls(() => bed.transfer([file], { progress: [{ ...progress, finished: true }] }));
    expect(made).toEqual(['look']);
  });

  test.each([
    ['a moment ago', 200, 1_000],
    ['long ago', 10_000, 0],
    ['in a future, by a clock that differs', -3_600_000, 1_000],
  ])('and was reported %s is looked at when it is old enough', async (_, agoMs, afterMs) => {
    const { file, progress } = await interrupted(6);
    await bed.sessions.report('s1', progress.partEtags);
    const reportedAtMs = bed.clock.wallMs() - agoMs;
    const begunMs = bed.clock.monotonicMs();
    await bed.transfer([file], { progress: [{ ...progress, finished: true, reportedAtMs }] });
    const first = bed.sessions.calls.find(each => each.call === 'look');
    const waitedMs = (first?.atMs ?? 0) - begunMs;
    expect(waitedMs).toBeGreaterThanOrEqual(Math.max(0, afterMs - Math.max(0, agoMs)));
    expect(waitedMs).toBeLessThan(afterMs + 100);
  });

  test('and is never available delays no look at those that are reported now', async () => {
    const { file, progress } = await interrupted(6);
    bed.sessions.neverAvailable.set('resumed.bin', 1);
    await bed.sessions.report('s1', progress.partEtags);
    const reportedAtMs = bed.clock.wallMs() - 60_000;
    const fresh = await Promise.all(
      Array.from({ length: 12 }, (_, index) => bed.folder.file(`fresh-${index}.bin`, 1_000)),
    );
    await bed.transfer([file, ...fresh], { progress: [{ ...progress, finished: true, reportedAtMs }] });
    const { calls } = bed.sessions;
    const waited = fresh.map(({ fileName }) => {
      const [, report, look] = calls.filter(each => each.fileName === fileName);
      return (look?.atMs ?? Number.NaN) - (report?.atMs ?? 0);
    });
    expect(Math.max(...waited)).toBeLessThan(2_000);
  });

  test('costs nothing when it was available', async () => {
    const { file, progress } = await interrupted(6);
    const done: FileProgress = { ...progress, finished: true, available: true };
    const made = await calls(async () => {
      const outcomes = await bed.transfer([file], { progress: [done] });
      expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's1', putBytes: 0 });
    });
    expect(made).toEqual([]);
  });

  test('whose report took effect though its answer was lost is available without another report', async () => {
    const file = await bed.folder.file('lost.bin', 1_000);
    bed.sessions.failNext('report', new Error('answer lost'), { when: 'after' });
    await expect(bed.transfer([file])).rejects.toThrow('answer lost');
    bed.clock.advance(10_000);
    await bed.sessions.look('s1');
    const unsure = { ...bed.lastProgress(0)!, partEtags: [null] };
    const made = await calls(async () => {
      expect((await bed.transfer([file], { progress: [unsure] })).get(0)).toMatchObject({
        kind: 'available',
      });
    });
    expect(made).toEqual(['look']);
    expect(bed.server.puts).toHaveLength(1);
  });

  test.each([
    ['is gone', (id: string) => bed.sessions.forget(id), 0],
    ['is too old to be linked', () => undefined, 23 * HOUR_MS],
  ])('begins anew when its session %s', async (_, happen, laterMs) => {
    const { file, progress } = await interrupted(4);
    happen('s1');
    bed.clock.advance(laterMs);
    const outcomes = await bed.transfer([file], { progress: [progress] });
    expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's2', putBytes: 600_000 });
    expect(bed.taken('s2')).toEqual(file.segments.map(segment => segment.sha256));
  });

  test('begins anew when it was available so long ago that its bytes may be deleted before they are linked', async () => {
    const { file, progress } = await interrupted(6);
    bed.clock.advance(23 * HOUR_MS);
    const outcomes = await bed.transfer([file], {
      progress: [{ ...progress, finished: true, available: true }],
    });
    expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's2' });
  });

  test('begins anew when the session was told of other segments than we know', async () => {
    const { file, progress } = await interrupted(4);
    await bed.sessions.report('s1', progress.partEtags);
    const behind = {
      ...progress,
      partEtags: progress.partEtags.map((etag, index) => (index < 3 ? etag : null)),
    };
    const outcomes = await bed.transfer([file], { progress: [behind] });
    expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's2' });
  });

  test('goes on after a partial report, which leaves addresses for the rest only', async () => {
    const { file, progress } = await interrupted(4);
    await bed.sessions.report('s1', progress.partEtags);
    const outcomes = await bed.transfer([file], { progress: [progress] });
    expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's1', putBytes: 200_000 });
    expect(sentPaths()).toEqual(['/s1/4', '/s1/5']);
  });
});

test('a cancelled call tells what it finished, and the next goes on from there', async () => {
  const file = await bed.folder.file('cancelled.bin', 6 * MEBIBYTE, MEBIBYTE);
  const reason = new Error('worker shuts down');
  bed.server.addFault({ kind: 'do', action: () => bed.abort.abort(reason) }, { path: '/s1/3' });
  await expect(bed.transfer([file], { limits: { connections: 1 } })).rejects.toBe(reason);
  const progress = bed.lastProgress(0)!;
  expect(progress.partEtags.map(etag => etag !== null)).toEqual([true, true, true, false, false, false]);

  bed.abort = new AbortController();
  const outcomes = await bed.transfer([file], { progress: [progress] });
  expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's1', putBytes: 3 * MEBIBYTE });
});

describe('a file whose attempts all fail on the way, each session growing too old', () => {
  const limits = { sessionMaxAgeMs: HOUR_MS };

  async function attempt(file: FileToSend) {
    const outcomes = await bed.transfer([file], { limits, progress: [bed.lastProgress(0)] });
    return outcomes.get(0);
  }

  test('is given up after three sessions as one that is too slow', async () => {
    const file = await bed.folder.file('slow.bin', 10);
    const action = () => {
      bed.clock.advance(2 * HOUR_MS);
      bed.sessions.failNext('open', new Error('worker died'));
    };
    bed.server.addFault({ kind: 'do', action }, { times: 9 });
    for (let count = 0; count < 2; count++) await expect(attempt(file)).rejects.toThrow('worker died');
    expect(await attempt(file)).toMatchObject({ kind: 'refused', reason: 'too-slow' });
    expect(bed.server.puts).toHaveLength(3);
  });

  test('is sent in the end when nothing of it could be sent in these sessions', async () => {
    const file = await bed.folder.file('outage.bin', 10);
    for (let count = 1; count <= 5; count++) {
      bed.server.addFault({ kind: 'status', status: 500 }, { path: `/s${count}/0`, times: 99 });
      await expect(attempt(file)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      bed.clock.advance(2 * HOUR_MS);
    }
    expect(await attempt(file)).toMatchObject({ kind: 'available', sessionId: 's6' });
  });

  test('is sent in the end when it was sent in time each time but not released', async () => {
    const file = await bed.folder.file('unreleased.bin', 10);
    for (let count = 0; count < 4; count++) {
      bed.sessions.failNext('look', new Error('worker died'));
      await expect(attempt(file)).rejects.toThrow('worker died');
      expect(bed.lastProgress(0)).toMatchObject({ finished: true });
      bed.clock.advance(2 * HOUR_MS);
    }
    expect(await attempt(file)).toMatchObject({ kind: 'available', sessionId: 's5' });
  });
});
