// Makes the receipt of a batch: a row for each of its files, with what became of it. Pure.
import type { Reason } from '../../../workflows/contract';
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import type { Receipt, ReceiptRow } from '../batch/kept-receipt';
import { type Manifest, shortenReason } from '../batch/manifest';
import { ShareError } from '../files/share-error';

export interface HeldFile {
  readonly index: number;
  readonly reason: Reason;
}

export interface ReceiptInput {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
  readonly outcomes: readonly DocumentOutcome[];
  readonly held: readonly HeldFile[];
  /** Go on by themselves, and why they have not ended: answered, or in line. */
  readonly goingOn?: readonly HeldFile[];
  readonly final: boolean;
  readonly now: Date;
  /** The receipt before it: a document that is held for the same reason there is held since then. */
  readonly earlier?: Receipt | undefined;
}

/**
 * One row a file, in drop order.
 * @throws ShareError `outcomes-incomplete` when a final receipt would leave a file unaccounted for.
 */
export function makeReceipt(input: ReceiptInput): Receipt {
  const { manifest } = input;
  const outcomes = new Map<number, DocumentOutcome>();
  for (const outcome of input.outcomes) {
    if (manifest.files[outcome.index] === undefined) {
      throw new ShareError('outcomes-incomplete', `The batch has no file with the index ${outcome.index}.`);
    }
    if (isBetter(outcome, outcomes.get(outcome.index))) outcomes.set(outcome.index, outcome);
  }
  const held = new Map(input.held.map(file => [file.index, file.reason]));
  const goingOn = new Map(input.goingOn?.map(file => [file.index, shortenReason(file.reason)]));
  const earlier = new Map(input.earlier?.files.map(row => [row.index, row]));
  const files = manifest.files.map((file): ReceiptRow => {
    const outcome =
      outcomes.get(file.index) ??
      (file.refused && { index: file.index, kind: 'set-apart' as const, reason: file.refused });
    const row = file.entry?.row?.number;
    const facts = {
      index: file.index,
      path: file.path,
      ...(row === undefined ? {} : { row }),
      sizeBytes: file.sizeBytes,
      ...(file.sha256 === undefined ? {} : { sha256: file.sha256 }),
    };
    if (outcome !== undefined) return { ...facts, ...describe(outcome, file.looks) };
    const waitsFor = goingOn.get(file.index);
    const open = { ...facts, stored: [], notes: toNotes(file.looks), outcome: 'open' as const };
    if (waitsFor !== undefined) return { ...open, reason: waitsFor };
    const heldFor = held.get(file.index);
    const reason = heldFor && shortenReason(heldFor);
    if (reason === undefined) return open;
    const before = earlier.get(file.index);
    const isSame = before?.outcome === 'held' && isSameQuestion(before.reason, reason);
    const since = isSame ? (before.heldSince ?? input.earlier?.writtenAt) : undefined;
    return { ...open, outcome: 'held', reason, heldSince: since ?? input.now.toISOString() };
  });
  const unfinished = files.filter(file => file.outcome === 'held' || file.outcome === 'open');
  if (input.final && unfinished.length > 0) {
    throw new ShareError(
      'outcomes-incomplete',
      `The receipt of batch ${manifest.batchId} would leave ${unfinished.length} of ${files.length} files unaccounted for.`,
    );
  }
  const notTold = files.filter(isNotTold).length;
  return {
    version: 1,
    batchId: manifest.batchId,
    share: manifest.share,
    project: manifest.project,
    manifestSha256: input.manifestSha256,
    claimedAt: manifest.createdAt,
    ...(manifest.job === undefined ? {} : { job: manifest.job }),
    writtenAt: input.now.toISOString(),
    final: input.final,
    ...(notTold === 0 ? {} : { revisionIdsNotTold: notTold }),
    files,
    ...describeRegisters(manifest),
  };
}

/** A review in the service that has come to its next step has another text, but is the same question. */
function isSameQuestion(before: Reason | undefined, now: Reason | undefined): boolean {
  return before?.text === now?.text || (before?.code === now?.code && now?.code === 'WORKFLOW_CONFLICT');
}

/** What the job's own register says is told once, in the receipt of the job. */
function describeRegisters({ registers = [] }: Manifest): Pick<Receipt, 'registers'> {
  const own = registers.filter(({ ofJob }) => ofJob === undefined);
  if (own.length === 0) return {};
  return {
    registers: own.map(({ path, sha256, notThere, notices }) => ({ path, sha256, notThere, notices })),
  };
}

function toNotes(looks: string | undefined, notes: readonly string[] = []): string[] {
  return looks === undefined || notes.includes(looks) ? [...notes] : [...notes, looks];
}

/** How many files went which way. */
export function countReceipt(receipt: Receipt): {
  done: number;
  attention: number;
  skipped?: number;
  idsNotTold?: number;
} {
  const count = (outcome: ReceiptRow['outcome']) =>
    receipt.files.filter(file => file.outcome === outcome).length;
  const notTold = receipt.files.filter(isNotTold).length;
  const skipped = count('skipped');
  return {
    done: count('submitted'),
    attention: count('set-apart'),
    ...(skipped === 0 ? {} : { skipped }),
    ...(notTold === 0 ? {} : { idsNotTold: notTold }),
  };
}

function isNotTold({ outcome, revisionId }: ReceiptRow): boolean {
  return outcome === 'submitted' && (revisionId ?? null) === null;
}

/** A revision is permanent, whatever is said later; its id may become known later. */
function isBetter(outcome: DocumentOutcome, known: DocumentOutcome | undefined): boolean {
  if (known?.kind !== 'submitted') return true;
  return known.revisionId === null && outcome.kind === 'submitted' && outcome.revisionId !== null;
}

/** How a document came to its values: the same in an outcome and in its row. */
export function howOf({
  analysis,
  answers,
  waits,
}: Partial<Pick<ReceiptRow, 'analysis' | 'answers' | 'waits'>>): {
  analysis?: NonNullable<ReceiptRow['analysis']>;
  answers?: NonNullable<ReceiptRow['answers']>;
  waits?: NonNullable<ReceiptRow['waits']>;
} {
  return {
    ...(analysis === undefined ? {} : { analysis }),
    ...(answers === undefined ? {} : { answers }),
    ...(waits === undefined ? {} : { waits }),
  };
}

function describe(
  outcome: DocumentOutcome,
  looks: string | undefined,
): Omit<ReceiptRow, 'index' | 'path' | 'row' | 'sizeBytes' | 'sha256'> {
  const both = {
    stored: [...(outcome.stored ?? [])],
    notes: toNotes(looks, outcome.notes),
    ...(outcome.uploadId === undefined ? {} : { uploadId: outcome.uploadId }),
    ...howOf(outcome),
  };
  if (outcome.kind !== 'submitted')
    return { ...both, outcome: outcome.kind, reason: shortenReason(outcome.reason) };
  return {
    ...both,
    outcome: 'submitted',
    revisionId: outcome.revisionId,
    paired: outcome.paired,
    submittedAt: new Date(outcome.submittedAtMs).toISOString(),
  };
}
