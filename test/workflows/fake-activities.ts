// Activities with a small service behind them that holds state and can be scripted: uploads, revisions, a
// journal.
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type {
  AppendRecordInput,
  AwaitFilesInput,
  AwaitFilesResult,
  BatchActivities,
  FindAbsentResult,
  FindTurnsInput,
  IngestActivities,
  LinkUploadsResult,
  OpenBatchInput,
  OpenBatchResult,
  PlannedDocument,
  ReadDocument,
  ReadUploadsResult,
  SettleUpInput,
  SubmitItem,
  SubmitRevisionsResult,
  TransferFilesInput,
  TransferFilesResult,
} from '../../activities';
import type { CellValues, HoldLook, ReadCells } from '../../activities/ingest/api';
import type { NotedIntent } from '../../activities/ingest/batches';
import { type HoldSeen, maySubmit } from '../../activities/ingest/submit/see-hold';
import type { FindTurnsResult } from '../../activities/revision-order/turns';
import { foldJournal } from '../../activities/share/batch/fold-journal';
import type { InLine, Reason } from '../../workflows/contract';
import { isOwnFailure, type Refusal } from '../../workflows/ingest/decide/judge-refusal';
import type {
  BatchDocument,
  BatchPolicy,
  BatchSummary,
  JournalRecord,
  KnownProgress,
} from '../../workflows/ingest/ingest-contract';
import { fakeWaitOut } from './fake-conflicts';

export interface FakeUpload {
  id: string;
  index: number;
  completed: boolean;
  consumed: boolean;
  deleted: boolean;
  event: number;
  analysed: boolean;
  revisionId?: string;
}

export type Call = { name: string; input: unknown };
/** Answers instead of the fake, or undefined to let it act; may act itself before it answers. */
export type Script<Result> = (
  input: { items: readonly { index: number; uploadId: string }[] },
  call: number,
) => Result | undefined;

export const POLICY: BatchPolicy = {
  conflict: { kind: 'ask' },
  missing: 'hold',
  holdMs: 3_600_000,
  conflictRetryMs: 1_000,
  lookAgain: { everyMs: 10_000, forMs: 30_000 },
  analysis: { firstLookMs: 5_000, everyMs: 10_000, typicalMs: 28_000, forMs: 180_000 },
  transferChunk: 10,
  linkWithinMs: 23 * 3_600_000,
  naming: 'file',
  patternFields: [],
  createOneByOne: false,
  defaults: {},
};

export class FakeWorld {
  readonly calls: Call[] = [];
  /** Whoever opens the batch also asks of doubts when a document's turn has come. */
  tellsDoubts = false;
  /** The share keeps how documents came to their values. */
  keepsHow = false;
  /** As a worker does that writes names while the analysis runs. */
  namesEarly = false;
  /** Whoever is at the share can be asked whether the batch is still ours. */
  tellsHold = false;
  /** What those that only ask the service see of it. */
  holdSeen: HoldSeen = 'ours';
  /** What a read says of requirements: the first applies where `onRead` does not say which. */
  requirements: ReadUploadsResult['requirements'];
  /** What the polling has named. */
  named: ReadUploadsResult['named'];
  readonly records: JournalRecord[] = [];
  readonly uploads = new Map<string, FakeUpload>();
  readonly settled: SettleUpInput[] = [];
  readonly conflicts = new Set<number>();
  /** By this the reviews that run now are known again; undefined: the service does not say which they are. */
  reviews: string | undefined = 'W1';
  /** How long ago the service named them when a run hears of it. */
  namedAgoMs = 0;
  policy: BatchPolicy = POLICY;
  known: KnownProgress[] = [];
  documents: BatchDocument[];
  revisions: string[] = [];
  needsAnalysis: (index: number) => boolean = () => false;
  plan: (index: number, values: unknown) => Partial<PlannedDocument> = () => ({});
  readRow: (row: CellValues) => ReadCells = () => ({ kind: 'values', values: {} });
  /** What a document waits for, given the documents of the batch that have ended. */
  behind: (index: number, ended: readonly number[]) => InLine['behind'] | undefined = () => undefined;
  /** What is answered to the question for their turns, besides what they wait for; undefined: nothing. */
  turns: (inTurn: NonNullable<AppendRecordInput['inTurn']>) => NotedIntent | undefined = () => undefined;
  missing: (index: number) => string[] = () => [];
  onLink: Script<LinkUploadsResult> = () => undefined;
  onSubmit: Script<SubmitRevisionsResult> = () => undefined;
  onTransfer: (
    input: TransferFilesInput,
    call: number,
  ) => TransferFilesResult | undefined | Promise<TransferFilesResult | undefined> = () => undefined;
  onAwait: (input: AwaitFilesInput, call: number) => AwaitFilesResult | Promise<AwaitFilesResult> = ({
    files,
    releasedMs,
  }) => ({ files, releasedMs, again: [], overdue: [] });
  /** What the looking again shows of a document, or undefined for what is there. */
  onLookAgain: (index: number) => FindAbsentResult['documents'][number]['kind'] | undefined = () => undefined;
  /** Answers of a read that lag behind: not shown at all. */
  isHidden: (index: number, read: number) => boolean = () => false;
  /** Reads that are told of a deletion (410), whatever is there. */
  saysDeleted: (index: number, read: number) => boolean = () => false;
  /** Indexes of those that a probe has sent without an answer before the one that it tells of. */
  unheard: readonly number[] = [];
  /** Between two attempts of a probe. */
  probeDelayMs = 10;
  /** The part of its attempts after which a probe gives up. */
  patience = 3 / 8;
  /** Another text after each passing of another batch. */
  passedElsewhere = '';
  /** When that one passed; undefined: when it is asked about. */
  passedElsewhereAtMs: number | undefined;
  onRead: (index: number, uploadId: string) => Partial<Extract<ReadDocument, { kind: 'found' }>> = () => ({});
  onCall: (name: string, call: number) => void | Promise<void> = () => undefined;
  /** Why a request to write values is refused, or undefined. */
  onWrite: (call: number) => Reason | undefined = () => undefined;
  /** Whose values a request to write does not confirm, though the service took it: they are not written. */
  unconfirmed: (call: number) => readonly number[] = () => [];
  /** Indexes of documents whose values somebody may have changed since they were written. */
  changed: (call: number) => number[] = () => [];
  /** Values were written that the service took. */
  isWritten = false;

