// What one batch waits for, as Temporal tells it. Not in outages.ts, so that whoever only keeps these
// answers, as the watcher does, need not load Temporal's client.
import type { Client } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import type { ShareConfig } from '../../activities/share/share-config';
import { ingestWorkflowId } from '../../workflows/contract';
import { listWaitingActivities } from './incident-list';
import type { OutagesDeps } from './outages';

const PATIENCE_MS = 2_000;

export function waitingIn(client: Client, share: ShareConfig): OutagesDeps['waitsFor'] {
  return async batchId => {
    const run = { workflowId: ingestWorkflowId(share.project, batchId), runId: '' };
    return await client.withDeadline(systemClock.wallMs() + PATIENCE_MS, () =>
      listWaitingActivities(client, run, share.name),
    );
  };
}
