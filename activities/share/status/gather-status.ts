// How a job stands, from what lies on the share: the receipts of its batches, final ones and those so far,
// and the manifests of those that have none yet.
import { hasCode } from '../../host/error-code';
import type {
  ExpectedEnd,
  StatusCase,
  StatusFacts,
  StatusNote,
  StatusOutage,
} from '../../registers/status/status-facts';
import {
  countAll,
  FIX_NOT_THERE,
  type Outcome,
  type Tally,
  tallyOutcomes,
} from '../../registers/words/outcome-words';
import { isOfOneBatch } from '../batch/finished-receipts';
import { foldJournal } from '../batch/fold-journal';
import { readJournal } from '../batch/journal';
import { type ReceiptRow, readReceipt, readReceiptSoFar } from '../batch/kept-receipt';
import { type Manifest, readManifest } from '../batch/manifest';
import { OUTCOME_OF_ROW } from '../batch/outcome-of-row';
import { locateBatch } from '../batch/read-batch';
import { listOwnFiles } from '../files/own-files';
import { nameOf, type RelativePath } from '../files/relative-path';
import { type ShareErrorCode, toShareError } from '../files/share-error';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { listNotedBatches } from '../jobs/job-book';
import { type JobRecord, openJobPaths } from '../jobs/job-record';
import type { MissingRow, MissingRows } from './missing-rows';

/** What one batch adds to the job. */
export interface PartStatus {
  /** Those of its files that are seen, below the job's folder. */
  readonly files: readonly string[];
  /** More may still join those that are there so far; of a spoilt batch nobody can say what is in it. */
  readonly seen: 'all' | 'so-far' | 'nothing';
  readonly outcomes: readonly Outcome[];
  readonly cases: readonly StatusCase[];
  /** When the last of its documents was submitted; 0 for none. */
  readonly lastMs: number;
}

/** Of batches that have their final receipt, by id: nothing of them changes any more. */
export type SettledParts = Map<string, PartStatus>;

/** Of many only the first are named once the job is closed. */
export type LeftFiles = Pick<StatusNote, 'names' | 'inAll'>;

export interface Around {
  /** Paths of files of the job that still lie in the drop folder, relative to that. */
  readonly inLine: readonly string[];
  /** Files of its folder that no row is about and that stay there. */
  readonly left: LeftFiles;
  /** Nothing more becomes part of it. */
  readonly isClosed: boolean;
  readonly missing: MissingRows;
  /** What these batches of the job wait for. */
  readonly outagesOf: (batchIds: readonly string[]) => Promise<readonly StatusOutage[]>;
  readonly now: Date;
  readonly zone: string;
}

/** What the page needs of a row of a receipt. */
type RowSoFar = Pick<ReceiptRow, 'path' | 'row' | 'outcome' | 'reason' | 'submittedAt' | 'heldSince'>;

const EMPTY: PartStatus = { files: [], seen: 'all', outcomes: [], cases: [], lastMs: 0 };

