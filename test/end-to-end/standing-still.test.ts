// A process that stands still in the middle of a workflow (the lid is closed, the machine
// is paused) goes on afterwards.
import { alterBundle } from '../setup/altered-bundle';
import { Rig } from '../setup/rig';
import { expectAgreement, expectNoRemark, pdfs } from './agreement';

jest.setTimeout(120_000);

let rig: Rig;
afterEach(async () => {
  await rig.close();
});

/** More than the SDK by itself gives one piece of a workflow, less than Temporal gives the whole task. */
const STILL_MS = 6_500;

test('a workflow that was held up for seconds does not end its worker', async () => {
  rig = await Rig.start();
  const still = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${STILL_MS})`;
  const from = "opened.kind === 'settled'";
  const bundle = alterBundle(rig.temporal.bundlePath, rig.folder, 'still', {
    from,
    to: `(${still}, ${from})`,
  });
  await rig.startWorker(bundle);
  await rig.startWatcher();
  const hashes = rig.dropFiles(pdfs(2));
  await rig.untilSettled(2);
  const ends = await expectAgreement(rig, hashes);
  expect([...ends.values()]).toEqual(['submitted', 'submitted']);
  await expectNoRemark(rig.control);
});
