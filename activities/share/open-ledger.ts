// The ledger of a share as one process has it open: what became revisions is noted there before the batch's
// own journal or receipt says so. Others line up behind the batch until one of those two speaks, and whoever
// goes on then must find the revision.
import type { DocumentOutcome } from '../../workflows/ingest/ingest-contract';
import { createLimit } from '../host/concurrency';
import type { Manifest } from './batch/manifest';
import type { DocumentWords } from './drop/document-words';
import { toShareError } from './files/share-error';
import type { ShareLayout } from './files/share-layout';
import { type EntryRules, entriesOfOutcomes, toLedgerJob } from './ledger/entries-of-receipt';
import type { LedgerEntry } from './ledger/ledger-record';
import { type RecordedFinished, type RecordFinishedOptions, recordFinished } from './ledger/record-finished';
import { ShareLedger } from './ledger/share-ledger';
import type { FindLastMs, RevisionLedger } from './share';
import type { ShareConfig } from './share-config';
import type { ShareWarnings } from './share-warnings';

/** Documents that are looked up at once: each look opens files of the index. */
const PARALLEL = 8;

export class OpenLedger implements RevisionLedger {
  readonly ledger: ShareLedger;
  readonly readWords: () => Promise<DocumentWords>;
  readonly #config: ShareConfig;
  readonly #layout: () => ShareLayout;
  readonly #warnings: ShareWarnings;
  #findLastMs: FindLastMs | undefined;

  constructor(
    config: ShareConfig,
    layout: () => ShareLayout,
    warnings: ShareWarnings,
    readWords: () => Promise<DocumentWords>,
  ) {
    this.ledger = new ShareLedger(config.name, layout);
    this.#config = config;
    this.#layout = layout;
    this.#warnings = warnings;
    this.readWords = readWords;
  }

  async noteFinished(
    options: Pick<RecordFinishedOptions, 'signal' | 'seen' | 'onProgress'>,
  ): Promise<RecordedFinished> {
    const { name } = this.#config;
    const rules = await this.#readRules();
    const onBad = (file: string, why: string) => this.#warnings.ofLedger(file, why);
    return await recordFinished(this.#layout(), { ...options, share: name, rules, onBad });
  }

  noteAfter(findLastMs: FindLastMs): void {
    this.#findLastMs = findLastMs;
  }

  /**
   * What of these became revisions is in the ledger when it returns; what is there already stays as it is. A
   * ledger that takes no more keeps no batch from its end: that goes to the log.
   * @throws ShareError while the share is away.
   */
  async note(manifest: Manifest, outcomes: readonly DocumentOutcome[]): Promise<void> {
    // The share may have had another name when the batch was claimed.
    const { name: share } = this.#config;
    const { batchId, project, job } = manifest;
    try {
      const rules = await this.#readRules();
      const entries = onceEach(entriesOfOutcomes(manifest, outcomes, rules));
      if (entries.length === 0) return;
      const content = { share, project, job: toLedgerJob(job), entries };
      const onBad = (file: string, why: string) => this.#warnings.ofLedger(file, why);
      await this.ledger.append(batchId, content, onBad, async fresh => await this.#inOrder(manifest, fresh));
    } catch (error) {
      const trouble = toShareError(error);
      if (trouble !== undefined && trouble.code !== 'batch-damaged') throw trouble;
      this.#warnings.ofLedger(batchId, error instanceof Error ? error.message : String(error));
    }
  }

  async #readRules(): Promise<EntryRules> {
    return { naming: this.#config.policy.naming, words: await this.readWords() };
  }

  /**
   * The newest revision of a document is the present one. A clock that was set back must not make it an
   * earlier one: then its time is that of the one before, and a moment more.
   */
  async #inOrder(manifest: Manifest, entries: readonly LedgerEntry[]): Promise<LedgerEntry[]> {
    const inTime = [...entries].sort((one, other) => one.submittedAtMs - other.submittedAtMs);
    const inTurn = createLimit(PARALLEL);
    const notedOf = async (entry: LedgerEntry): Promise<LedgerEntry> => {
      const lastMs = await this.#findLastMs?.(manifest, entry);
      // Two of one document that are noted together keep their own order.
      const afterMs = lastMs === undefined ? 0 : lastMs + 1 + inTime.indexOf(entry);
      return { ...entry, submittedAtMs: Math.max(entry.submittedAtMs, afterMs) };
    };
    return await Promise.all(entries.map(entry => inTurn(() => notedOf(entry))));
  }
}

/** The journal and the run may tell of the same document; whoever knows its revision is believed. */
function onceEach(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const best = new Map<number, LedgerEntry>();
  for (const entry of entries) {
    if (best.get(entry.index)?.revisionId == null) best.set(entry.index, entry);
  }
  return [...best.values()];
}