export async function gatherStatus(
  layout: ShareLayout,
  record: JobRecord,
  { inLine, left, isClosed, missing, outagesOf, now, zone }: Around,
  settled: SettledParts,
): Promise<StatusFacts> {
  const parts: PartStatus[] = [];
  const onTheWay: string[] = [];
  for (const batchId of await listNotedBatches(layout, openJobPaths(layout, record.jobId))) {
    const part = settled.get(batchId) ?? (await lookAtPart(layout, record, batchId, settled));
    parts.push(part);
    if (part.outcomes.includes('on-the-way')) onTheWay.push(batchId);
  }
  const outages = onTheWay.length === 0 ? [] : await outagesOf(onTheWay);
  const outcomes = parts.flatMap(part => part.outcomes);
  const tally = { ...tallyOutcomes(outcomes), 'in-line': inLine.length };
  // Closed, and every batch is known: a file that has not come will not come any more.
  const isWhole = isClosed && parts.every(({ seen }) => seen === 'all');
  const unread = parts.filter(({ seen }) => seen === 'nothing').length;
  const come = isWhole
    ? listCome(parts)
    : listSeen(record, [...listCome(parts), ...inLine.map(path => belowFolder(record.folder, path))]);
  // A file that seems to be missing may lie in a batch that cannot be read.
  const notThere = unread > 0 ? [] : await missing.among(record, come).catch(noneSeen);
  const lastMs = Math.max(0, ...parts.map(part => part.lastMs));
  const { register } = record;
  const end = expectEnd(tally, Date.parse(record.createdAt), lastMs, now.getTime());
  return {
    jobId: record.jobId,
    jobName: record.place,
    share: record.share,
    tally: isWhole ? { ...tally, 'set-apart': tally['set-apart'] + notThere.length } : tally,
    ...(unread === 0 ? {} : { unread }),
    droppedAt: record.createdAt,
    writtenAt: now.toISOString(),
    zone,
    ...(register === undefined ? {} : { register: nameOf(register.path) }),
    cases: [...parts.flatMap(part => part.cases), ...(isWhole ? notThere.map(toCase) : [])],
    notes: [
      { kind: 'did-not-come', names: isWhole ? [] : notThere.map(({ file }) => file) },
      { kind: 'left', ...left },
    ],
    ...(outages.length === 0 ? {} : { outages }),
    // More may still come, such as files that its register lists; or nobody can say.
    end: end.kind === 'over' && (!isClosed || unread > 0) ? { kind: 'not-known' } : end,
  };
}

/** The page is written without them; they show at a later look. */
function noneSeen(error: unknown): readonly MissingRow[] {
  if (hasCode<ShareErrorCode>(error, 'unreadable-now')) return [];
  throw error;
}

function listCome(parts: readonly PartStatus[]): readonly string[] {
  return parts.flatMap(({ files }) => files);
}

/** With those that the job was begun with: some of them may be between the drop folder and a batch. */
export function listSeen({ register }: JobRecord, come: readonly string[]): readonly string[] {
  return [
    ...come,
    ...(register?.pairs ?? []).map(({ path }) => path),
    ...(register?.twice ?? []).map(({ path }) => path),
    ...(register?.ambiguous ?? []).flatMap(({ paths }) => paths),
  ];
}

function toCase({ row, file }: MissingRow): StatusCase {
  return {
    outcome: 'set-apart',
    file,
    row,
    reason: 'Listed, not there: the register lists these files, and they did not come.',
    whatToDo: FIX_NOT_THERE,
  };
}

function belowFolder(folder: string | null, path: string): string {
  return folder === null ? path : path.slice(folder.length + 1);
}

async function lookAtPart(
  layout: ShareLayout,
  record: JobRecord,
  batchId: string,
  settled: SettledParts,
): Promise<PartStatus> {
  try {
    const paths = await locateBatch(layout, batchId);
    const claimed = await readClaimed(layout, record, paths);
    // A batch of another job: somebody has put its name there.
    if (claimed === undefined) return EMPTY;
    const final = await readReceipt(paths);
    if (final !== undefined) {
      const part = toPart(record, final);
      settled.set(batchId, part);
      return part;
    }
    if ('files' in claimed) return toPart(record, { files: await readRowsSoFar(paths, claimed) });
    return {
      ...EMPTY,
      files: claimed.map(({ path }) => belowFolder(record.folder, path)),
      seen: 'so-far',
      outcomes: claimed.map(() => 'on-the-way'),
    };
  } catch (error) {
    const trouble = toShareError(error);
    if (trouble === undefined || !isOfOneBatch(trouble)) throw error;
    // Gone back to the drop folder, or spoilt: what is spoilt is told elsewhere.
    return trouble.code === 'batch-unknown' ? EMPTY : { ...EMPTY, seen: 'nothing' };
  }
}

/**
 * Document by document, as its journal has it: the receipt so far is written when there is something to hold.
 */
