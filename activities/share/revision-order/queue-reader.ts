// Reads from the share what the order of revisions goes by: the names in the open batches of the project,
// what the service matches each document by, and how far each of them is.
import type { Naming, Overtaker, ProjectRef, ValuesByField } from '../../../workflows/contract';
import type { QueuedDocument } from '../../../workflows/revision-order/decide/order-revisions';
import { forEachLimited } from '../../host/concurrency';
import { hasCode } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import { IncidentLog } from '../../host/incident-log';
import { toCells } from '../../registers/sheet/cell-kinds';
import { foldJournal } from '../batch/fold-journal';
import { readJournal } from '../batch/journal';
import { readReceiptSoFar } from '../batch/kept-receipt';
import { type Manifest, type ManifestFile, readManifest } from '../batch/manifest';
import { type ClaimWatch, judgeClaim } from '../claim/open-batches';
import type { DocumentWords } from '../drop/document-words';
import { mimeTypeOf } from '../drop/drop-names';
import { type NamePatterns, readNameValues } from '../drop/name-values';
import { isThere } from '../files/if-there';
import { listOwnFiles } from '../files/own-files';
import { nameOf } from '../files/relative-path';
import { ShareError, type ShareErrorCode, toShareError } from '../files/share-error';
import { listBatchIds, openBatchPaths, type ShareLayout } from '../files/share-layout';
import { keysOf } from './document-keys';

export interface QueueOptions {
  readonly project: ProjectRef;
  readonly patterns: NamePatterns;
  readonly naming: Naming;
  /** By which documents are known; the same object until the project's fields are others. */
  readonly readWords: () => Promise<DocumentWords>;
  readonly watch: ClaimWatch;
  /** Called with what of another batch cannot be read; that is left out. */
  readonly onBad: (batchId: string, what: string, why: string) => void;
}

export interface Names {
  readonly project: ProjectRef;
  readonly documents: readonly QueuedDocument[];
}

/** How far a document is. */
export interface DocumentPast {
  readonly isEnded: boolean;
  readonly isIntended: boolean;
  readonly overtakenBy?: Overtaker | undefined;
}

/** How far the documents of a batch are, by index. */
export type Past = (index: number) => DocumentPast;

const ALL_ENDED: Past = () => ({ isEnded: true, isIntended: false, overtakenBy: undefined });

/** What another batch's manifest can be without holding anybody up. */
const UNUSABLE: readonly ShareErrorCode[] = [
  'batch-damaged',
  'manifest-differs',
  'key-differs',
  'project-differs',
];

/** Journals looked into at once. */
const PARALLEL_BATCHES = 8;

export class QueueReader {
  readonly #options: QueueOptions;
  /**
   * Manifests never change: what is needed of each is kept as long as its batch is open, and is read by the
   * same words.
   */
  readonly #names = new Map<string, Names & { readonly words: DocumentWords }>();
  readonly #bad = new IncidentLog();

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  async isSealed(layout: ShareLayout, batchId: string): Promise<boolean> {
    return await isThere(layout.fs, openBatchPaths(layout, batchId).manifest);
  }

  /** Of one batch, without a look at any other; from memory if possible. Undefined while it is not sealed. */
  async readSealed(layout: ShareLayout, batchId: string): Promise<Names | undefined> {
    const isSealed = this.#names.has(batchId) || (await this.isSealed(layout, batchId));
    return isSealed ? await this.#read(layout, batchId, await this.#options.readWords()) : undefined;
  }

  /** Adds what the service matches each document by, as far as it is known and noted in the journals. */
  async withMatches(layout: ShareLayout, batches: readonly Names[]): Promise<readonly QueuedDocument[]> {
    const found: QueuedDocument[] = [];
    await forEachLimited(batches, PARALLEL_BATCHES, async ({ documents }) => {
      const id = documents[0]?.batchId;
      if (id === undefined) return;
      const matches = await this.#readMatches(layout, id);
      found.push(
        ...documents.map(document => {
          const one = matches.get(document.index);
          return one === undefined ? document : { ...document, matches: one };
        }),
      );
    });
    return found;
  }

