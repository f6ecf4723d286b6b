// The activities: types for the workflows, factories for the workers. Real adapters come in from there.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { createChangeOrderActivities } from './change-orders/change-orders';
import type { ChangeOrderActivities } from './change-orders/change-orders-api';
import type { ServiceActivities, ShareActivities } from './ingest/api';
import { awaitFiles } from './ingest/await-files';
import { appendRecord, type BatchDeps, findTurns, openBatch, settleUp } from './ingest/batches';
import { claimFiles, followBatch } from './ingest/claim-on-demand';
import { createUploads, writeValues } from './ingest/documents';
import { findAbsent } from './ingest/find-absent';
import { linkUnlessLinked } from './ingest/link-uploads';
import { findStatus, planDocuments } from './ingest/plan-documents';
import { probeLinking, probeSubmission } from './ingest/probe-steps';
import type { ProjectLookups } from './ingest/project-lookups';
import { readUploads } from './ingest/read-uploads';
import type { Releases } from './ingest/releases';
import { submitAgain } from './ingest/submit-again';
import { submitRevisions } from './ingest/submit-revisions';
import { type TransferBatchDeps, transferBatchFiles } from './ingest/transfer-batch-files';
import { createObservationFileActivities } from './observations/observation-files';
import { createObservationActivities } from './observations/observations';
import type { ObservationActivities, ObservationFileActivities } from './observations/observations-api';
import type { OrderActivities, OrderShareActivities } from './revision-order/order-api';
import { noteOvertaken, type OrderKeeper, registerBatch } from './revision-order/turns';
import { type ActivityScope, inScope } from './scope/activity-scope';
import { unlessHung } from './scope/hung-share';
import type { Sender } from './service/send/service-client';
import type { TokenSource } from './service/tokens/token-source';
import type { Holder, OurTemporal } from './share/batch/hold';
import { findAttachment } from './share/drop/attachments';
import type { Share } from './share/share';
import { createTimesheetActivities } from './timesheets/timesheets';
import type { TimesheetActivities } from './timesheets/timesheets-api';
import { createUserActivities } from './users/users';
import type { UserActivities } from './users/users-api';
import { createWebhookActivities, type WebhookHeader } from './webhooks/webhooks';
import type { WebhookActivities } from './webhooks/webhooks-api';

export type * from './change-orders/change-orders-api';
export type * from './ingest/api';
export type * from './observations/observations-api';
export type * from './revision-order/order-api';
export type { FailureDetails } from './scope/failure';
export type * from './timesheets/timesheets-api';
export type * from './users/users-api';
export type * from './webhooks/webhooks-api';

export interface ServiceActivityDeps {
  readonly client: Sender;
  readonly tokens: Pick<TokenSource, 'current' | 'describe'>;
  readonly lookups: ProjectLookups;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly releases: Releases;
  /** What a project's coordinator asks of Temporal. */
  readonly order: OrderActivities;
  /** Aborted when the worker is asked to stop. */
  readonly draining: AbortSignal;
  /** What the service sends with every event; absent when no webhooks are configured. */
  readonly webhookHeader?: WebhookHeader | undefined;
}

