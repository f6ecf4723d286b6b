// A day's work becomes a timesheet: rows checked, sheet and entries made once each, stored hours compared,
// approved when told to.
import { ApplicationFailure, allHandlersFinished, condition, log } from '@temporalio/workflow';
import type {
  EnteredTimecard,
  EntryFacts,
  PlannedTimecard,
  TimecardPlan,
  TimesheetActivities,
} from '../../activities';
import { ServiceCalls } from '../run/activity-calls';
import { asking } from '../run/asking';
import { parseInput } from '../run/parse-input';
import { withRefusalsExplained } from '../run/refused-request';
import { RunProgress } from '../run/run-progress';
import { isSameTime } from './decide/decimal-hours';
import { findBeside } from './decide/find-beside';
import { hasSameParts } from './decide/has-same-parts';
import { originPrefix } from './decide/origin-ids';
import { approveStage } from './timesheet-approval';
import {
  countRows,
  endRow,
  explainUnasked,
  handleMessages,
  sheetOf,
  type TimesheetCase,
} from './timesheet-case';
import { type TimesheetInput, type TimesheetResult, timesheetInput } from './timesheet-contract';

const EXAMPLE = {
  companyId: '5001',
  projectId: '7001',
  date: '2026-02-02',
  timing: 'times',
  rows: [{ person: 'Ada Ashby', costCode: '03-010', timeIn: '07:00', timeOut: '15:30', lunchMinutes: 30 }],
  approve: 'ask',
};
/** Entries one activity makes: it reads the sheet once for all of them. */
const CHUNK = 50;

/**
 * Ends with an outcome for every row; a row that cannot be entered never holds back the others. Started again
 * with the corrected list (same `source` and `date`), it enters and corrects what is new and leaves the rest.
 */
export async function timesheetWorkflow(rawInput: TimesheetInput): Promise<TimesheetResult> {
  const input = parseInput(timesheetInput, rawInput, EXAMPLE);
  const one: TimesheetCase = {
    input,
    project: { companyId: input.companyId, projectId: input.projectId },
    prefix: originPrefix(input.source, input.date),
    calls: new ServiceCalls<TimesheetActivities>(),
    progress: new RunProgress(`Timesheet of ${input.date} in project ${input.projectId}`),
    outcomes: new Map(),
    timesheetId: null,
    leftOver: [],
    signatureId: null,
    decision: undefined,
    unasked: explainUnasked(input.approve),
    askingUntilMs: undefined,
  };
  one.calls.whenBlocked(one.progress);
  handleMessages(one);
  const { name, status } = await withRefusalsExplained(() => carryOut(one));
  const result = toResult(one, name, status);
  one.progress.tell(
    `Ended: ${result.entered} of ${input.rows.length} rows are on the sheet (${status ?? 'none'})`,
  );
  log.info(`Timesheet of ${input.date}`, {
    event: 'timesheet-finished',
    timesheetId: one.timesheetId,
    entered: result.entered,
    refused: result.refused,
    status,
  });
  await condition(allHandlersFinished);
  return result;
}

async function carryOut(one: TimesheetCase): Promise<Pick<TimesheetResult, 'status' | 'name'>> {
  const { ready, faulty } = await plan(one);
  if (ready.length === 0) return { status: null, name: null };
  const byHand = await openSheet(one, ready);
  if (one.timesheetId === null) return { status: null, name: null };
  await enter(one, ready, byHand);
  const unplanned = faulty.map(({ ref }) => ref);
  const { status, name } = await check(one, ready, unplanned);
  await sign(one);
  return { status: await approveStage(one, status), name };
}

async function plan(one: TimesheetCase): Promise<TimecardPlan> {
  const { input, project } = one;
  one.progress.tell(`Checking ${input.rows.length} rows`);
  const { date, timing, utcOffset, rows } = input;
  const planned = await one.calls.service.planTimecards(
    () => ({ project, date, timing, utcOffset, rows }),
    `Check ${rows.length} rows`,
  );
  for (const { index, ref, reasons } of planned.faulty) {
    endRow(one, { row: index + 1, ref, kind: 'refused', reasons });
  }
  return planned;
}

