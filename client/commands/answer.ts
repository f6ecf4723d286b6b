// `drawbridge answer`: what a person says about documents that wait for it.

import type { Client } from '@temporalio/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import { answerInput, type HeldAnswer, type Said } from '../../workflows/ingest/answer-contract';
import { answerFromSheet, readAnswerSheet } from '../answers/answer-from-sheet';
import { type AnswerableBatch, type AnswersReport, answerHeld, type Choice } from '../answers/answer-held';
import { answerMany } from '../answers/answer-many';
import { askProgress, type FoundBatch, findBatches } from '../answers/find-batches';
import { compileGlob } from '../answers/glob';
import { whoAnswers } from '../answers/who-answers';
import { chooseShare } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { type GlobalOptions, loadCommandConfig } from '../session/command-config';
import { throwItsWords } from '../session/follow-run';
import { withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { withService } from '../sign-in/service-session';

type Values = Record<string, string | string[]>;

interface AnswerOptions {
  readonly all?: true;
  readonly match?: string;
  readonly from?: string;
  readonly set?: Values;
  readonly decision?: HeldAnswer['decision'];
  readonly reason?: string;
  readonly status?: string;
  readonly as?: string;
  readonly share?: string;
}

/** At most so many documents are named; beyond that they are counted. */
const MOST_NAMED = 10;

export const addAnswerCommand: AddCommand = (declared, globals) => {
  const command = declared
    .option('--all', 'for all that wait for such an answer')
    .option('--match <pattern>', 'for those of them whose name or path fits, such as "A-*" or "plans/**"')
    .option('--from <sheet>', 'values from an .xlsx or .csv: a column "File", one row a document');
  addSaidOptions(command)
    .option('--as <name>', 'who answers, as the receipt is to say it; by default the user of this machine')
    .option('--share <name>', 'of which share, where several have a job of this name')
    .action(async (batch: string, documents: readonly string[], options: AnswerOptions) => {
      const report =
        options.from === undefined
          ? await answer(globals(), batch, toChoice(documents, options), options)
          : await answerBySheet(globals(), batch, toSheet(documents, options), options);
      tell(report, options.decision === 'set-apart');
    });
};

function addSaidOptions(command: Command): Command {
  return command
    .option(
      '--set <field=value>',
      'a value by field name or label; repeat it for more, also of one field',
      collectValue,
    )
    .addOption(
      new Option('--decision <decision>', 'about a conflict').choices(['terminate', 'retry', 'set-apart']),
    )
    .option('--reason <text>', 'with terminate: why the other workflow is ended')
    .option('--status <status>', 'with terminate: the status that the ended revisions get');
}

async function answer(
  globals: GlobalOptions,
  batch: string,
  choice: Choice,
  options: AnswerOptions,
): Promise<AnswersReport> {
  const said = toSaid(options);
  const config = loadCommandConfig(globals, 'leave');
  return await withTemporal(config, async ({ client }) => {
    const found = await findBatches(client, sharesFor(config, options), batch);
    return await answerHeld(toBatches(client, found), choice, said, options.as ?? whoAnswers());
  });
}

/** Asks the service, which alone knows which columns of the sheet are fields of the project. */
async function answerBySheet(
  globals: GlobalOptions,
  batch: string,
  file: string,
  options: AnswerOptions,
): Promise<AnswersReport> {
  const config = loadCommandConfig(globals, 'read');
  const shares = sharesFor(config, options);
  return await withTemporal(config, async ({ client }) => {
    const found = await findBatches(client, shares, batch);
    const [first] = found;
    const share = chooseShare(shares, first && (await askProgress(client, first)).share);
    const places = sharesOf(config);
    const sheet = await withService(config, ({ lookups }) => readAnswerSheet(file, places, share, lookups));
    if (sheet.unread.length > 0) {
      print(`No fields of the project, and not read: ${sheet.unread.join(', ')}.`);
    }
    return await answerFromSheet(toBatches(client, found), sheet, options.as ?? whoAnswers());
  });
}

function sharesFor(config: Config, { share }: AnswerOptions): readonly ShareConfig[] {
  const all = sharesOf(config);
  return share === undefined ? all : [chooseShare(all, share)];
}

function toBatches(client: Client, found: readonly FoundBatch[]): readonly AnswerableBatch[] {
  return found.map(one => ({
    batchId: one.batchId,
    listHeld: async () => (await askProgress(client, one)).held,
    answerMany: async answers => await answerMany(client, one.workflowId, answers).catch(throwItsWords()),
  }));
}

/** The sheet of --from. Throws CliError when other options also say which documents are meant, or what. */
export function toSheet(documents: readonly string[], options: AnswerOptions): string {
  const { from = '', as: _as, share: _share, ...others } = options;
  if (documents.length === 0 && Object.keys(others).length === 0) return from;
  throw new CliError(
    'With --from the sheet says which documents are answered and with what: leave out their names, --all, --match, --set and --decision.',
    EXIT_CODES.usage,
  );
}

/** Which documents the answer is for. Throws CliError unless that is said in exactly one way. */
export function toChoice(
  documents: readonly string[],
  { all, match }: Pick<AnswerOptions, 'all' | 'match'>,
): Choice {
  const ways = [documents.length > 0, all === true, match !== undefined].filter(Boolean).length;
  if (ways !== 1) {
    throw new CliError(
      'Say which documents the answer is for, in one way: name them, or give --all, --match "A-*" or --from register.xlsx.',
      EXIT_CODES.usage,
    );
  }
  if (documents.length > 0) return { kind: 'named', documents };
  return { kind: 'fitting', isMeant: match === undefined ? () => true : compileGlob(match) };
}

/** The answer as the workflow takes it. Throws CliError with everything that is wrong with it. */
export function toSaid(options: AnswerOptions): Said {
  const parsed = answerInput.safeParse({
    document: 0,
    ...(options.decision === undefined ? {} : { decision: options.decision }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(options.status === undefined ? {} : { status: options.status }),
    ...(options.set === undefined ? {} : { values: options.set }),
  });
  if (parsed.success) {
    const { document: _document, ...said } = parsed.data;
    return said;
  }
  const faults = parsed.error.issues.map(issue => issue.message).join('; ');
  throw new CliError(
    `This is no answer: ${faults}. Options: --set "Field=Value", --decision, --reason, --status.`,
    EXIT_CODES.usage,
  );
}

/** Prints what became of each document. Throws CliError when some were refused, or none was answered. */
function tell({ taken, refused, left, unlisted = [] }: AnswersReport, isSetApart: boolean): void {
  if (taken.length > MOST_NAMED) {
    print(`${taken.length} documents ${isSetApart ? 'are set apart' : 'go on'}.`);
  } else {
    for (const path of taken) print(`${path} ${isSetApart ? 'is set apart' : 'goes on'}.`);
  }
  for (const { path, reason } of left) {
    print(`${path} waits on, for this is no answer to what it waits for: ${reason.text}`);
  }
  if (unlisted.length > 0) {
    const more = unlisted.length - MOST_NAMED;
    const named = unlisted.slice(0, MOST_NAMED).map(({ path }) => path);
    print(
      `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}: held, and the sheet has no row that names it with its folder.`,
    );
  }
  if (taken.length === 0 && refused.length === 0) {
    throw new CliError('Nothing is held that this is an answer to.', EXIT_CODES.failed);
  }
  if (refused.length > 0) throw new CliError(describeRefused(refused), EXIT_CODES.failed);
}

/** Documents that were refused for the same reason share one line. */
export function describeRefused(refused: AnswersReport['refused']): string {
  const [first] = refused;
  if (refused.length === 1) return `The answer was not taken for ${first?.document}: ${first?.why}`;
  const documentsOf = new Map<string, string[]>();
  for (const { document, why } of refused) documentsOf.set(why, [...(documentsOf.get(why) ?? []), document]);
  const lines = [...documentsOf].map(([why, documents]) => {
    const named = documents.slice(0, MOST_NAMED).join(', ');
    const more = documents.length - MOST_NAMED;
    return `  ${named}${more > 0 ? ` and ${more} more` : ''}: ${why}`;
  });
  return [`The answer was not taken for ${refused.length} documents:`, ...lines].join('\n');
}

function collectValue(text: string, before: Values = {}): Values {
  const at = text.indexOf('=');
  const field = text.slice(0, Math.max(0, at)).trim();
  if (field === '') throw new InvalidArgumentError('a field and a value, such as "Status=Shared"');
  const value = text.slice(at + 1);
  const known = before[field];
  return { ...before, [field]: known === undefined ? value : [known, value].flat() };
}
