// The registered workflows: the bundle's entry.

export { approveTimesheetsWorkflow } from './approve-timesheets';
export { changeOrderWorkflow } from './change-order';
export { changePermissionTemplateWorkflow } from './change-permission-template';
export { ensureWebhooksWorkflow } from './ensure-webhooks';
export { ingestBatchWorkflow } from './ingest-batch';
export { ingestFilesWorkflow } from './ingest-files';
export { observationWorkflow } from './observation';
export { observationDoorWorkflow } from './observation-door';
export { projectOrderWorkflow } from './project-order';
export { sendUnsentObservationsWorkflow } from './send-unsent-observations';
export { timesheetWorkflow } from './timesheet';
export { webhookEventWorkflow } from './webhook-event';
