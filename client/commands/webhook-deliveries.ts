// `drawbridge webhooks deliveries`: what became of the events that the service sent
// us, straight from the service.
import { type Command, Option } from 'commander';
import type { DeliveryStatus } from '../../activities/service/endpoints/webhooks';
import { readDeliveries } from '../../activities/webhooks/deliveries';
import { findHooks } from '../../activities/webhooks/webhooks';
import type { SeenDelivery } from '../../activities/webhooks/webhooks-api';
import type { Config } from '../../workers/config/config';
import type { WebhookConfig } from '../../workers/config/config-webhooks';
import { print, rowCount } from '../session/command';
import { type GlobalOptions, loadCommandConfig } from '../session/command-config';
import { toTable, toVisible } from '../session/terminal-text';
import { withService } from '../sign-in/service-session';

const STATUSES: readonly DeliveryStatus[] = ['any', 'successful', 'failing', 'discarded'];
const DEFAULT_ROWS = 50;

interface DeliveryOptions {
  readonly status: DeliveryStatus;
  readonly limit: number;
  readonly json?: true;
}

/** Adds the command to `webhooks`; `require` returns the section "webhooks", or throws without one. */
export function addDeliveries(
  webhooks: Command,
  globals: () => GlobalOptions,
  require: (config: Config) => WebhookConfig,
): void {
  webhooks
    .command('deliveries')
    .description('list what became of the events that the service sent, newest first')
    .addOption(new Option('--status <status>', 'only these').choices([...STATUSES]).default('any'))
    .option('--limit <rows>', 'how many of each hook at most', rowCount, DEFAULT_ROWS)
    .option('--json', 'as JSON, one array')
    .action(async (options: DeliveryOptions) => {
      const config = loadCommandConfig(globals(), 'read');
      const deliveries = await readAll(config, require(config), options);
      if (options.json === true) return print(JSON.stringify(deliveries, undefined, 2));
      const rows = deliveries.map(each => [
        each.startedAt,
        each.eventId,
        toVisible(`${each.resource} ${each.event}`, 60),
        toVisible(each.outcome),
        String(each.responseStatus ?? ''),
        toVisible(each.trouble, 60),
      ]);
      print(toTable([['WHEN', 'EVENT', 'WHAT', 'OUTCOME', 'STATUS', 'TROUBLE'], ...rows]));
    });
}

async function readAll(
  config: Config,
  { scopes, namespace, header, secrets }: WebhookConfig,
  { status, limit }: DeliveryOptions,
): Promise<readonly SeenDelivery[]> {
  return await withService(config, async ({ client }) => {
    const { signal } = new AbortController();
    const [own] = secrets;
    const deps = { client, header: own === undefined ? undefined : { name: header, value: own.secret } };
    const found: SeenDelivery[] = [];
    for (const { companyId, projectId } of scopes) {
      const scope = { companyId, ...(projectId === undefined ? {} : { projectId }) };
      for (const { id: hookId } of await findHooks(client, { scope, namespace }, signal)) {
        const { deliveries } = await readDeliveries(deps, { scope, hookId, status, most: limit }, { signal });
        found.push(...deliveries);
      }
    }
    return found;
  });
}
