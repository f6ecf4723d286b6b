// The batch workflow on a real Temporal server, with activities whose service is in memory and follows a
// script.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { AppendRecordInput } from '../../../activities';
import { resumeSignal, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, POLICY, reason } from '../fake-activities';
import { finishBatch, type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

async function run<Result>(
  world: FakeWorld,
  work: (running: RunningBatch) => Promise<Result>,
): Promise<Result> {
  return await runBatch(temporal, world, work);
}

const finish = (world: FakeWorld) => finishBatch(temporal, world);

async function untilHeld(handle: WorkflowHandle, count: number): Promise<void> {
  for (;;) {
    const progress = await handle.query(progressQuery);
    if (progress.held.length === count) return;
    await temporal.nextEvent(handle);
  }
}

describe('a clean batch of 100', () => {
  test('submits every document once, with few activities and events', async () => {
    const world = new FakeWorld(100);
    const history = await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 100, setApart: 0 });
      return await handle.fetchHistory();
    });
    expect(new Set(world.revisions).size).toBe(100);
    expect(world.count('submitRevisions')).toBe(1);
    expect(world.count('linkUploads')).toBe(1);
    expect(history.events?.length).toBeLessThan(200);
    expect(world.final.outcomes).toHaveLength(100);
  });

  test('notes the intent before it submits', async () => {
    const world = new FakeWorld(2);
    await finish(world);
    const names = world.calls.map(({ name, input }) =>
      name === 'appendRecord' ? `note ${(input as { record: { kind: string } }).record.kind}` : name,
    );
    expect(names.indexOf('note created')).toBeLessThan(names.indexOf('linkUploads'));
    expect(names.indexOf('note intent')).toBeLessThan(names.indexOf('submitRevisions'));
    expect(names.indexOf('note intent')).toBeGreaterThan(0);
  });

  test('says with the intent by which requirement each goes, and every one of them once', async () => {
    const world = new FakeWorld(3);
    world.requirements = [
      { when: 'Type is "Drawing"', asks: ['Type', 'Number'] },
      { when: 'the default of the project', asks: ['Type'] },
    ];
    world.onRead = index => (index === 1 ? { requirement: 1 } : {});
    await finish(world);
    const noted = world.calls.flatMap(({ input }) => (input as AppendRecordInput).inTurn?.required ?? []);
    expect(noted).toEqual([
      {
        requirements: world.requirements,
        documents: [
          { index: 0, requirement: 0 },
          { index: 1, requirement: 1 },
          { index: 2, requirement: 0 },
        ],
      },
    ]);
  });
});

