/** What a file upload is at this moment; worked out from its record, never stored. */
import type { FileUpload } from '../entities';
import type { World } from '../world';

export type FileState = 'ready' | 'receiving' | 'complete' | 'scanning' | 'available' | 'deleted';

/** `deleted`: not linked within the time the service keeps it. */
export function fileState(world: World, file: FileUpload): FileState {
  if (file.linkedTo === undefined && world.now() >= file.linkBy) return 'deleted';
  if (file.completedAt === undefined)
    return file.segments.some(({ reported }) => reported) ? 'receiving' : 'ready';
  if (isAvailable(world, file)) return 'available';
  return world.settings.announceScanning ? 'scanning' : 'complete';
}

/** Storage can confirm it: scanned, and the bytes are those that were declared. */
export function isAvailable(world: World, file: FileUpload): boolean {
  return (
    file.availableAt !== undefined &&
    world.now() >= file.availableAt &&
    file.neverAvailable !== true &&
    file.receivedSha256 === file.sha256
  );
}
