// Batches of `submit` are found in Temporal's lists by share and project, as those of the watcher are.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../client/main';
import { ingestWorkflowId } from '../../workflows/contract';
import { Rig } from '../setup/rig';
import { expectNoRemark } from './agreement';

jest.setTimeout(120_000);

test('the run of a submitted batch has the search attributes of its share and project', async () => {
  const rig = await Rig.start();
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  process.env.TEMPORAL_ADDRESS = rig.temporal.address;
  process.env.TEMPORAL_NAMESPACE = rig.temporal.namespace;
  try {
    await rig.startWorker();
    const file = join(rig.folder, 'by-hand.pdf');
    writeFileSync(file, '%PDF by hand');
    const config = join(rig.folder, 'drawbridge.json');
    expect(await main(['--config', config, 'submit', file], 'drawbridge')).toBe(0);
    const { project } = rig.config.shares[0]!;
    const [receipt] = rig.receipts();
    const run = rig.temporal.client.workflow.getHandle(ingestWorkflowId(project, receipt!.batchId));
    expect((await run.describe()).searchAttributes).toMatchObject({
      DrawbridgeShare: ['tender'],
      DrawbridgeProject: [project.projectId],
    });
    await expectNoRemark(rig.control);
  } finally {
    jest.restoreAllMocks();
    delete process.env.TEMPORAL_ADDRESS;
    delete process.env.TEMPORAL_NAMESPACE;
    await rig.close();
  }
});