  /** Across all workers of this world: an id is never given twice. */
  #serial = 0;

  constructor(count: number) {
    this.documents = Array.from({ length: count }, (_, index) => ({
      index,
      path: `Package/file-${index}.pdf`,
      fileName: `file-${index}.pdf`,
      sizeBytes: 1_000,
      mimeType: 'application/pdf',
      values: {},
    }));
  }

  count(name: string): number {
    return this.calls.filter(call => call.name === name).length;
  }

  /** Outcome codes by document, as the final receipt has them. */
  get final(): SettleUpInput {
    const last = this.settled.at(-1);
    if (last?.final !== true) throw new Error('The batch has no final receipt');
    return last;
  }

  /** What the share tells a run that is not the first. */
  get journal(): KnownProgress[] {
    return foldJournal(this.records.map((record, at) => ({ atMs: at, name: `${at}`, record })));
  }

  /** An upload of an earlier run, COMPLETED with its file. */
  addCompleted(id: string, index: number): void {
    Object.assign(this.#addUpload(id, index), { completed: true, event: 1 });
  }

  #addUpload(id: string, index: number): FakeUpload {
    const upload = {
      id,
      index,
      completed: false,
      consumed: false,
      deleted: false,
      event: 0,
      analysed: true,
    };
    this.uploads.set(id, upload);
    return upload;
  }

  submit(index: number, uploadId: string): string {
    const upload = this.uploads.get(uploadId)!;
    upload.consumed = true;
    upload.revisionId = `R-${index}-${uploadId}`;
    this.revisions.push(upload.revisionId);
    return upload.revisionId;
  }

