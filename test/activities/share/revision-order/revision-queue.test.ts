// Revisions of one document, in one batch or in several: who waits for whom, by what is on the share.
import { readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { appendRecord } from '../../../../activities/ingest/batches';
import { endClaim } from '../../../../activities/share/claim/claim-owner';
import { comparePaths } from '../../../../activities/share/files/relative-path';
import type { Share } from '../../../../activities/share/share';
import type { InLine, UploadId } from '../../../../workflows/contract';
import type { DocumentOutcome } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs } from '../faulty-fs';
import { aHolder, by, createTestBed, POLICY, submitted, type TestBed } from '../share-test-bed';

const PATTERN = '^(?<Number>[A-Z]-\\d+)_(?<Revision>[^._]+)';

let bed: TestBed;
let share: Share;
let nowMs: number;
const holder = aHolder('the-run');

beforeEach(async () => {
  bed = await createTestBed();
  nowMs = Date.parse('2026-01-31T09:30:00Z');
  share = await open();
});

afterEach(async () => {
  await bed.remove();
});

async function open(...[overrides, deps]: Parameters<TestBed['open']>): Promise<Share> {
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
  return await bed.open({ fileNamePattern: PATTERN, ...overrides }, { clock, ...deps });
}

/** One batch of these files, a second after the one before. */
async function batchOf(paths: readonly string[], of: Share = share): Promise<string> {
  nowMs += 1_000;
  for (const path of paths) await bed.drop(path);
  const { batch } = await of.claim(paths.toSorted(comparePaths));
  const sealed = await of.writeManifest(batch!);
  return sealed.batchId!;
}

async function waiting(
  batchId: string,
  indexes: readonly number[],
  ended: readonly number[] = [],
): Promise<Record<number, string>> {
  const { waiting: found } = await share.findWaiting({ batchId, indexes, ended });
  return Object.fromEntries(found.map(({ index, behind }: InLine) => [index, behind.path ?? '']));
}

const REASON = { code: 'some', text: 'Some.', fix: 'None.' };
const apart = (index: number): DocumentOutcome => ({ index, kind: 'set-apart', reason: REASON });

describe('in one batch', () => {
  test('nobody waits where all are different', async () => {
    const id = await batchOf(['a.pdf', 'b.pdf', 'folder/c.pdf']);
    expect(await waiting(id, [0, 1, 2])).toEqual({});
  });

  test('the later revision waits until the earlier one has an outcome, whatever their order in the drop', async () => {
    const id = await batchOf(['A-1_C.pdf', 'A-1_B.pdf', 'A-2_A.pdf', 'Z/A-1_A.pdf']);
    // In path order: A-1_B, A-1_C, A-2_A, Z/A-1_A.
    expect(await waiting(id, [0, 1, 2, 3])).toEqual({ 0: 'Z/A-1_A.pdf', 1: 'Z/A-1_A.pdf' });
    expect(await waiting(id, [0, 1], [3])).toEqual({ 1: 'A-1_B.pdf' });
    expect(await waiting(id, [1], [3, 0])).toEqual({});
  });

  test('where revisions tell nothing, a register puts them in the order of its rows, however old the files are', async () => {
    const rows = ['2.pdf,N-1,Draft', '3.pdf,N-1,As built', '1.pdf,N-1,Tender'];
    await bed.drop('P/register.csv', `File,Number,Revision\n${rows.join('\n')}\n`);
    for (const [age, name] of ['3.pdf', '1.pdf', '2.pdf'].entries()) {
      await bed.drop(`P/${name}`);
      await utimes(join(bed.root, 'drop/P', name), age + 1, age + 1);
    }
    const { batch } = await share.claim((await bed.list('drop')).toSorted(comparePaths));
    const { batchId = '' } = await share.writeManifest(batch!);
    expect(await waiting(batchId, [0, 1, 2])).toEqual({ 1: 'P/2.pdf', 2: 'P/2.pdf' });
    expect(await waiting(batchId, [1, 2], [0])).toEqual({ 2: 'P/3.pdf' });
  });
});

