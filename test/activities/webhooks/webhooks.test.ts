// Deliveries by pages and lists that ignore their filters, against the stand-in over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createServiceActivities } from '../../../activities/create-activities';
import { listHooks, listWebhookResources } from '../../../activities/service/endpoints/webhooks';
import { fetchAll } from '../../../activities/service/pages';
import { HeaderRateGate } from '../../../activities/service/rate/rate-gate';
import { Secret } from '../../../activities/service/secret';
import { type Sender, ServiceClient } from '../../../activities/service/service-client';
import { completeServiceConfig } from '../../../activities/service/service-config';
import { TokenSource } from '../../../activities/service/tokens/token-source';
import { addMember, bringInside, lookAtMember, removeMember } from '../../../activities/users/users';
import type { AddMemberInput, PermissionTemplate } from '../../../activities/users/users-api';
import { fetchDeliveries } from '../../../activities/webhooks/deliveries';
import type { WebhookActivities } from '../../../activities/webhooks/webhooks';
import { createWebhookActivities } from '../../../activities/webhooks/webhooks';
import { SandboxControl } from '../../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { FakeTokenStore } from '../service/tokens/fake-token-store';

const scope = { companyId: DEFAULT_COMPANY_ID };
const hook = { namespace: 'drawbridge', apiVersion: 'v2', destinationUrl: 'https://hooks.example.com/w' };
const SECRET = 'Bearer canary-webhook-secret-1f2e';
let sandbox: Sandbox;
let control: SandboxControl;
let tokens: TokenSource;
let client: ServiceClient;
let activities: WebhookActivities;

beforeAll(async () => {
  sandbox = await startSandbox({ settings: { limits: null, timeScale: 1_000 } });
  control = new SandboxControl(sandbox.controlUrl);
});
beforeEach(async () => {
  await control.reset();
  const config = completeServiceConfig({
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId: DEFAULT_CREDENTIALS.clientId,
    clientSecret: new Secret(DEFAULT_CREDENTIALS.clientSecret),
    allowInsecureLoopback: true,
  });
  tokens = new TokenSource({ config, store: new FakeTokenStore() });
  client = new ServiceClient({ config, tokens, gate: new HeaderRateGate() });
  activities = activitiesOf(client);
});
afterEach(async () => {
  await client.close();
  await tokens.close();
});
afterAll(async () => {
  await sandbox.close();
});

function activitiesOf(sender: Sender, secret = SECRET, former: readonly string[] = []): WebhookActivities {
  return createWebhookActivities({
    client: sender,
    draining: new AbortController().signal,
    header: {
      name: 'Authorization',
      value: new Secret(secret),
      former: former.map(text => new Secret(text)),
    },
  });
}

/** The run that the mock environment names. */
const asked = { runId: '00000000-0000-0000-0000-000000000000' };
const askedBefore = { runId: 'the-run-before-a-reset' };

/** As a worker runs it, at this attempt. */
async function run<Input, Result>(
  activity: (input: Input) => Promise<Result>,
  input: Input,
  attempt = 1,
  heartbeatDetails?: unknown,
): Promise<Result> {
  return (await new MockActivityEnvironment({ attempt, heartbeatDetails }).run(
    activity as never,
    input as never,
  )) as Result;
}

/** A service that does not know a query's filter. */
function without(key: string): Sender {
  return {
    send: async (endpoint, input) => {
      const values = endpoint.query;
      if (values === undefined) return await client.send(endpoint, input);
      const query: typeof values = asked => ({ ...values(asked), [key]: undefined });
      return await client.send({ ...endpoint, query }, input);
    },
  };
}

