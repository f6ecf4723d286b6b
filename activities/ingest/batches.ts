// Batches on a share: opening, noting, settling up.
import { setTimeout as delay } from 'node:timers/promises';
import { type Asking, ingestWorkflowId, type ProjectRef, type Reason } from '../../workflows/contract';
import type {
  AppliedRequirements,
  BatchDocument,
  BatchSummary,
  DocumentOutcome,
  JournalRecord,
} from '../../workflows/ingest/ingest-contract';
import { hasCode } from '../host/error-code';
import type { Stopped } from '../ledger/decide/decide-document';
import type { StopFinder, Stops } from '../ledger/served-ledgers';
import { findStopsAtOpening, findStopsNow } from '../revision-order/find-stops';
import type { FindTurnsResult } from '../revision-order/turns';
import { type Coordinators, findTurnsOf, registerBatch, tellEnded } from '../revision-order/turns';
import type { ActivityScope } from '../scope/activity-scope';
import type { Holder } from '../share/batch/hold';
import type { ManifestFile } from '../share/batch/manifest';
import { isHeld } from '../share/batch/temporals';
import { ShareError, type ShareErrorCode } from '../share/files/share-error';
import type {
  Batches,
  BatchNotes,
  NamedShare,
  OpenBatches,
  OtherProjects,
  RevisionLedger,
  RevisionQueues,
  TemporalMarks,
} from '../share/share';
import type {
  AppendRecordInput,
  BatchRef,
  FindTurnsInput,
  OpenBatchInput,
  OpenBatchResult,
  SettleUpInput,
} from './api';
import { stopFormer } from './decide/stop-former';

/**
 * For so many beats (`beatMs`) `takeHold` waits while a Temporal that has lost its database is still watched.
 */
const FORMER_PATIENCE = 12;
/**
 * The errors that a run meets when its batch is for another project by now: it is a mere claim again, has
 * been sealed anew, or is another run's.
 */
const AFTER_A_MOVE: readonly ShareErrorCode[] = ['batch-unknown', 'manifest-differs', 'bad-request'];

/** The parts of a share that the work on a batch needs. */
export type BatchShare = NamedShare &
  Batches &
  BatchNotes &
  OtherProjects &
  Pick<OpenBatches, 'readSeal'> &
  RevisionLedger &
  RevisionQueues &
  TemporalMarks;

/** What the work on a batch needs besides its share. */
export interface BatchDeps {
  /** The run that asks. */
  readonly holder: Holder;
  readonly coordinators: Coordinators;
  readonly ledgers: StopFinder;
  /** Of the activity, from 1. */
  readonly attempt: number;
  /** When the run asked for the activity, Unix ms of Temporal's clock. */
  readonly askedAtMs: number;
}

/**
 * Takes a batch for the run that asks, and returns what the workflow needs of it; where it has a final
 * receipt, only what is left to move is moved. Temporal keeps two runs of one id in one namespace apart; that
 * two of different ids, or of two Temporals, do not carry the same batch is seen to here, on the share. Else
 * both would make uploads, and one document would become two revisions.
 * @throws ShareError `bad-request` for a run whose id is not the batch's own, `batch-held` when another
 * Temporal has it, `project-differs` for one that was begun for another project than the share's is now.
 */
