// How long the embedded server remembers runs that have ended. Its own default is a day: too short for people
// who come back after a weekend and ask why a batch stopped.
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { CALL_RETRIES } from './call-retries';

/**
 * Sets how long these namespaces remember runs after their end; a namespace that is not there is left out.
 */
export async function keepEndedRuns(
  address: string,
  namespaces: readonly string[],
  retentionMs: number,
): Promise<void> {
  const connection = await Connection.connect({ address, interceptors: CALL_RETRIES });
  try {
    const { namespaces: found } = await connection.workflowService.listNamespaces({});
    const names = found?.map(({ namespaceInfo }) => namespaceInfo?.name) ?? [];
    for (const namespace of namespaces.filter(name => names.includes(name))) {
      await connection.workflowService.updateNamespace({
        namespace,
        config: { workflowExecutionRetentionTtl: msToTs(retentionMs) },
      });
    }
  } finally {
    await connection.close();
  }
}
