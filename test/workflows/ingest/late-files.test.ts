// Files that are sent or released later than the others of their batch: they hold up nobody.
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import type { AwaitFilesInput, TransferFilesInput, TransferFilesResult } from '../../../activities';
import { asideTaskQueue, longTransferTaskQueue, transferTaskQueue } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, reason } from '../fake-activities';
import { finishBatch, type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

async function run<Result>(
  world: FakeWorld,
  work: (running: RunningBatch) => Promise<Result>,
): Promise<Result> {
  return await runBatch(temporal, world, work);
}

const finish = (world: FakeWorld) => finishBatch(temporal, world);

function session(index: number, finished: boolean) {
  return {
    sessionId: `S${index}`,
    openedAtMs: Date.now(),
    partEtags: [finished ? 'etag' : null],
    finished,
    available: false,
    ...(finished ? { reportedAtMs: Date.now() } : {}),
  };
}

/** The others are available at once. */
function leave(input: TransferFilesInput, late: readonly number[], finished: boolean): TransferFilesResult {
  return {
    files: input.indexes
      .filter(index => !late.includes(index))
      .map(index => ({ index, fileUploadId: `F${index}` as never, openedAtMs: Date.now() })),
    refused: [],
    left: input.indexes
      .filter(index => late.includes(index))
      .map(index => ({ index, progress: session(index, finished) })),
  };
}

/** A promise that somebody else ends. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** What is sent by a call of its own is not sent before. */
function sendLongAfter(world: FakeWorld, opened: Promise<void>): void {
  const activities = world.activities.bind(world);
  world.activities = () => {
    const all = activities();
    return {
      ...all,
      transferFiles: async input => {
        if (input.isLong) await opened;
        return await all.transferFiles(input);
      },
    };
  };
}

function linked(world: FakeWorld): number[][] {
  return world.calls.flatMap(({ name, input }) =>
    name === 'linkUploads' ? [(input as { items: { index: number }[] }).items.map(({ index }) => index)] : [],
  );
}

test('a batch of which nothing is released for long is settled so far, once, and goes on', async () => {
  const world = new FakeWorld(2);
  const released = gate();
  world.onTransfer = input => leave(input, [0, 1], true);
  const asked: AwaitFilesInput[] = [];
  world.onAwait = async input => {
    asked.push(input);
    const { files, releasedMs } = input;
    if (input.tellsLong === true) return { files: [], releasedMs, again: [], overdue: [], isLong: true };
    await released.opened;
    return { files, releasedMs, again: [], overdue: [] };
  };
  const summary = await run(world, async ({ handle }) => {
    while (world.settled.length === 0) await temporal.nextEvent(handle);
    expect(world.settled).toMatchObject([{ final: false, outcomes: [], held: [] }]);
    released.open();
    return await handle.result();
  });
  expect(summary).toMatchObject({ submitted: 2 });
  expect(asked.map(({ tellsLong }) => tellsLong)).toEqual([true, undefined]);
  expect(world.settled.map(({ final }) => final)).toEqual([false, true]);
});

test('what is available is linked, submitted and settled while the service keeps one file back', async () => {
  const world = new FakeWorld(5);
  const released = gate();
  world.onTransfer = input => leave(input, [3], true);
  world.onAwait = async ({ files, releasedMs }) => {
    await released.opened;
    return { files, releasedMs, again: [], overdue: [] };
  };
  const summary = await run(world, async ({ handle }) => {
    while (world.settled.length === 0) await temporal.nextEvent(handle);
    expect(world.settled[0]).toMatchObject({ final: false });
    expect(world.settled[0]?.outcomes.map(({ index }) => index)).toEqual([0, 1, 2, 4]);
    released.open();
    return await handle.result();
  });
  expect(summary).toMatchObject({ submitted: 5, setApart: 0 });
  expect(linked(world)).toEqual([[0, 1, 2, 4], [3]]);
  expect(world.records).toContainEqual({
    kind: 'transferred',
    files: [expect.objectContaining({ index: 3, fileUploadId: 'S3' })],
  });
  expect(world.count('transferFiles')).toBe(1);
  expect(world.count('createUploads')).toBe(1);
});

test('a file that could not be sent in time goes on by itself from where it stood', async () => {
  const world = new FakeWorld(3);
  world.onTransfer = (input, call) => (call === 1 ? leave(input, [1], false) : undefined);
  expect(await finish(world)).toMatchObject({ submitted: 3 });
  const transfers = world.calls.flatMap(({ name, input }) =>
    name === 'transferFiles' ? [input as TransferFilesInput] : [],
  );
  expect(transfers).toHaveLength(2);
  expect(transfers[0]).toMatchObject({ linkWithinMs: 23 * 3_600_000 });
  expect(transfers[1]).toMatchObject({
    isLong: true,
    linkWithinMs: 23 * 3_600_000,
    indexes: [1],
    begun: [{ index: 1, progress: { sessionId: 'S1', finished: false } }],
  });
});

test('big files travel by themselves, beside the others, and are linked together', async () => {
  const world = new FakeWorld(4);
  world.documents = world.documents.map(document =>
    document.index < 2 ? { ...document, sizeBytes: 200 * 1024 * 1024 } : document,
  );
  expect(await finish(world)).toMatchObject({ submitted: 4 });
  const transfers = world.calls.flatMap(({ name, input }) =>
    name === 'transferFiles' ? [(input as TransferFilesInput).indexes] : [],
  );
  expect(transfers.toSorted()).toEqual([[0], [1], [2, 3]]);
  expect(new Set(linked(world).map(group => group.toSorted().join()))).toEqual(new Set(['0,1', '2,3']));
  expect(world.count('linkUploads')).toBe(2);
  expect(world.count('createUploads')).toBe(1);
});

test('only big files go where others take hours: a small one that is late does not wait behind them', async () => {
  const world = new FakeWorld(3);
  world.documents = world.documents.map(document =>
    document.index === 0 ? { ...document, sizeBytes: 200 * 1024 * 1024 } : document,
  );
  world.onTransfer = input => (input.isLong ? undefined : leave(input, [1], false));
  const queues = await runBatch(temporal, world, async ({ handle }) => {
    await handle.result();
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: asked }) =>
      asked?.activityType?.name === 'transferFiles' ? [asked.taskQueue?.name] : [],
    );
  });
  expect(queues.toSorted()).toEqual(
    [transferTaskQueue('tender'), asideTaskQueue('tender'), longTransferTaskQueue('tender')].toSorted(),
  );
});

