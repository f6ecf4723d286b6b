// Documents whose turn has not come wait in sight, beside the others, and go on by themselves.
import type { WorkflowHandle } from '@temporalio/client';
import type { AppendRecordInput } from '../../../activities';
import { type InLine, resumeSignal, turnSignal } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../../workflows/ingest/ingest-contract';
import { alterBundle } from '../../setup/altered-bundle';
import { pausesBefore } from '../../setup/pauses';
import { useNamespace } from '../../setup/temporal-namespace';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { FakeWorld } from '../fake-activities';
import { runBatch } from '../run-batch';

const folder = useTemporaryFolder();
const temporal = useNamespace();

const ELSEWHERE: InLine['behind'] = {
  batchId: '20260130-120000-aaaaaa',
  index: 3,
  path: 'Older/file-0.pdf',
  revision: 'A',
};

/** Document 0 waits for another batch, of which `more` may be told, until `isOver` says so. */
function behindAnother(
  count: number,
  more: Partial<InLine['behind']> = {},
): { world: FakeWorld; end: () => void } {
  const world = new FakeWorld(count);
  let isOver = false;
  world.behind = index => (index === 0 && !isOver ? { ...ELSEWHERE, ...more } : undefined);
  return {
    world,
    end: () => {
      isOver = true;
    },
  };
}

async function untilInLine(handle: WorkflowHandle, count: number): Promise<void> {
  for (;;) {
    const { inLine = [] } = await handle.query(progressQuery);
    if (inLine.length === count) return;
    await temporal.nextEvent(handle);
  }
}

async function untilHeld(handle: WorkflowHandle): Promise<BatchProgress> {
  for (;;) {
    const progress = await handle.query(progressQuery);
    if (progress.held.length > 0) return progress;
    await temporal.nextEvent(handle);
  }
}

function submittedAt(world: FakeWorld): number[][] {
  return world.calls
    .filter(({ name }) => name === 'submitRevisions')
    .map(({ input }) => (input as { items: { index: number }[] }).items.map(({ index }) => index));
}

/** Of which documents an intent was to be noted, also where their turn had not come. */
function asked(world: FakeWorld): number[][] {
  return world.calls.flatMap(({ name, input }) => {
    const { record } = input as AppendRecordInput;
    return name === 'appendRecord' && record.kind === 'intent'
      ? [record.uploads.map(({ index }) => index)]
      : [];
  });
}

function intents(world: FakeWorld): number[][] {
  return world.records.flatMap(record =>
    record.kind === 'intent' ? [record.uploads.map(({ index }) => index)] : [],
  );
}

test('of two revisions in one batch the later is submitted after the earlier, the others at once', async () => {
  const world = new FakeWorld(4);
  // Document 0 is the later revision of document 2.
  world.behind = (index, ended) =>
    index === 0 && !ended.includes(2)
      ? { batchId: '20260131-093000-k3f9a2', index: 2, path: 'Package/file-2.pdf' }
      : undefined;
  await runBatch(temporal, world, async ({ handle }) => {
    expect(await handle.result()).toMatchObject({ submitted: 4 });
  });
  expect(submittedAt(world)).toEqual([[1, 2, 3], [0]]);
  expect(intents(world)).toEqual([[1, 2, 3], [0]]);
});

test('behind another batch, the document waits in sight, what else there is settles, and nobody has to do anything', async () => {
  const { world, end } = behindAnother(3);
  world.keepsHow = true;
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    while (world.settled.length === 0) await temporal.nextEvent(handle);
    const { inLine, stages } = await handle.query(progressQuery);
    expect(inLine).toMatchObject([
      {
        index: 0,
        path: 'Package/file-0.pdf',
        reason: {
          code: 'earlier-revision',
          text: 'Waits for revision A of this document, "Older/file-0.pdf" in batch 20260130-120000-aaaaaa, which comes before it.',
        },
      },
    ]);
    expect(stages).toEqual({ 'in-line': 1, submitted: 2 });
    expect(world.settled[0]).toMatchObject({
      final: false,
      held: [],
      goingOn: [{ index: 0, reason: { code: 'earlier-revision' } }],
    });
    expect(submittedAt(world)).toEqual([[1, 2]]);
    end();
    await handle.signal(turnSignal, {});
    expect(await handle.result()).toMatchObject({ submitted: 3 });
  });
  expect(submittedAt(world)).toEqual([[1, 2], [0]]);
  const why = 'revision A of this document, "Older/file-0.pdf" in batch 20260130-120000-aaaaaa';
  const wait = { what: 'in-line', why, sinceMs: expect.any(Number), untilMs: expect.any(Number) };
  expect(world.final.outcomes.map(({ waits }) => waits)).toEqual([[wait], undefined, undefined]);
  // Not now and then, but when there was something to be seen.
  expect(world.count('findTurns')).toBe(1);
});

