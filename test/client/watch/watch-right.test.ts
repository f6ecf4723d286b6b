// Whose watch a share is, and what is told of it.
import type { WatchEvent } from '../../../client/watch/watch-events';
import { WatchRight, type WatchRightDeps } from '../../../client/watch/watch-right';
import { aHolder } from '../../activities/share/share-test-bed';

test('the watch of another Temporal is told at the next look when the batches could not be counted', async () => {
  const told: WatchEvent[] = [];
  const ending = new AbortController();
  let counts = 0;
  const share = {
    openBatches: async () => {
      counts += 1;
      if (counts === 1) throw new Error('the share is away');
      return [];
    },
    temporals: {
      beatMs: 5,
      takeOverMs: 1_000,
      beat: async () => undefined,
      watchFor: async () => ({ ...aHolder('y', 'other').temporal, host: 'y' }),
    },
  } as unknown as WatchRightDeps['share'];
  const right = new WatchRight({
    share,
    temporal: async () => aHolder('x', 'ours').temporal,
    tell: event => {
      told.push(event);
      ending.abort();
    },
    onOurs: () => undefined,
  });
  const enough = setTimeout(() => ending.abort(), 2_000);
  await right.run(ending.signal);
  clearTimeout(enough);
  expect(told).toMatchObject([{ event: 'watched-elsewhere', batches: 0, takeOverMs: 1_000 }]);
  expect([counts, right.isOurs]).toEqual([2, false]);
});