/**
 * The sheet that an earlier run has begun, else a new one; none where entries by hand may stand for all rows.
 * Returns these entries, which are on other sheets of the day.
 */
async function openSheet(
  one: TimesheetCase,
  ready: readonly PlannedTimecard[],
): Promise<readonly EntryFacts[]> {
  const { input, project, prefix } = one;
  one.progress.tell('Looking for the sheet');
  const found = await one.calls.service.findTimesheet(
    () => ({ project, date: input.date, prefix, rows: ready }),
    `Look for the sheet of ${input.date}`,
  );
  const { byHand = [], refused } = found;
  one.timesheetId = found.ours;
  if (found.ours !== null) {
    one.progress.note(`The sheet ${found.ours} has entries of this source already; it is continued.`);
    return byHand;
  }
  if (refused !== undefined) {
    endRows(one, ready, refused);
    return byHand;
  }
  one.progress.tell('Creating the sheet');
  const created = await one.calls.service.createTimesheet(
    () => ({ project, date: input.date, before: found.all, asked: asking() }),
    `Create the sheet of ${input.date}`,
  );
  one.timesheetId = created.id;
  return byHand;
}

async function enter(
  one: TimesheetCase,
  ready: readonly PlannedTimecard[],
  allByHand: readonly EntryFacts[],
): Promise<void> {
  /** Beside hours by hand, on a sheet that had no entry of ours when their call ended. */
  const unbegun: EnteredTimecard[] = [];
  let isBegun = false;
  for (let start = 0; start < ready.length; start += CHUNK) {
    const rows = ready.slice(start, start + CHUNK);
    one.progress.tell(`Entering rows ${start + 1} to ${start + rows.length} of ${ready.length}`);
    const beside = findBeside(rows, ready);
    const byHand = allByHand.filter(entry => rows.some(row => hasSameParts(row.entry, entry)));
    const entered = await one.calls.service.enterTimecards(
      () => ({
        ...sheetOf(one),
        rows,
        ...(beside.length === 0 ? {} : { beside }),
        ...(byHand.length === 0 ? {} : { byHand }),
        asked: asking(),
      }),
      `Enter ${rows.length} rows`,
    );
    const isTold = ({ outcome }: EnteredTimecard) =>
      outcome.kind !== 'refused' || outcome.fixOnceBegun === undefined;
    endRows(one, rows, entered.filter(isTold));
    unbegun.push(...entered.filter(each => !isTold(each)));
    // Found by a later attempt, or by a run before, an entry of ours makes the sheet ours as well.
    isBegun ||= entered.some(
      ({ outcome }) =>
        outcome.kind === 'entered' || (outcome.kind !== 'refused' && outcome.isMarked === true),
    );
  }
  // One advice for the whole list: what is to be done does not depend on which call a row was in.
  endRows(one, ready, isBegun ? unbegun.map(toldOnceBegun) : unbegun);
}

function toldOnceBegun({ index, outcome }: EnteredTimecard): EnteredTimecard {
  if (outcome.kind !== 'refused' || outcome.fixOnceBegun === undefined) return { index, outcome };
  return { index, outcome: { kind: 'refused', reason: { ...outcome.reason, fix: outcome.fixOnceBegun } } };
}

function endRows(
  one: TimesheetCase,
  rows: readonly PlannedTimecard[],
  entered: readonly EnteredTimecard[],
): void {
  for (const { index, outcome } of entered) {
    const planned = rows.find(row => row.index === index);
    if (planned === undefined) continue;
    const { ref, entry } = planned;
    endRow(
      one,
      outcome.kind === 'refused'
        ? { row: index + 1, ref, kind: 'refused', reasons: [outcome.reason] }
        : { row: index + 1, ref, kind: outcome.kind, entryId: outcome.entryId, hours: entry.hours },
    );
  }
}

/**
 * What is stored decides: a row whose entry is not there counts as refused; hours that differ are noted. Rows
 * that were refused are compared as well, for an earlier run may have entered them: that entry has its row.
 */