describe('deliveries', () => {
  test('are read page by page, each once, newest first', async () => {
    const { hookId } = await run(activities.createHook, { scope, hook, asked });
    for (let id = 1; id <= 230; id++) await control.deliver(hookId, { event: { id }, outcome: 'ok' });
    const seen: (string | null)[] = [];
    for await (const page of fetchDeliveries(client, { scope, hookId, status: 'any' }, undefined)) {
      seen.push(...page.map(({ eventId }) => eventId));
    }
    expect(seen).toHaveLength(230);
    expect(new Set(seen).size).toBe(230);
    expect([seen[0], seen.at(-1)]).toEqual(['230', '1']);
    const input = { scope, hookId, status: 'any', most: 5 } as const;
    expect((await run(activities.readDeliveries, input)).deliveries).toHaveLength(5);
  });

  test('of one status are told apart although the service does not know the filter', async () => {
    const { hookId } = await run(activities.createHook, { scope, hook, asked });
    for (const outcome of ['ok', 'retried', 'failed', 'discarded'] as const) {
      await control.deliver(hookId, { event: { id: 1 }, outcome });
    }
    const deaf = activitiesOf(without('filter[status]'));
    const read = async (status: 'successful' | 'failing' | 'discarded' | 'any') =>
      (await run(deaf.readDeliveries, { scope, hookId, status, most: 10 })).deliveries.map(
        each => each.outcome,
      );
    expect(await read('failing')).toEqual(['failed', 'retried']);
    expect(await read('successful')).toEqual(['ok']);
    expect(await read('discarded')).toEqual(['discarded']);
    expect(await read('any')).toHaveLength(4);
  });

  const FORMER = 'Bearer canary-former-secret-77ab';
  test.each([
    ['the secret from before', `unknown: ${FORMER}`],
    ['the secret from before, bare', FORMER.slice(7)],
    ['a part of the present one', `got ${SECRET.slice(-14)}`],
  ])('that failed and quote %s are told without it', async (_, body) => {
    const { hookId } = await run(activities.createHook, { scope, hook, asked });
    const receiver = createServer((_request, response) => response.writeHead(401).end(body));
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    await control.deliver(hookId, { event: { id: 1 }, to: `http://127.0.0.1:${port}/` });
    await new Promise(resolve => receiver.close(resolve));
    const reading = activitiesOf(client, SECRET, [FORMER]);
    const input = { scope, hookId, status: 'failing', most: 5 } as const;
    const { deliveries } = await run(reading.readDeliveries, input);
    expect(deliveries).toMatchObject([{ responseStatus: 401, trouble: expect.stringContaining('repeated') }]);
  });
});

