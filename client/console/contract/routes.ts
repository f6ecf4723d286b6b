// All routes of the page's API. The page imports their types alone.

import { apartRoutes } from './apart';
import { dropRoutes } from './drop';
import { jobRoutes } from './jobs';
import { operationsRoutes } from './operations';
import type { Routes } from './route';
import { sessionRoutes } from './session';
import { waitingRoutes } from './waiting';

export const ROUTES = {
  ...sessionRoutes,
  ...jobRoutes,
  ...waitingRoutes,
  ...dropRoutes,
  ...apartRoutes,
  ...operationsRoutes,
} as const satisfies Routes;
export type ConsoleRoutes = typeof ROUTES;
