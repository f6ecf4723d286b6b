// The share as one process has it open, port by port as share.ts has them: each operation finds its batch
// and hands over to the file that knows how.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '../host/clock';
import { personOf } from '../host/person-of';
import { hostZone } from '../registers/words/local-time';
import { findFileToSend } from './batch/file-to-send';
import { listFinishedBatches, readFinished } from './batch/finished-receipts';
import { type Manifest, readManifest } from './batch/manifest';
import { locateBatch, readContents, withBatch } from './batch/read-batch';
import { SealCache } from './batch/seal-cache';
import { ShareTemporals } from './batch/temporals';
import { withToldOutcomes } from './batch/told-outcomes';
import { adoptClaim } from './claim/adopt-batch';
import { BatchOrigins } from './claim/batch-origin';
import { findBatchesOfKey } from './claim/batches-of-key';
import { claimFiles } from './claim/claim-files';
import { sealBatch } from './claim/hash-claim';
import { listMistaken } from './claim/keep-mistaken';
import { ClaimWatch, listOpenBatches } from './claim/open-batches';
import { findOtherProject, findProjectNow, leaveOtherProject } from './claim/other-project';
import { MAX_TRIES, Tries } from './claim/tries';
import { lookAtDropFolder, removeDropFolder } from './drop/drop-folders';
import { compileNamePatterns, traceNameValues } from './drop/name-values';
import { lookAtDrop, scanDrop } from './drop/scan-drop';
import { listFoldersToTest, openFolderToTest, putTestResult } from './drop/test-folder';
import { Seals } from './files/seals';
import { isBug, ShareError, ShareFaultsError, throwIfOfShare } from './files/share-error';
import { createNodeShareFs } from './files/share-fs';
import type { ShareLayout } from './files/share-layout';
import { closeJob } from './jobs/close-job';
import { findOpenFolders, listJobs, lookAtJob, type OpenJob, openJob } from './jobs/job-book';
import { finishedJobPaths, type JobRecord, openJobPaths } from './jobs/job-record';
import { KeptRegisters } from './jobs/kept-register';
import { leaveUnlisted } from './jobs/leave-unlisted';
import { readLeft } from './jobs/left-files';
import { linkProof } from './jobs/proof-chain';
import { UploadRoom } from './jobs/uploads/upload-room';
import { OpenLedger } from './open-ledger';
import { OpenMount } from './open-mount';
import { OpenNotes } from './open-notes';
import { CorrectedSheets } from './receipt/corrected/corrected-sheets';
import { DroppedSheets } from './receipt/corrected/dropped-sheets';
import { WaitingRows } from './receipt/corrected/waiting-rows';
import { readDocuments, readWholeJournal } from './receipt/documents-so-far';
import { HeldSheets } from './receipt/held/held-sheets';
import { readJobPapers } from './receipt/job-papers';
import { makeReceiptNow } from './receipt/receipt-now';
import { listSetApart, takeUpAgain } from './receipt/set-apart';
import { findJobReceipts, findReceiptsOf, type SettleDeps, settleJob } from './receipt/settle-job';
import { settleFinally, settleSoFar, tellSettled } from './receipt/settle-up';
import { putFields, readFields } from './register/kept-fields';
import { lookAtTemplate, putTemplate, readTemplate } from './register/kept-template';
import { lookInDrop, readInDrop } from './register/look-in-drop';
import { ProjectWords } from './register/project-words';
import { registerWordsOf } from './register/register-words';
import { resolveLayout } from './resolve-layout';
import { RevisionQueue } from './revision-order/revision-queue';
import type {
  AskedRows,
  Batches,
  BatchNotes,
  Claims,
  DropFolder,
  DropRegisters,
  JobFolders,
  Jobs,
  MistakenFiles,
  OpenBatches,
  OtherProjects,
  Proofs,
  RevisionQueues,
  SetApartFolder,
  Share,
  ShareDeps,
  ShareFields,
  ShareMount,
  ShareTemplate,
  ShareTrial,
  ShownFinished,
  ShownWork,
  StatusPages,
  TestFolder,
} from './share';
import { checkShareConfig, SHARE_DEFAULTS, type ShareConfig } from './share-config';
import { ShareWarnings } from './share-warnings';
import type { LeftFiles } from './status/gather-status';
import { MissingRows } from './status/missing-rows';
import { StatusBook } from './status/status-book';
import { listFinishedJobs, lookAtWork } from './status/work-marks';

/**
 * Opens a share, making its folders. @throws ShareFaultsError with everything that is wrong with it, at once.
 */