describe('linking', () => {
  test('an id in neither list is looked at and created anew', async () => {
    const world = new FakeWorld(3);
    world.onLink = ({ items }, call) =>
      call === 1
        ? {
            kind: 'answered',
            linked: [
              ...(world.link(items.slice(0, 2).map(item => item.uploadId)).kind === 'answered' ? [0, 1] : []),
            ],
            failed: [],
            missing: [2],
          }
        : undefined;
    expect(await finish(world)).toMatchObject({ submitted: 3 });
    expect(world.count('createUploads')).toBe(2);
    expect(world.revisions).toHaveLength(3);
  });

  test('an id that is gone after a link that may have been heard is never created again', async () => {
    const world = new FakeWorld(3);
    world.onLookAgain = () => 'hidden';
    world.onLink = ({ items }, call) => {
      if (call > 2) return undefined;
      world.link(items.flatMap(({ index, uploadId }) => (index === 2 ? [] : [uploadId])));
      const linked = items.flatMap(({ index }) => (index === 2 ? [] : [index]));
      return {
        kind: 'answered',
        linked,
        failed: [],
        missing: [2],
        ...(call === 1 ? { repeated: true } : {}),
      };
    };
    expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
    expect(world.count('createUploads')).toBe(1);
    expect(world.count('linkUploads')).toBe(2);
    expect(world.final.outcomes.find(({ index }) => index === 2)).toMatchObject({
      reason: { code: 'perhaps-taken' },
    });
  });

  test('an id that was left out though its link had not been heard is linked at the second asking', async () => {
    const world = new FakeWorld(2);
    world.onLink = ({ items }, call) => {
      if (call > 1) return undefined;
      world.link(items.slice(0, 1).map(({ uploadId }) => uploadId));
      return { kind: 'answered', linked: [0], failed: [], missing: [1], repeated: true };
    };
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    expect(world.count('createUploads')).toBe(1);
  });

  test('an id in neither list that was linked all the same is not created again', async () => {
    const world = new FakeWorld(2);
    world.onLink = ({ items }, call) => {
      if (call > 1) return undefined;
      world.link(items.map(item => item.uploadId));
      return { kind: 'answered', linked: [0], failed: [], missing: [1] };
    };
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    expect(world.count('createUploads')).toBe(1);
  });

  test('a file the storage does not confirm is sent again under the same upload', async () => {
    const world = new FakeWorld(3);
    world.onLink = ({ items }, call) => {
      if (call > 1) return undefined;
      world.link(items.slice(1).map(item => item.uploadId));
      return { kind: 'answered', linked: [1, 2], failed: [{ index: 0, code: '404' }], missing: [] };
    };
    expect(await finish(world)).toMatchObject({ submitted: 3 });
    expect(world.count('createUploads')).toBe(1);
    expect(world.count('transferFiles')).toBe(2);
  });

  test('a poisoned document is found by halving and set apart, the others go on', async () => {
    const world = new FakeWorld(5);
    world.onLink = ({ items }) =>
      items.some(({ index }) => index === 3)
        ? { kind: 'refused', refusals: [{ reasonCode: 'INVALID_PROPERTY', message: 'bad' }] }
        : undefined;
    expect(await finish(world)).toMatchObject({ submitted: 4, setApart: 1 });
    expect(world.final.outcomes.find(({ index }) => index === 3)).toMatchObject({
      kind: 'set-apart',
      reason: { code: 'INVALID_PROPERTY' },
    });
  });
});

