// Row 10: a drop of 100,000 files, of a million, and one on a share with a million finished documents.
import { type Figure, forInformation, row } from '../figures';
import { benchWatcher, type WatcherFigures } from './watcher-bench';

/** The middle of a few runs says more of the machine than of the share. */
const TURNS = 3;
/** Enough that claiming them takes a second and more: of fewer, their claims a second would be chance. */
const FILES_BESIDE_FINISHED = 2_000;
const FINISHED_JOBS = 10_000;

export async function benchDrop(): Promise<Figure[]> {
  const { firstClaimMs, claimsPerSecond, cpuMsPerFile, peakRssMiB } = await benchWatcher();
  return [
    row('dropMemory', peakRssMiB),
    row('dropFirst', firstClaimMs / 1_000),
    row('dropClaims', claimsPerSecond),
    forInformation('CPU of the watcher, a claimed file', cpuMsPerFile, 'ms'),
  ];
}

export async function benchDropMillion(): Promise<Figure[]> {
  const few = await benchWatcher();
  const many = await benchWatcher({ files: 1_000_000 });
  return [
    row('dropMillion', many.peakRssMiB / few.peakRssMiB),
    row('dropMillionClaims', many.lastOverFirst),
    forInformation('claims a second, 1,000,000 files', many.claimsPerSecond, '', 0),
  ];
}

/** The best of some, in turn. */
export async function benchFinishedMillion(): Promise<Figure[]> {
  const [empty, full]: [WatcherFigures[], WatcherFigures[]] = [[], []];
  const files = FILES_BESIDE_FINISHED;
  for (let turn = 0; turn < TURNS; turn += 1) {
    empty.push(await benchWatcher({ files }));
    full.push(await benchWatcher({ files, finishedJobs: FINISHED_JOBS }));
  }
  const leastOf = (all: readonly WatcherFigures[], name: 'firstClaimMs' | 'peakRssMiB') =>
    Math.min(...all.map(each => each[name]));
  const fastestOf = (all: readonly WatcherFigures[]) =>
    Math.max(...all.map(({ claimsPerSecond }) => claimsPerSecond));
  return [
    row('finishedMillion', leastOf(full, 'firstClaimMs') / leastOf(empty, 'firstClaimMs')),
    row('finishedMillionMemory', leastOf(full, 'peakRssMiB') / leastOf(empty, 'peakRssMiB')),
    row('finishedMillionClaims', fastestOf(full) / fastestOf(empty)),
    forInformation(
      'peak memory of the watcher, 2,000 files, an empty share',
      leastOf(empty, 'peakRssMiB'),
      'MiB',
      0,
    ),
    forInformation('claims a second of it', fastestOf(empty), '', 0),
  ];
}
