// The share as one process has it open: each operation finds its batch and hands
// over to the file that knows how.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { relative } from 'node:path';
import type { ValuesByField } from '../../workflows/contract';
import type { DocumentOutcome, JournalRecord } from '../../workflows/ingest/ingest-contract';
import { type Clock, systemClock } from '../host/clock';
import { codeOf } from '../host/error-code';
import { isGone } from '../host/file-trouble';
import { type ClaimedFileToSend, findFileToSend } from './batch/file-to-send';
import { appendRecord } from './batch/journal';
import { readReceipt } from './batch/kept-receipt';
import { readManifest, type SealedManifest } from './batch/manifest';
import { NotedRecords } from './batch/noted-records';
import { notePass, type Passes, readPasses } from './batch/passes';
import { type BatchContents, type LocatedBatch, locateBatch, readContents } from './batch/read-batch';
import { SealCache } from './batch/seal-cache';
import { ShareTemporals } from './batch/temporals';
import { withToldOutcomes } from './batch/told-outcomes';
import { adoptClaim } from './claim/adopt-batch';
import { BatchOrigins } from './claim/batch-origin';
import { type ClaimedBatch, claimFiles, keyFolder, type NotClaimed } from './claim/claim-files';
import { type ReturnedFile, type SealedBatch, sealBatch, Tries } from './claim/hash-claim';
import { ClaimWatch, listOpenBatches, type OpenBatch, type OpenLook } from './claim/open-batches';
import { findOtherProject, isBegunElsewhere, type OtherProject, unsealBatch } from './claim/other-project';
import { type NamePatterns, readNameValues } from './drop/name-values';
import { compilePattern } from './drop/pattern';
import { type DropEntry, lookAtDrop, type ScanOptions, scanDrop } from './drop/scan-drop';
import { lastNameOf, parentOf } from './files/open-folder';
import type { OnNotOurs } from './files/own-marks';
import { probeShare, type Reachability } from './files/reachability';
import { comparePaths, placeOf, type RelativePath } from './files/relative-path';
import { Seals } from './files/seals';
import { ShareError, ShareFaultsError, toShareError } from './files/share-error';
import { createNodeShareFs, Place, type ShareFs } from './files/share-fs';
import { type BatchPaths, isBatchId, type ShareLayout } from './files/share-layout';
import { countReceipt, type HeldFile } from './receipt/make-receipt';
import {
  listSetApart,
  type SetApartFile,
  type TakenUp,
  takeUpAgain,
  type UnreadableReceipt,
} from './receipt/set-apart';
import {
  findReceipts,
  type Settled,
  type SettledSummary,
  settleFinally,
  settleSoFar,
} from './receipt/settle-up';
import { resolveLayout } from './resolve-layout';
import {
  type BatchLine,
  type DocumentPlace,
  SubmissionLine,
  type TurnRequest,
  type Turns,
} from './revision-order/submission-line';
import type { Share, ShareDeps } from './share';
import { checkShareConfig, SHARE_DEFAULTS, type ShareConfig } from './share-config';

/**
 * Opens a share, making its folders. @throws ShareFaultsError with everything that is wrong with it, at once.
 */
export async function openShare(config: ShareConfig, deps: ShareDeps): Promise<Share> {
  const faults = checkShareConfig(config);
  if (faults.length > 0) throw new ShareFaultsError(config.name, faults);
  const fs = deps.fs ?? createNodeShareFs();
  const layout = await resolveLayout(config, fs, new Seals(deps.key), config.createFolder ?? true);
  return new OpenShare(config, fs, layout, deps);
}

class OpenShare implements Share {
  readonly config: ShareConfig;
  readonly temporals: ShareTemporals;
  readonly #fs: ShareFs;
  readonly #deps: ShareDeps;
  readonly #clock: Clock;
  readonly #now = (): Date => new Date(this.#clock.wallMs());
  readonly #patterns: NamePatterns;
  readonly #watch: ClaimWatch;
  readonly #openLook: OpenLook;
  readonly #tries = new Tries();
  readonly #watcherId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #seals = new SealCache();
  readonly #noted = new NotedRecords();
  readonly #toldNotOurs = new Set<string>();
  #toldPlanted: ReadonlySet<string> = new Set();
  readonly #line: SubmissionLine;
  #layout: ShareLayout;

