// The client against the stand-in service: a document's whole way, tokens that end, limits, outages.
import { createHash } from 'node:crypto';
import { request } from 'undici';
import { createRevisions } from '../../../activities/service/endpoints/document-revisions';
import {
  createUploads,
  listUploads,
  patchUploads,
  readSelectedUploads,
  showUpload,
} from '../../../activities/service/endpoints/document-uploads';
import {
  createFileUpload,
  patchFileUpload,
  showFileUpload,
} from '../../../activities/service/endpoints/file-uploads';
import { showTokenInfo } from '../../../activities/service/endpoints/oauth';
import {
  listFields,
  listFieldValues,
  listRequirements,
} from '../../../activities/service/endpoints/project-rules';
import { listProjectUsers, showProjectUser } from '../../../activities/service/endpoints/project-users';
import { fetchAll } from '../../../activities/service/pages';
import { HeaderRateGate } from '../../../activities/service/rate/rate-gate';
import { Secret } from '../../../activities/service/secret';
import { ServiceClient } from '../../../activities/service/service-client';
import { completeServiceConfig, type ServiceOptions } from '../../../activities/service/service-config';
import { TokenSource } from '../../../activities/service/tokens/token-source';
import type { UploadId } from '../../../workflows/contract';
import { SandboxControl } from '../../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { errorOf } from './client-bed';
import { FakeTokenStore } from './tokens/fake-token-store';

let sandbox: Sandbox;
let control: SandboxControl;
let tokens: TokenSource;
let client: ServiceClient;
const companyId = DEFAULT_COMPANY_ID;
const params = { companyId, projectId: DEFAULT_PROJECTS.plain };

beforeEach(async () => {
  sandbox = await startSandbox({ settings: { limits: null, timeScale: 1_000 } });
  control = new SandboxControl(sandbox.controlUrl);
  connect();
});

afterEach(async () => {
  await client.close();
  await tokens.close();
  await sandbox.close();
});

function connect(options: Partial<ServiceOptions> = {}): void {
  const config = completeServiceConfig({
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId: DEFAULT_CREDENTIALS.clientId,
    clientSecret: new Secret(DEFAULT_CREDENTIALS.clientSecret),
    allowInsecureLoopback: true,
    maxWaitMs: 60_000,
    ...options,
  });
  tokens = new TokenSource({ config, store: new FakeTokenStore() });
  client = new ServiceClient({ config, tokens, gate: new HeaderRateGate() });
}

/** Steps 4 to 6 for one small file. */
async function completeUpload(fileName: string, content: string): Promise<UploadId> {
  const bytes = Buffer.from(content);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const created = await client.send(createUploads, {
    params,
    companyId,
    body: { uploads: [{ fileName, mimeType: 'application/pdf' }] },
  });
  const session = await client.send(createFileUpload, {
    params,
    companyId,
    body: {
      fileName,
      sizeBytes: bytes.length,
      contentType: 'application/pdf',
      sha256,
      segments: [{ sizeBytes: bytes.length, sha256 }],
    },
  });
  const target = session.data.segments[0]!;
  const put = await request(target.url, { method: 'PUT', headers: target.headers, body: bytes });
  await put.body.dump();
  const etag = String(put.headers.etag).replaceAll('"', '');
  const file = { ...params, fileUploadId: session.data.id };
  await client.send(patchFileUpload, { params: file, companyId, body: { partEtags: [etag] } });
  for (;;) {
    const { data } = await client.send(showFileUpload, { params: file, companyId });
    if (data.status === 'available') break;
  }
  const uploadId = created.data[0]!.id;
  const values = await client.send(listFieldValues, {
    params: { ...params, field: 'type' },
    companyId,
    query: { perPage: 100 },
  });
  const statuses = await client.send(listFieldValues, { params: { ...params, field: 'status' }, companyId });
  const fields = await fetchAll(client, listFields, { params, companyId });
  const idOf = (name: string) => fields.find(field => field.name === name)!.id;
  const active = (
    list: readonly { readonly id: string; readonly active: boolean; readonly label: string }[],
    not = '',
  ) => list.find(value => value.active && value.label !== not)!.id;
  const patched = await client.send(patchUploads, {
    params,
    companyId,
    body: {
      updates: [
        {
          id: uploadId,
          fileUploadId: session.data.id,
          uploadStatus: 'COMPLETED',
          fields: [
            { fieldId: idOf('name'), values: [fileName] },
            { fieldId: idOf('type'), values: [active(values.data, 'Drawing')] },
            { fieldId: idOf('status'), values: [active(statuses.data)] },
            { fieldId: idOf('revision'), values: ['A'] },
          ],
        },
      ],
    },
  });
  expect(patched.data).toEqual({ succeededIds: [uploadId], failed: [] });
  return uploadId;
}