export async function openShare(config: ShareConfig, deps: ShareDeps): Promise<Share> {
  const faults = checkShareConfig(config);
  if (faults.length > 0) throw new ShareFaultsError(config.name, faults);
  const fs = deps.fs ?? createNodeShareFs();
  const making = deps.looksOnly ? 'nothing' : (config.createFolder ?? true) ? 'all' : 'below-root';
  const layout = await resolveLayout(config, fs, new Seals(deps.key), making);
  const mount = new OpenMount(config, layout, deps.clock ?? systemClock);
  const parts = toParts(config, mount, deps);
  return {
    name: config.name,
    config,
    temporals: parts.temporals,
    // Asked for each time: it is another one when the share was away and is back elsewhere.
    get dropFolder() {
      return parts.mount.layout.drop;
    },
    ...dropFolderOf(parts),
    ...claimsOf(parts),
    ...jobsOf(parts),
    ...askedRowsOf(parts),
    takeUpCorrections: () => parts.corrected.takeUp(),
    takeUpHeld: batches => parts.held.takeUp(batches),
    takeUpDropped: (entries, isQuiet) => parts.dropped.takeUp(entries, isQuiet),
    takeUpGiven: (name, bytes) => parts.corrected.takeUpGiven(name, bytes),
    ...proofsOf(parts),
    ...openBatchesOf(parts),
    ...batchesOf(parts),
    ...otherProjectsOf(parts),
    ...queuesAndNotesOf(parts),
    ledger: parts.ledger.ledger,
    noteFinished: options => parts.ledger.noteFinished(options),
    noteAfter: findLastMs => parts.ledger.noteAfter(findLastMs),
    readWords: () => parts.ledger.readWords(),
    readFinished: options => readFinished(parts.mount.layout, options),
    ...shownOf(parts),
    ...setApartFolderOf(parts),
    ...testFolderOf(parts),
    ...fieldsOf(parts),
    uploads: uploadsOf(parts),
    ...templateOf(parts),
    ...mountOf(parts),
  };
}

type Parts = ReturnType<typeof toParts>;

/** What the ports share: all that a process keeps of a share while it has it open. */
function toParts(config: ShareConfig, mount: OpenMount, deps: ShareDeps) {
  const { logger, hasher, clock = systemClock } = deps;
  const layout = () => mount.layout;
  const now = () => new Date(clock.wallMs());
  const monotonicMs = () => clock.monotonicMs();
  const warnings = new ShareWarnings(config.name, logger, () => mount.layout.root);
  const seals = new SealCache();
  const patterns = compileNamePatterns(config);
  const projectWords = new ProjectWords({
    policy: config.policy,
    layout,
    onNotOurs: warnings.notOurs,
    clock,
    askFields: deps.askFields,
  });
  const readWords = () => projectWords.read();
  const ledger = new OpenLedger(config, layout, warnings, readWords);
  const watch = new ClaimWatch(config.abandonedMs ?? SHARE_DEFAULTS.abandonedMs, monotonicMs);
  const onBadRecord = (batchId: string, record: string, why: string) =>
    warnings.ofRecords(batchId)(record, why);
  const locate = (batchId: string) => locateBatch(mount.layout, batchId);
  const words = registerWordsOf(config);
  const zone = config.timeZone ?? hostZone();
  const kept = new KeptRegisters(words);
  const mayLeave = config.register?.leavesUnlisted === true;
  const stayingOf = async ({ folder }: Pick<JobRecord, 'folder'>) =>
    mayLeave && folder !== null ? await readLeft(mount.layout, folder, warnings.notOurs) : new Set<string>();
  const leftOf = async ({ record, isClosed }: OpenJob): Promise<LeftFiles> => {
    if (!isClosed) return { names: [...(await stayingOf(record))] };
    if (!mayLeave) return { names: [] };
    // Another job may have the folder by now, and leave others there: what this one left is in its own mark.
    const job = await lookAtJob(mount.layout, record.jobId, warnings.notOurs);
    return { names: job?.closed?.left ?? [], inAll: job?.closed?.leftInAll };
  };
  return {
    config,
    mount,
    hasher,
    now,
    warnings,
    seals,
    patterns,
    words,
    kept,
    corrected: new CorrectedSheets({
      layout,
      kept,
      hasher,
      isNamed: words.isNamed,
      readWords,
      onNotOurs: warnings.notOurs,
      settleMs: config.settleMs,
      monotonicMs,
    }),
    dropped: new DroppedSheets({
      layout,
      onNotOurs: warnings.notOurs,
      settleMs: config.settleMs,
      monotonicMs,
    }),
    held: new HeldSheets({
      layout,
      kept,
      words,
      zone,
      onNotOurs: warnings.notOurs,
      settleMs: config.settleMs,
      askMs: Math.min(5_000, config.scanEveryMs),
      now,
      monotonicMs,
    }),
    locate,
    zone,
    stayingOf,
    status: new StatusBook({ share: config.name, layout, now, zone, kept, leftOf }),
    tries: new Tries(),
    personOf: deps.personOf ?? personOf,
    watcherId: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
    openLook: { watch, origins: new BatchOrigins(), onNotOurs: warnings.notOurs },
    ledger,
    notes: new OpenNotes(layout, seals, clock, ledger, onBadRecord),
    temporals: new ShareTemporals({
      layout,
      locate,
      takeOverMs: config.takeOverMs ?? SHARE_DEFAULTS.takeOverMs,
      now,
      monotonicMs,
      onNotOurs: warnings.notOurs,
    }),
    queue: new RevisionQueue({
      project: config.project,
      patterns,
      naming: config.policy.naming,
      readWords,
      watch,
      onBad: onBadRecord,
    }),
  };
}

