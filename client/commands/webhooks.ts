// `drawbridge webhooks`: receives events, brings hooks and triggers at the service to what the configuration
// says, and lists what can be subscribed to.
import { Metrics } from '../../activities/host/metrics';
import { listWebhookResources } from '../../activities/service/endpoints/webhooks';
import { fetchAll } from '../../activities/service/pages';
import type { Config } from '../../workers/config/config';
import type { WebhookConfig } from '../../workers/config/config-webhooks';
import { createLogger } from '../../workers/logging';
import { ProcessStanding } from '../../workers/metrics/standing';
import { connectClient } from '../../workers/temporal/temporal-connection';
import { escapeMarkdown } from '../../workflows/run/decide/escape-markdown';
import {
  type EnsureWebhooksResult,
  ensureWebhooksWorkflowId,
} from '../../workflows/webhooks/webhooks-contract';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { firstAbort, listenForEnding, untilEnded } from '../session/ending';
import { followRun, startAfterEarlier } from '../session/follow-run';
import { serveNumbers } from '../session/serve-numbers';
import { temporalTargetOf, toSession, withTemporal } from '../session/session';
import { toVisible } from '../session/terminal-text';
import { addListing } from '../sign-in/listing';
import { toEnsureInputs, VERBS } from '../webhooks/ensure-inputs';
import { batchesAt, UploadBell } from '../webhooks/upload-bell';
import { addReceiverMetrics, startWebhookReceiver } from '../webhooks/webhook-receiver';
import { TemporalEventStarter } from '../webhooks/webhook-starter';
import { addDeliveries } from './webhook-deliveries';

export const addWebhookCommands: AddCommand = (group, globals) => {
  group
    .command('receive')
    .description('receive events, behind something that speaks TLS; any number of receivers may run')
    .action(async () => {
      const ending = listenForEnding();
      await untilEnded(
        ending,
        async () => await receive(loadCommandConfig(globals(), 'read'), ending.signal),
      );
    });
  group
    .command('ensure')
    .description(
      'bring hooks and triggers at the service to what the configuration says, and look at deliveries',
    )
    .option('--renew-headers', 'write the secret anew: after it was changed')
    .option('--remove', 'remove the hooks of our namespace')
    .option('--json', 'the results as JSON')
    .action(async (options: { renewHeaders?: true; remove?: true; json?: true }) => {
      const config = loadCommandConfig(globals(), 'leave');
      await withTemporal(config, async session => {
        const results: EnsureWebhooksResult[] = [];
        for (const input of toEnsureInputs(requireWebhooks(config), options)) {
          const workflowId = ensureWebhooksWorkflowId({ namespace: 'drawbridge', ...input } as never);
          const tell = (step: string) => process.stderr.write(`${toVisible(step, 300)}\n`);
          const run = {
            workflow: 'ensureWebhooksWorkflow',
            workflowId,
            input,
            summary: `Webhooks of ${input.projectId === undefined ? `company ${input.companyId}` : `project ${input.projectId}`}`,
            details: `Brings the hook to ${escapeMarkdown(input.destinationUrl, 300)} and its triggers to what the configuration says.`,
          };
          await startAfterEarlier(session.client, run, tell);
          const result = await followRun<EnsureWebhooksResult>(session.client, workflowId, tell);
          results.push(result);
          if (options.json !== true) print(describeEnsured(input, result));
        }
        if (options.json === true) print(JSON.stringify(results, undefined, 2));
        if (results.some(({ refused }) => refused.length > 0)) process.exitCode = EXIT_CODES.attention;
      });
    });
  addDeliveries(group, globals, requireWebhooks);
  const resources = group
    .command('resources')
    .description('list what can be subscribed to, and the events of each');
  addListing(resources, globals, {
    head: ['RESOURCE', 'EVENTS', 'CATEGORY'],
    read: async (client, scope) =>
      await fetchAll(client, listWebhookResources, {
        companyId: scope.companyId,
        params: {},
        query: { scope },
      }),
    toRow: ({ name, category, except }) => [
      name,
      VERBS.filter(verb => !except.includes(verb)).join(', '),
      category,
    ],
  });
};

async function receive(config: Config, signal: AbortSignal): Promise<void> {
  const webhooks = requireWebhooks(config);
  const logger = createLogger(config.logging);
  const target = temporalTargetOf(config);
  const [metrics, standing] = [new Metrics(), new ProcessStanding()];
  standing.note('receiver', 'waits for Temporal');
  const served = await serveNumbers(config, metrics, standing, logger);
  try {
    const onWaiting = (why: string) => logger.warn({ event: 'temporal-away', why }, 'Waiting for Temporal');
    const connection = await connectClient({ target, keepTrying: { signal, onWaiting } });
    const session = toSession(connection, target);
    try {
      const starter = new TemporalEventStarter(session.client);
      const bell = new UploadBell(batchesAt(session.client), logger);
      const receiver = await startWebhookReceiver({ config: webhooks, starter, bell, logger });
      logger.info({ event: 'webhooks-received-at', address: receiver.address }, 'Webhooks are received');
      addReceiverMetrics(metrics, receiver);
      standing.note('receiver');
      await firstAbort(signal);
      await receiver.close();
      await bell.close();
      logger.info({ event: 'webhooks-ended', ...receiver.counts() }, 'Webhooks are no longer received');
    } finally {
      await session.close();
    }
  } finally {
    await served?.close();
  }
}

function requireWebhooks(config: Config): WebhookConfig {
  if (config.webhooks !== undefined) return config.webhooks;
  throw new CliError(
    'No webhooks are configured: the section "webhooks" is missing (docs/service-webhooks.md shows one).',
    EXIT_CODES.usage,
  );
}

function describeEnsured(
  { companyId, projectId }: { readonly companyId: string; readonly projectId?: string },
  result: EnsureWebhooksResult,
): string {
  const scope = projectId === undefined ? `company ${companyId}` : `project ${projectId}`;
  const counts = Object.entries(result.deliveries.byOutcome).map(([outcome, count]) => `${count} ${outcome}`);
  return [
    `${scope}: ${result.hookId === null ? 'no hook' : `hook ${result.hookId}`}, ${result.changes.length === 0 ? 'as it should be' : result.changes.join('; ')}`,
    ...result.refused.map(text => `  refused: ${toVisible(text, 300)}`),
    ...(counts.length === 0 ? [] : [`  deliveries: ${counts.join(', ')}`]),
    ...result.deliveries.failing.map(
      each =>
        `  failing: event ${each.eventId} ${toVisible(`${each.resource} ${each.event}`, 80)}, status ${each.responseStatus ?? 'none'} ${toVisible(each.trouble, 120)}`,
    ),
  ].join('\n');
}
