// The head of an index: which files make it up and how far they count. It is replaced as a whole, after all
// that it names is on disk: whatever a crash leaves beside that belongs to nobody and is written over.
import { open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isGone } from '../host/file-trouble';

const count = z.number().int().nonnegative();

const monthSchema = z.strictObject({
  /**
   * When the month's folder was changed, as the share told it before the last listing: nanoseconds, as text.
   */
  changedNs: z.string().regex(/^\d{1,20}$/),
  /** When that change was met first, and when the month was listed last; Unix milliseconds of this host. */
  metMs: count,
  listedMs: count,
});
export type ListedMonth = z.infer<typeof monthSchema>;

const headSchema = z.strictObject({
  version: z.literal(1),
  /** Bytes of the log that count. */
  logBytes: count,
  /** Sorted files of keys, the oldest and largest first. */
  keyFiles: z.array(z.strictObject({ name: z.string().regex(/^\d{1,15}\.keys$/), rows: count })).max(100),
  /** Number of the next file of keys. */
  next: count,
  records: count,
  documents: count,
  shares: z.record(
    z.string(),
    z.strictObject({
      /** The first reading was brought to its end: all that the ledger had at that time is here. */
      isWhole: z.boolean(),
      months: z.record(z.string(), monthSchema),
    }),
  ),
});
export type IndexHead = z.infer<typeof headSchema>;

export const EMPTY_HEAD: IndexHead = {
  version: 1,
  logBytes: 0,
  keyFiles: [],
  next: 1,
  records: 0,
  documents: 0,
  shares: {},
};

export const LOG_NAME = 'documents.log';
const HEAD_NAME = 'head.json';

export function headPath(folder: string): string {
  return join(folder, HEAD_NAME);
}

/** Undefined when there is none, or none that can be understood: then the index is built anew. */
export async function readHead(folder: string): Promise<IndexHead | undefined> {
  try {
    return headSchema.safeParse(JSON.parse(await readFile(headPath(folder), 'utf8'))).data;
  } catch (error) {
    if (isGone(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** On disk when it returns. Only who has the index's lock may do it. */
export async function writeHead(folder: string, head: IndexHead): Promise<void> {
  const draft = join(folder, `${HEAD_NAME}.draft`);
  await unlink(draft).catch(() => undefined);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(head));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, headPath(folder));
  await syncFolder(folder);
}

/** Makes names durable; Windows cannot, and need not. */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined);
  await opened?.sync().catch(() => undefined);
  await opened?.close();
}
