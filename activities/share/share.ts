// A share, as others use it: everything that touches its files goes through here. Any number of
// processes may have the same share open; exclusive renames, links and folders make what they do
// to it safe, not locks in memory.

import type { ProjectRef } from '../../workflows/contract';
import type { DocumentOutcome, JournalRecord } from '../../workflows/ingest/ingest-contract';
import type { Clock } from '../host/clock';
import type { FileHasher } from '../transfer/hashing/hash-file';
import type { FileToSend } from '../transfer/ports';
import type { ReadFinishedOptions } from './batch/finished-receipts';
import type { DatedRecord } from './batch/fold-journal';
import type { SealedManifest } from './batch/manifest';
import type { Passes } from './batch/passes';
import type { BatchContents } from './batch/read-batch';
import type { ShareTemporals } from './batch/temporals';
import type { FormerIntent } from './batch/told-outcomes';
import type { Claimed, ClaimedBatch } from './claim/claim-files';
import type { ReturnedFile } from './claim/describe-files';
import type { SealedBatch } from './claim/hash-claim';
import type { OpenBatch } from './claim/open-batches';
import type { OtherProject } from './claim/other-project';
import type { DocumentWords } from './drop/document-words';
import type { NameValues } from './drop/name-values';
import type { DropEntry, ScanOptions } from './drop/scan-drop';
import type { FolderToTest } from './drop/test-folder';
import type { Reachability } from './files/reachability';
import type { RelativePath } from './files/relative-path';
import type { ShareFs } from './files/share-fs';
import type { ShareTraits } from './files/share-traits';
import type { OpenJob } from './jobs/job-book';
import type { ClosedJob, JobRecord } from './jobs/job-record';
import type { ProofPlace } from './jobs/proof-chain';
import type { UploadRoom } from './jobs/uploads/upload-room';
import type { LedgerEntry } from './ledger/ledger-record';
import type { RecordedFinished, RecordFinishedOptions } from './ledger/record-finished';
import type { LedgerReader } from './ledger/share-ledger';
import type { GivenSheet } from './receipt/corrected/corrected-sheets';
import type { DroppedSheet } from './receipt/corrected/dropped-sheets';
import type { GivenFile, Replaced } from './receipt/corrected/replace-file';
import type { JobColumns, RowAgain, RowsNews } from './receipt/corrected/rows-again';
import type { BatchDocuments } from './receipt/documents-so-far';
import type { HeldBatches } from './receipt/held/held-batches';
import type { JobPapers } from './receipt/job-papers';
import type { HeldFile } from './receipt/make-receipt';
import type { NamedBatch } from './receipt/receipt-files';
import type { ReceiptNow } from './receipt/receipt-now';
import type { SetApartFile, SetApartListing, TakenUp } from './receipt/set-apart';
import type { SettledSummary } from './receipt/settle-up';
import type { SheetNews } from './receipt/sheet-news';
import type { BegunWith } from './register/begun-with';
import type { KeptField, KeptFields } from './register/kept-fields';
import type { NewTemplate, TemplateOutcome, TemplateState } from './register/kept-template';
import type { DropRegister } from './register/look-in-drop';
import type { AskFields } from './register/project-words';
import type { DocumentPlace, QueuedBatch, TurnRequest, Turns } from './revision-order/revision-queue';
import type { ShareConfig } from './share-config';
import type { MissingRow } from './status/missing-rows';
import type { SeenOfJobs } from './status/status-book';
import type { WorkMarks } from './status/work-marks';

export interface ShareLogger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface ShareDeps {
  readonly hasher: FileHasher;
  readonly logger: ShareLogger;
  /**
   * 32 bytes that all hosts of the share have in common, and nobody else: what is
   * ours on it is sealed with them.
   */
  readonly key: Buffer;
  readonly fs?: ShareFs;
  readonly clock?: Clock;
  /** Who a file's owner is; the people of this machine when absent. */
  readonly personOf?: (uid: number) => Promise<string | undefined>;
  /** Asks the service for the fields of the project; absent in a process that asks it nothing. */
  readonly askFields?: AskFields | undefined;
  /** Nothing is made and no mode is changed; what is missing is a fault then. */
  readonly looksOnly?: boolean;
}

/** What every user of a share knows of it. */
export interface NamedShare {
  readonly name: string;
  readonly config: ShareConfig;
}

