// The ledger of a share only grows: nothing in it is written over, and nothing is in it twice.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createNodeShareFs } from '../../../../activities/share/files/share-fs';
import type { LedgerContent, LedgerEntry } from '../../../../activities/share/ledger/ledger-record';
import { createFaultyFs, DyingFs, fsError } from '../faulty-fs';
import { aContent, anEntry, BATCH, createLedgerBed, type LedgerBed } from './ledger-test-bed';

let bed: LedgerBed;

beforeEach(async () => {
  bed = await createLedgerBed();
});

afterEach(async () => {
  await bed.remove();
});

const MONTH = BATCH.slice(0, 6);
const records = () => readdirSync(bed.ledgerPath(MONTH)).filter(name => !name.startsWith('.'));

/** All entries of the batch, part by part. */
async function readAll(): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let part = 1; ; part += 1) {
    const read = await bed.ledger().read({ batchId: BATCH, part });
    if (read.kind === 'none') return entries;
    if (read.kind === 'record') entries.push(...read.record.entries);
  }
}

test('one record has all documents of a batch, and says what was written', async () => {
  const content = aContent(anEntry(0), anEntry(1, { number: null, revision: null, revisionId: null }));
  expect(await bed.append(BATCH, content)).toEqual({ added: 2, part: 1 });
  expect(await bed.ledger().read({ batchId: BATCH, part: 1 })).toEqual({
    kind: 'record',
    record: { ...content, batchId: BATCH, part: 1 },
  });
  expect(records()).toEqual([`${BATCH}.1.json`]);
});

test('the same batch written twice is one record', async () => {
  const content = aContent(anEntry(0), anEntry(1));
  await bed.append(BATCH, content);
  const before = readFileSync(bed.ledgerPath(`${MONTH}/${BATCH}.1.json`));
  expect(await bed.append(BATCH, content)).toEqual({ added: 0, part: undefined });
  expect(records()).toHaveLength(1);
  expect(readFileSync(bed.ledgerPath(`${MONTH}/${BATCH}.1.json`))).toEqual(before);
});

test('what is answered later comes into a part of its own, with what is new alone', async () => {
  await bed.append(BATCH, aContent(anEntry(0)));
  expect(await bed.append(BATCH, aContent(anEntry(0), anEntry(1)))).toEqual({ added: 1, part: 2 });
  expect((await readAll()).map(({ index }) => index)).toEqual([0, 1]);
});

test('a revision that becomes known is added; one that is forgotten, or told otherwise, is not', async () => {
  await bed.append(BATCH, aContent(anEntry(0, { revisionId: null })));
  expect(await bed.append(BATCH, aContent(anEntry(0)))).toEqual({ added: 1, part: 2 });
  for (const revisionId of [null, 'R0', 'another']) {
    expect((await bed.append(BATCH, aContent(anEntry(0, { revisionId })))).added).toBe(0);
  }
});

test('several writers at one time add each document once', async () => {
  const writers = Array.from({ length: 8 }, (_, writer) =>
    bed.append(BATCH, aContent(anEntry(0), anEntry(writer + 1)), createNodeShareFs()),
  );
  const added = (await Promise.all(writers)).reduce((sum, one) => sum + one.added, 0);
  expect(added).toBe(9);
  expect((await readAll()).map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8,
  ]);
});

