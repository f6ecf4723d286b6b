// What is kept of sheets in which held rows are corrected: which sheets we have put there, what was read from
// one that a person has saved, before any of it is answered, and what came of the answers. By their SHA-256.
import { join } from 'node:path';
import { z } from 'zod';
import { questionShape } from '../../../../workflows/ingest/answer-contract';
import { isTaken } from '../../../host/file-trouble';
import { SHEET_LIMITS } from '../../../registers/sheet/sheet-limits';
import { ifThere } from '../../files/if-there';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../../files/own-marks';
import { comparePaths } from '../../files/relative-path';
import type { ShareLayout } from '../../files/share-layout';
import { writeOnce } from '../../files/write-whole';
import type { JobPaths } from '../../jobs/job-record';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().max(8_192);
/** Earlier versions kept rows as large as a sheet can have them. */
const cell = z.string().max(SHEET_LIMITS.cellLength);
const cells = z.array(cell).max(SHEET_LIMITS.columns);

const putSchema = z.strictObject({ version: z.literal(1), sha256 });

const savedSchema = z.strictObject({
  version: z.literal(1),
  jobId: z.string(),
  /** Where the sheet lay, from the root of the share: for people. */
  sheet: text,
  sha256,
  at: z.iso.datetime(),
  headers: cells,
  rows: z
    .array(
      z.strictObject({
        /** In the sheet, as people count. */
        number: z.number().int().positive(),
        batchId: z.string(),
        /** As it was dropped, relative to the drop folder. */
        path: text,
        /** Below the job's folder. */
        file: text,
        cells,
        /**
         * What the changed cells say, by their headers as the project may know them: '' for one that says
         * nothing any more, no value for one that says "leave it empty".
         */
        values: z.record(cell, z.union([cell, z.array(cell).max(SHEET_LIMITS.cellLength)])),
        /** Which of `values` are no texts in the sheet; absent for none, and in earlier versions. */
        numbers: cells.readonly().optional(),
        otherwise: cells.readonly().optional(),
        dates: cells.readonly().optional(),
        booleans: cells.readonly().optional(),
        /** It is to be submitted in spite of what it was held for. */
        isSent: z.boolean(),
        /** It is to be set apart. */
        isSetApart: z.literal(true).optional(),
        /**
         * What was asked when the sheet was read, and the SHA-256 of why, or of the doubt that it showed in
         * place of that; absent in earlier versions. The row answers nothing else.
         */
        asked: z.strictObject({ question: questionShape, reason: sha256 }).optional(),
      }),
    )
    .max(SHEET_LIMITS.rows),
  /** Why other changes are not taken up. */
  told: z.array(z.string().max(8_000)).max(10_000),
  /** Some counts otherwise than it stands there, so that the sheet gives way to ours. */
  isOutdated: z.literal(true).optional(),
});
/** A sheet that a person has saved, as it was read. */
export type SavedRows = z.infer<typeof savedSchema>;

const refused = z.array(
  z.strictObject({
    number: z.number(),
    file: text,
    why: z.string().max(8_000),
    /** Nobody asked what it answers: something else was asked by then, or its run had ended. */
    isUnasked: z.literal(true).optional(),
  }),
);

const answeredSchema = z.strictObject({ version: z.literal(1), sha256, refused });
export type Answered = z.infer<typeof answeredSchema>;

const batchAnsweredSchema = z.strictObject({ version: z.literal(1), sha256, batchId: z.string(), refused });
/** The end of those rows of a sheet that are of one batch, while others of it wait for theirs. */
export type BatchAnswered = z.infer<typeof batchAnsweredSchema>;

interface Kind<T extends object> extends MarkKind<T> {
  readonly ending: string;
}

const PUT: Kind<z.infer<typeof putSchema>> = {
  kind: 'held-sheet',
  label: 'The note of a sheet to correct',
  schema: putSchema,
  ending: '.put.json',
};
const SAVED: Kind<SavedRows> = {
  kind: 'held-rows',
  label: 'The record of corrected rows',
  schema: savedSchema,
  ending: '.saved.json',
};
const ANSWERED: Kind<Answered> = {
  kind: 'held-answers',
  label: 'The end of corrected rows',
  schema: answeredSchema,
  ending: '.answered.json',
};

const BATCH_ANSWERED: Kind<BatchAnswered> = {
  kind: 'held-batch-answers',
  label: 'The end of the corrected rows of a batch',
  schema: batchAnsweredSchema,
  ending: '.part.json',
};

