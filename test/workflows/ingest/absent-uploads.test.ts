import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { finishBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

const finish = (world: FakeWorld) => finishBatch(temporal, world);

function outcomeOf(world: FakeWorld, index: number) {
  return world.final.outcomes.find(outcome => outcome.index === index);
}

/** The service says of this document that it failed, and made its revision all the same (or not). */
function failsUnknown(
  world: FakeWorld,
  index: number,
  tookEffect: boolean,
  reasonCode = 'UNKNOWN_FAILURE',
): void {
  world.onSubmit = ({ items }, call) => {
    if (call > 1) return undefined;
    const struck = items.find(item => item.index === index);
    if (struck === undefined) return undefined;
    if (tookEffect) world.submit(struck.index, struck.uploadId);
    return {
      kind: 'answered',
      atMs: 1,
      revisionIds: items.filter(item => item !== struck).map(item => world.submit(item.index, item.uploadId)),
      failures: [{ reasonCode, message: '', uploadId: struck.uploadId }],
    };
  };
}

test('an unknown failure of one document that took effect all the same is told as submitted', async () => {
  const world = new FakeWorld(3);
  failsUnknown(world, 1, true);
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(outcomeOf(world, 1)).toMatchObject({ kind: 'submitted', revisionId: null, paired: 'unknown' });
  expect(world.revisions).toHaveLength(3);
});

test('so is one that failed for a reason which no contract names', async () => {
  const world = new FakeWorld(3);
  failsUnknown(world, 1, true, 'STORE_SPLIT');
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(outcomeOf(world, 1)).toMatchObject({ kind: 'submitted', revisionId: null, paired: 'unknown' });
  expect(world.revisions).toHaveLength(3);
});

test('set apart after a submission that may have been heard, nobody is told to send it again', async () => {
  const world = new FakeWorld(2);
  failsUnknown(world, 0, false);
  const first = world.onSubmit;
  world.onSubmit = (input, call) =>
    call === 1
      ? first(input, call)
      : {
          kind: 'refused',
          refusals: [{ reasonCode: 'INVALID_PROPERTY', message: '', uploadId: input.items[0]!.uploadId }],
        };
  expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
  const outcome = outcomeOf(world, 0);
  expect(outcome).toMatchObject({ kind: 'set-apart', reason: { code: 'perhaps-submitted' } });
  expect(JSON.stringify(outcome)).not.toMatch(/drop the file/i);
});

test('one reading after the link that does not show an upload sets nothing apart', async () => {
  const world = new FakeWorld(4);
  world.isHidden = (index, read) => index === 2 && read === 1;
  expect(await finish(world)).toMatchObject({ submitted: 4, setApart: 0 });
  expect(outcomeOf(world, 2)).toMatchObject({ kind: 'submitted', paired: 'certain' });
  expect(world.count('linkUploads')).toBe(1);
  // Beside the others: they were submitted without it.
  expect(world.calls.find(({ name }) => name === 'submitRevisions')?.input).toMatchObject({
    items: [{ index: 0 }, { index: 1 }, { index: 3 }],
  });
});

test('an upload that nobody can read is set apart as that, and nobody is said to have taken it', async () => {
  const world = new FakeWorld(3);
  world.isHidden = index => index === 2;
  world.onLookAgain = () => 'unreadable';
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
  expect(outcomeOf(world, 2)).toMatchObject({ kind: 'set-apart', reason: { code: 'event-id-missing' } });
});

test.each([
  ['in one response alone is looked for, and goes on', 1, 3],
  ['in every response is set apart as that', Number.POSITIVE_INFINITY, 2],
])('an upload without an event id %s', async (_, times, submitted) => {
  const world = new FakeWorld(3);
  let reads = 0;
  world.onRead = index => (index === 2 && reads++ < times ? { eventId: '' as never } : {});
  world.onLookAgain = () => 'shown';
  expect(await finish(world)).toMatchObject({ submitted, setApart: 3 - submitted });
  if (submitted < 3)
    expect(outcomeOf(world, 2)).toMatchObject({ kind: 'set-apart', reason: { code: 'event-id-missing' } });
});

test('an upload that no read shows after an unheard submission becomes its revision when it is asked for once more', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
  world.isHidden = (index, read) => index === 0 && read > 1;
  world.onLookAgain = () => 'hidden';
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  expect(outcomeOf(world, 0)).toMatchObject({
    kind: 'submitted',
    revisionId: expect.stringMatching(/^R-0-/),
  });
  expect(new Set(world.revisions).size).toBe(2);
});

