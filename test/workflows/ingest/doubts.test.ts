// What seems to be double, or to come too late, is sent only if a person says so: asked before anything is
// sent, and again when its turn has come.
import { setTimeout as delay } from 'node:timers/promises';
import type { Reason } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { runBatch } from '../run-batch';

const temporal = useNamespace();

const REASON: Reason = { code: 'same-bytes', text: 'The same file was sent as "B.pdf".', fix: 'Look at it.' };

const lastOutcomes = (world: FakeWorld) =>
  (world.settled.at(-1)?.outcomes ?? []).map(({ index, kind }) => `${index} ${kind}`).sort();
const intentsOf = (world: FakeWorld) =>
  world.calls.flatMap(({ name, input }) =>
    name === 'appendRecord' && (input as { inTurn?: unknown }).inTurn !== undefined
      ? [input as { inTurn: { meant: unknown; confirmed?: unknown } }]
      : [],
  );

async function untilProgress(
  look: () => Promise<BatchProgress>,
  is: (progress: BatchProgress) => boolean,
): Promise<BatchProgress> {
  for (;;) {
    const progress = await look();
    if (is(progress)) return progress;
    await delay(20);
  }
}

test('in doubt from the start: nothing of it is sent before the answer, and the others go', async () => {
  const world = new FakeWorld(3);
  world.tellsDoubts = true;
  world.documents = world.documents.map(document =>
    document.index === 2 ? document : { ...document, doubt: REASON },
  );
  await runBatch(temporal, world, async ({ handle }) => {
    const { held } = await untilProgress(
      () => handle.query(progressQuery),
      ({ stages }) => stages.held === 2 && stages.submitted === 1,
    );
    expect(held).toMatchObject([
      { index: 0, question: 'duplicate', reason: REASON },
      { index: 1, question: 'duplicate', reason: REASON },
    ]);
    expect(world.uploads.size).toBe(1);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'set-apart' }] });
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'retry' }] });
    await handle.result();
  });
  expect(lastOutcomes(world)).toEqual(['0 submitted', '1 set-apart', '2 submitted']);
  expect(world.uploads.size).toBe(2);
  expect(intentsOf(world).map(({ inTurn }) => inTurn.meant)).toEqual([
    [],
    [{ index: 0, codes: ['same-bytes'] }],
  ]);
});

test('in doubt when its turn has come: no intent is noted before the answer', async () => {
  const world = new FakeWorld(2);
  world.tellsDoubts = true;
  const later = { ...REASON, code: 'later-there' };
  let asked = 0;
  world.turns = () => {
    asked += 1;
    return asked > 1 ? { waiting: [] } : { waiting: [], doubted: [{ index: 1, reason: later }] };
  };
  await runBatch(temporal, world, async ({ handle }) => {
    const { held } = await untilProgress(
      () => handle.query(progressQuery),
      ({ stages }) => stages.held === 1 && stages.submitted === 1,
    );
    expect(held).toMatchObject([{ index: 1, question: 'duplicate', reason: later }]);
    expect(world.records.filter(({ kind }) => kind === 'intent')).toMatchObject([
      { uploads: [{ index: 0 }] },
    ]);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'retry' }] });
    await handle.result();
  });
  expect(lastOutcomes(world)).toEqual(['0 submitted', '1 submitted']);
  expect(world.uploads.size).toBe(2);
  // It is the coordinator's question as well.
  expect(intentsOf(world).at(-1)?.inTurn).toMatchObject({
    meant: [{ index: 1, codes: ['later-there'] }],
    confirmed: [1],
  });
});

test('what a run before this one has begun is not held at the opening', async () => {
  const world = new FakeWorld(1);
  world.documents = world.documents.map(document => ({ ...document, doubt: REASON }));
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
  // Opened by an earlier version: it would not understand.
  expect(intentsOf(world).every(({ inTurn }) => inTurn.meant === undefined)).toBe(true);
});