describe('submitting', () => {
  test('a lost reply is resolved by looking, and nothing is submitted twice', async () => {
    const world = new FakeWorld(4);
    world.onSubmit = ({ items }, call) => {
      if (call > 1) return undefined;
      for (const { index, uploadId } of items) world.submit(index, uploadId);
      return { kind: 'unknown' };
    };
    expect(await finish(world)).toMatchObject({ submitted: 4 });
    expect(world.revisions).toHaveLength(4);
    expect(world.count('createUploads')).toBe(1);
    expect(world.final.outcomes[0]).toMatchObject({ kind: 'submitted', revisionId: null, paired: 'unknown' });
  });

  test('an upload that somebody deleted while the answer to its submission was lost is not told as submitted', async () => {
    const world = new FakeWorld(3);
    world.onSubmit = ({ items }, call) => {
      if (call > 1) return undefined;
      // 410: deleted, which a submitted upload never is; the others were heard.
      for (const { index, uploadId } of items) {
        const upload = world.uploads.get(uploadId);
        if (index === 1 && upload !== undefined) upload.deleted = true;
        else world.submit(index, uploadId);
      }
      return { kind: 'unknown' };
    };
    expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
    expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
      kind: 'set-apart',
      reason: { code: 'taken-by-a-person' },
    });
    expect(world.count('createUploads')).toBe(1);
  });

  test('a request nobody heard is submitted again with the event ids of now', async () => {
    const world = new FakeWorld(2);
    world.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    expect(world.revisions).toHaveLength(2);
  });

  test('a request that could not be sent twice is preceded by a reading, which waits for the outage to end', async () => {
    const world = new FakeWorld(2);
    world.onSubmit = (_, call) => (call <= 2 ? { kind: 'not-sent' } : undefined);
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    expect(world.revisions).toHaveLength(2);
    const names = world.calls.map(({ name }) => name);
    expect(names.slice(names.lastIndexOf('submitRevisions') - 1).slice(0, 2)).toEqual([
      'readUploads',
      'submitRevisions',
    ]);
  });

  test('failures of an accepted request are tried again, the rest stands', async () => {
    const world = new FakeWorld(5);
    world.onSubmit = ({ items }, call) => {
      if (call > 1) return undefined;
      const [first, second, ...rest] = items;
      return {
        kind: 'answered',
        atMs: 1,
        revisionIds: rest.map(({ index, uploadId }) => world.submit(index, uploadId)),
        failures: [
          { reasonCode: 'CONCURRENCY_CONFLICT', message: '', uploadId: first!.uploadId },
          { reasonCode: 'UNKNOWN_FAILURE', message: '', uploadId: second!.uploadId },
        ],
      };
    };
    expect(await finish(world)).toMatchObject({ submitted: 5 });
    expect(world.count('submitRevisions')).toBe(2);
    expect(world.revisions).toHaveLength(5);
  });

  test('counts that do not add up are looked at', async () => {
    const world = new FakeWorld(3);
    world.onSubmit = ({ items }, call) => {
      if (call > 1) return undefined;
      world.submit(items[0]!.index, items[0]!.uploadId);
      return { kind: 'answered', atMs: 1, revisionIds: ['R'], failures: [] };
    };
    expect(await finish(world)).toMatchObject({ submitted: 3 });
    expect(world.revisions).toHaveLength(3);
  });

  test('an unnamed duplicate is found by halving and set apart', async () => {
    const world = new FakeWorld(9);
    world.onSubmit = ({ items }) =>
      items.some(({ index }) => index === 6)
        ? { kind: 'refused', refusals: [{ reasonCode: 'DUPLICATE_REVISION', message: '' }] }
        : undefined;
    expect(await finish(world)).toMatchObject({ submitted: 8, setApart: 1 });
    expect(world.final.outcomes.find(({ index }) => index === 6)).toMatchObject({
      reason: { code: 'DUPLICATE_REVISION' },
    });
  });

  test('an upload that a person took away before our first submission is set apart, not called submitted', async () => {
    const world = new FakeWorld(3);
    world.onSubmit = ({ items }) => {
      const taken = items.find(({ index }) => index === 1);
      if (taken === undefined) return undefined;
      world.uploads.get(taken.uploadId)!.consumed = true;
      return { kind: 'refused', refusals: [{ reasonCode: 'UPLOAD_NOT_FOUND', message: '' }] };
    };
    expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
    expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
      reason: { code: 'taken-by-a-person' },
    });
  });

  test('a file key mismatch sends and links the file again under the same upload', async () => {
    const world = new FakeWorld(2);
    world.onSubmit = ({ items }, call) =>
      call === 1
        ? {
            kind: 'refused',
            refusals: [{ reasonCode: 'FILE_KEY_MISMATCH', message: '', uploadId: items[0]!.uploadId }],
          }
        : undefined;
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    expect(world.count('createUploads')).toBe(1);
    expect(world.count('transferFiles')).toBe(2);
  });
});

