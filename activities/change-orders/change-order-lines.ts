// Line items of potential change orders: made once, found again by their origin ids, corrected, removed.

import { isSameMoney, isSameToTheCent, productOf } from '../../workflows/change-orders/decide/exact-money';
import type { Reason } from '../../workflows/contract';
import { isSameText } from '../../workflows/run/decide/same-text';
import type { ActivityScope } from '../scope/activity-scope';
import { Making, type MakingDeps, type MakingScope } from '../scope/making';
import { orRefused, unlessGone } from '../scope/refusal-reason';
import {
  createLineItem,
  deleteLineItem,
  type LineItem,
  listLineItems,
  updateLineItem,
} from '../service/endpoints/change-order-lines';
import { fetchAll, RICH_PAGE } from '../service/pages';
import type { Sender } from '../service/service-client';
import type { ContractScope, LineView, PutLinesInput, PutLinesResult, WantedLine } from './change-orders-api';

const FIX =
  'Correct the input and start again with the same origin id: what is there already is found, not made twice.';

type Scope = Pick<ActivityScope, 'signal'>;

export async function readLineItems(
  client: Sender,
  input: ContractScope & { readonly potentialId: string },
  scope: Scope,
): Promise<readonly LineView[]> {
  return (await linesOf(client, input, input.potentialId, scope)).map(toLineView);
}

/**
 * Lists first, at every attempt; each line item is found by its origin id and made once. One that is there
 * twice is told when everything is read back.
 */
export async function putLineItems(
  client: Sender,
  input: PutLinesInput,
  scope: Scope & MakingScope,
  deps: MakingDeps = {},
): Promise<PutLinesResult> {
  const making = new Making(scope, { asked: input.asked, ...deps });
  const present = await making.look(() => linesOf(client, input, input.potentialId, scope));
  const isThere = ({ originId }: WantedLine) => present.some(line => line.originId === originId);
  if (!input.lines.every(isThere)) await making.waitUntilAllListed('line items');
  const lines: PutLinesResult['lines'][number][] = [];
  const refused: PutLinesResult['refused'][number][] = [];
  for (const { originId, fields } of input.lines) {
    scope.signal.throwIfAborted();
    const known = present.find(line => line.originId === originId);
    if (known !== undefined && isAsWanted(known, fields)) {
      lines.push({ ...toLineView(known), kind: 'found' });
      continue;
    }
    const params = { potentialChangeOrderId: input.potentialId };
    const call = { companyId: input.project.companyId, signal: scope.signal };
    const body = { projectId: input.project.projectId, fields: { ...fields, originId } };
    const what = `${known === undefined ? 'make' : 'change'} the line item "${fields.description ?? originId}"`;
    const line = await orRefused(what, FIX, async () => {
      const { data } =
        known === undefined
          ? await making.make(() => client.send(createLineItem, { ...call, params, body }))
          : await client.send(updateLineItem, { ...call, params: { ...params, id: known.id }, body });
      return { ...toLineView(data), kind: known === undefined ? ('made' as const) : ('changed' as const) };
    });
    if (line.kind === 'refused') refused.push({ originId, reason: line.reason });
    else lines.push(line);
  }
  return { lines, refused };
}

export async function removeLineItems(
  client: Sender,
  input: ContractScope & { readonly potentialId: string; readonly ids: readonly string[] },
  scope: Scope,
): Promise<{ readonly refused: readonly Reason[] }> {
  const refused: Reason[] = [];
  for (const id of input.ids) {
    const remove = () =>
      client.send(deleteLineItem, {
        params: { potentialChangeOrderId: input.potentialId, id },
        companyId: input.project.companyId,
        query: { projectId: input.project.projectId },
        signal: scope.signal,
      });
    // If it has gone, by an attempt of ours whose response was lost or by somebody else, that is as wanted.
    const removed = await orRefused(`remove the line item ${id}`, FIX, async () => {
      await unlessGone(remove);
      return undefined;
    });
    if (removed !== undefined) refused.push(removed.reason);
  }
  return { refused };
}

async function linesOf(
  client: Sender,
  at: ContractScope,
  potentialChangeOrderId: string,
  scope: Scope,
): Promise<readonly LineItem[]> {
  return await fetchAll(client, listLineItems, {
    params: { potentialChangeOrderId },
    companyId: at.project.companyId,
    query: { projectId: at.project.projectId, perPage: RICH_PAGE },
    signal: scope.signal,
  });
}

function isAsWanted(line: LineItem, fields: WantedLine['fields']): boolean {
  const pairs: readonly (readonly [string | null, string | undefined])[] = [
    [line.amount, fields.amount],
    [line.quantity, fields.quantity],
    [line.unitCost, fields.unitCost],
  ];
  const codes: readonly (readonly [string | null, string | undefined])[] = [
    [line.costCodeId, fields.costCodeId],
    [line.wbsCodeId, fields.wbsCodeId],
    [line.lineItemTypeId, fields.lineItemTypeId],
    [line.taxCodeId, fields.taxCodeId],
  ];
  const texts: readonly (readonly [string | null, string | undefined])[] = [
    [line.description, fields.description],
    [line.unit, fields.unit],
  ];
  const { quantity, unitCost } = fields;
  // A person may have given the line item another amount and left its quantity and unit cost as they were.
  const isProduct =
    quantity === undefined ||
    unitCost === undefined ||
    (line.amount !== null && isSameToTheCent(line.amount, productOf(quantity, unitCost)));
  return (
    isProduct &&
    texts.every(([have, want]) => want === undefined || isSameText(have ?? '', want)) &&
    codes.every(([have, want]) => want === undefined || have === want) &&
    pairs.every(([have, want]) => want === undefined || (have !== null && isSameMoney(have, want)))
  );
}

function toLineView({ id, originId, amount, quantity, unitCost, description }: LineItem): LineView {
  return { id, originId, amount, quantity, unitCost, description };
}
