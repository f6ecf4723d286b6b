// Which batches were claimed under a key: by it, whoever claims on demand and does not know how far it came
// finds them again.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { codeOf } from '../../host/error-code';
import { locateBatch } from '../batch/read-batch';
import { ifThere } from '../files/if-there';
import { toShareError } from '../files/share-error';
import { listBatchIds, type ShareLayout } from '../files/share-layout';

/** Where files asked for under a key are noted, so that asking again finds the same batches. */
export function keyFolder(layout: ShareLayout, key: string): string {
  return join(layout.keys, hash('sha256', key));
}

/** Whatever became of them since. */
export async function findBatchesOfKey(layout: ShareLayout, key: string): Promise<string[]> {
  const ids = await ifThere(listBatchIds(layout.fs, keyFolder(layout, key))).catch(error => {
    throw toShareError(error) ?? error;
  });
  const existing: string[] = [];
  for (const id of ids ?? []) {
    const located = await locateBatch(layout, id).catch(error => {
      // Noted, but then no file could be had, or all went back.
      if (codeOf(error) === 'batch-unknown') return undefined;
      throw error;
    });
    if (located !== undefined) existing.push(id);
  }
  return existing;
}
