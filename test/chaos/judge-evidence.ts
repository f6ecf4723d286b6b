// What the judge looks at: the stand-in's own account of what happened, and everything that lies on the
// share. Collected without the product's readers, so that a fault in them cannot hide itself.
import type {
  Operation,
  SandboxControl,
  SandboxFile,
  SandboxRevision,
  SandboxUpload,
} from '../sandbox/control';
import { readShare, type ShareEvidence } from './judge-share';

/** A file that was put into the drop folder. */
export interface DroppedFile {
  /** Relative to the drop folder, `/` between the parts. */
  readonly path: string;
  readonly sha256: string;
  /** When it was put there, Unix milliseconds. */
  readonly droppedAtMs?: number;
  /** How often it was put there; more than once when it was set apart and dropped again. Default 1. */
  readonly drops?: number;
  /** SHA-256 of what somebody wrote in its place afterwards. */
  readonly rewritten?: readonly string[];
  /** Somebody took it away: it need not be anywhere. */
  readonly removed?: boolean;
  /** Nothing speaks against it: at rest it must be a revision. */
  readonly healthy?: boolean;
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
 * Reads everything. The log first, the share then, the service's state last: what a receipt says is there by
 * then, and what the log tells was already recorded. With the product running, files that move meanwhile can
 * be missed: stop its processes first, or judge at rest.
 * @param shareFolder the root of the share, with the default names for its folders.
 */
export async function collectEvidence(
  control: SandboxControl,
  shareFolder: string,
  dropped: readonly DroppedFile[],
): Promise<Evidence> {
  const operations = await control.operations();
  const share = await readShare(shareFolder);
  const [serviceViolations, revisions, uploads, fileUploads] = await Promise.all([
    control.violations(),
    control.revisions(),
    control.uploads(),
    control.files(),
  ]);
  return { operations, serviceViolations, revisions, uploads, fileUploads, share, dropped };
}
