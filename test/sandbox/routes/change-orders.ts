/**
 * Change order packages, requests and potential change orders; which of them a
 * project has depends on its tiers.
 */
import { z } from 'zod';
import { CHANGE_REASONS, CONTRACTS, type Contract, STATUSES, tiersOf } from '../change-orders/content';
import type { ChangeOrderKind, ChangeOrderRecord } from '../change-orders/records';
import { listRow, wireChangeOrder } from '../change-orders/wire';
import { checkPlainBody, day, decimal, listOf, refusePlainly } from '../http/loose-values';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import { requireProjectById } from '../rules/access';
import { noticeOrigin } from '../rules/reused-origin';
import type { World } from '../world';

const PATHS: Readonly<Record<ChangeOrderKind, { key: string; path: string; firstId: number }>> = {
  package: { key: 'changeOrderPackages', path: '/rest/v1.0/change_order_packages', firstId: 610_001 },
  request: { key: 'changeOrderRequests', path: '/rest/v1.0/change_order_requests', firstId: 620_001 },
  potential: { key: 'potentialChangeOrders', path: '/rest/v1.0/potential_change_orders', firstId: 630_001 },
};
/** Tiers in which a kind can be made. */
const KINDS_OF_TIERS: Readonly<Record<1 | 2 | 3, readonly ChangeOrderKind[]>> = {
  1: ['package', 'potential'],
  2: ['package', 'request'],
  3: ['package', 'request', 'potential'],
};

const status = z.enum([
  'draft',
  'not_pricing',
  'pricing',
  'pending',
  'revised',
  'proceeding',
  'not_proceeding',
  'no_charge',
  'approved',
  'rejected',
  'void',
]);
const id = z.number().int().positive();
const common = {
  status: status.optional(),
  title: z.string().min(1).optional(),
  description: z.string().optional(),
  grand_total: decimal.optional(),
  schedule_impact_amount: z.number().int().optional(),
  origin_data: z.string().optional(),
  origin_id: z.string().optional(),
  paid_date: day.optional(),
  invoiced_date: day.optional(),
  due_date: day.optional(),
};
const BODIES: Readonly<Record<ChangeOrderKind, { create: z.ZodType; update: z.ZodType }>> = {
  package: twice({
    ...common,
    origin_code: z.string().optional(),
    executed: z.boolean().optional(),
    signed_change_order_received_date: day.optional(),
  }),
  request: twice({ ...common, change_order_package_id: id.optional() }),
  potential: {
    create: z.strictObject({ ...common, number: z.string().optional() }),
    update: z.strictObject({
      ...common,
      number: z.string().optional(),
      change_order_request_id: id.optional(),
    }),
  },
};

export const changeOrderRoutes: readonly Route[] = [
  ...(['package', 'request', 'potential'] as const).flatMap(routesOf),
  companyList('changeReasons.list', '/rest/v1.0/change_order_change_reasons', CHANGE_REASONS),
  companyList('changeOrderStatuses.list', '/rest/v1.0/change_order/statuses', STATUSES),
];

