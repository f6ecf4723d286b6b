// A user's permission template is changed by removing and adding again; the user is never left outside
// unnoticed.
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log,
  patched,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type {
  AddMemberInput,
  AddMemberResult,
  BringInsideResult,
  Member,
  PermissionTemplate,
  RemoveMemberResult,
  UserActivities,
} from '../../activities';
import type { ProjectRef } from '../contract';
import { ServiceCalls } from '../run/activity-calls';
import { asking } from '../run/asking';
import { explainFaults, invalidInput, parseInput } from '../run/parse-input';
import { requestRefused, withRefusalsExplained } from '../run/refused-request';
import { RunProgress } from '../run/run-progress';
import {
  type ChangePermissionTemplateInput,
  changePermissionTemplateInput,
  decideMemberInput,
  decideMemberUpdate,
  type PermissionTemplateResult,
} from './users-contract';

const EXAMPLE = { companyId: '5001', projectId: '7001', user: 'ada.ashby@example.com', template: 'Standard' };
const DECISION_EXAMPLE = { templateId: '302' };
/** The list may lag behind what was just answered. */
const LOOKS = 5;
const FIRST_LOOK_MS = 1_000;
/** A removal that was answered but does not show is tried again this often. */
const ROUNDS = 3;
/** An addition takes no longer while the service answers. */
const ADDING_MS = 60_000;
/** Of runs that began to wait before one activity did it. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 30 * 60_000;

type Ending = Pick<PermissionTemplateResult, 'outcome' | 'template'>;

/** What one run knows; both templates are as they were found at the beginning. */
interface Case {
  readonly calls: ServiceCalls<UserActivities>;
  readonly progress: RunProgress;
  readonly project: ProjectRef;
  readonly userId: string;
  readonly wanted: PermissionTemplate;
  readonly previous: PermissionTemplate;
}

/**
 * Ends `changed` once the project's list shows the new template. From the removal on it cannot be cancelled:
 * it ends with the user inside, or by the update `decide`. To go on after it was terminated, start it again
 * with the user's id and `previousTemplate`.
 */
export async function changePermissionTemplateWorkflow(
  rawInput: ChangePermissionTemplateInput,
): Promise<PermissionTemplateResult> {
  const input = parseInput(changePermissionTemplateInput, rawInput, EXAMPLE);
  const project = { companyId: input.companyId, projectId: input.projectId };
  const progress = new RunProgress(`Permission template in project ${project.projectId}`);
  const calls = new ServiceCalls<UserActivities>();
  calls.whenBlocked(progress);
  progress.tell('Finding the user and the template');
  const found = await withRefusalsExplained(() =>
    calls.service.findMember(
      () => ({
        project,
        user: input.user,
        template: input.template,
        ...(input.previousTemplate === undefined ? {} : { previousTemplate: input.previousTemplate }),
      }),
      'Find the user and the template',
    ),
  );
  if (found.kind === 'refused') {
    throw invalidInput(
      found.reasons.map(({ text, fix }) => `${text} ${fix}`),
      EXAMPLE,
    );
  }
  const { template: wanted, previous } = found;
  if (previous === null) {
    const fault =
      found.kind === 'outside'
        ? `User ${found.userId} is not in the project. To add the user all the same, give "previousTemplate" as well.`
        : 'The service does not show the present template. Give it as "previousTemplate", so that it can be put back.';
    throw invalidInput([fault], EXAMPLE);
  }
  const userId = found.kind === 'found' ? found.member.userId : found.userId;
  const one: Case = { calls, progress, project, userId, wanted, previous };
  const ending =
    found.kind === 'found' && found.member.template?.id === wanted.id
      ? ({ outcome: 'unchanged', template: found.member.template } as const)
      : await CancellationScope.nonCancellable(() =>
          withRefusalsExplained(() => change(one, found.kind === 'found')),
        );
  progress.tell(`Ended: ${ending.outcome}`);
  log.info(`User ${userId}: ${ending.outcome}`, {
    event: 'permission-template',
    userId,
    outcome: ending.outcome,
  });
  if (!allHandlersFinished()) await condition(allHandlersFinished);
  return { userId, ...ending, previous, notes: progress.notes };
}

