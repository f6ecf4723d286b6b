// What the ledger notes of a batch: made of outcomes as they come, or of the receipt of a batch that is over.
import type { Naming } from '../../../workflows/contract';
import type { DocumentOutcome, StoredValue } from '../../../workflows/ingest/ingest-contract';
import { foldName } from '../../host/fold-text';
import type { Receipt } from '../batch/kept-receipt';
import type { Manifest, ManifestFile } from '../batch/manifest';
import type { DocumentField, DocumentWords } from '../drop/document-words';
import { nameOfFile } from '../drop/name-of-file';
import { nameOf } from '../files/relative-path';
import type { LedgerContent, LedgerEntry } from './ledger-record';
import { saidOfFile } from './said-of-file';

/** By what a file tells its name, number and revision. */
export interface EntryRules {
  readonly naming: Naming;
  readonly words: DocumentWords;
}

/** The longest text that a ledger record takes (ledger-record.ts); what the service stored may be longer. */
const MOST_CHARACTERS = 2_000;

/** A document that became a revision, as its outcome says. */
interface Submitted {
  readonly index: number;
  readonly uploadId?: string | undefined;
  readonly revisionId: string | null;
  readonly submittedAtMs: number;
  readonly stored?: readonly StoredValue[] | undefined;
}

/** The job that a batch is part of, as the ledger has it; null for none. */
export function toLedgerJob(job: Manifest['job']): LedgerContent['job'] {
  return job === undefined ? null : { id: job.id, name: cut(job.name) };
}

/** One entry for each submitted document, in the order of the outcomes. */
export function entriesOfOutcomes(
  manifest: Manifest,
  outcomes: readonly DocumentOutcome[],
  rules: EntryRules,
): LedgerEntry[] {
  return outcomes.flatMap(outcome => (outcome.kind === 'submitted' ? toEntry(manifest, outcome, rules) : []));
}

/** The same from a receipt, in the batch's order. */
export function entriesOfReceipt(manifest: Manifest, receipt: Receipt, rules: EntryRules): LedgerEntry[] {
  return receipt.files.flatMap(({ index, outcome, uploadId, revisionId = null, submittedAt, stored }) => {
    if (outcome !== 'submitted') return [];
    const submittedAtMs = Date.parse(submittedAt ?? receipt.writtenAt);
    return toEntry(manifest, { index, uploadId, revisionId, submittedAtMs, stored }, rules);
  });
}

/** None for a file that could not be sent: it has no hash, and became no revision. */
function toEntry(manifest: Manifest, one: Submitted, { naming, words }: EntryRules): LedgerEntry[] {
  const file = manifest.files[one.index];
  if (file?.sha256 === undefined) return [];
  const { stored = [] } = one;
  const { number, revision, name } = saidOfFile(manifest, file, words);
  const storedAs = (field: DocumentField) => storedValue(stored, words.labelOf(field));
  return [
    {
      index: one.index,
      path: file.path,
      sha256: file.sha256,
      sizeBytes: file.sizeBytes,
      mimeType: file.mimeType,
      // Where their labels are not known, what was said of the file counts.
      name: cut(storedAs('name') ?? name ?? nameOfFile(toNamed(file), naming)),
      number: cutOrNull(storedAs('number') ?? number),
      revision: cutOrNull(storedAs('revision') ?? revision),
      said: {
        number: cutOrNull(number),
        revision: cutOrNull(revision),
        ...(name === undefined ? {} : { name: cut(name) }),
      },
      uploadId: one.uploadId ?? null,
      revisionId: one.revisionId,
      submittedAtMs: one.submittedAtMs,
    },
  ];
}

function toNamed({ path, mimeType }: ManifestFile) {
  return { fileName: nameOf(path), mimeType };
}

/** What the service has stored in a field, by its label; undefined where that is nothing. */
export function storedValue(stored: readonly StoredValue[], field: string): string | undefined {
  const wanted = foldName(field);
  return stored.find(({ label, value }) => foldName(label) === wanted && value.trim() !== '')?.value.trim();
}

function cut(text: string): string {
  return text.slice(0, MOST_CHARACTERS);
}

function cutOrNull(text: string | null | undefined): string | null {
  return text == null ? null : cut(text);
}
