// Answers for held documents: what is acknowledged is used, exactly as it was given, and once.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { SettleUpInput } from '../../../activities';
import type { SubmitRevisionsInput } from '../../../activities/ingest/api';
import { resumeSignal } from '../../../workflows/contract';
import { answerManyUpdate, answerUpdate, type HeldAnswer } from '../../../workflows/ingest/answer-contract';
import { type HeldDocument, progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, POLICY, reason } from '../fake-activities';
import { type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

/** An answer comes within this time, on a busy machine as well, and the test waits until it is over. */
const HOLD_MS = 3_000;
const TERMINATE = { document: 1, decision: 'terminate', reason: 'x', status: 'Superseded' } as const;

async function untilHeld(
  handle: WorkflowHandle,
  isIt: (held: HeldDocument) => boolean = () => true,
): Promise<HeldDocument> {
  for (;;) {
    const held = (await handle.query(progressQuery)).held.find(isIt);
    if (held !== undefined) return held;
    await temporal.nextEvent(handle);
  }
}

/**
 * The first document lacks its Type after the analysis; its Status is from the pattern, and written with the
 * link.
 */
function lackingType(): FakeWorld {
  const world = new FakeWorld(2);
  world.documents = world.documents.map(document => ({ ...document, values: { Status: 'S3' } }));
  world.plan = (_, values) => ({
    now: Object.entries(values as Record<string, string>).map(([name, value]) => [
      name === 'Status' ? 0 : 1,
      [value],
    ]),
  });
  world.needsAnalysis = () => true;
  world.missing = index => (index === 0 && !world.isWritten ? ['Type'] : []);
  return world;
}

test('exactly what was answered is written: what people have edited since stays', async () => {
  const world = lackingType();
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawing' } }] });
    expect(await handle.result()).toMatchObject({ submitted: 2 });
  });
  const writes = world.calls.filter(({ name }) => name === 'writeValues').map(({ input }) => input);
  expect(writes).toMatchObject([{ onlyEmpty: false }]);
  expect((writes[0] as { items: readonly { fields: unknown }[] }).items.map(({ fields }) => fields)).toEqual([
    [{ fieldId: 'GIVEN', values: ['Drawing'] }],
  ]);
});

test('a name that is answered is written with the values, and not by a later link', async () => {
  const world = lackingType();
  world.plan = (_, values) => ({
    now: [],
    ...('Name' in (values as object) ? { name: { fieldId: 'NAME', values: ['W-001'] } } : {}),
  });
  world.onSubmit = ({ items }, call) =>
    call === 2
      ? {
          kind: 'refused',
          refusals: [{ reasonCode: 'FILE_KEY_MISMATCH', message: '', uploadId: items[0]!.uploadId }],
        }
      : undefined;
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, {
      args: [{ document: 0, values: { Type: 'Drawing', Name: 'W-001' } }],
    });
    expect(await handle.result()).toMatchObject({ submitted: 2 });
  });
  const inputs = (wanted: string) =>
    world.calls.flatMap(({ name, input }) => (name === wanted ? [input as { items: unknown[] }] : []));
  const name = { fieldId: 'NAME', values: ['W-001'] };
  expect(inputs('writeValues').at(-1)).toMatchObject({ onlyEmpty: false, items: [{ fields: [name] }] });
  expect(inputs('linkUploads').length).toBeGreaterThan(1);
  expect(JSON.stringify(inputs('linkUploads'))).not.toContain('NAME');
});

test('what a document was sent with is not taken out again: that is told, and is no answer by itself', async () => {
  const world = lackingType();
  const said = await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    const answer = async (values: Record<string, string | string[]>) =>
      await handle.executeUpdate(answerManyUpdate, {
        args: [{ answers: [{ documents: [0], values }], as: 'Maria Keller' }],
      });
    const refused = await answer({ Status: [] });
    expect(refused).toMatchObject({ taken: [], refused: [{ why: expect.stringContaining('"Status"') }] });
    const { taken } = await answer({ Type: 'Drawing', Status: [] });
    expect(taken).toHaveLength(1);
    expect(await handle.result()).toMatchObject({ submitted: 2 });
    return world.calls.filter(({ name }) => name === 'settleUp').map(({ input }) => JSON.stringify(input));
  });
  // Nobody is told of what was not done.
  expect(said.join()).toContain('Type = Drawing');
  expect(said.join()).not.toContain('left empty');
});

