// The share as one process has it open, port by port as share.ts has them: each operation finds its batch
// and hands over to the file that knows how.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ProjectRef, ValuesByField } from '../../workflows/contract';
import type { DocumentOutcome, JournalRecord } from '../../workflows/ingest/ingest-contract';
import { type Clock, systemClock } from '../host/clock';
import { type ClaimedFileToSend, findFileToSend } from './batch/file-to-send';
import { readManifest, type SealedManifest } from './batch/manifest';
import type { Passes } from './batch/passes';
import {
  type BatchContents,
  type LocatedBatch,
  locateBatch,
  readContents,
  withBatch,
} from './batch/read-batch';
import { SealCache } from './batch/seal-cache';
import { ShareTemporals } from './batch/temporals';
import { withToldOutcomes } from './batch/told-outcomes';
import { adoptClaim } from './claim/adopt-batch';
import { BatchOrigins } from './claim/batch-origin';
import { findBatchesOfKey } from './claim/batches-of-key';
import { type ClaimedBatch, claimFiles, type NotClaimed } from './claim/claim-files';
import { type ReturnedFile, type SealedBatch, sealBatch, Tries } from './claim/hash-claim';
import { ClaimWatch, listOpenBatches, type OpenBatch, type OpenLook } from './claim/open-batches';
import {
  findOtherProject,
  findProjectNow,
  leaveOtherProject,
  type OtherProject,
} from './claim/other-project';
import { lookAtDropFolder, removeDropFolder } from './drop/drop-folders';
import { compileNamePatterns, type NamePatterns, readNameValues } from './drop/name-values';
import { type DropEntry, lookAtDrop, type ScanOptions, scanDrop } from './drop/scan-drop';
import type { Reachability } from './files/reachability';
import type { RelativePath } from './files/relative-path';
import { Seals } from './files/seals';
import { ShareError, ShareFaultsError } from './files/share-error';
import { createNodeShareFs } from './files/share-fs';
import type { ShareLayout } from './files/share-layout';
import { OpenMount } from './open-mount';
import { OpenNotes } from './open-notes';
import type { HeldFile } from './receipt/make-receipt';
import {
  listSetApart,
  type SetApartFile,
  type SetApartListing,
  type TakenUp,
  takeUpAgain,
} from './receipt/set-apart';
import { type SettledSummary, settleFinally, settleSoFar, tellSettled } from './receipt/settle-up';
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
import { ShareWarnings } from './share-warnings';

/**
 * Opens a share, making its folders. @throws ShareFaultsError with everything that is wrong with it, at once.
 */
export async function openShare(config: ShareConfig, deps: ShareDeps): Promise<Share> {
  const faults = checkShareConfig(config);
  if (faults.length > 0) throw new ShareFaultsError(config.name, faults);
  const fs = deps.fs ?? createNodeShareFs();
  const layout = await resolveLayout(config, fs, new Seals(deps.key), config.createFolder ?? true);
  return new OpenShare(config, layout, deps);
}

class OpenShare implements Share {
  readonly name: string;
  readonly config: ShareConfig;
  readonly temporals: ShareTemporals;
  readonly #mount: OpenMount;
  readonly #warnings: ShareWarnings;
  readonly #deps: ShareDeps;
  readonly #clock: Clock;
  readonly #now = (): Date => new Date(this.#clock.wallMs());
  readonly #patterns: NamePatterns;
  readonly #watch: ClaimWatch;
  readonly #openLook: OpenLook;
  readonly #tries = new Tries();
  readonly #watcherId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #seals = new SealCache();
  readonly #notes: OpenNotes;
  readonly #line: SubmissionLine;

