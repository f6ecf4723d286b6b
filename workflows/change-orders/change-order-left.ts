// Requests and potential change orders that an earlier run of ours made and the input no longer has: money
// that nobody wants any more. The service removes none; void is the nearest there is, and only for those of
// our own origin ids.
import type { ChangeOrderView } from '../../activities';
import { type Parts, update, type Work } from './change-order-parts';
import { leftOver } from './decide/plan-change-order';

type LeftPart = ChangeOrderView & { readonly kind: 'request' | 'potential' };

/** Makes them void where the input says so. Returns, in people's words, those that are left all the same. */
export async function settleLeftParts(work: Work, parts: Parts): Promise<readonly string[]> {
  const made = [parts.package, ...parts.requests, ...parts.potentials];
  // All of it is new: nothing can be left of a run before.
  if (work.input.tiers === 1 || made.every(({ how }) => how === 'made')) return [];
  const { calls, progress, at, input } = work;
  progress.tell('Looking for parts that the input no longer has');
  const { parts: below } = await calls.service.readPartsBelow(
    () => ({
      ...at,
      packageId: parts.package.view.id,
      requestIds: parts.requests.map(({ view }) => view.id),
      knownIds: made.map(({ view }) => view.id),
      withPotentials: input.tiers === 3,
    }),
    `Look for parts of ${input.originId} that it no longer has`,
  );
  const left = leftOver(input.originId, made, below).filter(({ status }) => status !== 'void');
  const faults: string[] = [];
  for (const part of left) {
    const what = describe(part);
    if (input.voidOthers !== true) {
      faults.push(
        `${what} is still there, and the input no longer has it; with "voidOthers" it gets the status void.`,
      );
      continue;
    }
    const { status } = await update(work, { kind: part.kind, view: part }, { status: 'void' });
    if (status === 'void') progress.note(`${what} is void now: the input no longer has it.`);
    else
      faults.push(
        `${what} was to be void, for the input no longer has it, and is ${status ?? 'without a status'}.`,
      );
  }
  return faults;
}

function describe({ kind, id, title, grandTotal, status }: LeftPart): string {
  return `The ${kind} ${id} "${title.slice(0, 80)}" (${grandTotal ?? 'no amount'}, ${status ?? 'no status'})`;
}