test('a value that the service refuses is asked for again', async () => {
  const world = lackingType();
  world.onWrite = call => (call === 1 ? reason('INVALID_PROPERTY') : undefined);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawng' } }] });
    const again = await untilHeld(handle, held => held.reason.code === 'INVALID_PROPERTY');
    expect(again).toMatchObject({ index: 0, question: 'missing-values', missing: ['Type'] });
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawing' } }] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(world.count('createUploads')).toBe(1);
});

test('an answer that may have been written, and was changed by somebody since, is asked for again', async () => {
  const world = lackingType();
  world.changed = call => (call === 1 ? [0] : []);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    const answer = (Type: string) =>
      handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type } }] });
    await answer('Drawing');
    const again = await untilHeld(handle, held => held.reason.code === 'values-changed');
    expect(again).toMatchObject({ index: 0, question: 'missing-values', missing: ['Type'] });
    await answer('Specification');
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  const asked = world.calls.flatMap(({ name, input }) => (name === 'writeValues' ? [input] : []));
  const ofThisRun = { asked: { runId: expect.any(String) }, items: [{ eventId: expect.any(String) }] };
  expect(asked).toMatchObject([ofThisRun, ofThisRun]);
});

/** By the time an answer is written, somebody else has given the Type: nothing is missing any more. */
function lackingNothingLater(): FakeWorld {
  const world = lackingType();
  world.missing = index => (index === 0 && world.count('writeValues') === 0 ? ['Type'] : []);
  return world;
}

test('an answer whose writing was not confirmed is written again before anything is submitted', async () => {
  const world = lackingNothingLater();
  world.unconfirmed = call => (call === 1 ? [0] : []);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawing' } }] });
    expect(await handle.result()).toMatchObject({ submitted: 2 });
  });
  const writes = world.calls.filter(({ name }) => name === 'writeValues').map(({ input }) => input);
  expect(writes).toHaveLength(2);
  expect(writes[1]).toEqual({ ...(writes[0] as object), again: true });
  expect(world.isWritten).toBe(true);
});

test('an answer that is never confirmed is asked for again where the document is there', async () => {
  const world = lackingNothingLater();
  world.unconfirmed = call => (call <= 3 ? [0] : []);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawing' } }] });
    const again = await untilHeld(handle, held => held.reason.code === 'values-unconfirmed');
    expect(again).toMatchObject({ index: 0, question: 'missing-values', missing: ['Type'] });
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Plan' } }] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(world.count('writeValues')).toBe(4);
});

test('an answer for a document that somebody deleted is told as that, not asked for again', async () => {
  const world = lackingType();
  world.unconfirmed = () => [0];
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    for (const upload of world.uploads.values()) upload.deleted = upload.index === 0;
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Type: 'Drawing' } }] });
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 1 });
  });
  const apart = world.final.outcomes.find(({ index }) => index === 0);
  expect(apart).toMatchObject({ reason: { code: 'taken-by-a-person' } });
});

test('an answer that came in time is used, though the time ends while it is checked', async () => {
  const world = new FakeWorld(2);
  world.policy = { ...POLICY, holdMs: HOLD_MS };
  world.conflicts.add(1);
  await runBatch(temporal, world, async ({ handle }) => {
    const { untilMs } = await untilHeld(handle);
    world.onCall = async name => {
      if (name === 'findStatus') await delay(untilMs + 300 - Date.now());
    };
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
});

test('an answer that cannot be used fails, and the time that has ended meanwhile has ended', async () => {
  const world = new FakeWorld(2);
  world.policy = { ...POLICY, holdMs: HOLD_MS };
  world.conflicts.add(1);
  await runBatch(temporal, world, async ({ handle }) => {
    const { untilMs } = await untilHeld(handle);
    world.onCall = async name => {
      if (name === 'findStatus') await delay(untilMs + 300 - Date.now());
    };
    await expect(
      handle.executeUpdate(answerUpdate, { args: [{ ...TERMINATE, status: 'Nope' }] }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('Nearest') } });
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 1 });
  });
});

