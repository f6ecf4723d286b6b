// Finds documents, jobs and people by what a person types, or pastes from a sheet: what is on its way by its
// rows, what has become a revision by the ledgers.

import type { z } from 'zod';
import { foldText } from '../../../activities/host/fold-text';
import type { LedgerDocument } from '../../../activities/ledger/index-keys';
import { nameOf } from '../../../activities/share/files/relative-path';
import type { found as foundShape } from '../contract/jobs';
import type { ApartDocument, FinishedJob } from './list-jobs';
import type { SeenJob } from './seen-job';
import { keyOfDocument, rowsOf, type SeenRow } from './to-rows';

type Found = z.output<typeof foundShape>;
type FoundDocument = Extract<Found, { kind: 'document' }>;

/** More than people look through. */
const MOST_FOUND = 50;

export interface FindIn {
  readonly open: readonly SeenJob[];
  readonly finished: readonly FinishedJob[];
  readonly submitted: readonly LedgerDocument[];
}

/**
 * What is called exactly so, then what has it in its name: of each documents, the newest first; then jobs;
 * then people.
 */
export function findAll(
  { open, finished, submitted }: FindIn,
  wanted: string,
): { found: Found[]; more: boolean } {
  const folded = foldText(wanted);
  const documents = new Map<string, FoundDocument>();
  const nameOfJob = new Map(
    submitted.length === 0 ? [] : finished.map(({ share, job, name }) => [`${share}/${job}`, name]),
  );
  for (const document of submitted) {
    const one = toSubmitted(document, nameOfJob);
    documents.set(`${one.share}/${one.job}/${one.key}`, one);
  }
  // A ledger finds by whole texts alone.
  const exact = new Set<Found>(documents.values());
  for (const job of finished) {
    if (!job.foldedApart.includes(folded)) continue;
    for (const one of job.apart) {
      if (!isCalled(one, folded)) continue;
      const document = toApart(job, one);
      documents.set(`${job.share}/${job.job}/${one.key}`, document);
      if (isCalledExactly(one, folded)) exact.add(document);
    }
  }
  for (const job of open) {
    for (const row of rowsOf(job)) {
      const isItsId = hasId(row, wanted);
      if (!isItsId && !isCalled(row, folded)) continue;
      const document = toFound(job, row);
      documents.set(`${job.share}/${job.id}/${keyInLedger(row)}`, document);
      if (isItsId || isCalledExactly(row, folded)) exact.add(document);
    }
  }
  const isCalledSo = ({ name }: { readonly name: string }) => foldText(name).includes(folded);
  const jobs = [
    ...open.filter(isCalledSo).map(toJob),
    ...finished.filter(job => job.folded.includes(folded) && isCalledSo(job)).map(toFinishedJob),
  ];
  const all = [
    ...[...documents.values()].sort((one, other) => timeOf(other) - timeOf(one)),
    ...jobs,
    ...findPeople({ open, finished }, folded),
  ];
  const isExact = (one: Found) => (one.kind === 'document' ? exact.has(one) : foldText(one.label) === folded);
  const found = [...all.filter(isExact), ...all.filter(one => !isExact(one))];
  return { found: found.slice(0, MOST_FOUND), more: found.length > MOST_FOUND };
}

/** A ledger knows neither the job's other rows nor, with them, the key of a row. */
function keyInLedger({ key, of }: SeenRow): string {
  return of === undefined ? key : keyOfDocument({ batchId: of.part.batchId, index: of.index });
}

function timeOf({ since }: FoundDocument): number {
  return since === null ? Number.POSITIVE_INFINITY : Date.parse(since);
}

function hasId({ of }: SeenRow, wanted: string): boolean {
  const kept = of?.part.rows[of.index];
  return kept !== undefined && [kept.sha256, kept.uploadId, kept.revisionId].some(id => id === wanted);
}

/** By its number or its file; by a part of these, once that has three characters. */
function isCalled({ number, file }: Pick<SeenRow, 'number' | 'file'>, folded: string): boolean {
  const texts = [number ?? '', file, nameOf(file)].map(foldText);
  return texts.some(text => text === folded || (folded.length > 2 && text.includes(folded)));
}

/** Also by its file's name without the ending. */
function isCalledExactly({ number, file }: Pick<SeenRow, 'number' | 'file'>, folded: string): boolean {
  const name = nameOf(file);
  const stem = name.replace(/(.)\.[^.]*$/, '$1');
  return [number ?? '', file, name, stem].some(text => foldText(text) === folded);
}

function toApart({ share, job, name }: FinishedJob, { key, file, number, revision, since }: ApartDocument) {
  const label = number ?? file;
  const outcome = 'set-apart' as const;
  return { kind: 'document' as const, share, job, jobName: name, key, label, revision, outcome, since };
}

function toFound({ share, id, name }: SeenJob, row: SeenRow): FoundDocument {
  const { key, number, file, revision, outcome, since } = row;
  return {
    kind: 'document',
    share,
    job: id,
    jobName: name,
    key,
    label: number ?? file,
    revision,
    outcome,
    since,
  };
}

function toSubmitted(document: LedgerDocument, nameOfJob: ReadonlyMap<string, string>): FoundDocument {
  const { share, job, batchId, number, name, revision, submittedAtMs } = document;
  const id = job?.id ?? batchId;
  return {
    kind: 'document',
    share,
    job: id,
    jobName: nameOfJob.get(`${share}/${id}`) ?? job?.name ?? id,
    key: keyOfDocument(document),
    label: number ?? name,
    revision,
    outcome: 'through',
    since: new Date(submittedAtMs).toISOString(),
  };
}

function toJob({ share, id, name, droppedAt }: SeenJob): Found {
  return { kind: 'job', share, job: id, label: name, at: droppedAt };
}

function toFinishedJob({ share, job, name, endedAt }: FinishedJob): Found {
  return { kind: 'job', share, job, label: name, at: endedAt };
}

function findPeople({ open, finished }: Pick<FindIn, 'open' | 'finished'>, folded: string): Found[] {
  const jobs = new Map<string, number>();
  for (const { by } of [...open, ...finished]) if (by !== null) jobs.set(by, (jobs.get(by) ?? 0) + 1);
  return [...jobs]
    .filter(([name]) => foldText(name).includes(folded))
    .map(([label, count]) => ({ kind: 'person', label, jobs: count }));
}
