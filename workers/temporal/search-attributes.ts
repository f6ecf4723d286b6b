// The few search attributes of the project: no names of files, only those of jobs; no people, nothing secret.
// Registered at the start; where that is not possible, runs go on without them.
import type { Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';

/** IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD of the Temporal API. */
const KEYWORD = 2;

export const SEARCH_ATTRIBUTES = ['DrawbridgeShare', 'DrawbridgeProject', 'DrawbridgeJob'] as const;

export type SearchAttributeOutcome =
  | { readonly kind: 'registered'; readonly added: readonly string[] }
  /** Not allowed or not possible here; starting runs with them would be refused. */
  | { readonly kind: 'unavailable'; readonly why: string };

/** Adds what is missing in the namespace. Never throws. */
export async function registerSearchAttributes(
  connection: Pick<Connection | NativeConnection, 'operatorService'>,
  namespace: string,
): Promise<SearchAttributeOutcome> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTES.filter(name => customAttributes[name] === undefined);
    if (missing.length > 0) {
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(missing.map(name => [name, KEYWORD])),
      });
    }
    return { kind: 'registered', added: missing };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // Another process was faster between our two calls.
    return /already exist/i.test(why) ? { kind: 'registered', added: [] } : { kind: 'unavailable', why };
  }
}