test('an answer to a review that is over, or to another question, is refused and ends nothing', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  await runBatch(temporal, world, async ({ handle }) => {
    const { question, reason: shown } = await untilHeld(handle);
    const other = { question, reason: 'Review of before stands against it.' };
    await expect(
      handle.executeUpdate(answerUpdate, { args: [{ ...TERMINATE, asked: other }] }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('The question has changed') } });
    const answer = async (asked: HeldAnswer['asked']) =>
      await handle.executeUpdate(answerManyUpdate, {
        args: [{ answers: [{ documents: [1], decision: 'retry', asked }] }],
      });
    expect(await answer({ question: 'duplicate' })).toMatchObject({
      taken: [],
      refused: [{ why: expect.stringContaining(shown.text) }],
    });
    await handle.executeUpdate(answerUpdate, {
      args: [{ ...TERMINATE, asked: { question, reason: shown.text } }],
    });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
});

test('nothing is tried again by itself while an answer is checked, and a second one is refused', async () => {
  const world = new FakeWorld(2);
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 100 };
  world.conflicts.add(1);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    const counts: number[] = [];
    const told: unknown[] = [];
    world.onCall = async name => {
      if (name !== 'findStatus') return;
      // What had begun before the answer came ends first.
      await delay(400);
      counts.push(world.count('submitRevisions'));
      await expect(
        handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'retry' }] }),
      ).rejects.toMatchObject({ cause: { message: expect.stringContaining('answer') } });
      // It may be refused still: that somebody has answered is known, and no more.
      const progress = await handle.query(progressQuery);
      told.push([progress.held, progress.answered]);
      await delay(1_000);
      counts.push(world.count('submitRevisions'));
    };
    for (;;) {
      const taken = await handle.executeUpdate(answerUpdate, { args: [TERMINATE] }).catch(() => undefined);
      if (taken !== undefined) break;
      await untilHeld(handle);
    }
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
    expect(counts[1]).toBe(counts[0]);
    expect(told[0]).toEqual([[], [{ index: 1, path: 'Package/file-1.pdf' }]]);
    expect(world.calls.filter(({ name }) => name === 'submitRevisions').at(-1)?.input).toMatchObject({
      items: [{ index: 1, termination: { reason: 'x', statusId: 'S1' } }],
    });
  });
});

/** Of each submission, which documents it names, and whether it says that their reviews may be ended. */
function submissions(world: FakeWorld): readonly (readonly string[])[] {
  return world.calls
    .filter(({ name }) => name === 'submitRevisions')
    .map(({ input }) =>
      (input as SubmitRevisionsInput).items.map(
        ({ index, termination }) => `${index}${termination === undefined ? '' : ' ends'}`,
      ),
    );
}

test('what was answered is told as that until its outcome is known, and as held if it is asked again', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  let isAway = false;
  world.onSubmit = () => (isAway ? { kind: 'unknown' } : undefined);
  const untilShareSays = async (isIt: (told: SettleUpInput) => boolean) => {
    while (!world.settled.slice(-1).some(isIt)) await delay(50);
  };
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await untilShareSays(({ held }) => held.length === 1);
    isAway = true;
    const answers = { answers: [{ documents: [1], decision: 'retry' as const }], as: 'Maria Keller' };
    await handle.executeUpdate(answerManyUpdate, { args: [answers] });
    const progress = await handle.query(progressQuery);
    expect(progress.held).toEqual([]);
    const answer = { by: 'Maria Keller', said: 'try again', question: 'workflow-conflict' };
    expect(progress.answered).toMatchObject([{ index: 1, path: 'Package/file-1.pdf', answer }]);
    expect(progress.stages.held).toBeUndefined();
    await untilShareSays(({ goingOn = [] }) => goingOn.length === 1);
    expect(world.settled.at(-1)).toMatchObject({ held: [], final: false });
    expect(world.settled.at(-1)?.goingOn?.[0]?.reason.text).toMatch(
      /^Answered by Maria Keller on .+ UTC: try again\. It is on its way/,
    );
    isAway = false;
    // The review stands in the way still.
    await untilShareSays(({ held, goingOn }) => held.length === 1 && goingOn === undefined);
    expect(await handle.query(progressQuery)).not.toHaveProperty('answered');
    world.conflicts.clear();
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'retry' }] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
});

