// In which order the documents of one project are submitted, whatever shares they came by: what the
// project's coordinator keeps of the batches on their way, and how it answers whose turn it is. Small: of
// each document only what orders it.

import type { Overtaker } from '../../contract';
import {
  findMistakenNumbers,
  findPredecessors,
  mayBeSame,
  type QueuedDocument,
  toQueues,
} from './order-revisions';
import type {
  OrderedBatch,
  OrderedDocument,
  OvertakenNote,
  Predecessor,
  RunState,
  TurnQuestion,
  TurnReply,
} from './turns';
import { WaitingBatches, type WaitsSnapshot } from './waiting-batches';

/** More than this are not kept: what is kept must travel as one payload, of 2 MiB at most. */
const MOST_DOCUMENTS = 12_000;

interface Batch {
  readonly batchId: string;
  readonly share: string;
  readonly claimedAt: string;
  readonly documents: Map<number, OrderedDocument>;
  /** Since when nobody runs it, Unix ms. */
  stoppedSinceMs?: number | undefined;
  /** It has stood still for so long that others no longer wait for it. */
  isPassed: boolean;
}

export interface OrderSnapshot {
  readonly batches: readonly (OrderedBatch & Pick<Batch, 'stoppedSinceMs' | 'isPassed'>)[];
  readonly waits: WaitsSnapshot;
  /** Who is to look again and was not told yet; absent where there is nobody, and in runs of before. */
  readonly woken?: readonly string[];
  readonly mistaken: readonly string[];
  readonly notes: readonly OvertakenNote[];
}

/** A document with the batch that it is of. */
interface Known extends QueuedDocument {
  readonly batch: Batch;
}

export class ProjectOrder {
  /** Who waits, and who is to look again. */
  readonly waits: WaitingBatches;
  readonly #batches = new Map<string, Batch>();
  /** Documents by what they have in common with others, as `batchId index`. */
  readonly #byKey = new Map<string, Set<string>>();
  /** Numbers that too many files had; they count again when nobody has them any more. */
  readonly #mistaken = new Set<string>();
  readonly #notes: OvertakenNote[] = [];
  #size = 0;

  constructor(snapshot?: OrderSnapshot) {
    this.waits = new WaitingBatches(snapshot?.waits);
    if (snapshot === undefined) return;
    for (const batch of snapshot.batches) {
      this.register(batch);
      const kept = this.#batches.get(batch.batchId);
      if (kept !== undefined) {
        kept.stoppedSinceMs = batch.stoppedSinceMs;
        kept.isPassed = batch.isPassed;
      }
    }
    for (const key of snapshot.mistaken) this.#mistaken.add(key);
    this.#notes.push(...snapshot.notes);
    // Registering has just woken all that waited when the snapshot was made: they wait on, and only those are
    // told anything that were woken before.
    this.waits.takeWoken();
    this.waits.wake(snapshot.woken ?? []);
  }

