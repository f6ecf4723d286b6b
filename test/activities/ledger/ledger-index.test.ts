// The index finds what the ledgers say, whatever was killed, lost or spoiled before.
import { createHook } from 'node:async_hooks';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { thisProcess } from '../../../activities/host/process-identity';
import { EMPTY_HEAD, readHead } from '../../../activities/ledger/index-head';
import type { LookUp } from '../../../activities/ledger/index-keys';
import { IndexWriter } from '../../../activities/ledger/index-writer';
import { LedgerIndex } from '../../../activities/ledger/ledger-index';
import type { LedgerRecord, RecordName } from '../../../activities/share/ledger/ledger-record';
import type { LedgerReader } from '../../../activities/share/ledger/share-ledger';
import {
  aContent,
  anEntry,
  BATCH,
  createLedgerBed,
  type LedgerBed,
  sha256Of,
} from '../share/ledger/ledger-test-bed';

const PROJECT = { companyId: '1', projectId: '2' };
const WHERE = { project: PROJECT, shares: ['tender'] };
const MONTH = BATCH.slice(0, 6);
const LATER = '20260301-000000-aaaaaa';

let bed: LedgerBed;
let folder: string;
let nowMs: number;
const opened: LedgerIndex[] = [];
const bad: string[] = [];

beforeEach(async () => {
  bed = await createLedgerBed();
  folder = join(bed.root, 'state/ledger');
  nowMs = Date.UTC(2026, 5, 1);
  bad.length = 0;
});

afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
  await bed.remove();
});

function openIndex(otherShares: readonly string[] = []): LedgerIndex {
  const index = new LedgerIndex({
    folder,
    otherShares,
    clock: { wallMs: () => nowMs, monotonicMs: () => 0 },
    onBad: (share, file, why) => bad.push(`${share} ${file}: ${why}`),
  });
  opened.push(index);
  return index;
}

/** The ledger of the share, with what is read of it. */
function watched(): LedgerReader & { readonly listed: string[]; readonly readNames: RecordName[] } {
  const ledger = bed.ledger();
  const [listed, readNames]: [string[], RecordName[]] = [[], []];
  return {
    share: ledger.share,
    listed,
    readNames,
    months: () => ledger.months(),
    recordNames: month => {
      listed.push(month);
      return ledger.recordNames(month);
    },
    read: name => {
      readNames.push(name);
      return ledger.read(name);
    },
  };
}

/** How many file operations are begun meanwhile. */
async function operationsOf(work: () => Promise<unknown>): Promise<number> {
  let operations = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type.startsWith('FSREQ')) operations += 1;
    },
  }).enable();
  await work().finally(() => hook.disable());
  return operations;
}

/** The disk takes no new file of keys. */
function refuseKeyFiles(): jest.SpyInstance {
  const { open } = promises;
  return jest.spyOn(promises, 'open').mockImplementation(async (path, flags, mode) => {
    if (flags === 'wx' && String(path).endsWith('.keys')) throw new Error('no space');
    return await open(path, flags, mode);
  });
}

const indexesBy = async (index: LedgerIndex, by: LookUp, text: string) =>
  (await index.find(by, text, WHERE)).map(document => document.index);

test('what the disk refused of a ledger that is read for the first time is read again, by this process as well', async () => {
  await bed.append(BATCH, aContent(anEntry(0)));
  await bed.append(LATER, aContent(anEntry(1)));
  const index = openIndex();
  const disk = refuseKeyFiles();
  await expect(index.follow(bed.ledger())).rejects.toThrow('no space');
  disk.mockRestore();
  await index.follow(bed.ledger());
  expect(await indexesBy(index, 'sha256', sha256Of('A-1'))).toEqual([1]);
  expect(await indexesBy(index, 'sha256', sha256Of('A-0'))).toEqual([0]);
});

test('a follow that fails for its disk leaves no file open', async () => {
  await bed.append(BATCH, aContent(anEntry(0)));
  const index = openIndex();
  await index.follow(bed.ledger());
  const opened = () => readdirSync('/proc/self/fd').length;
  const before = opened();
  const head = join(folder, 'head.json');
  for (let turn = 0; turn < 5; turn += 1) {
    await bed.append(LATER, aContent(anEntry(turn + 1)));
    const disk = refuseKeyFiles();
    await expect(index.follow(bed.ledger())).rejects.toThrow('no space');
    disk.mockRestore();
  }
  expect(existsSync(head)).toBe(true);
  expect(opened()).toBeLessThanOrEqual(before);
});

