// Events of the service as hints: what waits looks at once, once in a while at most, and nothing of a hint is
// believed.
import { once } from 'node:events';
import type { WorkflowHandle } from '@temporalio/client';
import {
  type BatchSummary,
  lookSignal,
  progressQuery,
  uploadsQuery,
} from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, POLICY } from '../fake-activities';
import { runBatch } from '../run-batch';

const temporal = useNamespace();

/** The polling for the analysis hangs from now on; all uploads are still analysed until `end`. */
class AnalysingWorld extends FakeWorld {
  readonly polled = new EventTarget();
  readonly looked = new EventTarget();
  readonly released = new AbortController();
  polls = 0;

  constructor(count: number) {
    super(count);
    this.policy = { ...POLICY, analysis: { ...POLICY.analysis, firstLookMs: 0 } };
    this.needsAnalysis = () => true;
    this.onRead = (_, uploadId) => ({ analysed: this.uploads.get(uploadId)!.analysed });
    this.onCall = async name => {
      if (name !== 'readUploads') return;
      if (!this.isPoll) {
        this.looked.dispatchEvent(new Event('looked'));
        return;
      }
      this.polls++;
      this.polled.dispatchEvent(new Event('polled'));
      if (!this.released.signal.aborted) await once(this.released.signal, 'abort');
    };
  }

  get isPoll(): boolean {
    return (this.calls.at(-1)!.input as { poll?: unknown }).poll !== undefined;
  }

  /** Reads that are not the polling. */
  get looks(): number {
    return this.calls.filter(
      ({ name, input }) => name === 'readUploads' && (input as { poll?: unknown }).poll === undefined,
    ).length;
  }

  end(...indexes: number[]): string[] {
    const ended = [...this.uploads.values()].filter(({ index }) => indexes.includes(index));
    for (const upload of ended) upload.analysed = true;
    return ended.map(({ id }) => id);
  }

  override link(uploadIds: readonly string[]): ReturnType<FakeWorld['link']> {
    for (const id of uploadIds) this.uploads.get(id)!.analysed = false;
    return super.link(uploadIds);
  }
}

async function untilPolled(world: AnalysingWorld): Promise<void> {
  if (world.polls === 0) await once(world.polled, 'polled');
}

async function look(handle: WorkflowHandle, uploadIds: readonly string[]): Promise<void> {
  await handle.signal(lookSignal, { uploadIds });
}

test('what an event names is looked at while the polling waits, and goes on without the others', async () => {
  const world = new AnalysingWorld(3);
  world.keepsHow = true;
  const readBefore = world.onRead;
  world.onRead = (...asked) => ({ ...readBefore(...asked), analysis: { waitedMs: 0, lacked: ['Status'] } });
  await runBatch(temporal, world, async ({ handle }) => {
    await untilPolled(world);
    expect([...(await handle.query(uploadsQuery))].sort()).toEqual([...world.uploads.keys()].sort());
    await look(handle, world.end(1));
    while ((await handle.query(progressQuery)).stages.submitted !== 1) await temporal.nextEvent(handle);
    expect(await handle.query(uploadsQuery)).toHaveLength(2);
    world.end(0, 2);
    world.released.abort();
    expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
  });
  const looked = world.calls.filter(({ name }) => name === 'readUploads').map(({ input }) => input);
  expect(looked[1]).toMatchObject({ items: [{ index: 1 }] });
  const kept = world.final.outcomes.map(({ analysis }) => analysis);
  expect(kept).toEqual(Array(3).fill({ waitedMs: expect.any(Number), lacked: ['Status'] }));
  expect(kept[1]?.waitedMs).toBeGreaterThan(0);
  expect(world.revisions).toHaveLength(3);
});

test('when nobody waits any more, the batch does not wait for the polling either', async () => {
  const world = new AnalysingWorld(2);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilPolled(world);
    await look(handle, world.end(0, 1));
    expect(await handle.result()).toMatchObject({ submitted: 2 });
    world.released.abort();
  });
  expect(world.polls).toBe(1);
});

test('what is looked at for an event while the polling ends is carried on once', async () => {
  const world = new AnalysingWorld(1);
  const held = new AbortController();
  const { onCall } = world;
  world.onCall = async (name, call) => {
    const isLook = name === 'readUploads' && !world.isPoll;
    await onCall(name, call);
    if (isLook && !held.signal.aborted) await once(held.signal, 'abort');
  };
  await runBatch(temporal, world, async ({ handle }) => {
    await untilPolled(world);
    const looked = once(world.looked, 'looked');
    await look(handle, world.end(0));
    await looked;
    world.released.abort();
    const isPolling = async () => ((await handle.describe()).raw.pendingActivities ?? []).length > 1;
    while (await isPolling()) await temporal.nextEvent(handle);
    // The run has heard of it once it answers.
    await handle.query(progressQuery);
    held.abort();
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
  expect(world.count('submitRevisions')).toBe(1);
});

test('what is not true costs one look, what comes again at once none, what is not ours nothing', async () => {
  const world = new AnalysingWorld(2);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilPolled(world);
    // A question can be answered before the look that it knows of has begun.
    const looked = once(world.looked, 'looked');
    await look(handle, ['not-ours']);
    await handle.signal('look', { uploadIds: 'nonsense' });
    await handle.signal('look');
    const ids = [...world.uploads.keys()];
    for (let count = 0; count < 20; count++) await look(handle, ids);
    await looked;
    await handle.query(progressQuery);
    const { looks } = world;
    world.end(0, 1);
    world.released.abort();
    expect(looks).toBe(1);
    expect(((await handle.result()) as BatchSummary).submitted).toBe(2);
  });
});

test('an upload that should be there and is named again is looked for at once', async () => {
  const world = new FakeWorld(2);
  world.isHidden = (index, read) => index === 1 && read === 1;
  const released = new AbortController();
  const begun = new EventTarget();
  let searches = 0;
  world.onCall = async name => {
    if (name !== 'findAbsent' || ++searches > 1) return;
    begun.dispatchEvent(new Event('begun'));
    await once(released.signal, 'abort');
  };
  await runBatch(temporal, world, async ({ handle }) => {
    await once(begun, 'begun');
    await look(handle, [...world.uploads.keys()]);
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
    released.abort();
  });
  expect(world.count('findAbsent')).toBe(2);
});