  constructor(config: ShareConfig, fs: ShareFs, layout: ShareLayout, deps: ShareDeps) {
    this.config = config;
    this.#fs = fs;
    this.#layout = layout;
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#patterns = {
      ...(config.fileNamePattern === undefined ? {} : { fileName: compilePattern(config.fileNamePattern) }),
      ...(config.folderPattern === undefined ? {} : { folder: compilePattern(config.folderPattern) }),
    };
    this.#watch = new ClaimWatch(config.abandonedMs ?? SHARE_DEFAULTS.abandonedMs, () =>
      this.#clock.monotonicMs(),
    );
    this.#openLook = { watch: this.#watch, origins: new BatchOrigins(), onNotOurs: this.#onNotOurs };
    this.temporals = new ShareTemporals(fs, {
      layout: () => this.#layout,
      locate: async batchId => await this.#locate(batchId),
      takeOverMs: config.takeOverMs ?? SHARE_DEFAULTS.takeOverMs,
      now: this.#now,
      monotonicMs: () => this.#clock.monotonicMs(),
      onNotOurs: this.#onNotOurs,
    });
    this.#line = new SubmissionLine(fs, {
      project: config.project,
      patterns: this.#patterns,
      naming: config.policy.naming,
      watch: this.#watch,
      onBad: (batchId, record, why) => this.#warnUnreadable(batchId, record, why),
    });
  }

  get name(): string {
    return this.config.name;
  }

  readValues(path: string): ValuesByField {
    return readNameValues(path, this.#patterns);
  }

  get dropFolder(): string {
    return this.#layout.drop;
  }

  async isInPlace(): Promise<boolean> {
    const { root, rootIdentity, drop, dropIdentity, batches } = this.#layout;
    try {
      if ((await this.#fs.look(root)).identity !== rootIdentity) return false;
      // Inode numbers are used again at once: a root made anew may have the old one, but not our folders.
      await this.#fs.look(batches);
      return (await this.#fs.look(drop)).identity === dropIdentity;
    } catch (error) {
      if (isGone(error)) return false;
      throw toShareError(error) ?? error;
    }
  }

  scan(options?: ScanOptions): AsyncGenerator<RelativePath> {
    return scanDrop(this.#fs, this.#layout.drop, options);
  }

  async look(name: RelativePath): Promise<DropEntry | undefined> {
    return await lookAtDrop(this.#fs, this.#layout.drop, name);
  }

  async claim(
    wanted: readonly (string | DropEntry)[],
    options: { readonly key?: string | undefined } = {},
  ): Promise<{ batch: ClaimedBatch | undefined; notClaimed: readonly NotClaimed[] }> {
    return await claimFiles(this.#fs, this.#layout, {
      wanted,
      watcherId: this.#watcherId,
      key: options.key,
      maxFileBytes: this.config.maxFileBytes,
      now: this.#now,
    });
  }

  async writeManifest(
    batch: ClaimedBatch,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<SealedBatch | { batchId: undefined; returned: readonly ReturnedFile[] }> {
    return await sealBatch(this.#fs, this.#layout, batch, {
      share: this.config.name,
      project: this.config.project,
      maxFileBytes: this.config.maxFileBytes,
      patterns: this.#patterns,
      hasher: this.#deps.hasher,
      tries: this.#tries,
      signal: options.signal,
    });
  }

  async adopt(
    batchId: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<SealedBatch | undefined> {
    const adopted = await adoptClaim(this.#fs, this.#layout, this.#openLook, {
      batchId,
      watcherId: this.#watcherId,
      maxFileBytes: this.config.maxFileBytes,
      now: this.#now,
    });
    if (adopted === undefined) return undefined;
    const sealed = await this.writeManifest(adopted, options);
    return sealed.batchId === undefined ? undefined : sealed;
  }

  async batchesOfKey(key: string): Promise<string[]> {
    const ids: string[] = [];
    try {
      for await (const entry of this.#fs.entries(keyFolder(this.#layout, key))) {
        const name = entry.name.toString('utf8');
        if (isBatchId(name)) ids.push(name);
      }
    } catch (error) {
      if (!isGone(error)) throw toShareError(error) ?? error;
    }
    const existing: string[] = [];
    for (const id of ids.sort(comparePaths)) {
      const located = await locateBatch(this.#fs, this.#layout, id).catch(error => {
        // Noted, but then no file could be had, or all went back.
        if (codeOf(error) === 'batch-unknown') return undefined;
        throw error;
      });
      if (located !== undefined) existing.push(id);
    }
    return existing;
  }

  async openBatches(): Promise<OpenBatch[]> {
    const batches = await listOpenBatches(this.#fs, this.#layout, this.#openLook);
    this.#tellPlanted(batches.filter(({ state }) => state === 'not-ours').map(({ batchId }) => batchId));
    return batches;
  }

  async readSeal(batchId: string): Promise<SealedManifest> {
    const { paths } = await this.#locate(batchId);
    return await readManifest(this.#fs, paths, batchId);
  }

  async readBatch(batchId: string, expectManifestSha256?: string): Promise<BatchContents> {
    return await this.#evenIfPutAway(batchId, async located =>
      readContents(this.#fs, located, batchId, expectManifestSha256, (record, why) =>
        this.#warnUnreadable(batchId, record, why),
      ),
    );
  }

  async fileToSend(batchId: string, index: number): Promise<ClaimedFileToSend> {
    const { paths, isFinished } = await this.#locate(batchId);
    if (isFinished)
      throw new ShareError('file-missing', `Batch ${batchId} is finished; its files have moved.`);
    const manifest = await this.#seals.read(batchId, () => readManifest(this.#fs, paths, batchId));
    return await findFileToSend(this.#fs, paths, manifest.manifest, index, this.#deps.hasher);
  }

  async appendRecord(batchId: string, record: JournalRecord): Promise<void> {
    const { paths } = await this.#locate(batchId);
    const fresh = this.#noted.fresh(batchId, record);
    if (fresh === undefined) return;
    await appendRecord(this.#fs, paths, batchId, fresh, this.#clock.wallMs());
    this.#noted.add(batchId, fresh);
    await notePass(this.#fs, this.#layout, batchId, fresh);
  }

  async readPasses(): Promise<Passes> {
    return await readPasses(this.#fs, this.#layout);
  }

  async findWaiting(request: TurnRequest): Promise<Turns> {
    return await this.#line.findWaiting(this.#layout, request);
  }

  async otherProject(batchId: string): Promise<OtherProject | undefined> {
    return await this.#evenIfPutAway(batchId, async ({ paths, isFinished }) =>
      isFinished ? undefined : await findOtherProject(this.#fs, paths, batchId),
    );
  }

  async leaveOtherProject(batchId: string): Promise<void> {
    const { paths } = await this.#locate(batchId);
    const found = await findOtherProject(this.#fs, paths, batchId);
    if (found === undefined) return;
    if (found.isBegun) throw isBegunElsewhere(batchId, found.project, this.config.project);
    await unsealBatch(this.#fs, paths);
  }

  async describeLine(batchId: string): Promise<BatchLine | undefined> {
    return await this.#line.describe(this.#layout, batchId);
  }

  async pathOf(document: DocumentPlace): Promise<string | undefined> {
    return await this.#line.pathOf(this.#layout, document);
  }

  async settleUp(
    batchId: string,
    outcomes: readonly DocumentOutcome[],
    options: { readonly final: boolean; readonly held?: readonly HeldFile[] },
  ): Promise<SettledSummary> {
    return await this.#evenIfPutAway(batchId, async ({ paths, isFinished }) => {
      const sealed = await readManifest(this.#fs, paths, batchId);
      if (isFinished) return await this.#answerFinished(paths, batchId, sealed);
      const batch = { ...sealed, paths };
      const all = await withToldOutcomes(this.#fs, paths, batchId, outcomes, (record, why) =>
        this.#warnUnreadable(batchId, record, why),
      );
      const now = this.#now();
      const settled = options.final
        ? await settleFinally(this.#fs, this.#layout, batch, all, now)
        : await settleSoFar(this.#fs, this.#layout, batch, all, options.held ?? [], now);
      this.#report(batchId, settled);
      const { missing: _missing, strays: _strays, ...summary } = settled;
      return summary;
    });
  }

  async setApart(): Promise<{ files: readonly SetApartFile[]; unreadable: readonly UnreadableReceipt[] }> {
    return await listSetApart(this.#fs, this.#layout);
  }

  async takeUpAgain(file: Pick<SetApartFile, 'batchId' | 'index' | 'path'>): Promise<TakenUp> {
    return await takeUpAgain(this.#fs, this.#layout, file);
  }

  async lookAtFolder(path: string): Promise<bigint | undefined> {
    const facts = await this.#fs.look(placeOf(this.#layout.drop, { path })).catch(() => undefined);
    return facts?.kind === 'folder' ? facts.mtimeNs : undefined;
  }

  async removeEmptyFolder(path: string): Promise<boolean> {
    try {
      const place = placeOf(this.#layout.drop, { path });
      const parent = await this.#fs.openFolder(this.#layout.root, parentOf(place));
      try {
        await this.#fs.removeFolder(new Place(parent, lastNameOf(place)));
      } finally {
        await parent.close();
      }
      return true;
    } catch {
      return false;
    }
  }

  async freeBytes(): Promise<number> {
    return await this.#fs.freeBytes(this.#layout.root);
  }

  async isReachable(timeoutMs?: number): Promise<Reachability> {
    return await probeShare(this.#layout.root, timeoutMs);
  }

  async reopen(): Promise<void> {
    const before = this.#layout;
    this.#noted.forgetAll();
    try {
      const root = await this.#fs.look(await this.#fs.realpath(this.config.folder));
      const isKnown = await this.#fs.look(before.own).then(
        () => true,
        () => false,
      );
      // The bare folder under a mount point is not the share, and must not be made into one.
      if (!isKnown && root.device !== before.rootDevice) {
        throw new ShareError('share-away', 'The folder is there, but the share is not mounted on it.');
      }
      this.#layout = await resolveLayout(this.config, this.#fs, before.seals, false);
    } catch (error) {
      throw error instanceof ShareError
        ? error
        : new ShareError('share-away', 'The share does not answer.', error);
    }
  }

  async #locate(batchId: string): Promise<LocatedBatch> {
    return await locateBatch(this.#fs, this.#layout, batchId);
  }

  /**
   * A batch may be put away by somebody else while we are at it: then what is asked is
   * asked again, of its new place.
   */
  async #evenIfPutAway<T>(batchId: string, run: (located: LocatedBatch) => Promise<T>): Promise<T> {
    const located = await this.#locate(batchId);
    try {
      return await run(located);
    } catch (error) {
      const isMoved = isGone(error) || codeOf(error) === 'batch-unknown';
      if (located.isFinished || !isMoved) throw toShareError(error) ?? error;
      const again = await this.#locate(batchId);
      if (!again.isFinished) throw toShareError(error) ?? error;
      return await run(again);
    }
  }

  async #answerFinished(paths: BatchPaths, batchId: string, sealed: SealedManifest): Promise<SettledSummary> {
    const receipt = await readReceipt(this.#fs, paths, batchId);
    if (receipt === undefined) {
      throw new ShareError('batch-damaged', `The finished batch ${batchId} has lost its receipt.`);
    }
    const receipts = await findReceipts(this.#fs, this.#layout, sealed.manifest, receipt);
    return { ...countReceipt(receipt), receipts };
  }

  #warnUnreadable(batchId: string, record: string, why: string): void {
    this.#deps.logger.warn(
      { event: 'record-unreadable', share: this.name, batchId, record, why },
      'A record of a batch cannot be read and is left out.',
    );
  }

  readonly #onNotOurs: OnNotOurs = (path, why) => {
    const file = relative(this.#layout.root, path).replaceAll('\\', '/');
    if (this.#toldNotOurs.has(file)) return;
    this.#toldNotOurs.add(file);
    this.#deps.logger.warn(
      { event: 'mark-not-ours', share: this.name, file, why },
      'A file in our own folder was not written by us, or not to its end. It is not followed.',
    );
  };

  /** Once each, and in one line however many there are: somebody may plant them faster than anybody reads. */
  #tellPlanted(batchIds: readonly string[]): void {
    const fresh = batchIds.filter(batchId => !this.#toldPlanted.has(batchId));
    this.#toldPlanted = new Set(batchIds);
    if (fresh.length === 0) return;
    this.#deps.logger.warn(
      { event: 'batches-not-ours', share: this.name, folders: fresh.length, batchIds: fresh.slice(0, 10) },
      'Folders among our open batches were not made by us. They are left as they lie.',
    );
  }

  #report(batchId: string, settled: Settled): void {
    for (const path of settled.missing) {
      this.#deps.logger.warn(
        { event: 'file-missing', share: this.name, batchId, path },
        'A claimed file is gone; somebody took it out of the folder of its batch.',
      );
    }
    for (const path of settled.strays) {
      this.#deps.logger.warn(
        { event: 'file-returned', share: this.name, batchId, path },
        'A file that was not part of the batch went back to the drop folder.',
      );
    }
  }
}
