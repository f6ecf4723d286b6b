// What the judge looks at: the stand-in's own account of what happened, and everything that lies on the share. Collected
// without the product's readers, so that a fault in them cannot hide itself.
import type { JournalRecord } from '../../workflows/contract';
import type {
  Operation,
  SandboxControl,
  SandboxFile,
  SandboxRevision,
  SandboxUpload,
} from '../sandbox/control';
import { readShare } from './judge-share';

/** A file that was put into the drop folder. */
export interface DroppedFile {
  /** Relative to the drop folder, `/` between the parts. */
  readonly path: string;
  readonly sha256: string;
  /** How often it was put there; more than once when it was set apart and dropped again. Default 1. */
  readonly drops?: number;
  /** SHA-256 of what somebody wrote in its place afterwards. */
  readonly rewritten?: readonly string[];
  /** Somebody took it away: it need not be anywhere. */
  readonly removed?: boolean;
  /** Nothing speaks against it: at rest it must be a revision. */
  readonly healthy?: boolean;
}

/** Hashes by path, as `Rig.dropFiles` answers them, or the long form. */
export type Dropped = ReadonlyMap<string, string> | readonly DroppedFile[];

export type Place = 'drop' | 'claimed' | 'done' | 'attention';

export interface FileOnShare {
  readonly place: Place;
  /** Undefined in the drop folder. */
  readonly batchId?: string;
  /** Relative to the drop folder, or to the batch's folder. */
  readonly path: string;
  /** `link` and `other` instead of a hash for what is no ordinary file. */
  readonly sha256: string;
  /** Device and inode: a crash in the middle of a move leaves one file under two names. */
  readonly identity: string;
}

export interface ManifestOnShare {
  readonly batchId: string;
  readonly files: readonly { readonly index: number; readonly path: string; readonly sha256?: string }[];
}

export interface ReceiptRowOnShare {
  readonly index: number;
  readonly path: string;
  readonly outcome: 'submitted' | 'set-apart' | 'held' | 'open';
  readonly revisionId?: string | null;
  readonly uploadId?: string;
  readonly reason?: { readonly code: string };
  readonly sha256?: string;
}

export interface ReceiptOnShare {
  readonly batchId: string;
  readonly final: boolean;
  readonly files: readonly ReceiptRowOnShare[];
}

export interface BatchOnShare {
  readonly batchId: string;
  /** Put away under `finished`. */
  readonly isFinished: boolean;
  readonly manifest?: ManifestOnShare;
  readonly receipt?: ReceiptOnShare;
  readonly receiptSoFar?: ReceiptOnShare;
  readonly journal: readonly { readonly atMs: number; readonly record: JournalRecord }[];
  /** Files of ours in it that cannot be read; torn journal records are not among them. */
  readonly damaged: readonly string[];
}

/** A receipt as people find it, beside their files. */
export interface ReceiptBeside {
  readonly place: Place;
  readonly batchId: string;
  readonly name: string;
  /** Undefined for CSV, and for what is no receipt any more. */
  readonly receipt?: ReceiptOnShare;
  /** The text of a CSV. */
  readonly csv?: string;
}

export interface ShareEvidence {
  readonly files: readonly FileOnShare[];
  readonly batches: readonly BatchOnShare[];
  readonly receipts: readonly ReceiptBeside[];
  /** What belongs to none of our folders, and temporary files of ours; relative to the share. */
  readonly foreign: readonly string[];
  readonly temporary: readonly string[];
}

export interface Evidence {
  readonly operations: readonly Operation[];
  /** What the stand-in itself called wrong. */
  readonly serviceViolations: readonly Operation[];
  readonly revisions: readonly SandboxRevision[];
  readonly uploads: readonly SandboxUpload[];
  readonly fileUploads: readonly SandboxFile[];
  readonly share: ShareEvidence;
  readonly dropped: readonly DroppedFile[];
  /** Where somebody looked: sizes of the runs' histories. */
  readonly histories?: readonly { readonly workflowId: string; readonly events: number }[];
}

/**
 * Reads everything. The log first, the share then, the service's state last: what a receipt says is there by then, and
 * what the log tells was already recorded. With the product running, files that move meanwhile can be missed: stop its
 * processes first, or judge at rest.
 * @param shareFolder the root of the share, with the default names for its folders.
 */
export async function collectEvidence(
  control: SandboxControl,
  shareFolder: string,
  dropped: Dropped,
): Promise<Evidence> {
  const operations = await control.operations();
  const share = await readShare(shareFolder);
  const [serviceViolations, revisions, uploads, fileUploads] = await Promise.all([
    control.violations(),
    control.revisions(),
    control.uploads(),
    control.files(),
  ]);
  return {
    operations,
    serviceViolations,
    revisions,
    uploads,
    fileUploads,
    share,
    dropped: toDroppedFiles(dropped),
  };
}

export function toDroppedFiles(dropped: Dropped): readonly DroppedFile[] {
  if (!isMap(dropped)) return dropped;
  // Who gives no more than names has nothing to say against any of them.
  return [...dropped].map(([path, sha256]) => ({ path, sha256, healthy: true }));
}

function isMap(dropped: Dropped): dropped is ReadonlyMap<string, string> {
  return !Array.isArray(dropped);
}
