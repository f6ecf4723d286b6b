// Which receipts of a job are as we wrote them: noted by their SHA-256 before they lie among people's files,
// for only so can be told later that somebody has saved one from which corrections are not read.
import { join } from 'node:path';
import { z } from 'zod';
import { isTaken } from '../../../host/file-trouble';
import { ifThere } from '../../files/if-there';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../../files/own-marks';
import type { ShareLayout } from '../../files/share-layout';
import { writeOnce } from '../../files/write-whole';
import type { JobPaths } from '../../jobs/job-record';
import { hash } from '../receipt-files';

const writtenSchema = z.strictObject({
  version: z.literal(1),
  sha256: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(10),
});

const WRITTEN: MarkKind<z.infer<typeof writtenSchema>> = {
  kind: 'own-receipts',
  label: 'The note of receipts',
  schema: writtenSchema,
};

function folderOf({ folder }: JobPaths): string {
  return join(folder, 'receipts');
}

/** By what they are, for two versions of ours may write them differently at one time. */
export async function noteOwnReceipts(
  { fs, seals }: ShareLayout,
  paths: JobPaths,
  receipts: readonly (string | Buffer)[],
): Promise<void> {
  const sha256 = receipts.map(hash);
  const name = hash(sha256.join(' '));
  const folder = folderOf(paths);
  // Not its parents: the folder of a job that was put away must not come back.
  await fs.makeFolder(folder).catch(error => {
    if (!isTaken(error)) throw error;
  });
  const text = toMarkText(seals, WRITTEN, `${paths.jobId} ${name}`, { version: 1, sha256 });
  await writeOnce(fs, join(folder, `${name}.json`), text);
  await fs.syncFolder(folder);
}

/** Empty for a job that ended under an earlier version, which noted nothing. */
export async function readOwnReceipts(
  { fs, seals }: ShareLayout,
  paths: JobPaths,
  onNotOurs: OnNotOurs,
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (const name of (await ifThere(listNames(fs, folderOf(paths)))) ?? []) {
    const path = join(folderOf(paths), `${name}.json`);
    const read = await readMark(fs, seals, WRITTEN, path, `${paths.jobId} ${name}`, onNotOurs);
    if (read !== undefined && read !== NOT_OURS) for (const each of read.sha256) own.add(each);
  }
  return own;
}

async function listNames(fs: ShareLayout['fs'], folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of fs.entries(folder)) {
    const [, name] = /^([0-9a-f]{64})\.json$/.exec(entry.name.toString('utf8')) ?? [];
    if (name !== undefined) names.push(name);
  }
  return names;
}