test('carries a document from nothing to a revision', async () => {
  const id = await completeUpload('plan & ä.pdf', 'the bytes');
  for (;;) {
    const { data } = await client.send(readSelectedUploads, {
      params,
      companyId,
      query: { perPage: 100 },
      body: { ids: [id] },
    });
    if (data[0]!.integrationStatuses.ml !== 'in_progress') break;
  }
  const { data: upload } = await client.send(showUpload, { params: { ...params, uploadId: id }, companyId });
  expect(upload).toMatchObject({ id, uploadStatus: 'COMPLETED' });
  expect((await fetchAll(client, listUploads, { params, companyId })).map(listed => listed?.id)).toEqual([
    id,
  ]);
  const submitted = await client.send(createRevisions, {
    params,
    companyId,
    body: { uploads: [{ id, latestEventId: upload.latestEventId! }] },
  });
  expect(submitted.data).toMatchObject({ revisionIds: [expect.any(String)], failures: [] });
  expect(await control.revisions()).toMatchObject([
    { id: submitted.data.revisionIds[0], sha256: createHash('sha256').update('the bytes').digest('hex') },
  ]);
  const again = await errorOf(
    client.send(createRevisions, {
      params,
      companyId,
      body: { uploads: [{ id, latestEventId: upload.latestEventId! }] },
    }),
  );
  expect(again).toMatchObject({ code: 'REQUEST_REFUSED', reasons: [{ reasonCode: 'UPLOAD_NOT_FOUND' }] });
  expect(
    await errorOf(client.send(showUpload, { params: { ...params, uploadId: id }, companyId })),
  ).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await control.violations()).toEqual([]);
});

test('reads requirements, fields, long value lists and users to their ends', async () => {
  const requirements = await fetchAll(client, listRequirements, { params, companyId });
  expect(requirements.some(requirement => requirement.ruleQualifiers.length === 0)).toBe(true);
  const fields = await fetchAll(client, listFields, { params, companyId, query: { perPage: 7 } });
  expect(fields.map(field => field.name)).toEqual(
    expect.arrayContaining(['name', 'type', 'status', 'revision']),
  );
  const users = await fetchAll(client, listProjectUsers, {
    params: { projectId: params.projectId },
    companyId,
    query: { perPage: 2_000 },
  });
  expect(users.length).toBeGreaterThan(100);
  expect(new Set(users.map(user => user.id)).size).toBe(users.length);
  const shown = await client.send(showProjectUser, {
    params: { projectId: params.projectId, userId: users[0]!.id },
    companyId,
  });
  expect(shown.data).toMatchObject({ id: users[0]!.id, name: users[0]!.name });
});

test('a token that is ended in the middle costs one exchange, however many calls it meets', async () => {
  await fetchAll(client, listFields, { params, companyId });
  await control.expireTokens();
  await Promise.all(Array.from({ length: 20 }, () => client.send(listRequirements, { params, companyId })));
  expect((await control.requests())['oauth.token']).toBe(2);
  expect(await control.violations()).toEqual([]);
});

test('the bearer is known to the authentication host', async () => {
  const { data } = await client.send(showTokenInfo, { params: {}, companyId });
  expect(data.resourceOwnerId).not.toBeNull();
});

test.each([
  [{ kind: 'reply-lost' }, 'SERVICE_UNAVAILABLE', 'unknown'],
  [{ kind: 'cut-request' }, 'SERVICE_UNAVAILABLE', 'unknown'],
  [{ kind: 'cut-answer' }, 'SERVICE_UNAVAILABLE', 'unknown'],
  [{ kind: 'html' }, 'SERVICE_UNAVAILABLE', 'unknown'],
  [{ kind: 'redirect', location: 'http://127.0.0.1:9/' }, 'SERVICE_UNAVAILABLE', 'unknown'],
  [{ kind: 'malformed', body: '{"data":[' }, 'SERVICE_UNAVAILABLE', 'unknown'],
  [{ kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' }, 'INTERNAL_ERROR', 'unknown'],
  [{ kind: 'status', status: 403, reasonCode: 'ACCESS_DENIED' }, 'ACCESS_DENIED', 'rejected'],
  [{ kind: 'rate-limited', withRetryAfter: 'date' }, 'RATE_LIMITED', 'rejected'],
  [{ kind: 'unavailable', retryAfter: 3 }, 'SERVICE_UNAVAILABLE', 'unknown'],
] as const)('the fault %j is %s, %s', async (action, code, effect) => {
  await control.addFault({ route: 'uploads.create', action } as never);
  const body = { uploads: [{ fileName: 'a.pdf', mimeType: 'application/pdf' }] };
  expect(await errorOf(client.send(createUploads, { params, companyId, body }))).toMatchObject({
    code,
    effect,
  });
  expect((await control.requests())['uploads.create']).toBe(1);
});

test('an account without the bulk read is told by a 404', async () => {
  await control.configure({ bulkRead: false });
  const ids = ['01HZZZZZZZZZZZZZZZZZZZZZZ1' as UploadId];
  expect(await errorOf(client.send(readSelectedUploads, { params, companyId, body: { ids } }))).toMatchObject(
    {
      code: 'NOT_FOUND',
    },
  );
});

test('16 callers spend both windows without a refusal', async () => {
  await control.configure({ timeScale: 1, limits: { hourly: 3_600, spike: 25, spikeWindowSeconds: 2 } });
  const startedMs = Date.now();
  await Promise.all(Array.from({ length: 100 }, () => client.send(listRequirements, { params, companyId })));
  expect(Date.now() - startedMs).toBeLessThan(7 * 2_000);
  expect(await control.answers()).toMatchObject({ 'requirements.list': { 200: 100 } });
  expect(await control.violations()).toEqual([]);
}, 20_000);
