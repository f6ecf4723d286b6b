// A run that was ended in the middle of a submission is gone on with by a reset: Temporal dispatches what was
// pending again, with its old input and as a first attempt, and the batch comes to its end without asking
// twice. On a real server.
import { Context } from '@temporalio/activity';
import { inScope } from '../../../activities/scope/activity-scope';
import { BatchContinuer } from '../../../client/resume/continue-batch';
import { BatchStarter } from '../../../client/session/start-batch';
import type { BatchSummary } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { type RunningBatch, runBatch } from '../run-batch';

jest.setTimeout(60_000);

const temporal = useNamespace();

interface Dispatch {
  readonly attempt: number;
  readonly runId: string | undefined;
  readonly asked: string;
}

/**
 * The first submission is heard at once, and its answer is not until `letGo`; otherwise it does what the real
 * one does.
 */
class LateWorld extends FakeWorld {
  readonly dispatched: Dispatch[] = [];
  letGo: () => void = () => undefined;
  readonly #answer = new Promise<void>(resolve => {
    this.letGo = resolve;
  });

  override activities(): ReturnType<FakeWorld['activities']> {
    const fakes = super.activities();
    return {
      ...fakes,
      submitRevisions: async input => {
        const { attempt, workflowExecution } = Context.current().info;
        const dispatch = { attempt, runId: workflowExecution?.runId, asked: input.asked.runId };
        this.dispatched.push(dispatch);
        const isFirst = this.dispatched.length === 1;
        const never = new AbortController().signal;
        const result = await inScope(
          never,
          async scope =>
            scope.attempt > 1 ? { kind: 'unknown' as const } : await fakes.submitRevisions(input),
          input.asked,
        );
        if (isFirst) await this.#answer;
        return result;
      },
    };
  }
}

/** As `resume` does. */
async function goOn({ handle }: RunningBatch, state: 'terminated' | 'cancelled'): Promise<void> {
  const continuer = new BatchContinuer(
    temporal.client,
    new BatchStarter(temporal.client, { hasSearchAttributes: false }),
  );
  const { workflowId, runId } = await temporal.client.workflow.getHandle(handle.workflowId).describe();
  const stopped = {
    batchId: '20260131-093000-k3f9a2',
    workflowId,
    runId,
    projectId: '2',
    state,
    reason: { code: state, text: 'by a person' },
  };
  const plan = await continuer.plan(stopped);
  expect(plan.kind).toBe('reset');
  expect(await continuer.carryOut(stopped, plan)).toEqual({ kind: 'done' });
}

test('terminated with a submission in flight: what is dispatched again is looked at, and nothing is submitted twice', async () => {
  const world = new LateWorld(2);
  world.needsAnalysis = index => index === 1;
  await runBatch(temporal, world, async running => {
    const { handle } = running;
    // The other strand has come to its end, so that the run is reset to long after the first submission was
    // asked for.
    while (world.revisions.length < 2 || !world.records.some(({ kind }) => kind === 'outcome'))
      await temporal.nextEvent(handle);
    await handle.terminate('by mistake');
    try {
      await goOn(running, 'terminated');
      const again = temporal.client.workflow.getHandle(handle.workflowId);
      expect((await again.result()) as BatchSummary).toMatchObject({ submitted: 2, setApart: 0 });
    } finally {
      world.letGo();
    }
  });
  const [first, other, repeated] = world.dispatched;
  expect(world.dispatched).toHaveLength(3);
  expect(other?.runId).toBe(first?.runId);
  expect(repeated).toEqual({
    attempt: 1,
    runId: expect.not.stringMatching(first?.runId ?? ''),
    asked: first?.asked,
  });
  expect(world.revisions).toHaveLength(2);
  expect(world.final.outcomes.map(({ index, kind }) => [index, kind]).sort()).toEqual([
    [0, 'submitted'],
    [1, 'submitted'],
  ]);
});
