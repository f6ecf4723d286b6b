// A change order, whole, in a project of one, two or three tiers (specification, Change orders). Parts are
// made from the bottom up as drafts, linked, and only then given their status: nothing half-made is ever
// pending or approved.
import { log, patched } from '@temporalio/workflow';
import type {
  ChangeOrderActivities,
  ChangeOrderFields,
  ChangeOrderStatus,
  ContractSurvey,
} from '../../activities';
import { ServiceCalls } from '../run/activity-calls';
import { parseInput } from '../run/parse-input';
import { requestRefused, withRefusalsExplained } from '../run/refused-request';
import { RunProgress } from '../run/run-progress';
import { verify } from './change-order-check';
import {
  type ChangeOrderInput,
  type ChangeOrderResult,
  changeOrderInput,
  type ParsedChangeOrder,
  type ParsedLine,
  type ParsedPotential,
} from './change-order-contract';
import {
  isStatusIgnored,
  type Made,
  type MadePotential,
  type Parts,
  put,
  putLines,
  read,
  update,
  type Work,
} from './change-order-parts';
import { withOriginIds } from './decide/plan-change-order';

const EXAMPLE = {
  companyId: '5001',
  projectId: '7001',
  contractId: '6001',
  tiers: 1,
  originId: 'CO-2026-014',
  title: 'Additional piles at axis C',
  status: 'pending',
  lineItems: [
    { description: 'Bored piles', quantity: '12', unitCost: '1850.00', unit: 'ea', costCodeId: '3001' },
  ],
};

const THREE_TIERS =
  'The project lists requests and potential change orders, as one does that is configured with 3 tier(s), and the input says 2. Nothing was made. Correct "tiers"; if the project has two all the same, give "tiersAreRight": true as well.';

/**
 * Ends when everything is there, linked and read back as wanted. Start it again with the same origin id to
 * continue or to correct.
 */
export async function changeOrderWorkflow(rawInput: ChangeOrderInput): Promise<ChangeOrderResult> {
  const input = parseInput(changeOrderInput, rawInput, EXAMPLE);
  const progress = new RunProgress(`Change order ${input.originId} in contract ${input.contractId}`);
  const calls = new ServiceCalls<ChangeOrderActivities>();
  calls.whenBlocked(progress);
  const { companyId, projectId, contractId } = input;
  const at = { project: { companyId, projectId }, contractId };
  const result = await withRefusalsExplained(async () => {
    const work: Work = { calls, progress, at, input, status: await findStatus(calls, input) };
    const parts = await make(work);
    await setStatuses(work, [...parts.potentials, ...parts.requests, parts.package]);
    return await verify(work, parts);
  });
  progress.tell('Everything is there and was read back');
  log.info(`Change order ${input.originId} is package ${result.package.id}`, {
    event: 'change-order',
    packageId: result.package.id,
  });
  return { ...result, notes: progress.notes };
}

async function survey({ calls, progress, at, input }: Work): Promise<ContractSurvey> {
  progress.tell('Looking at the contract');
  const found = await calls.service.surveyContract(
    () => ({ ...at, originId: input.originId }),
    'Look at the contract',
  );
  refuseOtherTiers(found.tiers, input.tiers);
  // Nothing that is made in two tiers would ever tell that there are three.
  const isUnseen = found.tiers === null && input.tiers === 2 && input.tiersAreRight !== true;
  if (isUnseen && patched('two-tiers-that-are-not-seen-are-told')) throw requestRefused(THREE_TIERS);
  return found;
}

/**
 * Where the project had no potential change order yet that shows how many tiers it has, this looks again when
 * our first one is there: if the input is wrong, one draft was made in vain, and not all of them.
 */
function tiersCheck(work: Work, before: ContractSurvey): (first: Made) => Promise<void> {
  let isKnown = before.tiers !== null;
  return async first => {
    if (isKnown) return;
    isKnown = true;
    work.progress.note(
      `The tiers of the project can be seen only since ${first.kind} ${first.view.id} is there.`,
    );
    await survey(work);
  };
}

async function make(work: Work): Promise<Parts> {
  const { input } = work;
  const before = await survey(work);
  switch (input.tiers) {
    case 1:
      return await makeOneTier(work, input.lineItems, before);
    case 2: {
      const requests: Made[] = [];
      for (const [originId, request] of withOriginIds(input.originId, 'r', input.requests)) {
        const { title, description, amount } = request;
        requests.push(await put(work, 'request', originId, { title, description, grandTotal: amount }));
      }
      return { package: await makePackage(work, requests), requests, potentials: [] };
    }
    case 3: {
      const requests: Made[] = [];
      const potentials: MadePotential[] = [];
      const checkTiers = tiersCheck(work, before);
      for (const [originId, request] of withOriginIds(input.originId, 'r', input.requests)) {
        const { title, description, potentialChangeOrders } = request;
        const below = await makePotentials(work, originId, potentialChangeOrders, checkTiers);
        const made = await put(work, 'request', originId, { title, description });
        for (const potential of below) {
          if (potential.view.changeOrderRequestId === made.view.id) continue;
          await update(work, potential, { changeOrderRequestId: made.view.id });
        }
        requests.push(made);
        potentials.push(...below);
      }
      return { package: await makePackage(work, requests), requests, potentials };
    }
  }
}

