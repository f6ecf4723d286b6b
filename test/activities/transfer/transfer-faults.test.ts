import { mkdtemp, open, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { FileRefusedError } from '../../../activities/transfer/errors';
import { Evidence } from '../../../activities/transfer/evidence';
import type { FileToSend, TransferOutcome } from '../../../activities/transfer/ports';
import { ADDRESS_SECRET } from './fake-sessions';
import { NoAnswer, TransferBed } from './transfer-bed';

const MEBIBYTE = 1024 * 1024;

let bed: TransferBed;

beforeEach(async () => {
  bed = await TransferBed.create();
});

afterEach(async () => {
  await bed.close();
});

async function someFiles(count: number): Promise<FileToSend[]> {
  return await Promise.all(
    Array.from({ length: count }, (_, index) => bed.folder.file(`file-${index}.bin`, 200_000)),
  );
}

function kinds(outcomes: Map<number, TransferOutcome>): string[] {
  return [...outcomes.values()].map(each => (each.kind === 'refused' ? each.reason : each.kind));
}

function reportedFiles(): string[] {
  return bed.sessions.calls.filter(each => each.call === 'report').map(each => each.fileName);
}

describe('a storage that fails for a while', () => {
  test.each([
    [{ kind: 'status', status: 503, headers: { 'retry-after': '3' } }],
    [{ kind: 'status', status: 500 }],
    [{ kind: 'status', status: 429 }],
    [{ kind: 'reset', afterBytes: 1_000 }],
    [{ kind: 'lose-answer' }],
    [{ kind: 'hang' }],
    [{ kind: 'etag', value: undefined }],
  ] as const)('after %j the segment is sent again in the same session', async fault => {
    const [file] = await someFiles(1);
    if (fault.kind === 'hang') await bed.useImpatientStorage();
    bed.server.addFault(fault);
    const outcomes = await bed.transfer([file!]);
    expect(kinds(outcomes)).toEqual(['available']);
    expect(bed.sessions.count('open')).toBe(1);
    expect(bed.sessions.count('look')).toBe(1);
    expect(bed.server.puts.at(-1)).toMatchObject({ sha256: file!.sha256, sizeBytes: file!.sizeBytes });
  });

  test('does not make the bytes told more than the file has', async () => {
    const file = await bed.folder.file('twice.bin', 3 * MEBIBYTE);
    bed.server.addFault({ kind: 'lose-answer' });
    const outcomes = await bed.transfer([file]);
    expect(outcomes.get(0)).toMatchObject({ kind: 'available', putBytes: 2 * file.sizeBytes });
    expect(bed.told.at(-1)?.bytesSent).toBe(file.sizeBytes);
  });

  test('is given the time it asks for', async () => {
    const [file] = await someFiles(1);
    bed.server.addFault({ kind: 'status', status: 503, headers: { 'retry-after': '20' } });
    await bed.transfer([file!]);
    expect(bed.clock.slept.some(delayMs => delayMs >= 20_000 && delayMs <= 25_000)).toBe(true);
  });

  test('and asks for a long time is left to the caller, with that time', async () => {
    const [file] = await someFiles(1);
    bed.server.addFault({ kind: 'status', status: 503, headers: { 'retry-after': '600' } });
    const startedMs = bed.clock.wallMs();
    const error = await bed.transfer([file!]).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect((error as { retryAtMs: number }).retryAtMs - startedMs).toBeGreaterThanOrEqual(600_000);
    expect(String(error)).not.toContain(ADDRESS_SECRET);
  });
});

describe('a storage that is out of reach', () => {
  test('ends the call after some tries, without opening a session for every file', async () => {
    const files = await someFiles(20);
    bed.server.addFault({ kind: 'status', status: 503 }, { times: 1_000 });
    const transfer = bed.transfer(files, { limits: { filesAtOnce: 4 } });
    await expect(transfer).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(bed.sessions.count('open')).toBeLessThanOrEqual(5);
    expect(reportedFiles()).toEqual([]);
  });

  test('for one file leaves the others available, and the next call sends that file alone', async () => {
    const files = await someFiles(4);
    bed.server.addFault({ kind: 'status', status: 503 }, { fileName: 'file-0.bin', times: 6 });
    expect(kinds(await bed.transfer(files))).toEqual(['left', 'available', 'available', 'available']);
    expect([1, 2, 3].map(key => bed.lastProgress(key)?.available)).toEqual([true, true, true]);
    const sentBefore = bed.server.puts.length;
    const outcomes = await bed.transfer(files, { progress: files.map((_, key) => bed.lastProgress(key)) });
    expect(kinds(outcomes)).toEqual(['available', 'available', 'available', 'available']);
    expect(bed.server.puts.length - sentBefore).toBe(1);
    expect(bed.sessions.count('open')).toBe(4);
  });
});

describe('an address that is over', () => {
  test('is replaced by looking, once for all segments', async () => {
    const file = await bed.folder.file('expired.bin', 8 * 50_000, 50_000);
    bed.server.addFault({ kind: 'do', action: () => bed.sessions.expireAddresses('s1') });
    const outcomes = await bed.transfer([file], { limits: { connections: 4 } });
    expect(kinds(outcomes)).toEqual(['available']);
    expect(bed.sessions.count('open')).toBe(1);
    expect(bed.sessions.count('look')).toBe(2);
    expect(bed.taken('s1')).toEqual(file.segments.map(segment => segment.sha256));
  });

  test('by its own time is not even tried', async () => {
    bed.sessions.addressLifetimeMs = 5_000;
    const file = await bed.folder.file('timed.bin', 3 * 1_000, 1_000);
    bed.server.addFault(
      {
        kind: 'do',
        action: () => {
          bed.sessions.expireAddresses('s1');
          bed.clock.advance(6_000);
        },
      },
      { path: '/s1/1' },
    );
    const outcomes = await bed.transfer([file], { limits: { connections: 1 } });
    expect(kinds(outcomes)).toEqual(['available']);
    expect(bed.server.puts.filter(put => put.status === 403).map(put => put.path)).toEqual(['/s1/1']);
  });

  test('while its PUT waited for a connection that another call has is not even tried', async () => {
    await bed.useOneConnection();
    bed.sessions.addressLifetimeMs = 5_000;
    const [first, second] = await someFiles(2);
    const action = async () => {
      while (bed.sessions.count('open') < 2) await turn();
      // The second has its address now; so long it takes at most to stand in line with it.
      await delay(200);
      bed.sessions.expireAddresses('s2');
      bed.clock.advance(6_000);
    };
    bed.server.addFault({ kind: 'do', action }, { path: '/s1/0' });
    const one = bed.transfer([first!]);
    await bed.server.arrived(first!.fileName);
    const outcomes = await Promise.all([one, bed.transfer([second!])]);
    expect(outcomes.flatMap(kinds)).toEqual(['available', 'available']);
    expect(bed.server.puts.map(put => put.status)).toEqual([200, 200]);
  });

  test('after another segment had it renewed meanwhile is replaced, not tried twice', async () => {
    const file = await bed.folder.file('waited.bin', 2 * 1_000, 1_000);
    bed.server.addFault({ kind: 'do', action: () => bed.sessions.expireAddresses('s1') }, { path: '/s1/0' });
    let begun = 0;
    bed.slots = async work => {
      begun += 1;
      if (begun === 2) {
        // The second segment has its turn only when the first has gone with a renewed address.
        while (bed.server.succeeded().length === 0) await turn();
        bed.sessions.expireAddresses('s1');
      }
      return await work();
    };
    expect(kinds(await bed.transfer([file]))).toEqual(['available']);
    expect(bed.server.puts.filter(put => put.status === 403).map(put => put.path)).toEqual([
      '/s1/0',
      '/s1/1',
    ]);
  });

  test('by a clock that differs is used all the same', async () => {
    bed.sessions.addressLifetimeMs = -3_600_000;
    const outcomes = await bed.transfer(await someFiles(2));
    expect(kinds(outcomes)).toEqual(['available', 'available']);
    expect(bed.sessions.count('look')).toBe(2);
  });

  test('and shows itself as two resets is replaced by looking', async () => {
    const [file] = await someFiles(1);
    bed.server.addFault({ kind: 'reset', afterBytes: 1 }, { times: 2 });
    bed.server.addFault({ kind: 'do', action: () => undefined });
    const outcomes = await bed.transfer([file!]);
    expect(kinds(outcomes)).toEqual(['available']);
    expect(bed.sessions.calls.map(each => each.call)).toEqual(['open', 'look', 'report', 'look']);
  });

  test('whose session is gone leads to a new session', async () => {
    const [file] = await someFiles(1);
    bed.server.addFault({ kind: 'do', action: () => bed.sessions.forget('s1') });
    const outcomes = await bed.transfer([file!]);
    expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's2' });
  });

  test('however fresh is given up for this file alone, after three sessions', async () => {
    const files = await someFiles(5);
    const bad = files[1]!.fileName;
    const original = bed.server.isValid;
    bed.server.isValid = (path, query) => {
      const id = path.split('/')[1] ?? '';
      return bed.sessions.session(id).file.fileName !== bad && original(path, query);
    };
    const outcomes = await bed.transfer(files, { limits: { filesAtOnce: 1 } });
    const [first, second, ...others] = kinds(outcomes);
    expect([first, second]).toEqual(['available', 'storage-refused']);
    expect(others).toEqual(['available', 'available', 'available']);
    expect(bed.sessions.count('open')).toBe(7);
    expect(bed.server.puts.filter(put => put.status === 403)).toHaveLength(9);
    expect(reportedFiles()).not.toContain(bad);
  });
});

