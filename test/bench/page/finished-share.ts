// A share with years of finished jobs: what the product leaves of each, written by the product's own writers,
// without the files of people and without waiting for the disk.
import { hash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeCorrectedWorkbook } from '../../../activities/registers/write/corrected-register';
import { type Receipt, type ReceiptRow, sealReceipt } from '../../../activities/share/batch/kept-receipt';
import { type Manifest, sealManifest } from '../../../activities/share/batch/manifest';
import { toMarkText } from '../../../activities/share/files/own-marks';
import { Seals } from '../../../activities/share/files/seals';
import type { ShareFs } from '../../../activities/share/files/share-fs';
import { finishedBatchPaths, type ShareLayout } from '../../../activities/share/files/share-layout';
import { CLOSED, finishedJobPaths, JOB, jobIdOf, sheetOf } from '../../../activities/share/jobs/job-record';
import { type LedgerEntry, toRecordText } from '../../../activities/share/ledger/ledger-record';

export const PROJECT = { companyId: '1', projectId: '2' };
export const SHARE = 'tender';
const HEADERS = ['File', 'Number', 'Title', 'Revision', 'Status', 'Discipline'];
/** Of the documents of every twentieth job, that many were set apart. */
const APART = { everyJob: 20, documents: 2 };
const FIRST_MS = Date.UTC(2024, 0, 2, 8);
const A_JOB_MS = 97 * 60_000;

export interface FinishedShare {
  /** The root of a share that was opened once. */
  readonly root: string;
  readonly key: Buffer;
  /** Of each job, how many documents. */
  readonly jobs: readonly number[];
}

/** What a person may look for. */
export function documentOf(job: number, at: number) {
  const number = `HBT-ARU-ZZ-${String(at % 99).padStart(2, '0')}-DR-S-${String(job).padStart(5, '0')}${String(at).padStart(4, '0')}`;
  const file = `Package ${at % 7}/${number}_P02.pdf`;
  return {
    number,
    file,
    title: `Level ${at % 30}, slab reinforcement, sheet ${at}`,
    sha256: hash('sha256', number),
  };
}

export function jobNameOf(job: number): string {
  return `TR-${String(job).padStart(5, '0')} Structural IFC`;
}

export async function writeFinishedShare({ root, key, jobs }: FinishedShare): Promise<void> {
  const seals = new Seals(key);
  const own = join(root, '.drawbridge');
  const layout = {
    fs: QUICK,
    root,
    own,
    finished: join(own, 'finished'),
    finishedJobs: join(own, 'finished-jobs'),
    seals,
    project: PROJECT,
  } as unknown as ShareLayout;
  for (const [job, documents] of jobs.entries()) await writeJob(layout, job, documents);
}

/** A crash would lose it: nothing of it is waited for until it is on the disk. */
const QUICK = {
  writeNew: async (path, bytes) => {
    await mkdir(dirname(String(path)), { recursive: true });
    await writeFile(String(path), bytes);
  },
  link: async (from, to) => {
    await rename(String(from), String(to));
  },
  unlink: async () => undefined,
  syncFolder: async () => undefined,
} as Pick<ShareFs, 'writeNew' | 'link' | 'unlink' | 'syncFolder'> as ShareFs;

async function writeJob(layout: ShareLayout, job: number, documents: number): Promise<void> {
  const { seals } = layout;
  const name = jobNameOf(job);
  const jobId = jobIdOf(name);
  const paths = finishedJobPaths(layout, jobId);
  const beganMs = FIRST_MS + job * A_JOB_MS;
  const rows = Array.from({ length: documents }, (_, at) => rowOf(job, at));
  const sheet = await writeCorrectedWorkbook({ title: 'Register', headers: HEADERS, rows });
  const sha256 = hash('sha256', sheet);
  const register = {
    path: 'register.xlsx',
    sizeBytes: sheet.length,
    sha256,
    pairs: rows.map(([path = ''], at) => ({ row: at + 2, path })),
    ambiguous: [],
    twice: [],
  };
  await put(sheetOf(paths, sha256), sheet);
  const createdAt = new Date(beganMs).toISOString();
  const record = {
    version: 1 as const,
    jobId,
    name,
    folder: name,
    place: name,
    share: SHARE,
    project: PROJECT,
    createdAt,
    register,
  };
  await put(paths.record, toMarkText(seals, JOB, jobId, record));
  const closedAt = new Date(beganMs + 60_000).toISOString();
  const closed = { version: 1 as const, closedAt, ignored: [], ignoredInAll: 0 };
  await put(paths.closed, toMarkText(seals, CLOSED, jobId, closed));
  for (let first = 0, part = 1; first < documents; first += 100, part += 1) {
    const count = Math.min(100, documents - first);
    const batchId = batchIdOf(beganMs, part);
    await put(join(paths.batches, batchId), '');
    const ofJob = { id: jobId, name, place: name, part };
    await writeBatch(layout, { batchId, beganMs, ofJob, sha256, sizeBytes: sheet.length, job, first, count });
  }
}

