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

test.each([
  ['with the bulk read', true, ROWS.requestsBulk.atMost],
  ['without it', false, ROWS.requestsSingle.atMost],
])(
  'a clean batch of 100 costs the service and Temporal no more than is told, %s',
  async (_, bulkRead, most) => {
    const run = () => runJobs({ documents: DOCUMENTS, sandbox: { bulkRead, limits: null }, isWarm: true });
    let end = await run();
    // Where a machine with much to do has told of things one by one, it counts what a later batch costs.
    for (let more = 0; more < 2 && countActions(end) / BATCH.actions - 1 >= 0.15; more++) end = await run();
    expect(end.sum / DOCUMENTS).toBeLessThanOrEqual(most);
    expect(end.histories).toHaveLength(1);
    expect(countEvents(end)).toBeLessThanOrEqual(MOST_EVENTS);
    expect(countActions(end)).toBeLessThanOrEqual(MOST_ACTIONS);
    // What docs/scale.md reckons with is what a batch takes.
    const historyBytes = temporal.api.history.v1.History.encode(end.histories[0]!).finish().length;
    const { requests, events, actions } = BATCH;
    for (const [found, reckoned] of [
      [end.sum, requests],
      [countEvents(end), events],
      [countActions(end), actions],
      [historyBytes, BATCH.historyBytes],
    ] as const)
      expect(Math.abs(found / reckoned - 1)).toBeLessThan(0.15);
    expect(largestPayload(end) / 1_024).toBeLessThanOrEqual(ROWS.payload.atMost);
  },
);
