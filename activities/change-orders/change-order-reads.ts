// Reading change orders: the pages of a contract, one by itself, and what workflows get to see of one.
import type { ActivityScope } from '../scope/activity-scope';
import { unlessGone } from '../scope/refusal-reason';
import { type ChangeOrder, type ChangeOrderKind, changeOrders } from '../service/endpoints/change-orders';
import { fetchPages, RICH_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import type { ChangeOrderView, ContractScope } from './change-orders-api';

type Scope = Pick<ActivityScope, 'signal'>;

/**
 * A contract's change orders of one kind, page by page. `originId` counts for potential change orders only.
 */
export function pagesOf(
  client: Sender,
  at: ContractScope,
  kind: ChangeOrderKind,
  scope: Scope,
  originId?: string,
): AsyncGenerator<readonly ChangeOrder[], void, undefined> {
  return fetchPages(client, changeOrders[kind].list, {
    params: {},
    companyId: at.project.companyId,
    query: { contract: refOf(at), perPage: RICH_PAGE, originId },
    signal: scope.signal,
  });
}

/** undefined: there is none. */
export async function show(
  client: Sender,
  at: ContractScope,
  kind: ChangeOrderKind,
  id: string,
  scope: Scope,
): Promise<ChangeOrder | undefined> {
  const shown = await unlessGone(() =>
    client.send(changeOrders[kind].show, {
      params: { id },
      companyId: at.project.companyId,
      query: { contract: refOf(at) },
      signal: scope.signal,
    }),
  );
  return shown?.data;
}

export function refOf({ project, contractId }: ContractScope) {
  return { projectId: project.projectId, contractId };
}

export function toView(order: ChangeOrder): ChangeOrderView {
  const { id, number, title, status, grandTotal, originId } = order;
  const { changeOrderPackageId, changeOrderRequestId, lineItemsTotal } = order;
  return {
    id,
    number,
    title,
    status,
    grandTotal,
    originId,
    changeOrderPackageId,
    changeOrderRequestId,
    lineItemsTotal,
  };
}
