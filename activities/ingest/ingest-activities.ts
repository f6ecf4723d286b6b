// The activities of a batch: what the service can do from anywhere, and what is done where the share is
// mounted.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { StopFinder } from '../ledger/served-ledgers';
import type { ProjectRuns } from '../revision-order/order-activities';
import { type Coordinators, registerBatch } from '../revision-order/turns';
import type { ActivityScope } from '../scope/activity-scope';
import { LONGEST_DELAY_OF_TWO_MS, patiently } from '../scope/failure';
import { whileShareAnswers } from '../scope/hung-share';
import { toActivities } from '../scope/to-activities';
import type { Sender } from '../service/service-client';
import type { TokenSource } from '../service/tokens/token-source';
import type { OurTemporal } from '../share/batch/hold';
import type { ShareMount } from '../share/share';
import type {
  AnnounceBatchInput,
  AppendRecordInput,
  BatchRef,
  FindTurnsInput,
  HoldLook,
  OpenBatchInput,
  SettleUpInput,
  TransferFilesInput,
} from './api';
import { awaitFiles } from './await-files';
import { appendRecord, type BatchDeps, type BatchShare, findTurns, openBatch, settleUp } from './batches';
import { type ClaimableShare, claimFiles, followBatch } from './claim-on-demand';
import { createUploads } from './documents';
import { findAbsent } from './find-absent';
import { findStatus, planDocuments, readCells } from './plan-documents';
import { probeLinking, probeSubmission } from './probe-steps';
import type { ProjectLookups } from './project-lookups';
import { readUploads } from './read-uploads';
import type { Releases } from './releases';
import { linkUnlessLinked, writeUnlessChanged } from './repeated-writes';
import { type SeeHold, toHolder } from './submit/see-hold';
import { submitAgain } from './submit/submit-again';
import { submitRevisions } from './submit/submit-revisions';
import { waitOutConflicts } from './submit/wait-out-conflicts';
import { type TransferBatchDeps, transferBatchFiles } from './transfer-batch-files';

export interface IngestActivityDeps {
  readonly client: Sender;
  readonly tokens: Pick<TokenSource, 'current' | 'describe'>;
  readonly lookups: ProjectLookups;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly releases: Releases;
  readonly seeHold: SeeHold;
  /** Aborted when the worker is asked to stop. */
  readonly draining: AbortSignal;
}

export type IngestActivities = ReturnType<typeof createIngestActivities>;

/** Run anywhere; served by the queue `drawbridge`. */
export function createIngestActivities(deps: IngestActivityDeps) {
  const { client, draining, lookups, sleep, seeHold } = deps;
  const reading = {
    client,
    lookups,
    sleep,
    seeHold,
    withoutBulk: new Map<string, number>(),
    withoutList: new Map<string, number>(),
  };
  return {
    ...toActivities(draining, deps, { refreshToken, awaitFiles }),
    ...toActivities(draining, lookups, { planDocuments, readCells, findStatus }),
    ...toActivities(draining, reading, {
      linkUploads: patient(linkUnlessLinked),
      readUploads: patient(readUploads),
      findAbsent: patient(findAbsent),
      waitOutConflicts,
      writeValues: patient(writeUnlessChanged, LONGEST_DELAY_OF_TWO_MS),
      probeLinking,
      submitAgain: countedOn(patient(submitAgain)),
      probeSubmission: countedOn(probeSubmission),
    }),
    ...toActivities(draining, client, {
      createUploads: patient(createUploads),
      submitRevisions,
    }),
  };
}

/** Attempts count on from those before the run saw to the hold, so that the tries come no closer again. */
function countedOn<Deps, Input extends HoldLook, Result>(
  work: (deps: Deps, input: Input, scope: ActivityScope) => Promise<Result>,
): typeof work {
  return async (deps, input, scope) =>
    await work(deps, input, { ...scope, attempt: (input.attemptsBefore ?? 0) + scope.attempt });
}

/**
 * Several of these run side by side, or one makes several requests: their tries lie as far apart as those of
 * a probe.
 */
function patient<Deps, Input, Result>(
  work: (deps: Deps, input: Input, scope: ActivityScope) => Promise<Result>,
  longestMs?: number,
): typeof work {
  return async (deps, input, scope) => {
    try {
      return await work(deps, input, scope);
    } catch (error: unknown) {
      throw patiently(error, scope, longestMs);
    }
  };
}

/** Makes sure that a usable token is stored. The one way to a token; answers no secret. */
async function refreshToken({
  tokens,
}: Pick<IngestActivityDeps, 'tokens'>): Promise<{ generation: number; expiresAtMs: number | null }> {
  const { generation } = await tokens.current();
  const held = await tokens.describe();
  return { generation, expiresAtMs: held?.expiresAtMs ?? null };
}

/** A share whose batches this host works on. */
export type ServedShare = BatchShare & ClaimableShare & ShareMount;

export interface BatchActivityDeps extends TransferBatchDeps {
  readonly share: ServedShare;
  readonly draining: AbortSignal;
  /** The Temporal that asks for the activities. */
  readonly temporal: () => Promise<OurTemporal>;
  /** The way to the projects' coordinators. */
  readonly coordinators: Coordinators;
  readonly runs: Pick<ProjectRuns, 'lookAt'>;
  /** What was sent before, of all shares that this host serves. */
  readonly ledgers: StopFinder;
}

export type BatchActivities = ReturnType<typeof createBatchActivities>;

/** Touch a share's files; served by that share's queues on hosts that see it. */
export function createBatchActivities(deps: BatchActivityDeps) {
  const { share, coordinators, ledgers } = deps;
  const run = async (): Promise<BatchDeps> => {
    const holder = toHolder(await deps.temporal().catch(whoAreWe));
    const { attempt, scheduledTimestampMs: askedAtMs } = Context.current().info;
    return { holder, coordinators, ledgers, attempt, askedAtMs };
  };
  return toActivities(
    deps.draining,
    share,
    {
      openBatch: async (_, input: OpenBatchInput, scope) => openBatch(share, input, await run(), scope),
      appendRecord: async (_, input: AppendRecordInput) => appendRecord(share, input, await run()),
      requireHold: async (_, { batchId }: BatchRef) =>
        share.temporals.requireHold(batchId, (await run()).holder),
      findTurns: async (_, input: FindTurnsInput) => findTurns(share, input, await run()),
      settleUp: async (_, input: SettleUpInput) => settleUp(share, input, await run()),
      transferFiles: patient((_: ServedShare, input: TransferFilesInput, scope) =>
        transferBatchFiles(deps, share, input, scope),
      ),
      announceBatch: (_, { batchId, ended }: AnnounceBatchInput) =>
        registerBatch({ share, coordinators }, batchId, ended),
      readPasses: () => share.readPasses(),
      followBatch: (_, input: BatchRef, scope) => followBatch(deps, input, scope),
      claimFiles,
    },
    whileShareAnswers(share),
  );
}

/** Temporal has just given us this work, so it will say in a moment who it is. */
function whoAreWe(): never {
  throw ApplicationFailure.retryable('Temporal does not say which namespace it is', 'SERVICE_UNAVAILABLE');
}