describe('workflow conflicts', () => {
  test('policy terminate looks the status up and resubmits only the conflicting document', async () => {
    const world = new FakeWorld(4);
    world.policy = { ...POLICY, conflict: { kind: 'terminate', reason: 'New issue', status: 'Superseded' } };
    world.keepsHow = true;
    world.conflicts.add(2);
    expect(await finish(world)).toMatchObject({ submitted: 4 });
    expect(world.final.outcomes.find(({ index }) => index === 2)?.notes?.join(' ')).toContain('ended');
    const kept = world.final.outcomes.map(({ waits }) => waits);
    expect(kept).toMatchObject([
      undefined,
      undefined,
      [{ what: 'workflow-conflict', times: 1, policy: 'terminate' }],
      undefined,
    ]);
    expect(world.revisions).toHaveLength(4);
  });

  test('policy ask holds the document, settles the others, and goes on with the answer', async () => {
    const world = new FakeWorld(4);
    world.conflicts.add(2);
    const summary = await run(world, async ({ handle }) => {
      await untilHeld(handle, 1);
      await expect(
        handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'retry' }] }),
      ).rejects.toMatchObject({ cause: { message: expect.stringContaining('not held') } });
      await expect(
        handle.executeUpdate(answerUpdate, {
          args: [{ document: 2, decision: 'terminate', reason: 'x', status: 'Nope' }],
        }),
      ).rejects.toMatchObject({ cause: { message: expect.stringContaining('Nearest') } });
      while (world.settled.length === 0) await temporal.nextEvent(handle);
      expect(world.settled[0]).toMatchObject({ final: false, held: [{ index: 2 }] });
      expect(world.settled[0]?.outcomes).toHaveLength(3);
      await handle.executeUpdate(answerUpdate, {
        args: [{ document: 2, decision: 'terminate', reason: 'x', status: 'Superseded' }],
      });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 4, setApart: 0 });
  });

  test('policy wait tries again by itself until the workflow has ended', async () => {
    const world = new FakeWorld(2);
    world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 100 };
    world.conflicts.add(1);
    world.onSubmit = (_, call) => {
      if (call >= 5) world.conflicts.clear();
      return undefined;
    };
    world.keepsHow = true;
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    const [none, [wait] = []] = world.final.outcomes.map(({ waits }) => waits);
    expect(none).toBeUndefined();
    const why = 'Earlier revisions of this document have a workflow that is still running.';
    expect(wait).toMatchObject({ what: 'workflow-conflict', policy: 'wait', why });
    if (wait?.what !== 'workflow-conflict') throw new Error('No conflict was kept');
    expect(wait.times).toBeGreaterThan(1);
    expect(wait.untilMs).toBeGreaterThan(wait.sinceMs);
  });

  test('a held document is set apart when its time is over', async () => {
    const world = new FakeWorld(2);
    world.policy = { ...POLICY, holdMs: 200 };
    world.conflicts.add(1);
    expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
    expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
      reason: { code: 'hold-expired' },
    });
  });
});

