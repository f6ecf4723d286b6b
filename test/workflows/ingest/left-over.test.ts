// No receipt is final while a document has no outcome: a stage that forgets one costs that document's time,
// never its row. No stage is known to do so; here one is made to.
import type { BatchSummary } from '../../../workflows/ingest/ingest-contract';
import { alterBundle } from '../../setup/altered-bundle';
import { useNamespace } from '../../setup/temporal-namespace';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { FakeWorld } from '../fake-activities';
import { startBatch, withWorkers } from '../run-batch';

const folder = useTemporaryFolder();
const temporal = useNamespace();

const BEGINS = "batch.move(ready, 'submitting');";
const FORGETS = 'ready = ready.filter(({ document }) => document.index !== 1);';

/** Carries a batch by workflows whose submission is changed; no other run ever does what this one does. */
async function finish(world: FakeWorld, name: string, to: string): Promise<BatchSummary> {
  const codePath = alterBundle(temporal.bundlePath, folder(), name, { from: BEGINS, to });
  return await withWorkers(temporal, world, codePath, async () => {
    const handle = await startBatch(temporal);
    try {
      return (await handle.result()) as BatchSummary;
    } finally {
      await handle.terminate().catch(() => undefined);
    }
  });
}

/** How often the document was carried as far as to be read for its submission. */
const readsOf = (world: FakeWorld, index: number) =>
  world.calls.filter(
    ({ name, input }) =>
      name === 'readUploads' &&
      (input as { items: { index: number }[] }).items.some(item => item.index === index),
  ).length;

test('a document that a stage forgets again and again is set apart, and the receipt is final', async () => {
  const world = new FakeWorld(3);
  expect(await finish(world, 'forgetful', `${FORGETS} ${BEGINS}`)).toMatchObject({
    submitted: 2,
    setApart: 1,
  });
  const { outcomes, held } = world.final;
  expect(outcomes.find(({ index }) => index === 1)).toMatchObject({
    kind: 'set-apart',
    reason: { code: 'not-carried' },
  });
  expect(outcomes.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
  expect(held).toEqual([]);
  expect(readsOf(world, 1) - readsOf(world, 0)).toBe(2);
  // It lies there linked; nothing of it is done twice.
  expect([world.count('createUploads'), world.count('linkUploads')]).toEqual([1, 1]);
  expect(world.revisions).toHaveLength(2);
});

test('one that is forgotten once is carried again, and submitted once', async () => {
  const world = new FakeWorld(3);
  const once = `if (!batch.hasForgotten) { batch.hasForgotten = true; ${FORGETS} } ${BEGINS}`;
  expect(await finish(world, 'forgetful-once', once)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(world.final.outcomes.map(({ index, kind }) => [index, kind]).sort()).toEqual([
    [0, 'submitted'],
    [1, 'submitted'],
    [2, 'submitted'],
  ]);
  expect(readsOf(world, 1) - readsOf(world, 0)).toBe(1);
  expect(new Set(world.revisions).size).toBe(3);
  expect(world.revisions).toHaveLength(3);
});
