// `drawbridge timesheets`: import a time clock's file, decide about a sheet that waits, approve several.
import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import { escapeMarkdown } from '../../workflows/run/decide/escape-markdown';
import {
  type ApprovedTimesheets,
  decideUpdate,
  type TimesheetDecision,
  type TimesheetResult,
  timesheetWorkflowId,
} from '../../workflows/timesheets/timesheet-contract';
import { type ImportedDay, readTimesheetImport } from '../import/timesheet-import';
import { chooseProject, type ProjectOptions } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print, withProjectOptions } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { followRun, startRun, throwItsWords } from '../session/follow-run';
import { type TemporalSession, withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { toVisible } from '../session/terminal-text';
import { addTimesheetReads } from './timesheet-reads';

interface ImportOptions extends ProjectOptions {
  readonly timing: 'hours' | 'times';
  readonly date?: string;
  readonly source: string;
  readonly utcOffset?: string;
  readonly approve: 'no' | 'ask' | 'at-once';
  readonly wait: boolean;
}

export const addTimesheetCommands: AddCommand = (timesheets, globals, command) => {
  const open = async (work: (session: TemporalSession) => Promise<void>): Promise<void> =>
    await withTemporal(loadCommandConfig(globals(), 'leave'), work);
  const shares = () => sharesOf(loadCommandConfig(globals(), 'leave'));
  const projectOf = (options: ProjectOptions) => chooseProject(shares(), options);

  addTimesheetReads(timesheets, globals);
  withProjectOptions(
    timesheets
      .command('import')
      .description('make a sheet of each day of a CSV or JSON file; importing it again enters nothing twice')
      .argument(
        '<file>',
        'columns: date, person or party id, cost code, time in, time out, lunch, hours, ...',
      )
      .addOption(
        new Option('--timing <mode>', "the project's timesheet setting: total hours, or start and stop times")
          .choices(['hours', 'times'])
          .makeOptionMandatory(),
      ),
  )
    .option('--date <day>', 'day of rows without one, for example 2026-01-31')
    .option('--source <name>', 'which list this is, when a day has several', 'timesheet')
    .option('--utc-offset <offset>', 'send times with their dates and this offset, for example +01:00')
    .addOption(
      new Option('--approve <when>', 'ask: wait for `timesheets decide`; at-once: when every row is entered')
        .choices(['no', 'ask', 'at-once'])
        .default('no'),
    )
    .option('--no-wait', 'do not wait for the outcome')
    .action(async (file: string, options: ImportOptions) => {
      const project = projectOf(options);
      const days = await readTimesheetImport(file, shares(), options.date);
      await open(async session => {
        for (const day of days) {
          const result = await importDay(session, day, project, options, command);
          if (result !== undefined && isNotAsGiven(result)) process.exitCode = EXIT_CODES.attention;
        }
      });
    });

  timesheets
    .command('decide')
    .description('the word on a sheet that waits for it')
    .argument('<workflow>', 'its workflow id, as `timesheets import` told it')
    .addOption(
      new Option('--decision <decision>', 'what becomes of it')
        .choices(['approve', 'leave-pending'])
        .makeOptionMandatory(),
    )
    .action(async (workflowId: string, options: TimesheetDecision) => {
      await open(async ({ client }) => {
        const handle = client.workflow.getHandle(workflowId);
        await handle
          .executeUpdate(decideUpdate, { args: [{ decision: options.decision }] })
          .catch(throwItsWords('The decision was not taken: '));
        const result = await followRun<TimesheetResult>(client, workflowId, print);
        for (const note of result.notes) print(`  ${toVisible(note)}`);
        print(describeEnd(result));
      });
    });

  withProjectOptions(
    timesheets
      .command('approve')
      .description('approve several sheets, or take the approval back')
      .argument('<ids...>', 'timesheet ids'),
  )
    .option('--pending', 'make them pending again')
    .action(async (timesheetIds: string[], options: ProjectOptions & { readonly pending?: true }) => {
      const { companyId, projectId } = projectOf(options);
      const status = options.pending === true ? 'pending' : 'approved';
      await open(async ({ client }) => {
        const workflowId = `approve-timesheets/${projectId}/${randomUUID()}`;
        await startRun(client, {
          workflow: 'approveTimesheetsWorkflow',
          workflowId,
          input: { companyId, projectId, timesheetIds, status },
          summary: `${timesheetIds.length} timesheets: ${status}`,
        });
        const result = await followRun<ApprovedTimesheets>(client, workflowId, print);
        for (const { timesheetId, name } of result.changed)
          print(`${timesheetId} (${toVisible(name)}): ${status}`);
        for (const { timesheetId, reason } of result.refused) {
          print(`${timesheetId}: not ${status}. ${toVisible(reason.text)}`);
          process.exitCode = EXIT_CODES.attention;
        }
      });
    });
};

async function importDay(
  { client }: TemporalSession,
  day: ImportedDay,
  { companyId, projectId }: { readonly companyId: string; readonly projectId: string },
  options: ImportOptions,
  command: string,
): Promise<TimesheetResult | undefined> {
  const { timing, source, approve, utcOffset } = options;
  const workflowId = timesheetWorkflowId({ companyId, projectId }, day.date, source);
  const outcome = await startRun(client, {
    workflow: 'timesheetWorkflow',
    workflowId,
    input: {
      companyId,
      projectId,
      date: day.date,
      timing,
      source,
      approve,
      ...(utcOffset === undefined ? {} : { utcOffset }),
      rows: day.rows,
    },
    summary: `Timesheet of ${day.date}, ${day.rows.length} rows`,
    details: `Rows of source ${escapeMarkdown(source, 200)} become a timesheet of project \`${projectId}\`. The update \`decide\` approves it or leaves it pending; \`resume\` wakes what waits.`,
    // A corrected file goes on with the same sheet.
    again: true,
  });
  if (outcome === 'known') {
    throw new CliError(
      `${workflowId} is under way with an earlier import. Let it end (perhaps it waits: ${command} timesheets decide ${workflowId} --decision approve), then import again.`,
    );
  }
  print(`started ${workflowId}`);
  if (!options.wait) return undefined;
  if (approve === 'ask') {
    print(`It will wait for: ${command} timesheets decide ${workflowId} --decision approve|leave-pending`);
  }
  const result = await followRun<TimesheetResult>(client, workflowId, print);
  for (const row of result.rows) {
    const place = day.places[row.row - 1] ?? `row ${row.row}`;
    if (row.kind === 'refused') {
      for (const { text, fix } of row.reasons) print(`  ${place}: ${toVisible(text)} ${toVisible(fix)}`);
    } else if (row.note !== undefined) print(`  ${place}: ${toVisible(row.note)}`);
  }
  // Notes of rows were told above, with the line of the file.
  for (const note of result.notes.filter(text => !NOTE_OF_ROW.test(text))) print(`  ${toVisible(note)}`);
  print(`${day.date}: ${describeEnd(result)}`);
  return result;
}

const NOTE_OF_ROW = /^Row \d+: /;

/** Whether hours on the sheet are others than those of the list, so that a person should look at it. */
function isNotAsGiven({ refused, leftOver, rows }: TimesheetResult): boolean {
  return (
    refused > 0 || leftOver.length > 0 || rows.some(row => row.kind !== 'refused' && row.note !== undefined)
  );
}

function describeEnd(result: TimesheetResult): string {
  const sheet =
    result.timesheetId === null
      ? 'no sheet was made'
      : `sheet ${result.timesheetId} (${toVisible(result.name ?? '')}) is ${result.status ?? 'in an unknown state'}`;
  return `${sheet}; ${result.entered} rows are on it, ${result.refused} are not.`;
}
