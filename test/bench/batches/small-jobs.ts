// Row 2: a job of a few documents: its requests, and how long it takes over what the service itself takes.
import { type Figure, row } from '../figures';
import type { RowName } from '../rows';
import { runJobs } from './run-jobs';

/** The service takes its own time: our own work would be told as many times slower than it is. */
const SCALE = 1;
const SIZES: readonly (readonly [number, RowName, RowName])[] = [
  [1, 'smallRequests1', 'smallTime1'],
  [5, 'smallRequests5', 'smallTime5'],
  [20, 'smallRequests20', 'smallTime20'],
];

export async function benchSmallJobs(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [documents, requests, time] of SIZES) {
    const end = await runJobs({
      documents,
      sandbox: { bulkRead: true, limits: null },
      scale: SCALE,
      isWarm: true,
    });
    figures.push(row(requests, end.sum / documents), row(time, end.fromDropMs / end.serviceMs));
  }
  return figures;
}
