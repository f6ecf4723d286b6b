// Files dropped into a share become revisions of the stand-in service, byte for
// byte, with receipts that agree.
import { Rig } from '../setup/rig';
import { expectNoRemark } from './agreement';

jest.setTimeout(180_000);

let rig: Rig;
afterEach(async () => {
  await rig.close();
});

async function start(...options: Parameters<typeof Rig.start>): Promise<void> {
  rig = await Rig.start(...options);
  await rig.startWatcher();
  await rig.startWorker();
}

const NAMES = [
  'plain.pdf',
  'Package A/with space & ampersand+plus.pdf',
  'Package A/Ünïcödé é.docx',
  'Package A/図面-01.pdf',
  'Package B/deep/er/DWG 100 50%.dwg',
  `long/${'n'.repeat(196)}.txt`,
];

test('every dropped file is exactly one revision with its bytes and its name, and the receipt says so', async () => {
  await start();
  const hashes = rig.dropFiles(Object.fromEntries(NAMES.map((name, index) => [name, `content of ${index}`])));
  const receipts = await rig.untilSettled(NAMES.length);
  const revisions = await rig.control.revisions();
  expect(revisions).toHaveLength(NAMES.length);
  const rows = receipts.flatMap(receipt => receipt.files);
  for (const name of NAMES) {
    const row = rows.find(({ path }) => path === name)!;
    expect(row).toMatchObject({ outcome: 'submitted' });
    const revision = revisions.find(({ id }) => id === row.revisionId)!;
    expect(revision).toMatchObject({ fileName: name.split('/').at(-1), sha256: hashes.get(name) });
  }
  expect(rig.filesIn('drop')).toEqual([]);
  expect(rig.filesIn('done')).toHaveLength(NAMES.length);
  await expectNoRemark(rig.control);
});