  activities(): IngestActivities & BatchActivities {
    const log = <Input, Result>(name: string, act: (input: Input) => Result | Promise<Result>) => {
      return async (input: Input): Promise<Result> => {
        this.calls.push({ name, input });
        await this.onCall(name, this.count(name));
        return await act(input);
      };
    };
    return {
      refreshToken: log('refreshToken', () => ({ generation: 1, expiresAtMs: 0 })),
      openBatch: log('openBatch', ({ knows, asked }: OpenBatchInput): OpenBatchResult => {
        const isKnown = knows === 1;
        return {
          kind: 'open',
          project: { companyId: '1', projectId: '2' },
          policy: this.policy,
          documents: isKnown
            ? this.documents
            : this.documents.map(({ skip: _, doubt: _doubt, ...document }) => document),
          known: this.known.length > 0 ? this.known : this.journal,
          ...(isKnown && this.tellsDoubts ? { tellsDoubts: true as const } : {}),
          ...(isKnown && this.keepsHow ? { keepsHow: true as const } : {}),
          ...(isKnown && this.namesEarly ? { namesEarly: true as const } : {}),
          ...(isKnown && this.tellsHold ? { tellsHold: true as const } : {}),
          ...(asked?.afterReset === true ? { afterReset: true as const } : {}),
        };
      }),
      planDocuments: log<
        Parameters<IngestActivities['planDocuments']>[0],
        Awaited<ReturnType<IngestActivities['planDocuments']>>
      >('planDocuments', ({ documents }) => ({
        fieldIds: ['FIELD', 'GIVEN'],
        notices: [],
        documents: documents.map(({ index, values }) => ({
          index,
          now: [[0, ['value']]],
          needsAnalysis: this.needsAnalysis(index),
          hopeless: [],
          problems: [],
          ...this.plan(index, values),
        })),
      })),
      readCells: log<
        Parameters<IngestActivities['readCells']>[0],
        Awaited<ReturnType<IngestActivities['readCells']>>
      >('readCells', ({ rows }) => rows.map(row => this.readRow(row))),
      createUploads: log<
        Parameters<IngestActivities['createUploads']>[0],
        Awaited<ReturnType<IngestActivities['createUploads']>>
      >('createUploads', ({ files }) => ({
        created: files.map(({ index }) => {
          const id = `U${this.#serial++}`;
          this.#addUpload(id, index);
          return { index, uploadId: id as never };
        }),
        refused: [],
      })),
      transferFiles: log<
        Parameters<BatchActivities['transferFiles']>[0],
        Awaited<ReturnType<BatchActivities['transferFiles']>>
      >('transferFiles', async input => {
        const scripted = await this.onTransfer(input, this.count('transferFiles'));
        if (scripted !== undefined) return scripted;
        return {
          files: input.indexes.map(index => ({
            index,
            fileUploadId: `F${this.#serial++}` as never,
            openedAtMs: Date.now(),
          })),
          refused: [],
        };
      }),
      awaitFiles: log<AwaitFilesInput, AwaitFilesResult>('awaitFiles', input =>
        this.onAwait(input, this.count('awaitFiles')),
      ),
      linkUploads: log<Parameters<IngestActivities['linkUploads']>[0], LinkUploadsResult>(
        'linkUploads',
        input => {
          const scripted = this.onLink(input, this.count('linkUploads'));
          if (scripted !== undefined) return scripted;
          return this.link(input.items.map(({ uploadId }) => uploadId));
        },
      ),
      probeLinking: log<
        Parameters<IngestActivities['probeLinking']>[0],
        Awaited<ReturnType<IngestActivities['probeLinking']>>
      >('probeLinking', input => {
        const item = oneOf(input.items);
        const calls = this.count('linkUploads') + this.count('probeLinking');
        const result = this.onLink({ items: [item] }, calls) ?? this.link([item.uploadId]);
        return result.kind === 'failed'
          ? this.failProbe(input)
          : { kind: 'answered', index: item.index, result };
      }),
      readUploads: log<
        Parameters<IngestActivities['readUploads']>[0],
        Awaited<ReturnType<IngestActivities['readUploads']>>
      >('readUploads', ({ items, poll }) => ({
        lookedMs: poll === undefined ? 0 : poll.lookedMs + 5_000,
        ...(poll?.isToName && this.named !== undefined ? { named: this.named } : {}),
        ...(this.requirements === undefined ? {} : { requirements: this.requirements }),
        documents: items.map(({ index, uploadId }): ReadDocument => {
          const upload = this.uploads.get(uploadId);
          if (upload?.deleted || this.saysDeleted(index, this.count('readUploads')))
            return { kind: 'deleted', index };
          if (this.isHidden(index, this.count('readUploads'))) return { kind: 'hidden', index };
          if (upload === undefined || upload.consumed || !upload.completed) return { kind: 'hidden', index };
          return {
            kind: 'found',
            index,
            eventId: `E${upload.event}` as never,
            completed: true,
            analysed: upload.analysed,
            analysisFailed: false,
            fill: [],
            missing: this.missing(index),
            stored: [{ label: 'Name', value: `file-${index}.pdf` }],
            ...this.onRead(index, uploadId),
          };
        }),
      })),
      writeValues: log<
        Parameters<IngestActivities['writeValues']>[0],
        Awaited<ReturnType<IngestActivities['writeValues']>>
      >('writeValues', ({ items }) => {
        const why = this.onWrite(this.count('writeValues'));
        if (why !== undefined) {
          return { written: [], missing: [], refused: items.map(({ index }) => ({ index, reason: why })) };
        }
        const missing = this.unconfirmed(this.count('writeValues'));
        const changed = this.changed(this.count('writeValues'));
        const written = items.filter(({ index }) => !missing.includes(index) && !changed.includes(index));
        if (written.length > 0) this.isWritten = true;
        for (const { uploadId } of written) this.uploads.get(uploadId)!.event++;
        const told = changed.length === 0 ? {} : { changed };
        return { written: written.map(({ index }) => index), missing, refused: [], ...told };
      }),
      submitRevisions: log<Parameters<IngestActivities['submitRevisions']>[0], SubmitRevisionsResult>(
        'submitRevisions',
        input => this.answerSubmission(input.items, this.count('submitRevisions')),
      ),
      probeSubmission: log<
        Parameters<IngestActivities['probeSubmission']>[0],
        Awaited<ReturnType<IngestActivities['probeSubmission']>>
      >('probeSubmission', async input => {
        const attempts = await this.attemptsUnlessOurs(input);
        if (attempts !== undefined) return { kind: 'hold-to-see', attempts, unheard: this.unheard };
        const item = oneOf(input.items);
        const calls = this.count('submitRevisions') + this.count('probeSubmission');
        const result = this.answerSubmission([item], calls);
        if (result.kind === 'not-sent') return this.failProbe({});
        const refusals = result.kind === 'answered' ? result.failures : [];
        const named = result.kind === 'refused' ? result.refusals : refusals;
        const isFailed = named.some(({ reasonCode }) => isOwnFailure(reasonCode));
        return result.kind === 'unknown' || isFailed
          ? this.failProbe(input)
          : { kind: 'answered', index: item.index, result, unheard: this.unheard };
      }),
      findAbsent: log<
        Parameters<IngestActivities['findAbsent']>[0],
        Awaited<ReturnType<IngestActivities['findAbsent']>>
      >('findAbsent', ({ items }) => ({
        documents: items.map(({ index, uploadId }) => {
          const upload = this.uploads.get(uploadId);
          const kind = this.onLookAgain(index);
          if (kind !== undefined) return { index, kind };
          if (upload?.deleted) return { index, kind: 'deleted' };
          if (upload === undefined || upload.consumed) return { index, kind: 'hidden' };
          return { index, kind: upload.completed ? 'shown' : 'incomplete' };
        }),
      })),
      waitOutConflicts: log<
        Parameters<IngestActivities['waitOutConflicts']>[0],
        Awaited<ReturnType<IngestActivities['waitOutConflicts']>>
      >('waitOutConflicts', fakeWaitOut(this)),
      submitAgain: log<
        Parameters<IngestActivities['submitAgain']>[0],
        Awaited<ReturnType<IngestActivities['submitAgain']>>
      >('submitAgain', async input => {
        const attempts = await this.attemptsUnlessOurs(input);
        if (attempts !== undefined) return { atMs: 2, documents: [], holdToSee: { attempts } };
        const documents = input.items.map(({ index, uploadId }) => {
          const upload = this.uploads.get(uploadId);
          if (upload?.consumed !== false || upload.deleted)
            return { index, end: { kind: 'consumed' } } as const;
          const revisionId = this.submit(index, uploadId);
          return { index, end: { kind: 'submitted', revisionId, paired: 'certain' } } as const;
        });
        return { atMs: 2, documents };
      }),
      findStatus: log<
        Parameters<IngestActivities['findStatus']>[0],
        Awaited<ReturnType<IngestActivities['findStatus']>>
      >('findStatus', ({ status }) =>
        status === 'Superseded'
          ? { kind: 'found', statusId: 'S1' }
          : {
              kind: 'refused',
              reason: { code: 'unknown-value', text: `No status ${status}.`, fix: 'Nearest: Superseded.' },
            },
      ),
      appendRecord: log<AppendRecordInput, NotedIntent | undefined>('appendRecord', ({ record, inTurn }) => {
        const waiting =
          record.kind === 'intent' && inTurn !== undefined
            ? this.findWaiting(
                record.uploads.map(({ index }) => index),
                inTurn.ended,
              )
            : [];
        const more = record.kind === 'intent' && inTurn !== undefined ? this.turns(inTurn) : undefined;
        if (record.kind === 'intent') {
          const late = new Set(
            [...waiting, ...(more?.overtaken ?? []), ...(more?.skipped ?? []), ...(more?.doubted ?? [])].map(
              ({ index }) => index,
            ),
          );
          const uploads = record.uploads.filter(({ index }) => !late.has(index));
          if (uploads.length > 0) this.records.push({ ...record, uploads });
        } else this.records.push(record);
        return waiting.length === 0 && more === undefined ? undefined : { ...more, waiting };
      }),
      findTurns: log<FindTurnsInput, FindTurnsResult>('findTurns', ({ indexes, ended }) => ({
        waiting: this.findWaiting(indexes, ended),
      })),
      requireHold: log('requireHold', () => undefined),
      announceBatch: log('announceBatch', () => undefined),
      readPasses: log('readPasses', () => ({
        linking: this.passedElsewhere,
        submitting: this.passedElsewhere,
        passedAtMs: {
          linking: this.passedElsewhereAtMs ?? Date.now(),
          submitting: this.passedElsewhereAtMs ?? Date.now(),
        },
      })),
      settleUp: log<SettleUpInput, BatchSummary>('settleUp', input => {
        this.settled.push(input);
        const submitted = input.outcomes.filter(({ kind }) => kind === 'submitted').length;
        return {
          batchId: input.batchId,
          submitted,
          setApart: input.outcomes.length - submitted,
          receipts: [],
        };
      }),
      followBatch: log('followBatch', () => {
        throw ApplicationFailure.nonRetryable('not scripted');
      }),
      claimFiles: log('claimFiles', () => {
        throw ApplicationFailure.nonRetryable('not scripted');
      }),
    };
  }

