// Reads a whole change order back and compares it with what was wanted.
import { ApplicationFailure, patched, sleep } from '@temporalio/workflow';
import type { ChangeOrderView } from '../../activities';
import { isSameText } from '../run/decide/same-text';
import type { ChangeOrderPart, ChangeOrderResult } from './change-order-contract';
import { settleLeftParts } from './change-order-left';
import { isStatusIgnored, type Made, type Parts, read, type Work } from './change-order-parts';
import { describeDifference } from './decide/describe-difference';
import { checkLines, explainLeftLine, leftOver, planLines } from './decide/plan-change-order';

/** What was just written may show a moment later. */
const LOOKS = 5;
const FIRST_LOOK_MS = 500;

/** Reads everything back; what is not as wanted after some looks is a failure that says so. */
export async function verify(work: Work, parts: Parts): Promise<Omit<ChangeOrderResult, 'notes'>> {
  const leftParts = [...(await settleLeftParts(work, parts)), ...(await findDoubles(work, parts))];
  for (let look = 1; ; look++) {
    work.progress.tell('Reading everything back');
    const { faults: open, lasting, result } = await check(work, parts);
    const faults = [...open, ...lasting, ...leftParts];
    if (faults.length === 0) return result;
    // What is left over or void is the same at every later look.
    if (look === LOOKS || open.length === 0) {
      throw ApplicationFailure.nonRetryable(
        `The change order is not as it should be:\n${faults.map(fault => `- ${fault}`).join('\n')}\nCorrect it in the service, or start again with the same origin id.`,
        'NOT_VERIFIED',
      );
    }
    await sleep(FIRST_LOOK_MS * 2 ** look);
  }
}

/** What a lost response may have led to is told here: by now a list shows it. */
async function findDoubles({ calls, at }: Work, parts: Parts): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { kind, originId, asked, isInDoubt } of [
    parts.package,
    ...parts.requests,
    ...parts.potentials,
  ]) {
    if (isInDoubt !== true || !patched('what-was-made-in-doubt-is-counted')) continue;
    const twice = await calls.service.findTwice(
      () => ({ ...at, kind, originId, fields: asked }),
      `See that the ${kind} ${originId} is there once`,
    );
    if (twice !== null) faults.push(`${twice.text} ${twice.fix}`);
  }
  return faults;
}

async function check(
  work: Work,
  parts: Parts,
): Promise<{
  readonly faults: readonly string[];
  /** Nothing that a later look would show otherwise. */
  readonly lasting: readonly string[];
  readonly result: Omit<ChangeOrderResult, 'notes'>;
}> {
  const { calls, at, status, input } = work;
  const faults: string[] = [];
  const lasting: string[] = [];
  const look = async (
    made: Made,
  ): Promise<{ readonly part: ChangeOrderPart; readonly view: ChangeOrderView }> => {
    const view = await read(work, made.kind, made.view.id, made.asked);
    const what = `${made.kind} ${made.view.id}`;
    faults.push(...(view?.differences ?? []).map(difference => describeDifference(what, difference)));
    if (view === null) faults.push(`The ${what} is not there.`);
    else if (status !== undefined && view.status !== status && !isStatusIgnored(work, made)) {
      faults.push(`The ${made.kind} ${view.id} has the status ${view.status ?? 'none'}, not ${status}.`);
    } else if (
      status === undefined &&
      view.status === 'void' &&
      !isStatusIgnored(work, made) &&
      patched('what-is-wanted-and-void-is-told')
    ) {
      lasting.push(explainVoid(view, made.kind));
    }
    return { part: toPart(view ?? made.view, made.how), view: view ?? made.view };
  };
  const requests: ChangeOrderPart[] = [];
  for (const request of parts.requests) {
    const { part, view } = await look(request);
    if (view.changeOrderPackageId !== parts.package.view.id) {
      faults.push(`The request ${view.id} is not in the package ${parts.package.view.id}.`);
    }
    requests.push(part);
  }
  const potentialChangeOrders: ChangeOrderResult['potentialChangeOrders'][number][] = [];
  const requestIds = new Set(parts.requests.map(({ view }) => view.id));
  for (const potential of parts.potentials) {
    const { part, view } = await look(potential);
    if (requestIds.size > 0 && !requestIds.has(view.changeOrderRequestId ?? '')) {
      faults.push(`The potential change order ${view.id} is not in its request.`);
    }
    const shown = await calls.service.readLineItems(
      () => ({ ...at, potentialId: view.id }),
      `Read the line items of ${view.id}`,
    );
    const planned = planLines(potential.originId, potential.lines);
    faults.push(...checkLines(planned, shown, view.lineItemsTotal, isSaid));
    const left = leftOver(potential.originId, planned, shown).map(explainLeftLine);
    // Line items that were removed a moment ago may still be shown.
    if (input.removeOtherLineItems === true) faults.push(...left);
    else lasting.push(...left);
    potentialChangeOrders.push({ ...part, lineItems: shown.length });
  }
  const { part } = await look(parts.package);
  return { faults, lasting, result: { package: part, requests, potentialChangeOrders } };
}

/** Runs of before compared letter by letter, and looked again where a text had only been tidied. */
function isSaid(shown: string, wanted: string): boolean {
  if (shown.trim() === wanted.trim()) return true;
  return isSameText(shown, wanted) && patched('line-items-are-called-what-they-say');
}

/** Whoever made it void may have meant it: it gets another status only when the input says so. */
function explainVoid({ id, title }: ChangeOrderView, kind: Made['kind']): string {
  return `The ${kind} ${id} "${title.slice(0, 80)}" is void, and the input has it; give the input a "status" (for example "draft"), or set one in the service.`;
}

function toPart(view: ChangeOrderView, how: ChangeOrderPart['how']): ChangeOrderPart {
  const { id, number, title, status, grandTotal } = view;
  return { id, number, title, status, total: grandTotal, how };
}
