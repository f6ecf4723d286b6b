// Whose turn it is to be submitted: revisions of one document go one after the other, also from
// different batches. Goes by what is on the share, and reads no more than the names in the open batches and
// what the service matches by, unless two of them are one document.
import type { InLine, ProjectRef } from '../../../workflows/contract';
import {
  findMistakenNumbers,
  findPredecessors,
  type QueuedDocument,
  toQueues,
} from '../../../workflows/revision-order/decide/order-revisions';
import type { ShareLayout } from '../files/share-layout';
import { explainMistake } from './document-keys';
import { type DocumentPast, type Past, type QueueOptions, QueueReader } from './queue-reader';

export interface TurnRequest {
  readonly batchId: string;
  /** The documents that would be submitted now. */
  readonly indexes: readonly number[];
  /** Documents of the same batch that have an outcome already; the share learns of it later. */
  readonly ended: readonly number[];
}

/** What orders the documents of a batch, for whoever keeps the order over several shares. */
export interface QueuedBatch {
  readonly project: ProjectRef;
  readonly documents: readonly (QueuedDocument & DocumentPast)[];
}

export type DocumentPlace = Pick<QueuedDocument, 'batchId' | 'index'>;

export interface Turns {
  readonly waiting: readonly InLine[];
  /** About patterns that read one number from too many names. */
  readonly notices: readonly string[];
  /** Documents in line with the asked ones that have ended, as far as this share shows it. */
  readonly ended: readonly DocumentPlace[];
}

export class RevisionQueue {
  readonly #reader: QueueReader;

  constructor(options: QueueOptions) {
    this.#reader = new QueueReader(options);
  }

  /**
   * Those of the asked documents that have to wait, and for which others; all the rest may be submitted.
   * A batch that is being claimed counts with the names it has so far, an abandoned one does
   * not: it may never be finished.
   */
  async findWaiting(layout: ShareLayout, request: TurnRequest): Promise<Turns> {
    const { batchId, indexes } = request;
    const asked = new Set(indexes);
    const isAsked = (document: QueuedDocument) => document.batchId === batchId && asked.has(document.index);
    const batches = await this.#reader.readNames(layout, batchId);
    const matched = await this.#reader.withMatches(layout, batches);
    const mistaken = findMistakenNumbers(matched);
    const all = matched.map(document => ({
      ...document,
      keys: document.keys.filter(key => !mistaken.has(key)),
    }));
    const notices = [...mistaken]
      .filter(([key]) => matched.some(document => isAsked(document) && document.keys.includes(key)))
      .map(([key, count]) => explainMistake(key, count));
    const queues = toQueues(all).filter(queue => queue.some(isAsked));
    if (queues.length === 0) return { waiting: [], notices, ended: [] };

    const meeting = new Set(queues.flat().map(document => document.batchId));
    const past = new Map<string, Past>();
    for (const id of meeting) past.set(id, await this.#reader.readPast(layout, id));
    const ended = new Set(request.ended);
    const hasEnded = (document: QueuedDocument) =>
      past.get(document.batchId)?.(document.index).isEnded === true;
    const isOpen = (document: QueuedDocument) =>
      !hasEnded(document) && !(document.batchId === batchId && ended.has(document.index));
    // A repeated look must not call back what an earlier one has let go.
    const isLetGo = (document: QueuedDocument) => past.get(batchId)?.(document.index).isIntended === true;
    // Without those that ended, a queue may fall apart into several: each has a first one of its own.
    const waiting = findPredecessors(queues.flat().filter(isOpen))
      .filter(({ document }) => isAsked(document) && !isLetGo(document))
      .map(({ document: { index }, behind }) => ({ index, behind: describe(behind) }));
    return { waiting, notices, ended: queues.flat().filter(hasEnded).map(toPlace) };
  }

  /**
   * Undefined for a batch that is finished, that is not sealed yet or cannot be read. Numbers that a pattern
   * reads by mistake (from too many names) are left out of the keys.
   */
  async describe(layout: ShareLayout, batchId: string): Promise<QueuedBatch | undefined> {
    if (!(await this.#reader.isSealed(layout, batchId))) return undefined;
    const batches = await this.#reader.readNames(layout, batchId);
    const mistaken = findMistakenNumbers(batches.flatMap(({ documents }) => documents));
    const own = batches.find(({ documents }) => documents[0]?.batchId === batchId);
    if (own === undefined) return undefined;
    const [matched, past] = await Promise.all([
      this.#reader.withMatches(layout, [own]),
      this.#reader.readPast(layout, batchId),
    ]);
    const documents = matched.map(document => ({
      ...document,
      keys: document.keys.filter(key => !mistaken.has(key)),
      ...past(document.index),
    }));
    return { project: own.project, documents };
  }

  /**
   * A document's path, for people. It is asked for with every document that waits, so it is taken from memory
   * if possible, and no other batch is looked at. Undefined where the batch is not sealed, or cannot be read.
   */
  async pathOf(layout: ShareLayout, { batchId, index }: DocumentPlace): Promise<string | undefined> {
    const names = await this.#reader.readSealed(layout, batchId);
    return names?.documents.find(document => document.index === index)?.path;
  }
}

function toPlace({ batchId, index }: QueuedDocument): DocumentPlace {
  return { batchId, index };
}

function describe({ batchId, index, path, revision }: QueuedDocument): InLine['behind'] {
  return { batchId, index, path, ...(revision === undefined ? {} : { revision }) };
}
