// Notes what has happened to the documents of a batch, in its journal, and reads which batch passed last.
import type { JournalRecord } from '../../workflows/ingest/ingest-contract';
import type { Clock } from '../host/clock';
import { hasCode } from '../host/error-code';
import type { DatedRecord } from './batch/fold-journal';
import { appendRecord, readNewestMs } from './batch/journal';
import { type Manifest, readManifest } from './batch/manifest';
import { NotedRecords } from './batch/noted-records';
import { notePass, type Passes, readPasses } from './batch/passes';
import { locateBatch } from './batch/read-batch';
import type { SealCache } from './batch/seal-cache';
import { type FormerIntent, FormerIntents } from './batch/told-outcomes';
import type { ShareErrorCode } from './files/share-error';
import type { BatchPaths, ShareLayout } from './files/share-layout';
import type { OpenLedger } from './open-ledger';
import type { BatchNotes } from './share';

export class OpenNotes implements BatchNotes {
  readonly #layout: () => ShareLayout;
  readonly #seals: SealCache;
  readonly #clock: Clock;
  readonly #ledger: Pick<OpenLedger, 'note'>;
  readonly #noted = new NotedRecords();
  readonly #former = new FormerIntents();
  readonly #onBad: (batchId: string, record: string, why: string) => void;

  /** @param onBad called with each record that cannot be read, at any look. */
  constructor(
    layout: () => ShareLayout,
    seals: SealCache,
    clock: Clock,
    ledger: Pick<OpenLedger, 'note'>,
    onBad: (batchId: string, record: string, why: string) => void,
  ) {
    this.#layout = layout;
    this.#seals = seals;
    this.#clock = clock;
    this.#ledger = ledger;
    this.#onBad = onBad;
  }

  async appendRecord(batchId: string, record: JournalRecord, askedAtMs?: number): Promise<void> {
    const paths = await locateBatch(this.#layout(), batchId);
    const fresh = this.#noted.fresh(batchId, record);
    if (fresh === undefined) return;
    const manifest = await this.#readManifest(paths);
    // A worker that was started again, perhaps with its clock set back, goes on without reading the batch.
    if (!this.#noted.knowsTime(batchId)) {
      const newestMs = await readNewestMs(paths, (name, why) => this.#onBad(batchId, name, why));
      this.#noted.saw(batchId, newestMs);
    }
    // The ledger first: whoever waits behind these documents goes on once the journal says they have ended.
    if (manifest !== undefined && fresh.kind === 'outcome') await this.#ledger.note(manifest, fresh.outcomes);
    await appendRecord(paths, fresh, this.#noted.stampMs(batchId, this.#clock.wallMs()));
    this.#noted.add(batchId, fresh);
    await notePass(this.#layout(), batchId, fresh, askedAtMs);
  }

  async findFormerIntents(
    batchId: string,
    uploads: readonly Pick<FormerIntent, 'index' | 'uploadId'>[],
  ): Promise<readonly FormerIntent[]> {
    const paths = await locateBatch(this.#layout(), batchId);
    return await this.#former.findFor(paths, uploads, (record, why) => this.#onBad(batchId, record, why));
  }

  /** Somebody has read the journal: what is noted from now on is later than its records. */
  saw(batchId: string, records: readonly DatedRecord[]): void {
    for (const { atMs } of records) this.#noted.saw(batchId, atMs);
  }

  async readPasses(): Promise<Passes> {
    return await readPasses(this.#layout());
  }

  /** Another file system may be there now: what was noted is noted again. */
  forgetAll(): void {
    this.#noted.forgetAll();
    this.#former.forgetAll();
  }

  /**
   * Undefined where the manifest will never be read: what became of a document is noted all the same.
   * @throws ShareError `key-differs`: a journal with records of two keys is one that no host can read whole.
   * And what passes: without the manifest the ledger cannot be told, so the journal waits as well.
   */
  async #readManifest(paths: BatchPaths): Promise<Manifest | undefined> {
    try {
      return (await this.#seals.read(paths.batchId, () => readManifest(paths))).manifest;
    } catch (error) {
      if (hasCode<ShareErrorCode>(error, ...NEVER_READ)) return undefined;
      throw error;
    }
  }
}

/** Of a manifest that is gone, spoilt or another's: no later look finds anything else. */
const NEVER_READ: readonly ShareErrorCode[] = [
  'batch-unknown',
  'batch-damaged',
  'manifest-differs',
  'project-differs',
];
