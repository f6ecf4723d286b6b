// The ledger of one share, as others use it.
import { join } from 'node:path';
import { isGone } from '../../host/file-trouble';
import { isMissing } from '../files/missing';
import { comparePaths } from '../files/relative-path';
import { toShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { type Appended, appendEntries, type OnBadRecord, type PrepareEntries } from './append-entries';
import { ledgerFolder, parseFileName, type ReadRecord, readRecord } from './ledger-files';
import type { LedgerContent, RecordName } from './ledger-record';

export interface LedgerMonth {
  /** `YYYYMM`, when its batches were claimed. */
  readonly month: string;
  /** Changes when a record is added; nanoseconds, by the clock of the share. */
  readonly changedNs: bigint;
}

/** What keeps an index of a ledger up to date. */
export interface LedgerReader {
  readonly share: string;
  /** In the order of time. */
  months(): Promise<readonly LedgerMonth[]>;
  /** Of one month, streamed in no order: memory does not grow with the folder. */
  recordNames(month: string): AsyncIterable<RecordName>;
  read(name: RecordName): Promise<ReadRecord>;
}

export class ShareLedger implements LedgerReader {
  readonly share: string;
  readonly #layout: () => ShareLayout;

  /** @param layout asked each time: the share may have been opened anew. */
  constructor(share: string, layout: () => ShareLayout) {
    this.share = share;
    this.#layout = layout;
  }

  async append(
    batchId: string,
    content: LedgerContent,
    onBad: OnBadRecord,
    prepare?: PrepareEntries,
  ): Promise<Appended> {
    return await appendEntries(this.#layout(), batchId, content, onBad, prepare);
  }

  async months(): Promise<readonly LedgerMonth[]> {
    const { fs } = this.#layout();
    const folder = ledgerFolder(this.#layout());
    const months: LedgerMonth[] = [];
    try {
      for await (const { name } of fs.entries(folder)) {
        const month = name.toString('utf8');
        if (!/^\d{6}$/.test(month)) continue;
        const { kind, mtimeNs } = await fs.look(join(folder, month));
        if (kind === 'folder') months.push({ month, changedNs: mtimeNs });
      }
    } catch (error) {
      if (!isGone(error)) throw toShareError(error) ?? error;
      // None yet; a share that is away says the same, and must not pass for an empty ledger.
      if (!(await isMissing(fs, folder, this.#layout().batches))) return await this.months();
    }
    return months.sort((one, other) => comparePaths(one.month, other.month));
  }

  async *recordNames(month: string): AsyncIterable<RecordName> {
    const { fs } = this.#layout();
    try {
      for await (const { name } of fs.entries(join(ledgerFolder(this.#layout()), month))) {
        const record = parseFileName(name.toString('utf8'));
        if (record?.batchId.startsWith(month) === true) yield record;
      }
    } catch (error) {
      throw toShareError(error) ?? error;
    }
  }

  async read(name: RecordName): Promise<ReadRecord> {
    return await readRecord(this.#layout(), name);
  }
}
