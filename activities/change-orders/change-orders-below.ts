// What an earlier run of a change order made besides the parts that are known: requests, and potential change
// orders, in its package or not in any yet.
import type { ActivityScope } from '../scope/activity-scope';
import type { ChangeOrder } from '../service/endpoints/change-orders';
import type { Sender } from '../service/service-client';
import { pagesOf, show, toView } from './change-order-reads';
import type { ContractScope, PartsBelow, ReadPartsBelowInput } from './change-orders-api';
import type { OriginMemory } from './origin-memory';

type Scope = Pick<ActivityScope, 'signal'>;
type Kind = PartsBelow['parts'][number]['kind'];

/**
 * Whatever carries money in a package besides the parts that are known: its requests, and the potential
 * change orders of all its requests, each with its origin id. And parts whose origin id is below the
 * package's and that lie in nothing yet: a run that failed half-way left them so. A list says where a part
 * belongs, but only the part read by itself shows its origin id: so these are read one by one.
 */
export async function readPartsBelow(
  client: Sender,
  input: ReadPartsBelowInput,
  scope: Scope,
  origins: OriginMemory,
): Promise<PartsBelow> {
  const known = new Set(input.knownIds);
  const whole = await show(client, input, 'package', input.packageId, scope);
  const partsIn = async (
    kind: Kind,
    parentOf: (row: ChangeOrder) => string | null,
    parents: ReadonlySet<string>,
  ): Promise<PartsBelow['parts']> => {
    const isOurs = (originId: string) => isPartOf(whole?.originId ?? null, kind, originId);
    const parts: PartsBelow['parts'][number][] = [];
    for (const row of await listed(client, input, kind, scope)) {
      const parent = parentOf(row);
      if (known.has(row.id) || (parent !== null && !parents.has(parent))) continue;
      const recalled = origins.recall(kind, row);
      if (parent === null && recalled !== undefined && !isOurs(recalled)) continue;
      const shown = await show(client, input, kind, row.id, scope);
      if (shown === undefined || shown.isDeleted) continue;
      origins.note(kind, shown);
      if (parent !== null || isOurs(shown.originId ?? '')) parts.push({ ...toView(shown), kind });
    }
    return parts;
  };
  const requests = await partsIn('request', row => row.changeOrderPackageId, new Set([input.packageId]));
  const requestIds = new Set([...input.requestIds, ...requests.map(({ id }) => id)]);
  const potentials = input.withPotentials
    ? await partsIn('potential', row => row.changeOrderRequestId, requestIds)
    : [];
  return { parts: [...potentials, ...requests] };
}

/**
 * By as many steps below the package's origin id as its kind is: an origin id may have slashes of its own,
 * and `CO-14/2/r1` is a part of the order `CO-14/2`, not of `CO-14`.
 */
function isPartOf(whole: string | null, kind: Kind, originId: string): boolean {
  if (whole === null || !originId.startsWith(`${whole}/`)) return false;
  return originId.slice(whole.length + 1).split('/').length === (kind === 'request' ? 1 : 2);
}

async function listed(
  client: Sender,
  at: ContractScope,
  kind: Kind,
  scope: Scope,
): Promise<readonly ChangeOrder[]> {
  const rows: ChangeOrder[] = [];
  for await (const page of pagesOf(client, at, kind, scope)) {
    rows.push(...page.filter(row => !row.isDeleted));
  }
  return rows;
}
