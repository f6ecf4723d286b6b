// The test run of a job that is dropped on the page, before it is sent: by its names, folders, sizes and
// register. The result lies beside what has arrived of the upload, for the page to show.
import type { CheckFilesResult } from '../../workflows/test-run/check-files-contract';
import { entryOf } from '../host/entry-of';
import type { Stop } from '../ledger/decide/explain-stop';
import { tellOfManyRows } from '../registers/register-fault';
import { tellForetoldSum } from '../registers/words/foretold-words';
import { ShareError } from '../share/files/share-error';
import type { Share } from '../share/share';
import { type CheckDeps, checkFolder } from './check-folder';
import { type CheckReport, pathInFolder, tellCost, tellTime } from './check-report';
import { tellRound } from './explain-requirement';
import type { ForetoldFile } from './foretell-job';
import type { TestReport } from './test-report';

/** Rows that are shown of one reason; the sheet has all. */
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
    time: cost.documents === 0 ? '' : tellTime(report),
    requests: cost.requests.most,
    endsAt:
      !cost.limitMs || cost.documents === 0
        ? null
        : new Date(Date.parse(testedAt) + cost.limitMs).toISOString(),
    register: register ?? null,
    compared: {
      files: files.filter(({ sha256 }) => sha256 !== undefined).length,
      all: files.length,
      why: notCompared ?? null,
    },
    notices: notices.slice(0, MOST_NAMES),
    left: left.slice(0, MOST_NAMES),
    stays: files
      .filter(({ foretold }) => foretold === 'held' || foretold === 'set-apart')
      .map(({ path }) => pathInFolder(report, path)),
    onlyService: [...onlyService],
    reasons: gatherReasons(report),
    format,
  };
}

type Reasons = TestReport['reasons'];
type Told = Pick<Reasons[number], 'foretold' | 'why' | 'whatToDo'>;

/** For reasons that name single documents: what is said instead where several documents have the reason. */
const OF_MANY: Readonly<Record<Stop['code'], string | undefined>> = {
  'already-there': 'These very files were sent before, and nothing newer of their documents since then.',
  'same-bytes': 'The same files were sent under other names.',
  'same-bytes-in-job': 'Several files are the same, byte for byte, and each is to be a document of its own.',
  'no-order': 'Several files are of the same document, and no revision says which of them comes first.',
  'later-there': 'A later revision is there already, and would be superseded.',
  'not-new': 'Only new documents are to be sent, and these are there.',
  // It names no document: what is said of one is said of all.
  'not-there': undefined,
};

function gatherReasons(report: CheckReport): Reasons {
  const reasons = new Map<string, Reasons[number]>();
  const add = (
    { foretold, why, whatToDo }: Told,
    { ofMany, ...row }: Reasons[number]['rows'][number] & { readonly ofMany?: string | undefined },
  ) => {
    const key = `${foretold}\n${ofMany ?? why}\n${whatToDo}`;
    const known = reasons.get(key) ?? { foretold, why, whatToDo, count: 0, rows: [] };
    if (known.rows.length < MOST_ROWS) known.rows.push(ofMany === undefined ? row : { ...row, why });
    const told = known.why === why ? why : (ofMany ?? why);
    reasons.set(key, { ...known, why: told, count: known.count + 1 });
  };
  for (const file of report.files) {
    const row = { row: file.row ?? null, file: pathInFolder(report, file.path), name: file.name ?? null };
    const told = tellReason(file);
    const ofMany = entryOf(OF_MANY, file.reason?.code ?? '') ?? tellOfManyRows(told.why);
    add({ foretold: file.foretold, ...told }, { ...row, ofMany });
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
