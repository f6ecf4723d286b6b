/** All routes of the API and the authentication origin; other areas of the service join here. */
import type { Route } from '../http/route';
import { changeOrderLineRoutes } from './change-order-lines';
import { changeOrderRoutes } from './change-orders';
import { fileUploadRoutes } from './file-uploads';
import { lookupRoutes } from './lookups';
import { oauthRoutes } from './oauth';
import { observationListRoutes } from './observation-lists';
import { observationRoutes } from './observations';
import { projectUserRoutes } from './project-users';
import { revisionRoute } from './revisions';
import { timecardEntryRoutes } from './timecard-entries';
import { timesheetSignatureRoutes } from './timesheet-signatures';
import { timesheetRoutes } from './timesheets';
import { uploadCreationRoute } from './upload-creation';
import { uploadReadRoutes } from './upload-reads';
import { uploadUpdateRoute } from './upload-update';
import { webhookRoutes } from './webhooks';

export const routes: readonly Route[] = [
  ...oauthRoutes,
  ...lookupRoutes,
  uploadCreationRoute,
  uploadUpdateRoute,
  ...uploadReadRoutes,
  ...fileUploadRoutes,
  revisionRoute,
  ...projectUserRoutes,
  ...changeOrderRoutes,
  ...changeOrderLineRoutes,
  ...observationListRoutes,
  ...observationRoutes,
  ...webhookRoutes,
  // Before the sheets: `signatures` is not the id of one.
  ...timesheetSignatureRoutes,
  ...timesheetRoutes,
  ...timecardEntryRoutes,
];

/** Key of the one storage route, which is not in the table because it streams. */
export const STORAGE_PUT = 'storage.put';

/** Every key that faults and counts know. */
export const routeKeys: ReadonlySet<string> = new Set([...routes.map(({ key }) => key), STORAGE_PUT]);
