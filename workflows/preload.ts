// Modules that all runs in a worker thread share: the SDK evaluates them once, before any run begins, instead
// of anew for each. So no module of workflows/ may keep anything of a run: the next run would find it there.
import { z } from 'zod';
import * as changeOrder from './change-orders/change-order-contract';
import './index';
import * as answer from './ingest/answer-contract';
import * as ingest from './ingest/ingest-contract';
import * as observation from './observations/observation-contract';
import * as rateLeases from './rate/rate-leases-contract';
import * as order from './revision-order/order-contract';
import * as inputFields from './run/input-fields';
import * as keepFields from './template/keep-fields-contract';
import * as keepTemplate from './template/keep-template-contract';
import * as checkFiles from './test-run/check-files-contract';
import * as timesheet from './timesheets/timesheet-contract';
import * as users from './users/users-contract';
import * as webhooks from './webhooks/webhooks-contract';

// The SDK freezes everything that these modules export, at any depth, but skips what is frozen already. A
// schema, however, fills in parts of itself when it is first used, and a regular expression notes where it
// ended. So the lists of exports are frozen here, and what they name stays as it is.
const AS_THEY_ARE: readonly object[] = [
  z.regexes,
  answer,
  changeOrder,
  checkFiles,
  ingest,
  inputFields,
  keepFields,
  keepTemplate,
  observation,
  order,
  rateLeases,
  timesheet,
  users,
  webhooks,
];
for (const exported of AS_THEY_ARE) Object.freeze(exported);