async function change(one: Case, isInside: boolean): Promise<Ending> {
  for (let round = 1; ; round++) {
    if (isInside || round > 1) {
      const removed = await remove(one, round > 1);
      if (removed.kind === 'other') {
        noteLeft(one, removed.template);
        return { outcome: toOutcome(one, removed.template), template: removed.template };
      }
      if (removed.kind === 'refused') {
        const { text, fix } = removed.reason;
        if (removed.isPerhapsOut === true) return await putBack(one, text);
        // Still inside with the old template: nothing has happened, so this may simply fail.
        throw requestRefused(`${text} ${fix}`);
      }
    }
    const added = await add(one, one.wanted);
    if (added.kind === 'added') return await verify(one, 'changed', one.wanted);
    if (added.kind === 'refused') return await putBack(one, added.reason.text);
    const isOld = added.template.id === one.previous.id;
    if (!isOld || round === ROUNDS) {
      noteLeft(one, added.template);
      return { outcome: 'changed-by-others', template: added.template };
    }
    one.progress.note('The removal did not hold; trying again.');
  }
}

async function remove(one: Case, isPerhapsOut: boolean): Promise<RemoveMemberResult> {
  const { calls, progress, project, userId, previous: expected } = one;
  progress.tell(`Removing user ${userId}`);
  return await calls.service.removeMember(
    () => ({ project, userId, expected, ...(isPerhapsOut ? { isPerhapsOut } : {}), asked: asking() }),
    `Remove user ${userId}`,
  );
}

async function add(
  { calls, progress, project, userId, previous }: Case,
  template: PermissionTemplate,
  before: Pick<AddMemberInput, 'isPerhapsInside'> = {},
): Promise<AddMemberResult> {
  progress.tell(`User ${userId} is OUTSIDE the project; adding with template ${nameOf(template)}`);
  return await calls.service.addMember(
    () => ({ project, userId, templateId: template.id, previous, ...before, asked: asking() }),
    `Add user ${userId} with template ${template.id}`,
  );
}

/** Looks what the project's list shows after an addition: a user who is not listed counts as not added. */
async function verify(
  one: Case,
  outcome: 'changed' | 'restored',
  expected: PermissionTemplate,
): Promise<Ending> {
  one.progress.tell(`Verifying user ${one.userId}`);
  for (let look = 1; look <= LOOKS; look++) {
    const member = await lookAt(one);
    if (member?.template === null) {
      one.progress.note('The service does not show the template, so it could not be verified.');
      return { outcome, template: null };
    }
    if (member?.template.id === expected.id) return { outcome, template: member.template };
    if (member !== null && look === LOOKS) {
      one.progress.note(`The service lists the template ${nameOf(member.template)} instead.`);
      return { outcome: 'changed-by-others', template: member.template };
    }
    if (look < LOOKS) await sleep(FIRST_LOOK_MS * 2 ** (look - 1));
  }
  one.progress.note('The service said that the user was added, but does not list the user.');
  return outcome === 'changed'
    ? await putBack(one, 'The user is not listed after having been added.', { isPerhapsInside: true })
    : await stayInSight(one, 'The user is not listed after having been added again.');
}

async function putBack(
  one: Case,
  why: string,
  before: Pick<AddMemberInput, 'isPerhapsInside'> = {},
): Promise<Ending> {
  one.progress.note(`${why} The old template is put back.`);
  const added = await add(one, one.previous, before);
  if (added.kind === 'added') return await verify(one, 'restored', one.previous);
  if (added.kind === 'other') {
    // Also the wanted one: a list that lags for long had not shown its addition.
    noteLeft(one, added.template);
    return { outcome: toOutcome(one, added.template), template: added.template };
  }
  return await stayInSight(one, added.reason.text);
}

