// What the log is told of a share: of what others did in our folders, each thing once.
import { describeBug } from '../host/describe-bug';
import { IncidentLog } from '../host/incident-log';
import type { OnMistaken } from './claim/keep-mistaken';
import type { OpenBatch } from './claim/open-batches';
import type { OnNotOurs } from './files/own-marks';
import { fromRoot } from './files/share-layout';
import type { Settled } from './receipt/settle-up';
import type { TemplateOutcome, TemplateState } from './register/kept-template';
import type { ShareLogger } from './share';

/** How many ids one line names; how many there are in all is told as well. */
const MOST_NAMED = 10;

export class ShareWarnings {
  readonly #share: string;
  readonly #logger: ShareLogger;
  readonly #root: () => string;
  readonly #notOurs = new IncidentLog();
  readonly #ledger = new IncidentLog();
  readonly #records = new IncidentLog();
  readonly #jobs = new IncidentLog();
  readonly #template = new IncidentLog();
  readonly #strangers = { 'not-ours': new IncidentLog(), 'other-key': new IncidentLog() };

  /** @param root the share's root, resolved. */
  constructor(share: string, logger: ShareLogger, root: () => string) {
    this.#share = share;
    this.#logger = logger;
    this.#root = root;
  }

  /** @returns what to call for each record of a batch that cannot be read, at any look; each is told once. */
  ofRecords(batchId: string): (record: string, why: string) => void {
    return (record, why) => {
      if (!this.#records.begins(`${batchId}/${record}`, why)) return;
      this.#logger.warn(
        { event: 'record-unreadable', share: this.#share, batchId, record, why },
        'A record of a batch cannot be read and is left out.',
      );
    };
  }

  /** Tells of a record of the ledger that cannot be read, or cannot be written; of each once. */
  ofLedger(record: string, why: string): void {
    if (!this.#ledger.begins(record)) return;
    this.#logger.warn(
      { event: 'ledger-record', share: this.#share, record, why },
      'A record of the ledger cannot be read or written. What it is about is not known to the ledger.',
    );
  }

  /** Tells of a bug that keeps a job from its end; of each once. */
  bugOfJob({ id, name }: { readonly id: string; readonly name: string }, error: unknown): void {
    const why = describeBug(error);
    if (!this.#jobs.begins(id, why)) return;
    this.#logger.warn(
      { event: 'job-damaged', share: this.#share, job: name, why, error },
      'A job cannot be ended, by a bug of ours; the watcher tries it again.',
    );
  }

  /** Tells of a mark in our own folder that was not made by us; of each once. */
  readonly notOurs: OnNotOurs = (path, why) => {
    const file = fromRoot(this.#root(), path);
    if (!this.#notOurs.begins(file)) return;
    this.#logger.warn(
      { event: 'mark-not-ours', share: this.#share, file, why },
      'A file in our own folder cannot be opened, is not sealed with our key, or not whole. It is not followed.',
    );
  };

  /** Tells of what a claim took by mistake. */
  readonly mistaken: OnMistaken = (batchId, { path }) => {
    this.#logger.warn(
      {
        event: 'mistaken-file',
        share: this.#share,
        batchId,
        path,
        folder: `.drawbridge/mistaken/${batchId}`,
      },
      'What was taken for a dropped file is another one, and may come from elsewhere. It is kept, and not carried in.',
    );
  };

  /** Called with the result of each look at the template; tells of trouble, and returns the result. */
  template<State extends TemplateState | TemplateOutcome>(file: string, state: State): State {
    if (state !== 'theirs' && state !== 'cannot-write') {
      // What is due may yet be what cannot be written.
      if (state !== 'due') this.#template.ends(file);
    } else if (this.#template.begins(file, state)) {
      const why =
        state === 'theirs'
          ? 'somebody has made or changed it, so it stays as it is; a fresh one is made when it is gone'
          : 'it cannot be written now: a program has it open, or nobody may write there';
      this.#logger.warn(
        { event: 'template-left', share: this.#share, file, why },
        'The template is not renewed',
      );
    }
    return state;
  }

  /**
   * Called with all open batches. Tells of each strange one once, those of a kind in one line, however many:
   * somebody may plant them faster than anybody reads.
   */
  strangers(batches: readonly OpenBatch[]): void {
    this.#tellFresh(batches, 'not-ours', {
      event: 'batches-not-ours',
      message: 'Folders among our open batches were not made by us. They are left as they lie.',
    });
    this.#tellFresh(batches, 'other-key', {
      event: 'batches-other-key',
      message:
        'Folders among our open batches are sealed with another key than ours. They are left as they lie.',
    });
  }

  #tellFresh(
    batches: readonly OpenBatch[],
    state: 'not-ours' | 'other-key',
    { event, message }: { readonly event: string; readonly message: string },
  ): void {
    const found = batches.filter(batch => batch.state === state);
    const fresh = found.filter(({ batchId }) => this.#strangers[state].begins(batchId));
    this.#strangers[state].keepOnly(new Set(found.map(({ batchId }) => batchId)));
    const [first] = fresh;
    if (first === undefined) return;
    const batchIds = fresh.slice(0, MOST_NAMED).map(({ batchId }) => batchId);
    const why = first.why === undefined ? {} : { why: first.why };
    this.#logger.warn({ event, share: this.#share, folders: fresh.length, batchIds, ...why }, message);
  }

  /** Tells of files that were not, or are not, where they should have been when a batch was settled. */
  settled(batchId: string, { missing, strays, elsewhere, blocked }: Settled): void {
    for (const { path, folder } of elsewhere) {
      this.#logger.warn(
        { event: 'file-elsewhere', share: this.#share, batchId, path, folder },
        'Where the folder of a file should be, a link or a file stands. The file is in another folder.',
      );
    }
    for (const { path, why } of blocked) {
      this.#logger.warn(
        { event: 'file-blocked', share: this.#share, batchId, path, why },
        'A file cannot be moved to its folder now. It is kept, and tried again with the end of its batch.',
      );
    }
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
