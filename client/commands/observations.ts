// `drawbridge observations`: makes observations from photos and rows, tells their runs what people say, and
// mails those that are unsent.
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, SignalDefinition, WorkflowHandle } from '@temporalio/client';
import { Option } from 'commander';
import { systemClock } from '../../activities/host/clock';
import { listCategoryFieldSets } from '../../activities/service/endpoints/observation-lists';
import { fetchAll } from '../../activities/service/pages';
import {
  confirmUpdate,
  type ObservationInput,
  type ObservationResult,
  observationProgressQuery,
  observationWorkflowId,
  respondSignal,
  reviewedSignal,
  type SendUnsentResult,
  unsentQuery,
  workDoneSignal,
} from '../../workflows/observations/observation-contract';
import { escapeMarkdown } from '../../workflows/run/decide/escape-markdown';
import {
  bringAttachment,
  type ImportRow,
  keyOfRow,
  readObservationImport,
} from '../import/observation-import';
import { madeOf } from '../import/observation-made';
import { type ChosenProject, chooseProject, type ProjectOptions } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, positiveNumber, print, withProjectOptions } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { askRun, followRun, startRun, WORKER_IS_EARLIER } from '../session/follow-run';
import { withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { toTable, toVisible } from '../session/terminal-text';
import { addListing } from '../sign-in/listing';

const MOST_DETAILS = 500;
const COUNT_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 300;

interface ImportOptions extends ProjectOptions {
  readonly rows?: string;
  readonly until: 'created' | 'closed';
  readonly validate?: true;
  readonly ifThere: 'stop' | 'make';
  readonly wait: boolean;
}

export const addObservationCommands: AddCommand = (group, globals) => {
  const withProject = (name: string, description: string) =>
    withProjectOptions(group.command(name).description(description));

  withProject(
    'import',
    'a folder of photos with observations.csv or .json beside them: one observation a row',
  )
    .argument('<folder>', 'where the photos and the rows are')
    .option('--rows <file>', 'the rows, when they are elsewhere or called otherwise')
    .addOption(
      new Option('--until <status>', 'how far each item is carried')
        .choices(['created', 'closed'])
        .default('created'),
    )
    .option('--validate', "hold each item against its category's field set")
    .addOption(
      new Option('--if-there <choice>', 'where one of the same type, name and description is there already')
        .choices(['stop', 'make'])
        .default('stop'),
    )
    .option('--no-wait', 'do not wait until they are made')
    .action(async (folder: string, options: ImportOptions) => {
      const config = loadCommandConfig(globals(), 'leave');
      const chosen = chooseProject(sharesOf(config), options);
      await withTemporal(config, async session => {
        await runImport(session.client, resolve(folder), chosen, options);
      });
    });

  withProject(
    'send-unsent',
    'mail ALL unsent observations of the project, after they were counted and confirmed',
  )
    .option('--confirm <count>', 'how many there are; without it you are asked', positiveNumber)
    .action(async (options: ProjectOptions & { confirm?: number }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const { companyId, projectId } = chooseProject(sharesOf(config), options);
      await withTemporal(config, async session => {
        await sendUnsent(session.client, { companyId, projectId }, options.confirm);
      });
    });

  addListing(
    group.command('field-sets').description('list which fields each category of observations asks for'),
    globals,
    {
      head: ['CATEGORY', 'FIELD SET', 'REQUIRED FIELDS'],
      read: async (client, { companyId, projectId }) =>
        await fetchAll(client, listCategoryFieldSets, { companyId, params: {}, query: { projectId } }),
      toRow: ({ category, fieldSetName, requiredFields }) => [
        category,
        fieldSetName,
        requiredFields.join(', '),
      ],
    },
  );

  const say = async <Body>(run: string, signal: SignalDefinition<[Body]>, body: Body): Promise<void> => {
    await withTemporal(loadCommandConfig(globals(), 'leave'), async session => {
      await session.client.workflow.getHandle(run).signal(signal, body);
      print(`${run} was told.`);
    });
  };
  const comment = ['--comment <text>', 'becomes a response in the log'] as const;
  group
    .command('done')
    .description('the work is done: submit the observation for review')
    .argument('<run>', 'workflow id, as `observations import` shows it')
    .option(...comment)
    .action(async (run: string, options: { comment?: string }) => {
      await say(run, workDoneSignal as SignalDefinition<[{ comment?: string }]>, options);
    });
  group
    .command('respond')
    .description('log a response; nothing else changes')
    .argument('<run>')
    .requiredOption(...comment)
    .action(async (run: string, options: { comment: string }) => {
      await say(run, respondSignal, options);
    });
  group
    .command('reviewed')
    .description('the outcome of the review')
    .argument('<run>')
    .addOption(new Option('--verdict <verdict>').choices(['accepted', 'rejected']).makeOptionMandatory())
    .option(...comment)
    .action(async (run: string, options: { verdict: 'accepted' | 'rejected'; comment?: string }) => {
      const { verdict, ...rest } = options;
      await say(run, reviewedSignal, { accepted: verdict === 'accepted', ...rest });
    });
};

interface StartedRow {
  readonly row: ImportRow;
  readonly workflowId: string;
}

/**
 * All rows are checked before anything is done. Then, row by row, the photos are copied and the run starts.
 * Where that breaks off, importing again starts the runs that are missing.
 */
async function runImport(
  client: Client,
  folder: string,
  chosen: ChosenProject,
  options: ImportOptions,
): Promise<void> {
  const { rows, unused } = await readObservationImport(folder, options.rows);
  const { share, companyId, projectId } = chosen;
  if (share === undefined && rows.some(({ photos }) => photos.length > 0)) {
    throw new CliError('Photos travel through a share that a worker sees: give --share.', EXIT_CODES.usage);
  }
  for (const file of unused) print(`no row names ${toVisible(file)}; it stays where it is`);
  const started: StartedRow[] = [];
  for (const row of rows) {
    const attachments: string[] = [];
    for (const photo of row.photos) {
      if (share !== undefined) attachments.push(await bringAttachment(share.folder, folder, photo));
    }
    const input: ObservationInput = {
      companyId,
      projectId,
      ...row.item,
      until: options.until,
      // A run of this id from before may have made it, and is not known any more or was ended by somebody.
      ifThere: options.ifThere,
      ...(options.validate === true ? { validate: true } : {}),
      ...(attachments.length === 0 || share === undefined ? {} : { share: share.name, attachments }),
    };
    const workflowId = observationWorkflowId(projectId, keyOfRow(row.item, attachments));
    const outcome = await startRun(client, {
      workflow: 'observationWorkflow',
      workflowId,
      input,
      summary: `Observation: ${row.item.name}`,
      details: escapeMarkdown(
        `${row.item.type}, ${attachments.length} files, from an import (${row.place})`,
        MOST_DETAILS,
      ),
    });
    started.push({ row, workflowId });
    print(
      `${outcome === 'started' ? 'started' : 'known already'} ${workflowId}  ${toVisible(row.item.name, 60)}`,
    );
  }
  if (options.wait) await reportImport(client, started);
}

async function reportImport(client: Client, started: readonly StartedRow[]): Promise<void> {
  const lines: string[][] = [['ROW', 'NAME', 'OBSERVATION', 'OUTCOME']];
  const missing: string[] = [];
  let failed = 0;
  let isWorkerEarlier = false;
  for (const { row, workflowId } of started) {
    const name = toVisible(row.item.name, 40);
    try {
      const { observationId, outcome, missingFiles } = await followUntilMade(client, workflowId);
      lines.push([row.place, name, observationId, outcome]);
      if (missingFiles !== undefined) {
        missing.push(`${row.place}, observation ${observationId}: Files are missing: ${missingFiles}`);
      }
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      failed++;
      isWorkerEarlier ||= error.message === WORKER_IS_EARLIER;
      lines.push([row.place, name, '', toVisible(error.message, 200)]);
    }
  }
  print(toTable(lines));
  for (const line of missing) print(toVisible(line));
  if (missing.length > 0) {
    print('Importing again does not attach them, and goes on telling that they were missing.');
    process.exitCode = EXIT_CODES.attention;
  }
  if (failed > 0) {
    print(
      `${failed} of ${started.length} were not made. ${isWorkerEarlier ? 'Update the workers' : 'Correct the rows'} and import again; the others are not made twice.`,
    );
    process.exitCode = EXIT_CODES.attention;
  }
}

type MadeRow = Pick<ObservationResult, 'observationId' | 'missingFiles'> & { readonly outcome: string };

/** Waits until the run has ended, or has made its item and goes on to carry it to closed. */
async function followUntilMade(client: Client, workflowId: string): Promise<MadeRow> {
  const handle = client.workflow.getHandle(workflowId);
  while ((await handle.describe()).status.name === 'RUNNING') {
    const report = await askRun(client, workflowId, observationProgressQuery).catch(() => undefined);
    const made = report === undefined ? undefined : madeOf(report);
    if (report !== undefined && made !== undefined) {
      const { id, ...missing } = made;
      return { observationId: id, outcome: toVisible(report.step), ...missing };
    }
    await delay(LOOK_EVERY_MS);
  }
  return await followRun<ObservationResult>(client, workflowId, () => undefined);
}

async function sendUnsent(
  client: Client,
  project: { readonly companyId: string; readonly projectId: string },
  confirmed: number | undefined,
): Promise<void> {
  const workflowId = `send-unsent/${project.projectId}`;
  await startRun(client, {
    workflow: 'sendUnsentObservationsWorkflow',
    workflowId,
    input: project,
    summary: `Mail all unsent observations of project ${project.projectId}`,
    again: true,
  });
  const handle = client.workflow.getHandle(workflowId);
  const ended = followRun<SendUnsentResult>(client, workflowId, () => undefined);
  let isEnded = false;
  const noteEnd = (): void => {
    isEnded = true;
  };
  // Awaited below; until then a failure must not count as unhandled.
  void ended.then(noteEnd, noteEnd);
  const until = systemClock.monotonicMs() + COUNT_WITHIN_MS;
  for (let answered = 0; !isEnded; ) {
    const found = await handle.query(unsentQuery).catch(() => null);
    // A new round: more observations had come, so what was confirmed before no longer counts.
    if (found !== null && found.count > 0 && found.round > answered) {
      answered = found.round;
      print(`${found.count} observations are unsent: ${toVisible(found.names.join('; '), 400)}`);
      if (found.isConfirmed) print('Somebody else has confirmed that already.');
      const count = confirmed ?? (found.isConfirmed ? found.count : await askCount(found.count));
      if (count !== found.count) await giveUp(handle, found.count, count);
      if (!found.isConfirmed) await handle.executeUpdate(confirmUpdate, { args: [{ count }] });
    }
    if (found === null && systemClock.monotonicMs() > until) {
      throw new CliError('They were not counted in time. Does a worker run, and does the service answer?');
    }
    await delay(LOOK_EVERY_MS);
  }
  const result = await ended;
  print(
    result.outcome === 'sent' ? `${result.count} were mailed.` : `Nothing was mailed: ${result.outcome}.`,
  );
}

/**
 * Ends the run, but not one that somebody else has confirmed, be it while a person was asked here: it may
 * have mailed them, and must tell whether it did. Where it cannot be asked, it ends by itself unless it is
 * confirmed.
 */
async function giveUp(handle: WorkflowHandle, unsent: number, count: number): Promise<never> {
  const now = await handle.query(unsentQuery).catch(() => null);
  if (now === null || now.isConfirmed) {
    throw new CliError(
      `${unsent} are unsent, not ${count}; nothing was confirmed here. ${
        now === null ? 'Whether somebody else has, is not known' : 'But somebody else has confirmed them'
      }: they may be mailed already.`,
      EXIT_CODES.failed,
    );
  }
  await handle.terminate('not confirmed');
  throw new CliError(`Nothing was sent: ${unsent} are unsent, not ${count}.`, EXIT_CODES.failed);
}

async function askCount(count: number): Promise<number> {
  if (process.stdin.isTTY !== true) {
    throw new CliError(`To mail all of them, give --confirm ${count}.`, EXIT_CODES.usage);
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return Number(await prompt.question(`This mails ALL of them. Type ${count} to do it: `));
  } finally {
    prompt.close();
  }
}
