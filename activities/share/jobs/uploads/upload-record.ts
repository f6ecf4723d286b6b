// What is to come as one job, byte by byte: its files as a person chose them. Pure but for the marks.
import { z } from 'zod';
import { isIgnoredName } from '../../../registers/words/ignored-names';
import { findNameFault } from '../../drop/drop-names';
import { explainFileRefusal } from '../../drop/refuse-file';
import type { MarkKind } from '../../files/own-marks';
import { isInnerPath } from '../../files/relative-path';

/** As a person chose it. */
export interface UploadFile {
  /** Below the job's folder. */
  readonly path: string;
  readonly sizeBytes: number;
  /** When it was changed last, as the person's machine says: the same file again has the same. */
  readonly modifiedMs: number;
}

/** Whoever begins an upload. */
export interface Uploader {
  /** Tells people apart: two may have one name. */
  readonly id: string;
  readonly name: string;
}

/** Records of before have no id. */
export function isBy({ by, byId }: Pick<UploadRecord, 'by' | 'byId'>, { id, name }: Uploader): boolean {
  return byId === undefined ? by === name : byId === id;
}

export interface UploadPlan {
  /** Of the job's folder. */
  readonly name: string;
  readonly files: readonly UploadFile[];
  /** It is no job: its one file comes in the place of one that was set apart. */
  readonly replaces?: ReplacedDocument | undefined;
}

export interface PlanFault {
  /** The file; absent for the whole. */
  readonly at?: string;
  readonly text: string;
}

const MOST_UPLOAD_FILES = 10_000;
const MOST_PATH_BYTES = 1_000;
const MOST_DEPTH = 24;
const MOST_NAME_BYTES = 255;
const TOO_DEEP = 'It lies too deep: its path is too long.';
/** Faults beyond these say nothing new. */
const MOST_FAULTS = 50;

const UPLOAD_ID = /^[0-9a-f]{20}$/;

export function isUploadId(text: string): boolean {
  return UPLOAD_ID.test(text);
}

const replacedSchema = z.strictObject({
  jobId: z.string(),
  batchId: z.string(),
  index: z.int().nonnegative(),
  /** As it was dropped, relative to the drop folder. */
  path: z.string(),
});
export type ReplacedDocument = z.output<typeof replacedSchema>;

const recordSchema = z.strictObject({
  version: z.literal(1),
  name: z.string(),
  by: z.string(),
  /** The id of that person; absent in records of before. */
  byId: z.string().optional(),
  begunAt: z.iso.datetime(),
  replaces: replacedSchema.optional(),
  /** Path, size and time of change. */
  files: z.array(z.tuple([z.string(), z.int().nonnegative(), z.int()])).max(MOST_UPLOAD_FILES),
});
export type UploadRecord = z.output<typeof recordSchema>;
/** The files as the record keeps them. */
export function toRecordFiles({ files }: UploadPlan): UploadRecord['files'] {
  return files.map(({ path, sizeBytes, modifiedMs }) => [path, sizeBytes, Math.trunc(modifiedMs)]);
}

export const UPLOAD: MarkKind<UploadRecord> = {
  kind: 'upload',
  label: 'The record of an upload',
  schema: recordSchema,
};

const sentSchema = z.strictObject({
  version: z.literal(1),
  /** The name of its folder in the drop folder. */
  folder: z.string(),
  at: z.iso.datetime(),
});
export type SentRecord = z.output<typeof sentSchema>;
export const SENT: MarkKind<SentRecord> = {
  kind: 'upload-sent',
  label: 'The record of an upload that was sent',
  schema: sentSchema,
};

/** Whether its name is one that the watcher ignores in the drop folder: such a file is not taken at all. */
function isLeftOut(path: string): boolean {
  return path.split('/').some(isIgnoredName);
}

/** All faults that keep an upload from being taken; empty for none. */
export function checkPlan({ name, files }: UploadPlan, maxFileBytes: number): readonly PlanFault[] {
  const faults: PlanFault[] = [];
  const fault = (text: string, at?: string) => {
    if (faults.length < MOST_FAULTS) faults.push(at === undefined ? { text } : { at, text });
  };
  const wrongName = tellFolderFault(name);
  if (wrongName !== undefined) fault(wrongName);
  if (files.length === 0) fault('There is no file in it that would be sent.');
  if (files.length > MOST_UPLOAD_FILES) {
    fault(`There are more than ${MOST_UPLOAD_FILES.toLocaleString('en-GB')} files. Send a part at a time.`);
    return faults;
  }
  // Of tolerable paths alone: one of thousands of folders would make thousands of long texts.
  const sound = files.filter(({ path }) => tellPathFault(path) === undefined);
  const folders = new Set(sound.flatMap(({ path }) => foldersOf(fold(path))));
  const seen = new Map<string, string>();
  for (const { path, sizeBytes } of files) {
    const wrong = tellPathFault(path) ?? (isLeftOut(path) ? 'A file of this name is never sent.' : undefined);
    if (wrong !== undefined) fault(wrong, path);
    if (sizeBytes > maxFileBytes) fault(explainFileRefusal('too-large', maxFileBytes).text, path);
    const same = seen.get(fold(path));
    if (same === path || folders.has(fold(path))) fault('There is something else of the same name.', path);
    // Many shares would take the two for one file.
    else if (same !== undefined)
      fault(`Its name and that of "${same}" differ in capitals or accents only.`, path);
    seen.set(fold(path), path);
  }
  return faults;
}

function tellFolderFault(name: string): string | undefined {
  if (!isInnerPath(name) || name.includes('/') || !isText(name)) {
    return 'The job needs a name that a folder can have.';
  }
  const wrong = findNameFault(name);
  if (wrong === 'too-long') return 'The name of the job is longer than 255 bytes.';
  if (wrong !== undefined) return 'The name of the job has characters that cannot be seen.';
  return isIgnoredName(name)
    ? `A folder called "${name}" is never looked into. Give another name.`
    : undefined;
}

function tellPathFault(path: string): string | undefined {
  // Before its parts are looked at, of which there may be thousands.
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) return TOO_DEEP;
  if (!isInnerPath(path) || !isText(path)) return 'It lies outside the folder, or has no usable name.';
  const parts = path.split('/');
  if (parts.some(part => Buffer.byteLength(part) > MOST_NAME_BYTES)) {
    return 'Its name, or that of a folder above it, is longer than 255 bytes.';
  }
  return parts.length > MOST_DEPTH ? TOO_DEEP : undefined;
}

/** Half a character (a lone surrogate) has no bytes that read back as itself. */
function isText(name: string): boolean {
  return Buffer.from(name).toString() === name;
}

/** One text for names that a share may take for the same. */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
