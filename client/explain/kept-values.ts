// What the sealed receipts keep of a document besides what the ledger has: its values and where each of them
// came from, its row in the register, and what was noted on its way.
import type { LedgerDocument } from '../../activities/ledger/index-keys';
import { tellSource } from '../../activities/share/receipt/tell-source';
import { notesOf } from '../../activities/share/receipt/words-of-row';
import type { Batches } from '../../activities/share/share';

export interface KeptValues {
  /** Of the register that it came with, as the spreadsheet program counts; null without one. */
  readonly row: number | null;
  /** `from`: in words; null where the receipt does not say it. */
  readonly values: readonly {
    readonly label: string;
    readonly value: string;
    readonly from: string | null;
  }[];
  readonly notes: readonly string[];
}

/** A sentence where nothing can be said. */
export type Kept = KeptValues | { readonly unknown: string };

/** Each receipt is read once for all its documents that come one after the other. */
export class KeptReader {
  readonly #batches: Pick<Batches, 'readBatch'>;
  #last: { readonly batchId: string; readonly read: ReturnType<Batches['readBatch']> } | undefined;

  constructor(batches: Pick<Batches, 'readBatch'>) {
    this.#batches = batches;
  }

  async read({ batchId, index }: Pick<LedgerDocument, 'batchId' | 'index'>): Promise<Kept> {
    if (this.#last?.batchId !== batchId) this.#last = { batchId, read: this.#batches.readBatch(batchId) };
    try {
      const { receipt } = await this.#last.read;
      if (receipt === undefined) return { unknown: 'its batch has no receipt yet' };
      const row = receipt.files.find(file => file.index === index);
      if (row === undefined) return { unknown: 'the receipt of its batch does not have it' };
      const values = row.stored.map(({ label, value, from }) => ({
        label,
        value,
        from: from === undefined ? null : tellSource(from, row.row),
      }));
      return { row: row.row ?? null, values, notes: notesOf(row) };
    } catch (error) {
      return { unknown: error instanceof Error ? error.message : String(error) };
    }
  }
}
