// Row 1: requests a document of a clean batch of 100 PDFs, and what one per cent of faults makes of them.
import type { FaultOrder } from '../../sandbox/control';
import type { Rig } from '../../setup/rig';
import { type Figure, forInformation, row } from '../figures';
import { type JobsEnd, runJobs } from './run-jobs';

const DOCUMENTS = 100;
/** Every request of the API meets a fault once in a hundred, of these kinds in turns. */
const ONE_IN = 100;
const MOST_FAULTS = 20;
const KINDS: readonly FaultOrder['action'][] = [
  { kind: 'status', status: 500 },
  { kind: 'unavailable' },
  { kind: 'rate-limited' },
  { kind: 'reply-lost' },
  { kind: 'cut-request' },
  { kind: 'cut-answer' },
  { kind: 'malformed', body: '{"data":' },
  { kind: 'html' },
];

export async function benchRequests(): Promise<Figure[]> {
  const bulk = await run(true);
  const single = await run(false);
  const bulkFaults = await run(true, orderFaults);
  const singleFaults = await run(false, orderFaults);
  return [
    row('requestsBulk', bulk.sum / DOCUMENTS),
    row('requestsSingle', single.sum / DOCUMENTS),
    row('faultsBulk', bulkFaults.sum / bulk.sum),
    row('faultsSingle', singleFaults.sum / single.sum),
    ...tell('with the bulk read', bulk),
    ...tell('upload by upload', single),
  ];
}

async function run(bulkRead: boolean, prepare?: (rig: Rig) => Promise<void>): Promise<JobsEnd> {
  return await runJobs({
    documents: DOCUMENTS,
    sandbox: { bulkRead, limits: null },
    isWarm: true,
    ...(prepare === undefined ? {} : { prepare }),
  });
}

async function orderFaults({ control }: Rig): Promise<void> {
  for (let strike = 0; strike < MOST_FAULTS; strike += 1) {
    const action = KINDS[strike % KINDS.length];
    if (action === undefined) continue;
    await control.addFault({ route: 'api:*', times: 1, skip: ONE_IN / 2 + strike * ONE_IN, action });
  }
}

/** Where they go. */
function tell(how: string, { requests }: JobsEnd): Figure[] {
  return Object.entries(requests).map(([route, count]) => forInformation(`${how}: ${route}`, count, '', 0));
}
