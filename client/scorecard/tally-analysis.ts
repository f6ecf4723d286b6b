// What the receipts of a share say of the analysis of the service, added up by type and field. Receipts come
// one after the other and none is kept: what is kept does not grow with their number. Pure.
import { foldName } from '../../activities/host/fold-text';
import type { Receipt, ReceiptRow } from '../../activities/share/batch/kept-receipt';
import { storedValue } from '../../activities/share/ledger/entries-of-receipt';
import { Durations } from './durations';

/** Types beyond these are counted together: a field of free text may have as many as documents. */
const MOST_TYPES = 200;
export const OTHER_TYPES = 'other types';
export const NO_TYPE = 'no type';

/** Documents that were set apart and have not come again; the oldest are forgotten. */
const MOST_SET_APART = 20_000;

/**
 * Counts of one field, over documents of which the analysis was waited for: it is asked for every field that
 * nobody gave before.
 */
export interface FieldTally {
  readonly label: string;
  /** It filled the field, in time. */
  found: number;
  /** It left the field empty. */
  lacked: number;
  /**
   * Of what it found: somebody gave the same, or another, afterwards, for the document or for its file when
   * that came again.
   */
  agreed: number;
  overruled: number;
  /** Somebody else had filled the field with the file, so the analysis had no say. */
  givenBefore: number;
}

export interface TypeTally {
  readonly type: string;
  /** That were sent, or set apart after the service had shown their values. */
  documents: number;
  /** The analysis was waited for. */
  waited: number;
  /** Of these, it had not ended in time, or had failed. */
  late: number;
  failed: number;
  readonly waits: Durations;
  readonly fields: Map<string, FieldTally>;
}

/** What was found in a file that was set apart, and where it counts. */
interface Found {
  readonly tally: TypeTally;
  readonly values: ReadonlyMap<string, string>;
}

/** Receipts are added in the order of their batches. */
export class Tally {
  /** By the hash of the file. */
  readonly #setApart = new Map<string, Found>();
  readonly types = new Map<string, TypeTally>();
  batches = 0;
  /** When the first and the last of the batches were claimed. */
  from: string | undefined;
  to: string | undefined;

  add({ claimedAt, files }: Pick<Receipt, 'claimedAt' | 'files'>): void {
    this.batches += 1;
    if (this.from === undefined || claimedAt < this.from) this.from = claimedAt;
    if (this.to === undefined || claimedAt > this.to) this.to = claimedAt;
    for (const row of files) {
      if (row.outcome === 'skipped') continue;
      if (row.outcome !== 'submitted' && row.stored.length === 0 && row.analysis === undefined) continue;
      const tally = this.#typeOf(row);
      this.#compareWithEarlier(row);
      addRow(tally, row);
      this.#keepSetApart(tally, row);
    }
  }

  /** A file that was set apart comes again with a register, which is compared with what was found. */
  #compareWithEarlier({ sha256 = '', stored, analysis }: ReceiptRow): void {
    const earlier = this.#setApart.get(sha256);
    this.#setApart.delete(sha256);
    if (earlier === undefined) return;
    const again = new Set(analysis?.found ?? []);
    for (const { label, value, from } of stored) {
      const before = earlier.values.get(label);
      const isGiven = from !== undefined && from !== 'service' && from !== 'default' && !again.has(label);
      if (before !== undefined && isGiven) compare(fieldOf(earlier.tally, label), before, value);
    }
  }

  #keepSetApart(tally: TypeTally, { sha256, outcome, stored, analysis }: ReceiptRow): void {
    const found = new Set(analysis?.found ?? []);
    if (outcome !== 'set-apart' || sha256 === undefined || found.size === 0) return;
    // Values that somebody put in the place of these are compared already (`replaced`).
    const left = stored.filter(({ label, from }) => found.has(label) && from === 'service');
    this.#setApart.set(sha256, { tally, values: new Map(left.map(({ label, value }) => [label, value])) });
    const [oldest] = this.#setApart.keys();
    if (this.#setApart.size > MOST_SET_APART && oldest !== undefined) this.#setApart.delete(oldest);
  }

  #typeOf({ stored }: ReceiptRow): TypeTally {
    const named = storedValue(stored, 'type') ?? NO_TYPE;
    const type = this.types.has(named) || this.types.size < MOST_TYPES ? named : OTHER_TYPES;
    const known = this.types.get(type) ?? newTypeTally(type);
    this.types.set(type, known);
    return known;
  }
}

function newTypeTally(type: string): TypeTally {
  return { type, documents: 0, waited: 0, late: 0, failed: 0, waits: new Durations(), fields: new Map() };
}

function addRow(tally: TypeTally, { stored, analysis }: ReceiptRow): void {
  tally.documents += 1;
  if (analysis === undefined) return;
  const { waitedMs, end, found = [], lacked = [], replaced = [] } = analysis;
  tally.waited += 1;
  if (end === 'late') tally.late += 1;
  if (end === 'failed') tally.failed += 1;
  tally.waits.add(waitedMs);
  const last = new Map(stored.map(({ label, value }) => [label, value]));
  const instead = new Map(replaced.map(({ label, value }) => [label, value]));
  for (const label of found) {
    const field = fieldOf(tally, label);
    field.found += 1;
    const before = instead.get(label);
    if (before !== undefined) compare(field, before, last.get(label) ?? '');
  }
  for (const label of lacked) fieldOf(tally, label).lacked += 1;
  const asked = new Set([...found, ...lacked]);
  for (const { label, from } of stored) {
    if (asked.has(label) || from === undefined || from === 'service') continue;
    fieldOf(tally, label).givenBefore += 1;
  }
}

function compare(field: FieldTally, found: string, given: string): void {
  if (foldName(found) === foldName(given)) field.agreed += 1;
  else field.overruled += 1;
}

function fieldOf({ fields }: TypeTally, label: string): FieldTally {
  const known = fields.get(label) ?? {
    label,
    found: 0,
    lacked: 0,
    agreed: 0,
    overruled: 0,
    givenBefore: 0,
  };
  fields.set(label, known);
  return known;
}

/** All types together. */
export function sumTypes(types: Iterable<TypeTally>): TypeTally {
  const sum = newTypeTally('all types');
  for (const one of types) {
    for (const count of ['documents', 'waited', 'late', 'failed'] as const) sum[count] += one[count];
    sum.waits.addAll(one.waits);
    for (const field of one.fields.values()) {
      const into = fieldOf(sum, field.label);
      for (const count of ['found', 'lacked', 'agreed', 'overruled', 'givenBefore'] as const)
        into[count] += field[count];
    }
  }
  return sum;
}