describe('in several batches', () => {
  test('the labels of the project tell what is one document, in rows and in patterns', async () => {
    let isAway = true;
    const labelled = [
      { name: 'name', label: 'Document Name' },
      { name: 'revision', label: 'Index' },
    ];
    const askFields = async () => {
      if (isAway) throw new Error('away');
      return labelled;
    };
    share = await open({ fileNamePattern: '(?<Document_Name>A-\\d+)-(?<Index>\\w+)' }, { askFields });
    await bed.drop('TR/register.csv', 'File,Title,Document Name,Index\nscan.pdf,x,a-1,P02\n');
    await bed.drop('TR/scan.pdf');
    const { batch } = await share.claim((await bed.list('drop')).toSorted(comparePaths));
    const { batchId: later = '' } = await share.writeManifest(batch!);
    const earlier = await batchOf(['x A-1-P01.pdf']);
    expect(await waiting(later, [0])).toEqual({});
    // What was read of the batches before is read anew.
    isAway = false;
    nowMs += 60_000;
    expect(await waiting(later, [0])).toEqual({ 0: 'x A-1-P01.pdf' });
    expect(await waiting(earlier, [0])).toEqual({});
  });

  test('the later one waits for the earlier until the share says that it has ended', async () => {
    const first = await batchOf(['x.pdf', 'other.pdf']);
    const second = await batchOf(['Folder/X.pdf']);
    expect(await waiting(first, [0, 1])).toEqual({});
    expect(await share.findWaiting({ batchId: second, indexes: [0], ended: [] })).toEqual({
      waiting: [{ index: 0, behind: { batchId: first, index: 1, path: 'x.pdf' } }],
      notices: [],
      ended: [],
    });
    // Held: not ended. Then submitted, which a receipt so far tells.
    await share.settleUp(first, [submitted(0)], { final: false, held: [{ index: 1, reason: REASON }] });
    expect(await waiting(second, [0])).toEqual({ 0: 'x.pdf' });
    await share.settleUp(first, [submitted(1)], { final: false, held: [] });
    expect(await share.findWaiting({ batchId: second, indexes: [0], ended: [] })).toEqual({
      waiting: [],
      notices: [],
      ended: [{ batchId: first, index: 1 }],
    });
  });

  test.each([
    ['set apart', apart(0)],
    ['submitted', submitted(0)],
  ])("a finished batch is nobody's predecessor: %s", async (_, outcome) => {
    const first = await batchOf(['x.pdf']);
    const second = await batchOf(['x.pdf']);
    expect(await waiting(second, [0])).toEqual({ 0: 'x.pdf' });
    await share.settleUp(first, [outcome], { final: true });
    expect(await waiting(second, [0])).toEqual({});
  });

  test('an outcome in the journal counts, too', async () => {
    const first = await batchOf(['x.pdf']);
    const second = await batchOf(['x.pdf']);
    await share.appendRecord(first, { kind: 'outcome', outcomes: [submitted(0)] });
    expect(await waiting(second, [0])).toEqual({});
  });

  test('an earlier revision that came later goes first, as long as the later one has not been let go', async () => {
    const newer = await batchOf(['A-1_B.pdf']);
    const older = await batchOf(['A-1_A.pdf']);
    expect(await waiting(newer, [0])).toEqual({ 0: 'A-1_A.pdf' });
    expect(await waiting(older, [0])).toEqual({});
  });

  test('what was let go is not called back by a repeated look', async () => {
    const newer = await batchOf(['A-1_B.pdf']);
    const record = { kind: 'intent' as const, uploads: [{ index: 0, uploadId: 'U' as UploadId }] };
    await appendRecord(share, { share: 'tender', batchId: newer, record, inTurn: { ended: [] } }, by(holder));
    await batchOf(['A-1_A.pdf']);
    expect(await waiting(newer, [0])).toEqual({});
  });

  test('a file that cannot travel has no turn', async () => {
    nowMs += 1_000;
    await bed.drop('x.pdf', '');
    const { batch } = await share.claim(['x.pdf']);
    await share.writeManifest(batch!);
    expect(await waiting(await batchOf(['x.pdf']), [0])).toEqual({});
  });

  test('other projects of the same share are not looked at', async () => {
    const other = await open({ project: { companyId: '1', projectId: '3' } });
    await batchOf(['x.pdf'], other);
    expect(await waiting(await batchOf(['x.pdf']), [0])).toEqual({});
  });
});

describe('what the service matches by', () => {
  const note = async (batchId: string, ...matches: string[]): Promise<unknown> => {
    const documents = matches.map((text, index) => ({ index, matches: text }));
    const uploads = documents.map(({ index }) => ({ index, uploadId: `U${index}` as UploadId }));
    return await appendRecord(
      share,
      {
        share: 'tender',
        batchId,
        record: { kind: 'intent', uploads },
        inTurn: { ended: [], matches: documents },
      },
      by(holder),
    );
  };

  test('joins documents whose names tell nothing of each other, also from another batch', async () => {
    const first = await batchOf(['P-1-A.pdf']);
    const second = await batchOf(['P-1-B.pdf', 'P-2-A.pdf']);
    expect(await note(first, 'P-1|application/pdf')).toBeUndefined();
    expect(await note(second, 'P-1|application/pdf', 'P-2|application/pdf')).toMatchObject({
      waiting: [{ index: 0, behind: { batchId: first, path: 'P-1-A.pdf' } }],
    });
    await share.settleUp(first, [submitted(0)], { final: true });
    expect(await waiting(second, [0])).toEqual({});
  });

  test('lets go what only the pattern took for one document', async () => {
    const batchId = await batchOf(['A-1_x.pdf', 'A-1_y.pdf']);
    expect(await waiting(batchId, [0, 1])).toEqual({ 1: 'A-1_x.pdf' });
    expect(await note(batchId, 'A-1_x|application/pdf', 'A-1_y|application/pdf')).toBeUndefined();
  });
});