test.each(['ENOTSUP', 'EPERM'])('the same on a share without hard links (%s)', async code => {
  const writers = Array.from({ length: 4 }, (_, writer) =>
    bed.append(
      BATCH,
      aContent(anEntry(0), anEntry(writer + 1)),
      createFaultyFs(operation => {
        if (operation === 'link') throw fsError(code);
      }),
    ),
  );
  await Promise.all(writers);
  expect((await readAll()).map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
});

test('killed at any moment and begun again, it has each document once', async () => {
  const content = aContent(anEntry(0), anEntry(1));
  for (let dieAt = 1; ; dieAt += 1) {
    const dying = new DyingFs(dieAt);
    await bed.append(BATCH, content, dying.fs).catch(() => undefined);
    bed.bad.length = 0;
    await bed.append(BATCH, content);
    expect(await readAll()).toEqual(content.entries);
    expect(bed.bad).toEqual([]);
    if (!dying.isDead) break;
    await bed.remove();
    bed = await createLedgerBed();
    expect(dieAt).toBeLessThan(100);
  }
});

describe('a record that is not to be believed', () => {
  const file = `${MONTH}/${BATCH}.1.json`;
  const OTHER = '20260131-093000-aaaaaa';

  async function spoil(how: (text: string) => string | Promise<string>): Promise<void> {
    await bed.append(BATCH, aContent(anEntry(0)));
    writeFileSync(bed.ledgerPath(file), await how(readFileSync(bed.ledgerPath(file), 'utf8')));
  }

  const envelope = (text: string, changes: object) =>
    JSON.stringify({ ...(JSON.parse(text) as object), ...changes });

  test.each<[string, (text: string) => string | Promise<string>, RegExp]>([
    ['torn', text => text.slice(0, 200), /not JSON/],
    ['empty', () => '', /not JSON/],
    ['of zeros', text => '\0'.repeat(text.length), /not JSON/],
    ['changed in one character', text => text.replace('A-0.pdf', 'B-0.pdf'), /changed since it was written/],
    ['without a seal', text => envelope(text, { sealedBy: '' }), /not sealed/],
    ['sealed by another key', text => envelope(text, { sealedBy: 'f'.repeat(16) }), /another key/],
    ['of a later version', text => envelope(text, { version: 2 }), /not a file of this version/],
    ['with more in it', text => envelope(text, { more: 1 }), /not a file of this version/],
    ['said to be another part', text => envelope(text, { part: 2 }), /another name/],
    [
      'that of another batch',
      async () => {
        await bed.append(OTHER, aContent(anEntry(0)));
        return readFileSync(bed.ledgerPath(`${MONTH}/${OTHER}.1.json`), 'utf8');
      },
      /another name/,
    ],
    [
      'that of another batch, made to look like its own',
      async () => {
        await bed.append(OTHER, aContent(anEntry(0)));
        return envelope(readFileSync(bed.ledgerPath(`${MONTH}/${OTHER}.1.json`), 'utf8'), { batchId: BATCH });
      },
      /changed since it was written/,
    ],
  ])('%s: it is told, left as it is, and the documents are noted beside it', async (_, how, why) => {
    await spoil(how);
    const spoiled = readFileSync(bed.ledgerPath(file), 'utf8');
    expect(await bed.ledger().read({ batchId: BATCH, part: 1 })).toEqual({
      kind: 'bad',
      why: expect.stringMatching(why) as string,
    });
    expect(await bed.append(BATCH, aContent(anEntry(0)))).toEqual({ added: 1, part: 2 });
    expect(bed.bad).toEqual([expect.stringMatching(new RegExp(`^${BATCH}\\.1\\.json: `))]);
    expect(readFileSync(bed.ledgerPath(file), 'utf8')).toBe(spoiled);
    expect(await readAll()).toEqual([anEntry(0)]);
  });

  test('one that is whole again later counts as before', async () => {
    await spoil(text => text.slice(1));
    await bed.append(BATCH, aContent(anEntry(0, { revisionId: null })));
    const path = bed.ledgerPath(file);
    writeFileSync(path, `{${readFileSync(path, 'utf8')}`);
    expect(await bed.append(BATCH, aContent(anEntry(0)))).toEqual({ added: 0, part: undefined });
  });

  test('one that cannot be read just now is waited for, not written beside', async () => {
    await bed.append(BATCH, aContent(anEntry(0)));
    const busy = createFaultyFs((operation, path) => {
      if (operation === 'read' && String(path).endsWith('.1.json')) throw fsError('EBUSY');
    });
    await expect(bed.append(BATCH, aContent(anEntry(0)), busy)).rejects.toMatchObject({
      code: 'unreadable-now',
    });
    expect(records()).toHaveLength(1);
  });

  test.each<[string, LedgerContent, object]>([
    ['a document twice', aContent(anEntry(0), anEntry(0)), { message: 'each document has one entry' }],
    ['no real hash', aContent(anEntry(0, { sha256: 'x' })), { path: ['entries', 0, 'sha256'] }],
    ['no share', { ...aContent(anEntry(0)), share: '' }, { path: ['share'] }],
  ])('is never written: %s', async (_, content, fault) => {
    await expect(bed.append(BATCH, content)).rejects.toMatchObject({ issues: [fault] });
    expect(existsSync(bed.ledgerPath(MONTH))).toBe(false);
  });
});

test('nothing to note leaves no record', async () => {
  expect(await bed.append(BATCH, aContent())).toEqual({ added: 0, part: undefined });
  expect(existsSync(bed.ledgerPath(MONTH))).toBe(false);
});

test('a full share leaves nothing half there', async () => {
  const full = createFaultyFs((operation, path) => {
    if (operation === 'writeNew' && String(path).includes('ledger')) throw fsError('ENOSPC');
  });
  await expect(bed.append(BATCH, aContent(anEntry(0)), full)).rejects.toMatchObject({ code: 'share-full' });
  expect(await readAll()).toEqual([]);
});

test('months come in order, with the names of their records alone', async () => {
  const later = '20260301-000000-aaaaaa';
  await bed.append(later, aContent(anEntry(0)));
  await bed.append(BATCH, aContent(anEntry(0)));
  for (const name of ['.tmp-x', 'notes.txt', `${BATCH}.0.json`, `${BATCH}.01.json`, `${later}.1.json`]) {
    writeFileSync(bed.ledgerPath(`${MONTH}/${name}`), '{}');
  }
  writeFileSync(bed.ledgerPath('backfilled.json'), '{}');
  const ledger = bed.ledger();
  expect((await ledger.months()).map(({ month }) => month)).toEqual([MONTH, '202603']);
  const names: unknown[] = [];
  for await (const name of ledger.recordNames(MONTH)) names.push(name);
  expect(names).toEqual([{ batchId: BATCH, part: 1 }]);
});

test('a share without a ledger has no months; one that is away is an error', async () => {
  expect(await bed.ledger().months()).toEqual([]);
  await bed.remove();
  await expect(bed.ledger().months()).rejects.toMatchObject({ code: 'share-away' });
});
