// Row 1: requests a document of a clean batch of 100 PDFs, and what one per cent of faults makes of them.
import { type Figure, forInformation, row } from '../figures';
import { type JobsEnd, runJobs } from './run-jobs';

const DOCUMENTS = 100;

export async function benchRequests(): Promise<Figure[]> {
  const bulk = await run(true);
  const single = await run(false);
  return [
    row('requestsBulk', bulk.sum / DOCUMENTS),
    row('requestsSingle', single.sum / DOCUMENTS),
    ...tell('with the bulk read', bulk),
    ...tell('upload by upload', single),
  ];
}

async function run(bulkRead: boolean): Promise<JobsEnd> {
  return await runJobs({ documents: DOCUMENTS, sandbox: { bulkRead, limits: null } });
}

/** Where they go. */
function tell(how: string, { requests }: JobsEnd): Figure[] {
  return Object.entries(requests).map(([route, count]) => forInformation(`${how}: ${route}`, count, '', 0));
}