test('a number read from too many names is the pattern’s mistake: said, and nobody waits for it', async () => {
  share = await open({ fileNamePattern: '^(?<Number>Photo)_(?<Revision>\\d+)' });
  const names = Array.from({ length: 40 }, (_, at) => `Photo_${at}.jpg`);
  const batchId = await batchOf(names);
  const indexes = [...names.keys()];
  const { waiting: found, notices } = await share.findWaiting({ batchId, indexes, ended: [] });
  expect(found).toEqual([]);
  expect(notices).toEqual([expect.stringMatching(/the number "photo" from the names of 40 files/)]);
});

test('the Name that a pattern gives makes the document; a DWG does not wait for the PDF of its number', async () => {
  share = await open({
    fileNamePattern: '^(?<Name>N-\\d)_(?<Revision>[A-Z])|^(?<Number>A-\\d)_',
    policy: { ...POLICY, naming: 'stem' },
  });
  const batchId = await batchOf(['A-1_a.dwg', 'A-1_b.pdf', 'N-1_B late.pdf', 'N-1_A early.pdf']);
  // In path order: A-1_a, A-1_b, N-1_A, N-1_B.
  expect(await waiting(batchId, [0, 1, 2, 3])).toEqual({ 3: 'N-1_A early.pdf' });
});

describe('what is not whole', () => {
  test('a claim that is still being hashed is in line with its names', async () => {
    await bed.drop('A-1_A.pdf');
    const { batch } = await share.claim(['A-1_A.pdf']);
    const second = await batchOf(['A-1_B.pdf']);
    expect(await waiting(second, [0])).toEqual({ 0: 'A-1_A.pdf' });
    await share.writeManifest(batch!);
    expect(await waiting(second, [0])).toEqual({ 0: 'A-1_A.pdf' });
    await share.settleUp(batch!.batchId, [submitted(0)], { final: true });
    expect(await waiting(second, [0])).toEqual({});
  });

  test('a claim that was given up holds nobody up', async () => {
    await bed.drop('x.pdf');
    const { batch } = await share.claim(['x.pdf']);
    endClaim(batch!.owner.claimId);
    expect(await waiting(await batchOf(['x.pdf']), [0])).toEqual({});
  });

  test('a batch with a damaged manifest holds nobody up, and is told of', async () => {
    const first = await batchOf(['x.pdf']);
    const second = await batchOf(['x.pdf']);
    await writeFile(join(bed.root, '.drawbridge', 'batches', first, 'batch.json'), '{');
    expect(await waiting(second, [0])).toEqual({});
    expect(bed.logger.lines.map(({ event }) => event)).toContain('record-unreadable');
  });

  test('a receipt so far that names another key holds nobody else up, and is told of once', async () => {
    const first = await batchOf(['x.pdf']);
    const second = await batchOf(['x.pdf']);
    const soFar = join(bed.root, '.drawbridge', 'batches', first, 'receipt-so-far.json');
    await share.settleUp(first, [], { final: false });
    const content = JSON.parse(await readFile(soFar, 'utf8'));
    await writeFile(soFar, JSON.stringify({ ...content, sealedBy: 'another' }));
    for (let look = 0; look < 2; look++) expect(await waiting(second, [0])).toEqual({ 0: 'x.pdf' });
    const told = bed.logger.lines.filter(({ event }) => event === 'record-unreadable');
    expect(told).toMatchObject([{ record: 'its receipt so far', batchId: first }]);
  });

  test('a folder that goes while we look is a batch that has ended', async () => {
    const first = await batchOf(['x.pdf']);
    const second = await batchOf(['x.pdf']);
    expect(await waiting(second, [0])).toEqual({ 0: 'x.pdf' });
    await rm(join(bed.root, '.drawbridge', 'batches', first), { recursive: true });
    expect(await waiting(second, [0])).toEqual({});
  });

  test('a batch that is put away between two looks at it has ended', async () => {
    const first = await batchOf(['x.pdf']);
    const second = await batchOf(['x.pdf']);
    const folder = join(bed.root, '.drawbridge', 'batches', first);
    const fs = createFaultyFs(async (operation, path) => {
      // After its receipt was looked for, and before its journal is read.
      if (operation === 'read' && String(path) === join(folder, 'receipt-so-far.json'))
        await rm(folder, { recursive: true });
    });
    share = await open({}, { fs });
    expect(await waiting(second, [0])).toEqual({});
  });

  test('a share that is away is an error, not an empty line', async () => {
    const id = await batchOf(['x.pdf']);
    const batches = join(bed.root, '.drawbridge', 'batches');
    await rename(batches, `${batches}-away`);
    await expect(waiting(id, [0])).rejects.toMatchObject({ code: 'share-away' });
  });
});

