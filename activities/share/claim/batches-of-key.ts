// Which batches were claimed under a key. A caller that claims on demand, and does not know how far an
// earlier attempt came, finds them again by its key.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { hasCode } from '../../host/error-code';
import { locateBatch } from '../batch/read-batch';
import { ifThere } from '../files/if-there';
import { type ShareErrorCode, toShareError } from '../files/share-error';
import { listBatchIds, type ShareLayout } from '../files/share-layout';

/** Where files asked for under a key are noted, so that asking again finds the same batches. */
export function keyFolder(layout: ShareLayout, key: string): string {
  return join(layout.keys, hash('sha256', key));
}

/** Ids of those that are there, open or finished. */
export async function findBatchesOfKey(layout: ShareLayout, key: string): Promise<string[]> {
  const ids = await ifThere(listBatchIds(layout.fs, keyFolder(layout, key))).catch(error => {
    throw toShareError(error) ?? error;
  });
  const existing: string[] = [];
  for (const id of ids ?? []) {
    const located = await locateBatch(layout, id).catch(error => {
      // The batch was noted, but then no file could be had, or all went back.
      if (hasCode<ShareErrorCode>(error, 'batch-unknown')) return undefined;
      throw error;
    });
    if (located !== undefined) existing.push(id);
  }
  return existing;
}
