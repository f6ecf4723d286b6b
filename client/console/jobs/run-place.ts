// Where an operator finds a run in Temporal's own page. Pure.
import type { Config } from '../../../workers/config/config';
import { temporalTargetOf } from '../../session/session';

/** Undefined where the address of that page is not known. */
export function runPlaces(
  config: Config,
): ((workflowId: string, runId: string | undefined) => string) | undefined {
  const { temporalUi } = config.console;
  if (temporalUi === undefined) return undefined;
  const base = temporalUi.replace(/\/+$/, '');
  const namespace = encodeURIComponent(temporalTargetOf(config).namespace);
  return (workflowId, runId) =>
    [
      base,
      'namespaces',
      namespace,
      'workflows',
      ...[workflowId, runId ?? []].flat().map(encodeURIComponent),
    ].join('/');
}
