// All views of the page. The first whose address fits is shown.
import type { View } from '../shell/view';
import { apartView } from './apart';
import { dropView } from './drop';
import { findView } from './find';
import { jobView } from './job';
import { jobsView } from './jobs';
import { meView } from './me';
import { operationsView } from './operations';
import { waitingView } from './waiting';

export const VIEWS: readonly View[] = [
  jobsView,
  operationsView,
  meView,
  jobView,
  findView,
  dropView,
  waitingView,
  apartView,
];