export async function openBatch(
  share: BatchShare,
  input: OpenBatchInput,
  deps: BatchDeps,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<OpenBatchResult> {
  try {
    return await openOrLeave(share, input, deps, scope);
  } catch (error) {
    const moved = hasCode<ShareErrorCode>(error, ...AFTER_A_MOVE)
      ? await findMove(share, input, deps)
      : undefined;
    if (moved === undefined) throw error;
    return moved;
  }
}

async function openOrLeave(
  share: BatchShare,
  input: OpenBatchInput,
  deps: BatchDeps,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<OpenBatchResult> {
  const { holder, coordinators } = deps;
  const other = await share.otherProject(input.batchId);
  if (other !== undefined)
    return await leaveOther(share, input, other.project, { holder, coordinators }, scope);
  const { manifest, receipt } = await share.readBatch(input.batchId, input.manifestSha256);
  if (receipt?.final === true) {
    return {
      kind: 'settled',
      summary: await settleNow(share, { ...input, outcomes: [], held: [], final: true }),
    };
  }
  requireOwnRun(manifest.project, input.batchId, holder);
  await takeHold(share, input.batchId, holder, scope.signal);
  // Read again, for what an earlier holder has noted until now; if it tries to note more, it is told that it
  // may not.
  const { known } = await share.readBatch(input.batchId, input.manifestSha256);
  await registerBatch({ share, coordinators }, input.batchId);
  const { temporal } = holder;
  const { ledgers, attempt } = deps;
  // Told what it does not know, a run of an earlier version would pass it by, and a later one that replays it
  // would act on it at once and stand still.
  const isTold = input.knows !== undefined;
  const stops: Stops = isTold
    ? await findStopsAtOpening({ share, coordinators, ledgers, temporal, attempt }, manifest, known)
    : new Map();
  return {
    kind: 'open',
    project: manifest.project,
    policy: share.config.policy,
    documents: manifest.files.map(file => {
      const stop = stops.get(file.index);
      return {
        ...toDocument(share, file),
        ...(stop?.kind === 'skip' ? { skip: stop.reason } : {}),
        ...(stop?.kind === 'hold' ? { doubt: stop.reason } : {}),
      };
    }),
    ...(manifest.registers === undefined
      ? {}
      : { registers: manifest.registers.map(({ path, headers }) => ({ path, headers })) }),
    known,
    ...(isTold ? { tellsDoubts: true, keepsHow: true, namesEarly: true, tellsHold: true } : {}),
    ...(isAfterReset(input.asked, holder) ? { afterReset: true } : {}),
  };
}

/** What the run before had asked for is dispatched again for the run after a reset, with its old input. */
function isAfterReset(asked: Asking | undefined, { runId }: Holder): boolean {
  return asked !== undefined && (asked.afterReset === true || asked.runId !== runId);
}

function requireOwnRun(project: ProjectRef, batchId: string, { workflowId }: Holder): void {
  const ownId = ingestWorkflowId(project, batchId);
  if (workflowId === ownId) return;
  throw new ShareError(
    'bad-request',
    `Only the run "${ownId}" may carry batch ${batchId}: look there, or start it with that Workflow Id.`,
  );
}

/**
 * Leaves a batch that is for another project. Only the run that carries it may ask; it ends with this result.
 */
async function leaveOther(
  share: BatchShare,
  { batchId }: BatchRef,
  project: ProjectRef,
  { holder, coordinators }: Pick<BatchDeps, 'holder' | 'coordinators'>,
  scope: Pick<ActivityScope, 'signal'>,
): Promise<OpenBatchResult> {
  requireOwnRun(project, batchId, holder);
  await takeHold(share, batchId, holder, scope.signal);
  await share.leaveOtherProject(batchId);
  await coordinators.ended(project, batchId);
  return { kind: 'moved', project: share.config.project };
}

/**
 * The batch was left for another project, and the worker that left it died before it could say so: the run is
 * of the project before. Undefined for all other runs.
 */
async function findMove(
  share: BatchShare,
  { batchId }: BatchRef,
  { holder, coordinators }: Pick<BatchDeps, 'holder' | 'coordinators'>,
): Promise<OpenBatchResult | undefined> {
  const project = await share.projectNow(batchId);
  const [, projectId = ''] = holder.workflowId.split('/');
  const isRunOfAnother =
    projectId !== project.projectId && holder.workflowId === ingestWorkflowId({ projectId }, batchId);
  if (!isRunOfAnother) return undefined;
  await coordinators.ended({ companyId: project.companyId, projectId }, batchId);
  return { kind: 'moved', project };
}

/**
 * Takes the hold. A holder that has lost its database (`isFormer`) is only watched a moment longer: that is
 * waited for here.
 */
async function takeHold(
  share: BatchShare,
  batchId: string,
  holder: Holder,
  signal: AbortSignal,
): Promise<void> {
  for (let beats = 0; ; beats++) {
    const held = await share.temporals.hold(batchId, holder);
    if (held.kind === 'ours') return;
    if (!held.isFormer || beats >= FORMER_PATIENCE) throw isHeld(batchId, held.hold);
    await delay(share.temporals.beatMs, undefined, { signal });
  }
}

/**
 * What is noted before an effect that others must know of: new uploads before they are
 * linked, intents before they are sent.
 */
const BEFORE_EFFECTS: ReadonlySet<JournalRecord['kind']> = new Set(['created', 'intent']);

/**
 * Notes a record; of an intent with `inTurn`, only the documents that may go now. Returns those that have to
 * wait, if any. The hold is looked at before and, where an effect follows, again when the record is durable:
 * whoever takes the batch over reads the journal after it has taken it, so that one of the two sees the
 * other. A run that has lost the batch is told so; the ids of revisions that it was told are kept before.
 * @throws ShareError `batch-held` when another Temporal has it.
 */
export async function appendRecord(
  share: BatchShare,
  input: AppendRecordInput,
  deps: BatchDeps,
): Promise<NotedIntent | undefined> {
  try {
    await share.temporals.requireHold(input.batchId, deps.holder);
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'batch-held')) await keepToldIds(share, input);
    throw error;
  }
  const turns = await noteRecord(share, input, deps);
  if (BEFORE_EFFECTS.has(input.record.kind)) await share.temporals.requireHold(input.batchId, deps.holder);
  return turns;
}