/** Outside, and neither template is taken: waits for a person, and looks and tries again now and then. */
async function stayInSight(one: Case, firstWhy: string): Promise<Ending> {
  const { progress, userId } = one;
  let chosen: PermissionTemplate | undefined;
  let left: string | undefined;
  let decisions = 0;
  let addingSinceMs = Number.NEGATIVE_INFINITY;
  setHandler(
    decideMemberUpdate,
    raw => {
      const decision = decideMemberInput.parse(raw);
      if (decision.templateId === undefined) left = decision.reason;
      else chosen = { id: decision.templateId, name: '' };
      decisions++;
      return { taken: true };
    },
    {
      description:
        'For a user who is outside: {"templateId": "302"} or {"leaveOutside": true, "reason": "..."}.',
      validator: raw => {
        const parsed = decideMemberInput.safeParse(raw);
        if (!parsed.success) throw new Error(explainFaults(parsed.error, DECISION_EXAMPLE));
        if (left !== undefined) throw new Error(`It was decided already to leave the user outside: ${left}`);
        // One that lasts, for the service is away, is not waited for: what is said counts when it has ended.
        if (Date.now() - addingSinceMs < ADDING_MS) {
          throw new Error(
            'The user is being added just now. See in a moment whether it was taken, and decide then.',
          );
        }
      },
    },
  );
  const sinceMs = Date.now();
  let why = firstWhy;
  let seen = progress.resumes + decisions;
  const isSaid = (): boolean => progress.resumes + decisions !== seen;
  const templates = (): readonly PermissionTemplate[] =>
    chosen === undefined ? [one.wanted, one.previous] : [chosen];
  let isBeside = false;
  const end = (template: PermissionTemplate | null, by: BringInsideResult['by']): Ending => {
    progress.goOn();
    if (by === 'others') progress.note('Somebody has added the user.');
    if (isBeside && left !== undefined) progress.note(`Inside by then, and not left outside: ${left}`);
    if (chosen !== undefined && template !== null && template.id !== chosen.id) {
      progress.note(`Inside by then, and not with the template ${chosen.id} that was decided on.`);
    }
    return { outcome: toOutcome(one, template), template };
  };
  const leave = (reason: string): Ending => {
    progress.goOn();
    progress.note(`Left outside: ${reason}`);
    return { outcome: 'left-outside', template: null };
  };
  for (let round = 0; ; round++) {
    progress.tell(`User ${userId} is OUTSIDE the project`);
    progress.standStill(
      {
        code: 'user-outside',
        text: `User ${userId} was removed from project ${one.project.projectId} and cannot be added again: ${why}`,
        fix: `Add the user by hand, or repair the cause and send "resume", or answer with the update "decide" (another template, or leave the user outside).`,
      },
      sinceMs,
    );
    isBeside = patched('one-activity-waits-for-who-is-outside');
    if (isBeside) {
      // What was said while the round before was under way counts at once.
      const inside = isSaid() ? undefined : await waitOutside(one, templates(), isSaid);
      if (inside !== undefined) return end(inside.template, inside.by);
    } else {
      seen = progress.resumes + decisions;
      await condition(isSaid, Math.min(FIRST_WAIT_MS * 2 ** Math.min(round, 10), LONGEST_WAIT_MS));
      if (left !== undefined) return leave(left);
    }
    seen = progress.resumes + decisions;
    const member = await lookAt(one);
    if (member !== null) return end(member.template, 'others');
    // Only now it is certain that no try that was cut has brought the user inside.
    if (isBeside && left !== undefined) return leave(left);
    addingSinceMs = Date.now();
    for (const template of templates()) {
      const added = await add(one, template);
      if (added.kind !== 'refused') return end(added.kind === 'added' ? template : added.template, 'us');
      why = added.reason.text;
    }
    addingSinceMs = Number.NEGATIVE_INFINITY;
  }
}

/** How somebody came inside. Undefined: cut, for something was said. */
async function waitOutside(
  { calls, project, userId }: Case,
  templates: readonly PermissionTemplate[],
  isSaid: () => boolean,
): Promise<BringInsideResult | undefined> {
  const scope = new CancellationScope();
  const result = scope.run(() =>
    calls.service.bringInside(
      () => ({ project, userId, templates, asked: asking() }),
      `Add user ${userId}, now and then, until it is taken`,
    ),
  );
  await Promise.race([result.then(ignore, ignore), scope.run(() => condition(isSaid)).then(ignore, ignore)]);
  scope.cancel();
  try {
    return await result;
  } catch (error: unknown) {
    if (isCancellation(error) || isCutInFailing(error)) return undefined;
    throw error;
  }
}

function ignore(): void {
  // Whoever awaits the activity itself hears of it.
}

/** The attempt that was cut failed by itself, and only for the cut there is no other one. */
function isCutInFailing(error: unknown): boolean {
  return error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED';
}

async function lookAt({ calls, project, userId }: Case): Promise<Member | null> {
  return await calls.service.lookAtMember(() => ({ project, userId }), `Look at user ${userId}`);
}

function toOutcome(one: Case, template: PermissionTemplate | null): PermissionTemplateResult['outcome'] {
  if (template?.id === one.wanted.id) return 'changed';
  return template?.id === one.previous.id ? 'restored' : 'changed-by-others';
}

function noteLeft({ progress }: Case, template: PermissionTemplate): void {
  progress.note(`The user has the template ${nameOf(template)} by now; it was left so.`);
}

function nameOf({ id, name }: PermissionTemplate): string {
  return name === '' ? id : `${name} (${id})`;
}
