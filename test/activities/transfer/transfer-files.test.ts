import { withResolvers } from '../../../activities/host/with-resolvers';
import type { FileToSend } from '../../../activities/transfer/ports';
import { useNodeWarnings } from '../../setup/node-warnings';
import { TransferBed } from './transfer-bed';

const MEBIBYTE = 1024 * 1024;

const warnings = useNodeWarnings();
let bed: TransferBed;

beforeEach(async () => {
  bed = await TransferBed.create();
});

afterEach(async () => {
  await bed.close();
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `file-${index}.bin`);
}

async function someFiles(count: number): Promise<FileToSend[]> {
  return await Promise.all(names(count).map((name, index) => bed.folder.file(name, 1_000 + index * 70_000)));
}

describe('files that meet no fault', () => {
  test('become available, byte for byte, with one request of each kind a file', async () => {
    const files = await someFiles(10);
    const outcomes = await bed.transfer(files);
    expect(outcomes.size).toBe(10);
    for (const [key, file] of files.entries()) {
      const outcome = outcomes.get(key);
      expect(outcome).toMatchObject({ kind: 'available', putBytes: file.sizeBytes });
      const sessionId = outcome?.kind === 'available' ? outcome.sessionId : '';
      expect(bed.taken(sessionId)).toEqual([file.sha256]);
    }
    expect(['open', 'report', 'look'].map(call => bed.sessions.count(call as 'open'))).toEqual([10, 10, 10]);
  });

  test('are all reported before the first is looked at, and looked at in that order, a second old', async () => {
    await bed.transfer(await someFiles(30));
    const { calls } = bed.sessions;
    expect(calls.slice(0, 60).some(each => each.call === 'look')).toBe(false);
    const reported = calls.filter(each => each.call === 'report');
    const looked = calls.filter(each => each.call === 'look');
    expect(looked.map(each => each.sessionId)).toEqual(reported.map(each => each.sessionId));
    for (const [index, look] of looked.entries()) {
      expect(look.atMs - (reported[index]?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
    }
  });

  test('cost no look when the report says they are available', async () => {
    bed.sessions.isInstant = true;
    const outcomes = await bed.transfer(await someFiles(3));
    expect([...outcomes.values()].map(outcome => outcome.kind)).toEqual([
      'available',
      'available',
      'available',
    ]);
    expect(bed.sessions.count('look')).toBe(0);
  });

  test('are looked at later once one was found too young', async () => {
    bed.sessions.scanMs = 1_400;
    await bed.transfer(await someFiles(20));
    expect(bed.sessions.count('look')).toBeLessThanOrEqual(24);
  });

  test('go out over at most the allowed connections, large and small together', async () => {
    const large = await bed.folder.file('large.bin', 20 * MEBIBYTE, MEBIBYTE);
    const { promise: allThree, resolve: begin } = withResolvers();
    const action = () => {
      if (bed.server.mostAtOnce === 3) begin();
      return allThree;
    };
    bed.server.addFault({ kind: 'do', action }, { times: 3 });
    const outcomes = await bed.transfer([large, ...(await someFiles(10))], { limits: { connections: 3 } });
    expect([...outcomes.values()].every(outcome => outcome.kind === 'available')).toBe(true);
    expect(bed.server.mostAtOnce).toBe(3);
    const first = outcomes.get(0);
    expect(bed.taken(first?.kind === 'available' ? first.sessionId : '')).toEqual(
      large.segments.map(segment => segment.sha256),
    );
  });

  test('carry the headers of their address and nothing of ours', async () => {
    await bed.transfer(await someFiles(1));
    const { headers } = bed.server.puts[0]!;
    expect(headers['x-storage-token']).toBe('given');
    expect(headers.authorization).toBeUndefined();
  });

  test('with odd names are sent like any other', async () => {
    const odd = ['a & b + c.pdf', '図面 1.pdf', '.hidden', 'é'.repeat(60), 'C%3A%5C..txt'];
    const files = await Promise.all(odd.map(name => bed.folder.file(name, 10)));
    const outcomes = await bed.transfer(files);
    expect([...outcomes.values()].every(outcome => outcome.kind === 'available')).toBe(true);
    expect(bed.sessions.sessions.map(session => session.file.fileName).toSorted()).toEqual(odd.toSorted());
  });

  test('tell their progress: the session, each segment, the report, the end', async () => {
    const file = await bed.folder.file('told.bin', 3 * MEBIBYTE, MEBIBYTE);
    await bed.transfer([file], { limits: { connections: 1 } });
    const steps = bed.told.map(({ progress, bytesSent }) => [
      progress.partEtags.filter(etag => etag !== null).length,
      progress.finished,
      progress.available,
      bytesSent,
    ]);
    expect(steps).toEqual([
      [0, false, false, 0],
      [1, false, false, MEBIBYTE],
      [2, false, false, 2 * MEBIBYTE],
      [3, false, false, 3 * MEBIBYTE],
      [3, true, false, 3 * MEBIBYTE],
      [3, true, true, 3 * MEBIBYTE],
    ]);
  });

  test('are no reason for a warning, however many', async () => {
    const large = await bed.folder.file('large.bin', 40 * 1_000, 1_000);
    await bed.transfer([large, ...(await someFiles(40))], { limits: { filesAtOnce: 41, connections: 16 } });
    await new Promise(setImmediate);
    expect(warnings()).toEqual([]);
  });

  test('may be none', async () => {
    expect((await bed.transfer([])).size).toBe(0);
  });
});

test('a session that the service has forgotten since its report is left at once, and the file sent in another', async () => {
  const [file] = await someFiles(1);
  bed.sessions.onCall = call => {
    if (call !== 'look') return;
    bed.sessions.forget('s1');
    if (bed.sessions.count('look') > 3) throw new Error('it is looked at for ever');
  };
  const outcomes = await bed.transfer([file!]);
  expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's2' });
  expect(bed.sessions.count('look')).toBe(2);
});

test('segments that do not cover their file are a bug and are not sent', async () => {
  const file = await bed.folder.file('gap.bin', 100, 40);
  const gap = { ...file, segments: file.segments.filter((_, index) => index !== 1) };
  await expect(bed.transfer([gap])).rejects.toThrow(RangeError);
  expect(bed.sessions.calls).toEqual([]);
});