test('taken up from the share alone, and shown by no read, an upload is asked for by its submission', async () => {
  const before = new FakeWorld(2);
  before.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
  before.isHidden = (_, read) => read > 1;
  before.onLookAgain = () => 'hidden';
  before.onCall = name => {
    if (name === 'submitAgain') throw new Error('away');
  };
  const world = new FakeWorld(2);
  await runBatch(temporal, before, async ({ handle }) => {
    while (before.count('submitAgain') === 0) await temporal.nextEvent(handle);
    await handle.terminate();
  });
  // Another database: nothing is known but what is on the share, and the service shows none of them.
  for (const [id, upload] of before.uploads) world.uploads.set(id, upload);
  world.records.push(...before.records);
  world.isHidden = () => true;
  world.onLookAgain = () => 'hidden';
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  for (const index of [0, 1]) {
    expect(outcomeOf(world, index)).toMatchObject({ revisionId: expect.stringMatching(/^R-/) });
  }
  expect(world.calls.find(({ name }) => name === 'submitAgain')?.input).toMatchObject({
    items: [
      { index: 0, eventId: 'E1' },
      { index: 1, eventId: 'E1' },
    ],
  });
});

test('an upload that somebody deleted after an unanswered submission was not submitted', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = ({ items }, call) => {
    if (call > 1) return undefined;
    world.uploads.get(items[0]!.uploadId)!.deleted = true;
    return { kind: 'unknown' };
  };
  expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
  expect(outcomeOf(world, 0)).toMatchObject({ kind: 'set-apart', reason: { code: 'taken-by-a-person' } });
});

test('an upload that one read tells as deleted, and others show, goes on', async () => {
  const world = new FakeWorld(3);
  world.saysDeleted = (index, read) => index === 1 && read === 1;
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(world.count('createUploads')).toBe(1);
});

test('an upload that one read tells as deleted, and others do not show, is asked for by its submission', async () => {
  const world = new FakeWorld(2);
  // Heard, and its response lost; a gateway that has lost the route says 410 for a moment.
  world.onSubmit = ({ items }, call) => {
    if (call > 1) return undefined;
    for (const { index, uploadId } of items) world.submit(index, uploadId);
    return { kind: 'unknown' };
  };
  world.saysDeleted = (_, read) => read > 1;
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  expect(world.revisions).toHaveLength(2);
});

test('an upload whose deletion one look alone tells stays in doubt once it was submitted', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
  world.isHidden = (index, read) => index === 0 && read > 1;
  world.onLookAgain = () => 'deleted';
  expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
  expect(outcomeOf(world, 0)).toMatchObject({ kind: 'set-apart', reason: { code: 'perhaps-submitted' } });
});

test('an upload shown INCOMPLETE after its link is linked again, and the batch ends whole', async () => {
  const world = new FakeWorld(20);
  let reads = 0;
  world.onRead = index => {
    if (index !== 7 || ++reads > 2) return {};
    for (const upload of world.uploads.values()) if (upload.index === 7) upload.completed = false;
    return { completed: false };
  };
  expect(await finish(world)).toMatchObject({ submitted: 20, setApart: 0 });
  expect(world.revisions).toHaveLength(20);
  expect(world.count('createUploads')).toBe(1);
  expect(world.calls.filter(({ name }) => name === 'linkUploads').at(-1)?.input).toMatchObject({
    items: [{ index: 7 }],
  });
});

test('an upload that comes and goes is set apart in the end, the others do not wait', async () => {
  const world = new FakeWorld(3);
  world.isHidden = index => index === 1;
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
  expect(outcomeOf(world, 1)).toMatchObject({ kind: 'set-apart', reason: { code: 'comes-and-goes' } });
});
