// All activities of a worker, by where they run. Workflows import their types from here, and nothing else; real adapters come
// in from the workers.
import { createChangeOrderActivities } from './change-orders/change-orders';
import {
  type BatchActivityDeps,
  createBatchActivities,
  createIngestActivities,
  type IngestActivityDeps,
} from './ingest/ingest-activities';
import { createObservationFileActivities } from './observations/observation-files';
import { createObservationActivities } from './observations/observations';
import {
  createOrderActivities,
  createOrderShareActivities,
  type ProjectRuns,
} from './revision-order/order-activities';
import { findAttachment } from './share/drop/attachments';
import { createTimesheetActivities } from './timesheets/timesheets';
import { createUserActivities } from './users/users';
import { createWebhookActivities, type WebhookHeader } from './webhooks/webhooks';

export type { ChangeOrderActivities } from './change-orders/change-orders';
export type * from './change-orders/change-orders-api';
export type * from './ingest/api';
export type { BatchActivities, IngestActivities } from './ingest/ingest-activities';
export type { ObservationFileActivities } from './observations/observation-files';
export type { ObservationActivities } from './observations/observations';
export type * from './observations/observations-api';
export type { OrderActivities, OrderShareActivities } from './revision-order/order-activities';
export type { FailureDetails } from './scope/failure';
export type { TimesheetActivities } from './timesheets/timesheets';
export type * from './timesheets/timesheets-api';
export type { UserActivities } from './users/users';
export type * from './users/users-api';
export type { WebhookActivities } from './webhooks/webhooks';
export type * from './webhooks/webhooks-api';

export interface ServiceActivityDeps extends IngestActivityDeps {
  readonly projectRuns: ProjectRuns;
  /** What the service sends with every event; absent when no webhooks are configured. */
  readonly webhookHeader?: WebhookHeader | undefined;
}

/** Activities that need the service only; any worker can run them. */
export function createServiceActivities(deps: ServiceActivityDeps) {
  const { client, draining } = deps;
  return {
    ...createIngestActivities(deps),
    ...createChangeOrderActivities({ client, draining }),
    ...createObservationActivities({ client, draining }),
    ...createTimesheetActivities({ client, draining }),
    ...createUserActivities({ client, draining }),
    ...createWebhookActivities({ client, draining, header: deps.webhookHeader }),
    ...createOrderActivities(draining, deps.projectRuns),
  };
}

/** Activities for one share; they run where it is mounted. */
export function createShareActivities(deps: BatchActivityDeps) {
  const { client, draining, share } = deps;
  return {
    ...createBatchActivities(deps),
    ...createOrderShareActivities(draining, share),
    ...createObservationFileActivities({
      client,
      draining,
      openAttachment: path => findAttachment(share.config.folder, path),
    }),
  };
}