test.each<[LookUp, string]>([
  ['sha256', sha256Of('A-1')],
  ['name', 'a-1.PDF'],
  ['number', ' A-1 '],
  ['upload', 'U1'],
  ['revision', 'R1'],
])('finds a document by %s', async (by, text) => {
  await bed.append(BATCH, aContent(anEntry(0), anEntry(1), anEntry(2)));
  const index = openIndex();
  expect(await index.follow(bed.ledger())).toEqual({ records: 1, documents: 3 });
  const { entries: _entries, ...common } = aContent();
  expect(await index.find(by, text, WHERE)).toEqual([
    { ...anEntry(1), ...common, batchId: BATCH, part: 1, share: 'tender' },
  ]);
  expect(await index.find(by, `${text}x`, WHERE)).toEqual([]);
});

test('a name is found however its accents are written', async () => {
  await bed.append(BATCH, aContent(anEntry(0, { name: 'E\u0301tage.pdf' })));
  const index = openIndex();
  await index.follow(bed.ledger());
  expect(await indexesBy(index, 'name', '\u00c9tage.pdf')).toEqual([0]);
});

test('knows nothing of other projects', async () => {
  await bed.append(BATCH, aContent(anEntry(0)));
  await bed.append(LATER, { ...aContent(anEntry(1)), project: { companyId: '1', projectId: '3' } });
  const index = openIndex();
  await index.follow(bed.ledger());
  expect(await indexesBy(index, 'number', 'A-0')).toEqual([0]);
  expect(await indexesBy(index, 'number', 'A-1')).toEqual([]);
});

test('gives the newest first, and each document once, with its revision as soon as that is known', async () => {
  const alike = { number: 'A-7' };
  await bed.append(BATCH, aContent(anEntry(0, { ...alike, revisionId: null }), anEntry(1, alike)));
  await bed.append(BATCH, aContent(anEntry(0, { ...alike, revisionId: 'R0' })));
  await bed.append(LATER, aContent(anEntry(2, { ...alike, submittedAtMs: 1 })));
  const index = openIndex();
  await index.follow(bed.ledger());
  const found = await index.find('number', 'A-7', WHERE);
  expect(found.map(({ index: at, revisionId }) => [at, revisionId])).toEqual([
    [1, 'R1'],
    [0, 'R0'],
    [2, 'R2'],
  ]);
});

test('finds nothing before the ledger was read to its end: what is not here may be there', async () => {
  const index = openIndex();
  await expect(index.find('number', 'A-1', WHERE)).rejects.toMatchObject({ code: 'index-not-whole' });
  await index.follow(bed.ledger());
  expect(await index.find('number', 'A-1', WHERE)).toEqual([]);
  await expect(index.find('number', 'A-1', { ...WHERE, shares: ['tender', 'other'] })).rejects.toThrow(
    'The ledger of other has not been read to its end yet.',
  );
});

test('holds the ledgers of several shares', async () => {
  const other = await createLedgerBed();
  try {
    await bed.append(BATCH, aContent(anEntry(0)));
    await other.append(BATCH, { ...aContent(anEntry(1, { number: 'A-0' })), share: 'second' });
    const index = openIndex();
    await index.follow(bed.ledger());
    await index.follow(other.ledger(undefined, 'second'));
    const found = await index.find('number', 'A-0', { ...WHERE, shares: ['tender', 'second'] });
    expect(found.map(({ share }) => share)).toEqual(['second', 'tender']);
  } finally {
    await other.remove();
  }
});

