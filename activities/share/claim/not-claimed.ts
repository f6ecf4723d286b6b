// A file that was asked for and could not be had.
import type { RelativePath } from '../files/relative-path';

export interface NotClaimed extends RelativePath {
  /**
   * `gone`: another claimer took it, or it was removed. `busy`: somebody has it open. `changed`: it
   * is not the file that was looked at; it was left in, or put back into, the drop folder.
   * `impossible`: it cannot be renamed. `mistaken`: what was taken in its place may be nothing that was
   * dropped, and is kept in our own folder.
   */
  readonly why: 'gone' | 'busy' | 'changed' | 'impossible' | 'mistaken';
}
