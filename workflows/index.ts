// The registered workflows: the bundle's entry.

export { changeOrderWorkflow } from './change-orders/change-order';
export { ingestBatchWorkflow } from './ingest/ingest-batch';
export { ingestFilesWorkflow } from './ingest/ingest-files';
export { observationWorkflow } from './observations/observation';
export { observationDoorWorkflow } from './observations/observation-door';
export { sendUnsentObservationsWorkflow } from './observations/send-unsent-observations';
export { rateLeasesWorkflow } from './rate/rate-leases';
export { projectOrderWorkflow } from './revision-order/project-order';
export { keepFieldsWorkflow } from './template/keep-fields';
export { keepTemplateWorkflow } from './template/keep-template';
export { checkFilesWorkflow } from './test-run/check-files';
export { approveTimesheetsWorkflow } from './timesheets/approve-timesheets';
export { timesheetWorkflow } from './timesheets/timesheet';
export { changePermissionTemplateWorkflow } from './users/change-permission-template';
export { ensureWebhooksWorkflow } from './webhooks/ensure-webhooks';
export { webhookEventWorkflow } from './webhooks/webhook-event';
