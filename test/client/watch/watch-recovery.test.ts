// Trouble with one batch that somebody began is told once, and keeps no other from its end.
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
