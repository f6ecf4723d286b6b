// A test run: everything that can be known of a folder without sending or moving anything. The command, the
// folder on the share and the workflow all ask here.

import { systemClock } from '../host/clock';
import { tallyForetold } from '../registers/words/foretold-words';
import { hostZone } from '../registers/words/local-time';
import type { SeenLimit } from '../service/rate/shared-rate-gate';
import { type CheckReport, ONLY_SERVICE } from './check-report';
import { estimateCost } from './estimate-cost';
import { type ForetellDeps, foretellJob } from './foretell-job';
import { readTriedJob, type TriedFolder, type TriedWith } from './read-folder';
import { makeResultSheet, type ResultSheet } from './result-sheet';

export interface CheckDeps extends ForetellDeps, TriedWith {
  readonly limits: () => readonly SeenLimit[];
  /** Why nothing is known of what was sent before; absent where that is known. */
  readonly notCompared?: string | undefined;
}

export interface CheckedFolder {
  readonly report: CheckReport;
  readonly sheet: ResultSheet;
}

export async function checkFolder(
  deps: CheckDeps,
  folder: TriedFolder,
  signal: AbortSignal,
): Promise<CheckedFolder> {
  const { config, notCompared } = deps;
  const job = await readTriedJob(folder, deps, signal);
  const { batches, notices } = await foretellJob(deps, job);
  const files = batches.flat();
  const sent = batches.map(batch =>
    batch.filter(({ foretold }) => foretold === 'through' || foretold === 'open'),
  );
  const report: CheckReport = {
    test: true,
    folder: folder.name,
    share: config.name,
    project: config.project,
    testedAt: new Date(systemClock.wallMs()).toISOString(),
    zone: config.timeZone ?? hostZone(),
    tally: tallyForetold([
      ...files.map(({ foretold }) => foretold),
      ...job.notThere.map(() => 'not-there' as const),
    ]),
    ...(job.register === undefined ? {} : { register: job.register.path }),
    files,
    notThere: job.notThere,
    ignored: job.ignored,
    left: job.left,
    notices: [...job.notices, ...notices],
    batches: batches.length,
    cost: estimateCost(
      sent.map(batch => ({
        documents: batch.length,
        bytes: batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      })),
      deps.limits(),
    ),
    ...(notCompared === undefined ? {} : { notCompared }),
    onlyService: ONLY_SERVICE,
  };
  return { report, sheet: await makeResultSheet(report, job.register) };
}