test('behind what only the share shows, as a claim that is given back, the turn is seen without a word from anybody', async () => {
  const { world, end } = behindAnother(2, { isOnShareOnly: true });
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    end();
    expect(await handle.result()).toMatchObject({ submitted: 2 });
  });
  expect(submittedAt(world)).toEqual([[1], [0]]);
});

test('behind a batch that nobody runs it says so, and what to do', async () => {
  const { world, end } = behindAnother(2, { isStopped: true });
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    const { inLine } = await handle.query(progressQuery);
    expect(inLine?.map(({ reason }) => reason)).toEqual([
      {
        code: 'earlier-revision',
        text: 'Waits for revision A of this document, "Older/file-0.pdf" in batch 20260130-120000-aaaaaa, which comes before it; nobody runs that batch.',
        fix: 'Resume that batch. If it stands still for long, this document goes without it.',
      },
    ]);
    end();
    await handle.signal(turnSignal, {});
    expect(await handle.result()).toMatchObject({ submitted: 2 });
  });
});

test('of two that wait, the one whose turn has come goes; the other waits on, and nothing is asked of it', async () => {
  const world = new FakeWorld(3);
  const over = new Set<number>();
  world.behind = index => (index < 2 && !over.has(index) ? { ...ELSEWHERE, index } : undefined);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 2);
    over.add(0);
    await handle.signal(turnSignal, {});
    while (submittedAt(world).length < 2) await temporal.nextEvent(handle);
    await untilInLine(handle, 1);
    over.add(1);
    await handle.signal(turnSignal, {});
    expect(await handle.result()).toMatchObject({ submitted: 3 });
  });
  expect(submittedAt(world)).toEqual([[2], [0], [1]]);
  expect(asked(world)).toEqual([[0, 1, 2], [0], [1]]);
  expect(world.count('findTurns')).toBe(2);
});

test('a document that nobody wakes looks by itself, after ten minutes and then the less often the longer it waits', async () => {
  const { world, end } = behindAnother(1);
  const bundlePath = alterBundle(temporal.bundlePath, folder(), 'impatient', {
    from: 'const FIRST_TURN_LOOK_MS = 10 * MINUTE_MS;',
    to: 'const FIRST_TURN_LOOK_MS = 50;',
  });
  await runBatch({ ...temporal, bundlePath }, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    const pauses = await pausesBefore(handle, 'findTurns', 4);
    expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
    expect(pauses.at(-1)).toBeGreaterThan(3 * pauses[0]!);
    end();
    expect(await handle.result()).toMatchObject({ submitted: 1 });
  });
});

test('a coordinator that was begun anew is told what is on its way, and the line looks again', async () => {
  const { world, end } = behindAnother(3);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    while (world.settled.length === 0) await temporal.nextEvent(handle);
    end();
    await handle.signal(turnSignal, { announce: true });
    expect(await handle.result()).toMatchObject({ submitted: 3 });
  });
  expect(world.calls.filter(({ name }) => name === 'announceBatch').map(({ input }) => input)).toMatchObject([
    { batchId: '20260131-093000-k3f9a2', ended: [1, 2] },
  ]);
});

test('one that goes first because nobody runs the earlier batch says so in its receipt', async () => {
  const world = new FakeWorld(2);
  const before = { batchId: ELSEWHERE.batchId, index: 3, share: 'structural' };
  world.turns = () => ({ waiting: [], passing: [{ index: 1, before }] });
  await runBatch(temporal, world, async ({ handle }) => {
    expect(await handle.result()).toMatchObject({ submitted: 2 });
  });
  expect(world.final.outcomes[0]).not.toHaveProperty('notes');
  expect(world.final.outcomes[1]?.notes).toEqual([
    expect.stringMatching(/batch 20260130-120000-aaaaaa of share structural, which was stopped and not/),
  ]);
});

