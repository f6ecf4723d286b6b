/** Line items of potential change orders. Once the change order is decided, they stand. */
import { z } from 'zod';
import { LINE_ITEM_IDS, tiersOf } from '../change-orders/content';
import { productOf } from '../change-orders/money';
import type { ChangeOrderRecord, LineItemRecord } from '../change-orders/records';
import { checkPlainBody, decimal, refusePlainly } from '../http/loose-values';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import { requireProjectById } from '../rules/access';
import { noticeOrigin } from '../rules/reused-origin';
import { COST_CODES } from '../timesheets/content';
import type { World } from '../world';

const LINES = '/rest/v1.0/potential_change_orders/:order/line_items';
const FIRST_ID = 640_001;
const DECIDED: ReadonlySet<unknown> = new Set(['approved', 'rejected', 'void']);

const id = z.number().int().positive();
const idOf = (ids: readonly number[]) =>
  id.refine(given => ids.includes(given), 'there is none with this id');
const body = z.strictObject({
  project_id: id,
  line_item: z.strictObject({
    amount: decimal.optional(),
    cost_code_id: idOf(COST_CODES.map(code => code.id)).optional(),
    description: z.string().optional(),
    extended_type: z.enum(['manual', 'calculated']).optional(),
    quantity: decimal.optional(),
    line_item_type_id: idOf(LINE_ITEM_IDS.line_item_type_id).optional(),
    origin_data: z.string().optional(),
    origin_id: z.string().optional(),
    tax_code_id: idOf(LINE_ITEM_IDS.tax_code_id).optional(),
    unit_cost: decimal.optional(),
    uom: z.string().optional(),
    wbs_code_id: idOf(LINE_ITEM_IDS.wbs_code_id).optional(),
  }),
});

const shared = { origin: 'api', access: 'company' } as const;

export const changeOrderLineRoutes: readonly Route[] = [
  {
    ...shared,
    key: 'lineItems.list',
    method: 'GET',
    path: LINES,
    body: 'none',
    handle: (request, world) => {
      const order = orderOf(world, request, request.query.get('project_id') ?? '');
      const rows = itemsOf(world, order).map(item => wireItem(item));
      return pageAnswer(rows, request, world, GENERAL_PAGES, page => page);
    },
  },
  {
    ...shared,
    key: 'lineItems.create',
    method: 'POST',
    path: LINES,
    body: 'json',
    handle: (request, world) => {
      const { project_id, line_item } = checkPlainBody(body, request.body);
      const order = undecided(world, orderOf(world, request, String(project_id)));
      const alike = itemsOf(world, order).map(({ id, fields }) => ({ id, origin: fields.origin_id }));
      noticeOrigin(world, request, 'line item', line_item.origin_id, alike);
      const item = world.lineItems.put({
        id: String(FIRST_ID + world.lineItems.size),
        changeOrderId: order.id,
        projectId: order.projectId,
        position: itemsOf(world, order).length + 1,
        fields: line_item,
        amount: amountOf(line_item),
        createdAt: world.now(),
        updatedAt: world.now(),
        deletedAt: null,
      });
      return { status: 201, json: wireItem(item) };
    },
  },
  {
    ...shared,
    key: 'lineItems.update',
    method: 'PATCH',
    path: `${LINES}/:item`,
    body: 'json',
    handle: (request, world) => {
      const { project_id, line_item } = checkPlainBody(body, request.body);
      const order = undecided(world, orderOf(world, request, String(project_id)));
      const item = itemOf(world, order, request);
      const fields = { ...item.fields, ...line_item };
      const changed = { ...item, fields, amount: amountOf(fields), updatedAt: world.now() };
      return { status: 200, json: wireItem(world.lineItems.put(changed)) };
    },
  },
  {
    ...shared,
    key: 'lineItems.delete',
    method: 'DELETE',
    path: `${LINES}/:item`,
    body: 'none',
    handle: (request, world) => {
      const order = undecided(world, orderOf(world, request, request.query.get('project_id') ?? ''));
      world.lineItems.put({ ...itemOf(world, order, request), deletedAt: world.now() });
      return { status: 200 };
    },
  },
];

function orderOf(world: World, { params }: RouteRequest, projectId: string): ChangeOrderRecord {
  requireProjectById(world, projectId);
  const order = world.changeOrders.get(params.order ?? '');
  if (order?.kind !== 'potential' || order.projectId !== projectId) {
    throw refusePlainly(404, 'There is no such potential change order');
  }
  return order;
}

function undecided(world: World, order: ChangeOrderRecord): ChangeOrderRecord {
  // In one tier the package has the status of both.
  const deciding = tiersOf(order.projectId) === 1 ? world.changeOrders.get(order.packageId ?? '') : order;
  if (DECIDED.has(deciding?.fields.status)) {
    throw refusePlainly(422, 'The change order is decided; its line items stand');
  }
  return order;
}

function itemsOf(world: World, order: ChangeOrderRecord): LineItemRecord[] {
  return [...world.lineItems.values()].filter(
    item => item.changeOrderId === order.id && item.deletedAt === null,
  );
}

function itemOf(world: World, order: ChangeOrderRecord, { params }: RouteRequest): LineItemRecord {
  const item = itemsOf(world, order).find(entry => entry.id === params.item);
  if (item === undefined) throw refusePlainly(404, 'There is no such line item');
  return item;
}

function amountOf(fields: Record<string, unknown>): string {
  const { amount, quantity, unit_cost, extended_type } = fields;
  if (extended_type === 'calculated') {
    if (typeof quantity !== 'string' || typeof unit_cost !== 'string') {
      throw refusePlainly(400, 'A calculated line item needs quantity and unit_cost');
    }
    return productOf(quantity, unit_cost);
  }
  return productOf(typeof amount === 'string' ? amount : '0', '1');
}

function wireItem(item: LineItemRecord): Record<string, unknown> {
  const { cost_code_id, amount: _, ...fields } = item.fields;
  return {
    id: Number(item.id),
    position: item.position,
    ...fields,
    amount: item.amount,
    total_amount: item.amount,
    cost_code: cost_code_id === undefined ? null : { id: cost_code_id },
    holder: { id: Number(item.changeOrderId), holder_type: 'PotentialChangeOrder' },
    created_at: new Date(item.createdAt).toISOString(),
    updated_at: new Date(item.updatedAt).toISOString(),
  };
}
