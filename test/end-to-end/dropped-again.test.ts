// A folder that is dropped twice becomes revisions once, and two jobs that bring the same files at one time
// make one revision of each.
import { Rig } from '../setup/rig';

jest.setTimeout(180_000);

let rig: Rig;
afterEach(async () => {
  await rig.close();
});

/** The same files in any folder. */
function plans(folder: string, count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${folder}/plan-${at}.pdf`, `%PDF plan ${at}`]),
  );
}

/** What requests have changed in the service until now. */
async function changes(): Promise<readonly string[]> {
  const effects = (await rig.control.operations()).filter(
    ({ kind, request }) => kind === 'effect' && request > 0,
  );
  return effects.map(({ route, what }) => `${route} ${what}`);
}

test('dropped again: all are skipped, each row names the revision, and no request changes anything', async () => {
  rig = await Rig.start();
  await rig.startWorker();
  await rig.startWatcher();
  rig.dropFiles(plans('TR-0142', 20));
  const [first] = await rig.untilSettled(20);
  const before = await changes();

  rig.dropFiles(plans('TR-0142 again', 20));
  const receipts = await rig.untilSettled(40);
  const again = receipts.find(({ batchId }) => batchId !== first?.batchId);
  const revisionOf = new Map(first?.files.map(({ sha256, revisionId }) => [sha256, revisionId]));
  expect(again?.files).toHaveLength(20);
  for (const { outcome, sha256, reason } of again?.files ?? []) {
    expect(outcome).toBe('skipped');
    expect(reason).toMatchObject({
      code: 'already-there',
      text: expect.stringContaining(`in "TR-0142", revision id ${revisionOf.get(sha256)})`),
    });
  }
  expect(before.length).toBeGreaterThan(20);
  expect(await changes()).toEqual(before);
  expect(await rig.control.revisions()).toHaveLength(20);
  expect(rig.filesIn('attention')).toEqual([]);
  expect(rig.filesIn('done')).toHaveLength(40);
});

test('two jobs at one time, on two shares of the project: one revision each', async () => {
  rig = await Rig.start({ moreShares: ['site'] });
  await rig.startWorker();
  rig.dropFiles(plans('from the office', 3));
  rig.dropFiles(plans('from the site', 3), 'site');
  rig.dropFiles(plans('once more', 3));
  await Promise.all([rig.startWatcher(0), rig.startWatcher(1)]);
  const receipts = await rig.untilSettled(9);
  const outcomes = receipts.flatMap(({ files }) => files.map(({ outcome }) => outcome)).sort();
  expect(outcomes).toEqual([...Array(6).fill('skipped'), ...Array(3).fill('submitted')]);
  expect(await rig.control.revisions()).toHaveLength(3);
});
