/** Change orders as they go over the wire. */
import type { World } from '../world';
import { tiersOf } from './content';
import { sumOf } from './money';
import type { ChangeOrderRecord } from './records';

/** Lists say less than shows: origin ids only of packages. */
export function listRow(world: World, record: ChangeOrderRecord): Record<string, unknown> {
  const { description: _, line_items: __, line_items_total: ___, ...row } = wireChangeOrder(world, record);
  if (record.kind !== 'package') {
    delete row.origin_id;
    delete row.origin_data;
  }
  const packageTitle =
    record.packageId === null ? '' : world.changeOrders.get(record.packageId)?.fields.title;
  return record.kind === 'potential'
    ? {
        ...row,
        change_order_package_title: packageTitle,
        change_order_tiers: tiersOf(record.projectId),
      }
    : row;
}

/** A change order as it is shown. */
export function wireChangeOrder(world: World, record: ChangeOrderRecord): Record<string, unknown> {
  const items = [...world.lineItems.values()].filter(
    item => item.changeOrderId === record.id && item.deletedAt === null,
  );
  return {
    id: Number(record.id),
    contract_id: Number(record.contractId),
    number: record.number,
    revision: 0,
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
    deleted_at: null,
    ...record.fields,
    grand_total: totalOf(world, record),
    ...(record.kind === 'request'
      ? { change_order_package_id: record.packageId === null ? null : Number(record.packageId) }
      : {}),
    ...(record.kind === 'potential'
      ? {
          change_order_request_id: record.requestId === null ? null : Number(record.requestId),
          line_items_total: sumOf(items.map(({ amount }) => amount)),
          line_items: items.map(item => ({ id: Number(item.id), total_amount: item.amount })),
        }
      : {}),
  };
}

/** What was set; else what has rolled up into it. */
function totalOf(world: World, record: ChangeOrderRecord): string {
  if (typeof record.fields.grand_total === 'string') return record.fields.grand_total;
  const all = [...world.changeOrders.values()];
  const parts =
    record.kind === 'potential'
      ? [...world.lineItems.values()]
          .filter(item => item.changeOrderId === record.id && item.deletedAt === null)
          .map(({ amount }) => amount)
      : all
          .filter(part =>
            record.kind === 'package' ? part.packageId === record.id : part.requestId === record.id,
          )
          .map(part => totalOf(world, part));
  return sumOf(parts);
}
