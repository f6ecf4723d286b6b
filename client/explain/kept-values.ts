// What the sealed receipts and journals keep of a document besides what the ledger has: its values and where
// each of them came from, its row in the register, by which requirement it went, what the analysis gave, who
// answered what, and what was noted on its way.
import type { LedgerDocument } from '../../activities/ledger/index-keys';
import type { DatedRecord } from '../../activities/share/batch/fold-journal';
import type { ReceiptRow } from '../../activities/share/batch/kept-receipt';
import { findRequirement } from '../../activities/share/batch/noted-requirement';
import { tellSource } from '../../activities/share/receipt/tell-source';
import { notesOf } from '../../activities/share/receipt/words-of-row';
import type { Batches, ShownFinished } from '../../activities/share/share';

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
  /** By which upload requirement it was submitted, and why that applied; null where it was not noted. */
  readonly requirement: { readonly when: string; readonly asks: readonly string[] } | null;
  /** How long the analysis was waited for, and what it gave; null where it was not, or that was not kept. */
  readonly analysis: NonNullable<ReceiptRow['analysis']> | null;
  /** What people were asked and answered, the latest five times; `by` is null where nobody said who. */
  readonly answers: readonly {
    readonly by: string | null;
    readonly at: string;
    readonly askedAt: string;
    readonly question: string;
    readonly said: string;
  }[];
  /** What it waited for without a person, the latest five times: its turn, workflows in the service. */
  readonly waits: readonly KeptWait[];
}

type ReceiptWait = NonNullable<ReceiptRow['waits']>[number];

export type KeptWait = { readonly since: string; readonly why: string } & (
  | {
      readonly what: 'in-line';
      /** null where its turn was not seen to come. */
      readonly until: string | null;
    }
  /** From the first to the last of `times` refusals. `policy` is the setting `conflict` of the share then. */
  | {
      readonly what: 'workflow-conflict';
      readonly until: string;
      readonly times: number;
      readonly policy: Extract<ReceiptWait, { readonly what: 'workflow-conflict' }>['policy'];
    }
);

/** A sentence where nothing can be said. */
export type Kept = KeptValues | { readonly unknown: string };

/** Each receipt is read once for all its documents that come one after the other. */
export class KeptReader {
  readonly #batches: ReadKept;
  #last: { readonly batchId: string; readonly read: ReturnType<typeof readKept> } | undefined;

  constructor(batches: ReadKept) {
    this.#batches = batches;
  }

  async read({ batchId, index }: Pick<LedgerDocument, 'batchId' | 'index'>): Promise<Kept> {
    if (this.#last?.batchId !== batchId) this.#last = { batchId, read: readKept(this.#batches, batchId) };
    try {
      const { receipt, records } = await this.#last.read;
      if (receipt === undefined) return { unknown: 'its batch has no receipt yet' };
      const row = receipt.files.find(file => file.index === index);
      if (row === undefined) return { unknown: 'the receipt of its batch does not have it' };
      const values = row.stored.map(({ label, value, from }) => ({
        label,
        value,
        from: from === undefined ? null : tellSource(from, row.row),
      }));
      const answers = (row.answers ?? []).map(({ by = null, atMs, sinceMs, question, said }) => ({
        by,
        at: new Date(atMs).toISOString(),
        askedAt: new Date(sinceMs).toISOString(),
        question,
        said,
      }));
      return {
        row: row.row ?? null,
        values,
        notes: notesOf(row),
        requirement: toRequirement(records, index),
        analysis: row.analysis ?? null,
        answers,
        waits: (row.waits ?? []).map(toWait),
      };
    } catch (error) {
      return { unknown: error instanceof Error ? error.message : String(error) };
    }
  }
}

type ReadKept = Pick<Batches, 'readBatch'> & Pick<ShownFinished, 'readRecords'>;

async function readKept(batches: ReadKept, batchId: string) {
  const { receipt } = await batches.readBatch(batchId);
  return { receipt, records: await batches.readRecords(batchId, 'required') };
}

function toRequirement(records: readonly DatedRecord[], index: number): KeptValues['requirement'] {
  const noted = findRequirement(records, index);
  return noted === undefined ? null : { when: noted.when, asks: noted.asks };
}

function toWait({ sinceMs, untilMs, ...rest }: ReceiptWait): KeptWait {
  const since = new Date(sinceMs).toISOString();
  const until = untilMs === undefined ? null : new Date(untilMs).toISOString();
  return rest.what === 'in-line' ? { ...rest, since, until } : { ...rest, since, until: until ?? since };
}
