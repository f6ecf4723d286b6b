// What the service told of a document is on the share as soon as it was told: a lost Temporal loses none of
// it.
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { finishBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

const finish = (world: FakeWorld) => finishBatch(temporal, world);

function noted(world: FakeWorld) {
  return world.records.flatMap(record => (record.kind === 'outcome' ? record.outcomes : []));
}

test('the revision ids of an answer are noted before anything else happens with them', async () => {
  const world = new FakeWorld(3);
  await finish(world);
  const names = world.calls.map(({ name }) => name);
  expect(names.slice(names.indexOf('submitRevisions'))).toEqual([
    'submitRevisions',
    'appendRecord',
    'settleUp',
  ]);
  expect(noted(world)).toEqual(world.final.outcomes);
  expect(noted(world).map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(noted(world).map(outcome => 'revisionId' in outcome && outcome.revisionId)).toEqual(world.revisions);
});

test('a run that begins anew with the share alone knows every id that was told', async () => {
  const world = new FakeWorld(3);
  world.conflicts.add(1);
  await runBatch(temporal, world, async ({ handle }) => {
    while ((await handle.query(progressQuery)).held.length === 0) await temporal.nextEvent(handle);
    await handle.terminate();
  });
  world.conflicts.clear();
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(world.revisions).toHaveLength(3);
  const ids = world.final.outcomes.map(outcome => 'revisionId' in outcome && outcome.revisionId);
  expect(ids.sort()).toEqual([...world.revisions].sort());
  // What the first run noted, the second one leaves alone.
  expect(noted(world).map(({ index }) => index)).toEqual([0, 2, 1]);
});

test('what was submitted without an answer is noted when it is certain, its id unknown', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = ({ items }, call) => {
    if (call > 1) return undefined;
    for (const { index, uploadId } of items) world.submit(index, uploadId);
    return { kind: 'unknown' };
  };
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  expect(noted(world)).toMatchObject([
    { index: 0, kind: 'submitted', revisionId: null },
    { index: 1, kind: 'submitted', revisionId: null },
  ]);
});