  async #readMatches(layout: ShareLayout, batchId: string): Promise<ReadonlyMap<number, string>> {
    const paths = openBatchPaths(layout, batchId);
    const onBad = (name: string, why: string) => this.#options.onBad(batchId, name, why);
    const records = await readJournal(paths, onBad, 'matched').catch((error: unknown) => {
      // The batch was put away while we looked.
      if (isGone(error) || hasCode<ShareErrorCode>(error, 'batch-unknown')) return [];
      throw toShareError(error) ?? error;
    });
    const matches = new Map<number, string>();
    for (const { record } of records) {
      if (record.kind !== 'matched') continue;
      for (const document of record.documents) matches.set(document.index, document.matches);
    }
    return matches;
  }

  /** Names of the open batches of the same project, the asked batch among them. */
  async readNames(layout: ShareLayout, batchId: string): Promise<readonly Names[]> {
    const ids = await this.#listOpen(layout);
    for (const known of this.#names.keys()) if (!ids.has(known)) this.#names.delete(known);
    this.#bad.keepOnly(ids);
    this.#options.watch.keepOnly(ids);
    const words = await this.#options.readWords();
    if (!ids.has(batchId) || (await this.#read(layout, batchId, words)) === undefined) return [];
    const read: Names[] = [];
    // A batch for another project than the share's is left out: its manifest cannot be used.
    for (const id of ids) {
      const names = await this.#read(layout, id, words);
      if (names !== undefined) read.push(names);
    }
    return read;
  }

  async #listOpen(layout: ShareLayout): Promise<ReadonlySet<string>> {
    try {
      return new Set(await listBatchIds(layout.fs, layout.batches));
    } catch (error) {
      if (isGone(error)) throw new ShareError('share-away', 'The share does not answer.', error);
      throw toShareError(error) ?? error;
    }
  }

  async #read(layout: ShareLayout, batchId: string, words: DocumentWords): Promise<Names | undefined> {
    const known = this.#names.get(batchId);
    if (known?.words === words) return known;
    const paths = openBatchPaths(layout, batchId);
    try {
      const { manifest } = await readManifest(paths);
      const names = {
        project: manifest.project,
        documents: toQueued(manifest, this.#options.naming, words),
        words,
      };
      this.#names.set(batchId, names);
      return names;
    } catch (error) {
      if (hasCode<ShareErrorCode>(error, 'batch-unknown') || isGone(error))
        return await this.#readClaim(layout, batchId, words);
      if (!hasCode<ShareErrorCode>(error, ...UNUSABLE)) throw error;
      // Said once: a turn is asked for again and again, and such a folder may lie there for years.
      if (this.#bad.begins(batchId)) this.#options.onBad(batchId, 'its manifest', (error as Error).message);
      return undefined;
    }
  }

  /**
   * The names of a batch that is not sealed yet, from its claim: hashing a large file takes minutes, and its
   * documents are in line from the claim on.
   */
  async #readClaim(layout: ShareLayout, batchId: string, words: DocumentWords): Promise<Names | undefined> {
    const { watch, patterns, project, naming } = this.#options;
    const paths = openBatchPaths(layout, batchId);
    const claim = await judgeClaim(paths, watch);
    if (claim?.owner === undefined || claim.claim === 'abandoned') return undefined;
    const documents: QueuedDocument[] = [];
    try {
      for await (const { path } of listOwnFiles(layout.fs, layout.root, paths.files)) {
        const values = readNameValues(path, patterns);
        const facts = { batchId, index: documents.length, path, claimedAt: claim.owner.claimedAt };
        documents.push({
          ...facts,
          ...toNames(path, mimeTypeOf(path), values, naming, words),
          modifiedNs: 0n,
        });
      }
    } catch (error) {
      // No file yet, or given back and removed while we looked.
      if (await isThere(layout.fs, layout.batches)) return undefined;
      throw toShareError(error) ?? error;
    }
    return { project, documents };
  }

  /** What is known of a batch's documents: from its receipts, else from its journal. */
  async readPast(layout: ShareLayout, batchId: string): Promise<Past> {
    const paths = openBatchPaths(layout, batchId);
    try {
      if (await isThere(layout.fs, paths.receipt)) return ALL_ENDED;
      const soFar = await readReceiptSoFar(paths).catch(error => {
        if (!hasCode<ShareErrorCode>(error, ...UNUSABLE)) throw error;
        this.#options.onBad(batchId, 'its receipt so far', (error as Error).message);
        return undefined;
      });
      const records = await readJournal(paths, (name, why) => this.#options.onBad(batchId, name, why));
      // Put away while we looked: then it has ended.
      if (!(await isThere(layout.fs, paths.folder))) return ALL_ENDED;
      const known = new Map(foldJournal(records).map(progress => [progress.index, progress]));
      const rows = new Set(
        soFar?.files.flatMap(({ index, outcome }) =>
          outcome === 'held' || outcome === 'open' ? [] : [index],
        ),
      );
      return index => {
        const { outcome, intended, overtakenBy } = known.get(index) ?? {};
        const isEnded = rows.has(index) || outcome !== undefined;
        return { isEnded, isIntended: intended === true, overtakenBy };
      };
    } catch (error) {
      throw toShareError(error) ?? error;
    }
  }
}

function toNames(
  path: string,
  mimeType: string,
  values: ValuesByField,
  naming: Naming,
  words: DocumentWords,
): Pick<QueuedDocument, 'keys' | 'revision'> {
  const file = { fileName: nameOf(path), mimeType };
  return { keys: keysOf(file, values, naming, words), revision: words.textOf(values, 'revision') };
}

/** Without the files that cannot be sent: they have no place in a queue. */
export function toQueued(manifest: Manifest, naming: Naming, words: DocumentWords): QueuedDocument[] {
  const { registers = [] } = manifest;
  // Where the batch was sealed nobody may have known which columns these are.
  const orderOf = (entry: ManifestFile['entry']) =>
    entry?.row === undefined
      ? {}
      : words.orderOf(registers[entry.register]?.headers ?? [], toCells(entry.row));
  return manifest.files.flatMap(({ index, path, mimeType, values, mtimeNs, refused, entry }) =>
    refused === undefined
      ? [
          {
            batchId: manifest.batchId,
            index,
            path,
            ...toNames(path, mimeType, { ...values, ...orderOf(entry) }, naming, words),
            claimedAt: manifest.createdAt,
            // A register puts its files in order: the row counts in place of when the file was last written.
            modifiedNs: BigInt(entry?.row?.number ?? mtimeNs),
          },
        ]
      : [],
  );
}
