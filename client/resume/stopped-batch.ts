// A batch that stopped short, as the finding of it, the continuing and the command
// line share it; and the filters.
import type { TemporalName } from '../../activities/share/batch/hold';
import type { SetApartFile } from '../../activities/share/receipt/set-apart';
import type {
  AskedRows,
  Batches,
  Claims,
  NamedShare,
  OpenBatches,
  OtherProjects,
  SetApartFolder,
  TemporalMarks,
} from '../../activities/share/share';

/**
 * `blocked`: its run waits for a repair. `held`: documents wait for an answer. `unanswered`: it runs, but
 * nobody answers for it. `no run`: claimed, and Temporal knows nothing of it. `claiming`: whoever claimed it
 * died over it. `no receipt`: its run completed, and the share says that it is not finished. `unmoved`: the
 * receipt is there, files are still to be moved. `damaged`: what the share holds of it cannot be read.
 * `elsewhere`: another Temporal carries it.
 */
export type StoppedState =
  | 'blocked'
  | 'held'
  | 'unanswered'
  | 'failed'
  | 'timed out'
  | 'terminated'
  | 'cancelled'
  | 'no run'
  | 'claiming'
  | 'no receipt'
  | 'unmoved'
  | 'damaged'
  | 'elsewhere';

/** What is asked of a share to find what stopped there, and to go on with it. */
export type StoppedShare = NamedShare &
  OpenBatches &
  SetApartFolder &
  TemporalMarks &
  Pick<OtherProjects, 'projectNow'> &
  Pick<AskedRows, 'sendAgain'> &
  Pick<Claims, 'adopt'> &
  Pick<Batches, 'settleUp'>;

export interface StopReason {
  /** Stable: a code of the service or of ours, or the state. */
  readonly code: string;
  /** For people; may be of several lines. */
  readonly text: string;
  /** What to do, where whoever stopped has said so. */
  readonly fix?: string | undefined;
}

export interface StoppedBatch {
  readonly batchId: string;
  readonly workflowId: string;
  readonly projectId: string;
  readonly state: StoppedState;
  readonly reason: StopReason;
  /** Unix ms; absent when nobody knows. */
  readonly sinceMs?: number | undefined;
  /** Absent when neither the share nor Temporal tells. */
  readonly shareName?: string | undefined;
  /** The run that stopped, or that waits. */
  readonly runId?: string | undefined;
  /** Where it lies, when this host sees the share. */
  readonly share?: StoppedShare | undefined;
  /** Another Temporal carries it, as the share has it; whatever run there is here only waits for that one. */
  readonly heldBy?: TemporalName | undefined;
}

export interface SetApartDocument extends SetApartFile {
  readonly share: StoppedShare;
}

export interface StoppedFilter {
  readonly batchId?: string | undefined;
  readonly share?: string | undefined;
  readonly projectId?: string | undefined;
  /** A code, a state, or words of the reason. */
  readonly reason?: string | undefined;
  /** A document that was set apart: its path as it was dropped, or its file name. */
  readonly document?: string | undefined;
  /** Unix ms: stopped then or later. */
  readonly sinceMs?: number | undefined;
}

export function isWanted(filter: StoppedFilter, batch: StoppedBatch): boolean {
  return (
    filter.document === undefined &&
    isAmong(filter, { batchId: batch.batchId, share: batch.shareName, projectId: batch.projectId }) &&
    isReason(filter.reason, [batch.reason.code, batch.state], batch.reason.text) &&
    (filter.sinceMs === undefined || (batch.sinceMs ?? 0) >= filter.sinceMs)
  );
}

export function isWantedDocument(filter: StoppedFilter, document: SetApartDocument): boolean {
  const { batchId, share, project, reason, sinceIso, path } = document;
  return (
    (filter.document === undefined || [path, path.split('/').at(-1)].includes(filter.document)) &&
    isAmong(filter, { batchId, share: share.name, projectId: project.projectId }) &&
    isReason(filter.reason, [reason.code, 'set apart'], reason.text) &&
    (filter.sinceMs === undefined || Date.parse(sinceIso) >= filter.sinceMs)
  );
}

/**
 * Whether it was asked for by name: its batch, itself, or the code of its reason;
 * words of a reason name nothing.
 */
export function isNamed(filter: StoppedFilter, { reason }: Pick<SetApartDocument, 'reason'>): boolean {
  return (
    filter.batchId !== undefined ||
    filter.document !== undefined ||
    (filter.reason !== undefined && toPlainCode(filter.reason) === toPlainCode(reason.code))
  );
}

/** When a batch was claimed, Unix ms; its id begins with that time in UTC. */
export function claimTimeOf(batchId: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(batchId);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function isAmong(
  filter: StoppedFilter,
  facts: { readonly batchId: string; readonly share: string | undefined; readonly projectId: string },
): boolean {
  return (
    (filter.batchId === undefined || filter.batchId === facts.batchId) &&
    (filter.share === undefined || filter.share === facts.share) &&
    (filter.projectId === undefined || filter.projectId === facts.projectId)
  );
}

/** Whether a filter for a reason means one of these codes, or words of this text. */
export function isReason(wanted: string | undefined, codes: readonly string[], text: string): boolean {
  if (wanted === undefined) return true;
  const sought = wanted.toLowerCase();
  const isCode = codes.some(code => toPlainCode(code) === toPlainCode(sought));
  return isCode || text.toLowerCase().includes(sought);
}

/** Codes are compared without case, and blanks may stand for dashes. */
function toPlainCode(code: string): string {
  return code.toLowerCase().replaceAll(' ', '-');
}