test('the word that reviews may be ended goes out when the service has named the same ones again', async () => {
  const world = new FakeWorld(2);
  // Left out, the document would be held once more, and set apart a moment later.
  world.policy = { ...POLICY, holdMs: 10_000 };
  world.conflicts.add(1);
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    await handle.result();
  });
  // Both, the other one without it, and then the one that was held.
  expect(submissions(world)).toEqual([['0', '1'], ['0'], ['1'], ['1 ends']]);
  expect(world.calls.findLast(({ name }) => name === 'submitRevisions')?.input).toMatchObject({
    items: [{ index: 1, termination: { reason: 'x', statusId: 'S1' } }],
  });
  expect(world.final.outcomes.find(({ index }) => index === 1)?.notes?.join(' ')).toContain('ended');
});

test('a review that began after the look is not ended: it is asked about, and the person is told why', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  await runBatch(temporal, world, async ({ handle }) => {
    const first = await untilHeld(handle);
    world.reviews = 'W2';
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    const second = await untilHeld(handle, ({ sinceMs }) => sinceMs !== first.sinceMs);
    expect(second.reason.text).toBe(
      `Nothing was ended: what runs now is not what it was agreed to end. ${first.reason.text}`,
    );
    expect(submissions(world).flat()).not.toContain('1 ends');
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(submissions(world)).toEqual([['0', '1'], ['0'], ['1'], ['1'], ['1 ends']]);
});

test('where the service does not say which reviews run, none is ended', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  world.reviews = undefined;
  await runBatch(temporal, world, async ({ handle }) => {
    const first = await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    const { reason: told } = await untilHeld(handle, ({ sinceMs }) => sinceMs !== first.sinceMs);
    expect(told.text).toContain('Nothing was ended: the service does not say which workflows run');
    expect(told.fix).toContain('in the service');
    world.conflicts.clear();
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'retry' }] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(submissions(world)).toEqual([['0', '1'], ['0'], ['1'], ['1']]);
});

test('a right that is missing is no other question: what was agreed to be ended is known afterwards', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  const without = { reasonCode: 'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION', message: '' };
  world.onSubmit = ({ items }, call) => {
    const [item] = items;
    return call === 4 && item !== undefined
      ? { kind: 'refused', refusals: [{ ...without, uploadId: item.uploadId }] }
      : undefined;
  };
  await runBatch(temporal, world, async ({ handle }) => {
    const first = await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    await untilHeld(handle, ({ sinceMs }) => sinceMs !== first.sinceMs);
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(submissions(world)).toEqual([['0', '1'], ['0'], ['1'], ['1 ends'], ['1'], ['1 ends']]);
});

test('the word is not said later than a minute after the service has named the reviews', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  world.namedAgoMs = 61_000;
  world.onSubmit = (_, call) => {
    if (call === 4) world.namedAgoMs = 0;
    return undefined;
  };
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(submissions(world)).toEqual([['0', '1'], ['0'], ['1'], ['1'], ['1 ends']]);
});