/**
 * The package brings the potential change order along that holds the line items; where it does not, both are
 * made. Of a package that this run has made, it is one that was not there before; with one that a run before
 * has made, it may have been there, too. Where nobody knows which of them made it, people tell.
 */
async function makeOneTier(work: Work, lines: readonly ParsedLine[], before: ContractSurvey): Promise<Parts> {
  const { calls, at, input } = work;
  const made = await put(work, 'package', input.originId, fieldsOf(input));
  const isSurveyed = made.view.id === before.packageId;
  const companion = await calls.service.findCompanion(
    () => ({
      ...at,
      originId: `${input.originId}/p1`,
      packageTitle: made.view.title,
      knownIds: isSurveyed ? [] : before.potentialIds,
      ...sinceWhen(made, isSurveyed),
    }),
    'Find the potential change order that came along',
  );
  const originId = `${input.originId}/p1`;
  if (companion.kind === 'ambiguous') throw requestRefused(explainUntold(made, companion.ids, originId));
  const asked = { title: input.title, description: input.description };
  const potential =
    companion.kind === 'found'
      ? // Marked as ours, so that it is found at once from then on.
        { ...(await put(work, 'potential', originId, asked, companion.id)), how: 'came-along' as const }
      : await put(work, 'potential', originId, asked);
  await tiersCheck(work, before)(potential);
  const whole = { ...potential, lines };
  await putLines(work, whole);
  return { package: made, requests: [], potentials: [whole] };
}

/** Whether the package, and what came along with it, was there before this run's survey. */
function sinceWhen(
  { how, madeHere }: Made,
  isSurveyed: boolean,
): { readonly isFound?: true; readonly isPerhapsFound?: true } {
  if (isSurveyed) return { isFound: true };
  // With one of this run nothing came along before the survey: what was there is somebody else's.
  if (how === 'made' || madeHere === 'yes') return {};
  return madeHere === 'perhaps' ? { isPerhapsFound: true } : { isFound: true };
}

function explainUntold({ view }: Made, ids: readonly string[], originId: string): string {
  const [only, ...others] = ids;
  if (others.length > 0) {
    return `Package ${view.id} is there, but which of the potential change orders ${ids.join(', ')} is its own cannot be told. Give the right one the origin id "${originId}" and start again.`;
  }
  return `Package ${view.id} is there, but whether the potential change order ${only} is its own cannot be told: it was there before this run began, and perhaps the package was not. If it is its own, start again; if it is not, make one with the origin id "${originId}" first.`;
}

async function makePotentials(
  work: Work,
  parent: string,
  potentials: readonly ParsedPotential[],
  checkTiers: (first: Made) => Promise<void>,
): Promise<readonly MadePotential[]> {
  const made: MadePotential[] = [];
  for (const [originId, { title, description, lineItems }] of withOriginIds(parent, 'p', potentials)) {
    const whole = { ...(await put(work, 'potential', originId, { title, description })), lines: lineItems };
    await checkTiers(whole);
    await putLines(work, whole);
    made.push(whole);
  }
  return made;
}

async function makePackage(work: Work, requests: readonly Made[]): Promise<Made> {
  const made = await put(work, 'package', work.input.originId, fieldsOf(work.input));
  for (const request of requests) {
    if (request.view.changeOrderPackageId === made.view.id) continue;
    await update(work, request, { changeOrderPackageId: made.view.id });
  }
  return made;
}

async function setStatuses(work: Work, bottomUp: readonly Made[]): Promise<void> {
  const { status, progress } = work;
  if (status === undefined) return;
  progress.tell(`Setting the status ${status}`);
  for (const part of bottomUp) {
    if (isStatusIgnored(work, part)) continue;
    const now = await read(work, part.kind, part.view.id);
    if (now !== null && now.status !== status) await update(work, part, { status });
  }
}

async function findStatus(
  calls: ServiceCalls<ChangeOrderActivities>,
  input: ParsedChangeOrder,
): Promise<ChangeOrderStatus | undefined> {
  const { status: wanted, companyId, projectId } = input;
  if (wanted === undefined) return undefined;
  const { status, offered } = await calls.service.findChangeOrderStatus(
    () => ({ project: { companyId, projectId }, status: wanted }),
    `Find the status "${wanted}"`,
  );
  if (status === null)
    throw requestRefused(`There is no status "${wanted}". There is: ${offered.join(', ')}.`);
  return status;
}

function fieldsOf(input: ParsedChangeOrder): ChangeOrderFields & { readonly title: string } {
  const { title, description, dueDate, scheduleImpactDays } = input;
  return { title, description, dueDate, scheduleImpactDays };
}

function refuseOtherTiers(shown: string | null, given: number): void {
  if (shown === null || shown === String(given)) return;
  throw requestRefused(
    `The project is configured with ${shown} tier(s), the input says ${given}. Correct "tiers". What was made before that could be seen is a draft; the run's details name it.`,
  );
}
