import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toActivityFailure } from '../../../../activities/scope/failure';
import { isOnItsWay } from '../../../../activities/share/claim/open-batches';
import type { DocumentOutcome } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs, fsError } from '../faulty-fs';
import { claimAll, createTestBed, submitted, type TestBed } from '../share-test-bed';

const REASON = {
  code: 'DUPLICATE_REVISION',
  text: 'This revision exists already.',
  fix: 'Give it another one.',
};
const apart = (index: number): DocumentOutcome => ({ index, kind: 'set-apart', reason: REASON });
const unheard = (index: number): DocumentOutcome => ({
  index,
  kind: 'submitted',
  revisionId: null,
  paired: 'unknown',
  submittedAtMs: Date.UTC(2026, 0, 31, 9, 31, 0),
});

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

async function claimThree() {
  const share = await bed.open();
  await bed.drop('a.pdf', 'a');
  await bed.drop('folder/b.pdf', 'b');
  await bed.drop('folder/c.pdf', 'c');
  return { share, ...(await claimAll(share)) };
}

describe('settleUp', () => {
  test('keeps how a document came to its values, also when it is told of no more', async () => {
    const { share, batchId } = await claimThree();
    const how = {
      analysis: { waitedMs: 9, end: 'late', found: ['Type'], replaced: [{ label: 'Type', value: 'Letter' }] },
      answers: [{ by: 'Maria', atMs: 2, sinceMs: 1, question: 'missing-values', said: 'Type = Drawing' }],
      waits: [
        { what: 'in-line', sinceMs: 1, why: 'an earlier revision' },
        { what: 'workflow-conflict', sinceMs: 1, untilMs: 2, times: 3, policy: 'wait', why: 'It runs.' },
      ],
    } as const;
    await share.settleUp(batchId, [{ ...submitted(0), ...how }], { final: false, held: [] });
    await share.settleUp(batchId, [apart(1), { ...submitted(2), ...how }], { final: true });
    const { receipt } = await share.readBatch(batchId);
    expect(receipt?.files).toMatchObject([how, {}, how]);
    expect(receipt?.files[1]).not.toHaveProperty('analysis');
  });

  test('puts a full receipt beside the files, where they ended', async () => {
    const { share, batchId } = await claimThree();
    const settled = await share.settleUp(batchId, [submitted(0), apart(1), submitted(2)], { final: true });
    expect(settled).toEqual({
      done: 2,
      attention: 1,
      receipts: [`attention/${batchId}/receipt.csv`, `done/${batchId}/receipt.csv`],
    });
    expect(await bed.list(`done/${batchId}`)).toEqual([
      'a.pdf',
      'folder/c.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
    expect(await bed.list(`attention/${batchId}`)).toEqual(['folder/b.pdf', 'receipt.csv', 'receipt.json']);
    const receipt = JSON.parse(await bed.read(`done/${batchId}/receipt.json`));
    expect(receipt.files.map((file: { outcome: string }) => file.outcome)).toEqual([
      'submitted',
      'set-apart',
      'submitted',
    ]);
    expect(await bed.read(`done/${batchId}/receipt.csv`)).toBe(
      await bed.read(`attention/${batchId}/receipt.csv`),
    );
  });

  test.each([[true], [false]])(
    'has an id from the journal that the run does not know (final: %s)',
    async final => {
      const { share, batchId } = await claimThree();
      await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0), submitted(1)] });
      // Carried on from an earlier moment: the answer that told the ids is not in its history.
      const outcomes = [unheard(0), ...(final ? [apart(1), unheard(2)] : [])];
      const held = final ? [] : [{ index: 1, reason: REASON }];
      expect(await share.settleUp(batchId, outcomes, { final, held })).toMatchObject({
        done: final ? 3 : 1,
        ...(final ? { idsNotTold: 1 } : {}),
      });
      const csv = await bed.read(`done/${batchId}/receipt${final ? '' : '-so-far'}.csv`);
      expect(csv).toMatch(/a\.pdf,,submitted,R0,/);
      if (!final) {
        // What the run still carries is not taken out of its hands.
        expect(await bed.list(`.drawbridge/batches/${batchId}/files`)).toEqual([
          'folder/b.pdf',
          'folder/c.pdf',
        ]);
        return;
      }
      const receipt = JSON.parse(await bed.read(`done/${batchId}/receipt.json`));
      expect(receipt.revisionIdsNotTold).toBe(1);
      expect(receipt.files).toMatchObject([
        { outcome: 'submitted', revisionId: 'R0' },
        { outcome: 'submitted', revisionId: 'R1' },
        { outcome: 'submitted', revisionId: null, paired: 'unknown' },
      ]);
    },
  );

  test('refuses a final receipt that would leave a file unaccounted for', async () => {
    const { share, batchId } = await claimThree();
    await expect(share.settleUp(batchId, [submitted(0)], { final: true })).rejects.toMatchObject({
      code: 'outcomes-incomplete',
    });
    expect((await share.readBatch(batchId)).receipt).toBeUndefined();
    expect(await bed.list('done')).toEqual([]);
  });

  test('lets the first final receipt stand, and finishes moves on a repeat', async () => {
    const { share, batchId } = await claimThree();
    const first = await share.settleUp(batchId, [submitted(0), submitted(1), submitted(2)], { final: true });
    const second = await share.settleUp(batchId, [apart(0), apart(1), apart(2)], { final: true });
    expect(second).toEqual(first);
    expect(await bed.list('attention')).toEqual([]);
  });

  test('takes files that could not travel as set apart, without being told', async () => {
    const share = await bed.open();
    await bed.drop('empty.pdf', '');
    await bed.drop('good.pdf');
    const { batchId } = await claimAll(share);
    const settled = await share.settleUp(batchId, [submitted(1)], { final: true });
    expect(settled).toMatchObject({ done: 1, attention: 1 });
    expect(await bed.read(`attention/${batchId}/receipt.csv`)).toContain('The file is empty (0 bytes).');
  });

  test('settles what is finished while another document is held, and replaces the receipt at the end', async () => {
    const { share, batchId } = await claimThree();
    const soFar = await share.settleUp(batchId, [submitted(0)], {
      final: false,
      held: [{ index: 1, reason: REASON }],
    });
    expect(soFar).toEqual({
      done: 1,
      attention: 0,
      receipts: [`done/${batchId}/receipt-so-far.csv`, `attention/${batchId}/receipt-so-far.csv`],
    });
    expect(await bed.list(`done/${batchId}`)).toEqual(['a.pdf', 'receipt-so-far.csv']);
    expect(await share.openBatches()).toMatchObject([{ batchId, state: 'waiting' }]);
    expect(await bed.read(`attention/${batchId}/receipt-so-far.csv`)).toContain('held');

    await share.settleUp(batchId, [apart(2)], { final: false, held: [{ index: 1, reason: REASON }] });
    expect(await bed.read(`done/${batchId}/receipt-so-far.csv`)).toContain('set apart');

    await share.settleUp(batchId, [submitted(0), submitted(1), apart(2)], { final: true });
    expect(await bed.list(`done/${batchId}`)).toEqual([
      'a.pdf',
      'folder/b.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
    expect(await bed.list(`attention/${batchId}`)).toEqual(['folder/c.pdf', 'receipt.csv', 'receipt.json']);
  });

  test('a batch that only waits, and of which nothing has ended, counts no more and shows nobody anything', async () => {
    const { share, batchId } = await claimThree();
    expect(await share.settleUp(batchId, [], { final: false, held: [] })).toEqual({
      done: 0,
      attention: 0,
      receipts: [],
    });
    const open = await share.openBatches();
    expect(open).toMatchObject([{ batchId, state: 'waiting' }]);
    expect(open.filter(isOnItsWay)).toEqual([]);
    expect([...(await bed.list('done')), ...(await bed.list('attention'))]).toEqual([]);

    await share.settleUp(batchId, [submitted(0), submitted(1), submitted(2)], { final: true });
    expect(await bed.list(`done/${batchId}`)).toHaveLength(5);
    expect(await bed.list('attention')).toEqual([]);
  });

  test('what was answered is under way by that answer, and held anew if it is asked again', async () => {
    const { share, batchId } = await claimThree();
    const held = [1, 2].map(index => ({ index, reason: REASON }));
    await share.settleUp(batchId, [submitted(0)], { final: false, held });
    const reason = { code: 'answered', text: 'Answered by Maria Keller: Type = Drawing.', fix: '' };
    const answered = held.map(({ index }) => ({ index, reason }));
    const open = { outcome: 'open', reason };
    const settled = await share.settleUp(batchId, [submitted(0)], {
      final: false,
      held: [],
      goingOn: answered,
    });
    const documents = await share.readDocuments(batchId);
    expect(documents?.rows).toMatchObject([{ outcome: 'submitted' }, open, open]);
    expect(documents?.rows[1]).not.toHaveProperty('heldSince');
    // Nobody need look into `attention` any more.
    expect(settled.receipts).toEqual([expect.stringMatching(/^done\//)]);
    const again = { final: false, held: held.slice(0, 1), goingOn: answered.slice(1) };
    await share.settleUp(batchId, [submitted(0)], again);
    const rows = (await share.readDocuments(batchId))?.rows;
    expect(rows).toMatchObject([{ outcome: 'submitted' }, { outcome: 'held', reason: REASON }, open]);
  });

  test('a review that has come to its next step is still waited for since it was met first', async () => {
    const { share, batchId } = await claimThree();
    const hold = async (code: string, text: string) => {
      const reason = { code, text, fix: 'Wait.' };
      await share.settleUp(batchId, [], { final: false, held: [{ index: 1, reason }] });
      const row = (await share.readDocuments(batchId))?.rows[1];
      expect(row?.reason?.text).toBe(text);
      return row?.heldSince;
    };
    const first = await hold('WORKFLOW_CONFLICT', 'It is at the step "Check".');
    expect(await hold('WORKFLOW_CONFLICT', 'It is at the step "Approve".')).toBe(first);
    expect(await hold('missing-values', 'It lacks "Type".')).not.toBe(first);
  });

  test('leaves no folder in attention when all that was held was submitted', async () => {
    const { share, batchId } = await claimThree();
    await share.settleUp(batchId, [submitted(0), submitted(1)], {
      final: false,
      held: [{ index: 2, reason: REASON }],
    });
    await share.settleUp(batchId, [submitted(0), submitted(1), submitted(2)], { final: true });
    expect(await bed.list('attention')).toEqual([]);
    await expect(readFile(join(bed.root, 'attention', batchId))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('takes what was said of a held document away from attention when it is held no more', async () => {
    const { share, batchId } = await claimThree();
    await share.settleUp(batchId, [submitted(0)], { final: false, held: [{ index: 1, reason: REASON }] });
    // It was answered, and others go on.
    await share.settleUp(batchId, [submitted(0), submitted(1)], { final: false, held: [] });
    expect(await bed.list('attention')).toEqual([]);
    expect(await bed.read(`done/${batchId}/receipt-so-far.csv`)).not.toContain('held');
    await share.settleUp(batchId, [submitted(0), submitted(1), apart(2)], { final: true });
    expect(await bed.list(`attention/${batchId}`)).toEqual(['folder/c.pdf', 'receipt.csv', 'receipt.json']);
  });

  test.each(['EIO', 'DEAD'])(
    'knows its receipts so far again after a crash (%s) between what is kept and what people see',
    async code => {
      let isDown = false;
      const fs = createFaultyFs((operation, _, to) => {
        const isForPeople = /receipt-so-far[^/]*\.csv$/.test(String(to));
        if (isDown && (operation === 'rename' || operation === 'link') && isForPeople) throw fsError(code);
      });
      const share = await bed.open({}, { fs });
      for (const name of ['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf']) await bed.drop(name, name);
      const { batchId } = await claimAll(share);
      const held = [{ index: 3, reason: REASON }];
      await share.settleUp(batchId, [submitted(0)], { final: false, held });
      isDown = true;
      for (const outcomes of [[submitted(1)], [submitted(1), apart(2)]]) {
        const settling = share.settleUp(batchId, outcomes, { final: false, held });
        if (code === 'EIO') await expect(settling).rejects.toMatchObject({ code: 'share-away' });
        else await expect(settling).rejects.toThrow('DEAD');
      }
      isDown = false;
      await share.settleUp(batchId, [submitted(1), apart(2)], { final: false, held });
      for (const place of ['done', 'attention']) {
        const names = (await bed.list(`${place}/${batchId}`)).filter(name => name.startsWith('receipt'));
        expect(names).toEqual(['receipt-so-far.csv']);
        expect(await bed.read(`${place}/${batchId}/receipt-so-far.csv`)).toContain('set apart');
      }
      await share.settleUp(batchId, [apart(3)], { final: true });
      expect(await bed.list(`done/${batchId}`)).toEqual(['a.pdf', 'b.pdf', 'receipt.csv', 'receipt.json']);
    },
  );

  test('removes the receipts so far that were put beside one that was open in a spreadsheet', async () => {
    let isOpen = false;
    const fs = createFaultyFs((operation, _, to) => {
      if (isOpen && operation === 'rename' && String(to).endsWith('receipt-so-far.csv'))
        throw fsError('EBUSY');
    });
    const share = await bed.open({}, { fs });
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf']) await bed.drop(name, name);
    const { batchId } = await claimAll(share);
    const held = [{ index: 3, reason: REASON }];
    await share.settleUp(batchId, [submitted(0)], { final: false, held });
    isOpen = true;
    await share.settleUp(batchId, [submitted(1)], { final: false, held });
    expect(await bed.list(`done/${batchId}`)).toContain('receipt-so-far (2).csv');
    isOpen = false;
    await share.settleUp(batchId, [submitted(2)], { final: false, held });
    expect(await bed.list(`done/${batchId}`)).toEqual(['a.pdf', 'b.pdf', 'c.pdf', 'receipt-so-far.csv']);
    await share.settleUp(batchId, [submitted(3)], { final: true });
    expect(await bed.list(`done/${batchId}`)).toEqual([
      'a.pdf',
      'b.pdf',
      'c.pdf',
      'd.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
    expect(await bed.list('attention')).toEqual([]);
  });

  test('does not put a batch away while a receipt so far cannot be looked at', async () => {
    let isAway = false;
    const fs = createFaultyFs((operation, path) => {
      if (isAway && operation === 'read' && String(path).endsWith('receipt-so-far.csv')) throw fsError('EIO');
    });
    const share = await bed.open({}, { fs });
    await bed.drop('a.pdf', 'a');
    await bed.drop('b.pdf', 'b');
    const { batchId } = await claimAll(share);
    await share.settleUp(batchId, [submitted(0)], { final: false, held: [{ index: 1, reason: REASON }] });
    isAway = true;
    const all = [submitted(0), submitted(1)];
    await expect(share.settleUp(batchId, all, { final: true })).rejects.toMatchObject({ code: 'share-away' });
    isAway = false;
    await share.settleUp(batchId, all, { final: true });
    expect(await bed.list(`done/${batchId}`)).toEqual(['a.pdf', 'b.pdf', 'receipt.csv', 'receipt.json']);
  });

  test('keeps a receipt so far that a person has written into', async () => {
    const { share, batchId } = await claimThree();
    await share.settleUp(batchId, [submitted(0)], { final: false, held: [{ index: 1, reason: REASON }] });
    await writeFile(join(bed.root, 'done', batchId, 'receipt-so-far.csv'), 'my notes');
    await share.settleUp(batchId, [submitted(0), submitted(1), submitted(2)], { final: true });
    expect(await bed.read(`done/${batchId}/receipt-so-far.csv`)).toBe('my notes');
  });

  test('never overwrites what lies at the destination', async () => {
    const { share, batchId } = await claimThree();
    await mkdir(join(bed.root, 'done', batchId), { recursive: true });
    await writeFile(join(bed.root, 'done', batchId, 'a.pdf'), 'somebody else');
    await writeFile(join(bed.root, 'done', batchId, 'receipt.csv'), 'somebody else too');
    const settled = await share.settleUp(batchId, [submitted(0), submitted(1), submitted(2)], {
      final: true,
    });
    expect(await bed.read(`done/${batchId}/a.pdf`)).toBe('somebody else');
    expect(await bed.read(`done/${batchId}/a (2).pdf`)).toBe('a');
    expect(await bed.read(`done/${batchId}/receipt.csv`)).toBe('somebody else too');
    expect(settled.receipts).toEqual([`done/${batchId}/receipt (2).csv`]);
  });

  test('gives its receipt another name when a dropped file is called like it', async () => {
    const share = await bed.open();
    await bed.drop('Receipt.csv', 'a register');
    const { batchId } = await claimAll(share);
    const settled = await share.settleUp(batchId, [submitted(0)], { final: true });
    expect(settled.receipts).toEqual([`done/${batchId}/receipt-${batchId}.csv`]);
    expect(await bed.read(`done/${batchId}/Receipt.csv`)).toBe('a register');
  });

  test('does not write through a link that somebody put where the folder should be', async () => {
    const { share, batchId } = await claimThree();
    await mkdir(join(bed.root, 'outside'));
    await symlink(join(bed.root, 'outside'), join(bed.root, 'done', batchId));
    const all = [submitted(0), submitted(1), submitted(2)];
    await expect(share.settleUp(batchId, all, { final: true })).resolves.toMatchObject({
      done: 3,
      receipts: [`done/${batchId} (2)/receipt.csv`],
    });
    expect(await bed.list('outside')).toEqual([]);
    expect(await bed.list(`done/${batchId} (2)`)).toEqual([
      'a.pdf',
      'folder/b.pdf',
      'folder/c.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
    expect(await share.settleUp(batchId, [], { final: true })).toMatchObject({
      receipts: [`done/${batchId} (2)/receipt.csv`],
    });
  });

  test.each([[true], [false]])(
    'a file where the folder of a document should be holds up none of its job (final: %s)',
    async final => {
      const share = await bed.open();
      await bed.drop('Job/A/x.pdf', 'x');
      await bed.drop('Job/b.pdf', 'b');
      await bed.drop('Job/c.pdf', 'c');
      const job = await share.openJob('Job');
      const { batch } = await share.claim(['Job/A/x.pdf', 'Job/b.pdf', 'Job/c.pdf'], { job });
      const { batchId } = await share.writeManifest(batch!);
      await mkdir(join(bed.root, 'done/Job'), { recursive: true });
      await writeFile(join(bed.root, 'done/Job/A'), 'of an earlier part');
      const outcomes = [submitted(0), submitted(1), ...(final ? [submitted(2)] : [])];
      const held = final ? [] : [{ index: 2, reason: REASON }];
      await expect(share.settleUp(batchId!, outcomes, { final, held })).resolves.toMatchObject({
        done: outcomes.length,
      });
      const all = ['A', 'b.pdf', ...(final ? ['c.pdf'] : []), 'receipt-so-far.csv', 'x.pdf'];
      expect(await bed.list('done/Job')).toEqual(all);
      expect(await bed.read('done/Job/A')).toBe('of an earlier part');
      expect(bed.logger.lines).toContainEqual(
        expect.objectContaining({ event: 'file-elsewhere', path: 'Job/A/x.pdf', folder: 'done/Job' }),
      );
    },
  );

  test('a job in whose place a link to its archive stands has its receipts in a folder of the batch', async () => {
    const share = await bed.open();
    await bed.drop('Job/a.pdf', 'a');
    await bed.drop('Job/b.pdf', 'b');
    const job = await share.openJob('Job');
    const { batch } = await share.claim(['Job/a.pdf', 'Job/b.pdf'], { job });
    const { batchId } = await share.writeManifest(batch!);
    await mkdir(join(bed.root, 'archive'));
    for (const base of ['done', 'attention'])
      await symlink(join(bed.root, 'archive'), join(bed.root, base, 'Job'));
    const held = [{ index: 1, reason: REASON }];
    await share.settleUp(batchId!, [submitted(0)], { final: false, held });
    expect(await bed.list(`done/${batchId}`)).toEqual(['a.pdf', 'receipt-so-far.csv']);
    expect(await bed.list(`attention/${batchId}`)).toEqual(['receipt-so-far.csv']);
    await share.settleUp(batchId!, [submitted(0), submitted(1)], { final: true });
    expect(await bed.list(`done/${batchId}`)).toEqual(['a.pdf', 'b.pdf', 'receipt-so-far (2).csv']);
    expect(await bed.list('attention')).toEqual(['Job']);
    expect(await bed.list('archive')).toEqual([]);
  });

  test('a receipt for which there is no folder at all is tried again, and says what stands in the way', async () => {
    const { share, batchId } = await claimThree();
    await rename(join(bed.root, 'done'), join(bed.root, 'elsewhere'));
    await symlink(join(bed.root, 'elsewhere'), join(bed.root, 'done'));
    const all = [submitted(0), submitted(1), submitted(2)];
    const error = await share.settleUp(batchId, all, { final: true }).catch((thrown: unknown) => thrown);
    expect(toActivityFailure(error)).toMatchObject({ type: 'SHARE_UNAVAILABLE', nonRetryable: false });
    expect(toActivityFailure(error)?.message).toContain(`"done/${batchId}"`);
    expect(await bed.list('elsewhere')).toEqual([]);
    await rename(join(bed.root, 'done'), join(bed.root, 'gone'));
    await rename(join(bed.root, 'elsewhere'), join(bed.root, 'done'));
    await expect(share.settleUp(batchId, all, { final: true })).resolves.toMatchObject({ done: 3 });
  });

  test('a folder that is exchanged as a file comes into it keeps that file waiting, and no other', async () => {
    let isExchanged = true;
    const real = createFaultyFs(() => undefined, { byDescriptor: false });
    const fs: typeof real = {
      ...real,
      openFolder: async (base, folder, how) => {
        const open = await real.openFolder(base, folder, how);
        if (!/done\/[^/]+\/folder$/.test(String(folder))) return open;
        return { ...open, isInPlace: async () => !isExchanged && (await open.isInPlace()) };
      },
    };
    const share = await bed.open({}, { fs });
    await bed.drop('a.pdf', 'a');
    await bed.drop('folder/b.pdf', 'b');
    await bed.drop('folder/c.pdf', 'c');
    const { batchId } = await claimAll(share);
    const held = [{ index: 2, reason: REASON }];
    await share.settleUp(batchId, [submitted(0), submitted(1)], { final: false, held });
    expect(await bed.list(`done/${batchId}`)).toEqual(['a.pdf', 'receipt-so-far.csv']);
    expect(bed.logger.lines).toContainEqual(
      expect.objectContaining({ event: 'file-blocked', path: 'folder/b.pdf' }),
    );
    const all = [submitted(0), submitted(1), submitted(2)];
    await expect(share.settleUp(batchId, all, { final: true })).rejects.toMatchObject({
      code: 'folder-blocked',
      message: expect.stringContaining('folder/b.pdf'),
    });
    expect(await bed.list('drop')).toEqual([]);
    isExchanged = false;
    await share.settleUp(batchId, all, { final: true });
    expect(await bed.list(`done/${batchId}`)).toEqual([
      'a.pdf',
      'folder/b.pdf',
      'folder/c.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
  });

  test('says which claimed files somebody took away', async () => {
    const { share, batchId } = await claimThree();
    const { path: absolutePath } = await share.fileToSend(batchId, 0);
    await rename(absolutePath, join(bed.root, 'taken'));
    await share.settleUp(batchId, [apart(0), submitted(1), submitted(2)], { final: true });
    expect(bed.logger.lines).toContainEqual(
      expect.objectContaining({ event: 'file-missing', path: 'a.pdf' }),
    );
  });

  test('returns to the drop folder what was in the batch but not in its manifest', async () => {
    const { share, batchId } = await claimThree();
    await writeFile(join(bed.root, '.drawbridge/batches', batchId, 'files/late.pdf'), 'late');
    await share.settleUp(batchId, [submitted(0), submitted(1), submitted(2)], { final: true });
    expect(await bed.list('drop')).toEqual(['late.pdf']);
  });

  test.each(['EPERM', 'EXDEV', 'ENOTSUP'])('works where links give %s', async code => {
    const fs = createFaultyFs((operation, from, to) => {
      if (operation === 'link') throw fsError(code);
      const isMove =
        operation === 'rename' && /\/(done|attention)\//.test(String(to)) && !String(from).includes('.tmp-');
      if (code === 'EXDEV' && isMove && String(from).includes('/batches/')) throw fsError(code);
    });
    const share = await bed.open({}, { fs });
    await bed.drop('a.pdf', 'a');
    await bed.drop('b.pdf', 'b');
    const { batchId } = await claimAll(share);
    await mkdir(join(bed.root, 'done', batchId));
    await writeFile(join(bed.root, 'done', batchId, 'a.pdf'), 'somebody else');
    await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
    expect(await bed.list(`done/${batchId}`)).toEqual([
      'a (2).pdf',
      'a.pdf',
      'b.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
    expect(await bed.read(`done/${batchId}/a.pdf`)).toBe('somebody else');
    expect(await bed.read(`done/${batchId}/a (2).pdf`)).toBe('a');
    expect(await share.openBatches()).toEqual([]);
  });

  test('is done once when two do it at the same moment', async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const { share, batchId } = await claimThree();
      const other = await bed.open();
      const all = [submitted(0), submitted(1), submitted(2)];
      const results = await Promise.all([
        share.settleUp(batchId, all, { final: true }),
        other.settleUp(batchId, all, { final: true }),
      ]);
      expect(results[0]).toEqual(results[1]);
      expect(await bed.list(`done/${batchId}`)).toEqual([
        'a.pdf',
        'folder/b.pdf',
        'folder/c.pdf',
        'receipt.csv',
        'receipt.json',
      ]);
    }
  });

  test('is done once, and leaves nothing, at whatever moment another one comes to its end', async () => {
    const others = await bed.open();
    for (let endsAt = 1; ; endsAt += 1) {
      const { batchId } = await claimThree();
      const all = [submitted(0), submitted(1), submitted(2)];
      let count: number | undefined;
      const fs = createFaultyFs(async () => {
        if (count === undefined) return;
        count += 1;
        if (count === endsAt) await others.settleUp(batchId, all, { final: true });
      });
      const share = await bed.open({}, { fs });
      count = 0;
      const settled = await share.settleUp(batchId, all, { final: true }).catch(error => String(error));
      expect([endsAt, settled]).toEqual([endsAt, expect.objectContaining({ done: 3 })]);
      expect([endsAt, await others.openBatches()]).toEqual([endsAt, []]);
      expect([endsAt, await readdir(join(bed.root, '.drawbridge/batches'))]).toEqual([endsAt, []]);
      if (count < endsAt) break;
    }
  }, 60_000);
});

describe('what is ours on the share, damaged', () => {
  test('gives an error that names the file, and leaves other batches alone', async () => {
    const { share, batchId } = await claimThree();
    await bed.drop('other.pdf');
    const other = await claimAll(share);
    await writeFile(join(bed.root, '.drawbridge/batches', batchId, 'batch.json'), '{"version": 1');
    await expect(share.readBatch(batchId)).rejects.toMatchObject({
      code: 'batch-damaged',
      message: expect.stringContaining(batchId),
    });
    await expect(share.readBatch(other.batchId)).resolves.toMatchObject({ known: [] });
  });

  test('does not go on with a manifest that is not the one the batch was started with', async () => {
    const { share, batchId, manifestSha256 } = await claimThree();
    await expect(share.readBatch(batchId, manifestSha256)).resolves.toBeDefined();
    await expect(share.readBatch(batchId, 'f'.repeat(64))).rejects.toMatchObject({
      code: 'manifest-differs',
    });
  });

  test('does not take a path that leads out of the batch from a manifest', async () => {
    const { share, batchId } = await claimThree();
    const path = join(bed.root, '.drawbridge/batches', batchId, 'batch.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"a.pdf"', '"../../../done/x"'));
    await expect(share.fileToSend(batchId, 0)).rejects.toMatchObject({ code: 'batch-damaged' });
  });

  test('leaves out records that are torn, foreign or changed, and says so', async () => {
    const { share, batchId } = await claimThree();
    await share.appendRecord(batchId, { kind: 'created', uploads: [{ index: 0, uploadId: 'U' as never }] });
    const journal = join(bed.root, '.drawbridge/batches', batchId, 'journal');
    await writeFile(join(journal, '2026-torn.json'), '{"version":1,"batchId":"');
    await writeFile(join(journal, '.tmp-torn'), '{');
    const [good = ''] = await bed
      .list(`.drawbridge/batches/${batchId}/journal`)
      .then(names => names.filter(name => name.includes('created')));
    await writeFile(
      join(journal, '2026-changed.json'),
      (await readFile(join(journal, good), 'utf8')).replace('U', 'V'),
    );
    expect((await share.readBatch(batchId)).known).toEqual([{ index: 0, uploadId: 'U' }]);
    const unreadable = bed.logger.lines.filter(line => line.event === 'record-unreadable');
    expect(unreadable.map(line => line.record)).toEqual(['2026-changed.json', '2026-torn.json']);
  });

  test('knows no batch of a name that is none', async () => {
    const share = await bed.open();
    for (const name of ['../../etc', '', 'x', '20260131-093000-k3f2a2']) {
      await expect(share.readBatch(name)).rejects.toMatchObject({ code: 'batch-unknown' });
    }
  });
});
