// What lies in a package besides the parts that are known: requests, and the potential change orders of all
// its requests.
import type { ActivityScope } from '../scope/activity-scope';
import type { ChangeOrder } from '../service/endpoints/change-orders';
import type { Sender } from '../service/service-client';
import { pagesOf, show, toView } from './change-order-reads';
import type { ContractScope, PartsBelow, ReadPartsBelowInput } from './change-orders-api';

type Scope = Pick<ActivityScope, 'signal'>;

/**
 * Whatever carries money in a package besides the parts that are known: its requests, and the potential
 * change orders of all its requests, each with its origin id. A list says where a part belongs, but only the
 * part read by itself shows its origin id: so what lies in the package is read one by one.
 */
export async function readPartsBelow(
  client: Sender,
  input: ReadPartsBelowInput,
  scope: Scope,
): Promise<PartsBelow> {
  const known = new Set(input.knownIds);
  const requests = await listed(
    client,
    input,
    'request',
    scope,
    row => row.changeOrderPackageId === input.packageId,
  );
  const requestIds = new Set([...input.requestIds, ...requests.map(({ id }) => id)]);
  const potentials = input.withPotentials
    ? await listed(client, input, 'potential', scope, row => requestIds.has(row.changeOrderRequestId ?? ''))
    : [];
  const parts: PartsBelow['parts'][number][] = [];
  for (const [kind, rows] of [
    ['potential', potentials],
    ['request', requests],
  ] as const) {
    for (const { id } of rows.filter(row => !known.has(row.id))) {
      const shown = await show(client, input, kind, id, scope);
      if (shown !== undefined && !shown.isDeleted) parts.push({ ...toView(shown), kind });
    }
  }
  return { parts };
}

async function listed(
  client: Sender,
  at: ContractScope,
  kind: 'request' | 'potential',
  scope: Scope,
  isBelow: (row: ChangeOrder) => boolean,
): Promise<readonly ChangeOrder[]> {
  const rows: ChangeOrder[] = [];
  for await (const page of pagesOf(client, at, kind, scope)) {
    rows.push(...page.filter(row => !row.isDeleted && isBelow(row)));
  }
  return rows;
}
