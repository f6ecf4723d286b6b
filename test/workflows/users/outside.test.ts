// A user whom neither template lets in again: what the run asks for while it waits, for days.
import { changePermissionTemplateWorkflow } from '../../../workflows/users/change-permission-template';
import { INPUT, MEMBER_FOUND, type scriptedWorkflow, WANTED } from './scripted-members';

const REFUSED = { kind: 'refused', reason: { code: 'add-refused', text: 'No Directory Admin.', fix: '' } };
const DAY_MS = 86_400_000;

const asked: string[] = [];
let nowMs = 0;

const activities: Record<string, () => unknown> = {
  ...MEMBER_FOUND,
  removeMember: () => ({ kind: 'removed' }),
  addMember: () => (nowMs < DAY_MS ? REFUSED : { kind: 'added' }),
  bringInside: () => ({ kind: 'inside', by: 'us', template: WANTED }),
};

jest.mock('@temporalio/workflow', () => ({
  ...jest
    .requireActual<{ scriptedWorkflow: typeof scriptedWorkflow }>('./scripted-members')
    .scriptedWorkflow(name => {
      asked.push(name);
      return activities[name]?.();
    }),
  CancellationScope: class {
    static nonCancellable(work: () => unknown): unknown {
      return work();
    }
    run(work: () => unknown): unknown {
      return work();
    }
    cancel(): void {
      // Nobody says anything, so nothing is cut.
    }
  },
  // Nobody says anything: a wait with an end comes to it, another one never ends.
  condition: (_: unknown, timeoutMs?: number) => {
    nowMs += timeoutMs ?? 0;
    return timeoutMs === undefined ? new Promise(() => undefined) : Promise.resolve(false);
  },
}));

test('a day of waiting is one activity, however often that tries', async () => {
  const result = await changePermissionTemplateWorkflow(INPUT);
  expect(result).toMatchObject({ outcome: 'changed', template: WANTED });
  expect(asked).toEqual(['findMember', 'removeMember', 'addMember', 'addMember', 'bringInside']);
});
