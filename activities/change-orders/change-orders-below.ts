// What an earlier run of a change order made besides the parts that are known: requests, and potential change
// orders, in its package or not in any yet.
import { forEachLimited } from '../host/concurrency';
import type { ActivityScope } from '../scope/activity-scope';
import type { ChangeOrder } from '../service/endpoints/change-orders';
import type { Sender } from '../service/service-client';
import { pagesOf, show, toView } from './change-order-reads';
import type { ContractScope, PartsBelow, ReadPartsBelowInput } from './change-orders-api';
import type { OriginMemory } from './origin-memory';

/** As many parts are read at one time. */
const PARALLEL = 4;

type Scope = Pick<ActivityScope, 'signal'>;
type Kind = PartsBelow['parts'][number]['kind'];

/**
 * Whatever carries money in a package besides the parts that are known: its requests, and the potential
 * change orders of all its requests, each with its origin id. And parts whose origin id is below the
 * package's and that lie in nothing yet: a run that failed half-way left them so. A list says where a part
 * belongs, but only the part read by itself shows its origin id: so each of these is read, a few
 * at one time.
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
    const mayBeOurs = (row: ChangeOrder): boolean => {
      const parent = parentOf(row);
      if (known.has(row.id) || (parent !== null && !parents.has(parent))) return false;
      const recalled = origins.recall(input.project, kind, row);
      return parent !== null || recalled === undefined || isOurs(recalled);
    };
    const rows = (await listed(client, input, kind, scope)).filter(mayBeOurs);
    const ours = new Map<string, PartsBelow['parts'][number]>();
    await forEachLimited(rows, PARALLEL, async row => {
      const shown = await show(client, input, kind, row.id, scope);
      if (shown === undefined || shown.isDeleted) return;
      origins.note(input.project, kind, shown);
      const isBelow = parentOf(row) !== null || isOurs(shown.originId ?? '');
      if (isBelow) ours.set(row.id, { ...toView(shown), kind });
    });
    // In the order of the list, whichever was answered first.
    return rows.flatMap(({ id }) => ours.get(id) ?? []);
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