test('a file whose name is a link is named to those who look on, and is none', async () => {
  const world = new FakeWorld(2);
  world.documents = world.documents.map(document =>
    document.index === 0
      ? { ...document, path: '[x](https://e).pdf', sizeBytes: 200 * 1024 * 1024 }
      : document,
  );
  const told = await runBatch(temporal, world, async ({ handle }) => {
    await handle.result();
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ userMetadata }) =>
      userMetadata?.summary ? [defaultPayloadConverter.fromPayload<string>(userMetadata.summary)] : [],
    );
  });
  expect(told).toContain('Send \\[x\\](https\\://e).pdf');
});

test('of big files alone, the one that has ended is settled while another one is held', async () => {
  const world = new FakeWorld(2);
  world.documents = world.documents.map(document => ({ ...document, sizeBytes: 200 * 1024 * 1024 }));
  world.conflicts.add(1);
  const summary = await run(world, async ({ handle }) => {
    while (world.settled.length === 0) await temporal.nextEvent(handle);
    expect(world.settled[0]).toMatchObject({ final: false });
    expect(world.settled[0]?.outcomes.map(({ index }) => index)).toEqual([0]);
    world.conflicts.clear();
    while ((await handle.query(progressQuery)).held.length === 0) await temporal.nextEvent(handle);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'retry' }] });
    return await handle.result();
  });
  expect(summary).toMatchObject({ submitted: 2, setApart: 0 });
});

test('a release of a time that is still to come says nothing of other files: a clock was set back', async () => {
  const world = new FakeWorld(2);
  const toldMs: number[] = [];
  world.onTransfer = input => {
    const left = leave(input, [1], true);
    return left && { ...left, releasedMs: Date.UTC(2100, 0, 1) };
  };
  world.onAwait = ({ files, releasedMs }) => {
    toldMs.push(releasedMs);
    return { files, releasedMs, again: [], overdue: [] };
  };
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  expect(toldMs).toEqual([0]);
});