  /** How many attempts there were before the one that does not see the batch to be ours. */
  async attemptsUnlessOurs(input: HoldLook): Promise<number | undefined> {
    const attempt = (input.attemptsBefore ?? 0) + Context.current().info.attempt;
    const scope = { signal: Context.current().cancellationSignal, attempt };
    return (await maySubmit(async () => this.holdSeen, input, scope)) ? undefined : attempt - 1;
  }

  answerSubmission(items: readonly SubmitItem[], call: number): SubmitRevisionsResult {
    const scripted = this.onSubmit({ items }, call);
    if (scripted !== undefined) return scripted;
    const gone = items.filter(({ uploadId }) => this.uploads.get(uploadId)?.consumed);
    const refusals: Refusal[] = [
      ...items
        .filter(({ index, termination }) => this.conflicts.has(index) && termination === undefined)
        .map(({ uploadId }) => this.refuseForReviews(uploadId)),
      ...gone.map(({ uploadId }) => ({ reasonCode: 'UPLOAD_NOT_FOUND', message: '', uploadId })),
    ];
    if (refusals.length > 0) return { kind: 'refused', refusals };
    return {
      kind: 'answered',
      atMs: 1,
      failures: [],
      revisionIds: items.map(({ index, uploadId }) => this.submit(index, uploadId)),
    };
  }

