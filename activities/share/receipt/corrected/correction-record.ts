// What is kept of each corrected sheet that was read: by its SHA-256, so that no sheet is handled twice, and
// with the rows that were taken up from it, so that no row is. Written once, before anything is moved.
import { join } from 'node:path';
import { z } from 'zod';
import { SHEET_LIMITS } from '../../../registers/sheet/sheet-limits';
import { ifThere } from '../../files/if-there';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../../files/own-marks';
import { comparePaths, isInnerPath } from '../../files/relative-path';
import type { ShareLayout } from '../../files/share-layout';
import { writeOnce } from '../../files/write-whole';
import type { JobPaths } from '../../jobs/job-record';
import { isUploadId } from '../../jobs/uploads/upload-record';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const path = z.string().max(8_192).refine(isInnerPath, 'not a path inside the folder');
/** Earlier versions kept rows as large as a sheet can have them. */
const cells = z.array(z.string().max(SHEET_LIMITS.cellLength)).max(SHEET_LIMITS.columns);
const columns = z.array(z.number().int().nonnegative()).max(SHEET_LIMITS.columns).readonly();

const correctionSchema = z.strictObject({
  version: z.literal(1),
  jobId: z.string(),
  /** Where the sheet lay, from the root of the share: for people. */
  sheet: z.string().max(8_192),
  /** Where no sheet was read (a file replaced, rows sent again by hand), a hash that stands for that act. */
  sheetSha256: sha256,
  /** The folder in which the files and their register come together; absent where no row is taken up. */
  folder: z
    .string()
    .regex(/^[0-9a-f]{20} [\w-]+$/)
    .optional(),
  headers: cells,
  rows: z
    .array(
      z.strictObject({
        /** In the sheet, as people count. */
        number: z.number().int().positive(),
        /** Below the job's folder. */
        path,
        /** Of the file as it was set apart, or of the one that comes in its place. */
        sha256,
        /** The upload that has the file which comes in its place; absent where the file itself goes. */
        upload: z.string().refine(isUploadId, 'not the id of an upload').optional(),
        cells,
        /** Which of `cells`, from 0, are no texts; absent for none, and in what earlier versions kept. */
        numbers: columns.optional(),
        otherwise: columns.optional(),
        dates: columns.optional(),
        booleans: columns.optional(),
      }),
    )
    .max(SHEET_LIMITS.rows),
  /** Why other changes were not taken up. */
  told: z.array(z.string().max(8_000)).max(10_000),
});
export type Correction = z.infer<typeof correctionSchema>;

const CORRECTION: MarkKind<Correction> = {
  kind: 'correction',
  label: 'The record of a corrected sheet',
  schema: correctionSchema,
};

/** Follows on the name of its folder while that is being moved file by file. */
export const MOVING = ' moving';

const ENDING = '.json';

function folderOf({ folder }: Pick<JobPaths, 'folder'>): string {
  return join(folder, 'corrections');
}

/** @returns false when it was written before: then that one counts. */
export async function writeCorrection(
  { fs, seals, own }: ShareLayout,
  paths: JobPaths,
  correction: Correction,
): Promise<boolean> {
  await fs.makeFolders(own, folderOf(paths));
  const { sheetSha256 } = correction;
  const text = toMarkText(seals, CORRECTION, `${paths.jobId} ${sheetSha256}`, correction);
  const isOurs = await writeOnce(fs, join(folderOf(paths), `${sheetSha256}${ENDING}`), text);
  await fs.syncFolder(folderOf(paths));
  return isOurs;
}

/** Those of a job, in no order. What is not ours, or spoilt, goes to `onNotOurs` alone. */
export async function listCorrections(
  layout: ShareLayout,
  paths: JobPaths,
  onNotOurs: OnNotOurs,
): Promise<readonly Correction[]> {
  const found: Correction[] = [];
  for (const name of await listRecorded(layout, paths)) {
    const read = await readCorrection(layout, paths, name, onNotOurs);
    if (read !== undefined) found.push(read);
  }
  return found;
}

/** The names of the records of a job, for `readCorrection`. */
export async function listRecorded({ fs }: ShareLayout, paths: JobPaths): Promise<readonly string[]> {
  return (await ifThere(listNames(fs, folderOf(paths)))) ?? [];
}

/** Undefined for one that is not ours, or spoilt, which goes to `onNotOurs`. */
export async function readCorrection(
  { fs, seals }: ShareLayout,
  paths: JobPaths,
  name: string,
  onNotOurs: OnNotOurs,
): Promise<Correction | undefined> {
  const of = `${paths.jobId} ${name.slice(0, -ENDING.length)}`;
  const read = await readMark(fs, seals, CORRECTION, join(folderOf(paths), name), of, onNotOurs);
  return read === NOT_OURS ? undefined : read;
}

async function listNames(fs: ShareLayout['fs'], folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of fs.entries(folder)) {
    const name = entry.name.toString('utf8');
    if (/^[0-9a-f]{64}\.json$/.test(name)) names.push(name);
  }
  return names.sort(comparePaths);
}
