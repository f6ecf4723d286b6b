// A file that is linked a second time: what people may have changed since the first time is not written
// again.

import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../workflows/ingest/ingest-contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, reason } from '../fake-activities';
import { finishBatch, type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

const finish = (world: FakeWorld) => finishBatch(temporal, world);

/** What each request to link writes, by document. */
function linksOf(world: FakeWorld): { index: number; writes: number; onlyEmpty: boolean }[] {
  return world.calls
    .filter(({ name }) => name === 'linkUploads')
    .flatMap(({ input }) => {
      const { items, onlyEmpty } = input as {
        items: { index: number; writes: unknown[] }[];
        onlyEmpty?: boolean;
      };
      return items.map(({ index, writes }) => ({
        index,
        writes: writes.length,
        onlyEmpty: onlyEmpty === true,
      }));
    });
}

async function untilHeld(
  { handle }: RunningBatch,
  isIt: (held: HeldDocument) => boolean = () => true,
): Promise<HeldDocument> {
  for (;;) {
    const held = (await handle.query(progressQuery)).held.find(isIt);
    if (held !== undefined) return held;
    await temporal.nextEvent(handle);
  }
}

test('after a file key mismatch the file is linked, and no value is written over what people have edited', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = ({ items }, call) =>
    call === 1
      ? {
          kind: 'refused',
          refusals: [{ reasonCode: 'FILE_KEY_MISMATCH', message: '', uploadId: items[0]!.uploadId }],
        }
      : undefined;
  expect(await finish(world)).toMatchObject({ submitted: 2 });
  expect(linksOf(world)).toEqual([
    { index: 0, writes: 1, onlyEmpty: false },
    { index: 1, writes: 1, onlyEmpty: false },
    { index: 0, writes: 0, onlyEmpty: true },
  ]);
});

test('linked again before anybody saw its values, a document gets them where its fields are empty', async () => {
  const world = new FakeWorld(3);
  let reads = 0;
  world.onRead = index => {
    if (index !== 1 || ++reads > 2) return {};
    for (const upload of world.uploads.values()) if (upload.index === 1) upload.completed = false;
    return { completed: false };
  };
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(linksOf(world).at(-1)).toEqual({ index: 1, writes: 1, onlyEmpty: true });
});

test('a name that a person gave and the service refuses is asked for again', async () => {
  const world = new FakeWorld(2);
  world.missing = index => (index === 0 && !world.isWritten ? ['Type'] : []);
  const given: Record<string, string>[] = [];
  world.plan = (_, values) => ({ now: Object.keys(values as object).includes('Type') ? [[1, ['T1']]] : [] });
  world.onRead = index => {
    const input = world.calls.findLast(({ name }) => name === 'readUploads')?.input as {
      items: { index: number; values: Record<string, string> }[];
    };
    const name = input.items.find(item => item.index === index)?.values.Name;
    return name === undefined ? {} : { rename: { fieldId: 'NAME', values: [name] } };
  };
  // The first request writes the Type, the second one the name.
  world.onWrite = call => (call === 2 ? reason('INVALID_PROPERTY') : undefined);
  await runBatch(temporal, world, async running => {
    await untilHeld(running);
    const answer = async (values: Record<string, string>): Promise<void> => {
      given.push(values);
      await running.handle.executeUpdate(answerUpdate, { args: [{ document: 0, values }] });
    };
    await answer({ Type: 'Drawing', Name: 'A/1' });
    const again = await untilHeld(running, held => held.reason.code === 'INVALID_PROPERTY');
    expect(again).toMatchObject({ index: 0, question: 'missing-values' });
    await answer({ Name: 'A-1' });
    expect(await running.handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  const names = world.calls
    .filter(({ name }) => name === 'writeValues')
    .flatMap(({ input }) => (input as { items: { fields: { fieldId: string; values: string[] }[] }[] }).items)
    .flatMap(({ fields }) =>
      fields.filter(({ fieldId }) => fieldId === 'NAME').map(({ values }) => values[0]),
    );
  expect(names).toEqual(['A/1', 'A-1']);
  expect(given).toHaveLength(2);
});

test('a value that a person gave before the file was linked, and the service refuses, is asked for again', async () => {
  const world = new FakeWorld(2);
  world.plan = (index, values) =>
    index === 0 && !Object.keys(values as object).includes('Type') ? { hopeless: ['Type'] } : {};
  world.onLink = ({ items }) => {
    const refused = items.find(({ index }) => index === 0);
    if (refused === undefined || world.count('planDocuments') > 4) return undefined;
    return {
      kind: 'refused',
      refusals: [{ reasonCode: 'INVALID_PROPERTY', message: '', uploadId: refused.uploadId }],
    };
  };
  await runBatch(temporal, world, async running => {
    await untilHeld(running);
    const answer = (values: Record<string, string>) =>
      running.handle.executeUpdate(answerUpdate, { args: [{ document: 0, values }] });
    await answer({ Type: 'Drawng' });
    const again = await untilHeld(running, held => held.reason.code === 'INVALID_PROPERTY');
    expect(again).toMatchObject({ index: 0, question: 'missing-values' });
    await answer({ Type: 'Drawing' });
    expect(await running.handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
});