  refuseForReviews(uploadId: string): Refusal {
    const refusal = { reasonCode: 'WORKFLOW_CONFLICT', message: '', uploadId };
    return this.reviews === undefined
      ? refusal
      : { ...refusal, reviews: this.reviews, namedAtMs: Date.now() - this.namedAgoMs };
  }

  failProbe({ giveUpAfter, attemptsBefore = 0 }: HoldLook & { readonly giveUpAfter?: number }): {
    kind: 'gave-up';
  } {
    // Sooner than the real one: the server leaves about a second between two attempts.
    const most = giveUpAfter === undefined ? undefined : Math.ceil(giveUpAfter * this.patience);
    if (most !== undefined && attemptsBefore + Context.current().info.attempt >= most)
      return { kind: 'gave-up' };
    throw ApplicationFailure.create({
      type: 'SERVICE_UNAVAILABLE',
      message: 'away',
      nextRetryDelay: this.probeDelayMs,
    });
  }

  findWaiting(indexes: readonly number[], ended: readonly number[]): readonly InLine[] {
    return indexes.flatMap(index => {
      const behind = this.behind(index, ended);
      return behind === undefined ? [] : [{ index, behind }];
    });
  }

  link(uploadIds: readonly string[]): LinkUploadsResult {
    const linked: number[] = [];
    for (const id of uploadIds) {
      const upload = this.uploads.get(id)!;
      upload.completed = true;
      upload.event++;
      linked.push(upload.index);
    }
    return { kind: 'answered', linked, failed: [], missing: [] };
  }
}

/** As the real probes do: another item at each attempt. */
function oneOf<Item>(items: readonly Item[]): Item {
  return items[(Context.current().info.attempt - 1) % items.length]!;
}

export function reason(code: string): Reason {
  return { code, text: `${code} text`, fix: `${code} fix` };
}
