// An outage that Step 8 tells document by document, beside documents that are bad themselves: what tells
// them apart is whether others are taken. On a real Temporal server.
import { setTimeout as delay } from 'node:timers/promises';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { mostAtOnce, type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

/** Of a probe: the real one leaves minutes between two of them. */
const TRIES = 8;
const FEW_TRIES = 3;
const TRIES_NAMED = 5;
// Five times again for what may be a document's own trouble take half a minute.
jest.setTimeout(180_000);

async function run<Result>(world: FakeWorld, work: (running: RunningBatch) => Promise<Result>) {
  return await runBatch(temporal, world, work);
}

describe('Step 8 answers that it failed, document by document', () => {
  const failFor: FakeWorld['onSubmit'] = ({ items }) => ({
    kind: 'answered',
    atMs: 1,
    revisionIds: [],
    failures: items.map(({ uploadId }) => ({ reasonCode: 'UNKNOWN_FAILURE', message: '', uploadId })),
  });

  test('for all: that is waited out, and everything is submitted afterwards', async () => {
    const world = new FakeWorld(5);
    world.probeDelayMs = 1;
    world.onSubmit = (...asked) =>
      world.count('probeSubmission') < FEW_TRIES ? failFor(...asked) : undefined;
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 5, setApart: 0 });
    });
    expect(new Set(world.revisions).size).toBe(5);
    // Five times again for what may be a document's own trouble, and the rest afterwards.
    expect(world.count('submitRevisions')).toBeLessThan(10);
  });

  test('for one of those that it took: that one is set apart', async () => {
    const world = new FakeWorld(3);
    world.onSubmit = ({ items }, call) => {
      const one = items.filter(({ index }) => index === 1);
      if (one.length === 0) return undefined;
      const others = world.answerSubmission(items.filter(({ index }) => index !== 1) as never, call);
      const failed = failFor({ items: one }, call) as Extract<typeof others, { kind: 'answered' }>;
      return others.kind === 'answered' ? { ...others, failures: failed.failures } : others;
    };
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 1 });
    });
    expect(world.count('probeSubmission')).toBe(0);
  });

  /** Of each request it takes some, and fails for these. */
  function failOnly(world: FakeWorld, isBad: (index: number, uploadId: string) => boolean) {
    const onSubmit: FakeWorld['onSubmit'] = ({ items }, call) => {
      const bad = items.filter(({ index, uploadId }) => isBad(index, uploadId));
      const failed = failFor({ items: bad }, call);
      if (failed?.kind !== 'answered') return failed;
      const good = items.filter(item => !bad.includes(item));
      return { ...failed, revisionIds: good.map(({ index, uploadId }) => world.submit(index, uploadId)) };
    };
    world.onSubmit = onSubmit;
  }

  test('for two beside others that it took: they are set apart after some minutes', async () => {
    const world = new FakeWorld(5);
    world.probeDelayMs = 1;
    failOnly(world, index => index < 2);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 2 });
    });
    expect(world.count('probeSubmission')).toBeLessThan(FEW_TRIES * 5);
  });

  test('for each in a request of its own, and once more as it comes back: that is waited out as well', async () => {
    const world = new FakeWorld(4);
    world.probeDelayMs = 1;
    world.needsAnalysis = index => index > 0;
    world.onRead = index => ({ analysed: world.count('readUploads') > index * 2 });
    const namedOnceMore = new Set<number>();
    failOnly(world, index => {
      if (world.count('probeSubmission') < TRIES) return true;
      // The one that is tried for all passes, each of the others is named once more.
      if (world.revisions.length === 0 || namedOnceMore.has(index)) return false;
      namedOnceMore.add(index);
      return true;
    });
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 4, setApart: 0 });
    });
    expect(namedOnceMore.size).toBe(3);
  });

  test('for each of many strands: one activity tries for all, and they go on as one', async () => {
    const world = new FakeWorld(3);
    for (let index = 0; index < 3; index++) world.conflicts.add(index);
    const named = [0, 0, 0];
    const isTriedForAll = (): boolean =>
      world.calls.some(
        ({ name, input }) =>
          name === 'probeSubmission' && (input as { items: readonly unknown[] }).items.length === 3,
      );
    await run(world, async ({ handle }) => {
      while ((await handle.query(progressQuery)).held.length < 3) await delay(50);
      world.conflicts.clear();
      world.onSubmit = ({ items }, call) => {
        for (const { index } of items) named[index]! += 1;
        return failFor({ items }, call);
      };
      // Answered one by one, each goes on by itself.
      for (let document = 0; document < 3; document++) {
        await handle.executeUpdate(answerUpdate, { args: [{ document, decision: 'retry' }] });
        while (named[document] === 0) await delay(20);
      }
      while (named.some(count => count <= TRIES_NAMED)) await delay(50);
      for (let looks = 0; looks < 300 && !isTriedForAll(); looks++) await delay(100);
      expect(isTriedForAll()).toBe(true);
      world.onSubmit = () => undefined;
      expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
      expect(await mostAtOnce(handle, 'probeSubmission')).toBe(1);
    });
    expect(new Set(world.revisions).size).toBe(3);
  });

  test('as the refusal of each request, and what a try is told at last is looked at', async () => {
    const world = new FakeWorld(3);
    world.probeDelayMs = 1;
    world.onSubmit = ({ items }) => {
      const probes = world.count('probeSubmission');
      const codeOf = (uploadId: string) => {
        if (probes < TRIES) return 'UNKNOWN_FAILURE';
        // The first that is answered at last was heard before.
        return world.uploads.get(uploadId)?.consumed ? 'UPLOAD_NOT_FOUND' : undefined;
      };
      if (probes === TRIES) for (const { index, uploadId } of items) world.submit(index, uploadId);
      const refusals = items.flatMap(({ uploadId }) => {
        const reasonCode = codeOf(uploadId);
        return reasonCode === undefined ? [] : [{ reasonCode, message: '', uploadId }];
      });
      return refusals.length === 0 ? undefined : { kind: 'refused', refusals };
    };
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
    });
    expect(world.count('submitRevisions')).toBeLessThan(15);
  });
});