/** Activities that need the service only; any worker can run them. */
export function createServiceActivities(
  deps: ServiceActivityDeps,
): ServiceActivities &
  ChangeOrderActivities &
  ObservationActivities &
  OrderActivities &
  TimesheetActivities &
  UserActivities &
  WebhookActivities {
  const { client, lookups, draining } = deps;
  const reading = { client, lookups, sleep: deps.sleep, withoutBulk: new Map<string, number>() };
  return {
    announceRuns: async input => await inScope(draining, () => deps.order.announceRuns(input)),
    lookAtRuns: async input => await inScope(draining, () => deps.order.lookAtRuns(input)),
    ...createChangeOrderActivities({ client, draining }),
    ...createObservationActivities({ client, draining }),
    ...createTimesheetActivities({ client, draining }),
    ...createUserActivities({ client, draining }),
    ...createWebhookActivities({ client, draining, header: deps.webhookHeader }),
    refreshToken: async () =>
      await inScope(draining, async () => {
        const { generation } = await deps.tokens.current();
        const held = await deps.tokens.describe();
        return { generation, expiresAtMs: held?.expiresAtMs ?? null };
      }),
    planDocuments: async input => await inScope(draining, () => planDocuments(lookups, input)),
    createUploads: async input => await inScope(draining, scope => createUploads(client, input, scope)),
    linkUploads: async input =>
      await inScope(draining, scope => linkUnlessLinked(reading, input, scope), input.asked),
    awaitFiles: async input => await inScope(draining, scope => awaitFiles(deps, input, scope)),
    readUploads: async input => await inScope(draining, scope => readUploads(reading, input, scope)),
    writeValues: async input => await inScope(draining, scope => writeValues(client, input, scope)),
    submitRevisions: async input =>
      await inScope(draining, scope => submitRevisions(client, input, scope), input.asked),
    probeSubmission: async input => await inScope(draining, scope => probeSubmission(client, input, scope)),
    probeLinking: async input => await inScope(draining, scope => probeLinking(client, input, scope)),
    findAbsent: async input => await inScope(draining, scope => findAbsent(reading, input, scope)),
    submitAgain: async input => await inScope(draining, scope => submitAgain(client, input, scope)),
    findStatus: async input => await inScope(draining, () => findStatus(lookups, input)),
  };
}

export interface ShareActivityDeps extends TransferBatchDeps {
  readonly share: Share;
  readonly draining: AbortSignal;
  /** The Temporal that asks for the activities. */
  readonly temporal: () => Promise<OurTemporal>;
  /** The way to the projects' coordinators. */
  readonly keeper: OrderKeeper;
}

/** Activities for one share; they run where it is mounted. */
export function createShareActivities(
  deps: ShareActivityDeps,
): ShareActivities & ObservationFileActivities & OrderShareActivities {
  const { share, draining, keeper } = deps;
  const onShare = async <Result>(work: (scope: ActivityScope) => Promise<Result>): Promise<Result> =>
    await inScope(draining, scope => unlessHung(share, scope, work));
  const asking = async (): Promise<BatchDeps> => {
    const holder = toHolder(await deps.temporal().catch(whoAreWe));
    return { holder, keeper, attempt: Context.current().info.attempt };
  };
  return {
    ...createObservationFileActivities({
      client: deps.client,
      draining,
      openAttachment: path => findAttachment(share.config.folder, path),
    }),
    openBatch: async input => await onShare(async scope => openBatch(share, input, await asking(), scope)),
    transferFiles: async input => await onShare(scope => transferBatchFiles(deps, share, input, scope)),
    appendRecord: async input => await onShare(async () => appendRecord(share, input, await asking())),
    findTurns: async input => await onShare(async () => findTurns(share, input, await asking())),
    settleUp: async input => await onShare(async () => settleUp(share, input, await asking())),
    announceBatch: async ({ batchId, ended }) =>
      await onShare(() => registerBatch({ share, keeper }, batchId, ended)),
    noteOvertaken: async input => await onShare(() => noteOvertaken(share, input)),
    readPasses: async () => await onShare(() => share.readPasses()),
    followBatch: async input => await onShare(scope => followBatch(share, input, scope)),
    claimFiles: async input => await onShare(scope => claimFiles(share, input, scope)),
  };
}

/** Temporal has just given us this work, so it will say in a moment who it is. */
function whoAreWe(): never {
  throw ApplicationFailure.retryable('Temporal does not say which namespace it is', 'SERVICE_UNAVAILABLE');
}

/** The run that asked for the activity, and whose it is. */
function toHolder(temporal: OurTemporal): Holder {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  return { temporal, workflowId, runId };
}
