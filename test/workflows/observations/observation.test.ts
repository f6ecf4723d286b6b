// Observations the whole way: a real Temporal server, real workers, files on a real
// share, the stand-in over HTTP.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowContinuedAsNewError, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { resumeSignal, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import {
  confirmUpdate,
  type ObservationResult,
  observationProgressQuery,
  observationWorkflowId,
  respondSignal,
  reviewedSignal,
  type SendUnsentResult,
  unsentQuery,
  workDoneSignal,
} from '../../../workflows/observations/observation-contract';
import { type RunProgressReport, runProgressQuery } from '../../../workflows/run/run-progress-contract';
import { DEFAULT_COMPANY_ID } from '../../sandbox/defaults';
import { askService } from '../../setup/ask-service';
import { recordHistory } from '../../setup/recorded-histories';
import { Rig } from '../../setup/rig';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
  await rig.startWorker();
  mkdirSync(join(rig.folder, 'share', 'observations', 'axis'), { recursive: true });
});
beforeEach(async () => {
  await rig.control.reset();
});
afterAll(async () => {
  await rig.close();
});

type Handle<Result> = WorkflowHandle<(input: unknown) => Promise<Result>>;

const plain = {
  companyId: DEFAULT_COMPANY_ID,
  projectId: '7001',
  type: 'safety hazard',
  name: 'Open edge',
  description: 'No guard rail.',
  assignee: 'Ada Ashby',
  distribution: 'default',
};

