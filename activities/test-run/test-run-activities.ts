// The activity of a test run on a share: reads the folder, writes the result beside it, and answers in a few
// lines what it says.
import type { CheckFilesInput, CheckFilesResult } from '../../workflows/test-run/check-files-contract';
import { systemClock } from '../host/clock';
import { hasCode } from '../host/error-code';
import type { ProjectLookups } from '../ingest/project-lookups';
import type { LedgerShare, StopFinder } from '../ledger/served-ledgers';
import { tellForetoldSum } from '../registers/words/foretold-words';
import type { ActivityScope } from '../scope/activity-scope';
import { whileShareAnswers } from '../scope/hung-share';
import { toActivities } from '../scope/to-activities';
import type { SeenLimit } from '../service/rate/shared-rate-gate';
import type { ShareErrorCode } from '../share/files/share-error';
import type { ShareMount, TestFolder, Uploads } from '../share/share';
import type { FileHasher } from '../transfer/hashing/hash-file';
import { checkFolder } from './check-folder';
import { pathInFolder, tellCost, tellTime } from './check-report';
import { checkUpload } from './check-upload';
import type { FindStops } from './foretell-job';
import { makeRefusalSheet } from './result-sheet';

export interface TestRunDeps {
  readonly share: LedgerShare & TestFolder & ShareMount & Uploads;
  readonly lookups: ProjectLookups;
  readonly limits: () => readonly SeenLimit[];
  readonly hasher: FileHasher;
  readonly ledgers: StopFinder;
  readonly draining: AbortSignal;
}

export type TestRunActivities = ReturnType<typeof createTestRunActivities>;

export function createTestRunActivities(deps: TestRunDeps) {
  return toActivities(deps.draining, deps, { checkFiles }, whileShareAnswers(deps.share));
}

/** So many faults, with so many characters each, go into the history; the sheet has all. */
const MOST_FAULTS = 20;
const MOST_TEXT = 300;

async function checkFiles(
  { share, ledgers, ...deps }: TestRunDeps,
  { folder, upload }: CheckFilesInput,
  { signal }: Pick<ActivityScope, 'signal'>,
): Promise<CheckFilesResult> {
  const { config, name } = share;
  const findStops: FindStops = (manifest, files) =>
    ledgers.findStops({ share, manifest, files, isOpening: true });
  if (upload !== undefined) return await checkUpload(share, upload, { ...deps, config, findStops }, signal);
  const tried = await share.openTest(folder);
  const checked = await checkFolder({ ...deps, config, findStops }, tried, signal).catch(tellTooLarge);
  if (typeof checked === 'string') {
    const sheet = await makeRefusalSheet(folder, checked, new Date(systemClock.wallMs()));
    return {
      share: name,
      folder,
      sheet: await share.putTestResult(folder, sheet),
      sum: checked,
      cost: '',
      time: '',
      faults: [],
    };
  }
  const { report, sheet } = checked;
  const wrong = report.files.filter(({ foretold }) => foretold === 'held' || foretold === 'set-apart');
  return {
    share: name,
    folder,
    sheet: await share.putTestResult(folder, sheet),
    sum: tellForetoldSum(report.tally),
    cost: tellCost(report),
    time: tellTime(report),
    faults: wrong.slice(0, MOST_FAULTS).map(({ row, path, reason }) => ({
      ...(row === undefined ? {} : { row }),
      file: pathInFolder(report, path).slice(0, MOST_TEXT),
      text: (reason?.text ?? '').slice(0, MOST_TEXT),
    })),
  };
}

/** For a folder that is too large, the text of its result: people look for one beside their folder. */
function tellTooLarge(error: unknown): string {
  if (hasCode<ShareErrorCode>(error, 'folder-too-large') && error instanceof Error) return error.message;
  throw error;
}
