// What is there already is not sent: nothing is asked of the service for it, and it waits for nobody.
import type { Reason } from '../../../workflows/contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { runBatch } from '../run-batch';

const temporal = useNamespace();

const REASON: Reason = { code: 'already-there', text: 'It is revision R1 already.', fix: 'Nothing.' };

function skip(world: FakeWorld, ...indexes: readonly number[]): void {
  world.documents = world.documents.map(document =>
    indexes.includes(document.index) ? { ...document, skip: REASON } : document,
  );
}

const namesOf = (world: FakeWorld) => world.calls.map(({ name }) => name);
const lastOutcomes = (world: FakeWorld) =>
  (world.settled.at(-1)?.outcomes ?? []).map(({ index, kind }) => `${index} ${kind}`).sort();

test('a batch of which all is there already asks for nothing but its receipt', async () => {
  const world = new FakeWorld(3);
  skip(world, 0, 1, 2);
  await runBatch(temporal, world, async ({ handle }) => {
    expect(await handle.result()).toMatchObject({ submitted: 0 });
  });
  expect(new Set(namesOf(world))).toEqual(new Set(['openBatch', 'refreshToken', 'settleUp']));
  expect(world.settled.at(-1)).toMatchObject({ final: true, held: [] });
  expect(world.settled.at(-1)?.outcomes[0]).toEqual({ kind: 'skipped', index: 0, reason: REASON });
});

test('the others go, without those that are there', async () => {
  const world = new FakeWorld(3);
  skip(world, 1);
  await runBatch(temporal, world, async ({ handle }) => {
    await handle.result();
  });
  expect(lastOutcomes(world)).toEqual(['0 submitted', '1 skipped', '2 submitted']);
  expect(world.uploads.size).toBe(2);
});

test('what a run before this one has begun is not skipped', async () => {
  const world = new FakeWorld(1);
  skip(world, 0);
  world.uploads.set('UPLOAD', {
    id: 'UPLOAD',
    index: 0,
    completed: true,
    consumed: false,
    deleted: false,
    event: 1,
    analysed: true,
  });
  world.known = [{ index: 0, uploadId: 'UPLOAD' as never, completed: true, intended: true }];
  await runBatch(temporal, world, async ({ handle }) => {
    await handle.result();
  });
  expect(lastOutcomes(world)).toEqual(['0 submitted']);
});

test('what became the present revision meanwhile is not submitted, and no intent says so', async () => {
  const world = new FakeWorld(3);
  world.turns = () => ({ waiting: [], skipped: [{ index: 1, reason: REASON }] });
  await runBatch(temporal, world, async ({ handle }) => {
    await handle.result();
  });
  expect(lastOutcomes(world)).toEqual(['0 submitted', '1 skipped', '2 submitted']);
  const intents = world.records.filter(({ kind }) => kind === 'intent');
  expect(intents).toMatchObject([{ uploads: [{ index: 0 }, { index: 2 }] }]);
  const submitted = world.calls.filter(({ name }) => name === 'submitRevisions');
  expect(submitted).toMatchObject([{ input: { items: [{ index: 0 }, { index: 2 }] } }]);
});

test('of a batch of one that became the present revision meanwhile nothing is submitted', async () => {
  const world = new FakeWorld(1);
  world.turns = () => ({ waiting: [], skipped: [{ index: 0, reason: REASON }] });
  await runBatch(temporal, world, async ({ handle }) => {
    await handle.result();
  });
  expect(lastOutcomes(world)).toEqual(['0 skipped']);
  expect(namesOf(world)).not.toContain('submitRevisions');
});