describe('following', () => {
  test('reads new records only', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const index = openIndex();
    await index.follow(bed.ledger());
    await bed.append(BATCH, aContent(anEntry(1)));
    await bed.append(LATER, aContent(anEntry(2)));
    const reader = watched();
    expect(await index.follow(reader)).toEqual({ records: 2, documents: 2 });
    expect(reader.readNames).toEqual([
      { batchId: LATER, part: 1 },
      { batchId: BATCH, part: 2 },
    ]);
    for (const at of [0, 1, 2]) expect(await indexesBy(index, 'number', `A-${at}`)).toEqual([at]);
  });

  test('does not list a month again that cannot have changed, but for once a day', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const index = openIndex();
    const listedAfter = async (ms: number) => {
      nowMs += ms;
      const reader = watched();
      await index.follow(reader);
      return reader.listed;
    };
    expect(await listedAfter(0)).toEqual([MONTH]);
    // A record that came in the same moment as the last change would not show yet.
    expect(await listedAfter(5_000)).toEqual([MONTH]);
    expect(await listedAfter(6_000)).toEqual([MONTH]);
    expect(await listedAfter(1_000)).toEqual([]);
    await bed.append(BATCH, aContent(anEntry(1)));
    expect(await listedAfter(1_000)).toEqual([MONTH]);
    expect(await listedAfter(20_000)).toEqual([MONTH]);
    expect(await listedAfter(86_399_000)).toEqual([]);
    expect(await listedAfter(1_000)).toEqual([MONTH]);
    expect(await indexesBy(index, 'number', 'A-1')).toEqual([1]);
  });

  test('a month that changes all the time costs a listing, and the reading of what is new', async () => {
    const write = async (from: number, to: number) => {
      for (let batch = from; batch < to; batch += 1) {
        await bed.append(`20260131-09${batch}00-aaaaaa`, aContent(anEntry(batch)));
      }
    };
    await write(10, 50);
    const index = openIndex();
    await index.follow(bed.ledger());
    const idle = await operationsOf(() => index.follow(bed.ledger()));
    // Each of 40 names looked up would be 40 and more.
    expect(idle).toBeLessThan(35);
    await write(50, 51);
    const reader = watched();
    expect(await operationsOf(() => index.follow(reader))).toBeLessThan(idle + 35);
    expect(reader.readNames).toEqual([{ batchId: '20260131-095000-aaaaaa', part: 1 }]);
    for (const at of [10, 49, 50]) expect(await indexesBy(index, 'number', `A-${at}`)).toEqual([at]);
  });

  test('what another process has begun anew and not finished is not taken for whole', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const [one, other] = [openIndex(), openIndex()];
    await one.follow(bed.ledger());
    await other.clear();
    expect(await one.follow(bed.ledger())).toEqual({ records: 1, documents: 1 });
    await other.clear();
    await other.follow(bed.ledger());
    await bed.append(BATCH, aContent(anEntry(1)));
    expect(await one.follow(bed.ledger())).toEqual({ records: 1, documents: 1 });
    for (const at of [0, 1]) expect(await indexesBy(one, 'number', `A-${at}`)).toEqual([at]);
  });

  test('is seen by another process that has the index open', async () => {
    const [one, other] = [openIndex(), openIndex()];
    await one.follow(bed.ledger());
    expect(await indexesBy(other, 'number', 'A-0')).toEqual([]);
    await bed.append(BATCH, aContent(anEntry(0)));
    await one.follow(bed.ledger());
    expect(await indexesBy(other, 'number', 'A-0')).toEqual([0]);
  });

  test('by several at one time reads each record once', async () => {
    for (let batch = 2; batch < 8; batch += 1) {
      await bed.append(`20260131-09300${batch}-aaaaaa`, aContent(anEntry(batch)));
    }
    const indexes = [openIndex(), openIndex(), openIndex()];
    const followed = await Promise.all(indexes.map(index => index.follow(bed.ledger())));
    expect(followed.map(({ records }) => records).toSorted((a, b) => a - b)).toEqual([0, 0, 6]);
    expect(await openIndex().describe()).toMatchObject({ records: 6, documents: 6 });
  });

  test('tells how far it is', async () => {
    await bed.append(BATCH, aContent(anEntry(0), anEntry(1)));
    await bed.append(LATER, aContent(anEntry(2)));
    const told: string[] = [];
    await openIndex().follow(bed.ledger(), {
      onProgress: ({ share, month, monthsDone, months, records, documents }) =>
        told.push(`${share} ${month} ${monthsDone}/${months} ${records} ${documents}`),
    });
    expect(told).toEqual([
      'tender 202603 0/2 0 0',
      'tender 202603 0/2 1 1',
      'tender 202601 1/2 1 1',
      'tender 202601 1/2 2 3',
    ]);
  });

  test('ended in the middle, goes on where it stood', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    await bed.append(LATER, aContent(anEntry(1)));
    const index = openIndex();
    const failing = watched();
    await expect(
      index.follow({
        ...failing,
        read: name => {
          if (name.batchId === BATCH) throw new Error('The share is away.');
          return failing.read(name);
        },
      }),
    ).rejects.toThrow('The share is away.');
    await expect(index.find('number', 'A-0', WHERE)).rejects.toMatchObject({ code: 'index-not-whole' });
    // Whoever does not ask for all of it finds the newest months already.
    expect(await index.find('number', 'A-1', { ...WHERE, shares: [] })).toHaveLength(1);
    const reader = watched();
    await index.follow(reader);
    expect(reader.readNames).toEqual([{ batchId: BATCH, part: 1 }]);
    expect(await indexesBy(index, 'number', 'A-0')).toEqual([0]);
  });

  test('can be ended', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(openIndex().follow(bed.ledger(), { signal })).rejects.toThrow('enough');
  });
});