/**
 * An id is told once, to whoever asked: the Temporal that has the batch now would be answered that the upload
 * is gone, and never which revision it became. Only of what the share knows to have been about to be
 * submitted, and each once, however often the one before tries.
 */
async function keepToldIds(share: BatchShare, { batchId, record }: AppendRecordInput): Promise<void> {
  if (record.kind !== 'outcome') return;
  const { known } = await share.readBatch(batchId);
  const untold = new Set(
    known.flatMap(({ index, intended, outcome }) =>
      intended === true && !namesRevision(outcome) ? [index] : [],
    ),
  );
  const outcomes = record.outcomes.filter(outcome => untold.has(outcome.index) && namesRevision(outcome));
  if (outcomes.length > 0) await share.appendRecord(batchId, { ...record, outcomes });
}

function namesRevision(outcome: DocumentOutcome | undefined): boolean {
  return outcome?.kind === 'submitted' && outcome.revisionId !== null;
}

/**
 * The documents of an intent that were not noted: their turn has not come, or they are not to be sent at all.
 */
export interface NotedIntent extends FindTurnsResult {
  /** This and `doubted` are only told to a run that has said (`meant`) what people let pass until now. */
  readonly skipped?: readonly { readonly index: number; readonly reason: Reason }[];
  /** Not to be sent before a person says so. */
  readonly doubted?: readonly { readonly index: number; readonly reason: Reason }[];
}

async function noteRecord(
  share: BatchShare,
  { batchId, record, inTurn }: AppendRecordInput,
  { holder: { temporal }, coordinators, ledgers, attempt, askedAtMs }: BatchDeps,
): Promise<NotedIntent | undefined> {
  if (record.kind !== 'intent' || inTurn === undefined) {
    await share.appendRecord(batchId, record, askedAtMs);
    if (record.kind === 'outcome') {
      const indexes = record.outcomes.map(({ index }) => index);
      await coordinators.ended(share.config.project, batchId, indexes);
    }
    return undefined;
  }
  const indexes = record.uploads.map(({ index }) => index);
  const { ended, matches = [], required, confirmed = [], meant } = inTurn;
  // Noted before the look at the others: of two batches that look at the same time, one sees the other.
  if (matches.length > 0) await share.appendRecord(batchId, { kind: 'matched', documents: matches });
  const request = { batchId, indexes, ended, matches, confirmed };
  const turns = await findTurnsOf({ share, coordinators, temporal, attempt }, request);
  const late = new Set([...turns.waiting, ...(turns.overtaken ?? [])].map(({ index }) => index));
  const inTime = record.uploads.filter(({ index }) => !late.has(index));
  // A run that does not say `meant` would send them all the same, then without an intent on the share.
  const stops =
    meant === undefined
      ? new Map<number, Stopped>()
      : await findAllStops({ share, ledgers }, batchId, inTime, { confirmed, meant });
  const ofKind = (wanted: Stopped['kind']) =>
    [...stops].flatMap(([index, { kind, reason }]) => (kind === wanted ? [{ index, reason }] : []));
  const skipped = ofKind('skip');
  const doubted = ofKind('hold');
  const uploads = inTime.filter(({ index }) => !stops.has(index));
  const documents = expandRequired(required, new Set(uploads.map(({ index }) => index)));
  if (documents.length > 0) await share.appendRecord(batchId, { kind: 'required', documents });
  if (uploads.length > 0) await share.appendRecord(batchId, { ...record, uploads });
  const isPlain = late.size === 0 && turns.notices === undefined && turns.passing === undefined;
  if (isPlain && stops.size === 0) return undefined;
  return {
    ...turns,
    ...(skipped.length === 0 ? {} : { skipped }),
    ...(doubted.length === 0 ? {} : { doubted }),
  };
}