async function start<Result = ObservationResult>(
  input: unknown,
  workflow = 'observationWorkflow',
): Promise<Handle<Result>> {
  return (await rig.temporal.client.workflow.start(workflow, {
    workflowId: `observation/test/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [input],
  })) as Handle<Result>;
}

function photo(path: string, size = 300_000): string {
  const bytes = randomBytes(size);
  writeFileSync(join(rig.folder, 'share', 'observations', path), bytes);
  return createHash('sha256').update(bytes).digest('hex');
}

async function untilTold(handle: Handle<ObservationResult>, text: string): Promise<RunProgressReport> {
  for (;;) {
    const progress = await handle.query(runProgressQuery);
    if (`${progress.step}\n${progress.notes.join('\n')}`.includes(text)) return progress;
    await rig.temporal.nextEvent(handle);
  }
}

async function failureOf(handle: Handle<unknown>): Promise<{ type?: string; message: string }> {
  const error = await handle.result().catch((reason: unknown) => reason as Error);
  return ((error as Error).cause ?? {}) as { type?: string; message: string };
}

/** As a person in the service does it. */
async function close(id: string): Promise<void> {
  for (const status of ['ready_for_review', 'closed']) await setStatus(id, status);
}

async function setStatus(id: string, status: string): Promise<void> {
  const { type } = (await api(`items/${id}?project_id=7001`)) as { type: { id: number } };
  await api(`items/${id}`, {
    project_id: 7001,
    observation: { name: plain.name, type_id: type.id, status },
  });
}

async function api(path: string, patch?: unknown): Promise<unknown> {
  const method = patch === undefined ? 'GET' : 'PATCH';
  return (await askService(rig.sandbox, method, `observations/${path}`, patch)).json;
}

const items = async () => (await api('items?project_id=7001')) as Record<string, unknown>[];
const count = async (route: string) => (await rig.control.requests())[route] ?? 0;

describe('the way to closed', () => {
  test('resolved by names, answered, submitted for review and closed', async () => {
    const handle = await start(plain);
    await untilTold(handle, 'waits for the signal "workDone"');
    await handle.signal(respondSignal, { comment: 'Rail ordered', requestId: 'a' });
    await handle.signal(respondSignal, { comment: 'Rail ordered', requestId: 'a' });
    await handle.signal(workDoneSignal, { comment: 'Rail fixed' });
    const result = await handle.result();
    await recordHistory(handle);
    expect(result.outcome).toBe('closed');
    const shown = (await api(`items/${result.observationId}?project_id=7001`)) as Record<string, unknown>;
    expect(shown).toMatchObject({
      status: 'closed',
      type: { name: 'Safety Hazard' },
      assignee: { name: 'Ada Ashby' },
      distribution_members: [{ id: 9001 }, { id: 9002 }],
    });
    const logs = (await api(`items/${result.observationId}/response_logs?project_id=7001`)) as {
      comment: string;
    }[];
    expect(logs.map(({ comment }) => comment)).toEqual(['Rail ordered', 'Rail fixed']);
    expect(await rig.control.violations()).toEqual([]);
  });

  test('with a review that is waited for, what was not accepted goes round again', async () => {
    const handle = await start({ ...plain, review: 'wait' });
    await untilTold(handle, 'waits for the signal "workDone"');
    await handle.signal(workDoneSignal, {});
    await untilTold(handle, 'waits for the signal "reviewed"');
    await handle.signal(reviewedSignal, { accepted: false, comment: 'Not tight' });
    await untilTold(handle, 'waits for the signal "workDone"');
    expect((await items())[0]).toMatchObject({ status: 'not_accepted' });
    await handle.signal(workDoneSignal, { comment: 'Tightened' });
    await untilTold(handle, 'waits for the signal "reviewed"');
    await handle.signal(reviewedSignal, { accepted: true });
    expect(await handle.result()).toMatchObject({ outcome: 'closed' });
    await recordHistory(handle);
  });

  test('"resume" makes it look at once, also said to the id that an event of the service leads to', async () => {
    const handle = await start(plain);
    const { notes } = await untilTold(handle, 'waits for the signal "workDone"');
    const id = /Observation (\d+) is there/.exec(notes.join(' '))?.[1] ?? '';
    const door = rig.temporal.client.workflow.getHandle(observationWorkflowId('7001', id));
    const looks = async () => await count('observations.show');
    const before = await looks();
    await handle.signal(resumeSignal, { requestId: 'a' });
    while ((await looks()) === before) await rig.temporal.nextEvent(handle);
    await close(id);
    await door.signal(resumeSignal, { requestId: 'b' });
    expect(await handle.result()).toMatchObject({ outcome: 'closed-by-others' });
    await recordHistory(handle);
    // Nobody stands at a door that leads nowhere.
    await expect(door.result()).rejects.toBeInstanceOf(WorkflowFailedError);
  });

  test('what people say to the id of the observation reaches its run', async () => {
    const handle = await start(plain);
    const { notes } = await untilTold(handle, 'waits for the signal "workDone"');
    const id = /Observation (\d+) is there/.exec(notes.join(' '))?.[1] ?? '';
    const door = rig.temporal.client.workflow.getHandle(observationWorkflowId('7001', id));
    await door.signal(respondSignal, { comment: 'Rail ordered' });
    await untilTold(handle, 'A response was logged');
    await door.signal(workDoneSignal, { comment: 'Rail fixed' });
    expect(await handle.result()).toMatchObject({ outcome: 'closed' });
  });

  test('nothing is made or logged twice when answers are lost', async () => {
    for (const route of ['observations.create', 'responseLogs.create', 'observations.update']) {
      await rig.control.addFault({ route, action: { kind: 'reply-lost' } });
    }
    const handle = await start(plain);
    await untilTold(handle, 'waits for the signal "workDone"');
    await handle.signal(workDoneSignal, { comment: 'Done' });
    const { observationId } = await handle.result();
    await recordHistory(handle);
    expect(await items()).toHaveLength(1);
    expect(await api(`items/${observationId}/response_logs?project_id=7001`)).toHaveLength(1);
    expect(await count('observations.create')).toBe(1);
  });

  test('one that is there already is carried on, and its end by other hands is noticed', async () => {
    const { observationId } = await (await start({ ...plain, until: 'created' })).result();
    const handle = await start({ ...plain, observationId });
    await untilTold(handle, 'waits for the signal "workDone"');
    await handle.signal(workDoneSignal, {});
    expect(await handle.result()).toMatchObject({ observationId, outcome: 'closed' });
    const late = await start({ ...plain, observationId });
    await late.signal(workDoneSignal, {});
    expect(await late.result()).toMatchObject({ outcome: 'closed-by-others' });
    expect(await items()).toHaveLength(1);
    const { message } = await failureOf(await start({ ...plain, observationId: 999 }));
    expect(message).toMatch(/no observation 999/);
  });

  test('one that is in review already waits for its review, whoever brought it there', async () => {
    const { observationId } = await (await start({ ...plain, until: 'created' })).result();
    await setStatus(observationId, 'ready_for_review');
    const handle = await start({ ...plain, observationId, review: 'wait' });
    await untilTold(handle, 'waits for the signal "reviewed"');
    await handle.signal(reviewedSignal, { accepted: false });
    await untilTold(handle, 'waits for the signal "workDone"');
    // Somebody in the service does what "workDone" would have done.
    await setStatus(observationId, 'ready_for_review');
    await handle.signal(reviewedSignal, { accepted: true });
    expect(await handle.result()).toMatchObject({ observationId, outcome: 'closed' });
    await recordHistory(handle);
  });

  test('what was said before a worker was there counts in its order, and after "workDone" nothing is lost', async () => {
    await rig.stopWorker();
    const handle = await start(plain);
    await handle.signal(respondSignal, { comment: 'First' });
    await handle.signal(workDoneSignal, { comment: 'Second' });
    await handle.signal(respondSignal, { comment: 'Third' });
    await rig.startWorker();
    const { observationId, outcome } = await handle.result();
    expect(outcome).toBe('closed');
    const logs = (await api(`items/${observationId}/response_logs?project_id=7001`)) as { comment: string }[];
    expect(logs.map(({ comment }) => comment).sort()).toEqual(['First', 'Second', 'Third']);
    expect(logs[0]?.comment).toBe('First');
  });

  test('a signal that cannot be used is noted where its sender can see it', async () => {
    const handle = await start(plain);
    await handle.signal('respond', { text: 'x' });
    const { notes } = await untilTold(handle, 'could not be used');
    expect(notes.join()).toMatch(/"respond" could not be used: comment/);
    await handle.terminate();
  });

  test('one that looks the same and was there before is not taken for ours', async () => {
    const first = await (await start({ ...plain, until: 'created' })).result();
    const second = await (await start({ ...plain, until: 'created' })).result();
    expect(second.observationId).not.toBe(first.observationId);
    expect(await items()).toHaveLength(2);
  });

  test('nor is another one made beside it where that is not wanted', async () => {
    const { observationId } = await (await start({ ...plain, ifThere: 'stop', until: 'created' })).result();
    const { type, message } = await failureOf(await start({ ...plain, ifThere: 'stop', until: 'created' }));
    expect(type).toBe('REQUEST_REFUSED');
    expect(message).toContain(`looks the same: ${observationId}`);
    expect(await items()).toHaveLength(1);
  });
});

describe('what is said when the run is about to end', () => {
  const commentsOf = async (id: string) =>
    ((await api(`items/${id}/response_logs?project_id=7001`)) as { comment: string }[]).map(
      ({ comment }) => comment,
    );

  test('is logged where others have closed the item', async () => {
    const handle = await start(plain);
    const { notes } = await untilTold(handle, 'waits for the signal "workDone"');
    const id = /Observation (\d+) is there/.exec(notes.join(' '))?.[1] ?? '';
    await close(id);
    await handle.signal(respondSignal, { comment: 'Rail tight' });
    await handle.signal(workDoneSignal, { comment: 'Fixed' });
    expect(await handle.result()).toMatchObject({ outcome: 'closed-by-others' });
    await recordHistory(handle);
    expect(await commentsOf(id)).toEqual(['Rail tight', 'Fixed']);
  });

  test('is noted where the service does not take it', async () => {
    const handle = await start(plain);
    const { notes } = await untilTold(handle, 'waits for the signal "workDone"');
    await close(/Observation (\d+) is there/.exec(notes.join(' '))?.[1] ?? '');
    await rig.control.addFault({ route: 'responseLogs.create', action: { kind: 'status', status: 422 } });
    await handle.signal(respondSignal, { comment: 'Rail tight' });
    const result = await handle.result();
    expect(result.outcome).toBe('closed-by-others');
    expect(result.notes.join()).toMatch(/A response was not taken/);
  });

  test('is noted where the item has gone', async () => {
    const handle = await start(plain);
    await untilTold(handle, 'waits for the signal "workDone"');
    await rig.control.addFault({
      route: 'observations.show',
      times: 2,
      action: { kind: 'status', status: 404 },
    });
    await handle.signal(workDoneSignal, { comment: 'Rail tight' });
    const { outcome, notes } = await handle.result();
    await recordHistory(handle);
    expect(outcome).toBe('gone');
    expect(notes.at(-1)).toBe('The observation has gone, so this could not be logged: "Rail tight"');
  });

  test('is logged where one look alone says that the item has gone', async () => {
    const handle = await start(plain);
    await untilTold(handle, 'waits for the signal "workDone"');
    await rig.control.addFault({ route: 'observations.show', action: { kind: 'status', status: 404 } });
    await handle.signal(workDoneSignal, { comment: 'Rail tight' });
    const { observationId, outcome } = await handle.result();
    expect(outcome).toBe('closed');
    expect(await commentsOf(observationId)).toEqual(['Rail tight']);
  });

  test('is logged although it comes while we close it', async () => {
    const handle = await start(plain);
    await untilTold(handle, 'waits for the signal "workDone"');
    const delay = { kind: 'delay', ms: 600_000, when: 'after' } as const;
    const faultId = await rig.control.addFault({ route: 'observations.update', action: delay, skip: 1 });
    await handle.signal(workDoneSignal, {});
    await untilTold(handle, 'Setting the status closed');
    await handle.signal(respondSignal, { comment: 'Rail tight' });
    await rig.control.removeFault(faultId);
    const { observationId, outcome } = await handle.result();
    await recordHistory(handle);
    expect(outcome).toBe('closed');
    expect(await commentsOf(observationId)).toEqual(['Rail tight']);
  });

  test('is logged by a run that only makes it', async () => {
    await rig.stopWorker();
    const handle = await start({ ...plain, until: 'created' });
    await handle.signal(respondSignal, { comment: 'Rail tight' });
    await rig.startWorker();
    const { observationId } = await handle.result();
    expect(await commentsOf(observationId)).toEqual(['Rail tight']);
  });
});

describe('attachments', () => {
  test('travel from the share, whole, also when the answer is lost', async () => {
    photo('axis/c.jpg');
    photo('Büro & Öl "2".jpg', 1_500_000);
    await rig.control.addFault({ route: 'observations.create', action: { kind: 'reply-lost' } });
    const handle = await start({
      ...plain,
      share: 'tender',
      attachments: ['axis/c.jpg', 'Büro & Öl "2".jpg'],
      until: 'created',
    });
    const { observationId, notes } = await handle.result();
    await recordHistory(handle);
    expect(notes).toContain('2 files are attached.');
    const shown = await api(`items/${observationId}?project_id=7001`);
    expect(shown).toMatchObject({ attachments: [{ name: 'c.jpg' }, { name: 'Büro & Öl "2".jpg' }] });
    expect(await items()).toHaveLength(1);
  });

  test('that the answer to the making shows are not looked at again', async () => {
    photo('axis/c.jpg');
    const files = { share: 'tender', attachments: ['axis/c.jpg'] };
    const { notes } = await (await start({ ...plain, ...files, until: 'created' })).result();
    expect(notes).toContain('1 files are attached.');
    expect(await count('observations.show')).toBe(0);
  });

  test('whose names are written otherwise, as from a Mac, are attached once', async () => {
    const name = 'Büro.jpg'.normalize('NFD');
    photo(name);
    const handle = await start({ ...plain, share: 'tender', attachments: [name], until: 'created' });
    const { observationId, notes } = await handle.result();
    expect(notes).toContain('1 files are attached.');
    const shown = (await api(`items/${observationId}?project_id=7001`)) as { attachments: unknown[] };
    expect(shown.attachments).toMatchObject([{ name: 'Büro.jpg'.normalize('NFC') }]);
    expect(shown.attachments).toHaveLength(1);
  });

  test('given with an observation that is there are attached beside what it has, once', async () => {
    photo('theirs.jpg');
    photo('ours.jpg');
    const share = { share: 'tender', until: 'created' };
    const first = await (await start({ ...plain, ...share, attachments: ['theirs.jpg'] })).result();
    const { observationId } = first;
    await rig.control.addFault({ route: 'observations.update', action: { kind: 'reply-lost' } });
    const handle = await start({ ...plain, ...share, observationId, attachments: ['ours.jpg'] });
    const { notes, missingFiles } = await handle.result();
    await recordHistory(handle);
    expect([missingFiles, notes.at(-1)]).toEqual([undefined, '2 files are attached.']);
    const both = { attachments: [{ name: 'theirs.jpg' }, { name: 'ours.jpg' }] };
    expect(await api(`items/${observationId}?project_id=7001`)).toMatchObject(both);
    await (
      await start({ ...plain, ...share, observationId, attachments: ['ours.jpg', 'theirs.jpg'] })
    ).result();
    const shown = (await api(`items/${observationId}?project_id=7001`)) as { attachments: unknown[] };
    expect(shown.attachments).toHaveLength(2);
  });

  test('given with an observation that is there, and missing, are told in the end', async () => {
    const { observationId } = await (await start({ ...plain, until: 'created' })).result();
    const files = { share: 'tender', attachments: ['nowhere.jpg'] };
    const result = await (await start({ ...plain, ...files, observationId, until: 'created' })).result();
    expect(result).toMatchObject({ outcome: 'created', missingFiles: expect.stringMatching(/no file/) });
  });

  test('that are missing are told in the end, also by the run that goes on in place of a long one', async () => {
    photo('missing.jpg');
    // It is found in the list, and no look at it shows that the photo is there.
    await rig.control.addFault({ route: 'observations.create', action: { kind: 'reply-lost' } });
    await rig.control.addFault({
      route: 'observations.show',
      times: 3,
      action: { kind: 'status', status: 404 },
    });
    const handle = await start({ ...plain, share: 'tender', attachments: ['missing.jpg'] });
    const { notes } = await untilTold(handle, 'waits for the signal "workDone"');
    const { workflowId, runId } = await handle.describe();
    const first = rig.temporal.client.workflow.getHandle(workflowId, runId, { followRuns: false });
    // The server calls a history long at 4 MiB, and of what comes while a task is worked on it says so later.
    for (const pair of ['12', '34', '56']) {
      await Promise.all(
        [...pair].map(letter => handle.signal(resumeSignal, { requestId: letter.repeat(900_000) })),
      );
    }
    await expect(first.result()).rejects.toThrow(WorkflowContinuedAsNewError);
    const goesOn = await untilTold(handle, 'waits for the signal "workDone"');
    expect(goesOn.notes).toEqual(notes.filter(note => note.startsWith('Files are missing: ')));
    const { made } = await handle.query(observationProgressQuery);
    expect(made).toEqual({ id: expect.any(String), missingFiles: expect.stringContaining('has gone') });
    await handle.signal(workDoneSignal, {});
    const result = await handle.result();
    expect(result).toMatchObject({ outcome: 'closed', missingFiles: expect.stringContaining('has gone') });
    expect(await items()).toHaveLength(1);
  });

  test('of a response come along with it', async () => {
    photo('after.jpg');
    photo('before.jpg');
    const handle = await start({ ...plain, share: 'tender', attachments: ['before.jpg'] });
    await handle.signal(workDoneSignal, { comment: 'See the photo', attachments: ['after.jpg'] });
    const { observationId } = await handle.result();
    const logs = await api(`items/${observationId}/response_logs?project_id=7001`);
    expect(logs).toMatchObject([{ attachments: [{ name: 'after.jpg' }] }]);
  });

  test('said to a run without a share are noted, and the run goes on', async () => {
    const handle = await start(plain);
    await untilTold(handle, 'waits for the signal "workDone"');
    await handle.signal(workDoneSignal, { comment: 'See the photo', attachments: ['after.jpg'] });
    await untilTold(handle, 'started without a "share"');
    await handle.signal(workDoneSignal, { comment: 'Fixed' });
    const { observationId, outcome } = await handle.result();
    await recordHistory(handle);
    expect(outcome).toBe('closed');
    const logs = await api(`items/${observationId}/response_logs?project_id=7001`);
    expect(logs).toMatchObject([{ comment: 'Fixed' }]);
  });

  test.each([
    ['is not there', 'nowhere.jpg', /no file/],
    ['is empty', 'empty.jpg', /empty/],
    ['is a link', 'link.jpg', /link/],
    ['has another name elsewhere', 'hard.jpg', /hard link/],
    ['leads out of the folder', '../share.json', /leads out/],
    ['lies behind a link', 'linked/secret.jpg', /link/],
  ])('a file that %s ends the run with the reason, and nothing is made', async (_, path, why) => {
    const folder = join(rig.folder, 'share', 'observations');
    writeFileSync(join(folder, 'empty.jpg'), '');
    mkdirSync(join(rig.folder, 'elsewhere'), { recursive: true });
    writeFileSync(join(rig.folder, 'elsewhere', 'secret.jpg'), 'x');
    rmSync(join(folder, 'hard.jpg'), { force: true });
    linkSync(join(rig.folder, 'elsewhere', 'secret.jpg'), join(folder, 'hard.jpg'));
    for (const [target, link] of [
      [join(rig.folder, 'elsewhere', 'secret.jpg'), join(folder, 'link.jpg')],
      [join(rig.folder, 'elsewhere'), join(folder, 'linked')],
    ] as const) {
      try {
        symlinkSync(target, link);
      } catch (error) {
        if ((error as { code?: string }).code !== 'EEXIST') throw error;
      }
    }
    const { message } = await failureOf(await start({ ...plain, share: 'tender', attachments: [path] }));
    expect(message).toMatch(why);
    expect(await items()).toHaveLength(0);
  });
});

describe('what cannot be', () => {
  test('all faults of an input are said at once, with an example', async () => {
    const { type, message } = await failureOf(
      await start({ companyId: '5001', type: '', name: 'x', priority: 'Some', share: 'tender' }),
    );
    expect(type).toBe('INVALID_INPUT');
    expect(message).toMatch(/projectId[\s\S]*priority[\s\S]*For example/);
  });

  test('names that lead nowhere are all said, with the nearest, and nothing is made', async () => {
    const { message } = await failureOf(
      await start({ ...plain, type: 'Snag', assignee: 'Ada Ashbi', distribution: ['Robin Namesake'] }),
    );
    expect(message).toMatch(
      /type "Snag" is not in use[\s\S]*"Ada Ashbi"[\s\S]*Ada Ashby[\s\S]*more than one/,
    );
    expect(await count('observations.create')).toBe(0);
  });

  test('files that are missing are told beside names that lead nowhere', async () => {
    const attachments = ['axis/none.jpg', 'axis/neither.jpg'];
    const input = { ...plain, type: 'Safety Hazzard', share: 'tender', attachments };
    const handle = await start(input);
    const { type, message } = await failureOf(handle);
    await recordHistory(handle);
    expect(type).toBe('REQUEST_REFUSED');
    for (const path of attachments) expect(message).toContain(`There is no file "${path}".`);
    expect(message).toMatch(/^The type "Safety Hazzard" is not known/);
    const alone = await failureOf(await start({ ...input, type: plain.type }));
    for (const path of attachments) expect(alone.message).toContain(`There is no file "${path}".`);
    expect(await items()).toEqual([]);
  });

  test('the field set counts when it is asked for, and the service’s words are kept', async () => {
    const { message } = await failureOf(
      await start({ ...plain, description: undefined, assignee: undefined, validate: true }),
    );
    expect(message).toMatch(/status 422[\s\S]*required by the field set/);
    const made = await start({ ...plain, description: undefined, assignee: undefined, until: 'created' });
    expect(await made.result()).toMatchObject({ outcome: 'created' });
  });
});

describe('sending what is unsent', () => {
  const unsent = async (number: number) => {
    for (let index = 0; index < number; index++) {
      await (await start({ ...plain, name: `Item ${index}`, until: 'created' })).result();
    }
  };
  const project = { companyId: plain.companyId, projectId: plain.projectId };
  const counted = async (handle: Handle<SendUnsentResult>) => {
    for (;;) {
      const found = await handle.query(unsentQuery);
      if (found !== null) return found;
      await rig.temporal.nextEvent(handle);
    }
  };

  test('says how many, takes only that number for a yes, and mails once although the answer is lost', async () => {
    await unsent(3);
    await rig.control.addFault({ route: 'observations.sendUnsent', action: { kind: 'reply-lost' } });
    const handle = await start<SendUnsentResult>(project, 'sendUnsentObservationsWorkflow');
    expect(await counted(handle)).toMatchObject({ count: 3, names: ['Item 0', 'Item 1', 'Item 2'] });
    await expect(handle.executeUpdate(confirmUpdate, { args: [{ count: 2 }] })).rejects.toMatchObject({
      cause: { message: '3 observations are unsent, not 2.' },
    });
    await handle.executeUpdate(confirmUpdate, { args: [{ count: 3 }] });
    expect(await handle.result()).toEqual({ outcome: 'sent', count: 3 });
    await recordHistory(handle);
    expect(await count('observations.sendUnsent')).toBe(1);
    expect((await items()).every(item => item.date_notified !== null)).toBe(true);
  });

  test('what came after the confirmation is not mailed unasked', async () => {
    await unsent(1);
    const handle = await start<SendUnsentResult>(
      { ...project, confirmedCount: 2 },
      'sendUnsentObservationsWorkflow',
    );
    expect(await counted(handle)).toMatchObject({ count: 1 });
    await (await start({ ...plain, name: 'Late', until: 'created' })).result();
    await handle.executeUpdate(confirmUpdate, { args: [{ count: 1 }] });
    for (;;) {
      if ((await handle.query(unsentQuery))?.count === 2) break;
      await rig.temporal.nextEvent(handle);
    }
    expect(await count('observations.sendUnsent')).toBe(0);
    await handle.executeUpdate(confirmUpdate, { args: [{ count: 2 }] });
    expect(await handle.result()).toEqual({ outcome: 'sent', count: 2 });
  });

  test('nothing unsent is nothing to confirm', async () => {
    const handle = await start<SendUnsentResult>(project, 'sendUnsentObservationsWorkflow');
    expect(await handle.result()).toEqual({ outcome: 'nothing-unsent', count: 0 });
  });
});