describe('missing and impossible values', () => {
  test('an impossible value sets the document apart before anything is sent', async () => {
    const world = new FakeWorld(3);
    world.plan = index =>
      index === 1 ? { problems: [reason('unknown-value'), reason('unknown-field')] } : {};
    expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
    expect(world.uploads.size).toBe(2);
    expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
      reason: { text: expect.stringMatching(/unknown-value.*unknown-field/) },
    });
  });

  test('a held document goes on with the values a person gives', async () => {
    const world = new FakeWorld(2);
    world.plan = (index, values) =>
      index === 1 && JSON.stringify(values) === '{}' ? { hopeless: ['Type'] } : {};
    const summary = await run(world, async ({ handle }) => {
      await untilHeld(handle, 1);
      await handle.executeUpdate(answerUpdate, {
        args: [{ document: 'Package/file-1.pdf', values: { Type: 'Drawing' } }],
      });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2 });
  });

  test('what is missing after the analysis is held and written into the same upload', async () => {
    const world = new FakeWorld(2);
    let isGiven = false;
    world.needsAnalysis = () => true;
    world.missing = index => (index === 0 && !isGiven ? ['Type'] : []);
    const summary = await run(world, async ({ handle }) => {
      await untilHeld(handle, 1);
      isGiven = true;
      await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawing' } }] });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2 });
    expect(world.count('createUploads')).toBe(1);
    expect(world.count('writeValues')).toBe(1);
  });

  test('defaults are written into what is empty by then, and over nobody; a name goes over that of the service', async () => {
    const world = new FakeWorld(2);
    const fill = [{ fieldId: 'TYPE', values: ['drawing'] }];
    const rename = { fieldId: 'NAME', values: ['A-1'] };
    world.onRead = index => (index === 1 && !world.isWritten ? { fill, rename } : {});
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    const writes = world.calls.filter(({ name }) => name === 'writeValues').map(({ input }) => input);
    expect(writes).toMatchObject([
      { onlyEmpty: true, items: [{ index: 1, fields: fill }] },
      { onlyEmpty: false, items: [{ index: 1, fields: [rename] }] },
    ]);
  });

  test('a name that was given while the analysis ran is not given again, whatever the service made of it', async () => {
    const world = new FakeWorld(2);
    world.namesEarly = true;
    world.policy = { ...POLICY, naming: 'stem' };
    world.needsAnalysis = () => true;
    world.named = [{ index: 1, name: 'A-1' }];
    world.onRead = index =>
      world.isWritten && index === 0 ? {} : { rename: { fieldId: 'NAME', values: ['A-1'] } };
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    const inputs = (name: string) => world.calls.filter(call => call.name === name).map(({ input }) => input);
    const [first, ...others] = inputs('readUploads');
    expect(first).toMatchObject({ poll: { isToName: true, mayPart: true } });
    expect(others).toHaveLength(1);
    expect(inputs('writeValues')).toMatchObject([{ items: [{ index: 0 }] }]);
  });

  test('a name whose writing was not confirmed is written once more, before anything is submitted', async () => {
    const world = new FakeWorld(2);
    const rename = { fieldId: 'NAME', values: ['A-1'] };
    world.onRead = index => (index === 1 && !world.isWritten ? { rename } : {});
    world.unconfirmed = call => (call === 1 ? [1] : []);
    expect(await finish(world)).toMatchObject({ submitted: 2 });
    const steps = world.calls.filter(({ name }) => ['submitRevisions', 'writeValues'].includes(name));
    const naming = { name: 'writeValues', input: { items: [{ index: 1, fields: [rename] }] } };
    expect(steps).toMatchObject([naming, naming, { name: 'submitRevisions' }]);
  });

  test('a document whose name is never confirmed is set apart, not submitted under the name of the service', async () => {
    const world = new FakeWorld(2);
    world.onRead = index => (index === 1 ? { rename: { fieldId: 'NAME', values: ['A-1'] } } : {});
    world.unconfirmed = () => [1];
    expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
    expect(world.count('writeValues')).toBe(5);
    expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
      reason: { code: 'values-unconfirmed' },
    });
  });

  test('documents that need no analysis do not wait for the others', async () => {
    const world = new FakeWorld(4);
    world.needsAnalysis = index => index === 3;
    await finish(world);
    expect(world.count('submitRevisions')).toBe(2);
  });

  test('a failure that ends the batch while others are still analysed fails no workflow task before', async () => {
    const world = new FakeWorld(2);
    world.needsAnalysis = () => true;
    world.onRead = index => ({
      analysed: index === 0 || world.count('readUploads') > 1,
      ...(index === 0 ? { rename: { fieldId: 'NAME', values: ['A-1'] } } : {}),
    });
    world.onWrite = () => {
      throw ApplicationFailure.nonRetryable('a mistake of ours', 'BUG');
    };
    world.onCall = async (name, call) => {
      if (name === 'readUploads' && call > 1) await delay(500);
    };
    await run(world, async ({ handle }) => {
      await expect(handle.result()).rejects.toMatchObject({ cause: { cause: { type: 'BUG' } } });
      const { events } = await handle.fetchHistory();
      expect((events ?? []).filter(event => event.workflowTaskFailedEventAttributes != null)).toEqual([]);
    });
  });
});