describe('noting an intent in turn', () => {
  const uploads = [
    { index: 0, uploadId: 'U0' as UploadId },
    { index: 1, uploadId: 'U1' as UploadId },
  ];

  async function intended(batchId: string): Promise<number[]> {
    return (await share.readBatch(batchId)).known.flatMap(known => (known.intended ? [known.index] : []));
  }

  test('notes only what may go, and answers the rest', async () => {
    const batchId = await batchOf(['A-1_A.pdf', 'A-1_B.pdf']);
    const record = { kind: 'intent' as const, uploads };
    const inTurn = { ended: [] };
    expect(await appendRecord(share, { share: 'tender', batchId, record, inTurn }, by(holder))).toMatchObject(
      {
        waiting: [{ index: 1, behind: { path: 'A-1_A.pdf', revision: 'A' } }],
      },
    );
    expect(await intended(batchId)).toEqual([0]);
    // A release without lines asks for no turn.
    expect(await appendRecord(share, { share: 'tender', batchId, record }, by(holder))).toBeUndefined();
    expect(await intended(batchId)).toEqual([0, 1]);
  });

  test('notes nothing when all have to wait', async () => {
    await batchOf(['x.pdf']);
    const batchId = await batchOf(['x.pdf']);
    const record = { kind: 'intent' as const, uploads: uploads.slice(0, 1) };
    await appendRecord(share, { share: 'tender', batchId, record, inTurn: { ended: [] } }, by(holder));
    expect(await readdir(join(bed.root, '.drawbridge', 'batches', batchId))).not.toContain('journal');
  });
});

describe('whatever meets on a share', () => {
  const revision = fc.record({
    number: fc.integer({ min: 1, max: 3 }),
    value: fc.integer({ min: 1, max: 40 }),
  });
  const batches = fc.array(fc.uniqueArray(revision, { minLength: 1, maxLength: 4 }), {
    minLength: 2,
    maxLength: 4,
  });

  test('every batch ends, and each document has its revisions in their order', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.infiniteStream(fc.nat(1_000)), async (wanted, numbers) => {
        await bed.remove();
        bed = await createTestBed();
        share = await open();
        const openBatches = new Map<string, Set<number>>();
        const names = new Map<string, readonly string[]>();
        for (const [at, documents] of wanted.entries()) {
          const paths = documents.map(
            ({ number, value }, index) => `${at}-${index}/A-${number}_P${value}.pdf`,
          );
          const batchId = await batchOf(paths);
          openBatches.set(batchId, new Set(paths.keys()));
          names.set(batchId, [...paths].sort());
        }
        const gone: string[] = [];
        while (openBatches.size > 0) {
          // In each round every batch that is left has its turn, in any order; somebody must get on in it.
          const before = gone.length;
          for (const batchId of shuffle([...openBatches.keys()], numbers)) {
            const left = openBatches.get(batchId)!;
            const late = new Set(Object.keys(await waiting(batchId, [...left])).map(Number));
            for (const index of [...left].filter(each => !late.has(each))) {
              left.delete(index);
              gone.push(names.get(batchId)![index]!);
            }
            const all = names.get(batchId)!.map((_, index) => index);
            const outcomes = all.filter(index => !left.has(index)).map(submitted);
            await share.settleUp(batchId, outcomes, { final: left.size === 0, held: [] });
            if (left.size === 0) openBatches.delete(batchId);
          }
          expect(gone.length).toBeGreaterThan(before);
        }
        for (const number of [1, 2, 3]) {
          const values = gone.flatMap(path => {
            const [, found, value] = /A-(\d)_P(\d+)/.exec(path) ?? [];
            return Number(found) === number ? [Number(value)] : [];
          });
          expect(values).toEqual([...values].sort((one, other) => one - other));
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

function shuffle<Item>(items: readonly Item[], numbers: { next(): { value: number } }): Item[] {
  return items
    .map(item => ({ item, at: numbers.next().value }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
