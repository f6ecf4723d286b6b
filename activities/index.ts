// What workflows may know of activities: types alone. The compiler sees to that, for a value would bring the
// network and the file system into their sandbox.
export type { ChangeOrderActivities } from './change-orders/change-orders';
export type * from './change-orders/change-orders-api';
export type * from './ingest/api';
export type { BatchActivities, IngestActivities } from './ingest/ingest-activities';
export type { ObservationFileActivities } from './observations/observation-files';
export type { ObservationActivities } from './observations/observations';
export type * from './observations/observations-api';
export type { OrderActivities, OrderShareActivities } from './revision-order/order-activities';
export type { FailureDetails } from './scope/failure';
export type { TemplateActivities } from './template/template-activities';
export type { TestRunActivities } from './test-run/test-run-activities';
export type { TimesheetActivities } from './timesheets/timesheets';
export type * from './timesheets/timesheets-api';
export type { UserActivities } from './users/users';
export type * from './users/users-api';
export type { WebhookActivities } from './webhooks/webhooks';
export type * from './webhooks/webhooks-api';