test.each(['retry', 'set-apart'] as const)(
  'what a later revision has overtaken is held, and nothing of it is noted before the answer: %s',
  async decision => {
    const world = new FakeWorld(2);
    const by = { share: 'tender', batchId: '20260201-080000-bbbbbb', revision: 'C' };
    world.turns = ({ confirmed = [] }) =>
      confirmed.includes(0) ? undefined : { waiting: [], overtaken: [{ index: 0, by }] };
    await runBatch(temporal, world, async ({ handle }) => {
      const { held } = await untilHeld(handle);
      expect(held).toMatchObject([
        {
          index: 0,
          question: 'overtaken',
          reason: {
            code: 'overtaken',
            text: 'While nobody ran this batch, revision C of the document went first, from batch 20260201-080000-bbbbbb.',
          },
        },
      ]);
      expect(intents(world)).toEqual([[1]]);
      const answer = { document: 0, decision: 'terminate' as const, reason: 'x', status: 'Superseded' };
      await expect(handle.executeUpdate(answerUpdate, { args: [answer] })).rejects.toMatchObject({
        cause: { message: expect.stringContaining('not held for workflows') },
      });
      await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision }] });
      const isSubmitted = decision === 'retry';
      expect(await handle.result()).toMatchObject({ submitted: isSubmitted ? 2 : 1 });
    });
    expect(intents(world)).toEqual(decision === 'retry' ? [[1], [0]] : [[1]]);
  },
);

test('what the share says was overtaken is held, though the upload was about to be submitted then', async () => {
  const world = new FakeWorld(1);
  const id = 'OLD0';
  world.addCompleted(id, 0);
  const overtakenBy = { share: 'tender', batchId: '20260201-080000-bbbbbb' };
  world.known = [{ index: 0, uploadId: id as never, completed: true, intended: true, overtakenBy }];
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    expect(submittedAt(world)).toEqual([]);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'retry' }] });
    expect(await handle.result()).toMatchObject({ submitted: 1 });
  });
  expect(submittedAt(world)).toEqual([[0]]);
});

test('resume looks at once', async () => {
  const { world, end } = behindAnother(1);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    end();
    const looks = world.count('findTurns');
    await handle.signal(resumeSignal, { requestId: 'now' });
    expect(await handle.result()).toMatchObject({ submitted: 1 });
    expect(world.count('findTurns')).toBeLessThanOrEqual(looks + 1);
  });
});

test('what ends while others still wait is settled then, for another batch may wait for it', async () => {
  const { world, end } = behindAnother(3);
  let isGiven = false;
  world.missing = index => (index === 1 && !isGiven ? ['Type'] : []);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    while (world.settled.length === 0) await temporal.nextEvent(handle);
    isGiven = true;
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, values: { Type: 'Drawing' } }] });
    while (world.settled.length < 2) await temporal.nextEvent(handle);
    expect(world.settled[1]).toMatchObject({ final: false, held: [], goingOn: [{ index: 0 }] });
    expect(world.settled[1]?.outcomes.map(({ index }) => index)).toEqual([1, 2]);
    end();
    await handle.signal(turnSignal, {});
    expect(await handle.result()).toMatchObject({ submitted: 3 });
  });
});

test('an upload that a person deletes while its document waits was not submitted: nothing was noted of it', async () => {
  const { world, end } = behindAnother(1);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilInLine(handle, 1);
    for (const upload of world.uploads.values()) upload.consumed = true;
    end();
    await handle.signal(turnSignal, {});
    expect(await handle.result()).toMatchObject({ submitted: 0, setApart: 1 });
  });
  expect(intents(world)).toEqual([]);
  expect(world.final.outcomes[0]).toMatchObject({ reason: { code: 'taken-by-a-person' } });
});

test('what an earlier run was about to submit is not asked for its turn again', async () => {
  const { world } = behindAnother(1);
  const id = 'OLD0';
  world.addCompleted(id, 0);
  world.known = [{ index: 0, uploadId: id as never, completed: true, intended: true }];
  await runBatch(temporal, world, async ({ handle }) => {
    expect(await handle.result()).toMatchObject({ submitted: 1 });
  });
  expect(world.count('findTurns')).toBe(0);
});
