// Who dropped the files of a batch, by the owner that the files had when they were claimed. A file of its own
// beside the manifest, which earlier releases leave unread.
import { join } from 'node:path';
import { z } from 'zod';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import type { BatchPaths } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';

const schema = z.strictObject({ version: z.literal(1), by: z.string().min(1).max(200) });

const DROPPED_BY: MarkKind<z.infer<typeof schema>> = {
  kind: 'dropped-by',
  label: 'Who dropped a batch',
  schema,
};

export function droppedByPath({ folder }: BatchPaths): string {
  return join(folder, 'dropped-by.json');
}

/** For people only: trouble with it keeps no batch from going on. */
export async function noteDroppedBy(paths: BatchPaths, by: string): Promise<void> {
  const { fs, seals, batchId } = paths;
  const text = toMarkText(seals, DROPPED_BY, batchId, { version: 1, by: by.slice(0, 200) });
  await writeOnce(fs, droppedByPath(paths), text).catch(() => undefined);
}

/** null where nobody could tell, or that was not kept. */
export async function readDroppedBy(paths: BatchPaths, onNotOurs: OnNotOurs): Promise<string | null> {
  const { fs, seals, batchId } = paths;
  const mark = await readMark(fs, seals, DROPPED_BY, droppedByPath(paths), batchId, onNotOurs);
  return mark === undefined || mark === NOT_OURS ? null : mark.by;
}