  snapshot(): OrderSnapshot {
    return {
      batches: [...this.#batches.values()].map(({ documents, ...batch }) => ({
        ...batch,
        documents: [...documents.values()],
      })),
      waits: this.waits.snapshot(),
      ...(this.waits.hasWoken ? { woken: this.waits.woken } : {}),
      mistaken: [...this.#mistaken],
      notes: this.#notes,
    };
  }

  get isEmpty(): boolean {
    return this.#batches.size === 0 && this.#notes.length === 0;
  }

  has(batchId: string): boolean {
    return this.#batches.has(batchId);
  }

  get batchIds(): readonly string[] {
    return [...this.#batches.keys()];
  }

  /**
   * Somebody runs the batch from now on, with these documents in place of what was known.
   * False: there is no room for it.
   */
  register({ batchId, share, claimedAt, documents }: OrderedBatch): boolean {
    const before = this.#batches.get(batchId);
    if (this.#size - (before?.documents.size ?? 0) + documents.length > MOST_DOCUMENTS) return false;
    const documentsBefore = new Map(before?.documents);
    if (before !== undefined) this.#forget(before);
    const batch: Batch = { batchId, share, claimedAt, documents: new Map(), isPassed: false };
    this.#batches.set(batchId, batch);
    for (const document of documents) {
      const known = documentsBefore.get(document.index);
      this.#put(batch, {
        ...document,
        ...(document.isLetGo !== true && known?.isLetGo !== true ? {} : { isLetGo: true }),
        overtakenBy: document.overtakenBy ?? known?.overtakenBy,
      });
    }
    if (documents.length === 0) this.#batches.delete(batchId);
    // Those that waited for it while it was not known here ask again, and so do those that saw it stand
    // still.
    this.waits.wakeBehind(batchId, index => index === undefined || before?.stoppedSinceMs !== undefined);
    return true;
  }

  /**
   * Documents that others wait for, and that their batch does not say any more that it has: they have ended,
   * which nobody told.
   */
  leftOutOf({ batchId, documents }: OrderedBatch): readonly number[] {
    const open = new Set(documents.map(({ index }) => index));
    return [...this.waits.awaitedOf(batchId)].filter(index => !open.has(index));
  }

  /** Documents that have an outcome; without indexes, all of the batch. */
  end(batchId: string, indexes?: readonly number[]): void {
    const batch = this.#batches.get(batchId);
    if (batch !== undefined) {
      for (const index of indexes ?? [...batch.documents.keys()]) this.#take(batch, index);
      if (batch.documents.size === 0) this.#batches.delete(batchId);
    }
    if (indexes === undefined) this.waits.forget(batchId);
    const ended = indexes === undefined ? undefined : new Set(indexes);
    this.waits.wakeBehind(batchId, index => ended === undefined || (index !== undefined && ended.has(index)));
  }

  ask(question: TurnQuestion): TurnReply {
    const { batchId, indexes } = question;
    if (question.ended.length > 0) this.end(batchId, question.ended);
    const batch = this.#batches.get(batchId);
    if (batch === undefined) return { kind: 'unregistered' };
    // Whoever asks is at work.
    batch.stoppedSinceMs = undefined;
    batch.isPassed = false;
    for (const { index, matches } of question.matches) this.#change(batch, index, { matches });
    const asked = new Set(indexes);
    const isAsked = (known: Known) => known.batch === batch && asked.has(known.index);
    const unknown = [...new Set(question.behind.map(front => front.batchId))].filter(id => !this.has(id));
    const behindUnknown = question.behind.filter(front => unknown.includes(front.batchId));
    const all = this.#meeting(batch, indexes);
    const waiting = findPredecessors(all.filter(known => !known.batch.isPassed))
      .filter(({ document }) => isAsked(document) && !this.#isLetGo(document))
      .map(({ document: { index }, behind }) => ({ index, behind: describe(behind) }));
    const overtaken = this.#overtakenOf(batch, question);
    const late = new Set([...waiting, ...behindUnknown, ...overtaken].map(({ index }) => index));
    const going = indexes.filter(index => !late.has(index));
    const passing = question.isLook === true ? [] : this.#pass(batch, new Set(going), all);
    if (question.isLook !== true) for (const index of going) this.#change(batch, index, { isLetGo: true });
    this.waits.note(question, [
      ...waiting.map(
        ({ index, behind }) => [index, { batchId: behind.batchId, index: behind.index }] as const,
      ),
      ...behindUnknown.map(front => [front.index, { batchId: front.batchId }] as const),
    ]);
    return { kind: 'turns', waiting, unknown, passing, overtaken };
  }

  /** Known batches that others wait for, of which it is to be seen whether somebody runs them. */
  get inFront(): readonly string[] {
    return this.waits.inFront().filter(batchId => this.has(batchId));
  }

  /** Whether one of them stands still, as far as was seen. */
  get isAnyInFrontStopped(): boolean {
    return this.inFront.some(batchId => this.#batches.get(batchId)?.stoppedSinceMs !== undefined);
  }

  /**
   * What was seen of the runs in front. Whoever waits for one that stands still learns of it,
   * and passes it when it is time.
   */
  noteRun(batchId: string, state: RunState, nowMs: number): void {
    const batch = this.#batches.get(batchId);
    if (batch === undefined) return;
    if (state === 'ended') this.end(batchId);
    else if (state === 'running') batch.stoppedSinceMs = undefined;
    else {
      const isNew = batch.stoppedSinceMs === undefined;
      batch.stoppedSinceMs ??= nowMs;
      const isOver = this.waits.isLongEnough(batchId, nowMs - batch.stoppedSinceMs);
      if (isOver) batch.isPassed = true;
      if (isNew || isOver) this.waits.wakeBehind(batchId, () => true);
    }
  }

  get notes(): readonly OvertakenNote[] {
    return this.#notes;
  }

  noted(note: OvertakenNote): void {
    const at = this.#notes.indexOf(note);
    if (at >= 0) this.#notes.splice(at, 1);
  }

  /** Everything that may be in one queue with the asked documents. */
  #meeting(batch: Batch, indexes: readonly number[]): readonly Known[] {
    const found = new Map<string, Known>();
    const open = indexes.map(index => toId(batch.batchId, index));
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id)) continue;
      const known = this.#find(id);
      if (known === undefined) continue;
      found.set(id, known);
      for (const key of keysOf(known))
        if (!this.#mistaken.has(key)) open.push(...(this.#byKey.get(key) ?? []));
    }
    const all = [...found.values()];
    for (const key of findMistakenNumbers(all).keys()) this.#mistaken.add(key);
    return all.map(known => ({ ...known, keys: known.keys.filter(key => !this.#mistaken.has(key)) }));
  }

  #find(id: string): Known | undefined {
    const [batchId = '', index] = id.split(' ');
    const batch = this.#batches.get(batchId);
    const document = batch?.documents.get(Number(index));
    if (batch === undefined || document === undefined) return undefined;
    const { keys, revision, matches, modifiedNs } = document;
    return {
      batch,
      batchId,
      index: document.index,
      path: '',
      keys: keys.filter(key => !this.#mistaken.has(key)),
      matches,
      revision,
      claimedAt: batch.claimedAt,
      modifiedNs: BigInt(modifiedNs),
    };
  }

  #isLetGo({ batch, index }: Known): boolean {
    return batch.documents.get(index)?.isLetGo === true;
  }

  #overtakenOf(
    batch: Batch,
    { indexes, confirmed }: TurnQuestion,
  ): readonly { readonly index: number; readonly by: Overtaker }[] {
    return indexes.flatMap(index => {
      const by = batch.documents.get(index)?.overtakenBy;
      return by === undefined || confirmed.includes(index) ? [] : [{ index, by }];
    });
  }

  /** For those that go now, notes which documents they overtake. */
  #pass(
    batch: Batch,
    going: ReadonlySet<number>,
    all: readonly Known[],
  ): readonly { readonly index: number; readonly before: Predecessor }[] {
    const passing: { readonly index: number; readonly before: Predecessor }[] = [];
    const notes = new Map<Batch, { readonly index: number; readonly by: Overtaker }[]>();
    for (const queue of toQueues(all)) {
      for (const [at, document] of queue.entries()) {
        if (document.batch !== batch || !going.has(document.index) || this.#isLetGo(document)) continue;
        for (const earlier of queue.slice(0, at)) {
          if (!earlier.batch.isPassed || !mayBeSame(earlier, document)) continue;
          const { revision } = document;
          const by = {
            share: batch.share,
            batchId: batch.batchId,
            ...(revision === undefined ? {} : { revision }),
          };
          this.#change(earlier.batch, earlier.index, { overtakenBy: by });
          notes.set(earlier.batch, [...(notes.get(earlier.batch) ?? []), { index: earlier.index, by }]);
          passing.push({ index: document.index, before: describe(earlier) });
        }
      }
    }
    for (const [{ share, batchId }, documents] of notes) this.#notes.push({ share, batchId, documents });
    return passing;
  }

  #put(batch: Batch, document: OrderedDocument): void {
    batch.documents.set(document.index, document);
    this.#size++;
    const id = toId(batch.batchId, document.index);
    for (const key of keysOf(document)) {
      const same = this.#byKey.get(key);
      if (same === undefined) this.#byKey.set(key, new Set([id]));
      else same.add(id);
    }
  }

  #take(batch: Batch, index: number): void {
    const document = batch.documents.get(index);
    if (document === undefined) return;
    batch.documents.delete(index);
    this.#size--;
    const id = toId(batch.batchId, index);
    for (const key of keysOf(document)) {
      const same = this.#byKey.get(key);
      same?.delete(id);
      if (same?.size !== 0) continue;
      this.#byKey.delete(key);
      this.#mistaken.delete(key);
    }
  }

  #change(batch: Batch, index: number, change: Partial<OrderedDocument>): void {
    const document = batch.documents.get(index);
    if (document === undefined) return;
    this.#take(batch, index);
    this.#put(batch, { ...document, ...change });
  }

  #forget(batch: Batch): void {
    for (const index of [...batch.documents.keys()]) this.#take(batch, index);
    this.#batches.delete(batch.batchId);
  }
}

function keysOf({
  keys,
  matches,
}: Pick<OrderedDocument, 'keys'> & { matches?: string | undefined }): string[] {
  return matches === undefined ? [...keys] : [...keys, `match ${matches}`];
}

function toId(batchId: string, index: number): string {
  return `${batchId} ${index}`;
}

function describe({ batch, index, revision }: Known): Predecessor {
  return {
    share: batch.share,
    batchId: batch.batchId,
    index,
    ...(revision === undefined ? {} : { revision }),
    ...(batch.stoppedSinceMs === undefined ? {} : { isStopped: true }),
  };
}
