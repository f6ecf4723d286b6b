// The documents of a job as rows, in the register's order. Pure.
import { hash } from 'node:crypto';
import { keepFew } from '../../../activities/host/keep-few';
import { USUAL_FIELDS } from '../../../activities/registers/column-words';
import { indexWords, meaningsOf } from '../../../activities/registers/name-columns';
import { compareNatural } from '../../../activities/registers/natural-order';
import { FIX_NOT_THERE } from '../../../activities/registers/words/outcome-words';
import type { ReceiptRow } from '../../../activities/share/batch/kept-receipt';
import type { Manifest, ManifestFile } from '../../../activities/share/batch/manifest';
import { OUTCOME_OF_ROW } from '../../../activities/share/batch/outcome-of-row';
import type { BatchDocuments } from '../../../activities/share/receipt/documents-so-far';
import { whatToDoOf } from '../../../activities/share/receipt/words-of-row';
import type { MissingRow } from '../../../activities/share/status/missing-rows';
import type { Reason } from '../../../workflows/contract';
import type { WaitingDocument } from '../../../workflows/ingest/ingest-contract';
import type { JobRow } from '../contract/jobs';
import { texts } from '../texts/texts';
import { belowJob, type SeenJob } from './seen-job';
import { type Stage, stagesOf, tellStage } from './stages';

export interface SeenRow extends JobRow {
  /** Code of its reason: the same is to be done about all rows of one code. */
  readonly code: string | null;
  readonly stage: Stage;
  /** Undefined for what is in no batch. */
  readonly of: { readonly part: BatchDocuments; readonly index: number } | undefined;
}

/** What runs say of documents, by batch and index. */
export interface SaidByRuns {
  /** Those that wait in line. */
  readonly inLine: ReadonlyMap<string, WaitingDocument>;
  /** Those that were held and have an answer: who gave it. */
  readonly answered: ReadonlyMap<string, Reason>;
}

const NOTHING_SAID: SaidByRuns = { inLine: new Map(), answered: new Map() };

export function toRows(job: SeenJob, said = NOTHING_SAID): readonly SeenRow[] {
  const rows = [
    ...job.parts.flatMap(part => listOfPart(job, part, said)),
    ...job.inLine.map(path => toWaiting(path, 'in-line', job.waitsFor && texts.jobs.row.untilWhole)),
    // As long as files may still come, the missing ones are only named among the notes of the job.
    ...(job.job?.closed === undefined ? [] : job.missing.map(toMissing)),
  ];
  return withKeys(rows.sort(compareRows));
}

function compareRows(one: Draft, other: Draft): number {
  const [left, right] = [one.row ?? Number.POSITIVE_INFINITY, other.row ?? Number.POSITIVE_INFINITY];
  return left === right ? compareNatural(one.file, other.file) : left - right;
}

type Draft = Omit<SeenRow, 'key'>;

/** A job that has not changed is the same value, and has the same rows, where its runs say nothing more. */
const ROWS = new WeakMap<SeenJob, readonly SeenRow[]>();

export function rowsOf(job: SeenJob, said = NOTHING_SAID): readonly SeenRow[] {
  if (said.inLine.size > 0 || isUntold(job, said.answered)) return toRows(job, said);
  const rows = ROWS.get(job) ?? toRows(job);
  ROWS.set(job, rows);
  return rows;
}

/** Whether an answer is not on the share yet. Its run tells of it until the document has ended. */
function isUntold({ parts }: SeenJob, answered: SaidByRuns['answered']): boolean {
  if (answered.size === 0) return false;
  return parts.some(({ batchId, rows }) =>
    rows.some(row => withAnswer(row, answered.get(`${batchId} ${row.index}`)) !== row),
  );
}

/** The key of a document with this path below its job's folder. */
function keyOfFile(file: string): string {
  return hash('sha256', `\n${file}`).slice(0, 16);
}

/** Names a document for whoever knows its batch, and not how many others of its path its job has. */
export function keyOfDocument({
  batchId,
  index,
}: {
  readonly batchId: string;
  readonly index: number;
}): string {
  return `${batchId}-${index}`;
}

/** By its key among the rows of the job, or by `keyOfDocument`. */
export function findRow(rows: readonly SeenRow[], wanted: string): SeenRow | undefined {
  const isWanted = ({ of }: SeenRow) =>
    of !== undefined && keyOfDocument({ batchId: of.part.batchId, index: of.index }) === wanted;
  return rows.find(({ key }) => key === wanted) ?? rows.find(isWanted);
}

/** A key is a hash of the path, which stays the same from the drop folder to the end; it shows no name. */
function withKeys(drafts: readonly Draft[]): readonly SeenRow[] {
  const times = new Map<string, number>();
  return drafts.map(draft => {
    const isNotThere = draft.of === undefined && draft.outcome === 'set-apart';
    const key = isNotThere ? `row-${draft.row}` : keyOfFile(draft.file);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return { ...draft, key: before === 0 ? key : `${key}-${before + 1}` };
  });
}

function toWaiting(file: string, outcome: 'in-line' | 'on-the-way', reason: string | undefined): Draft {
  return {
    row: null,
    outcome,
    file,
    number: null,
    revision: null,
    title: null,
    reason: reason ?? null,
    whatToDo: null,
    since: null,
    code: null,
    stage: 'dropped',
    of: undefined,
  };
}