async function check(
  one: TimesheetCase,
  ready: readonly PlannedTimecard[],
  unplanned: readonly string[],
): Promise<Pick<TimesheetResult, 'status' | 'name'>> {
  one.progress.tell('Comparing what is stored');
  const ended = ready.map(({ index }) => ({ index, kind: one.outcomes.get(index)?.kind ?? 'refused' }));
  const indexesOf = (rows: typeof ended) => rows.map(({ index }) => index);
  const answered = indexesOf(ended.filter(({ kind }) => kind !== 'refused'));
  const updated = indexesOf(ended.filter(({ kind }) => kind === 'updated'));
  const checked = await one.calls.service.checkTimesheet(
    () => ({
      ...sheetOf(one),
      rows: ready,
      ...(unplanned.length === 0 ? {} : { unplanned }),
      answered,
      ...(updated.length === 0 ? {} : { updated }),
    }),
    'Compare what is stored with the rows',
  );
  for (const { index, ref, entry } of ready) {
    const known = one.outcomes.get(index);
    const stored = checked.stored.find(each => each.index === index);
    if (known === undefined || known.kind === 'refused') continue;
    if (stored === undefined) {
      endRow(one, { row: index + 1, ref, kind: 'refused', reasons: [NOT_STORED] });
      continue;
    }
    const differs = !isSameTime(entry.hours, stored.hours ?? '');
    endRow(one, {
      ...known,
      entryId: stored.entryId,
      hours: stored.hours,
      ...(differs
        ? { note: `The service stored ${stored.hours ?? 'no'} hours; the row makes ${entry.hours}.` }
        : {}),
    });
  }
  if (checked.removed.length > 0) {
    one.progress.note(`Entries that had been made twice were deleted: ${checked.removed.join(', ')}.`);
  }
  if (checked.leftOver.length > 0) {
    one.progress.note(
      `Entries of this source that no row stands for were left: ${checked.leftOver.join(', ')}. Delete them in the service if they are wrong.`,
    );
  }
  one.leftOver = checked.leftOver;
  return { status: checked.status, name: checked.name };
}

async function sign(one: TimesheetCase): Promise<void> {
  const { signature, date, source } = one.input;
  if (signature === undefined || one.timesheetId === null) return;
  one.progress.tell('Uploading the signature');
  const ending = signature.contentType === 'image/png' ? 'png' : 'jpg';
  const fileName = `timesheet-${one.timesheetId}-${source}-${date}-${signature.userId}.${ending}`;
  try {
    const { signatureId } = await one.calls.service.signTimesheet(
      () => ({ project: one.project, fileName, ...signature, asked: asking() }),
      `Upload the signature of user ${signature.userId}`,
    );
    one.signatureId = signatureId;
  } catch (error: unknown) {
    const why = refusalOf(error);
    if (why === undefined) throw error;
    one.progress.note(`The signature was not taken: ${why}`);
  }
}

function toResult(
  one: TimesheetCase,
  name: string | null,
  status: TimesheetResult['status'],
): TimesheetResult {
  return {
    timesheetId: one.timesheetId,
    name,
    status,
    entered: countRows(one, outcome => outcome.kind !== 'refused'),
    refused: countRows(one, outcome => outcome.kind === 'refused'),
    rows: [...one.outcomes.values()].sort((a, b) => a.row - b.row),
    leftOver: one.leftOver,
    signatureId: one.signatureId,
    notes: one.progress.notes,
  };
}

function refusalOf(error: unknown): string | undefined {
  const cause = (error as { readonly cause?: unknown } | null)?.cause;
  return cause instanceof ApplicationFailure && cause.type === 'REQUEST_REFUSED' ? cause.message : undefined;
}

const NOT_STORED = {
  code: 'not-stored',
  text: 'The service answered, but the entry is not on the sheet.',
  fix: 'Look at the sheet in the service. If the entry is there by now, nothing is to be done; if somebody has deleted it, start again with the whole list to enter it again.',
};