describe('a record that is not to be believed', () => {
  test.each<[string, (path: string) => void]>([
    ['torn', path => truncateSync(path, 100)],
    ['planted', path => writeFileSync(path, '{"version":1}')],
  ])('%s: is told once and is not in the index', async (_, spoil) => {
    await bed.append(BATCH, aContent(anEntry(0)));
    await bed.append(LATER, aContent(anEntry(1)));
    spoil(bed.ledgerPath(`${MONTH}/${BATCH}.1.json`));
    const index = openIndex();
    await index.follow(bed.ledger());
    await index.follow(bed.ledger());
    expect(bad).toEqual([expect.stringMatching(new RegExp(`^tender ${BATCH}\\.1\\.json: The ledger`))]);
    expect(await indexesBy(index, 'number', 'A-0')).toEqual([]);
    expect(await indexesBy(index, 'number', 'A-1')).toEqual([1]);
  });

  test('is not read again each time that its month is listed, but once a day, and when all is read anew', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    truncateSync(bed.ledgerPath(`${MONTH}/${BATCH}.1.json`), 100);
    const index = openIndex();
    const reader = watched();
    for (const [read, afterMs] of [
      [1, 0],
      [1, 0],
      [2, 24 * 3_600_000],
    ] as const) {
      nowMs += afterMs;
      await index.follow(reader);
      expect(reader.readNames).toHaveLength(read);
    }
    expect(reader.listed).toEqual([MONTH, MONTH, MONTH]);
    await index.clear();
    await index.follow(reader);
    expect(reader.readNames).toHaveLength(3);
  });

  test('a record from before the share was given another name is found under the new name', async () => {
    await bed.append(BATCH, { ...aContent(anEntry(0)), share: 'tender-before' });
    const index = openIndex();
    await index.follow(bed.ledger());
    expect(bad).toEqual([]);
    expect(await index.find('number', 'A-0', WHERE)).toMatchObject([{ index: 0, share: 'tender' }]);
  });

  test('a copy from another share is told and left out', async () => {
    await bed.append(BATCH, { ...aContent(anEntry(0)), share: 'second' });
    const index = openIndex(['second']);
    await index.follow(bed.ledger());
    expect(bad).toEqual([`tender ${BATCH}.1.json: It is a record of share second.`]);
    expect(await indexesBy(index, 'number', 'A-0')).toEqual([]);
  });
});