test('a word that did not go out in time is taken back, and asked for again', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  world.onSubmit = (_, call) => {
    if (call === 3) world.namedAgoMs = 58_000;
    if (call !== 4) return undefined;
    world.namedAgoMs = 0;
    return { kind: 'not-sent', retryAtMs: Date.now() + 3_000 };
  };
  await runBatch(temporal, world, async ({ handle }) => {
    await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(submissions(world)).toEqual([['0', '1'], ['0'], ['1'], ['1 ends'], ['1'], ['1 ends']]);
});

test('who is answered for beside it is submitted once, and the word is no part of a probe', async () => {
  const world = new FakeWorld(3);
  world.conflicts.add(1);
  world.conflicts.add(2);
  world.onSubmit = (_, call) => (call === 5 || call === 6 ? { kind: 'not-sent' } : undefined);
  await runBatch(temporal, world, async ({ handle }) => {
    while ((await handle.query(progressQuery)).held.length < 2) await temporal.nextEvent(handle);
    world.conflicts.delete(2);
    const { decision, reason: why, status } = TERMINATE;
    await handle.executeUpdate(answerManyUpdate, {
      args: [
        {
          answers: [
            { documents: [1], decision, reason: why, status },
            { documents: [2], decision: 'retry' },
          ],
        },
      ],
    });
    expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
  });
  expect(submissions(world).slice(2)).toEqual([['2'], ['1'], ['1 ends'], ['1 ends'], ['1 ends']]);
  expect(JSON.stringify(world.calls.find(({ name }) => name === 'probeSubmission'))).not.toContain(
    'termination',
  );
});

test('that workflows may be ended is said for one submission, not for a later one', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  world.onSubmit = ({ items }, call) =>
    call === 4 ? { kind: 'refused', refusals: [world.refuseForReviews(items[0]!.uploadId)] } : undefined;
  await runBatch(temporal, world, async ({ handle }) => {
    const first = await untilHeld(handle);
    await handle.executeUpdate(answerUpdate, { args: [TERMINATE] });
    await untilHeld(handle, ({ sinceMs }) => sinceMs !== first.sinceMs);
    world.conflicts.clear();
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'retry' }] });
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  const sent = world.calls.filter(({ name }) => name === 'submitRevisions').map(({ input }) => input);
  expect(JSON.stringify(sent.at(-2))).toContain('termination');
  expect(JSON.stringify(sent.at(-1))).not.toContain('termination');
  expect(world.final.outcomes.find(({ index }) => index === 1)?.notes?.join(' ') ?? '').not.toContain(
    'ended',
  );
});

test('an answer that comes while a run opens its batch waits for that, and then is looked at as any other', async () => {
  const world = new FakeWorld(2);
  world.conflicts.add(1);
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  world.onCall = async (name, call) => {
    if (name === 'openBatch' && call === 2) await opened;
  };
  const work = async ({ handle }: RunningBatch): Promise<unknown> => {
    const latest = temporal.client.workflow.getHandle(handle.workflowId);
    while (world.count('openBatch') < 2) await temporal.nextEvent(handle);
    world.conflicts.clear();
    const answer = (document: number) =>
      latest.executeUpdate(answerUpdate, { args: [{ document, decision: 'retry' }] });
    const answered = Promise.allSettled([answer(1), answer(0)]);
    open();
    expect(await answered).toMatchObject([
      { status: 'fulfilled', value: { document: 'Package/file-1.pdf', goesOn: true } },
      {
        status: 'rejected',
        reason: { cause: { message: expect.stringContaining('Document 0 is not held.') } },
      },
    ]);
    return await handle.result();
  };
  expect(await runBatch(temporal, world, work, { continueAfterEvents: 60 })).toMatchObject({ submitted: 2 });
});

test('while a batch cannot be opened, whoever answers is told so and why', async () => {
  const world = new FakeWorld(1);
  world.onCall = (name, call) => {
    if (name === 'openBatch' && call === 1)
      throw ApplicationFailure.nonRetryable('done is on another disk', 'MISCONFIGURED');
  };
  await runBatch(temporal, world, async ({ handle }) => {
    while ((await handle.query(progressQuery)).blocked === undefined) await temporal.nextEvent(handle);
    const answer = handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'retry' }] });
    await expect(answer).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/cannot be opened just now.*Done is on another disk/) },
    });
    await handle.signal(resumeSignal, { requestId: 'a' });
    expect(await handle.result()).toMatchObject({ submitted: 1 });
  });
});
