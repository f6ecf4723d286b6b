// `drawbridge change-orders`: makes a change order, with everything below it, from a JSON file; lists the
// company's reasons for changes.

import { troubleOf } from '../../activities/host/file-trouble';
import { listChangeReasons } from '../../activities/service/endpoints/change-order-lines';
import { fetchAll, LIST_PAGE } from '../../activities/service/pages';
import {
  type ChangeOrderPart,
  type ChangeOrderResult,
  changeOrderInput,
  changeOrderWorkflowId,
} from '../../workflows/change-orders/change-order-contract';
import { explainFaults } from '../../workflows/run/parse-input';
import { chooseProject, type ProjectOptions } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print, withProjectOptions } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { followRun, startAfterEarlier, startRun } from '../session/follow-run';
import { readNamed, type SharedPlace } from '../session/named-file';
import { withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { toTable, toVisible } from '../session/terminal-text';
import { addListing } from '../sign-in/listing';

/** Far more than a change order takes. */
const MOST_BYTES = 32 * 1024 ** 2;

const EXAMPLE = {
  contractId: '6001',
  tiers: 1,
  originId: 'CO-2026-014',
  title: 'Additional piles at axis C',
  lineItems: [{ description: 'Bored piles', amount: '12500.00' }],
};

export const addChangeOrderCommands: AddCommand = (group, globals) => {
  const put = group
    .command('put')
    .description('make a change order from a JSON file, or continue and correct the one of its originId')
    .argument('<file>', 'the input of changeOrderWorkflow; companyId and projectId may be left out');
  withProjectOptions(put)
    .option('--json', 'the result as JSON')
    .option('--no-wait', 'do not wait for the outcome')
    .action(async (file: string, options: ProjectOptions & { json?: true; wait: boolean }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const raw = await readInput(sharesOf(config), file);
      const ids = 'companyId' in raw && 'projectId' in raw ? {} : projectIds(sharesOf(config), options);
      const parsed = changeOrderInput.safeParse({ ...ids, ...raw });
      if (!parsed.success)
        throw new CliError(`${file}: ${explainFaults(parsed.error, EXAMPLE)}`, EXIT_CODES.usage);
      const { projectId, contractId, originId, title } = parsed.data;
      const workflowId = changeOrderWorkflowId(projectId, contractId, originId);
      await withTemporal(config, async session => {
        const tell = (step: string) => process.stderr.write(`${toVisible(step, 160)}\n`);
        const run = {
          workflow: 'changeOrderWorkflow',
          workflowId,
          input: parsed.data,
          summary: `Change order ${originId}: ${title}`,
        };
        if (options.wait) await startAfterEarlier(session.client, run, tell);
        else if ((await startRun(session.client, { ...run, again: true })) === 'known') {
          throw new CliError(
            `${workflowId} is under way with what was put before. Let it end, then put this again.`,
          );
        }
        print(`started ${workflowId}`);
        if (!options.wait) return;
        const result = await followRun<ChangeOrderResult>(session.client, workflowId, tell);
        if (options.json === true) {
          print(JSON.stringify(result, undefined, 2));
          return;
        }
        print(describeChangeOrder(result));
        for (const note of result.notes) print(toVisible(note));
      });
    });

  addListing(group.command('reasons').description('list the reasons for changes of the company'), globals, {
    head: ['ID', 'REASON', 'OFFERED'],
    read: async (client, { companyId }) =>
      await fetchAll(client, listChangeReasons, {
        companyId,
        params: {},
        query: { companyId, perPage: LIST_PAGE },
      }),
    toRow: ({ id, reason, isOffered }) => [id, reason, isOffered ? 'yes' : 'no'],
  });
};

/** The parts as a table, the package first. */
function describeChangeOrder(result: ChangeOrderResult): string {
  const row = (kind: string, part: ChangeOrderPart, more = '') => [
    kind,
    part.id,
    part.number ?? '',
    toVisible(part.title, 40),
    part.status ?? '',
    part.total ?? '',
    `${part.how}${more}`,
  ];
  return toTable([
    ['PART', 'ID', 'NUMBER', 'TITLE', 'STATUS', 'TOTAL', ''],
    row('package', result.package),
    ...result.requests.map(part => row('request', part)),
    ...result.potentialChangeOrders.map(part => row('potential', part, `, ${part.lineItems} line items`)),
  ]);
}

function projectIds(shares: ReturnType<typeof sharesOf>, options: ProjectOptions) {
  const { companyId, projectId } = chooseProject(shares, options);
  return { companyId, projectId };
}

async function readInput(shares: readonly SharedPlace[], file: string): Promise<Record<string, unknown>> {
  try {
    const bytes = await readNamed(shares, file, MOST_BYTES);
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      troubleOf(error) === 'gone' ? `There is no file ${file}.` : `${file} is no JSON.`,
      EXIT_CODES.usage,
      error,
    );
  }
  throw new CliError(`${file} holds no object: { "contractId": ..., "tiers": ..., ... }`, EXIT_CODES.usage);
}