/** All that is kept for one job. */
export interface HeldMarks {
  /** By their SHA-256. */
  readonly put: ReadonlySet<string>;
  readonly saved: readonly SavedRows[];
  readonly answered: ReadonlyMap<string, Answered>;
  /** Of sheets that have no end yet. */
  readonly batchesAnswered: readonly BatchAnswered[];
}

export async function readHeldMarks(
  layout: ShareLayout,
  paths: JobPaths,
  onNotOurs: OnNotOurs,
): Promise<HeldMarks> {
  const put = new Set<string>();
  const saved: SavedRows[] = [];
  const answered = new Map<string, Answered>();
  const batchesAnswered: BatchAnswered[] = [];
  const names = (await ifThere(listNames(layout, folderOf(paths)))) ?? [];
  const ended = new Set(names.flatMap(name => (name.endsWith(ANSWERED.ending) ? shaOf(name) : [])));
  for (const name of names) {
    const read = <T extends object>(kind: Kind<T>) => readOne(layout, paths, kind, name, onNotOurs);
    if (name.endsWith(PUT.ending)) for (const { sha256 } of await read(PUT)) put.add(sha256);
    if (name.endsWith(SAVED.ending)) saved.push(...(await read(SAVED)));
    if (name.endsWith(ANSWERED.ending))
      for (const each of await read(ANSWERED)) answered.set(each.sha256, each);
    if (name.endsWith(BATCH_ANSWERED.ending) && !ended.has(shaOf(name)))
      batchesAnswered.push(...(await read(BATCH_ANSWERED)));
  }
  return { put, saved, answered, batchesAnswered };
}

/** Whether a sheet of this content was read before, or is one that we have put there. */
export function wasRead({ put, saved }: HeldMarks, sha256: string): boolean {
  return put.has(sha256) || saved.some(each => each.sha256 === sha256);
}

/** Called before a sheet lies where people look: one that we do not know for ours we could not take away. */
export async function notePut(layout: ShareLayout, paths: JobPaths, sha256: string): Promise<void> {
  await writeMark(layout, paths, PUT, { version: 1, sha256 });
}

/** @returns false when this sheet was read before: then that record counts. */
export async function noteSaved(layout: ShareLayout, paths: JobPaths, saved: SavedRows): Promise<boolean> {
  return await writeMark(layout, paths, SAVED, saved);
}

export async function noteAnswered(layout: ShareLayout, paths: JobPaths, answered: Answered): Promise<void> {
  await writeMark(layout, paths, ANSWERED, answered);
}

/** Called where the sheet has no end yet: its other batches are answered later, and this one is not again. */
export async function noteBatchAnswered(
  layout: ShareLayout,
  paths: JobPaths,
  answered: BatchAnswered,
): Promise<void> {
  await writeMark(layout, paths, BATCH_ANSWERED, answered, `.${answered.batchId}`);
}

function folderOf({ folder }: Pick<JobPaths, 'folder'>): string {
  return join(folder, 'held');
}

async function writeMark<T extends { readonly sha256: string }>(
  { fs, seals }: ShareLayout,
  paths: JobPaths,
  kind: Kind<T>,
  value: T,
  ofWhat = '',
): Promise<boolean> {
  const folder = folderOf(paths);
  // Not its parents: the folder of a job that was put away must not come back.
  await fs.makeFolder(folder).catch(error => {
    if (!isTaken(error)) throw error;
  });
  const name = `${value.sha256}${ofWhat}`;
  const text = toMarkText(seals, kind, `${paths.jobId} ${name}`, value);
  const isOurs = await writeOnce(fs, join(folder, `${name}${kind.ending}`), text);
  await fs.syncFolder(folder);
  return isOurs;
}

async function readOne<T extends object>(
  { fs, seals }: ShareLayout,
  paths: JobPaths,
  kind: Kind<T>,
  name: string,
  onNotOurs: OnNotOurs,
): Promise<readonly T[]> {
  const of = `${paths.jobId} ${name.slice(0, -kind.ending.length)}`;
  const read = await readMark(fs, seals, kind, join(folderOf(paths), name), of, onNotOurs);
  return read === undefined || read === NOT_OURS ? [] : [read];
}

async function listNames({ fs }: ShareLayout, folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of fs.entries(folder)) {
    const name = entry.name.toString('utf8');
    if (/^[0-9a-f]{64}\.(?:put|saved|answered|[0-9a-z-]+\.part)\.json$/.test(name)) names.push(name);
  }
  return names.sort(comparePaths);
}

function shaOf(name: string): string {
  return name.slice(0, 64);
}
