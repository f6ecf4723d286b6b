// Change order packages, requests and potential change orders (specification, Change orders):
// one shape of operation, three resources. v1.0: responses come without an envelope. Money is
// decimal text, on the wire and here.
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, READ, UPDATE } from '../endpoint';
import { CHANGE_ORDER_STATUSES, changeOrderBodies } from './change-order-bodies';
import { pageValues, wireId, wireKind, wireText, wireTextOrEmpty } from './wire';

export type ChangeOrderStatus = (typeof CHANGE_ORDER_STATUSES)[number];

export type ChangeOrderKind = 'package' | 'request' | 'potential';

/** Every call names both, in the query or in the body (the service's public documentation). */
export interface ContractRef {
  readonly projectId: string;
  readonly contractId: string;
}

/**
 * What the service keeps of a change order and we may set; not every kind has
 * every field. Money is decimal text.
 */
export interface ChangeOrderFields {
  readonly title?: string | undefined;
  readonly number?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: ChangeOrderStatus | undefined;
  readonly grandTotal?: string | undefined;
  readonly scheduleImpactDays?: number | undefined;
  readonly originId?: string | undefined;
  readonly originData?: string | undefined;
  readonly originCode?: string | undefined;
  /** YYYY-MM-DD, as the other dates. */
  readonly dueDate?: string | undefined;
  readonly invoicedDate?: string | undefined;
  readonly paidDate?: string | undefined;
  readonly signedReceivedDate?: string | undefined;
  readonly executed?: boolean | undefined;
  /** Updates only: the request that a potential change order rolls up into. */
  readonly changeOrderRequestId?: string | undefined;
  /** Updates only: the package that a request flows into. */
  readonly changeOrderPackageId?: string | undefined;
}

export interface ChangeOrderWrite {
  readonly contract: ContractRef;
  readonly fields: ChangeOrderFields;
}

export interface ChangeOrderQuery extends PageQuery {
  /** Potential change orders can be listed over all contracts of a project. */
  readonly contract: Pick<ContractRef, 'projectId'> & Partial<ContractRef>;
  /** Potential change orders only; the other two lists have no such filter. */
  readonly originId?: string | undefined;
  /** Requests only. */
  readonly changeOrderPackageId?: string | undefined;
}

const changeOrder = z
  .object({
    id: wireId,
    contract_id: wireText,
    number: wireText,
    title: wireTextOrEmpty,
    description: wireText,
    status: wireKind(CHANGE_ORDER_STATUSES),
    grand_total: wireText,
    origin_id: wireText,
    origin_data: wireText,
    revision: wireText,
    deleted_at: wireText,
    updated_at: wireText,
    due_date: wireText,
    schedule_impact_amount: wireText,
    change_order_package_id: wireText,
    change_order_package_title: wireText,
    change_order_request_id: wireText,
    change_order_tiers: wireText,
    line_items_total: wireText,
    type: wireText,
  })
  .transform(wire => ({
    id: wire.id,
    contractId: wire.contract_id,
    number: wire.number,
    title: wire.title,
    description: wire.description,
    status: wire.status,
    grandTotal: wire.grand_total,
    originId: wire.origin_id,
    originData: wire.origin_data,
    revision: wire.revision,
    isDeleted: wire.deleted_at !== null,
    updatedAt: wire.updated_at,
    dueDate: wire.due_date,
    scheduleImpactDays: wire.schedule_impact_amount,
    changeOrderPackageId: wire.change_order_package_id,
    changeOrderPackageTitle: wire.change_order_package_title,
    changeOrderRequestId: wire.change_order_request_id,
    /** 1, 2 or 3, where the service says it. */
    tiers: wire.change_order_tiers,
    lineItemsTotal: wire.line_items_total,
    type: wire.type,
  }));
/**
 * Of any kind, listed or shown; what the response leaves out is null. Money and counts
 * are text as the service wrote it.
 */
export type ChangeOrder = z.output<typeof changeOrder>;

export interface ChangeOrderParams {
  readonly id: string;
}

export interface ChangeOrderEndpoints {
  readonly list: Endpoint<Record<string, never>, ChangeOrderQuery, undefined, readonly ChangeOrder[]>;
  /**
   * Not idempotent. After a lost response it is looked for by its `originId`: the list of potential change
   * orders takes that as a filter, and the list of packages shows it. Requests are shown one by one, whatever
   * their titles, for people may have corrected those.
   */
  readonly create: Endpoint<Record<string, never>, undefined, ChangeOrderWrite, ChangeOrder>;
  readonly show: Endpoint<ChangeOrderParams, { readonly contract: ContractRef }, undefined, ChangeOrder>;
  /** Sets what is given and nothing else: safe to repeat. */
  readonly update: Endpoint<ChangeOrderParams, undefined, ChangeOrderWrite, ChangeOrder>;
}

/** The operations of each kind. */
export const changeOrders: Readonly<Record<ChangeOrderKind, ChangeOrderEndpoints>> = {
  package: endpointsOf('package', 'changeOrderPackages', '/rest/v1.0/change_order_packages'),
  request: endpointsOf('request', 'changeOrderRequests', '/rest/v1.0/change_order_requests'),
  potential: endpointsOf('potential', 'potentialChangeOrders', '/rest/v1.0/potential_change_orders'),
};

function endpointsOf(kind: ChangeOrderKind, name: string, path: string): ChangeOrderEndpoints {
  const one = `${path}/{id}`;
  const bodies = changeOrderBodies[kind];
  return {
    list: {
      name: `${name}.list`,
      ...READ,
      path: path,
      query: query => ({
        project_id: query.contract.projectId,
        [kind === 'potential' ? 'filters[contract_id]' : 'contract_id']: query.contract.contractId,
        'filters[origin_id]': kind === 'potential' ? query.originId : undefined,
        'filters[change_order_package_id]': kind === 'request' ? query.changeOrderPackageId : undefined,
        ...pageValues(query),
      }),
      response: z.array(changeOrder),
    },
    create: {
      name: `${name}.create`,
      ...CREATE,
      path: path,
      request: bodies.create,
      response: changeOrder,
    },
    show: {
      name: `${name}.show`,
      ...READ,
      path: one,
      query: ({ contract }) => ({ project_id: contract.projectId, contract_id: contract.contractId }),
      response: changeOrder,
    },
    update: {
      name: `${name}.update`,
      ...UPDATE,
      path: one,
      request: bodies.update,
      response: changeOrder,
    },
  };
}
