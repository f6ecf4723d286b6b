// The whole way: a real Temporal server, a real worker, and the stand-in service over HTTP.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { resumeSignal, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { type RunProgressReport, runProgressQuery } from '../../../workflows/run/run-progress-contract';
import {
  type DecideMember,
  decideMemberUpdate,
  type PermissionTemplateResult,
} from '../../../workflows/users/users-contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { recordHistory } from '../../setup/recorded-histories';
import { Rig } from '../../setup/rig';

const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
/** State of a pending activity. */
const STARTED = 2;
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start();
  await rig.startWorker();
});
beforeEach(async () => {
  await rig.control.reset();
});
afterAll(async () => {
  await rig.close();
});

type Handle = WorkflowHandle<(input: unknown) => Promise<PermissionTemplateResult>>;

async function start(input: Record<string, unknown>): Promise<Handle> {
  return (await rig.temporal.client.workflow.start('changePermissionTemplateWorkflow', {
    workflowId: `permission-template/test/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [input],
  })) as Handle;
}

async function untilBlocked(handle: Handle): Promise<RunProgressReport> {
  for (;;) {
    const progress = await handle.query(runProgressQuery);
    if (progress.blocked !== undefined) return progress;
    await rig.temporal.nextEvent(handle);
  }
}

async function failureOf(handle: Handle): Promise<string> {
  const error = await handle.result().catch((reason: unknown) => reason as Error);
  return (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : '';
}

describe('a template is changed', () => {
  // 9004 has template 302 (Standard) in the default content; somebody else has "Project Admin".
  test('by removing and adding once, and verified by the list', async () => {
    const handle = await start({ ...project, user: 'user-9004@sandbox.example', template: 'project admin' });
    expect(await handle.result()).toMatchObject({
      userId: '9004',
      outcome: 'changed',
      template: { id: '303', name: 'Project Admin' },
      previous: { id: '302' },
    });
    await recordHistory(handle);
    expect(await rig.control.requests()).toMatchObject({ 'users.remove': 1, 'users.add': 1 });
    expect(await rig.control.violations()).toEqual([]);
  });

  test('not at all when the user has it already', async () => {
    const handle = await start({ ...project, user: '9004', template: '302' });
    expect(await handle.result()).toMatchObject({ outcome: 'unchanged' });
    expect(await rig.control.requests()).not.toHaveProperty('users.remove');
  });

  test('once, although the answers of both the removal and the addition are lost', async () => {
    await rig.control.addFault({ route: 'users.remove', action: { kind: 'reply-lost' } });
    await rig.control.addFault({ route: 'users.add', action: { kind: 'reply-lost' } });
    const handle = await start({ ...project, user: 9004, template: 303 });
    expect(await handle.result()).toMatchObject({ outcome: 'changed', template: { id: '303' } });
    await recordHistory(handle);
    // The second attempt at the removal looks first, and sees that it is done.
    expect(await rig.control.requests()).toMatchObject({ 'users.remove': 1, 'users.add': 1 });
  });

  test('for a user who was left outside by a run that was ended', async () => {
    const handle = await start({ ...project, user: '9131', template: '303', previousTemplate: 'Standard' });
    expect(await handle.result()).toMatchObject({ outcome: 'changed', previous: { id: '302' } });
  });
});

describe('a removal whose answer was lost, of somebody whom the list still shows', () => {
  test.each([
    ['303', 'changed'],
    ['999', 'restored'],
  ])('with the template %s ends as %s, with the user inside', async (template, outcome) => {
    await rig.control.addFault({ route: 'users.remove', action: { kind: 'reply-lost' } });
    const user = { id: 9004, name: 'Ada Ashby', permission_template: { id: 302, name: 'Standard' } };
    const late = { kind: 'status', status: 200, body: [user] } as const;
    await rig.control.addFault({ route: 'users.list', skip: 2, times: 2, action: late });
    const handle = await start({ ...project, user: '9004', template });
    expect(await handle.result()).toMatchObject({
      outcome,
      template: { id: template === '303' ? '303' : '302' },
    });
    await recordHistory(handle);
    expect(await rig.control.requests()).toMatchObject({ 'users.remove': 2 });
  });
});

describe('an input that cannot be used', () => {
  test('fails at once with all faults and an example', async () => {
    const message = await failureOf(await start({ companyId: '5001', user: '', template: '301', extra: 1 }));
    expect(message).toContain('"projectId": an id of digits');
    expect(message).toContain('"user"');
    expect(message).toContain('extra');
    expect(message).toContain('For example:');
  });

  test.each([
    [
      'two people of one name',
      { user: 'Robin Namesake', template: '301' },
      'Robin Namesake (user-9129@sandbox.example)',
    ],
    ['a name of nobody', { user: 'Ada Ashbi', template: '301' }, 'Ada Ashby'],
    ['a template of nobody', { user: '9004', template: 'Standart' }, 'Standard'],
    ['an id of nobody without a previous template', { user: '9131', template: '301' }, 'previousTemplate'],
  ])('%s is refused before anything is sent', async (_, part, expected) => {
    const message = await failureOf(await start({ ...project, ...part }));
    expect(message).toContain(expected);
    expect(await rig.control.requests()).not.toHaveProperty('users.remove');
  });
});

describe('when the new template is refused', () => {
  test('the old one is put back', async () => {
    const handle = await start({ ...project, user: '9004', template: '999' });
    const result = await handle.result();
    expect(result).toMatchObject({ outcome: 'restored', template: { id: '302' } });
    expect(result.notes.join()).toContain('There is no such permission template');
    await recordHistory(handle);
  });

  test('a removal that is refused changes nothing', async () => {
    await rig.control.addFault({ route: 'users.remove', action: { kind: 'status', status: 403 } });
    expect(await failureOf(await start({ ...project, user: '9004', template: '303' }))).toContain('403');
    expect(await rig.control.requests()).not.toHaveProperty('users.add');
  });
});

describe('when the old template is refused as well', () => {
  beforeEach(async () => {
    await rig.control.addFault({
      route: 'users.add',
      times: 0,
      action: { kind: 'status', status: 403, message: 'No Directory Admin' },
    });
  });

  test('the user stays in sight until the cause is repaired and a person says so', async () => {
    const handle = await start({ ...project, user: '9004', template: '303' });
    const { blocked, step } = await untilBlocked(handle);
    expect(blocked?.reason.text).toContain('9004 was removed');
    expect(step).toContain('OUTSIDE');
    await rig.control.clearFaults();
    await handle.signal(resumeSignal, {});
    expect(await handle.result()).toMatchObject({ outcome: 'changed', template: { id: '303' } });
    await recordHistory(handle);
  });

  test('a cancellation does not leave the user outside unnoticed; another template does it', async () => {
    const handle = await start({ ...project, user: '9004', template: '303' });
    await untilBlocked(handle);
    await handle.cancel();
    await rig.control.clearFaults();
    expect(await handle.executeUpdate(decideMemberUpdate, { args: [{ templateId: '301' }] })).toEqual({
      taken: true,
    });
    await handle.result().catch(() => undefined);
    const users = await rig.control.operations();
    expect(users.filter(({ what }) => what === 'user-added')).toMatchObject([{ detail: { template: 301 } }]);
  });

  describe('what a person decides while it is tried again', () => {
    const HELD = { kind: 'delay', ms: 600_000, when: 'after' } as const;
    const outside = async () => {
      const handle = await start({ ...project, user: '9004', template: '303' });
      await untilBlocked(handle);
      await rig.control.clearFaults();
      return handle;
    };
    const until = async (holds: () => Promise<boolean>) => {
      while (!(await holds())) await delay(20);
    };
    const untilBegun = async (handle: Handle, activity: string) =>
      await until(async () => {
        const { pendingActivities } = (await handle.describe()).raw;
        return (pendingActivities ?? []).some(
          ({ activityType, state }) => activityType?.name === activity && state === STARTED,
        );
      });
    const additions = async () => (await rig.control.requests())['users.add'] ?? 0;
    const leave: { args: [DecideMember] } = { args: [{ leaveOutside: true, reason: 'Has left' }] };

    test('counts: who is to stay outside is not added', async () => {
      const handle = await outside();
      const held = await rig.control.addFault({ route: 'users.list', action: HELD });
      await handle.signal(resumeSignal, {});
      await untilBegun(handle, 'lookAtMember');
      await handle.executeUpdate(decideMemberUpdate, leave);
      await expect(
        handle.executeUpdate(decideMemberUpdate, { args: [{ templateId: '301' }] }),
      ).rejects.toMatchObject({
        cause: { message: expect.stringContaining('decided already') },
      });
      await rig.control.removeFault(held);
      expect(await handle.result()).toMatchObject({ outcome: 'left-outside' });
      await recordHistory(handle);
      expect((await rig.control.operations()).filter(({ what }) => what === 'user-added')).toEqual([]);
    });

    test('is refused where it cannot count, for the user is just being added', async () => {
      const handle = await outside();
      const held = await rig.control.addFault({ route: 'users.add', action: HELD });
      await handle.signal(resumeSignal, {});
      await untilBegun(handle, 'addMember');
      await expect(handle.executeUpdate(decideMemberUpdate, leave)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('being added just now') },
      });
      await rig.control.removeFault(held);
      expect(await handle.result()).toMatchObject({ outcome: 'changed' });
    });

    test('and what is repaired meanwhile is tried at once, not after the next wait', async () => {
      const handle = await start({ ...project, user: '9004', template: '303' });
      await untilBlocked(handle);
      const held = await rig.control.addFault({ route: 'users.list', action: HELD });
      await handle.signal(resumeSignal, { requestId: 'a' });
      await untilBegun(handle, 'lookAtMember');
      await handle.signal(resumeSignal, { requestId: 'b' });
      const before = await additions();
      await rig.control.removeFault(held);
      // The two of the first round, and of the second.
      await until(async () => (await additions()) === before + 4);
      await rig.control.clearFaults();
      await handle.signal(resumeSignal, { requestId: 'c' });
      expect(await handle.result()).toMatchObject({ outcome: 'changed' });
      await recordHistory(handle);
    });
  });

  test('a person can decide that the user stays outside, with a reason', async () => {
    const handle = await start({ ...project, user: '9004', template: '303' });
    await untilBlocked(handle);
    const refused = handle.executeUpdate(decideMemberUpdate, { args: [{ leaveOutside: true }] });
    await expect(refused).rejects.toMatchObject({
      cause: { message: expect.stringContaining('needs a "reason"') },
    });
    await handle.executeUpdate(decideMemberUpdate, { args: [{ leaveOutside: true, reason: 'Has left' }] });
    expect(await handle.result()).toMatchObject({ outcome: 'left-outside', template: null });
  });
});
