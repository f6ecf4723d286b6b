import { runScript } from './child-process';
import { createTestBed, submitted, type TestBed } from './share-test-bed';

const SCRIPT = 'activities/share/claim-script.ts';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
  await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

describe('two processes on one drop folder', () => {
  test('claim each of 2,000 files exactly once', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `f${index % 7}/plan ${index}.pdf`);
    for (const name of names) await bed.drop(name);
    const children = [runScript(SCRIPT, { folder: bed.root }), runScript(SCRIPT, { folder: bed.root })];
    expect(await Promise.all(children.map(async child => child.ended))).toEqual([0, 0]);
    const sealed = children.map(child => (child.lines as { paths: string[] }[]).flatMap(line => line.paths));
    expect(new Set(sealed.flat())).toEqual(new Set(names));
    expect(sealed.flat()).toHaveLength(names.length);
    // Otherwise they did not meet at all.
    expect(Math.min(...sealed.map(paths => paths.length))).toBeGreaterThan(0);
    expect(await bed.list('drop')).toEqual([]);
    const share = await bed.open();
    const open = await share.openBatches();
    expect(open.every(batch => batch.state === 'ready')).toBe(true);
  }, 60_000);
});

describe('a process killed', () => {
  async function killAt(stopAt: string): Promise<void> {
    for (const name of ['a.pdf', 'folder/b.pdf']) await bed.drop(name);
    const child = runScript(SCRIPT, { folder: bed.root, stopAt });
    await child.line(line => line.event === 'stopped');
    child.process.kill('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');
  }

  test('between claim and manifest leaves a claim that the next one finishes', async () => {
    await killAt('before-manifest');
    const share = await bed.open();
    const [batch] = await share.openBatches();
    expect(batch).toMatchObject({ state: 'claiming', claim: 'abandoned' });
    const adopted = await share.adopt(batch!.batchId);
    expect(adopted?.manifest.files.map(file => file.path)).toEqual(['a.pdf', 'folder/b.pdf']);
  });

  test('between manifest and start leaves a batch that is ready', async () => {
    await killAt('after-manifest');
    const share = await bed.open();
    const [batch] = await share.openBatches();
    expect(batch).toMatchObject({ state: 'ready' });
    expect((await share.readSeal(batch!.batchId)).manifest.files).toHaveLength(2);
  });

  test('between receipt and move leaves moves to finish, and what the receipt says stands', async () => {
    await killAt('before-move');
    const share = await bed.open();
    const [batch] = await share.openBatches();
    expect(batch).toMatchObject({ state: 'settling' });
    const settled = await share.settleUp(batch!.batchId, [], { final: true });
    expect(settled).toMatchObject({ done: 2, attention: 0 });
    const { receipt } = await share.readBatch(batch!.batchId);
    expect(receipt?.files[0]?.submittedAt).toBe('2026-01-31T09:30:00.000Z');
    expect(receipt?.files[0]?.revisionId).toBe(submitted(0).kind === 'submitted' ? 'R0' : '');
    expect(await bed.list(`done/${batch!.batchId}`)).toEqual([
      'a.pdf',
      'folder/b.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
  });
});