describe('a storage that refuses', () => {
  const ONE_BY_ONE = { limits: { filesAtOnce: 1 } };
  let original: typeof bed.server.isValid;

  beforeEach(() => {
    original = bed.server.isValid;
    bed.evidence = new Evidence();
  });

  function refuse(...names: readonly string[]): void {
    bed.server.isValid = (path, query) => {
      const { file } = bed.sessions.session(path.split('/')[1] ?? '');
      return !names.includes(file.fileName) && original(path, query);
    };
  }

  /** The next call begins with what was told of each file, as after a pause. */
  async function transferAgain(files: readonly FileToSend[]) {
    return await bed.transfer(files, {
      progress: files.map((_, key) => bed.lastProgress(key)),
      ...ONE_BY_ONE,
    });
  }

  test('everybody is away: no file is refused, and hardly a session is asked for', async () => {
    const files = await someFiles(20);
    bed.server.isValid = () => false;
    for (let calls = 0; calls < 3; calls++) {
      await expect(transferAgain(files)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    }
    expect(bed.sessions.count('open')).toBeLessThanOrEqual(9);
    bed.server.isValid = original;
    expect(kinds(await transferAgain(files))).toEqual(files.map(() => 'available'));
  });

  test('everybody is away for few files, too, and for one', async () => {
    bed.server.isValid = () => false;
    const files = await someFiles(3);
    await expect(bed.transfer(files)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(bed.transfer(files.slice(0, 1))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  test('what began when a PUT of another was let in already is no less away', async () => {
    const [first, second] = await someFiles(2);
    // The first was let in before, and ends well when the other has been refused, whichever came first.
    const letIn = async () => {
      refuse(second!.fileName);
      while (bed.server.puts.every(put => put.status !== 403)) await turn();
    };
    const comeLater = async () => await bed.server.arrived(first!.fileName);
    bed.server.addFault({ kind: 'do', action: letIn }, { fileName: first!.fileName });
    bed.server.addFault({ kind: 'do', action: comeLater }, { fileName: second!.fileName });
    const outcomes = bed.transfer([first!, second!]);
    expect(kinds(await outcomes)).toEqual(['available', 'left']);
    await expect(bed.transfer([second!])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  test('many files of a load, and those first, does not hold back the others, which show that it is these', async () => {
    const files = await someFiles(10);
    const bad = files.slice(0, 5);
    refuse(...bad.map(({ fileName }) => fileName));
    // The first call asks for three of them. Then one asks for all, another one at each call.
    for (let calls = 0; calls < 3; calls++) {
      await expect(transferAgain(files)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    }
    const outcomes = kinds(await transferAgain(files));
    expect(outcomes).toEqual([...Array<string>(5).fill('left'), ...Array<string>(5).fill('available')]);
    const later = await Promise.all(['later.bin', 'last.bin'].map(name => bed.folder.file(name, 1_000)));
    const [, , ...ofBad] = kinds(await bed.transfer([...later, ...bad], ONE_BY_ONE));
    expect(ofBad).toEqual(Array<string>(5).fill('storage-refused'));
  });

  test('one file that was alone is known by what others of the process send later, again and again', async () => {
    const [alone, ...others] = await someFiles(3);
    refuse(alone!.fileName);
    for (const other of others) {
      await expect(bed.transfer([alone!])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      expect(kinds(await bed.transfer([other!]))).toEqual(['available']);
    }
    expect(kinds(await bed.transfer([alone!]))).toEqual(['storage-refused']);
  });

  test('everybody but one, as it begins raggedly, is away all the same, however long', async () => {
    const [ours, other] = await someFiles(2);
    refuse(ours!.fileName);
    expect(kinds(await bed.transfer([ours!, other!]))).toEqual(['left', 'available']);
    bed.server.isValid = () => false;
    for (let calls = 0; calls < 10; calls++) {
      await expect(bed.transfer([ours!])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    }
    bed.server.isValid = original;
    expect(kinds(await bed.transfer([ours!]))).toEqual(['available']);
  });

  test('a session that the service made badly is made up for by another one, though nobody else is there', async () => {
    const [file] = await someFiles(1);
    bed.server.isValid = (path, query) => !path.startsWith('/s1/') && original(path, query);
    await expect(bed.transfer([file!])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(kinds(await transferAgain([file!]))).toEqual(['available']);
  });
});

describe('sessions that are gone at each first look', () => {
  function loseSessionsOf(isLost: (fileName: string) => boolean): void {
    bed.sessions.onCall = call => {
      const opened = bed.sessions.sessions.at(-1);
      if (call === 'look' && opened && isLost(opened.file.fileName)) bed.sessions.forget(opened.id);
    };
  }

  test('for all files are the service’s trouble', async () => {
    loseSessionsOf(() => true);
    const files = await someFiles(1);
    await expect(bed.transfer(files)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  test('for one file are its own, when others are shown', async () => {
    const [first, ...others] = await someFiles(3);
    bed.evidence = new Evidence();
    loseSessionsOf(fileName => fileName === first!.fileName);
    for (const other of others) {
      await expect(bed.transfer([first!])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      expect(kinds(await bed.transfer([other]))).toEqual(['available']);
    }
    expect(kinds(await bed.transfer([first!]))).toEqual(['session-refused']);
  });
});

describe.each(['open', 'report', 'look'] as const)('no answer to %s, each time', call => {
  const noAnswer = new NoAnswer('answered 500');
  const ONE_BY_ONE = { limits: { filesAtOnce: 1 } };

  beforeEach(() => {
    bed.evidence = new Evidence();
  });

  test('for one file leaves that one, and it is refused after eight tries between which others get through', async () => {
    const files = await someFiles(20);
    const [bad, other] = files;
    bed.sessions.failNext(call, noAnswer, { fileName: bad!.fileName, times: 1_000 });
    const outcomes = await bed.transfer(files, ONE_BY_ONE);
    expect(kinds(outcomes)).toEqual(['left', ...Array<string>(19).fill('available')]);
    const known = bed.lastProgress(0);
    const again = async () => await bed.transfer([bad!], { progress: [known] });
    for (let calls = 2; calls < 8; calls++) {
      await expect(again()).rejects.toBe(noAnswer);
      expect(kinds(await bed.transfer([other!]))).toEqual(['available']);
    }
    expect(kinds(await again())).toEqual(['session-refused']);
  });

  test('for a file while others got through as it began is an outage, however long', async () => {
    const files = await someFiles(20);
    const [ours] = files;
    bed.sessions.failNext(call, noAnswer, { fileName: ours!.fileName });
    const outcomes = await bed.transfer(files, ONE_BY_ONE);
    expect(kinds(outcomes)).toEqual(['left', ...Array<string>(19).fill('available')]);
    bed.sessions.failNext(call, noAnswer, { times: 20 });
    const known = bed.lastProgress(0);
    const again = async () => await bed.transfer([ours!], { progress: [known] });
    for (let calls = 0; calls < 20; calls++) await expect(again()).rejects.toBe(noAnswer);
    expect(kinds(await again())).toEqual(['available']);
  });

  test('for a file that is alone is an outage, however long', async () => {
    const [alone] = await someFiles(1);
    bed.sessions.failNext(call, noAnswer, { times: 1_000 });
    for (let calls = 0; calls < 20; calls++) {
      await expect(bed.transfer([alone!], { progress: [bed.lastProgress(0)] })).rejects.toBe(noAnswer);
    }
  });

  test('for any file ends the call after some of them', async () => {
    const files = await someFiles(20);
    bed.sessions.failNext(call, noAnswer, { times: 1_000 });
    await expect(bed.transfer(files, ONE_BY_ONE)).rejects.toBe(noAnswer);
    // Those that look are four at once.
    expect(bed.sessions.count(call)).toBeLessThanOrEqual(6);
  });
});

test('a file that takes longer than its session may be old is given up after three sessions, and it is said why', async () => {
  const [file] = await someFiles(1);
  bed.server.addFault({ kind: 'do', action: () => bed.clock.advance(2 * 3_600_000) }, { times: 9 });
  const outcomes = await bed.transfer([file!], { limits: { sessionMaxAgeMs: 3_600_000 } });
  expect(outcomes.get(0)).toEqual({
    kind: 'refused',
    reason: 'too-slow',
    detail: 'given up after 3 upload sessions',
  });
  expect(bed.server.puts).toHaveLength(3);
});

describe('a file that is not what was claimed', () => {
  test.each<[string, (file: FileToSend) => Promise<unknown>, string]>([
    ['edited in the same length', file => overwrite(file.path, 100_000, 'x'), 'file-changed'],
    ['shorter', file => truncate(file.path, 1_000), 'file-changed'],
    ['longer', file => truncate(file.path, 3 * MEBIBYTE), 'file-changed'],
    ['replaced by another', file => replace(file.path, 'z'.repeat(2 * MEBIBYTE)), 'file-changed'],
    ['gone', file => rm(file.path), 'file-missing'],
    ['a link to it', file => replaceByLink(file.path), 'file-unreadable'],
    [
      'a folder',
      async file => {
        await rm(file.path);
        await rename(await makeFolder(file.path), file.path);
      },
      'file-unreadable',
    ],
  ])('%s is refused, never reported, and the others go on', async (_, happen, reason) => {
    const [first, last] = await someFiles(2);
    const bad = await bed.folder.file('bad.bin', 2 * MEBIBYTE, MEBIBYTE);
    await happen(bad);
    const outcomes = await bed.transfer([first!, bad, last!]);
    expect(kinds(outcomes)).toEqual(['available', reason, 'available']);
    expect(reportedFiles()).not.toContain('bad.bin');
  });

  test('is noticed when it changes between two of its segments', async () => {
    const file = await bed.folder.file('under-way.bin', 4 * 100_000, 100_000);
    bed.server.addFault({ kind: 'do', action: () => overwrite(file.path, 350_000, 'x') }, { path: '/s1/1' });
    const outcomes = await bed.transfer([file], { limits: { connections: 1 } });
    expect(kinds(outcomes)).toEqual(['file-changed']);
    expect(reportedFiles()).toEqual([]);
  });

  test('is noticed when what was sent already changes', async () => {
    const file = await bed.folder.file('behind.bin', 4 * 100_000, 100_000);
    bed.server.addFault({ kind: 'do', action: () => overwrite(file.path, 10, 'x') }, { path: '/s1/3' });
    const outcomes = await bed.transfer([file], { limits: { connections: 1 } });
    expect(kinds(outcomes)).toEqual(['file-changed']);
    expect(reportedFiles()).toEqual([]);
  });

  test('is noticed when it is replaced while it is sent', async () => {
    const file = await bed.folder.file('replaced.bin', 2 * 100_000, 100_000);
    const action = () => replace(file.path, 'z'.repeat(200_000));
    bed.server.addFault({ kind: 'do', action }, { path: '/s1/1' });
    const outcomes = await bed.transfer([file], { limits: { connections: 1 } });
    expect(kinds(outcomes)).toEqual(['file-changed']);
  });

  test('but was only touched, or copied over with the same bytes, goes on', async () => {
    const file = await bed.folder.file('same.bin', 2 * 100_000, 100_000);
    const bytes = await readFile(file.path);
    bed.server.addFault({ kind: 'do', action: () => replace(file.path, bytes) }, { path: '/s1/1' });
    expect(kinds(await bed.transfer([file], { limits: { connections: 1 } }))).toEqual(['available']);
  });

  test('because its whole folder is out of reach is the share, not the file', async () => {
    const file = await bed.folder.file('away.bin', 1_000);
    const away = { ...file, path: join(bed.folder.path, 'unmounted', 'away.bin') };
    await expect(bed.transfer([away])).rejects.toMatchObject({ code: 'ENOENT', name: 'FileSystemError' });
    expect(bed.sessions.calls).toEqual([]);
  });
});

describe('a report that is refused', () => {
  test('because the storage gave a wrong ETag leads to the segments being sent again', async () => {
    const file = await bed.folder.file('etag.bin', 2 * 1_000, 1_000);
    bed.server.addFault({ kind: 'etag', value: '"wrong"' }, { path: '/s1/1' });
    const outcomes = await bed.transfer([file]);
    expect(outcomes.get(0)).toMatchObject({ kind: 'available', sessionId: 's1', putBytes: 4_000 });
  });

  test('again and again is given up for this file alone', async () => {
    const files = await someFiles(4);
    const isBad = (path: string) =>
      bed.sessions.session(path.split('/')[1] ?? '').file.fileName === 'file-0.bin';
    bed.server.etagFor = path => (isBad(path) ? '"wrong"' : undefined);
    const outcomes = await bed.transfer(files, { limits: { filesAtOnce: 1 } });
    expect(kinds(outcomes)).toEqual(['report-refused', 'available', 'available', 'available']);
    // Three of its sessions before any other was there to compare it with, and one after each of two.
    expect(bed.sessions.count('open')).toBe(8);
    // Each session is sent twice.
    expect(bed.server.puts.filter(put => isBad(put.path))).toHaveLength(10);
  });
});

describe('a file that the service does not make available', () => {
  test('is left after half a minute, with since when it waits; the others are available', async () => {
    const files = await someFiles(2);
    bed.sessions.neverAvailable.set('file-0.bin', 9);
    const startedMs = bed.clock.wallMs();
    const outcomes = await bed.transfer(files);
    expect(kinds(outcomes)).toEqual(['left', 'available']);
    expect(bed.clock.wallMs() - startedMs).toBeLessThan(35_000);
    expect(bed.sessions.count('open')).toBe(2);
    expect(bed.sessions.count('look')).toBeLessThan(8);
    const left = outcomes.get(0);
    if (left?.kind !== 'left') throw new Error('it was not left');
    const { sessionId = '', finished, available, reportedAtMs } = left.progress ?? {};
    expect(bed.sessions.session(sessionId).file.fileName).toBe('file-0.bin');
    expect({ finished, available }).toEqual({ finished: true, available: false });
    expect(reportedAtMs).toBeGreaterThanOrEqual(startedMs);
  });

  test('counts its waiting over calls', async () => {
    const files = await someFiles(1);
    bed.sessions.neverAvailable.set('file-0.bin', 9);
    await bed.transfer(files);
    const before = bed.lastProgress(0);
    bed.clock.advance(3_600_000);
    const outcomes = await bed.transfer(files, { progress: [before] });
    expect(outcomes.get(0)).toEqual({ kind: 'left', progress: before });
    expect(bed.sessions.count('open')).toBe(1);
  });
});

describe('a PUT that hangs', () => {
  /** Longer than any test: its end comes when the test says so. */
  const sendWithinMs = 3_600_000;
  /** That of transfer-run.ts, for what is under way then. */
  const LEAVING_MS = 8_000;
  let timers: jest.SpyInstance<unknown, Parameters<typeof setTimeout>>;

  beforeEach(() => {
    timers = jest.spyOn(globalThis, 'setTimeout');
  });

  afterEach(() => {
    timers.mockRestore();
  });

  /** As if the last timer of this length had run out. */
  function runOut(ms: number): void {
    const [callback] = timers.mock.calls.findLast(([, after]) => after === ms) ?? [];
    if (callback === undefined) throw new Error(`no timer of ${ms} ms`);
    (callback as () => void)();
  }

  test('is left when the time for sending is over; the others are available, and a later call sends the rest', async () => {
    const files = await someFiles(4);
    bed.server.addFault({ kind: 'hang' }, { fileName: 'file-2.bin' });
    const ended = bed.transfer(files, { limits: { sendWithinMs } });
    await bed.server.arrived('file-2.bin');
    const isReported = (key: number) => bed.lastProgress(key)?.finished === true;
    while (![0, 1, 3].every(isReported)) await turn();
    runOut(sendWithinMs);
    runOut(LEAVING_MS);
    const outcomes = await ended;
    expect(kinds(outcomes)).toEqual(['available', 'available', 'left', 'available']);
    expect(outcomes.get(2)).toMatchObject({ progress: { finished: false, partEtags: [null] } });

    const again = await bed.transfer([files[2]!], { progress: [bed.lastProgress(2)] });
    expect(again.get(0)).toMatchObject({ kind: 'available', sessionId: bed.lastProgress(2)?.sessionId });
    expect(bed.sessions.count('open')).toBe(4);
  });

  test('takes its time from the wait for what is not released: all of the call is over within a minute', async () => {
    const files = await someFiles(3);
    const startedMs = bed.clock.wallMs();
    bed.server.addFault({ kind: 'hang' }, { fileName: 'file-2.bin' });
    bed.sessions.neverAvailable.set('file-0.bin', 99);
    const ended = bed.transfer(files, { limits: { sendWithinMs: 30_000 } });
    await bed.server.arrived('file-2.bin');
    while (![0, 1].every(key => bed.lastProgress(key)?.finished === true)) await turn();
    bed.clock.advance(30_000);
    runOut(30_000);
    bed.clock.advance(LEAVING_MS);
    runOut(LEAVING_MS);
    expect(kinds(await ended)).toEqual(['left', 'available', 'left']);
    expect(bed.clock.wallMs() - startedMs).toBeGreaterThan(30_000 + LEAVING_MS);
    expect(bed.clock.wallMs() - startedMs).toBeLessThan(61_000);
  });

  test('of the only file is left, too: its slot is for others', async () => {
    const files = await someFiles(1);
    bed.server.addFault({ kind: 'hang' });
    const ended = bed.transfer(files, { limits: { sendWithinMs } });
    await bed.server.arrived('file-0.bin');
    runOut(sendWithinMs);
    runOut(LEAVING_MS);
    expect(kinds(await ended)).toEqual(['left']);
  });

  test('does not keep a cancelled call from its end', async () => {
    const files = await someFiles(2);
    const reason = new Error('cancelled');
    bed.server.addFault({ kind: 'hang' }, { fileName: 'file-1.bin' });
    const ended = bed.transfer(files, { limits: { sendWithinMs } });
    const rejected = expect(ended).rejects.toBe(reason);
    await bed.server.arrived('file-1.bin');
    // Between the end of the time for sending and the end of what was sent then.
    runOut(sendWithinMs);
    bed.abort.abort(reason);
    await rejected;
  });
});

describe('a file that the service refuses', () => {
  test('is refused alone, with its reason', async () => {
    const files = await someFiles(3);
    const refusal = new FileRefusedError('type-refused', 'files of this type are not taken');
    bed.sessions.failNext('open', refusal, { fileName: 'file-1.bin' });
    const outcomes = await bed.transfer(files);
    expect(kinds(outcomes)).toEqual(['available', 'type-refused', 'available']);
    expect(outcomes.get(1)).toMatchObject({ detail: 'files of this type are not taken' });
  });
});

describe('an error that is not about one file', () => {
  test.each(['open', 'report', 'look'] as const)(
    'of %s leaves unchanged, with all progress told',
    async call => {
      const files = await someFiles(12);
      const error = Object.assign(new Error('rate limited'), { code: 'RATE_LIMITED', retryAtMs: 1 });
      bed.sessions.failNext(call, error, { fileName: 'file-3.bin' });
      await expect(bed.transfer(files, { limits: { filesAtOnce: 4 } })).rejects.toBe(error);
      const sentBefore = bed.server.succeeded();
      const known = sentBefore.map(put => put.path.split('/')[1]);
      const told = files.map((_, key) => bed.lastProgress(key)).filter(each => each?.partEtags[0] != null);
      expect(told.map(each => each?.sessionId).toSorted()).toEqual(known.toSorted());

      const outcomes = await bed.transfer(files, { progress: files.map((_, key) => bed.lastProgress(key)) });
      expect(kinds(outcomes)).toEqual(files.map(() => 'available'));
      expect(bed.server.succeeded()).toHaveLength(12);
    },
  );

  test('lets a running PUT finish, and begins no other file', async () => {
    const files = [await bed.folder.file('running.bin', MEBIBYTE), ...(await someFiles(2))];
    const error = new Error('unavailable');
    const action = () =>
      new Promise<void>(resume => {
        bed.sessions.onCall = call => {
          if (call === 'report') setTimeout(resume, 20);
        };
      });
    bed.server.addFault({ kind: 'do', action }, { fileName: 'running.bin' });
    bed.server.addFault(
      { kind: 'do', action: () => bed.server.arrived('running.bin') },
      { fileName: 'file-0.bin' },
    );
    bed.sessions.failNext('report', error, { fileName: 'file-0.bin' });
    const limits = { filesAtOnce: 2, drainMs: 20_000 };
    await expect(bed.transfer(files, { limits })).rejects.toBe(error);
    expect(bed.lastProgress(0)?.partEtags).toEqual([expect.any(String)]);
    expect(bed.sessions.count('open')).toBe(2);
    expect(reportedFiles()).toEqual(['file-0.bin']);
  });

  test.each(['open', 'report'] as const)(
    'of %s lets files be sent that have their address: a later call need not ask for it',
    async call => {
      const files = await someFiles(12);
      const error = new Error('unavailable');
      bed.sessions.failNext(call, error, { fileName: call === 'open' ? 'file-11.bin' : undefined });
      const limits = { filesAtOnce: 12, connections: 1, drainMs: 20_000 };
      await expect(bed.transfer(files, { limits })).rejects.toBe(error);
      const { length: opened } = bed.sessions.sessions;
      expect(opened).toBeGreaterThan(5);
      expect(bed.server.succeeded()).toHaveLength(opened);
      const before = bed.sessions.count('look');
      const outcomes = await bed.transfer(files, { progress: files.map((_, key) => bed.lastProgress(key)) });
      expect(kinds(outcomes)).toEqual(files.map(() => 'available'));
      expect(bed.sessions.count('look') - before).toBe(12);
      expect(bed.server.succeeded()).toHaveLength(12);
    },
  );

  test('sends nothing more once the storage fails as well', async () => {
    const files = await someFiles(12);
    const error = new Error('unavailable');
    bed.sessions.failNext('open', error, { fileName: 'file-11.bin' });
    bed.server.addFault({ kind: 'status', status: 503 }, { times: 100 });
    const limits = { filesAtOnce: 12, connections: 1, drainMs: 20_000 };
    await expect(bed.transfer(files, { limits })).rejects.toBe(error);
    expect(bed.server.puts.length).toBeLessThanOrEqual(2);
  });

  test('does not wait longer for a running PUT than it may', async () => {
    const files = [await bed.folder.file('stuck.bin', 100), ...(await someFiles(1))];
    const error = new Error('unavailable');
    bed.server.addFault(
      { kind: 'do', action: () => new Promise(() => undefined) },
      { fileName: 'stuck.bin' },
    );
    bed.sessions.failNext('report', error, { fileName: 'file-0.bin' });
    await expect(bed.transfer(files, { limits: { drainMs: 50 } })).rejects.toBe(error);
    // Well before the storage's own stall time.
  }, 10_000);

  test('is an unsafe address, before a byte is sent', async () => {
    bed.sessions.headers = { Authorization: 'Bearer x' };
    await expect(bed.transfer(await someFiles(2))).rejects.toMatchObject({ code: 'UNSAFE_TARGET' });
    expect(bed.server.puts).toEqual([]);
  });
});

test('a call that is cancelled before it begins sends nothing', async () => {
  const reason = new Error('cancelled');
  bed.abort.abort(reason);
  await expect(bed.transfer(await someFiles(2))).rejects.toBe(reason);
  expect(bed.sessions.calls).toEqual([]);
});

test('a call that is cancelled while it waits to look ends at once', async () => {
  const reason = new Error('cancelled');
  bed.sessions.onCall = call => {
    if (call === 'look') bed.abort.abort(reason);
  };
  bed.sessions.scanMs = 1e9;
  await expect(bed.transfer(await someFiles(3))).rejects.toBe(reason);
});

async function overwrite(path: string, at: number, text: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(Buffer.from(text), 0, text.length, at);
  await handle.close();
}

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}

async function replaceByLink(path: string): Promise<void> {
  await rename(path, `${path}.real`);
  await symlink(`${path}.real`, path);
}

async function makeFolder(beside: string): Promise<string> {
  return await mkdtemp(join(dirname(beside), 'folder-'));
}

describe('a session with another number of addresses than segments', () => {
  /** Sessions of the first file come with one address too many, so many times. */
  function spoilSessions(times: number): void {
    const { sessions } = bed;
    const open = sessions.open.bind(sessions);
    let left = times;
    jest.spyOn(sessions, 'open').mockImplementation(async file => {
      const opened = await open(file);
      if (file.fileName !== 'file-0.bin' || left-- <= 0) return opened;
      return { ...opened, segments: [...opened.segments, ...opened.segments] };
    });
  }

  test('is left for another one', async () => {
    const files = await someFiles(3);
    spoilSessions(1);
    expect(kinds(await bed.transfer(files))).toEqual(['available', 'available', 'available']);
    expect(bed.sessions.count('open')).toBe(4);
  });

  test('each time is the fault of that file: the others get through', async () => {
    const files = await someFiles(4);
    spoilSessions(100);
    const outcomes = await bed.transfer(files, { limits: { filesAtOnce: 1 } });
    expect(kinds(outcomes)).toEqual(['storage-refused', 'available', 'available', 'available']);
    expect(bed.sessions.count('open')).toBe(8);
  });
});