function dropFolderOf(parts: Parts): Omit<DropFolder, 'dropFolder'> & DropRegisters {
  const { config, mount, words, kept, tries, warnings, now, stayingOf } = parts;
  return {
    lookForRegister: (top, entries) => lookInDrop(mount.layout, words, top, entries),
    readRegister: async (top, entries) => {
      const triesOf = `register of ${top}`;
      const read = await readInDrop(mount.layout, words, top, entries, () => tries.add(triesOf) < MAX_TRIES);
      if (read !== undefined) tries.forget(triesOf);
      return read;
    },
    leaveUnlisted: async (top, entries) =>
      config.register?.leavesUnlisted === true
        ? await leaveUnlisted(mount.layout, top, entries, {
            words,
            kept,
            now: now(),
            onNotOurs: warnings.notOurs,
          })
        : [],
    readUnlisted: async top => [...(await stayingOf({ folder: top }))].map(path => `${top}/${path}`),
    scan: options => scanDrop(mount.layout.fs, mount.layout.drop, options),
    look: name => lookAtDrop(mount.layout.fs, mount.layout.drop, name),
    lookAtFolder: path => lookAtDropFolder(mount.layout, path),
    removeEmptyFolder: path => removeDropFolder(mount.layout, path),
  };
}

function claimsOf(parts: Parts): Claims {
  const {
    config,
    mount,
    now,
    watcherId,
    openLook,
    hasher,
    patterns,
    words,
    kept,
    tries,
    personOf,
    warnings,
  } = parts;
  const { maxFileBytes } = config;
  const onMistaken = warnings.mistaken;
  const writeManifest: Claims['writeManifest'] = (batch, { signal } = {}) =>
    sealBatch(mount.layout, batch, {
      share: config.name,
      project: config.project,
      maxFileBytes,
      patterns,
      words,
      kept,
      onNotOurs: warnings.notOurs,
      hasher,
      tries,
      personOf,
      signal,
    });
  return {
    claim: (wanted, { key, job } = {}) =>
      claimFiles(mount.layout, { wanted, watcherId, key, job, maxFileBytes, onMistaken, now }),
    writeManifest,
    adopt: async (batchId, options) => {
      const request = { batchId, watcherId, maxFileBytes, onMistaken, now };
      const adopted = await adoptClaim(mount.layout, openLook, request);
      if (adopted === undefined) return undefined;
      const sealed = await writeManifest(adopted, options);
      return sealed.batchId === undefined ? undefined : sealed;
    },
    batchesOfKey: key => findBatchesOfKey(mount.layout, key),
  };
}

function jobsOf({
  config,
  mount,
  now,
  kept,
  status,
  warnings,
  stayingOf,
  zone,
}: Parts): Jobs & JobFolders & StatusPages {
  const { name: share, project, jobMarker: marker = SHARE_DEFAULTS.jobMarker } = config;
  return {
    openJobs: () => listJobs(mount.layout, warnings.notOurs),
    findOpenFolders: folders => findOpenFolders(mount.layout, folders, now(), warnings.notOurs),
    openJob: (folder, begunWith = {}) =>
      openJob(mount.layout, { folder, share, project, now: now(), begunWith }, warnings.notOurs),
    closeJob: async record => {
      const staying = await stayingOf(record);
      return await closeJob(mount.layout, record, { marker, staying, now: now() });
    },
    settleJob: jobId => settleJob(mount.layout, jobId, { kept, onNotOurs: warnings.notOurs, zone }),
    writeStatus: async seen => await status.write(await listJobs(mount.layout, warnings.notOurs), seen),
  };
}

