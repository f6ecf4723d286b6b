// Row 4: what a clean batch of 100 costs Temporal.
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { type Figure, row } from '../figures';
import { type JobsEnd, runJobs } from './run-jobs';

const DOCUMENTS = 100;

export async function benchTemporalCost(): Promise<Figure[]> {
  const end = await runJobs({ documents: DOCUMENTS, sandbox: { bulkRead: true, limits: null } });
  return [row('events', eventsOf(end)), row('payload', largestPayload(end) / 1_024)];
}

function eventsOf({ histories }: JobsEnd): number {
  return histories.reduce((sum, { events }) => sum + (events?.length ?? 0), 0);
}

function largestPayload({ histories }: JobsEnd): number {
  const payloads = histories.flatMap(history => [
    ...historyToJSON(history).matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g),
  ]);
  return Math.max(...payloads.map(([, data = '']) => (data.length * 3) / 4));
}