/** Where people put files, as the watcher and a claim on demand see it. */
export interface DropFolder {
  /** The drop folder, resolved. */
  readonly dropFolder: string;
  /** Names in the drop folder, streamed; noise and symbolic links to folders are not entered. */
  scan(options?: ScanOptions): AsyncGenerator<RelativePath>;
  /** What the file of a name looks like now; undefined when it is gone. */
  look(name: RelativePath): Promise<DropEntry | undefined>;
  /** A mark that changes when something enters or leaves a folder of the drop; undefined when it is gone. */
  lookAtFolder(path: string): Promise<bigint | undefined>;
  /** Removes an emptied folder of the drop; false when it is not empty or not there. */
  removeEmptyFolder(path: string): Promise<boolean>;
}

/** Where people put folders to be tested: they are read, and stay as they are. */
export interface TestFolder {
  foldersToTest(): Promise<readonly FolderToTest[]>;
  /** What to read of one of them. @throws ShareError `bad-request` for what is no folder there. */
  openTest(name: string): Promise<OpenTest>;
  /** @returns where it is, from the share's root. */
  putTestResult(name: string, result: { readonly format: string; readonly bytes: Buffer }): Promise<string>;
}

/** The template for people at the root of the share; called only where the share is to have one. */
export interface ShareTemplate {
  /** @param settings a hash of the settings that it is made by. */
  lookAtTemplate(settings: string): Promise<TemplateState>;
  /** Writes it when it says something new, or is gone; never over what is not ours. */
  putTemplate(template: NewTemplate): Promise<TemplateOutcome>;
  /** Undefined where none lies there, or one that somebody has changed. */
  readTemplate(): Promise<Buffer | undefined>;
}

/** What the project asks for, as a worker saw it last, for those who show it and cannot ask the service. */
export interface ShareFields {
  readFields(): Promise<KeptFields | undefined>;
  putFields(fields: readonly KeptField[]): Promise<void>;
}

/** Jobs that come byte by byte, and lie in the drop folder when they are whole. */
export interface Uploads {
  readonly uploads: UploadRoom;
}

/** A folder, and the file system that leads to it. */
export interface OpenTest {
  readonly fs: ShareFs;
  readonly root: string;
  readonly base: string;
  readonly name: string;
}

/** What the registers in the drop folder say, for whoever waits until a folder is whole. */
export interface DropRegisters {
  /**
   * Of all that lies below one top folder; '' for loose files. Undefined where there is none to be used;
   * `busy` where the one that is there cannot be read just now.
   */
  lookForRegister(top: string, entries: readonly DropEntry[]): Promise<DropRegister | 'busy' | undefined>;
  /** What the job of a top folder is begun with. Undefined to wait: its register cannot be read just now. */
  readRegister(top: string, entries: readonly DropEntry[]): Promise<BegunWith | undefined>;
  /**
   * Those of the files that no row is about, where the share leaves such files in the drop folder; paths are
   * relative to it.
   */
  leaveUnlisted(top: string, entries: readonly DropEntry[]): Promise<readonly string[]>;
  /** Those of a top folder that were found so last: nothing of them is looked at again, or noted. */
  readUnlisted(top: string): Promise<readonly string[]>;
}

