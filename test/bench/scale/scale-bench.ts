// `npm run bench -- scale`: the model, said for a million documents a day in four ways.
import { type Figure, forInformation } from '../figures';
import { hostNeedsOf } from './hosts';
import { type Fleet, MILLION_A_DAY, needsOf } from './model';
import { billOf, TEMPORAL_CLOUD } from './money';

const FLEETS: Readonly<Record<string, Fleet>> = {
  'all day': MILLION_A_DAY,
  'all day, ten batches in a row': { ...MILLION_A_DAY, batchesInARow: 10 },
  'in 10 hours': { ...MILLION_A_DAY, busyHours: 10 },
  'folders of 10 files': { ...MILLION_A_DAY, documentsPerBatch: 10 },
};

export async function benchScale(): Promise<readonly Figure[]> {
  return Object.entries(FLEETS).flatMap(([name, fleet]) => [
    ...wholeFleet(name, fleet),
    ...oneHost(`${name}: one of ${fleet.hosts} hosts`, fleet),
    ...money(`${name}: Temporal's cloud at prices of ${TEMPORAL_CLOUD.lookedUp}, 30 days`, fleet),
  ]);
}

function wholeFleet(name: string, fleet: Fleet): readonly Figure[] {
  const needs = needsOf(fleet);
  return [
    forInformation(`${name}: of the accounts' rate limits`, 100 * needs.limitUsed, '%', 0),
    forInformation(`${name}: batches a day`, needs.batchesPerDay, '', 0),
    forInformation(`${name}: Temporal's actions a day, without waiting`, needs.actionsPerDay, '', 0),
    forInformation(`${name}: the same a second, without waiting`, needs.actionsPerSecond, '', 1),
    forInformation(`${name}: actions a day, each batch at its limit`, needs.billedActionsPerDay, '', 0),
    forInformation(`${name}: the same a second, at the limit`, needs.billedActionsPerSecond, '', 1),
    forInformation(`${name}: events of batches and coordinators a second`, needs.eventsPerSecond, '', 0),
    forInformation(`${name}: histories kept for three days`, needs.historyGibibytesKept, 'GiB', 1),
    forInformation(`${name}: sent, files of 2 MiB`, needs.sentMebibytesPerSecond, 'MiB/s', 0),
  ];
}

function oneHost(name: string, fleet: Fleet): readonly Figure[] {
  const needs = hostNeedsOf(fleet);
  const [least, most] = needs.cpuSecondsPerDay;
  return [
    forInformation(`${name}: batches a day`, needs.batchesPerDay, '', 0),
    forInformation(`${name}: batches open at a time`, needs.openBatches, '', 1),
    forInformation(`${name}: sent a day`, needs.sentGibibytesPerDay, 'GiB', 0),
    forInformation(`${name}: read from shares`, needs.readMebibytesPerSecond, 'MiB/s', 1),
    forInformation(`${name}: CPU a day for its documents, at least`, least, 's', 0),
    forInformation(`${name}: the same, at most`, most, 's', 0),
    forInformation(`${name}: CPU a day for asking for work`, needs.idleCpuSecondsPerDay, 's', 0),
    forInformation(`${name}: of one core meanwhile, at most`, 100 * needs.coresBusy[1], '%', 1),
    ...(needs.memoryMebibytes === undefined
      ? []
      : [
          forInformation(
            `${name}: memory of a process with its ${needs.shares} shares, at most`,
            needs.memoryMebibytes[1],
            'MiB',
            0,
          ),
        ]),
  ];
}

function money(name: string, fleet: Fleet): readonly Figure[] {
  const bill = billOf(fleet, TEMPORAL_CLOUD);
  return [
    forInformation(`${name}: actions`, bill.actions, 'dollars', 0),
    forInformation(`${name}: histories of open runs`, bill.activeStorage, 'dollars', 2),
    forInformation(`${name}: histories that are kept`, bill.retainedStorage, 'dollars', 2),
  ];
}
