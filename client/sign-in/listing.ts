// Commands that show a list straight from the service: they start nothing and write nothing.
import type { Command } from 'commander';
import type { Sender } from '../../activities/service/service-client';
import type { ProjectRef } from '../../workflows/contract';
import { chooseProject, type ProjectOptions } from '../session/choose-project';
import { print, withProjectOptions } from '../session/command';
import { type GlobalOptions, loadCommandConfig } from '../session/command-config';
import { sharesOf } from '../session/stand-in';
import { toTable, toVisible } from '../session/terminal-text';
import { withService } from './service-session';

/** What is read, and how one item of it looks as a row of the table. */
export interface Listing<Item> {
  readonly head: readonly string[];
  readonly read: (client: Sender, project: ProjectRef) => Promise<readonly Item[]>;
  readonly toRow: (item: Item) => readonly string[];
}

/** Makes `command` show the list of a project: a table, or with --json the items as they were read. */
export function addListing<Item>(
  command: Command,
  globals: () => GlobalOptions,
  { head, read, toRow }: Listing<Item>,
): void {
  withProjectOptions(command)
    .option('--json', 'as JSON, one array')
    .action(async (options: ProjectOptions & { readonly json?: true }) => {
      const items = await askProject(globals, options, read);
      if (options.json === true) print(JSON.stringify(items, undefined, 2));
      else print(toTable([head, ...items.map(item => toRow(item).map(cell => toVisible(cell, 60)))]));
    });
}

/** Asks the service about the project that the options name. */
export async function askProject<Result>(
  globals: () => GlobalOptions,
  options: ProjectOptions,
  work: (client: Sender, project: ProjectRef) => Promise<Result>,
): Promise<Result> {
  const config = loadCommandConfig(globals(), 'read');
  const { companyId, projectId } = chooseProject(sharesOf(config), options);
  return await withService(config, async ({ client }) => await work(client, { companyId, projectId }));
}
