// The judge on a real run: what the product leaves behind after a clean batch has
// nothing in it that must not be.
import { join } from 'node:path';
import { pdfs } from '../end-to-end/agreement';
import { DEFAULT_PROJECTS } from '../sandbox/defaults';
import { FAST_SHARE, Rig } from '../setup/rig';
import { judge } from './judge';
import { describeEnd } from './judge-end';
import { collectEvidence } from './judge-evidence';
import { mostRequestsOf } from './request-budget';

jest.setTimeout(120_000);

test('a clean batch is judged clean, and what is taken away from it is missed', async () => {
  const rig = await Rig.start();
  try {
    await rig.startWatcher();
    await rig.startWorker();
    const hashes = rig.dropFiles({ ...pdfs(3), 'Package A/plan.pdf': '%PDF plan', 'empty.pdf': '' });
    await rig.untilSettled(5);
    const dropped = [...hashes].map(([path, sha256]) => ({ path, sha256, healthy: path !== 'empty.pdf' }));
    const evidence = await collectEvidence(rig.control, join(rig.folder, 'share'), dropped);
    const judgement = {
      mode: 'at-rest',
      case: 'clean',
      projectId: DEFAULT_PROJECTS.plain,
      values: FAST_SHARE,
      mostRequests: mostRequestsOf(evidence, { workers: 1 }),
    } as const;
    expect(judge(evidence, judgement)).toEqual([]);
    expect(describeEnd(evidence).filter(line => line.startsWith('revision'))).toHaveLength(4);
    const fewer = { ...evidence, revisions: evidence.revisions.slice(1) };
    expect(judge(fewer, judgement).length).toBeGreaterThan(0);
  } finally {
    await rig.close();
  }
});