test('what one call told of is compared by when it was reported; what two calls told of is not', async () => {
  const world = new FakeWorld(5);
  const sending = gate();
  const asked: (readonly [number, boolean])[][] = [];
  const reported = (indexes: readonly number[]) =>
    indexes.map(index => ({ index, progress: { ...session(index, true), reportedAtMs: 1_000 + index } }));
  // 0 is sent by a call of its own, and heard of later than the others.
  world.onTransfer = input => {
    if (input.isLong) return { files: [], refused: [], left: reported([0]) };
    const [begun] = reported([0]);
    const left = [{ index: 0, progress: { ...begun?.progress, finished: false } as never }];
    return {
      ...leave(input, [0, 1, 2, 3], true),
      left: [...left, ...reported([1, 2, 3])],
      releasedMs: 1_002,
    };
  };
  sendLongAfter(world, sending.opened);
  world.onAwait = ({ files, releasedMs }) => {
    asked.push(files.map(({ index, isPassed = false }) => [index, isPassed] as const));
    const ready = asked.length === 1 ? files.filter(({ index }) => index === 3) : files;
    sending.open();
    return { files: ready, releasedMs, again: [], overdue: [] };
  };
  expect(await finish(world)).toMatchObject({ submitted: 5 });
  const known = new Map(asked.flat().map(([index, isPassed]) => [index, isPassed]));
  expect(asked[0]).toEqual([
    [1, true],
    [2, false],
    [3, false],
  ]);
  expect([...known]).toEqual([
    [1, true],
    [2, true],
    [3, false],
    [0, false],
  ]);
});

test('a file that the service passed over is sent once more, and then set apart', async () => {
  const world = new FakeWorld(3);
  world.onTransfer = input => leave(input, [2], true);
  world.onAwait = ({ releasedMs }) => ({
    files: [],
    releasedMs,
    again: [],
    overdue: [{ index: 2, reason: reason('never-available') }],
  });
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
  expect(world.count('awaitFiles')).toBe(2);
  expect(world.count('transferFiles')).toBe(2);
  expect(world.final.outcomes.find(({ index }) => index === 2)).toMatchObject({
    reason: { code: 'never-available' },
  });
});

test('what comes to wait later is waited for together with what waits already', async () => {
  const world = new FakeWorld(3);
  const sending = gate();
  const asked: number[][] = [];
  world.documents = world.documents.map(document =>
    document.index === 0 ? { ...document, sizeBytes: 200 * 1024 * 1024 } : document,
  );
  world.onTransfer = input => leave(input, [0, 1], true);
  world.onCall = name => {
    if (name === 'awaitFiles') sending.open();
  };
  sendLongAfter(world, sending.opened);
  world.onAwait = ({ files, releasedMs }: AwaitFilesInput) => {
    asked.push(files.map(({ index }) => index).toSorted());
    if (files.length < 2) throw ApplicationFailure.create({ type: 'NOT_RELEASED', nextRetryDelay: '1 hour' });
    return { files, releasedMs, again: [], overdue: [] };
  };
  expect(await finish(world)).toMatchObject({ submitted: 3 });
  expect(asked).toEqual([[1], [0, 1]]);
});

test('what is linked is submitted while the file of another one is sent again for its link', async () => {
  const world = new FakeWorld(4);
  const { opened, open } = gate();
  world.onLink = ({ items }, call) => {
    if (call > 1) return undefined;
    const others = items.filter(({ index }) => index !== 3);
    world.link(others.map(({ uploadId }) => uploadId));
    const failed = [{ index: 3, code: '404' }];
    return { kind: 'answered', linked: others.map(({ index }) => index), failed, missing: [] };
  };
  world.onTransfer = async (_, call) => {
    if (call > 1) await opened;
    return undefined;
  };
  world.onSubmit = () => {
    open();
    return undefined;
  };
  expect(await finish(world)).toMatchObject({ submitted: 4, setApart: 0 });
  expect(linked(world)).toEqual([[0, 1, 2, 3], [3]]);
});

test('a document that cannot be linked for a while delays nobody', async () => {
  const world = new FakeWorld(4);
  world.onLink = ({ items }) => {
    if (world.settled.length > 0) return undefined;
    const others = items.filter(({ index }) => index !== 3);
    world.link(others.map(({ uploadId }) => uploadId));
    const failed = items.flatMap(({ index }) => (index === 3 ? [{ index, code: '404' }] : []));
    return { kind: 'answered', linked: others.map(({ index }) => index), failed, missing: [] };
  };
  expect(await finish(world)).toMatchObject({ submitted: 4, setApart: 0 });
  expect(world.settled[0]).toMatchObject({ final: false });
  expect(world.settled[0]?.outcomes.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(world.count('createUploads')).toBe(1);
});