async function readRowsSoFar(paths: BatchPaths, { files }: Manifest): Promise<readonly RowSoFar[]> {
  const soFar = new Map((await readReceiptSoFar(paths))?.files.map(row => [row.index, row]));
  // A record that cannot be read is told by whoever carries the batch.
  const records = await readJournal(paths, () => undefined, 'outcome');
  const ended = new Map(foldJournal(records).map(({ index, outcome }) => [index, outcome]));
  return files.map(({ index, path, entry, refused }): RowSoFar => {
    const told = soFar.get(index);
    if (told !== undefined && told.outcome !== 'held' && told.outcome !== 'open') return told;
    const row = entry?.row?.number;
    const facts = { path, ...(row === undefined ? {} : { row }) };
    const outcome = ended.get(index);
    if (outcome?.kind === 'submitted') {
      const submittedAt = new Date(outcome.submittedAtMs).toISOString();
      return { ...facts, outcome: 'submitted', submittedAt };
    }
    if (outcome !== undefined) return { ...facts, outcome: outcome.kind, reason: outcome.reason };
    if (refused !== undefined) return { ...facts, outcome: 'set-apart', reason: refused };
    return told ?? { ...facts, outcome: 'open' };
  });
}

/** The manifest of a batch of the job; the files that lie there so far while it is not sealed yet. */
async function readClaimed(
  layout: ShareLayout,
  { jobId }: JobRecord,
  paths: BatchPaths,
): Promise<Manifest | readonly RelativePath[] | undefined> {
  try {
    const { manifest } = await readManifest({ ...paths, project: undefined });
    return manifest.job?.id === jobId ? manifest : undefined;
  } catch (error) {
    if (!hasCode<ShareErrorCode>(error, 'batch-unknown')) throw error;
    const files: RelativePath[] = [];
    for await (const file of listOwnFiles(layout.fs, layout.root, paths.files)) files.push(file);
    return files;
  }
}

function toPart({ folder }: JobRecord, { files }: { readonly files: readonly RowSoFar[] }): PartStatus {
  return {
    files: files.map(({ path }) => belowFolder(folder, path)),
    seen: 'all',
    outcomes: files.map(({ outcome }) => OUTCOME_OF_ROW[outcome]),
    cases: files.flatMap(({ outcome, reason, path, row, heldSince }): StatusCase[] => {
      const shown = OUTCOME_OF_ROW[outcome];
      if ((shown !== 'held' && shown !== 'set-apart' && shown !== 'on-the-way') || reason === undefined)
        return [];
      return [
        {
          outcome: shown,
          file: belowFolder(folder, path),
          reason: reason.text,
          whatToDo: reason.fix,
          ...(row === undefined ? {} : { row }),
          ...(heldSince === undefined ? {} : { since: heldSince }),
        },
      ];
    }),
    lastMs: Math.max(0, ...files.map(({ submittedAt }) => Date.parse(submittedAt ?? '') || 0)),
  };
}

/** An estimate is given from a third of the way on, while there is progress. */
const LEAST_DONE = 1 / 3;
/** Without a step forward for so long, nobody can say. */
const STILL_MS = 10 * 60_000;

/** From the pace so far. Pure. */
export function expectEnd(tally: Tally, beganMs: number, lastMs: number, nowMs: number): ExpectedEnd {
  const moving = tally['on-the-way'] + tally['in-line'];
  if (tally.held > 0) return { kind: 'when-answered' };
  if (moving === 0) return { kind: 'over' };
  const done = tally.through + tally['already-there'] + tally['set-apart'];
  const isEarly = done < LEAST_DONE * countAll(tally) || lastMs <= beganMs;
  if (isEarly || nowMs - lastMs > Math.max(STILL_MS, (lastMs - beganMs) / 2)) return { kind: 'not-known' };
  const endMs = lastMs + ((lastMs - beganMs) / done) * moving;
  return endMs <= nowMs ? { kind: 'not-known' } : { kind: 'about', at: new Date(endMs).toISOString() };
}
