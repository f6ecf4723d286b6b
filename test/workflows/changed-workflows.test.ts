// What a change of workflow code does to runs that are on their way: it is noticed before a release, and with
// a patch it breaks nothing.
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { progressQuery } from '../../workflows/ingest/ingest-contract';
import { alterBundle, type Change } from '../setup/altered-bundle';
import { compareCommands, readCommands, replayCommands } from '../setup/compare-histories';
import { readHistories } from '../setup/recorded-histories';
import { recordingBundle, testTemporal } from '../setup/temporal';
import { startNamespace, type TestNamespace } from '../setup/temporal-namespace';
import { useTemporaryFolder } from '../setup/temporary-folder';
import { FakeWorld } from './fake-activities';
import { startBatch, withWorkers } from './run-batch';

const folder = useTemporaryFolder();

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

describe('a change that replay alone lets pass is noticed by comparing', () => {
  test.each<[string, string, Change, RegExp]>([
    [
      'another length of a timer',
      'of-two-revisions-in-one-batch',
      {
        from: 'const FIRST_TURN_LOOK_MS = 10 * MINUTE_MS;',
        to: 'const FIRST_TURN_LOOK_MS = 11 * MINUTE_MS;',
      },
      /^timer 1: durationMs was 600000 and is 660000$/,
    ],
    [
      'another input of an activity',
      'missing-and-impossible-values-what-is-missing-after',
      { from: 'onlyEmpty: false,', to: 'onlyEmpty: true,' },
      /^activity writeValues: args\.0\.onlyEmpty was false and is true$/,
    ],
    [
      'another time-out of an activity',
      'a-clean-batch-of-100-notes',
      { from: "heartbeatTimeout: '30 seconds',", to: "heartbeatTimeout: '300 seconds'," },
      /^activity refreshToken: heartbeatMs was 30000 and is 300000$/,
    ],
  ])('%s', async (name, recorded, change, expected) => {
    const history = readHistories().find(each => each.name.startsWith(recorded))!;
    const { bundlePath } = testTemporal();
    const plain = alterBundle(bundlePath, folder(), 'plain', change);
    await expect(
      Worker.runReplayHistory({ workflowBundle: { codePath: plain } }, history.history, name),
    ).resolves.toBeUndefined();
    const recording = alterBundle(recordingBundle(), folder(), 'recording', change);
    const differences = compareCommands(readCommands(history), await replayCommands(recording, history));
    expect(differences).toContainEqual(expect.stringMatching(expected));
  });

  test('an activity that is no longer asked for does not even replay', async () => {
    const history = readHistories().find(({ name }) => name.startsWith('a-clean-batch-of-100-notes'))!;
    const codePath = alterBundle(recordingBundle(), folder(), 'without-intent', {
      from: 'if (unrecorded.length === 0) return free;',
      to: 'return free;',
    });
    await expect(replayCommands(codePath, history)).rejects.toThrow(/[Nn]ondeterminism/);
  });
});

describe('a batch under way when the workflows are changed', () => {
  let temporal: TestNamespace;
  beforeAll(async () => {
    temporal = await startNamespace();
  });
  afterAll(async () => {
    await temporal.close();
  });

  /** A step more, before everything the batch has done so far. */
  const step = 'await (0,_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__.sleep)(1);';
  const isPatched = "(0,_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__.patched)('a-step-more')";

  test('does not get on with a change that is not patched, and goes on to its end with one that is', async () => {
    const from = 'await signedIn;';
    const unpatched = alterBundle(temporal.bundlePath, folder(), 'unpatched', {
      from,
      to: `${step} ${from}`,
    });
    const patched = alterBundle(temporal.bundlePath, folder(), 'patched', {
      from,
      to: `if (${isPatched}) ${step} ${from}`,
    });
    const world = new FakeWorld(3);
    let isGiven = false;
    world.missing = index => (index === 0 && !isGiven ? ['Type'] : []);

    const handle = await withWorkers(temporal, world, temporal.bundlePath, async () => {
      const started = await startBatch(temporal);
      while ((await started.query(progressQuery)).held.length === 0 || world.settled.length === 0)
        await temporal.nextEvent(started);
      return started;
    });
    expect(world.revisions).toHaveLength(2);

    await withWorkers(temporal, world, unpatched, async () => {
      // The server knows itself once a task of the run has failed, and asks no worker any more.
      // A worker that has just ended is asked first where the server believes it is there still: that nobody
      // has answered is no answer.
      let told: string;
      do told = await handle.query(progressQuery).then(() => 'It answered.', tellWithCauses);
      while (/DEADLINE_EXCEEDED/.test(told));
      expect(told).toMatch(/[Nn]ondeterminism|Workflow Task in failed state/);
    });

    await withWorkers(temporal, world, patched, async () => {
      isGiven = true;
      // Where the task has failed several times, the server takes no update until a worker has done it.
      let refusal: string | undefined;
      do {
        await temporal.nextEvent(handle);
        refusal = await handle
          .executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawing' } }] })
          .then(() => undefined, tellWithCauses);
      } while (refusal !== undefined && /Workflow Task in failed state/.test(refusal));
      expect(refusal).toBeUndefined();
      expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
      // A batch that begins now takes the new step.
      const next = await startBatch(temporal);
      await next.result();
      const events = (await next.fetchHistory()).events ?? [];
      expect(events.some(({ markerRecordedEventAttributes: marker }) => marker)).toBe(true);
    });
    expect(new Set(world.revisions).size).toBe(world.revisions.length);
  });
});

function tellWithCauses(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${tellWithCauses(error.cause)}` : '';
}