describe('an index that is lost or damaged', () => {
  const damages: [string, (files: readonly string[]) => void][] = [
    ['removed', () => rmSync(folder, { recursive: true })],
    ['without its head', () => unlinkSync(join(folder, 'head.json'))],
    ['with a torn head', () => truncateSync(join(folder, 'head.json'), 20)],
    ['with a head of nonsense', () => writeFileSync(join(folder, 'head.json'), '{"version":7}')],
    ['without its log', () => unlinkSync(join(folder, 'documents.log'))],
    ['with a short log', () => truncateSync(join(folder, 'documents.log'), 10)],
    ['with a log of zeros', () => writeFileSync(join(folder, 'documents.log'), Buffer.alloc(10_000))],
    ['without its keys', files => files.forEach(name => void unlinkSync(join(folder, name)))],
    ['with short keys', files => files.forEach(name => void truncateSync(join(folder, name), 12))],
  ];

  test.each(damages)('%s, is built anew', async (_, damage) => {
    await bed.append(BATCH, aContent(anEntry(0), anEntry(1)));
    await openIndex().follow(bed.ledger());
    damage(readdirSync(folder).filter(name => name.endsWith('.keys')));
    await bed.append(LATER, aContent(anEntry(2)));
    const index = openIndex();
    await index.follow(bed.ledger());
    for (const at of [0, 1, 2]) expect(await indexesBy(index, 'number', `A-${at}`)).toEqual([at]);
    expect(await index.describe()).toMatchObject({ records: 2, documents: 3 });
  });

  test('with a spoiled document in its log, says so, and is built anew', async () => {
    await bed.append(BATCH, aContent(anEntry(0), anEntry(1)));
    const index = openIndex();
    await index.follow(bed.ledger());
    const log = join(folder, 'documents.log');
    writeFileSync(log, readFileSync(log, 'utf8').replace('{"index":0', '?'.repeat(10)));
    await expect(index.find('number', 'A-0', WHERE)).rejects.toMatchObject({ code: 'index-damaged' });
    expect(await index.follow(bed.ledger())).toEqual({ records: 1, documents: 2 });
    expect(await indexesBy(index, 'number', 'A-0')).toEqual([0]);
  });

  test('tells nobody anything while it is built anew', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const [one, other] = [openIndex(), openIndex()];
    await one.follow(bed.ledger());
    for (const name of readdirSync(folder).filter(file => file.endsWith('.keys'))) {
      truncateSync(join(folder, name), 12);
    }
    const ledger = bed.ledger();
    const reader: LedgerReader = {
      share: ledger.share,
      months: () => ledger.months(),
      recordNames: month => ledger.recordNames(month),
      read: async name => {
        await expect(other.find('number', 'A-0', WHERE)).rejects.toMatchObject({ code: 'index-not-whole' });
        return await ledger.read(name);
      },
    };
    expect(await one.follow(reader)).toEqual({ records: 1, documents: 1 });
    expect(await indexesBy(other, 'number', 'A-0')).toEqual([0]);
  });

  test('killed just before its new head is in place, goes on from the old one', async () => {
    await bed.append(BATCH, aContent(anEntry(0), anEntry(1)));
    const index = openIndex();
    await index.follow(bed.ledger());
    const before = join(bed.root, 'before');
    cpSync(folder, before, { recursive: true });
    await bed.append(LATER, aContent(anEntry(2)));
    await index.follow(bed.ledger());
    // Files of keys are removed after the head is written, the log only grows.
    cpSync(before, folder, { recursive: true, filter: name => !name.endsWith('.log') });
    expect(await openIndex().describe()).toMatchObject({ records: 1, documents: 2 });
    expect(await openIndex().follow(bed.ledger())).toEqual({ records: 1, documents: 1 });
    for (const at of [0, 1, 2]) expect(await indexesBy(index, 'number', `A-${at}`)).toEqual([at]);
    expect(await index.describe()).toMatchObject({ records: 2, documents: 3 });
  });

  test('is cleared for all who have it open', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const [one, other] = [openIndex(), openIndex()];
    await one.follow(bed.ledger());
    expect(await indexesBy(other, 'number', 'A-0')).toEqual([0]);
    await one.clear();
    await expect(other.find('number', 'A-0', WHERE)).rejects.toMatchObject({ code: 'index-not-whole' });
    expect(await one.follow(bed.ledger())).toEqual({ records: 1, documents: 1 });
    expect(await indexesBy(other, 'number', 'A-0')).toEqual([0]);
  });

  test('keeps no file that is not of use', async () => {
    const index = openIndex();
    for (let batch = 10; batch < 40; batch += 1) {
      await bed.append(`20260131-0930${batch}-aaaaaa`, aContent(anEntry(batch)));
      await index.follow(bed.ledger());
    }
    expect(readdirSync(folder).filter(name => name.endsWith('.keys')).length).toBeLessThan(6);
    expect(existsSync(join(folder, 'head.json.draft'))).toBe(false);
    for (let batch = 10; batch < 40; batch += 1) {
      expect(await indexesBy(index, 'upload', `U${batch}`)).toEqual([batch]);
    }
  });
});