describe('what only a person can repair', () => {
  test('the batch waits visibly and goes on at the resume signal, without failing', async () => {
    const world = new FakeWorld(2);
    world.onCall = (name, call) => {
      if (name === 'planDocuments' && call === 1)
        throw ApplicationFailure.nonRetryable('no permission (403)', 'ACCESS_DENIED');
    };
    const summary = await run(world, async ({ handle }) => {
      for (;;) {
        const { blocked } = await handle.query(progressQuery);
        if (blocked !== undefined) {
          expect(blocked.reason).toMatchObject({ code: 'ACCESS_DENIED', text: 'No permission (403).' });
          break;
        }
        await temporal.nextEvent(handle);
      }
      await handle.signal(resumeSignal, { requestId: 'a' });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2 });
  });

  test.each([
    ['while it is opened', 'openBatch', 'MISCONFIGURED', 'BATCH_HELD'],
    ['once it is open', 'planDocuments', 'LOGIN_REQUIRED', 'ACCESS_DENIED'],
  ])('a call that fails for another cause by now shows that one, %s', async (_, asked, first, second) => {
    const world = new FakeWorld(2);
    world.onCall = (name, call) => {
      if (name === asked && call < 3)
        throw ApplicationFailure.nonRetryable('not now', call === 1 ? first : second);
    };
    const summary = await run(world, async ({ handle }) => {
      const untilBlocked = async (code: string): Promise<number> => {
        for (let look = 0; look < 300; look++) {
          const { blocked } = await handle.query(progressQuery);
          if (blocked?.reason.code === code) return blocked.sinceMs;
          await temporal.nextEvent(handle);
        }
        throw new Error(`${code} is not shown`);
      };
      const sinceMs = await untilBlocked(first);
      await handle.signal(resumeSignal, { requestId: 'a' });
      expect(await untilBlocked(second)).toBe(sinceMs);
      await handle.signal(resumeSignal, { requestId: 'b' });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2 });
  });

  test('calls that stand still for the same go on together at the resume signal', async () => {
    const world = new FakeWorld(2);
    world.onCall = (name, call) => {
      if ((name === 'createUploads' || name === 'transferFiles') && call === 1)
        throw ApplicationFailure.nonRetryable('signed out', 'LOGIN_REQUIRED');
    };
    const summary = await run(world, async ({ handle }) => {
      const marks = async () =>
        (await handle.fetchHistory()).events?.filter(event => event.markerRecordedEventAttributes != null);
      // The second one waits behind the first.
      while ((await marks())?.length === 0) await temporal.nextEvent(handle);
      await handle.signal(resumeSignal, { requestId: 'a' });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2 });
    expect([world.count('createUploads'), world.count('transferFiles')]).toEqual([2, 2]);
  });

  test('a share that is misconfigured shows before the batch is open, and the batch goes on when it is repaired', async () => {
    const world = new FakeWorld(2);
    world.onCall = (name, call) => {
      if (name === 'openBatch' && call === 1)
        throw ApplicationFailure.nonRetryable('done is on another disk', 'MISCONFIGURED');
    };
    const summary = await run(world, async ({ handle }) => {
      while ((await handle.query(progressQuery)).blocked?.reason.code !== 'MISCONFIGURED')
        await temporal.nextEvent(handle);
      await handle.signal(resumeSignal, { requestId: 'a' });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2 });
  });

  test('a pattern that was corrected is used for the documents that waited for it', async () => {
    const world = new FakeWorld(2);
    world.documents = world.documents.map(document => ({ ...document, values: { Nmber: 'A' } }));
    world.policy = { ...world.policy, patternFields: ['Nmber'] };
    world.onCall = (name, call) => {
      if (name === 'planDocuments' && call === 1)
        throw ApplicationFailure.nonRetryable('no field "Nmber"', 'MISCONFIGURED');
    };
    const summary = await run(world, async ({ handle }) => {
      while ((await handle.query(progressQuery)).blocked?.reason.code !== 'MISCONFIGURED')
        await temporal.nextEvent(handle);
      world.documents = world.documents.map(document => ({ ...document, values: { Number: 'A' } }));
      world.policy = { ...world.policy, patternFields: ['Number'] };
      await handle.signal(resumeSignal, { requestId: 'a' });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2, setApart: 0 });
    const asked = world.calls.filter(({ name }) => name === 'planDocuments').map(({ input }) => input);
    expect(asked).toMatchObject([
      { patternFields: ['Nmber'], documents: [{ values: { Nmber: 'A' } }, {}] },
      { patternFields: ['Number'], documents: [{ values: { Number: 'A' } }, { values: { Number: 'A' } }] },
    ]);
    expect(JSON.stringify(asked[1])).not.toContain('Nmber');
  });

  test('a batch that was open and cannot be found any more waits for its share', async () => {
    const world = new FakeWorld(2);
    world.onCall = (name, call) => {
      if (name === 'transferFiles' && call === 1)
        throw ApplicationFailure.nonRetryable('There is no such batch on this share.', 'BATCH_UNUSABLE');
    };
    const summary = await run(world, async ({ handle }) => {
      while ((await handle.query(progressQuery)).blocked?.reason.code !== 'BATCH_UNUSABLE')
        await temporal.nextEvent(handle);
      await handle.signal(resumeSignal, { requestId: 'a' });
      return await handle.result();
    });
    expect(summary).toMatchObject({ submitted: 2 });
  });
});

