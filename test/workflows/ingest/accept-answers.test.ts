// Answers for many documents at once: what can be used is, whatever is wrong with the others, and a hundred
// of them are a few events each. On a real Temporal server.
import type { IngestActivities } from '../../../activities';
import { answerMany } from '../../../client/answers/answer-many';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, reason } from '../fake-activities';
import { type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();
jest.setTimeout(60_000);

async function untilHeld({ handle }: RunningBatch, count: number): Promise<void> {
  while ((await handle.query(progressQuery)).held.length < count) await temporal.nextEvent(handle);
}

async function events({ handle }: RunningBatch): Promise<number> {
  return (await handle.fetchHistory()).events?.length ?? 0;
}

/** Every document lacks its Type: before a byte is sent, or after the analysis. */
function lackingType(count: number, isLinked: boolean): FakeWorld {
  const world = new FakeWorld(count);
  world.plan = (_, values) => {
    const { Type } = values as Record<string, string>;
    if (Type === 'Drawng') return { problems: [reason('unknown-value')] };
    if (Type !== undefined) return { now: [[1, [Type]]] };
    return isLinked ? {} : { lacking: { reason: reason('missing'), missing: ['Type'] } };
  };
  world.needsAnalysis = () => isLinked;
  world.missing = () => (isLinked && !world.isWritten ? ['Type'] : []);
  return world;
}

test.each([
  ['before anything is sent', false],
  ['after the analysis', true],
])(
  'a hundred documents that lack a value %s, answered in one update, cost two events each',
  async (_, isLinked) => {
    const world = lackingType(100, isLinked);
    await runBatch(temporal, world, async running => {
      await untilHeld(running, 100);
      const before = await events(running);
      const { taken, refused } = await answerMany(temporal.client, running.handle.workflowId, {
        answers: [{ documents: world.documents.map(({ path }) => path), values: { Type: 'Drawing' } }],
      });
      expect(taken).toHaveLength(100);
      expect(refused).toEqual([]);
      expect(await running.handle.result()).toMatchObject({ submitted: 100, setApart: 0 });
      expect((await events(running)) - before).toBeLessThan(200);
    });
    expect(new Set(world.revisions).size).toBe(100);
    expect(world.count('planDocuments')).toBe(isLinked ? 2 : 3);
    expect(world.count('writeValues')).toBe(isLinked ? 1 : 0);
  },
);

test('what cannot be used is told at once, its documents wait on, and all others go on', async () => {
  const world = lackingType(6, false);
  world.keepsHow = true;
  await runBatch(temporal, world, async running => {
    await untilHeld(running, 6);
    const answer = async (answers: Parameters<typeof answerMany>[2]['answers']) =>
      await answerMany(temporal.client, running.handle.workflowId, { answers, as: 'Maria Keller' });
    const first = await answer([
      { documents: [0, 'Package/file-1.pdf', 'file-1.pdf'], values: { Type: 'Drawing' } },
      { documents: [2], values: { Type: 'Drawng' } },
      { documents: [3], decision: 'terminate', reason: 'x', status: 'Superseded' },
      { documents: [4, 'A-7.pdf'], values: { Type: 'Drawing' } },
      { documents: ['4', 5], decision: 'set-apart' },
    ]);
    expect(first.taken).toEqual(['Package/file-0.pdf', 'Package/file-1.pdf', 'Package/file-5.pdf']);
    expect(first.refused.map(({ document }) => document).sort()).toEqual([
      'A-7.pdf',
      'Package/file-2.pdf',
      'Package/file-3.pdf',
      'Package/file-4.pdf',
    ]);
    await untilHeld(running, 3);
    const again = await answer([{ documents: [0, 2, 3, 4], values: { Type: 'Drawing' } }]);
    expect(again).toEqual({
      taken: ['Package/file-2.pdf', 'Package/file-3.pdf', 'Package/file-4.pdf'],
      refused: [{ document: '0', why: expect.stringContaining('not held') }],
    });
    expect(await running.handle.result()).toMatchObject({ submitted: 5, setApart: 1 });
  });
  const notes = world.final.outcomes.map(({ notes }) => notes?.join(' '));
  expect(notes[2]).toMatch(
    /^Answered by Maria Keller on \d{4}-\d\d-\d\d at \d\d:\d\d UTC: Type = Drawing\.$/,
  );
  expect(notes[5]).toContain('Answered by Maria Keller');
  const said = { question: 'missing-values', said: 'Type = Drawing' };
  const [, , second, , , fifth] = world.final.outcomes.map(({ answers }) => answers);
  expect(second).toEqual([
    { ...said, by: 'Maria Keller', atMs: expect.any(Number), sinceMs: expect.any(Number) },
  ]);
  expect(fifth).toMatchObject([{ by: 'Maria Keller', said: 'set it apart' }]);
});

test('cells of a sheet are read before anything is made of them, and what cannot be read waits on', async () => {
  const world = lackingType(3, false);
  world.readRow = ({ values, numbers, dates }) =>
    numbers === undefined
      ? { kind: 'faults', text: `${values.Type} ${dates === undefined ? 'could be two' : 'is a date'}.` }
      : { kind: 'values', values: { Type: `read ${values.Type}` } };
  await runBatch(temporal, world, async running => {
    await untilHeld(running, 3);
    const answer = async (answers: Parameters<typeof answerMany>[2]['answers']) =>
      await answerMany(temporal.client, running.handle.workflowId, { answers, inCells: true });
    const accepted = await answer([
      { documents: ['Package/file-0.pdf'], values: { Type: '2.500' }, numbers: ['Type'] },
      { documents: ['Package/file-1.pdf'], values: { Type: '2.500' } },
      { documents: ['Package/file-2.pdf'], values: { Type: '2026-02-01' }, dates: ['Type'] },
    ]);
    expect(accepted).toEqual({
      taken: ['Package/file-0.pdf'],
      refused: [
        { document: 'Package/file-1.pdf', why: '2.500 could be two.' },
        { document: 'Package/file-2.pdf', why: '2026-02-01 is a date.' },
      ],
    });
    await answer([{ documents: [1, 2], decision: 'set-apart' }]);
    expect(await running.handle.result()).toMatchObject({ submitted: 1, setApart: 2 });
  });
  expect(world.count('readCells')).toBe(1);
  const planned = world.calls.flatMap(({ name, input }) => (name === 'planDocuments' ? [input] : []));
  expect(planned.at(-1)).toMatchObject({ documents: [{ values: { Type: 'read 2.500' } }] });
});

test('of answers under several names of one field the one that was given last comes last', async () => {
  const world = new FakeWorld(1);
  world.policy = { ...world.policy, register: { emptyWord: '-', synonyms: {}, unlisted: 'process' } };
  world.plan = (_, values) => {
    const { Rev } = values as Record<string, string>;
    return Rev === 'D' ? {} : { lacking: { reason: reason('missing'), missing: ['Type'] } };
  };
  await runBatch(temporal, world, async running => {
    for (const values of [{ Rev: 'B' }, { revision: 'C' }, { Rev: 'D' }]) {
      await untilHeld(running, 1);
      await answerMany(temporal.client, running.handle.workflowId, { answers: [{ documents: [0], values }] });
    }
    expect(await running.handle.result()).toMatchObject({ submitted: 1 });
  });
  const planned = world.calls.flatMap(({ name, input }) => (name === 'planDocuments' ? [input] : []));
  const { documents } = planned.at(-1) as Parameters<IngestActivities['planDocuments']>[0];
  for (const { values, answers = {} } of documents) {
    expect(Object.keys(values).slice(-2)).toEqual(['revision', 'Rev']);
    expect(Object.keys(answers)).toEqual(['revision', 'Rev']);
  }
});

test('time does not end a question while the cells of its answer are being read', async () => {
  const world = lackingType(2, false);
  world.policy = { ...world.policy, holdMs: 4_000 };
  world.readRow = () => ({ kind: 'values', values: { Type: 'Drawing' } });
  let release: () => void = () => undefined;
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  world.onCall = async name => {
    if (name === 'readCells') await released;
  };
  await runBatch(temporal, world, async running => {
    await untilHeld(running, 2);
    const accepting = answerMany(temporal.client, running.handle.workflowId, {
      answers: [{ documents: [0], values: { Type: 'Drawing' } }],
      inCells: true,
    });
    // Nobody answers for the other one: when its time is over, so is that of the first.
    while ((await running.handle.query(progressQuery)).stages['set-apart'] !== 1)
      await temporal.nextEvent(running.handle);
    expect(await running.handle.query(progressQuery)).toMatchObject({ held: [], answered: [{ index: 0 }] });
    release();
    expect(await accepting).toEqual({ taken: ['Package/file-0.pdf'], refused: [] });
    expect(await running.handle.result()).toMatchObject({ submitted: 1, setApart: 1 });
  });
});

/** Documents that lack their Type, at these paths. */
function lackingTypeAt(...paths: readonly string[]): FakeWorld {
  const world = lackingType(paths.length, false);
  world.documents = world.documents.map((document, index) => {
    const path = paths[index] ?? document.path;
    return { ...document, path, fileName: path.slice(path.lastIndexOf('/') + 1) };
  });
  return world;
}

test('a name that fits several is refused with their paths, and a whole path means one', async () => {
  const world = lackingTypeAt('P/A-1.pdf', 'P/sub/A-1.pdf', 'A-1.dwg/A-1', 'A-1');
  await runBatch(temporal, world, async running => {
    await untilHeld(running, 4);
    const answer = async (documents: (string | number)[], Type = 'Drawing') =>
      await answerMany(temporal.client, running.handle.workflowId, {
        answers: [{ documents, values: { Type } }],
      });
    const several =
      'Several have this name: P/A-1.pdf, P/sub/A-1.pdf. Name the one that is meant by its path.';
    expect(await answer(['A-1.pdf', 'A-1'])).toEqual({
      taken: ['A-1'],
      refused: [{ document: 'A-1.pdf', why: several }],
    });
    const one = { document: 'A-1.pdf', values: { Type: 'Drawing' } };
    await expect(running.handle.executeUpdate(answerUpdate, { args: [one] })).rejects.toMatchObject({
      cause: { message: several },
    });
    await untilHeld(running, 3);
    expect((await answer(['P/sub/A-1.pdf'])).taken).toEqual(['P/sub/A-1.pdf']);
    await running.handle.executeUpdate(answerUpdate, { args: [{ ...one, document: 0 }] });
    expect((await answer([2])).taken).toEqual(['A-1.dwg/A-1']);
    expect(await running.handle.result()).toMatchObject({ submitted: 4 });
  });
});

test('a status is looked up once for all that end workflows with it, and an unknown one is told for each', async () => {
  const world = new FakeWorld(4);
  for (let index = 0; index < 4; index++) world.conflicts.add(index);
  await runBatch(temporal, world, async running => {
    await untilHeld(running, 4);
    const { taken, refused } = await answerMany(temporal.client, running.handle.workflowId, {
      answers: [
        { documents: [0, 1], decision: 'terminate', reason: 'x', status: 'Superseded' },
        { documents: [2, 3], decision: 'terminate', reason: 'x', status: 'Nope' },
      ],
    });
    expect(taken).toEqual(['Package/file-0.pdf', 'Package/file-1.pdf']);
    const why = 'No status Nope. Nearest: Superseded.';
    expect(refused).toEqual([
      { document: 'Package/file-2.pdf', why },
      { document: 'Package/file-3.pdf', why },
    ]);
    expect(world.count('findStatus')).toBe(2);
    await answerMany(temporal.client, running.handle.workflowId, {
      answers: [{ documents: [2, 3], decision: 'set-apart' }],
    });
    expect(await running.handle.result()).toMatchObject({ submitted: 2, setApart: 2 });
  });
});
