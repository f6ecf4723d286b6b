// `drawbridge timesheets list`, `history`, `entry` and `delete-entry`: straight from
// the service; they start nothing.
import type { Command } from 'commander';
import { deleteTimecardEntry, showTimecardEntry } from '../../activities/service/endpoints/timecard-entries';
import type { Sender } from '../../activities/service/service-client';
import { readTimesheetHistory } from '../../activities/timesheets/timesheet-history';
import {
  costCodePages,
  creatorPages,
  type DayRange,
  signaturePages,
  timecardPages,
  timesheetPages,
} from '../../activities/timesheets/timesheet-lists';
import type { ProjectRef } from '../../workflows/contract';
import type { ProjectOptions } from '../session/choose-project';
import { print, withProjectOptions } from '../session/command';
import type { GlobalOptions } from '../session/command-config';
import { toTable, toVisible } from '../session/terminal-text';
import { askProject } from '../sign-in/listing';

type Row = readonly string[];
type Listing = (client: Sender, project: ProjectRef, range: DayRange) => AsyncIterable<readonly Row[]>;

interface ListOptions extends ProjectOptions, DayRange {
  readonly json?: true;
}

const LISTS: Readonly<Record<string, { readonly head: Row; readonly read: Listing }>> = {
  sheets: {
    head: ['ID', 'DATE', 'NAME', 'STATUS', 'ENTRIES'],
    read: (client, project, range) =>
      mapped(timesheetPages(client, project, range), sheet => [
        sheet.id,
        sheet.date ?? '',
        sheet.name,
        sheet.status ?? '',
        String(sheet.entries.length),
      ]),
  },
  entries: {
    head: ['ID', 'DATE', 'SHEET', 'HOURS', 'COST CODE', 'DESCRIPTION'],
    read: (client, project, range) =>
      mapped(timecardPages(client, project, range), entry => [
        entry.id,
        entry.date ?? '',
        entry.timesheetId ?? '',
        entry.hours ?? '',
        entry.costCodeId ?? '',
        entry.description,
      ]),
  },
  creators: {
    head: ['ID', 'NAME'],
    read: (client, project) => mapped(creatorPages(client, project), ({ id, name }) => [id, name]),
  },
  'cost-codes': {
    head: ['ID', 'CODE', 'NAME'],
    read: (client, project) =>
      mapped(costCodePages(client, project), ({ id, code, name }) => [id, code, name]),
  },
  signatures: {
    head: ['ID', 'FILE', 'SIGNED BY'],
    read: (client, project) =>
      mapped(signaturePages(client, project), ({ id, fileName, createdBy }) => [
        id,
        fileName,
        createdBy?.name ?? '',
      ]),
  },
};

/** Adds the commands that talk to the service directly to `timesheets`. */
export function addTimesheetReads(timesheets: Command, globals: () => GlobalOptions): void {
  addEntryCommands(timesheets, globals);
  withProjectOptions(
    timesheets
      .command('list')
      .description('list sheets, pending entries, possible creators, cost codes or signatures')
      .argument('<what>', Object.keys(LISTS).join(', '))
      .option('--from <day>', 'sheets and entries: first day, for example 2026-01-31')
      .option('--to <day>', 'last day'),
  )
    .option('--json', 'as JSON, one array')
    .action(async (what: string, options: ListOptions) => {
      const list = LISTS[what];
      if (list === undefined) return timesheets.error(`error: list one of: ${Object.keys(LISTS).join(', ')}`);
      await askProject(globals, options, async (client, project) => {
        const rows: Row[] = [];
        for await (const page of list.read(client, project, { from: options.from, to: options.to })) {
          rows.push(...page);
        }
        show(list.head, rows, options.json === true);
      });
    });
  withProjectOptions(
    timesheets
      .command('history')
      .description('who changed what on the entries of a sheet')
      .argument('<id>', 'timesheet id'),
  )
    .option('--json', 'as JSON, one array')
    .action(async (timesheetId: string, options: ListOptions) => {
      await askProject(globals, options, async (client, project) => {
        const changes = await readTimesheetHistory(client, project, timesheetId);
        const rows = changes.map(({ at, by, entryId, column, before, after }) => [
          at ?? '',
          by,
          entryId ?? '',
          column,
          before ?? '',
          after ?? '',
        ]);
        show(['WHEN', 'WHO', 'ENTRY', 'WHAT', 'BEFORE', 'AFTER'], rows, options.json === true);
      });
    });
}

/** One timecard entry, shown or deleted. What is deleted is shown before, so that it can be entered again. */
function addEntryCommands(timesheets: Command, globals: () => GlobalOptions): void {
  const onEntry = (name: string, description: string, isDeleted: boolean) =>
    withProjectOptions(
      timesheets.command(name).description(description).argument('<id>', 'timecard entry id'),
    )
      .option('--json', 'as JSON')
      .action(async (entryId: string, options: ListOptions) => {
        await askProject(globals, options, async (client, { companyId, projectId }) => {
          const call = { companyId, params: { projectId, entryId } };
          const { data: entry } = await client.send(showTimecardEntry, call);
          if (isDeleted) await client.send(deleteTimecardEntry, call);
          if (options.json === true) return print(JSON.stringify(entry, undefined, 2));
          const rows = Object.entries(entry).map(([key, value]) => [key, toVisible(String(value ?? ''), 80)]);
          print(toTable(rows));
          if (isDeleted) print(`Entry ${toVisible(entryId)} was deleted.`);
        });
      });
  onEntry('entry', 'show one timecard entry', false);
  onEntry('delete-entry', 'show one timecard entry and delete it; its sheet must be pending', true);
}

function show(head: Row, rows: readonly Row[], asJson: boolean): void {
  if (asJson) {
    const keys = head.map(title => title.toLowerCase().replaceAll(' ', '_'));
    const objects = rows.map(row => Object.fromEntries(keys.map((key, index) => [key, row[index] ?? ''])));
    print(JSON.stringify(objects, undefined, 2));
  } else print(toTable([head, ...rows.map(row => row.map(cell => toVisible(cell, 60)))]));
}

async function* mapped<Item>(
  pages: AsyncIterable<readonly Item[]>,
  toRow: (item: Item) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) yield page.map(toRow);
}
