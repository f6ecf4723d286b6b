// What `resume` finds on a share that this host can see, without asking Temporal about it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { Seals } from '../../../activities/share/files/seals';
import { findStopped } from '../../../client/resume/stopped-batches';
import {
  aHolder,
  claimAll,
  createTestBed,
  SHARE_KEY,
  type TestBed,
} from '../../activities/share/share-test-bed';

const OTHER_KEY = Buffer.alloc(32, 8);
const { temporal: ours } = aHolder('x');
/** Knows of no run. */
const client = { workflow: { list: async function* () {} } } as unknown as Client;

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

test('a batch that is sealed with another key is listed with both keys, and nobody is told to drop its files again', async () => {
  const before = await bed.open();
  await bed.drop('a.pdf');
  const { batchId } = await claimAll(before);
  rmSync(join(bed.root, '.drawbridge/key-id'));
  const share = await bed.open({}, { key: OTHER_KEY });
  const { batches } = await findStopped(client, [share], ours);
  expect(batches).toMatchObject([{ batchId, state: 'damaged', reason: { code: 'key-differs' } }]);
  const text = batches[0]?.reason.text ?? '';
  for (const key of [SHARE_KEY, OTHER_KEY]) expect(text).toContain(new Seals(key).keyId);
  expect(text).toContain('drop none of its files again');
});
