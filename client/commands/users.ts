// `drawbridge users`: lists the people of a project, and gives them another permission template,
// one by one or from a CSV file.

import type { Client } from '@temporalio/client';
import { codeOf } from '../../activities/host/error-code';
import { listProjectUsers } from '../../activities/service/endpoints/project-users';
import { fetchAll, LIST_PAGE } from '../../activities/service/pages';
import type {
  ChangePermissionTemplateInput,
  PermissionTemplateResult,
} from '../../workflows/users/users-contract';
import {
  readTemplateChanges,
  type TemplateChange,
  templateChangeWorkflowId,
} from '../import/template-changes';
import { type ChosenProject, chooseProject, type ProjectOptions } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print, withProjectOptions } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { followRun, type RunToStart, startAfterEarlier, startRun } from '../session/follow-run';
import { readNamed, type SharedPlace } from '../session/named-file';
import { withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { toTable, toVisible } from '../session/terminal-text';
import { addListing } from '../sign-in/listing';

/** Far more than a list of everybody takes. */
const MOST_BYTES = 32 * 1024 ** 2;

interface ChangeOptions extends ProjectOptions {
  readonly previous?: string;
  readonly wait: boolean;
}

interface Outcome {
  readonly change: TemplateChange;
  readonly result?: PermissionTemplateResult;
  readonly failure?: string;
}

export const addUserCommands: AddCommand = (group, globals) => {
  addListing(group.command('list').description('list the people of a project'), globals, {
    head: ['ID', 'NAME', 'E-MAIL', 'ACTIVE', 'TEMPLATE'],
    read: async (client, { companyId, projectId }) =>
      await fetchAll(client, listProjectUsers, {
        companyId,
        params: { projectId },
        query: { perPage: LIST_PAGE },
      }),
    toRow: ({ id, name, email, isActive, permissionTemplate }) => [
      id,
      name,
      email ?? '',
      isActive ? 'yes' : 'no',
      permissionTemplate?.name || permissionTemplate?.id || '',
    ],
  });
  const withProject = (name: string, description: string) =>
    withProjectOptions(group.command(name).description(description)).option(
      '--no-wait',
      'do not wait for the outcome',
    );
  const carry = async (changes: readonly TemplateChange[], options: ChangeOptions): Promise<void> => {
    const config = loadCommandConfig(globals(), 'leave');
    const project = chooseProject(sharesOf(config), options);
    await withTemporal(config, async session => {
      await changeTemplates(session.client, project, changes, options.wait);
    });
  };

  withProject('change-template', 'give one person another permission template')
    .argument('<user>', 'an id, an e-mail address or a name')
    .argument('<template>', 'an id, or the name of a template that somebody in the project has')
    .option('--previous <template>', 'what is put back, where the present one cannot be seen')
    .action(async (user: string, template: string, options: ChangeOptions) => {
      const { previous } = options;
      await carry(
        [{ line: 1, user, template, ...(previous === undefined ? {} : { previousTemplate: previous }) }],
        options,
      );
    });

  withProject('change-templates', 'the same for many, from a CSV file with the columns user and template')
    .argument('<file>')
    .action(async (file: string, options: ChangeOptions) => {
      const read = readTemplateChanges(await readText(sharesOf(loadCommandConfig(globals(), 'leave')), file));
      if ('faults' in read) {
        throw new CliError(
          `${file}:\n${read.faults.map(fault => `- ${fault}`).join('\n')}`,
          EXIT_CODES.usage,
        );
      }
      await carry(read.changes, options);
    });
};

/**
 * Starts all before it waits for any: from then on they go on without this command. A person whose earlier
 * change is under way comes after it, and only if this command waits.
 */
async function changeTemplates(
  client: Client,
  project: ChosenProject,
  changes: readonly TemplateChange[],
  wait: boolean,
): Promise<void> {
  const toStart = new Set<TemplateChange>();
  for (const change of changes) {
    const run = toRun(project, change);
    const isStarted = (await startRun(client, { ...run, again: true })) === 'started';
    if (!isStarted) toStart.add(change);
    const told = isStarted
      ? 'started'
      : wait
        ? 'waits for an earlier change:'
        : 'not started, for an earlier change runs:';
    print(`${told} ${run.workflowId}  ${toVisible(change.user, 60)}`);
  }
  if (!wait) {
    if (toStart.size > 0) process.exitCode = EXIT_CODES.attention;
    return;
  }
  const outcomes: Outcome[] = [];
  for (const change of changes)
    outcomes.push(await outcomeOf(client, change, toRun(project, change), toStart.has(change)));
  print(
    toTable([
      ['USER', 'ID', 'OUTCOME', 'TEMPLATE', ''],
      ...outcomes.map(({ change, result, failure }) => [
        toVisible(change.user, 40),
        result?.userId ?? '',
        result?.outcome ?? 'failed',
        result?.template?.name || result?.template?.id || '',
        toVisible(failure ?? result?.notes.join(' ') ?? '', 400),
      ]),
    ]),
  );
  const isDone = ({ result }: Outcome) => result?.outcome === 'changed' || result?.outcome === 'unchanged';
  if (!outcomes.every(isDone)) process.exitCode = EXIT_CODES.attention;
}

function toRun(
  { companyId, projectId }: ChosenProject,
  { user, template, previousTemplate }: TemplateChange,
): Omit<RunToStart, 'again'> {
  const input: ChangePermissionTemplateInput = {
    companyId,
    projectId,
    user,
    template,
    ...(previousTemplate === undefined ? {} : { previousTemplate }),
  };
  return {
    workflow: 'changePermissionTemplateWorkflow',
    workflowId: templateChangeWorkflowId(projectId, user),
    input,
    summary: `Permission template in project ${projectId}`,
    details:
      'Removes the user and adds the user again with the new template. While a user is outside, it says so here.',
  };
}

async function outcomeOf(
  client: Client,
  change: TemplateChange,
  run: Omit<RunToStart, 'again'>,
  isToStart: boolean,
): Promise<Outcome> {
  const tell = (step: string) => process.stderr.write(`${toVisible(`${change.user}: ${step}`, 300)}\n`);
  try {
    if (isToStart) await startAfterEarlier(client, run, tell);
    const result = await followRun<PermissionTemplateResult>(client, run.workflowId, tell);
    return { change, result };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const [why = ''] = error.message.split('\nFor example:');
    return { change, failure: why.replace(/\s+/g, ' ') };
  }
}

async function readText(shares: readonly SharedPlace[], file: string): Promise<string> {
  try {
    return (await readNamed(shares, file, MOST_BYTES)).toString('utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file} cannot be read (${String(codeOf(error))}).`, EXIT_CODES.usage, error);
  }
}
