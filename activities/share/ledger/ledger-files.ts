// Where the records of a ledger lie, and how one of them is read:
// `.drawbridge/ledger/202601/<batch>.<part>.json`, by the month in which the batch was claimed, as finished
// batches are kept. So the place of a record follows from its batch, and a writer need not list a folder to
// find what is there.
import { join } from 'node:path';
import { readOwnJson } from '../files/own-json';
import { toShareError } from '../files/share-error';
import { isBatchId, type ShareLayout } from '../files/share-layout';
import { checkRecord, envelopeSchema, type LedgerRecord, MOST_PARTS, type RecordName } from './ledger-record';

export type ReadRecord =
  | { readonly kind: 'record'; readonly record: LedgerRecord }
  /** Torn, planted, or sealed by a foreign key: nothing that it says is believed. */
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'none' };

export function ledgerFolder({ own }: ShareLayout): string {
  return join(own, 'ledger');
}

/** `YYYYMM`. */
export function monthOf(batchId: string): string {
  return batchId.slice(0, 6);
}

export function toFileName({ batchId, part }: RecordName): string {
  return `${batchId}.${part}.json`;
}

/** Undefined for what is no record's name; what begins with a dot was never finished. */
export function parseFileName(file: string): RecordName | undefined {
  const [, batchId = '', digits = ''] = /^([^.]+)\.([1-9]\d{0,3})\.json$/.exec(file) ?? [];
  const part = Number(digits);
  return isBatchId(batchId) && part <= MOST_PARTS ? { batchId, part } : undefined;
}

/** @throws ShareError while the share, or this file, is out of reach: that is to be tried again. */
export async function readRecord(layout: ShareLayout, name: RecordName): Promise<ReadRecord> {
  const shown = `ledger/${monthOf(name.batchId)}/${toFileName(name)}`;
  const label = `The ledger's record ${shown}`;
  try {
    const read = await readOwnJson(layout.fs, join(layout.own, shown), label, envelopeSchema);
    if (read === undefined) return { kind: 'none' };
    return { kind: 'record', record: checkRecord(layout.seals, name, label, read.value) };
  } catch (error) {
    const trouble = toShareError(error);
    if (trouble?.code !== 'batch-damaged' && trouble?.code !== 'key-differs') throw trouble ?? error;
    return { kind: 'bad', why: trouble.message };
  }
}
