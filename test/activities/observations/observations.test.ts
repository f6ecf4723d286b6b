// What has gone, and what is unsent, where the service shows late what we did.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createObservationActivities } from '../../../activities/observations/observations';
import { NotFoundError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';

const project = { companyId: '5001', projectId: '7001' };
const item = { project, id: '510001' };
const asked = { runId: 'run-1' };
const shown = (id: number, date_notified: string | null) => ({ id, name: `Item ${id}`, date_notified });

/** A service that answers by the names of endpoints, each time the next, the last for ever. */
function serviceWith(
  answers: Readonly<Record<string, readonly unknown[]>>,
  sinceMs = Number.POSITIVE_INFINITY,
) {
  const names: string[] = [];
  const client: Sender = {
    send: async ({ name, response }) => {
      const before = names.filter(each => each === name).length;
      names.push(name);
      const answer = answers[name]?.at(Math.min(before, answers[name].length - 1));
      if (answer === 'gone') throw new NotFoundError('no such thing', { effect: 'rejected' });
      return { data: response.parse(answer), status: 200 } as never;
    },
  };
  const activities = createObservationActivities({
    client,
    draining: new AbortController().signal,
    sinceRunBefore: async () => sinceMs,
  });
  const run = async <Input, Result>(
    work: (input: Input) => Promise<Result>,
    input: Input,
    { attempt = 1, heartbeatDetails }: { attempt?: number; heartbeatDetails?: unknown } = {},
  ) => {
    const workflowExecution = { workflowId: 'observation/7001/a', runId: 'run-1' };
    const environment = new MockActivityEnvironment({ attempt, heartbeatDetails, workflowExecution });
    return (await environment.run(work, input)) as Result;
  };
  return { activities, run, names };
}

describe('sending what is unsent', () => {
  const input = { project, confirmedIds: ['1', '2'], asked };
  const UNSENT = [shown(1, null), shown(2, null)];
  const LOOKED = { attempt: 3, heartbeatDetails: { comebacks: 1, lookedIn: 2 } };

  test('what a lost answer has mailed, and a list shows late, is not mailed again', async () => {
    const sent = [shown(1, '2026-02-02'), shown(2, '2026-02-02')];
    const { activities, run, names } = serviceWith({ 'observations.list': [UNSENT, sent] });
    await expect(run(activities.sendUnsent, input, { attempt: 2 })).rejects.toMatchObject({
      type: 'NOT_YET',
    });
    expect(await run(activities.sendUnsent, input, LOOKED)).toEqual({ kind: 'sent' });
    expect(names).not.toContain('observations.sendUnsent');
  });

  test('nor is it called unsent because something else has come meanwhile', async () => {
    const more = [...UNSENT, shown(3, null)];
    const { activities, run } = serviceWith({ 'observations.list': [more, [shown(3, null)]] });
    await expect(run(activities.sendUnsent, input, { attempt: 2 })).rejects.toMatchObject({
      type: 'NOT_YET',
    });
    expect(await run(activities.sendUnsent, input, LOOKED)).toEqual({ kind: 'sent' });
  });

  test('a first attempt waits for nothing, and what is unsent at both looks is mailed', async () => {
    const answers = { 'observations.list': [UNSENT], 'observations.sendUnsent': [[]] };
    const first = serviceWith(answers);
    expect(await first.run(first.activities.sendUnsent, input)).toEqual({ kind: 'sent' });
    expect(first.names).toEqual(['observations.list', 'observations.sendUnsent']);
    const second = serviceWith(answers);
    expect(await second.run(second.activities.sendUnsent, input, LOOKED)).toEqual({ kind: 'sent' });
    expect(second.names).toEqual(['observations.list', 'observations.sendUnsent']);
  });
});

describe('none is made where one is there', () => {
  const fields = { name: 'Item 1', typeId: '2110' };
  const stops = { project, fields, isToStop: true as const };

  test('one that a run before has made a moment ago is looked for once more', async () => {
    const twin = { ...shown(1, null), type_id: 2110 };
    const { activities, run } = serviceWith({ 'observations.list': [[], [twin]] }, 2_000);
    await expect(run(activities.findTwins, stops)).rejects.toMatchObject({ type: 'NOT_YET' });
    const later = { attempt: 2, heartbeatDetails: { comebacks: 1, lookedIn: 1 } };
    expect(await run(activities.findTwins, stops, later)).toEqual(['1']);
  });

  test.each([
    ['there is no run before', stops, Number.POSITIVE_INFINITY, 1],
    ['another one is to be made', { project, fields }, 2_000, 1],
    // As after an outage: nothing was made by this run.
    ['it is asked again', stops, Number.POSITIVE_INFINITY, 2],
  ])('nobody waits where %s', async (_, input, sinceMs, attempt) => {
    const { activities, run } = serviceWith({ 'observations.list': [[]] }, sinceMs);
    expect(await run(activities.findTwins, input, { attempt })).toEqual([]);
  });
});

describe('an item that a look does not show', () => {
  const AGAIN = { attempt: 2, heartbeatDetails: { comebacks: 1, missedIn: 1 } };

  test('has gone when another one, half a minute later, does not show it either', async () => {
    const answers = { 'observations.show': ['gone', shown(510001, null)], 'observations.list': [[]] };
    const late = serviceWith(answers);
    const { readObservation } = late.activities;
    await expect(late.run(readObservation, item)).rejects.toMatchObject({ type: 'NOT_YET' });
    expect(await late.run(readObservation, item, AGAIN)).toMatchObject({ id: '510001' });
    const gone = serviceWith({ ...answers, 'observations.show': ['gone'] });
    expect(await gone.run(gone.activities.readObservation, item, AGAIN)).toBeNull();
  });

  test.each([
    ['ready_for_review', 'say "workDone" again'],
    // With "review": "wait", "workDone" would only bring it back to review.
    ['closed', 'say "reviewed" with "accepted": true'],
    ['not_accepted', 'say "reviewed" with "accepted": false again'],
  ] as const)('and was to be %s: what is told to do is what sets that status', async (status, said) => {
    const gone = serviceWith({ 'observations.show': ['gone'], 'observations.list': [[]] });
    expect(await gone.run(gone.activities.moveObservation, { ...item, status }, AGAIN)).toMatchObject({
      reason: {
        code: 'gone',
        fix: `See in the service whether it was deleted; if it is there, ${said}.`,
      },
    });
    const there = serviceWith({
      'observations.show': [shown(510001, null)],
      'observations.update': ['gone'],
    });
    expect(await there.run(there.activities.moveObservation, { ...item, status })).toMatchObject({
      reason: { fix: `Look at the item in the service; set the status by hand, or ${said}.` },
    });
  });

  test('has not gone where the whole project does not answer', async () => {
    const { activities, run } = serviceWith({ 'observations.show': ['gone'], 'observations.list': ['gone'] });
    await expect(run(activities.readObservation, item, AGAIN)).rejects.toMatchObject({
      type: 'MISCONFIGURED',
    });
  });

  test('is told at once to a person who has named it', async () => {
    const { activities, run, names } = serviceWith({ 'observations.show': ['gone'] });
    expect(await run(activities.readObservation, { ...item, isNamed: true as const })).toBeNull();
    expect(names).toEqual(['observations.show']);
  });

  test('has gone at once where it is shown as deleted', async () => {
    const deleted = { ...shown(510001, null), deleted_at: '2026-02-02T10:00:00Z' };
    const { activities, run } = serviceWith({ 'observations.show': [deleted] });
    expect(await run(activities.readObservation, item)).toBeNull();
  });
});
