// The test run of a job that is dropped on the page, before it is sent: by its names, folders, sizes and
// register. The result lies beside what has come of it, for the page to show.
import type { CheckFilesResult } from '../../workflows/test-run/check-files-contract';
import { tellForetoldSum } from '../registers/words/foretold-words';
import { ShareError } from '../share/files/share-error';
import type { Share } from '../share/share';
import { type CheckDeps, checkFolder } from './check-folder';
import { type CheckReport, pathInFolder, tellCost, tellTime } from './check-report';
import { tellRound } from './explain-requirement';
import type { ForetoldFile } from './foretell-job';
import type { TestReport } from './test-report';

/** Of one reason; the sheet has all. */
const MOST_ROWS = 200;
const MOST_REASONS = 200;
const MOST_NAMES = 100;

export async function checkUpload(
  share: Pick<Share, 'uploads' | 'name'>,
  id: string,
  deps: CheckDeps,
  signal: AbortSignal,
): Promise<CheckFilesResult> {
  const upload = await share.uploads.open(id);
  if (upload === undefined) throw new ShareError('bad-request', 'There is no such upload any more.');
  const { report, sheet } = await checkFolder(deps, await upload.toTry(), signal);
  await upload.tests.put(toTestReport(report, sheet.format), sheet.bytes);
  return {
    share: share.name,
    folder: report.folder,
    sheet: '',
    sum: tellForetoldSum(report.tally),
    cost: tellCost(report),
    time: tellTime(report),
    faults: [],
  };
}

function toTestReport(report: CheckReport, format: TestReport['format']): TestReport {
  const { testedAt, tally, cost, files, left, notices, onlyService, register, notCompared } = report;
  return {
    testedAt,
    tally: { ...tally },
    sum: tellForetoldSum(tally),
    cost: tellCost(report),
    time: tellTime(report),
    requests: cost.requests.most,
    endsAt: cost.limitMs === null ? null : new Date(Date.parse(testedAt) + cost.limitMs).toISOString(),
    register: register ?? null,
    compared: {
      files: files.filter(({ sha256 }) => sha256 !== undefined).length,
      all: files.length,
      why: notCompared ?? null,
    },
    notices: notices.slice(0, MOST_NAMES),
    left: left.slice(0, MOST_NAMES),
    onlyService: [...onlyService],
    reasons: gatherReasons(report),
    format,
  };
}

type Reasons = TestReport['reasons'];

function gatherReasons(report: CheckReport): Reasons {
  const reasons = new Map<string, Reasons[number]>();
  const add = (
    { foretold, why, whatToDo }: Pick<Reasons[number], 'foretold' | 'why' | 'whatToDo'>,
    row: Reasons[number]['rows'][number],
  ) => {
    const key = `${foretold}\n${why}\n${whatToDo}`;
    const known = reasons.get(key) ?? { foretold, why, whatToDo, count: 0, rows: [] };
    if (known.rows.length < MOST_ROWS) known.rows.push(row);
    reasons.set(key, { ...known, count: known.count + 1 });
  };
  for (const file of report.files) {
    const row = { row: file.row ?? null, file: pathInFolder(report, file.path), name: file.name ?? null };
    add({ foretold: file.foretold, ...tellReason(file) }, row);
  }
  for (const { row, file } of report.notThere) {
    add(
      {
        foretold: 'not-there',
        why: 'Listed, but there is no such file.',
        whatToDo: 'Add the file, or take the row out.',
      },
      { row, file, name: null },
    );
  }
  const worst = ['not-there', 'set-apart', 'held', 'open', 'already-there', 'through'];
  return [...reasons.values()]
    .sort(
      (one, other) => worst.indexOf(one.foretold) - worst.indexOf(other.foretold) || other.count - one.count,
    )
    .slice(0, MOST_REASONS);
}

function tellReason({ foretold, reason, requirement }: ForetoldFile): { why: string; whatToDo: string } {
  if (reason !== undefined) return { why: reason.text, whatToDo: reason.fix };
  if (foretold === 'open' && requirement !== undefined) {
    const lacking = [requirement.now, ...requirement.later].filter(({ lacks }) => lacks.length > 0);
    return {
      why: lacking.map(round => `If ${tellRound(round)}.`).join(' '),
      whatToDo: 'Give these values in the register to be sure, or leave them to the service.',
    };
  }
  return foretold === 'already-there'
    ? { why: 'Same file as the present revision.', whatToDo: 'Nothing: they are not sent again.' }
    : { why: 'Everything is known.', whatToDo: 'Nothing.' };
}
