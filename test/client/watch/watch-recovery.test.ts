// Trouble with one batch that somebody began is told once, and keeps no other from its end.
import { ShareError } from '../../../activities/share/files/share-error';
import type { WatchEvent } from '../../../client/watch/watch-events';
import { Recovery, type RecoveryDeps } from '../../../client/watch/watch-recovery';
import { fsError } from '../../activities/share/faulty-fs';

/** Batches A and B whose moves were cut short; what `failing` holds is thrown for A. */
function begun() {
  const failing: { error: unknown } = { error: undefined };
  const events: WatchEvent[] = [];
  const recovery = new Recovery({
    share: {
      openBatches: async () => ['A', 'B'].map(batchId => ({ batchId, state: 'settling' })),
      settleUp: async (batchId: string) => {
        if (batchId === 'A' && failing.error !== undefined) throw failing.error;
        return { done: 1, attention: 0 };
      },
    },
    tell: (event: WatchEvent) => events.push(event),
  } as unknown as RecoveryDeps);
  const round = async () => await recovery.run(new AbortController().signal);
  return { round, failing, events };
}

test('a bug with one batch is told once by its own message, with its stack, and the others go on', async () => {
  const { round, failing, events } = begun();
  failing.error = new TypeError('files is undefined');
  await round();
  const why = expect.stringMatching(/^TypeError: files is undefined at .*watch-recovery\.test\.ts:\d+:\d+/);
  const ofB = { event: 'batch-settled', batchId: 'B' };
  const damaged = { event: 'batch-damaged', batchId: 'A', why, error: failing.error };
  expect(events).toMatchObject([damaged, ofB]);
  await round();
  expect(events.slice(2)).toMatchObject([ofB]);
});

test('a file that may not be read is told by its code, and a bug that comes after it as well', async () => {
  const { round, failing, events } = begun();
  failing.error = fsError('EACCES');
  await round();
  failing.error = new TypeError('files is undefined');
  await round();
  const damaged = events.filter(({ event }) => event === 'batch-damaged');
  const why = expect.stringContaining('files is undefined');
  expect(damaged).toEqual([
    { event: 'batch-damaged', batchId: 'A', why: 'EACCES' },
    { event: 'batch-damaged', batchId: 'A', why, error: failing.error },
  ]);
});

test('trouble of the whole share is thrown', async () => {
  const { round, failing } = begun();
  failing.error = fsError('ESTALE');
  await expect(round()).rejects.toMatchObject({ code: 'share-away' });
});

describe("a batch of a project that is not the share's any more", () => {
  /** What `failing` holds is thrown when its run is to be woken. */
  function ofAnother() {
    const failing: { error: unknown } = { error: undefined };
    const events: WatchEvent[] = [];
    const woken: string[] = [];
    const recovery = new Recovery({
      share: {
        openBatches: async () => [{ batchId: 'A', state: 'sealed' }],
        readSeal: async () => {
          throw new ShareError('project-differs', 'It is of another project.');
        },
        otherProject: async () => ({ project: { companyId: '1', projectId: '2' }, isBegun: false }),
      },
      starts: {
        wakeRun: async ({ batchId }: { readonly batchId: string }) => {
          woken.push(batchId);
          if (failing.error !== undefined) throw failing.error;
          return true;
        },
      },
      tell: (event: WatchEvent) => events.push(event),
    } as unknown as RecoveryDeps);
    const round = async () => await recovery.run(new AbortController().signal);
    return { round, failing, events, woken };
  }

  test('is told once where a bug keeps it from its project, and its run is woken again', async () => {
    const { round, failing, events, woken } = ofAnother();
    failing.error = new TypeError('project is undefined');
    await round();
    await round();
    const why = expect.stringContaining('TypeError: project is undefined at ');
    expect(events).toEqual([{ event: 'batch-damaged', batchId: 'A', why, error: failing.error }]);
    expect(woken).toEqual(['A', 'A']);
  });

  test.each([
    ['Temporal', new Error('Failed to signal', { cause: Object.assign(new Error(), { code: 14 }) })],
    ['the share', fsError('ESTALE')],
  ])('is seen to by the next round while %s is away', async (_, error) => {
    const { round, failing, events, woken } = ofAnother();
    failing.error = error;
    await round();
    failing.error = undefined;
    await round();
    expect(events).toEqual([]);
    expect(woken).toEqual(['A', 'A']);
  });
});