  constructor(config: ShareConfig, layout: ShareLayout, deps: ShareDeps) {
    this.name = config.name;
    this.config = config;
    this.#mount = new OpenMount(config, layout);
    this.#warnings = new ShareWarnings(config.name, deps.logger, () => this.#layout.root);
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#notes = new OpenNotes(() => this.#layout, this.#seals, this.#clock);
    this.#patterns = compileNamePatterns(config);
    this.#watch = new ClaimWatch(config.abandonedMs ?? SHARE_DEFAULTS.abandonedMs, () =>
      this.#clock.monotonicMs(),
    );
    this.#openLook = { watch: this.#watch, origins: new BatchOrigins(), onNotOurs: this.#warnings.notOurs };
    this.temporals = new ShareTemporals({
      layout: () => this.#layout,
      locate: async batchId => await this.#locate(batchId),
      takeOverMs: config.takeOverMs ?? SHARE_DEFAULTS.takeOverMs,
      now: this.#now,
      monotonicMs: () => this.#clock.monotonicMs(),
      onNotOurs: this.#warnings.notOurs,
    });
    this.#line = new SubmissionLine({
      project: config.project,
      patterns: this.#patterns,
      naming: config.policy.naming,
      watch: this.#watch,
      onBad: (batchId, record, why) => this.#warnings.ofRecords(batchId)(record, why),
    });
  }

  get #layout(): ShareLayout {
    return this.#mount.layout;
  }

  get dropFolder(): string {
    return this.#layout.drop;
  }

  scan(options?: ScanOptions): AsyncGenerator<RelativePath> {
    return scanDrop(this.#layout.fs, this.#layout.drop, options);
  }

  async look(name: RelativePath): Promise<DropEntry | undefined> {
    return await lookAtDrop(this.#layout.fs, this.#layout.drop, name);
  }

  async lookAtFolder(path: string): Promise<bigint | undefined> {
    return await lookAtDropFolder(this.#layout, path);
  }

  async removeEmptyFolder(path: string): Promise<boolean> {
    return await removeDropFolder(this.#layout, path);
  }

  async claim(
    wanted: readonly (string | DropEntry)[],
    options: { readonly key?: string | undefined } = {},
  ): Promise<{ batch: ClaimedBatch | undefined; notClaimed: readonly NotClaimed[] }> {
    return await claimFiles(this.#layout, {
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
    return await sealBatch(this.#layout, batch, {
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
    const adopted = await adoptClaim(this.#layout, this.#openLook, {
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
    return await findBatchesOfKey(this.#layout, key);
  }

  async openBatches(): Promise<OpenBatch[]> {
    const batches = await listOpenBatches(this.#layout, this.#openLook);
    this.#warnings.strangers(batches);
    return batches;
  }

  async readSeal(batchId: string): Promise<SealedManifest> {
    const { paths } = await this.#locate(batchId);
    return await readManifest(paths);
  }

  readValues(path: string): ValuesByField {
    return readNameValues(path, this.#patterns);
  }

  async readBatch(batchId: string, expectManifestSha256?: string): Promise<BatchContents> {
    return await withBatch(this.#layout, batchId, async ({ paths }) =>
      readContents(paths, expectManifestSha256, this.#warnings.ofRecords(batchId)),
    );
  }

  async fileToSend(batchId: string, index: number): Promise<ClaimedFileToSend> {
    const { paths, isFinished } = await this.#locate(batchId);
    if (isFinished)
      throw new ShareError('file-missing', `Batch ${batchId} is finished; its files have moved.`);
    const manifest = await this.#seals.read(batchId, () => readManifest(paths));
    return await findFileToSend(paths, manifest.manifest, index, this.#deps.hasher);
  }

  async settleUp(
    batchId: string,
    outcomes: readonly DocumentOutcome[],
    options: { readonly final: boolean; readonly held?: readonly HeldFile[] },
  ): Promise<SettledSummary> {
    return await withBatch(this.#layout, batchId, async ({ paths, isFinished }) => {
      const batch = { ...(await readManifest(paths)), paths };
      if (isFinished) return await tellSettled(this.#layout, batch);
      const onBadRecord = this.#warnings.ofRecords(batchId);
      const all = await withToldOutcomes(paths, outcomes, onBadRecord);
      const now = this.#now();
      const settled = options.final
        ? await settleFinally(this.#layout, batch, all, now)
        : await settleSoFar(this.#layout, batch, all, options.held ?? [], now);
      this.#warnings.settled(batchId, settled);
      const { missing: _missing, strays: _strays, ...summary } = settled;
      return summary;
    });
  }

  async appendRecord(batchId: string, record: JournalRecord): Promise<void> {
    await this.#notes.appendRecord(batchId, record);
  }

  async readPasses(): Promise<Passes> {
    return await this.#notes.readPasses();
  }

  async otherProject(batchId: string): Promise<OtherProject | undefined> {
    return await withBatch(this.#layout, batchId, async ({ paths, isFinished }) =>
      isFinished ? undefined : await findOtherProject(paths),
    );
  }

  async leaveOtherProject(batchId: string): Promise<void> {
    const { paths } = await this.#locate(batchId);
    await leaveOtherProject(paths, this.config.project);
  }

  async projectNow(batchId: string): Promise<ProjectRef> {
    return await withBatch(this.#layout, batchId, async ({ paths }) =>
      findProjectNow(paths, this.config.project),
    );
  }

  async findWaiting(request: TurnRequest): Promise<Turns> {
    return await this.#line.findWaiting(this.#layout, request);
  }

  async describeLine(batchId: string): Promise<BatchLine | undefined> {
    return await this.#line.describe(this.#layout, batchId);
  }

  async pathOf(document: DocumentPlace): Promise<string | undefined> {
    return await this.#line.pathOf(this.#layout, document);
  }

  async setApart(): Promise<SetApartListing> {
    return await listSetApart(this.#layout);
  }

  async takeUpAgain(file: Pick<SetApartFile, 'batchId' | 'index' | 'path'>): Promise<TakenUp> {
    return await takeUpAgain(this.#layout, file);
  }

  async isInPlace(): Promise<boolean> {
    return await this.#mount.isInPlace();
  }

  async isReachable(timeoutMs?: number): Promise<Reachability> {
    return await this.#mount.isReachable(timeoutMs);
  }

  async reopen(): Promise<void> {
    this.#notes.forgetAll();
    await this.#mount.reopen();
  }

  async freeBytes(): Promise<number> {
    return await this.#mount.freeBytes();
  }

  async #locate(batchId: string): Promise<LocatedBatch> {
    return await locateBatch(this.#layout, batchId);
  }
}