async function findAllStops(
  { share, ledgers }: { readonly share: BatchShare; readonly ledgers: BatchDeps['ledgers'] },
  batchId: string,
  uploads: Parameters<BatchNotes['findFormerIntents']>[1],
  answered: Parameters<typeof findStopsNow>[3],
): Promise<ReadonlyMap<number, Stopped>> {
  const former = stopFormer(await share.findFormerIntents(batchId, uploads), answered.meant);
  const others = uploads.filter(({ index }) => !former.has(index));
  // What these documents waited for has ended by now, and may have been the same file.
  return new Map([...former, ...(await findStopsNow({ share, ledgers }, batchId, others, answered))]);
}

type RequiredRecord = Extract<JournalRecord, { kind: 'required' }>;

function expandRequired(
  required: AppliedRequirements | undefined,
  wanted: ReadonlySet<number>,
): RequiredRecord['documents'] {
  return (required?.documents ?? []).flatMap(({ index, requirement }) => {
    const applied = required?.requirements[requirement];
    return applied === undefined || !wanted.has(index) ? [] : [{ index, ...applied }];
  });
}

/** What has to wait still; nothing is noted. */
export async function findTurns(
  share: BatchShare,
  { batchId, indexes, ended }: FindTurnsInput,
  { holder: { temporal }, coordinators, attempt }: BatchDeps,
): Promise<FindTurnsResult> {
  const request = { batchId, indexes, ended, matches: [], confirmed: [], isLook: true };
  const { waiting } = await findTurnsOf({ share, coordinators, temporal, attempt }, request);
  return { waiting };
}

/**
 * For a batch that is finished already, the summary says how it ended, whoever finished it.
 * @throws what `tellEnded` throws; the share has the receipt then, and writes the same once more.
 */
export async function settleUp(
  share: BatchShare,
  input: SettleUpInput,
  { holder, coordinators, attempt }: Pick<BatchDeps, 'holder' | 'coordinators' | 'attempt'>,
): Promise<BatchSummary> {
  const { batchId, outcomes, held, final } = input;
  await share.temporals.requireHold(batchId, holder, 'or settled');
  const summary = await settleNow(share, input);
  const indexes = outcomes.map(({ index }) => index);
  const ended = final
    ? { batchId, isAnyHeld: false }
    : { batchId, indexes, isAnyHeld: held.length > 0 && indexes.length > 0 };
  await tellEnded({ coordinators, attempt }, share.config.project, ended);
  return summary;
}

async function settleNow(share: BatchShare, input: SettleUpInput): Promise<BatchSummary> {
  const { done, attention, ...rest } = await share.settleUp(input.batchId, input.outcomes, {
    final: input.final,
    held: input.held,
    goingOn: input.goingOn ?? [],
  });
  return { batchId: input.batchId, submitted: done, setApart: attention, ...rest };
}

/**
 * A file of the manifest as the workflow knows it, with its values by the patterns as they are now: a pattern
 * that was wrong may have been corrected since the batch was sealed.
 */
export function toDocument(share: Pick<Batches, 'readValues'>, file: ManifestFile): BatchDocument {
  const { values, fromFolder } =
    file.refused === undefined ? share.readValues(file.path) : { values: {}, fromFolder: [] };
  return {
    index: file.index,
    path: file.path,
    fileName: file.path.slice(file.path.lastIndexOf('/') + 1).normalize('NFC'),
    sizeBytes: file.sizeBytes,
    mimeType: file.mimeType,
    values,
    ...(fromFolder.length === 0 ? {} : { fromFolder }),
    ...(file.entry === undefined ? {} : { entry: file.entry }),
    ...(file.refused === undefined ? {} : { refused: file.refused }),
  };
}