function toMissing({ row, file }: MissingRow): Draft {
  return {
    ...toWaiting(file, 'in-line', undefined),
    row,
    outcome: 'set-apart',
    reason: texts.jobs.row.notThere,
    whatToDo: FIX_NOT_THERE,
    code: 'not-there',
    stage: 'ended',
  };
}

function listOfPart(job: SeenJob, part: BatchDocuments, said: SaidByRuns): readonly Draft[] {
  if (part.sealed === undefined) {
    return part.claimed.map(path =>
      toWaiting(belowJob(job, path), 'on-the-way', texts.jobs.row.beingTakenOver),
    );
  }
  const { manifest } = part.sealed;
  const stages = stagesOf(part);
  const columns = manifest.registers?.map(({ headers }) => readHeaders(headers)) ?? [];
  return part.rows.map((kept): Draft => {
    const key = `${part.batchId} ${kept.index}`;
    const row = withAnswer(kept, said.answered.get(key));
    const file = manifest.files[row.index];
    const names = { ...namesFromManifest(file, columns), ...namesFromStored(row) };
    const waiting = said.inLine.get(key);
    const reason = waiting?.reason ?? row.reason;
    const outcome = waiting !== undefined && row.outcome === 'open' ? 'in-line' : OUTCOME_OF_ROW[row.outcome];
    const { stage, atMs } = stages[row.index] ?? { stage: 'taken-over', atMs: undefined };
    return {
      row: row.row ?? null,
      outcome,
      file: belowJob(job, row.path),
      number: names.number ?? null,
      revision: names.revision ?? null,
      title: names.title ?? null,
      reason: reason?.text ?? tellStage(stage),
      whatToDo: whatToDoOf(row) || null,
      since: sinceOf(row, waiting, atMs, manifest),
      code: reason?.code ?? null,
      stage,
      of: { part, index: row.index },
    };
  });
}

/** The share learns of an answer a moment later: until then it has the document as held. */
function withAnswer(row: ReceiptRow, reason: Reason | undefined): ReceiptRow {
  if (reason === undefined || row.outcome !== 'held') return row;
  return { ...row, outcome: 'open', reason, heldSince: undefined };
}

function sinceOf(
  row: ReceiptRow,
  waiting: WaitingDocument | undefined,
  atMs: number | undefined,
  { createdAt }: Manifest,
): string {
  if (row.submittedAt !== undefined) return row.submittedAt;
  if (row.heldSince !== undefined) return row.heldSince;
  if (waiting !== undefined) return new Date(waiting.sinceMs).toISOString();
  return atMs === undefined ? createdAt : new Date(atMs).toISOString();
}

interface Names {
  number?: string;
  revision?: string;
  title?: string;
}

const WORDS = indexWords({ fields: USUAL_FIELDS, isComplete: false, synonyms: {} });
const NAME_OF: Readonly<Record<string, keyof Names>> = {
  number: 'number',
  revision: 'revision',
  title: 'title',
  // Where nothing is called a title.
  description: 'title',
};

/** A title goes before a description, whichever stands first. */
function isTitle(meaning: ReturnType<typeof WORDS.meaningOf>): boolean {
  return meaning.kind === 'field' && meaning.field === 'title';
}

/** Which column has the number, the revision and the title. */
function readHeaders(headers: readonly string[]): ReadonlyMap<keyof Names, number> {
  const columns = new Map<keyof Names, number>();
  for (const [at, meaning] of meaningsOf(headers, WORDS).entries()) {
    const name = meaning.kind === 'field' ? NAME_OF[meaning.field] : undefined;
    if (name !== undefined && (!columns.has(name) || isTitle(meaning))) columns.set(name, at);
  }
  return columns;
}

/** What its row says, else what its name said. */
function namesFromManifest(
  file: ManifestFile | undefined,
  columns: readonly ReadonlyMap<keyof Names, number>[],
): Names {
  if (file === undefined) return {};
  const names: Names = {};
  for (const name of ['number', 'revision', 'title'] as const) {
    const column = columns[file.entry?.register ?? -1]?.get(name);
    const cell = column === undefined ? '' : (file.entry?.row?.cells[column] ?? '').trim();
    const value = file.values[name];
    const said = cell === '' ? (typeof value === 'string' ? value : (value?.[0] ?? '')) : cell;
    if (said !== '') names[name] = said;
  }
  return names;
}

/** By the list of labels: all rows of a job have the same, and what they mean is told the same. */
const MEANINGS = new Map<string, ReturnType<typeof meaningsOf>>();
const MOST_LISTS = 64;

function meaningsOfLabels(labels: readonly string[]): ReturnType<typeof meaningsOf> {
  const key = JSON.stringify(labels);
  const meanings = MEANINGS.get(key) ?? meaningsOf(labels, WORDS);
  keepFew(MEANINGS, key, meanings, MOST_LISTS);
  return meanings;
}

/** What the service has stored. */
function namesFromStored({ stored }: ReceiptRow): Names {
  const names: Names = {};
  for (const [at, meaning] of meaningsOfLabels(stored.map(({ label }) => label)).entries()) {
    const name = meaning.kind === 'field' ? NAME_OF[meaning.field] : undefined;
    const value = stored[at]?.value ?? '';
    if (name === undefined || value === '') continue;
    names[name] = isTitle(meaning) ? value : (names[name] ?? value);
  }
  return names;
}