describe('taken up from the journal', () => {
  const upload = (
    world: FakeWorld,
    index: number,
    state: Partial<{ completed: boolean; consumed: boolean }>,
  ) => {
    const id = `OLD${index}`;
    world.uploads.set(id, {
      id,
      index,
      completed: true,
      consumed: false,
      deleted: false,
      event: 1,
      analysed: true,
      ...state,
    });
    return id as never;
  };

  test('an upload with an intent that is gone counts as submitted; one that is there is submitted; none is made twice', async () => {
    const world = new FakeWorld(4);
    world.known = [
      { index: 0, uploadId: upload(world, 0, { consumed: true }), completed: true, intended: true },
      { index: 1, uploadId: upload(world, 1, {}), completed: true, intended: true },
      { index: 2, uploadId: upload(world, 2, {}), completed: true },
      { index: 3, uploadId: upload(world, 3, { consumed: true }), completed: true },
    ];
    expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 1 });
    expect(world.count('createUploads')).toBe(0);
    expect(world.count('transferFiles')).toBe(0);
    expect(world.revisions).toHaveLength(2);
    expect(world.final.outcomes.find(({ index }) => index === 3)).toMatchObject({
      reason: { code: 'taken-by-a-person' },
    });
  });

  test('an upload never seen completed is linked; gone, it may be somebody’s by now and is not made anew', async () => {
    const world = new FakeWorld(2);
    world.known = [
      { index: 0, uploadId: upload(world, 0, { completed: false }) },
      { index: 1, uploadId: 'GONE' as never },
    ];
    world.onLink = ({ items }) => {
      const there = items.filter(({ uploadId }) => uploadId !== 'GONE');
      world.link(there.map(({ uploadId }) => uploadId));
      return { kind: 'answered', linked: there.map(({ index }) => index), failed: [], missing: [1] };
    };
    expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
    expect(world.count('createUploads')).toBe(0);
    expect(world.count('linkUploads')).toBe(2);
    expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
      reason: { code: 'perhaps-taken' },
    });
  });
});

test('a bad input fails at once with all faults and an example', async () => {
  const world = new FakeWorld(1);
  await run(world, async () => {
    const failed = temporal.client.workflow.execute('ingestBatchWorkflow', {
      workflowId: randomUUID(),
      taskQueue: SERVICE_TASK_QUEUE,
      args: [{ share: 'Not A Share', batch: 7 }],
    });
    await expect(failed).rejects.toMatchObject({
      cause: {
        type: 'INVALID_INPUT',
        message: expect.stringMatching(/share[\s\S]*batchId[\s\S]*For example/),
      },
    });
  });
});
