// What the log is told of a share: of what others did in our folders, each thing once.
import { relative } from 'node:path';
import type { OnNotOurs } from './files/own-marks';
import type { Settled } from './receipt/settle-up';
import type { ShareLogger } from './share';

export class ShareWarnings {
  readonly #share: string;
  readonly #logger: ShareLogger;
  readonly #root: () => string;
  readonly #toldNotOurs = new Set<string>();
  #toldPlanted: ReadonlySet<string> = new Set();

  /** @param root the share's root, resolved. */
  constructor(share: string, logger: ShareLogger, root: () => string) {
    this.#share = share;
    this.#logger = logger;
    this.#root = root;
  }

  /** Told of each record of the batch that cannot be read. */
  ofRecords(batchId: string): (record: string, why: string) => void {
    return (record, why) =>
      this.#logger.warn(
        { event: 'record-unreadable', share: this.#share, batchId, record, why },
        'A record of a batch cannot be read and is left out.',
      );
  }

  /** Told of a mark among ours that was not made by us. */
  readonly notOurs: OnNotOurs = (path, why) => {
    const file = relative(this.#root(), path).replaceAll('\\', '/');
    if (this.#toldNotOurs.has(file)) return;
    this.#toldNotOurs.add(file);
    this.#logger.warn(
      { event: 'mark-not-ours', share: this.#share, file, why },
      'A file in our own folder was not written by us, or not to its end. It is not followed.',
    );
  };

  /** Once each, and in one line however many there are: somebody may plant them faster than anybody reads. */
  planted(batchIds: readonly string[]): void {
    const fresh = batchIds.filter(batchId => !this.#toldPlanted.has(batchId));
    this.#toldPlanted = new Set(batchIds);
    if (fresh.length === 0) return;
    this.#logger.warn(
      { event: 'batches-not-ours', share: this.#share, folders: fresh.length, batchIds: fresh.slice(0, 10) },
      'Folders among our open batches were not made by us. They are left as they lie.',
    );
  }

  /** Of files that were not where they should have been when a batch was settled. */
  settled(batchId: string, { missing, strays }: Settled): void {
    for (const path of missing) {
      this.#logger.warn(
        { event: 'file-missing', share: this.#share, batchId, path },
        'A claimed file is gone; somebody took it out of the folder of its batch.',
      );
    }
    for (const path of strays) {
      this.#logger.warn(
        { event: 'file-returned', share: this.#share, batchId, path },
        'A file that was not part of the batch went back to the drop folder.',
      );
    }
  }
}