describe('hooks', () => {
  test('of other namespaces are never taken for ours, although the service does not know the filter', async () => {
    await run(activities.createHook, { scope, hook: { ...hook, namespace: 'of-somebody-else' }, asked });
    const deaf = activitiesOf(without('namespace'));
    expect(await run(deaf.readHooks, { scope, namespace: 'drawbridge' })).toEqual({ hooks: [] });
  });

  test('a later attempt finds what an earlier one has made', async () => {
    const { hookId } = await run(activities.createHook, { scope, hook, asked });
    expect(await run(activities.createHook, { scope, hook, asked }, 2)).toEqual({ hookId });
    const trigger = { resource: 'Document Upload', event: 'create' } as const;
    const input = { scope, hookId, apiVersion: 'v2', trigger, asked };
    await run(activities.createTrigger, input);
    expect(await run(activities.createTrigger, input, 2)).toEqual({ kind: 'created' });
    // Dispatched again after a reset, with the input of the run before: the first attempt, and yet a repeat.
    expect(await run(activities.createHook, { scope, hook, asked: askedBefore })).toEqual({ hookId });
    await run(activities.createTrigger, { ...input, asked: askedBefore });
    expect(await run(activities.createHook, { scope, hook, asked: { ...asked, afterReset: true } })).toEqual({
      hookId,
    });
    const { hooks } = await run(activities.readHooks, { scope, namespace: 'drawbridge' });
    expect(hooks).toMatchObject([{ id: hookId, headers: 'same', triggers: [{ event: 'create' }] }]);
    expect(JSON.stringify(hooks)).not.toContain('canary');
  });

  test('what a lost answer has made, and is listed late, is looked for twice and not made again', async () => {
    const lose = async (route: string) => await control.addFault({ route, action: { kind: 'reply-lost' } });
    const listLate = async (route: string) =>
      await control.addFault({ route, action: { kind: 'status', status: 200, body: [] } });
    const createTwice = async (work: (attempt: number, details?: unknown) => Promise<unknown>) => {
      await expect(work(1)).rejects.toMatchObject({ type: 'SERVICE_UNAVAILABLE' });
      await expect(work(2)).rejects.toMatchObject({ type: 'NOT_YET' });
      return await work(3, { comebacks: 1, lookedIn: 2 });
    };
    await lose('hooks.create');
    await listLate('hooks.list');
    const made = await createTwice((...at) => run(activities.createHook, { scope, hook, asked }, ...at));
    const { hookId } = made as { readonly hookId: string };
    const trigger = { resource: 'Document Upload', event: 'create' } as const;
    await lose('triggers.create');
    await listLate('triggers.list');
    const input = { scope, hookId, apiVersion: 'v2', trigger, asked };
    await createTwice((...at) => run(activities.createTrigger, input, ...at));
    const { hooks } = await run(activities.readHooks, { scope, namespace: 'drawbridge' });
    expect(hooks).toMatchObject([{ id: hookId, triggers: [{ event: 'create' }] }]);
  });

  describe('that a run before of the same id has made a moment ago', () => {
    const trigger = { resource: 'Document Upload', event: 'create' } as const;
    const reading = { scope, namespace: hook.namespace };
    let asks = 0;
    /** What a worker registers, for a run that follows one which has ended `sinceMs` ago. */
    const following = (sinceMs: number) =>
      createServiceActivities({
        client,
        draining: new AbortController().signal,
        webhookHeader: { name: 'Authorization', value: new Secret(SECRET), former: [] },
        sinceRunBefore: async () => {
          asks++;
          return sinceMs;
        },
      } as never);

    beforeEach(async () => {
      asks = 0;
      const { hookId } = await run(activities.createHook, { scope, hook, asked });
      await run(activities.createTrigger, { scope, hookId, apiVersion: 'v2', trigger, asked });
    });

    test.each(['hooks.list', 'triggers.list'])('are read once more where %s is late', async route => {
      await control.addFault({ route, action: { kind: 'status', status: 200, body: [] } });
      const { readHooks } = following(20_000);
      await expect(run(readHooks, reading)).rejects.toMatchObject({ type: 'NOT_YET' });
      const { hooks } = await run(readHooks, reading, 2, { comebacks: 1, lookedIn: 1 });
      expect(hooks).toMatchObject([{ triggers: [trigger] }]);
    });

    test('are believed to be all after that, and at once where no run has ended', async () => {
      const looked = { comebacks: 1, lookedIn: 1 };
      expect((await run(following(20_000).readHooks, reading, 2, looked)).hooks).toHaveLength(1);
      expect((await run(following(Number.POSITIVE_INFINITY).readHooks, reading)).hooks).toHaveLength(1);
    });

    test('are not asked about once this run has made what it wants', async () => {
      const [made] = (await run(following(Number.POSITIVE_INFINITY).readHooks, reading)).hooks;
      asks = 0;
      const after = { ...reading, made: { hookId: made?.id ?? '', triggers: [trigger] } };
      expect((await run(following(0).readHooks, after)).hooks).toHaveLength(1);
      expect(asks).toBe(0);
    });
  });

  test('what is gone already can be removed again', async () => {
    const { hookId } = await run(activities.createHook, { scope, hook, asked });
    await run(activities.deleteTrigger, { scope, hookId, triggerId: '1' });
    await run(activities.deleteHook, { scope, hookId });
    await run(activities.deleteHook, { scope, hookId });
    const listed = await fetchAll(client, listHooks, {
      companyId: scope.companyId,
      params: {},
      query: { scope },
    });
    expect(listed).toEqual([]);
  });

  test.each([400, 403, 500])('a refusal (%i) that quotes the secret is told without it', async status => {
    await control.addFault({
      route: 'hooks.create',
      action: {
        kind: 'status',
        status,
        body: { errors: { destination_headers: [`${SECRET.slice(7)} is bad`] } },
      },
    });
    const error = await run(activities.createHook, { scope, hook, asked }).catch((reason: unknown) => reason);
    const { message, details, stack } = error as { message: string; details: unknown; stack: string };
    expect(message).toContain(String(status));
    expect(JSON.stringify([message, details, stack])).not.toContain('canary');
  });

  test('a refusal that quotes a secret with quotes and backslashes in it is told without it', async () => {
    const secret = 'a"b\\c canary d"e\\f"g';
    const quoting = activitiesOf(client, secret);
    for (const quoted of [secret, JSON.stringify(secret), `... ${secret.slice(3)}`, secret.slice(0, -3)]) {
      await control.addFault({
        route: 'hooks.create',
        action: { kind: 'status', status: 400, body: { errors: { destination_headers: [quoted] } } },
      });
      const error = await run(quoting.createHook, { scope, hook, asked }).catch((reason: unknown) => reason);
      const { message, details, stack } = error as { message: string; details: unknown; stack: string };
      expect(message).toContain('400');
      expect(JSON.stringify([message, details, stack])).not.toContain('canary');
    }
  });

  test('without a secret none is written, and the failure says what to configure', async () => {
    const unarmed = createWebhookActivities({
      client,
      draining: new AbortController().signal,
      header: undefined,
    });
    await expect(run(unarmed.createHook, { scope, hook, asked })).rejects.toMatchObject({
      type: 'MISCONFIGURED',
      message: expect.stringContaining('webhooks.secret'),
    });
  });
});

