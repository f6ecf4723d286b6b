// Adds documents to the ledger of a share. What is there is never written over: each writer puts what is
// still missing into the first part of the batch that nobody has written, and of two who choose the same part
// one succeeds and the other looks again. So a repeat after a crash, or beside another process, adds nothing.
import { join } from 'node:path';
import { isGone } from '../../host/file-trouble';
import { syncFolders } from '../files/real-folder';
import { ShareError, toShareError } from '../files/share-error';
import { isBatchId, type ShareLayout } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';
import { ledgerFolder, monthOf, readRecord, toFileName } from './ledger-files';
import { type LedgerContent, type LedgerEntry, MOST_PARTS, toRecordText } from './ledger-record';

/** Called for each record that cannot be believed. */
export type OnBadRecord = (name: string, why: string) => void;

/** The entries as they are to be noted; called with those that the ledger does not have. */
export type PrepareEntries = (fresh: readonly LedgerEntry[]) => Promise<LedgerEntry[]>;

export interface Appended {
  /** Entries that the ledger did not have. */
  readonly added: number;
  /** The part that they are in; undefined when there was nothing to add. */
  readonly part: number | undefined;
}

/**
 * On the share when it returns. An entry that is there already is left out, unless the revision's id was
 * unknown then and is known now.
 * @throws ShareError as the share gives it; nothing is half there then.
 */
export async function appendEntries(
  layout: ShareLayout,
  batchId: string,
  content: LedgerContent,
  onBad: OnBadRecord,
  prepare: PrepareEntries = async fresh => [...fresh],
): Promise<Appended> {
  if (!isBatchId(batchId)) throw new RangeError(`"${batchId}" is no batch.`);
  const known = new Map<number, LedgerEntry>();
  try {
    for (let part = 1; part <= MOST_PARTS; ) {
      const fresh = content.entries.filter(entry => isNews(entry, known.get(entry.index)));
      if (fresh.length === 0) return { added: 0, part: undefined };
      const read = await readRecord(layout, { batchId, part });
      if (read.kind === 'none') {
        const entries = await prepare(fresh);
        const text = toRecordText(layout.seals, { batchId, part }, { ...content, entries });
        if (await writeRecord(layout, batchId, part, text)) return { added: fresh.length, part };
        // Somebody else was faster: what they wrote is read next.
        continue;
      }
      if (read.kind === 'bad') onBad(toFileName({ batchId, part }), read.why);
      else for (const entry of read.record.entries) remember(known, entry);
      part += 1;
    }
  } catch (error) {
    throw toShareError(error) ?? error;
  }
  throw new ShareError('batch-damaged', `The ledger has over ${MOST_PARTS} records of batch ${batchId}.`);
}

/** Whether `entry` says more than what is known of its document. */
function isNews(entry: LedgerEntry, known: LedgerEntry | undefined): boolean {
  return known === undefined || (known.revisionId === null && entry.revisionId !== null);
}

function remember(known: Map<number, LedgerEntry>, entry: LedgerEntry): void {
  if (isNews(entry, known.get(entry.index))) known.set(entry.index, entry);
}

/** False when the part is there already. */
async function writeRecord(
  layout: ShareLayout,
  batchId: string,
  part: number,
  text: string,
): Promise<boolean> {
  const { fs } = layout;
  const folder = join(ledgerFolder(layout), monthOf(batchId));
  const path = join(folder, toFileName({ batchId, part }));
  try {
    return await writeOnce(fs, path, text);
  } catch (error) {
    if (!isGone(error)) throw error;
    // The first record of the month.
    await fs.makeFolders(layout.own, folder);
    await syncFolders(fs, layout.root, [folder]);
    return await writeOnce(fs, path, text);
  }
}
