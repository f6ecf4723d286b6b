// A job on a share, carried by hand: document by document.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from '../../../activities/share/share';
import { submitted } from '../../activities/share/share-test-bed';

export interface JobOnItsWay {
  readonly jobId: string;
  readonly documents: number;
  /** Notes that the next one has become a revision. */
  next(): Promise<void>;
}

export async function beginJob(share: Share, root: string, documents: number): Promise<JobOnItsWay> {
  const folder = `TR-${Date.now()}`;
  const names = Array.from({ length: documents }, (_, at) => `plan ${at}.pdf`);
  await mkdir(join(root, 'drop', folder), { recursive: true });
  for (const name of names) await writeFile(join(root, 'drop', folder, name), name);
  const job = await share.openJob(folder);
  const { batch } = await share.claim(
    names.map(name => `${folder}/${name}`),
    { job },
  );
  if (batch === undefined) throw new Error('Nothing was claimed.');
  const { batchId } = await share.writeManifest(batch);
  if (batchId === undefined) throw new Error('Nothing was sealed.');
  let at = 0;
  return {
    jobId: job.jobId,
    documents,
    next: async () => {
      await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(at)] });
      at += 1;
    },
  };
}