function routesOf(kind: ChangeOrderKind): Route[] {
  const { key, path } = PATHS[kind];
  const shared = { origin: 'api', access: 'company' } as const;
  return [
    {
      ...shared,
      key: `${key}.list`,
      method: 'GET',
      path,
      body: 'none',
      handle: (request, world) => {
        const rows = listed(world, kind, request).map(record => listRow(world, record));
        return pageAnswer(rows, request, world, GENERAL_PAGES, page => page);
      },
    },
    {
      ...shared,
      key: `${key}.create`,
      method: 'POST',
      path,
      body: 'json',
      handle: (request, world) => {
        const { contract, fields } = readBody(world, kind, request, 'create');
        if (fields.title === undefined) throw refusePlainly(400, 'title: is missing');
        const alike = [...world.changeOrders.values()]
          .filter(other => other.kind === kind && other.contractId === contract.id)
          .map(other => ({ id: other.id, origin: other.fields.origin_id }));
        noticeOrigin(world, request, kind, fields.origin_id, alike);
        const record = create(world, kind, contract, fields, request.caller.userId);
        return { status: 201, json: wireChangeOrder(world, record) };
      },
    },
    {
      ...shared,
      key: `${key}.show`,
      method: 'GET',
      path: `${path}/:id`,
      body: 'none',
      handle: (request, world) => {
        const contract = contractOf(world, request.query.get('project_id'), request.query.get('contract_id'));
        return { status: 200, json: wireChangeOrder(world, find(world, kind, contract, request)) };
      },
    },
    {
      ...shared,
      key: `${key}.update`,
      method: 'PATCH',
      path: `${path}/:id`,
      body: 'json',
      handle: (request, world) => {
        const { contract, fields } = readBody(world, kind, request, 'update');
        const record = update(world, find(world, kind, contract, request), fields);
        return { status: 200, json: wireChangeOrder(world, record) };
      },
    },
  ];
}

function companyList(key: string, path: string, rows: readonly { id: number }[]): Route {
  return {
    key,
    origin: 'api',
    method: 'GET',
    path,
    access: 'company',
    body: 'none',
    handle: (request, world) => {
      const companyId = request.query.get('company_id');
      const known = [...world.projects.values()].some(project => project.companyId === companyId);
      if (!known) throw refusePlainly(403, 'company_id: is missing or not yours');
      const withCompany = rows.map(row => ({ ...row, company_id: Number(companyId) }));
      return pageAnswer(withCompany, request, world, GENERAL_PAGES, page => page);
    },
  };
}

function contractOf(world: World, projectId: string | null, contractId: string | null): Contract {
  if (projectId === null || projectId === '') throw refusePlainly(400, 'project_id: is missing');
  requireProjectById(world, projectId);
  const contract = CONTRACTS.find(entry => entry.id === contractId && entry.projectId === projectId);
  if (contract === undefined) throw refusePlainly(404, 'There is no such contract in the project');
  return contract;
}

function listed(world: World, kind: ChangeOrderKind, { query }: RouteRequest): ChangeOrderRecord[] {
  const contractId = query.get(kind === 'potential' ? 'filters[contract_id]' : 'contract_id');
  const projectId = query.get('project_id') ?? '';
  if (projectId === '') throw refusePlainly(400, 'project_id: is missing');
  requireProjectById(world, projectId);
  if (contractId !== null) contractOf(world, projectId, contractId);
  else if (kind === 'request') throw refusePlainly(400, 'contract_id: is missing');
  refuseForTiers(projectId, kind);
  const ids = listOf(query, 'id');
  const statuses = kind === 'request' ? listOf(query, 'status') : [];
  const originId = kind === 'potential' ? query.get('filters[origin_id]') : null;
  const packageId = kind === 'request' ? query.get('filters[change_order_package_id]') : null;
  return [...world.changeOrders.values()].filter(
    record =>
      record.kind === kind &&
      record.projectId === projectId &&
      (ids.length === 0 || ids.includes(record.id)) &&
      (statuses.length === 0 || statuses.includes(String(record.fields.status))) &&
      (contractId === null || record.contractId === contractId) &&
      (originId === null || record.fields.origin_id === originId) &&
      (packageId === null || record.packageId === packageId),
  );
}

function readBody(
  world: World,
  kind: ChangeOrderKind,
  request: RouteRequest,
  what: 'create' | 'update',
): { contract: Contract; fields: Record<string, unknown> } {
  const body = checkPlainBody(
    z.strictObject({ project_id: id, contract_id: id, change_order: BODIES[kind][what] }),
    request.body,
  );
  const contract = contractOf(world, String(body.project_id), String(body.contract_id));
  refuseForTiers(contract.projectId, kind);
  return { contract, fields: body.change_order as Record<string, unknown> };
}

