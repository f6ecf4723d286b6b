// What people are told while a correction waits: beside the sheet, where they look for it, for its files
// still lie there as if nothing had been read. It goes before the correction does.
import { join } from 'node:path';
import { isMissing } from '../../files/missing';
import { inRealFolder } from '../../files/real-folder';
import { Place } from '../../files/share-fs';
import type { ShareLayout } from '../../files/share-layout';
import { NOTE, takeAwayNote } from '../held/put-sheet';
import { writeBeside } from '../receipt-files';
import type { Correction } from './correction-record';
import type { FinishedJob } from './decide-correction';

function toText({ record }: FinishedJob, { sheet }: Correction): string {
  const why = `Something else lies in the drop folder under ${record.folder}: once that has gone from there, it goes on by itself, with its files.`;
  return [`${sheet} waits.`, why, ''].join('\r\n');
}

export async function noteWaiting(
  layout: ShareLayout,
  job: FinishedJob,
  correction: Correction,
): Promise<void> {
  const { fs, root } = layout;
  await inRealFolder(fs, root, join(layout.attention, job.record.place), async open => {
    const scratch = { fs, folder: job.paths.folder };
    await writeBeside(scratch, new Place(open, NOTE), toText(job, correction));
  });
  // Somebody else has brought it on its way meanwhile, and looked for a note that was not there yet.
  const own = join(layout.corrections, correction.folder ?? '');
  if (await isMissing(fs, own, layout.own)) await takeBackWaiting(layout, job, correction);
}

export async function takeBackWaiting(
  layout: ShareLayout,
  job: FinishedJob,
  correction: Correction,
): Promise<void> {
  await takeAwayNote(layout, job.record.place, toText(job, correction));
}
