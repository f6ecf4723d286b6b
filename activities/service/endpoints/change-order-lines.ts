// Line items of potential change orders, and the company's lists of change reasons and
// statuses, as the service's public documentation has them.
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, READ, REMOVE, UPDATE } from '../endpoint';
import type { ContractRef } from './change-orders';
import { decimalText, numericId } from './strict-values';
import { pageValues, wireFlag, wireId, wireText, wireTextOrEmpty } from './wire';

/**
 * Money and quantities are decimal text. `manual`: the amount is given;
 * `calculated`: quantity times unit cost.
 */
export interface LineItemFields {
  readonly description?: string | undefined;
  readonly amount?: string | undefined;
  readonly quantity?: string | undefined;
  readonly unitCost?: string | undefined;
  readonly unit?: string | undefined;
  readonly extendedType?: 'manual' | 'calculated' | undefined;
  readonly costCodeId?: string | undefined;
  readonly wbsCodeId?: string | undefined;
  readonly lineItemTypeId?: string | undefined;
  readonly taxCodeId?: string | undefined;
  readonly originId?: string | undefined;
  readonly originData?: string | undefined;
}

export interface LineItemWrite {
  readonly projectId: string;
  readonly fields: LineItemFields;
}

const lineItemBody = z
  .strictObject({
    projectId: numericId,
    fields: z.strictObject({
      description: z.string().max(2_000).optional(),
      amount: decimalText.optional(),
      quantity: decimalText.optional(),
      unitCost: decimalText.optional(),
      unit: z.string().min(1).max(50).optional(),
      extendedType: z.enum(['manual', 'calculated']).optional(),
      costCodeId: numericId.optional(),
      wbsCodeId: numericId.optional(),
      lineItemTypeId: numericId.optional(),
      taxCodeId: numericId.optional(),
      originId: z.string().min(1).max(255).optional(),
      originData: z.string().max(2_000).optional(),
    }),
  })
  .transform(({ projectId, fields }) => ({
    project_id: projectId,
    line_item: {
      description: fields.description,
      amount: fields.amount,
      quantity: fields.quantity,
      unit_cost: fields.unitCost,
      uom: fields.unit,
      extended_type: fields.extendedType,
      cost_code_id: fields.costCodeId,
      wbs_code_id: fields.wbsCodeId,
      line_item_type_id: fields.lineItemTypeId,
      tax_code_id: fields.taxCodeId,
      origin_id: fields.originId,
      origin_data: fields.originData,
    },
  }));

const lineItem = z
  .object({
    id: wireId,
    description: wireTextOrEmpty,
    amount: wireText,
    total_amount: wireText,
    quantity: wireText,
    unit_cost: wireText,
    uom: wireText,
    origin_id: wireText,
    cost_code: z.object({ id: wireId }).nullish(),
    wbs_code: z.object({ id: wireId }).nullish(),
    line_item_type: z.object({ id: wireId }).nullish(),
    tax_code_id: wireText,
  })
  .transform(wire => ({
    id: wire.id,
    description: wire.description,
    amount: wire.amount ?? wire.total_amount,
    quantity: wire.quantity,
    unitCost: wire.unit_cost,
    unit: wire.uom,
    originId: wire.origin_id,
    costCodeId: wire.cost_code?.id ?? null,
    wbsCodeId: wire.wbs_code?.id ?? null,
    lineItemTypeId: wire.line_item_type?.id ?? null,
    taxCodeId: wire.tax_code_id,
  }));
/** Decimal texts as the service wrote them. */
export type LineItem = z.output<typeof lineItem>;

export interface LineItemsParams {
  readonly potentialChangeOrderId: string;
}
export type LineItemParams = LineItemsParams & { readonly id: string };

const LINES = '/rest/v1.0/potential_change_orders/{potentialChangeOrderId}/line_items';
const LINE = `${LINES}/{id}`;

export const listLineItems: Endpoint<
  LineItemsParams,
  PageQuery & Pick<ContractRef, 'projectId'>,
  undefined,
  readonly LineItem[]
> = {
  name: 'lineItems.list',
  ...READ,
  path: LINES,
  query: query => ({ project_id: query.projectId, ...pageValues(query) }),
  response: z.array(lineItem),
};

/** Not idempotent. After a lost response it is found again in the list by its `originId`. */
export const createLineItem: Endpoint<LineItemsParams, undefined, LineItemWrite, LineItem> = {
  name: 'lineItems.create',
  ...CREATE,
  path: LINES,
  request: lineItemBody,
  response: lineItem,
};

/** Sets what is given and nothing else: safe to repeat. */
export const updateLineItem: Endpoint<LineItemParams, undefined, LineItemWrite, LineItem> = {
  name: 'lineItems.update',
  ...UPDATE,
  path: LINE,
  request: lineItemBody,
  response: lineItem,
};

/** A repeat after a lost response gets 404: the line is gone either way. */
export const deleteLineItem: Endpoint<LineItemParams, Pick<ContractRef, 'projectId'>, undefined, unknown> = {
  name: 'lineItems.delete',
  ...REMOVE,
  path: LINE,
  query: query => ({ project_id: query.projectId }),
};

const listedStatus = z
  .object({
    id: wireId,
    name: wireTextOrEmpty,
    mapped_to_status: wireText,
    show_in_select: wireFlag(true),
  })
  .transform(wire => ({
    id: wire.id,
    name: wire.name,
    /** The status on the wire that a company's own status stands for. */
    mappedTo: wire.mapped_to_status,
    isOffered: wire.show_in_select,
  }));
export type ListedStatus = z.output<typeof listedStatus>;

const listedReason = z
  .object({ id: wireId, change_reason: wireTextOrEmpty, show_in_select: wireFlag(true) })
  .transform(wire => ({ id: wire.id, reason: wire.change_reason, isOffered: wire.show_in_select }));
export type ListedReason = z.output<typeof listedReason>;

export interface CompanyQuery extends PageQuery {
  readonly companyId: string;
}

const REASONS = '/rest/v1.0/change_order_change_reasons';
const STATUSES = '/rest/v1.0/change_order/statuses';

export const listChangeReasons: Endpoint<
  Record<string, never>,
  CompanyQuery,
  undefined,
  readonly ListedReason[]
> = {
  name: 'changeReasons.list',
  ...READ,
  path: REASONS,
  query: query => ({ company_id: query.companyId, ...pageValues(query) }),
  response: z.array(listedReason),
};

export const listChangeOrderStatuses: Endpoint<
  Record<string, never>,
  CompanyQuery,
  undefined,
  readonly ListedStatus[]
> = {
  name: 'changeOrderStatuses.list',
  ...READ,
  path: STATUSES,
  query: query => ({ company_id: query.companyId, ...pageValues(query) }),
  response: z.array(listedStatus),
};
