// `drawbridge answer`: what a person says about a document that waits for it.

import { InvalidArgumentError, Option } from 'commander';

import { answerInput, type HeldAnswer } from '../../workflows/ingest/answer-contract';
import { answerMany } from '../answers/answer-many';
import { whoAnswers } from '../answers/who-answers';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { findBatchWorkflow } from '../session/find-batch';
import { throwItsWords } from '../session/follow-run';
import { loadCommandConfig, withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { type AddCommand, print } from './command';

type Values = Record<string, string | string[]>;

interface AnswerOptions {
  readonly set?: Values;
  readonly decision?: HeldAnswer['decision'];
  readonly reason?: string;
  readonly status?: string;
  readonly as?: string;
}

export const addAnswerCommand: AddCommand = (program, globals) => {
  program
    .command('answer')
    .description('answer for a held document: give missing values, or decide about a conflict')
    .argument('<batch>', 'batch id, as `status` shows it')
    .argument('<document>', 'its number or its path in the batch')
    .option(
      '--set <field=value>',
      'a value by field name or label; repeat it for more, also of one field',
      collectValue,
    )
    .addOption(
      new Option('--decision <decision>', 'about a conflict').choices(['terminate', 'retry', 'set-apart']),
    )
    .option('--reason <text>', 'with terminate: why the other workflow is ended')
    .option('--status <status>', 'with terminate: the status that the ended revisions get')
    .option('--as <name>', 'who answers, as the receipt is to say it; by default the user of this machine')
    .action(async (batch: string, document: string, options: AnswerOptions) => {
      const answer = toAnswer(document, options);
      const config = loadCommandConfig(globals(), 'leave');
      await withTemporal(config, async session => {
        const workflowId = await findBatchWorkflow(session.client, sharesOf(config), batch);
        const { document: named, ...said } = answer;
        const as = options.as ?? whoAnswers();
        const { taken, refused } = await answerMany(session.client, workflowId, {
          answers: [{ documents: [named], ...said }],
          ...(as === undefined ? {} : { as }),
        }).catch(throwItsWords('The answer was not taken: '));
        for (const { why } of refused)
          throw new CliError(`The answer was not taken: ${why}`, EXIT_CODES.failed);
        print(`${taken.join()} ${options.decision === 'set-apart' ? 'is set apart' : 'goes on'}.`);
      });
    });
};

/** The answer as the workflow takes it. Throws CliError with everything that is wrong with it. */
export function toAnswer(document: string, options: AnswerOptions): HeldAnswer {
  const parsed = answerInput.safeParse({
    document: /^\d+$/.test(document) ? Number(document) : document,
    ...(options.decision === undefined ? {} : { decision: options.decision }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(options.status === undefined ? {} : { status: options.status }),
    ...(options.set === undefined ? {} : { values: options.set }),
  });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(issue => issue.message).join('; ');
  throw new CliError(
    `This is no answer: ${faults}. Options: --set "Field=Value", --decision, --reason, --status.`,
    EXIT_CODES.usage,
  );
}

function collectValue(text: string, before: Values = {}): Values {
  const at = text.indexOf('=');
  const field = text.slice(0, Math.max(0, at)).trim();
  if (field === '') throw new InvalidArgumentError('a field and a value, such as "Status=Shared"');
  const value = text.slice(at + 1);
  const known = before[field];
  return { ...before, [field]: known === undefined ? value : [known, value].flat() };
}