function askedRowsOf({ mount, corrected, kept, warnings, zone, now }: Parts): AskedRows {
  const deps = { kept, onNotOurs: warnings.notOurs, zone, now };
  return {
    makeReceiptNow: (jobId, format) => makeReceiptNow(mount.layout, { jobId, format }, deps),
    readColumns: jobId => corrected.readColumns(jobId),
    sendAgain: (jobId, asked) => corrected.sendAgain(jobId, asked),
    replaceFile: (jobId, upload, given) => corrected.replaceFile(jobId, upload, given),
  };
}

function proofsOf({ mount, kept, warnings }: Parts): Proofs {
  return {
    readPapers: place => readJobPapers(mount.layout, place, { kept, onNotOurs: warnings.notOurs }),
    linkProof: ({ project, record }, state) => linkProof(mount.layout, project, record.jobId, state),
  };
}

function openBatchesOf({ mount, openLook, warnings, locate }: Parts): OpenBatches & MistakenFiles {
  return {
    openBatches: async () => {
      const batches = await listOpenBatches(mount.layout, openLook);
      warnings.strangers(batches);
      return batches;
    },
    readSeal: async batchId => await readManifest(await locate(batchId)),
    listMistaken: () => listMistaken(mount.layout),
  };
}

function batchesOf(parts: Parts): Batches {
  const { mount, hasher, now, patterns, seals, kept, warnings, ledger, notes, locate, zone } = parts;
  return {
    readValues: path => traceNameValues(path, patterns),
    readBatch: (batchId, expectManifestSha256) =>
      withBatch(mount.layout, batchId, paths =>
        readContents(paths, expectManifestSha256, warnings.ofRecords(batchId), records =>
          notes.saw(batchId, records),
        ),
      ),
    fileToSend: async (batchId, index) => {
      const paths = await locate(batchId);
      if (paths.isFinished)
        throw new ShareError('file-missing', `Batch ${batchId} is finished; its files have moved.`);
      const { manifest } = await seals.read(batchId, () => readManifest(paths));
      return await findFileToSend(paths, manifest, index, hasher);
    },
    settleUp: (batchId, outcomes, options) =>
      withBatch(mount.layout, batchId, async paths => {
        const { layout } = mount;
        const batch = { ...(await readManifest(paths)), paths };
        const endJob = () => endJobOf(layout, batch.manifest, { kept, warnings, zone });
        if (paths.isFinished) {
          const told = await tellSettled(layout, batch);
          return { ...told, receipts: (await endJob()) ?? told.receipts };
        }
        const all = await withToldOutcomes(paths, outcomes, warnings.ofRecords(batchId));
        // What the journal has not told yet must be in the ledger before the receipt tells it.
        await ledger.note(batch.manifest, all);
        const settled = options.final
          ? await settleFinally(layout, batch, all, now())
          : await settleSoFar(layout, batch, { ...options, outcomes: all, now: now() });
        warnings.settled(batchId, settled);
        const {
          missing: _missing,
          strays: _strays,
          elsewhere: _elsewhere,
          blocked: _blocked,
          ...summary
        } = settled;
        // With the receipt of the job, those of its parts are gone.
        const ofJob = options.final ? await endJob() : undefined;
        return ofJob === undefined ? summary : { ...summary, receipts: ofJob };
      }),
  };
}

/**
 * Trouble with the job, or with its other batches, is not this batch's: the watcher's round tells of it. A
 * bug may be met here alone, so it is told here as well.
 */
async function endJobOf(
  layout: ShareLayout,
  { job }: Manifest,
  { warnings, ...deps }: Omit<SettleDeps, 'onNotOurs'> & { readonly warnings: ShareWarnings },
): Promise<readonly string[] | undefined> {
  if (job === undefined) return undefined;
  const onNotOurs = warnings.notOurs;
  try {
    const written = await settleJob(layout, job.id, { ...deps, onNotOurs });
    // It had one before: where that lies is looked for.
    if (written?.length === 0) return await findJobReceipts(layout, job.id, onNotOurs);
    // `attention` first, as `findJobReceipts` has it.
    return written?.toReversed();
  } catch (error) {
    throwIfOfShare(error);
    if (isBug(error)) warnings.bugOfJob(job, error);
    return undefined;
  }
}

