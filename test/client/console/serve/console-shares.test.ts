// Shares as the page has them: away at first, gone for a while, and back by themselves.
import { EventEmitter, once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import { ConsoleShares } from '../../../../client/console/serve/console-shares';
import { createTestBed, SHARE_KEY, simpleHasher } from '../../../activities/share/share-test-bed';

test('a share that is not there yet is looked for, and one that goes is back when it is', async () => {
  const bed = await createTestBed();
  const elsewhere = `${bed.root}-elsewhere`;
  const changes = new EventEmitter();
  const shares = new ConsoleShares({
    shares: [bed.config],
    deps: async () => ({ hasher: simpleHasher, logger: bed.logger, key: SHARE_KEY, looksOnly: true }),
    onChanged: () => changes.emit('changed'),
    lookEveryMs: 5,
  });
  const isHere = async (expected: boolean) => {
    while ((shares.list()[0]?.share !== undefined) !== expected) await once(changes, 'changed');
  };
  try {
    await shares.start();
    expect(shares.names()).toEqual(['tender']);
    expect(shares.list()[0]).toMatchObject({ share: undefined, why: expect.stringMatching(/./) });
    await bed.open();
    await isHere(true);
    expect(shares.list()[0]).toMatchObject({ why: undefined, share: { name: 'tender' } });
    await rename(bed.root, elsewhere);
    await isHere(false);
    expect(shares.list()[0]?.why).toMatch(/not there|ENOENT/);
    await rename(elsewhere, bed.root);
    await isHere(true);
  } finally {
    await shares.close();
    await bed.remove();
    await rm(elsewhere, { recursive: true, force: true });
  }
});