interface Part {
  readonly batchId: string;
  readonly beganMs: number;
  readonly ofJob: NonNullable<Manifest['job']>;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly job: number;
  readonly first: number;
  readonly count: number;
}

async function writeBatch(layout: ShareLayout, part: Part): Promise<void> {
  const { batchId, beganMs, ofJob, job, first, count } = part;
  const { seals } = layout;
  const paths = finishedBatchPaths(layout, batchId);
  const createdAt = new Date(beganMs + 5_000).toISOString();
  const manifest: Manifest = {
    version: 1,
    batchId,
    share: SHARE,
    project: PROJECT,
    createdAt,
    job: ofJob,
    files: Array.from({ length: count }, (_, index) => fileOf(part, index)),
    registers: [
      {
        ofJob: true,
        path: `${ofJob.place}/register.xlsx`,
        sizeBytes: part.sizeBytes,
        sha256: part.sha256,
        headers: HEADERS,
        notThere: [],
        notices: [],
      },
    ],
  };
  const { manifestSha256 } = await sealManifest(paths, manifest);
  const isApart = (index: number) => job % APART.everyJob === 0 && first === 0 && index < APART.documents;
  const submittedAtMs = beganMs + 45_000;
  const receipt: Receipt = {
    version: 1,
    batchId,
    share: SHARE,
    project: PROJECT,
    manifestSha256,
    claimedAt: createdAt,
    job: ofJob,
    writtenAt: new Date(beganMs + 90_000 + first).toISOString(),
    final: true,
    files: manifest.files.map((file, index): ReceiptRow => {
      const { index: at, path, sizeBytes, sha256 } = file;
      const { number, title } = documentOf(job, first + index);
      const stored = [
        { label: 'Number', value: number, from: 'row B' },
        { label: 'Title', value: title, from: 'row C' },
        { label: 'Revision', value: 'P02', from: 'row D' },
        { label: 'Status', value: 'A4', from: 'row E' },
        { label: 'Discipline', value: 'Structural', from: 'row F' },
      ];
      const row = first + index + 2;
      const known = {
        index: at,
        path,
        row,
        sizeBytes,
        ...(sha256 === undefined ? {} : { sha256 }),
        notes: [],
      };
      const uploadId = uploadOf(job, first + index);
      if (isApart(index)) {
        const reason = {
          code: 'revision-exists',
          text: 'Revision P02 exists already with other content.',
          fix: 'Give the next revision.',
        };
        return { ...known, stored: [], outcome: 'set-apart', reason };
      }
      return {
        ...known,
        stored,
        outcome: 'submitted',
        uploadId,
        revisionId: revisionOf(job, first + index),
        paired: 'certain',
        submittedAt: new Date(submittedAtMs).toISOString(),
      };
    }),
  };
  await put(paths.receipt, `${JSON.stringify(sealReceipt(seals, receipt), undefined, 1)}\n`);
  const entries = receipt.files.flatMap((row, index): LedgerEntry[] => {
    if (row.outcome !== 'submitted') return [];
    const { number, sha256, file } = documentOf(job, first + index);
    return [
      {
        index,
        path: row.path,
        sha256,
        sizeBytes: row.sizeBytes,
        mimeType: 'application/pdf',
        name: file.slice(file.indexOf('/') + 1),
        number,
        revision: 'P02',
        said: { number, revision: 'P02' },
        uploadId: uploadOf(job, first + index),
        revisionId: revisionOf(job, first + index),
        submittedAtMs,
      },
    ];
  });
  const { id, name } = ofJob;
  const content = { share: SHARE, project: PROJECT, job: { id, name }, entries };
  await put(
    join(layout.own, 'ledger', batchId.slice(0, 6), `${batchId}.1.json`),
    toRecordText(seals, { batchId, part: 1 }, content),
  );
}

function rowOf(job: number, at: number): readonly string[] {
  const { file, number, title } = documentOf(job, at);
  return [file, number, title, 'P02', 'A4', 'Structural'];
}

function fileOf({ ofJob, beganMs, job, first }: Part, index: number): Manifest['files'][number] {
  const { file, sha256 } = documentOf(job, first + index);
  const cells = [...rowOf(job, first + index)];
  return {
    index,
    path: `${ofJob.place}/${file}`,
    sizeBytes: 1_000_000 + index,
    mtimeNs: `${beganMs}000000`,
    sha256,
    mimeType: 'application/pdf',
    values: { Revision: 'P02' },
    entry: { register: 0, row: { number: first + index + 2, cells } },
  };
}

function uploadOf(job: number, at: number): string {
  return `01K0UPLOAD${String(job).padStart(8, '0')}${String(at).padStart(8, '0')}`;
}

export function revisionOf(job: number, at: number): string {
  return `01K0REVISI${String(job).padStart(8, '0')}${String(at).padStart(8, '0')}`;
}

function batchIdOf(beganMs: number, part: number): string {
  const at = new Date(beganMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const letters = [...part.toString(32).padStart(6, '0')].map(
    digit => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(digit, 32)],
  );
  return `${at}-${letters.join('')}`;
}

async function put(path: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