describe('a lock of the index that a container holds', () => {
  const lockFile = (number: number) => join(folder, 'lock', `owner-${number}`);

  /** As another container has it, which nobody here can look at. */
  function takeElsewhere(number: number): void {
    mkdirSync(join(folder, 'lock'), { recursive: true });
    const owner = { ...thisProcess(), host: 'killed' };
    writeFileSync(lockFile(number), JSON.stringify({ state: 'held', owner }));
  }

  test('is free some minutes after that one was killed, and who waits longer is told which lock', async () => {
    const told: string[] = [];
    const index = new LedgerIndex({
      folder,
      otherShares: [],
      onBad: () => undefined,
      onWait: (owner, lock) => told.push(`${lock}: ${owner}`),
      tellWaitAfterMs: 50,
    });
    opened.push(index);
    takeElsewhere(1);
    await bed.append(BATCH, aContent(anEntry(0)));
    await expect(index.follow(bed.ledger(), { signal: AbortSignal.timeout(500) })).rejects.toThrow('timeout');
    expect(told).toEqual([`${join(folder, 'lock')}: process ${process.pid} on killed`]);
    const longAgo = new Date(Date.now() - 11 * 60_000);
    utimesSync(lockFile(1), longAgo, longAgo);
    await index.follow(bed.ledger(), { signal: AbortSignal.timeout(20_000) });
    expect(await indexesBy(index, 'sha256', sha256Of('A-0'))).toEqual([0]);
  });

  test('stays fresh while that one reads', async () => {
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const isFresh = () => Date.now() - statSync(lockFile(1)).mtimeMs < 60_000;
    let wasFresh = false;
    const months = async () => {
      utimesSync(lockFile(1), new Date(0), new Date(0));
      for (const [run, everyMs] of intervals.mock.calls) if (everyMs === 60_000) run();
      for (let turn = 0; turn < 1_000 && !isFresh(); turn += 1) await delay(10);
      wasFresh = isFresh();
      return [];
    };
    await openIndex().follow({ ...watched(), months });
    intervals.mockRestore();
    expect(wasFresh).toBe(true);
  });

  test('and loses to another one is not written under: what that one has stands', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const index = openIndex();
    await index.follow(bed.ledger());
    const before = readFileSync(join(folder, 'head.json'), 'utf8');
    const sizes = () =>
      readdirSync(folder).flatMap(name =>
        name === 'lock' ? [] : `${name} ${statSync(join(folder, name)).size}`,
      );
    const files = sizes();
    await bed.append(LATER, aContent(anEntry(1)));
    const reader = watched();
    const slow: LedgerReader = {
      ...reader,
      read: name => {
        takeElsewhere(3);
        return reader.read(name);
      },
    };
    await expect(index.follow(slow)).rejects.toThrow('taken over');
    expect(readFileSync(join(folder, 'head.json'), 'utf8')).toBe(before);
    expect(sizes()).toEqual(files);
    unlinkSync(lockFile(3));
    await index.follow(bed.ledger());
    expect(await indexesBy(index, 'sha256', sha256Of('A-1'))).toEqual([1]);
  });

  const record = (): LedgerRecord => ({ batchId: BATCH, part: 1, ...aContent(anEntry(0)) });

  test('and loses before its file of keys is made makes none', async () => {
    mkdirSync(folder, { recursive: true });
    let asked = 0;
    // Held while the lines are written, and lost right after.
    const writer = await IndexWriter.open(folder, EMPTY_HEAD, { isHeld: async () => ++asked === 1 });
    await writer.add('tender', record());
    await expect(writer.commit()).rejects.toThrow('taken over');
    await writer.close();
    expect(readdirSync(folder)).toEqual(['documents.log']);
  });

  test('and meets a full disk while it makes its file of keys leaves no part of it', async () => {
    mkdirSync(folder, { recursive: true });
    const { open } = promises;
    const disk = jest.spyOn(promises, 'open').mockImplementation(async (path, flags, mode) => {
      const file = await open(path, flags, mode);
      if (String(path).endsWith('.keys')) jest.spyOn(file, 'sync').mockRejectedValue(new Error('no space'));
      return file;
    });
    const writer = await IndexWriter.open(folder, EMPTY_HEAD, { isHeld: async () => true });
    await writer.add('tender', record());
    await expect(writer.commit()).rejects.toThrow('no space');
    disk.mockRestore();
    await writer.close();
    expect(readdirSync(folder)).toEqual(['documents.log']);
  });

  test('and loses while it makes its file of keys does not write the one of the next holder', async () => {
    mkdirSync(folder, { recursive: true });
    const lock = { isHeld: async () => true };
    const names: string[] = [];
    for (let holder = 0; holder < 2; holder += 1) {
      const writer = await IndexWriter.open(folder, EMPTY_HEAD, lock);
      await writer.add('tender', record());
      await writer.commit();
      names.push(...writer.head.keyFiles.map(({ name }) => name));
      await writer.close();
      expect(await readHead(folder)).toEqual(writer.head);
    }
    expect(new Set(names).size).toBe(2);
  });
});
