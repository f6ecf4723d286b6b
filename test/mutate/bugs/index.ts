import type { Bug } from '../bug';
import { ACTIVITY_BUGS } from './activities';
import { CLIENT_BUGS } from './client';
import { SERVICE_BUGS } from './service';
import { SHARE_BUGS } from './share';
import { TOKEN_BUGS } from './tokens';
import { TRANSFER_BUGS } from './transfer';
import { WORKER_BUGS } from './workers';
import { WORKFLOW_BUGS } from './workflows';

export const BUGS: readonly Bug[] = [
  ...WORKFLOW_BUGS,
  ...ACTIVITY_BUGS,
  ...SERVICE_BUGS,
  ...TOKEN_BUGS,
  ...TRANSFER_BUGS,
  ...SHARE_BUGS,
  ...WORKER_BUGS,
  ...CLIENT_BUGS,
];
