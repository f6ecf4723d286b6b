// All activities, by where they run. Workers bring the real adapters.
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
import type { MakingDeps } from './scope/making';
import { findAttachment } from './share/drop/attachments';
import { createTemplateActivities, type TemplateDeps } from './template/template-activities';
import { createTestRunActivities, type TestRunDeps } from './test-run/test-run-activities';
import { createTimesheetActivities } from './timesheets/timesheets';
import { createUserActivities } from './users/users';
import type { WebhookHeader } from './webhooks/webhook-header';
import { createWebhookActivities } from './webhooks/webhooks';

export interface ServiceActivityDeps extends IngestActivityDeps, MakingDeps {
  readonly projectRuns: ProjectRuns;
  /** What the service sends with every event; absent when no webhooks are configured. */
  readonly webhookHeader?: WebhookHeader | undefined;
}

/** Activities that need the service only; any worker can run them. */
export function createServiceActivities(deps: ServiceActivityDeps) {
  const { client, draining, listedAfterMs, sinceRunBefore } = deps;
  const making = { listedAfterMs, sinceRunBefore };
  return {
    ...createIngestActivities(deps),
    ...createChangeOrderActivities({ client, draining, ...making }),
    ...createObservationActivities({ client, draining, ...making }),
    ...createTimesheetActivities({ client, draining, ...making }),
    ...createUserActivities({ client, draining, listedAfterMs }),
    ...createWebhookActivities({ client, draining, ...making, header: deps.webhookHeader }),
    ...createOrderActivities(draining, deps.projectRuns),
  };
}

/** What the activities of a share need of the service besides, for tests of folders. */
export type ShareActivityDeps = BatchActivityDeps &
  Pick<TestRunDeps, 'lookups' | 'limits'> &
  MakingDeps & { readonly share: TestRunDeps['share'] & TemplateDeps['share'] };

/** Activities for one share; they run where it is mounted. */
export function createShareActivities(deps: ShareActivityDeps) {
  const { client, draining, share, engine } = deps;
  return {
    ...createBatchActivities(deps),
    ...createTestRunActivities({ ...deps, hasher: engine.hashing }),
    ...createTemplateActivities({ share, lookups: deps.lookups, draining, clock: engine.clock }),
    ...createOrderShareActivities(draining, share),
    ...createObservationFileActivities({
      client,
      draining,
      listedAfterMs: deps.listedAfterMs,
      openAttachment: path => findAttachment(share.config.folder, path),
    }),
  };
}
