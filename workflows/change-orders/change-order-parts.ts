// The parts of a change order: made or found, changed, read; a refusal ends the run with the service's words.
import { patched } from '@temporalio/workflow';
import type {
  ChangeOrderActivities,
  ChangeOrderFields,
  ChangeOrderKind,
  ChangeOrderStatus,
  ChangeOrderView,
  ContractScope,
  MadeHere,
  PutChangeOrderResult,
} from '../../activities';
import type { ServiceCalls } from '../run/activity-calls';
import { asking } from '../run/asking';
import { requestRefused } from '../run/refused-request';
import type { RunProgress } from '../run/run-progress';
import type { ChangeOrderPart, ParsedChangeOrder, ParsedLine } from './change-order-contract';
import type { AskedFields, Difference } from './decide/describe-difference';
import { leftOver, planLines } from './decide/plan-change-order';

export interface Work {
  readonly calls: ServiceCalls<ChangeOrderActivities>;
  readonly progress: RunProgress;
  readonly at: ContractScope;
  readonly input: ParsedChangeOrder;
  readonly status: ChangeOrderStatus | undefined;
}

export interface Made {
  readonly kind: ChangeOrderKind;
  readonly view: ChangeOrderView;
  readonly how: ChangeOrderPart['how'];
  readonly originId: string;
  /** An attempt before the one that made it may have made another. */
  readonly isInDoubt?: true;
  /** Found, and made for this run by an attempt whose answer was lost, or perhaps so. */
  readonly madeHere?: MadeHere;
  /** As it was asked for; compared when everything is read back. */
  readonly asked: AskedFields & { readonly title: string };
}

export interface MadePotential extends Made {
  readonly lines: readonly ParsedLine[];
}

export interface Parts {
  readonly package: Made;
  readonly requests: readonly Made[];
  readonly potentials: readonly MadePotential[];
}

export async function put(
  { calls, progress, at }: Work,
  kind: ChangeOrderKind,
  originId: string,
  asked: AskedFields & { readonly title: string },
  id?: string,
): Promise<Made> {
  progress.tell(`Making the ${kind} "${asked.title}"`);
  const fields = { ...asked, status: 'draft' as const };
  const result = await calls.service.putChangeOrder(
    () => ({ ...at, kind, originId, fields, ...(id === undefined ? {} : { id }), asked: asking() }),
    `Make or find the ${kind} ${originId}`,
  );
  if (result.kind === 'refused') throw requestRefused(`${result.reason.text} ${result.reason.fix}`);
  const { changeOrder } = result;
  progress.note(`${kind} ${changeOrder.id} ${describeHow(result)}: ${originId}`);
  const inDoubt = result.kind === 'made' && result.isInDoubt ? { isInDoubt: true as const } : {};
  const madeHere = result.kind === 'made' ? undefined : result.madeHere;
  const here = madeHere === undefined ? {} : { madeHere };
  return { kind, view: changeOrder, how: result.kind, originId, asked, ...inDoubt, ...here };
}

function describeHow(result: Exclude<PutChangeOrderResult, { readonly kind: 'refused' }>): string {
  switch (result.kind) {
    case 'made':
      return 'made';
    case 'found':
      return 'was there already';
    case 'corrected':
      return `was there already and is corrected (${result.corrected.join(', ')})`;
  }
}

export async function putLines(work: Work, { view, lines, originId }: MadePotential): Promise<void> {
  const { calls, progress, at, input } = work;
  const planned = planLines(originId, lines);
  progress.tell(`Putting ${planned.length} line items into ${view.id}`);
  const result = await calls.service.putLineItems(
    () => ({
      ...at,
      potentialId: view.id,
      lines: planned.map(line => ({ originId: line.originId, fields: line.fields })),
      asked: asking(),
    }),
    `Put ${planned.length} line items into ${view.id}`,
  );
  if (result.refused.length > 0) {
    throw requestRefused(result.refused.map(({ reason }) => `${reason.text} ${reason.fix}`).join('\n'));
  }
  if (input.removeOtherLineItems !== true) return;
  const shown = await calls.service.readLineItems(
    () => ({ ...at, potentialId: view.id }),
    `Read the line items of ${view.id}`,
  );
  const ids = leftOver(originId, planned, shown).map(({ id }) => id);
  if (ids.length === 0) return;
  const { refused } = await calls.service.removeLineItems(
    () => ({ ...at, potentialId: view.id, ids }),
    `Remove ${ids.length} line items`,
  );
  if (refused.length > 0) throw requestRefused(refused.map(({ text, fix }) => `${text} ${fix}`).join('\n'));
  progress.note(`${ids.length} line items of ${view.id} were removed: the input no longer has them.`);
}

/**
 * In one tier the package has the status of both: that of the potential change order is ignored by the
 * service (published schema of its update), so it is neither set nor compared.
 */
export function isStatusIgnored({ input }: Work, { kind }: Pick<Made, 'kind'>): boolean {
  return kind === 'potential' && input.tiers === 1 && patched('in-one-tier-the-package-has-the-status');
}

export async function update(
  { calls, at }: Work,
  { kind, view }: Pick<Made, 'kind' | 'view'>,
  fields: ChangeOrderFields,
): Promise<ChangeOrderView> {
  const result = await calls.service.updateChangeOrder(
    () => ({ ...at, kind, id: view.id, fields }),
    `Change the ${kind} ${view.id}: ${Object.keys(fields).join(', ')}`,
  );
  if (result.kind === 'refused') throw requestRefused(`${result.reason.text} ${result.reason.fix}`);
  return result.changeOrder;
}

export async function read(
  { calls, at }: Work,
  kind: ChangeOrderKind,
  id: string,
  asked: AskedFields = {},
): Promise<(ChangeOrderView & { readonly differences: readonly Difference[] }) | null> {
  return await calls.service.readChangeOrder(() => ({ ...at, kind, id, asked }), `Read the ${kind} ${id}`);
}
