// The port to whatever hashes files; the upload engine's HashPool fits it.
import type { PlannedSegment } from '../../transfer/segment-plan';

export interface HashedSegment extends PlannedSegment {
  readonly sha256: string;
}

export interface FileHasher {
  /** One pass over a regular file. Fails when it cannot be read or changed meanwhile. */
  hashFile(
    path: string,
    input: { readonly segments: readonly PlannedSegment[]; readonly signal?: AbortSignal },
  ): Promise<{
    readonly sizeBytes: number;
    readonly sha256: string;
    readonly segments: readonly HashedSegment[];
  }>;
}