test('resources are listed with the events they do not have', async () => {
  const listed = await fetchAll(client, listWebhookResources, {
    companyId: scope.companyId,
    params: {},
    query: { scope },
  });
  expect(listed).toContainEqual({
    name: 'Document Upload',
    category: 'Document Management',
    except: ['delete'],
  });
});

describe('people', () => {
  const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
  const comeBack = (inMs: number, details: object, why: string): never => {
    throw Object.assign(new Error(why), { inMs, details });
  };
  const once = {
    signal: new AbortController().signal,
    attempt: 1,
    lastDetails: undefined as unknown,
    comeBack,
  };
  const standard = { id: '302', name: 'Standard' };

  /** The list is late: its next readings show this user as before. */
  async function listLate(times: number): Promise<void> {
    const user = { id: 9004, name: 'Ada Ashby', permission_template: { id: 302, name: 'Standard' } };
    await control.addFault({
      route: 'users.list',
      times,
      action: { kind: 'status', status: 200, body: [user] },
    });
  }

  test('somebody is found by id although the service does not know the filter', async () => {
    const member = await lookAtMember(without('filters[id]'), { project, userId: '9130' }, once);
    expect(member).toMatchObject({ userId: '9130', name: 'Robin Namesake' });
    expect(await lookAtMember(client, { project, userId: '9131' }, once)).toBeNull();
  });

  test('removing and adding can be repeated; whoever is inside with another template is told', async () => {
    const ref = { project, userId: '9004' };
    expect(await removeMember(client, ref, once)).toEqual({ kind: 'removed' });
    expect(await removeMember(client, ref, once)).toEqual({ kind: 'removed' });
    expect(await addMember(client, { ...ref, templateId: '303', asked }, once)).toEqual({ kind: 'added' });
    expect(await addMember(client, { ...ref, templateId: '303', asked }, once)).toEqual({ kind: 'added' });
    expect(
      await addMember(client, { ...ref, templateId: '301', asked }, { ...once, attempt: 2 }),
    ).toMatchObject({
      kind: 'other',
      template: { id: '303' },
    });
  });

  test('a template that somebody has given meanwhile is not removed', async () => {
    const ref = { project, userId: '9004' };
    const admin = { id: '303', name: 'Project Admin' };
    expect(await removeMember(client, { ...ref, expected: admin }, once)).toEqual({
      kind: 'other',
      template: standard,
    });
    expect(await control.requests()).not.toHaveProperty('users.remove');
    expect(await removeMember(client, { ...ref, expected: standard }, once)).toEqual({ kind: 'removed' });
    expect(await removeMember(client, { ...ref, expected: standard }, once)).toEqual({ kind: 'removed' });
    expect(await control.requests()).toMatchObject({ 'users.remove': 1 });
  });

  describe('a list that shows somebody who is out already', () => {
    const ref = { project, userId: '9004' };

    test('tells nothing against a removal that the service has not to make any more', async () => {
      expect(await removeMember(client, ref, once)).toEqual({ kind: 'removed' });
      await listLate(2);
      const again = { ...once, attempt: 2 };
      expect(await removeMember(client, { ...ref, expected: standard, asked }, again)).toEqual({
        kind: 'removed',
      });
    });

    test.each([
      ['at a first attempt nothing can have happened', 1, { asked }, undefined],
      ['an attempt before may have removed the user', 2, { asked }, true],
      ['the run has asked for it before', 1, { asked, isPerhapsOut: true as const }, true],
      ['a run of the release before knows nothing of it', 2, {}, undefined],
    ])('while a removal is refused: %s', async (_, number, more, isPerhapsOut) => {
      await listLate(2);
      await control.addFault({ route: 'users.remove', action: { kind: 'status', status: 403 } });
      const input = { ...ref, expected: standard, ...more };
      expect(await removeMember(client, input, { ...once, attempt: number })).toEqual({
        kind: 'refused',
        reason: expect.objectContaining({ code: 'remove-refused' }),
        isPerhapsOut,
      });
    });

    /** One attempt after the other, each from what the one before told, up to one that does not come back. */
    async function addUntilTold(
      input: AddMemberInput,
      scope: Parameters<typeof addMember>[2] = once,
    ): Promise<unknown[]> {
      const ended: unknown[] = [];
      for (let { lastDetails } = scope; ; ) {
        const one = await addMember(client, input, { ...scope, lastDetails }).catch(
          (error: unknown) => error,
        );
        ended.push(one);
        if (!(one instanceof Error && 'details' in one)) return ended;
        lastDetails = one.details;
      }
    }

    test('is looked at again after an addition that was refused, which is then asked for once more', async () => {
      await removeMember(client, ref, once);
      await listLate(2);
      const ended = await addUntilTold({ ...ref, templateId: '999', previous: standard, asked });
      expect(ended).toMatchObject([
        { inMs: 500 },
        { inMs: 1_000 },
        {
          kind: 'refused',
          reason: { text: expect.stringContaining('There is no such permission template') },
        },
      ]);
      expect(await control.requests()).toMatchObject({ 'users.add': 2 });
    });

    test('has explained a refusal: who is out by the next look is added', async () => {
      await removeMember(client, ref, once);
      await listLate(1);
      await control.addFault({ route: 'users.add', action: { kind: 'status', status: 422 } });
      const ended = await addUntilTold({ ...ref, templateId: '303', previous: standard, asked });
      expect(ended).toMatchObject([{ inMs: 500 }, { kind: 'added' }]);
      expect(await control.requests()).toMatchObject({ 'users.add': 2 });
    });

    test('is looked at again after an addition whose answer was lost', async () => {
      await removeMember(client, ref, once);
      await addMember(client, { ...ref, templateId: '303', asked }, once);
      await listLate(1);
      const input = { ...ref, templateId: '303', previous: standard, asked };
      const again = { ...once, attempt: 2 };
      const early = await addMember(client, input, again).catch((error: unknown) => error);
      expect(early).toMatchObject({ inMs: 500 });
      const { details } = early as { readonly details: unknown };
      expect(await addMember(client, input, { ...again, lastDetails: details })).toEqual({ kind: 'added' });
    });

    describe('or shows nobody where an addition of ours may have been answered', () => {
      const input = { ...ref, templateId: '303', previous: standard, asked };
      const again = { ...once, attempt: 2 };
      const showNobody = async (times: number) =>
        await control.addFault({
          route: 'users.list',
          times,
          action: { kind: 'status', status: 200, body: [] },
        });

      test.each([
        ['by an attempt before', input, again],
        ['by an addition before', { ...input, isPerhapsInside: true as const }, once],
      ])('is looked at again after a refusal, until it shows what was added %s', async (_, repeated, how) => {
        await removeMember(client, ref, once);
        await addMember(client, input, once);
        await showNobody(2);
        expect(await addUntilTold(repeated, how)).toMatchObject([{ inMs: 500 }, { kind: 'added' }]);
      });

      test('is believed after half a minute', async () => {
        await removeMember(client, ref, once);
        const refusedOne = { ...input, templateId: '999' };
        const ended = await addUntilTold(refusedOne, again);
        expect(ended.slice(0, -1)).toMatchObject(
          [500, 1_000, 2_000, 4_000, 8_000, 14_500].map(inMs => ({ inMs })),
        );
        expect(ended.at(-1)).toMatchObject({ kind: 'refused', reason: { code: 'add-refused' } });
        // Once, and once more before it is told.
        expect(await control.requests()).toMatchObject({ 'users.add': 2 });
      });

      test.each([
        ['nobody: it is only looked again before it is told', 'nobody', 1],
        ['the user as before the removal: it is asked for once more at once', 'as-before', 2],
      ])('after a refusal, and had shown %s', async (_, refused, additions) => {
        await removeMember(client, ref, once);
        const told = { refused, looked: { attempt: 2, looks: 1 } };
        const ended = await addUntilTold({ ...input, templateId: '999' }, { ...again, lastDetails: told });
        expect(ended.slice(0, -1)).toMatchObject(
          [1_000, 2_000, 4_000, 8_000, 14_500].map(inMs => ({ inMs })),
        );
        expect(ended[0]).toMatchObject({ details: { refused: 'nobody' } });
        expect(ended.at(-1)).toMatchObject({ kind: 'refused' });
        expect(await control.requests()).toMatchObject({ 'users.add': additions });
      });

      test('is believed at once where nothing of ours can have been answered', async () => {
        await removeMember(client, ref, once);
        expect(await addUntilTold({ ...input, templateId: '999' })).toMatchObject([{ kind: 'refused' }]);
        expect(await control.requests()).toMatchObject({ 'users.add': 1 });
      });
    });

    test('is believed after half a minute', async () => {
      const input = { ...ref, templateId: '303', previous: standard, asked };
      const lastDetails = { looked: { attempt: 1, looks: 6 } };
      expect(await addMember(client, input, { ...once, lastDetails })).toEqual({
        kind: 'other',
        template: standard,
      });
    });
  });

  test('a list of people that is not there is a matter of the configuration, and fails no run', async () => {
    await control.addFault({ route: 'users.list', action: { kind: 'status', status: 404 } });
    const looked = lookAtMember(client, { project, userId: '9004' }, once);
    await expect(looked).rejects.toMatchObject({ code: 'MISCONFIGURED' });
  });

  describe('somebody who is outside, and whom the service refuses', () => {
    const unknown = { id: '998', name: '' };
    const wanted = { id: '303', name: 'Project Admin' };
    const ref = { project, userId: '9131', asked };

    /** What it ends with, or when it is tried again, and from what. */
    async function attempt(
      templates: readonly PermissionTemplate[],
      lastDetails?: unknown,
    ): Promise<unknown> {
      const scope = { ...once, lastDetails };
      return await bringInside(client, { ...ref, templates }, scope).catch((error: unknown) => error);
    }

    test('is tried again with growing waits, the first of them before the first try', async () => {
      expect(await attempt([wanted])).toMatchObject({ inMs: 60_000, details: { waits: 1 } });
      expect(await control.requests()).toEqual({});
      expect(await attempt([unknown], { waits: 1 })).toMatchObject({
        inMs: 120_000,
        details: { waits: 2 },
        message: expect.stringContaining('There is no such permission template'),
      });
      expect(await attempt([unknown], { waits: 9 })).toMatchObject({ inMs: 30 * 60_000 });
    });

    test('is inside once a template is taken, or somebody else has given one', async () => {
      expect(await attempt([unknown, wanted], { waits: 1 })).toEqual({
        kind: 'inside',
        by: 'us',
        template: wanted,
      });
      expect(await attempt([unknown], { waits: 2 })).toMatchObject({
        kind: 'inside',
        by: 'others',
        template: { id: '303' },
      });
    });

    test.each([403, 404])('is as open as before where the list is refused (%i)', async status => {
      await control.addFault({ route: 'users.list', action: { kind: 'status', status } });
      expect(await attempt([wanted], { waits: 1 })).toMatchObject({ inMs: 120_000 });
    });
  });
});
