// The short form of what `npm run bench -- requests temporal-cost` counts: no landing makes a batch dearer.
import { temporal } from '@temporalio/proto';
import { ROWS } from '../rows';
import { BATCH } from '../scale/model';
import { countEvents, runJobs } from './run-jobs';
import { countActions, largestPayload } from './temporal-cost';

const DOCUMENTS = 100;
/** Below what is seen on a busy machine, where things that end together are heard of one by one. */
const MOST_EVENTS = 105;
/** Without heartbeats. */
const MOST_ACTIONS = 20;
/** By so much docs/scale.md may be wrong. */
const MODEL_MISSES = 1.15;

test.each([
  ['with the bulk read', true, ROWS.requestsBulk.atMost],
  ['without it', false, ROWS.requestsSingle.atMost],
])(
  'a clean batch of 100 costs the service and Temporal no more than is told, %s',
  async (_, bulkRead, most) => {
    const end = await runJobs({ documents: DOCUMENTS, sandbox: { bulkRead, limits: null }, isWarm: true });
    expect(end.sum / DOCUMENTS).toBeLessThanOrEqual(most);
    expect(end.histories).toHaveLength(1);
    // What docs/scale.md reckons with is what a batch takes.
    const historyBytes = temporal.api.history.v1.History.encode(end.histories[0]!).finish().length;
    const { requests, events, actions } = BATCH;
    for (const [found, reckoned, atMost] of [
      [end.sum, requests, requests * MODEL_MISSES],
      [countEvents(end), events, MOST_EVENTS],
      [countActions(end), actions, MOST_ACTIONS],
      [historyBytes, BATCH.historyBytes, BATCH.historyBytes * MODEL_MISSES],
    ] as const) {
      expect(found).toBeLessThanOrEqual(atMost);
      expect(found).toBeGreaterThan(reckoned / MODEL_MISSES);
    }
    expect(largestPayload(end) / 1_024).toBeLessThanOrEqual(ROWS.payload.atMost);
  },
);
