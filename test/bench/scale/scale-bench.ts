// `npm run bench -- scale`: the model, said for a million documents a day in three ways.
import { type Figure, forInformation } from '../figures';
import { type Fleet, MILLION_A_DAY, needsOf } from './model';

const FLEETS: Readonly<Record<string, Fleet>> = {
  'all day': MILLION_A_DAY,
  'in 10 hours': { ...MILLION_A_DAY, busyHours: 10 },
  'folders of 10 files': { ...MILLION_A_DAY, documentsPerBatch: 10 },
};

export async function benchScale(): Promise<readonly Figure[]> {
  return Object.entries(FLEETS).flatMap(([name, fleet]) => {
    const needs = needsOf(fleet);
    return [
      forInformation(`${name}: of the accounts' rate limits`, 100 * needs.limitUsed, '%', 0),
      forInformation(`${name}: batches a day`, needs.batchesPerDay, '', 0),
      forInformation(`${name}: Temporal's actions a day`, needs.actionsPerDay, '', 0),
      forInformation(`${name}: the same, a second`, needs.actionsPerSecond, '', 1),
      forInformation(`${name}: events of batches a second`, needs.eventsPerSecond, '', 0),
      forInformation(`${name}: histories kept for three days`, needs.historyGibibytesKept, 'GiB', 1),
      forInformation(`${name}: sent, files of 2 MiB`, needs.sentMebibytesPerSecond, 'MiB/s', 0),
    ];
  });
}
