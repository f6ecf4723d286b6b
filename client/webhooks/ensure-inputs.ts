// What the configuration asks of the hooks and triggers at the service, as inputs of the runs that make them.
import type { WebhookConfig } from '../../workers/config/config-webhooks';
import type { EnsureWebhooksInput } from '../../workflows/webhooks/webhooks-contract';
import { CliError, EXIT_CODES } from '../session/cli-error';

/** What can be subscribed to (specification, Webhook configuration 5). */
export const VERBS = ['create', 'update', 'delete'] as const;

/**
 * One input for each scope. Configured events other than `VERBS` cannot be subscribed to: they are only
 * listened for. Throws CliError without a destinationUrl.
 */
export function toEnsureInputs(
  webhooks: WebhookConfig,
  options: { readonly renewHeaders?: true; readonly remove?: true } = {},
): readonly (EnsureWebhooksInput & { readonly companyId: string; readonly projectId?: string })[] {
  const { destinationUrl, namespace, apiVersion } = webhooks;
  if (destinationUrl === undefined) {
    throw new CliError(
      'webhooks.destinationUrl is missing: the https address at which the service reaches the receiver.',
      EXIT_CODES.usage,
    );
  }
  const triggers = webhooks.triggers.flatMap(({ resource, events }) => {
    const verbs = VERBS.filter(verb => events.some(event => event.toLowerCase() === verb));
    return verbs.length === 0 ? [] : [{ resource, events: verbs }];
  });
  return webhooks.scopes.map(({ companyId, projectId }) => ({
    companyId,
    ...(projectId === undefined ? {} : { projectId }),
    destinationUrl,
    namespace,
    apiVersion,
    triggers: options.remove === true ? [] : triggers,
    renewHeaders: options.renewHeaders === true,
  }));
}