function otherProjectsOf({ config, mount, locate }: Parts): OtherProjects {
  return {
    otherProject: batchId =>
      withBatch(mount.layout, batchId, async paths =>
        paths.isFinished ? undefined : await findOtherProject(paths),
      ),
    leaveOtherProject: async batchId => {
      await leaveOtherProject(await locate(batchId), config.project);
    },
    projectNow: batchId => withBatch(mount.layout, batchId, paths => findProjectNow(paths, config.project)),
  };
}

function queuesAndNotesOf({ mount, queue, notes }: Parts): RevisionQueues & BatchNotes {
  return {
    findWaiting: request => queue.findWaiting(mount.layout, request),
    describeQueued: batchId => queue.describe(mount.layout, batchId),
    pathOf: document => queue.pathOf(mount.layout, document),
    appendRecord: (batchId, record, askedAtMs) => notes.appendRecord(batchId, record, askedAtMs),
    findFormerIntents: (batchId, uploads) => notes.findFormerIntents(batchId, uploads),
    readPasses: () => notes.readPasses(),
  };
}

function shownOf({ mount, now, kept, stayingOf, warnings: { notOurs } }: Parts): ShownWork & ShownFinished {
  return {
    lookAtWork: () => lookAtWork(mount.layout),
    lookAtJob: async jobId => {
      const job = await lookAtJob(mount.layout, jobId, notOurs);
      if (job === undefined) return undefined;
      return { ...job, left: job.isFinished ? [] : [...(await stayingOf(job.record))] };
    },
    readDocuments: (batchId, before) =>
      readDocuments(mount.layout, batchId, { before, onNotOurs: notOurs, now: now() }),
    findMissing: ({ record, isFinished }, files) => {
      const pathsOf = isFinished ? finishedJobPaths : openJobPaths;
      return new MissingRows(() => mount.layout, kept, pathsOf).among(record, files);
    },
    listFinishedJobs: () => listFinishedJobs(mount.layout),
    listFinishedBatches: () => listFinishedBatches(mount.layout),
    findReceipts: (record, batches) => findReceiptsOf(mount.layout, record, batches),
    readRecords: (batchId, kind) => readWholeJournal(mount.layout, batchId, kind),
  };
}

function setApartFolderOf({ mount, hasher }: Parts): SetApartFolder {
  const waiting = new WaitingRows();
  return {
    setApart: () => listSetApart(mount.layout),
    takeUpAgain: file => takeUpAgain(mount.layout, file, { hasher, waiting }),
  };
}

function testFolderOf({ mount, warnings }: Parts): TestFolder {
  return {
    foldersToTest: () => listFoldersToTest(mount.layout),
    openTest: name => openFolderToTest(mount.layout, name),
    putTestResult: (name, result) => putTestResult(mount.layout, name, result, warnings.notOurs),
  };
}

function fieldsOf({ mount, now, warnings }: Parts): ShareFields {
  return {
    readFields: () => readFields(mount.layout, warnings.notOurs),
    putFields: fields => putFields(mount.layout, { askedAt: now(), fields }),
  };
}

function uploadsOf({ config, mount, now, warnings }: Parts): UploadRoom {
  return new UploadRoom({
    layout: () => mount.layout,
    marker: config.jobMarker ?? SHARE_DEFAULTS.jobMarker,
    now,
    onNotOurs: warnings.notOurs,
    maxFileBytes: config.maxFileBytes,
    minFreeBytes: config.minFreeBytes ?? SHARE_DEFAULTS.minFreeBytes,
  });
}

function templateOf({ config, mount, now, warnings }: Parts): ShareTemplate {
  const name = config.register?.template ?? SHARE_DEFAULTS.template;
  const place = () => ({ layout: mount.layout, name, now: now(), onNotOurs: warnings.notOurs });
  return {
    lookAtTemplate: async settings => warnings.template(name, await lookAtTemplate(place(), settings)),
    putTemplate: async template => warnings.template(name, await putTemplate(place(), template)),
    readTemplate: async () => await readTemplate(place()),
  };
}

function mountOf({ mount, notes }: Parts): ShareMount & ShareTrial {
  return {
    isInPlace: () => mount.isInPlace(),
    isReachable: timeoutMs => mount.isReachable(timeoutMs),
    reopen: async () => {
      notes.forgetAll();
      await mount.reopen();
    },
    freeBytes: () => mount.freeBytes(),
    tryOut: () => mount.tryOut(),
  };
}
