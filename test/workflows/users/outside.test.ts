// A user whom neither template lets in again: what the run asks for while it waits, for days.
import { changePermissionTemplateWorkflow } from '../../../workflows/users/change-permission-template';

const WANTED = { id: '303', name: 'Project Admin' };
const PREVIOUS = { id: '302', name: 'Standard' };
const REFUSED = { kind: 'refused', reason: { code: 'add-refused', text: 'No Directory Admin.', fix: '' } };
const DAY_MS = 86_400_000;

const asked: string[] = [];
let nowMs = 0;

const activities: Record<string, () => unknown> = {
  findMember: () => ({
    kind: 'found',
    member: { userId: '9004', name: 'Ada Ashby', template: PREVIOUS },
    template: WANTED,
    previous: PREVIOUS,
  }),
  lookAtMember: () => null,
  removeMember: () => ({ kind: 'removed' }),
  addMember: () => (nowMs < DAY_MS ? REFUSED : { kind: 'added' }),
  bringInside: () => ({ kind: 'added', template: WANTED }),
};

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  allHandlersFinished: () => true,
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
  log: { info: () => undefined, warn: () => undefined },
  patched: () => true,
  setCurrentDetails: () => undefined,
  setHandler: () => undefined,
  sleep: () => Promise.resolve(),
  workflowInfo: () => ({ runId: 'run', originalExecutionRunId: 'run' }),
  proxyActivities: () =>
    new Proxy(
      {},
      {
        get: (_, name) => ({
          executeWithOptions: () => {
            asked.push(String(name));
            return Promise.resolve(activities[String(name)]?.());
          },
        }),
      },
    ),
}));

test('a day of waiting is one activity, however often that tries', async () => {
  const result = await changePermissionTemplateWorkflow({
    companyId: '5001',
    projectId: '7001',
    user: '9004',
    template: '303',
  });
  expect(result).toMatchObject({ outcome: 'changed', template: WANTED });
  expect(asked).toEqual(['findMember', 'removeMember', 'addMember', 'addMember', 'bringInside']);
});