function create(
  world: World,
  kind: ChangeOrderKind,
  contract: Contract,
  given: Record<string, unknown>,
  userId: number,
): ChangeOrderRecord {
  const { change_order_package_id, number, ...fields } = given;
  const ofContract = [...world.changeOrders.values()].filter(
    record => record.kind === kind && record.contractId === contract.id,
  );
  const count = [...world.changeOrders.values()].filter(record => record.kind === kind).length;
  const record = world.changeOrders.put({
    id: String(PATHS[kind].firstId + count),
    kind,
    projectId: contract.projectId,
    contractId: contract.id,
    number: typeof number === 'string' ? number : String(ofContract.length + 1).padStart(3, '0'),
    fields: { status: 'draft', ...fields },
    packageId: kind === 'request' ? packageIdOf(world, contract, change_order_package_id) : null,
    requestId: null,
    createdBy: userId,
    createdAt: world.now(),
    updatedAt: world.now(),
  });
  world.log.record({
    kind: 'effect',
    route: `${PATHS[kind].key}.create`,
    request: 0,
    what: 'change-order-created',
    detail: { kind, id: record.id },
  });
  if (kind === 'package' && tiersOf(contract.projectId) === 1 && contract.bringsPotential) {
    // The integration's marks are the package's own; the companion begins without.
    const potential = create(
      world,
      'potential',
      contract,
      { title: fields.title, status: fields.status ?? 'draft' },
      userId,
    );
    world.changeOrders.put({ ...potential, packageId: record.id });
  }
  return record;
}

function update(world: World, record: ChangeOrderRecord, given: Record<string, unknown>): ChangeOrderRecord {
  const { change_order_package_id, change_order_request_id, number, status: wanted, ...fields } = given;
  // In one tier the status of a potential change order is ignored (published schema of its update).
  const isIgnored = record.kind === 'potential' && tiersOf(record.projectId) === 1;
  const contract = contractOf(world, record.projectId, record.contractId);
  const packageId =
    change_order_package_id === undefined
      ? record.packageId
      : packageIdOf(world, contract, change_order_package_id);
  let { requestId } = record;
  if (change_order_request_id !== undefined) {
    const found = world.changeOrders.get(String(change_order_request_id));
    if (found?.kind !== 'request' || found.contractId !== record.contractId) {
      throw refusePlainly(400, 'change_order_request_id: there is no such request');
    }
    requestId = found.id;
  }
  return world.changeOrders.put({
    ...record,
    number: typeof number === 'string' ? number : record.number,
    fields: { ...record.fields, ...fields, ...(wanted === undefined || isIgnored ? {} : { status: wanted }) },
    packageId,
    requestId,
    updatedAt: world.now(),
  });
}

function packageIdOf(world: World, contract: Contract, given: unknown): string | null {
  if (given === undefined) return null;
  const found = world.changeOrders.get(String(given));
  if (found?.kind !== 'package' || found.contractId !== contract.id) {
    throw refusePlainly(400, 'change_order_package_id: there is no such package');
  }
  return found.id;
}

function find(
  world: World,
  kind: ChangeOrderKind,
  contract: Contract,
  { params }: RouteRequest,
): ChangeOrderRecord {
  const record = world.changeOrders.get(params.id ?? '');
  if (record?.kind !== kind || record.contractId !== contract.id) {
    throw refusePlainly(404, 'There is no such change order');
  }
  return record;
}

/** The tiers decide which endpoints apply (specification, General rules 6), to lists as well. */
function refuseForTiers(projectId: string, kind: ChangeOrderKind): void {
  const tiers = tiersOf(projectId);
  if (KINDS_OF_TIERS[tiers].includes(kind)) return;
  throw refusePlainly(400, `A project with ${tiers} tier(s) has no such change orders`);
}

function twice(shape: z.ZodRawShape): { create: z.ZodType; update: z.ZodType } {
  return { create: z.strictObject(shape), update: z.strictObject(shape) };
}