/** From files in the drop folder to sealed batches: the watcher, its recovery, and a claim on demand. */
export interface Claims {
  /** Claims at most 100 files into one batch. Follow it with `writeManifest`. */
  claim(
    wanted: readonly (string | DropEntry)[],
    options?: { readonly key?: string | undefined; readonly job?: JobRecord | undefined },
  ): Promise<Claimed>;
  /** Hashes and seals a claimed batch. Without a batch id all its files went back to the drop folder. */
  writeManifest(
    batch: ClaimedBatch,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<SealedBatch | { readonly batchId: undefined; readonly returned: readonly ReturnedFile[] }>;
  /** Finishes a claim whose owner is dead; undefined when there is nothing to adopt. */
  adopt(
    batchId: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<SealedBatch | undefined>;
  /** Batches that were claimed under this key, whatever became of them. */
  batchesOfKey(key: string): Promise<string[]>;
}

/** What was dropped as one folder, whatever number of batches it takes. */
export interface Jobs {
  /** Those that have no receipt yet. */
  openJobs(): Promise<OpenJob[]>;
  /**
   * The job of a top folder of the drop: the one that is on its way, or a new one; a new one as well when the
   * files come with a register that is not that job's.
   */
  openJob(folder: string, begunWith?: BegunWith): Promise<JobRecord>;
  /**
   * Closes a job when its folder holds nothing more of it: what comes there later is another job.
   * @returns the folders that are left there; undefined while there is something to claim.
   */
  closeJob(record: JobRecord): Promise<{ readonly folders: readonly string[] } | undefined>;
  /**
   * Writes the receipt of a closed job whose batches have all settled.
   * @returns undefined while it has none; else the sheets that were written now, relative to the share.
   */
  settleJob(jobId: string): Promise<readonly string[] | undefined>;
}

/** Which folders of the drop folder are jobs already, for files that are claimed on demand. */
export interface JobFolders {
  /**
   * Those of these top folders that have a job which goes on.
   * @throws ShareError `unreadable-now` where one that cannot be opened just now may be the job of another.
   */
  findOpenFolders(folders: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What proves a job to those who see neither the share nor the service. */
export interface Proofs {
  /**
   * Of a finished job, by its folder's name or its id.
   * @returns undefined when no job is called so; `unfinished` while it has no receipt.
   */
  readPapers(place: string): Promise<JobPapers | 'unfinished' | undefined>;
  /** Adds a proof to the chain of its project; the same one is not added twice. */
  linkProof(papers: JobPapers, state: (place: ProofPlace) => string): Promise<ProofPlace>;
}

/** The pages for people on the jobs that are on their way. */
export interface StatusPages {
  /**
   * Writes a page for people on each open job, where there is something new to say, and removes those of
   * others.
   */
  writeStatus(seen: SeenOfJobs): Promise<void>;
}

/** A job as it is shown, wherever it lies. */
export interface ShownJob {
  readonly record: JobRecord;
  /** Undefined while more may become part of it. */
  readonly closed: ClosedJob | undefined;
  /** It has its receipt. */
  readonly isFinished: boolean;
  /** All that were noted for the job; only their manifests say whether they are its batches. */
  readonly batchIds: readonly string[];
  /** Files that no row is about and that stay in its folder while it is open; relative to that. */
  readonly left: readonly string[];
}

/** What is shown to people of the work on a share: read only, and nothing of it is kept here. */
export interface ShownWork {
  /** What changes as soon as something happens: cheap enough to be asked each second. */
  lookAtWork(): Promise<WorkMarks>;
  /** Undefined when there is no such job, or none that is ours. */
  lookAtJob(jobId: string): Promise<ShownJob | undefined>;
  /**
   * Document by document; undefined when there is no such batch, or it is spoilt.
   * @param before what was read of it the last time: only what is new is read then.
   */
  readDocuments(batchId: string, before?: BatchDocuments): Promise<BatchDocuments | undefined>;
  /** Rows of a job's register whose files are not among these, which are paths below its folder. */
  findMissing(
    job: Pick<ShownJob, 'record' | 'isFinished'>,
    files: readonly string[],
  ): Promise<readonly MissingRow[]>;
}

/** What has ended, for whoever keeps an index of it. */
export interface ShownFinished {
  /** Ids of jobs that have their receipts. */
  listFinishedJobs(): Promise<readonly string[]>;
  /** Ids of batches that were put away, of jobs and of none; the oldest first. */
  listFinishedBatches(): Promise<readonly string[]>;
  /**
   * Where people find the receipts of a finished job, from the share's root.
   * @param batches all of the job: what its receipts are called depends on all of its files.
   */
  findReceipts(record: JobRecord, batches: readonly NamedBatch[]): Promise<readonly string[]>;
  /** The whole journal of a batch, open or finished, in no order; or its records of one kind. */
  readRecords(batchId: string, kind?: JournalRecord['kind']): Promise<readonly DatedRecord[]>;
}

/** Sheets that people have corrected, and saved in place or dropped: receipts, and sheets of held rows. */
export interface CorrectedSheets {
  /**
   * Takes up the rows of finished jobs that were set apart and are corrected now: their files go to the drop
   * folder again, with a register of these rows. Safe to be done by several at one time.
   */
  takeUpCorrections(): Promise<readonly SheetNews[]>;
  /**
   * Puts the sheet of each job of which documents are held, and nothing else is on its way, where people
   * correct it; answers for the held rows that they have corrected in it. Safe to be done by several at one
   * time.
   */
  takeUpHeld(batches: HeldBatches): Promise<readonly SheetNews[]>;
  /**
   * Given files in the drop folder that would be claimed together: moves those that are such sheets, and name
   * none of the others, beside the sheet of their job, where one of the above reads them. Those that stay for
   * a time are returned as well; all others are to be claimed.
   */
  takeUpDropped(entries: readonly DropEntry[], isQuiet: boolean): Promise<readonly DroppedSheet[]>;
  /**
   * Saves a corrected sheet that a person has given by hand beside the receipt of its job, and reads it.
   * Undefined for one of no job that is known here. @throws SheetError for what is no sheet.
   */
  takeUpGiven(name: string, bytes: Buffer): Promise<GivenSheet | undefined>;
}

/** What a person asks of finished jobs by hand, elsewhere than in their folders. Each may be done again. */
export interface AskedRows {
  /** The receipt of a job as it stands; undefined where no batch of it is sealed. */
  makeReceiptNow(jobId: string, format: 'sheet' | 'csv'): Promise<ReceiptNow | undefined>;
  /** Columns and rows of what did not go through. Undefined for a job without a folder or a receipt. */
  readColumns(jobId: string): Promise<JobColumns | undefined>;
  /**
   * Brings rows that were set apart to the drop folder again, with a register of these rows; not those that
   * wait to go with what was asked for them before. Undefined for a job without a folder or a receipt.
   */
  sendAgain(
    jobId: string,
    asked: { readonly wanted: readonly RowAgain[]; readonly by: string },
  ): Promise<readonly RowsNews[] | undefined>;
  /**
   * Brings a file that has come as an upload to the drop folder, in the place of one that was set apart and
   * with its row. Asked again, it says what became of it; without `given` it only says that. Undefined where
   * there is nothing to say, as for a job without a receipt.
   */
  replaceFile(jobId: string, upload: string, given?: GivenFile): Promise<Replaced | undefined>;
}

/** What lies on the share unfinished. */
export interface OpenBatches {
  openBatches(): Promise<OpenBatch[]>;
  /** The manifest's seal of a batch that is ready, for its start. */
  readSeal(batchId: string): Promise<SealedManifest>;
}

/** What claims took by mistake and is kept for an operator. */
export interface MistakenFiles {
  /** The batches that it was taken for. */
  listMistaken(): Promise<readonly string[]>;
}

/** The work on a batch, from its opening to its receipt: the activities of ingest. */
export interface Batches {
  /** What the patterns, as they are configured now, read from a file's path below the drop folder. */
  readValues(path: string): NameValues;
  readBatch(batchId: string, expectManifestSha256?: string): Promise<BatchContents>;
  fileToSend(batchId: string, index: number): Promise<FileToSend>;
  /**
   * Receipt first, then the moves; a repeat finishes what is left. With a final receipt, that receipt stands.
   */
  settleUp(
    batchId: string,
    outcomes: readonly DocumentOutcome[],
    options: {
      readonly final: boolean;
      readonly held?: readonly HeldFile[];
      readonly goingOn?: readonly HeldFile[];
    },
  ): Promise<SettledSummary>;
}

/** What is noted of batches while they are on their way. */
export interface BatchNotes {
  /** @param askedAtMs when the run asked for it, Unix ms of Temporal's clock; where it is no pass, any. */
  appendRecord(batchId: string, record: JournalRecord, askedAtMs?: number): Promise<void>;
  /** Of the documents of these uploads, intents of other uploads in the journal; one for each document. */
  findFormerIntents(
    batchId: string,
    uploads: readonly Pick<FormerIntent, 'index' | 'uploadId'>[],
  ): Promise<readonly FormerIntent[]>;
  /** Which batches were the last to pass the steps of the service. */
  readPasses(): Promise<Passes>;
}

/** Every document of the share that became a revision, for as long as the share is there. */
export interface RevisionLedger {
  readonly ledger: LedgerReader;
  /** Notes what became revisions before there was a ledger; what is noted already is left out. */
  noteFinished(
    options: Pick<RecordFinishedOptions, 'signal' | 'seen' | 'onProgress'>,
  ): Promise<RecordedFinished>;
  /** From now on, nothing is noted as sent before what is there already of its document. */
  noteAfter(findLastMs: FindLastMs): void;
  /** What documents are known by, as patterns and registers call it: entries are made by the same words. */
  readWords(): Promise<DocumentWords>;
}

/** When the newest revision of the same document was sent; undefined for none that is known. */
export type FindLastMs = (of: RevisionOf, entry: LedgerEntry) => Promise<number | undefined>;

interface RevisionOf {
  readonly batchId: string;
  readonly project: ProjectRef;
}

/** What became of everything that was ever dropped here and has ended. */
export interface FinishedReceipts {
  /** All receipts of finished batches, the oldest month first; none of them is kept. */
  readFinished(options: ReadFinishedOptions): Promise<void>;
}

/** Batches that were claimed before the share was given another project. */
export interface OtherProjects {
  /** Of a batch that was claimed for another project than the share's; undefined for all others. */
  otherProject(batchId: string): Promise<OtherProject | undefined>;
  /**
   * Makes a batch for another project, of which nothing was sent, a claim again, to be sealed for the share's
   * project by the next round of the recovery. Only once nobody carries it. @throws ShareError
   * `project-differs` for one that was begun.
   */
  leaveOtherProject(batchId: string): Promise<void>;
  /**
   * Which project a batch is for by now, also while it is a claim again. @throws ShareError `batch-unknown`
   * when there is no such batch, or its manifest was lost after something was sent.
   */
  projectNow(batchId: string): Promise<ProjectRef>;
}

/** The order of revisions, as far as this share shows it. */
export interface RevisionQueues {
  /** Those of the documents whose turn to be submitted has not come, and what each of them waits for. */
  findWaiting(request: TurnRequest): Promise<Turns>;
  /** What orders the documents of a batch; undefined when it is finished, or not sealed yet. */
  describeQueued(batchId: string): Promise<QueuedBatch | undefined>;
  /** As it was dropped; undefined where its batch is not sealed yet, or not to be seen any more. */
  pathOf(document: DocumentPlace): Promise<string | undefined>;
}

/** The documents that were set apart, for the commands that put them back. */
export interface SetApartFolder {
  /** Documents in `attention` that nobody has taken up again, and the receipts there that cannot be read. */
  setApart(): Promise<SetApartListing>;
  /**
   * Moves a document that was set apart back into the drop folder, under the path it came with; none that
   * came with a register, which `sendAgain` brings there with its row.
   */
  takeUpAgain(
    file: Pick<SetApartFile, 'batchId' | 'index' | 'path' | 'sha256' | 'samePath'>,
  ): Promise<TakenUp>;
}

/** By these, Temporals that see one share keep out of each other's way. */
export interface TemporalMarks {
  /** Which Temporals are at work here, and what each of them has. */
  readonly temporals: ShareTemporals;
}

/** Whether the share is there at all: mounts go, hang, and come back as others. */
export interface ShareMount {
  /**
   * False when the root or the drop folder is not the one that was opened: removed, made anew, mounted over.
   */
  isInPlace(): Promise<boolean>;
  /** Cheap, and safe with a mount that hangs. */
  isReachable(timeoutMs?: number): Promise<Reachability>;
  /**
   * Looks the share up again after it was away. @throws ShareError `share-away` while it is not really back.
   */
  reopen(): Promise<void>;
  freeBytes(): Promise<number>;
}

/** What its file system can do, found out by a file of ours that is there for a moment. */
export interface ShareTrial {
  tryOut(): Promise<ShareTraits>;
}

/**
 * A share with all that can be asked of it, as `openShare` gives it. Whoever works with it takes those of the
 * ports above that the work needs; each has four methods at most.
 */
export interface Share
  extends NamedShare,
    AskedRows,
    DropFolder,
    DropRegisters,
    FinishedReceipts,
    Claims,
    CorrectedSheets,
    Jobs,
    JobFolders,
    MistakenFiles,
    OpenBatches,
    Batches,
    BatchNotes,
    OtherProjects,
    Proofs,
    RevisionLedger,
    RevisionQueues,
    SetApartFolder,
    ShareMount,
    ShareTrial,
    ShareFields,
    ShareTemplate,
    ShownFinished,
    ShownWork,
    StatusPages,
    TemporalMarks,
    TestFolder,
    Uploads {}
