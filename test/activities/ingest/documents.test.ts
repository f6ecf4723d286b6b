// Creating, linking, reading and submitting uploads over real HTTP: what one bad item, an
// odd answer or a lost one does.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { MockActivityEnvironment } from '@temporalio/testing';
import { request } from 'undici';
import type { LinkItem } from '../../../activities/ingest/api';
import { createUploads, inProject, linkUploads, writeValues } from '../../../activities/ingest/documents';
import { findAbsent } from '../../../activities/ingest/find-absent';
import { look } from '../../../activities/ingest/look-at-uploads';
import { probeLinking } from '../../../activities/ingest/probe-steps';
import { ProjectLookups } from '../../../activities/ingest/project-lookups';
import { type ReadDeps, readUploads } from '../../../activities/ingest/read-uploads';
import { linkUnlessLinked, writeUnlessChanged } from '../../../activities/ingest/repeated-writes';
import type { HoldSeen, SeeHold } from '../../../activities/ingest/submit/see-hold';
import { submitAgain } from '../../../activities/ingest/submit/submit-again';
import { submitRevisions } from '../../../activities/ingest/submit/submit-revisions';
import type { ActivityScope } from '../../../activities/scope/activity-scope';
import { NotYetError } from '../../../activities/scope/not-yet';
import type { DocumentUpload } from '../../../activities/service/endpoints/document-uploads';
import {
  createFileUpload,
  patchFileUpload,
  showFileUpload,
} from '../../../activities/service/endpoints/file-uploads';
import {
  AccessDeniedError,
  RateLimitedError,
  ServiceUnavailableError,
} from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import type { EventId, FileUploadId, UploadId } from '../../../workflows/contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { useSandboxClient } from '../../setup/sandbox-client';
import { errorOf } from '../service/client-bed';

const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
const bed = useSandboxClient();
const scope = {
  signal: new AbortController().signal,
  attempt: 1,
  lastDetails: undefined,
  temporalMs: () => Date.now(),
  isOfOtherRun: false,
  report: () => undefined,
  comeBack: (_inMs: number, _details: object, why: string): never => {
    throw new Error(`It went: ${why}`);
  },
};
const asked = { runId: 'this-run' };
const times = { firstLookMs: 1, everyMs: 1, typicalMs: 20, forMs: 60_000 };

function files(count: number, mimeType = 'application/pdf') {
  return Array.from({ length: count }, (_, index) => ({ index, fileName: `f-${index}.pdf`, mimeType }));
}

async function create(count: number): Promise<UploadId[]> {
  const { created } = await createUploads(bed().client, { project, files: files(count) }, scope);
  return created.map(({ uploadId }) => uploadId);
}

/** An available file, sent as the protocol says. */
async function sendFile(name: string): Promise<FileUploadId> {
  const content = Buffer.from(`content of ${name}`);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { data: session } = await bed().client.send(createFileUpload, {
    ...inProject(project),
    body: {
      fileName: name,
      sizeBytes: content.length,
      contentType: 'application/pdf',
      sha256,
      segments: [{ sizeBytes: content.length, sha256 }],
    },
  });
  const { url, headers } = session.segments[0]!;
  const put = await request(url, { method: 'PUT', headers, body: content });
  await put.body.dump();
  const params = { ...inProject(project).params, fileUploadId: session.id };
  await bed().client.send(patchFileUpload, {
    companyId: project.companyId,
    params,
    body: { partEtags: [String(put.headers.etag).replaceAll('"', '')] },
  });
  for (;;) {
    const { data } = await bed().client.send(showFileUpload, { companyId: project.companyId, params });
    if (data.status === 'available') return session.id;
  }
}

async function linkItems(uploadIds: readonly UploadId[], writes: LinkItem['writes']): Promise<LinkItem[]> {
  const items: LinkItem[] = [];
  for (const [index, uploadId] of uploadIds.entries()) {
    items.push({ index, uploadId, fileUploadId: await sendFile(`f-${index}.pdf`), writes });
  }
  return items;
}

async function link(uploadIds: readonly UploadId[], attempt = 1) {
  const items = await linkItems(uploadIds, []);
  return await linkUploads(reading(), { project, fieldIds: [], items, asked }, { ...scope, attempt });
}

function reading(): ReadDeps {
  return {
    client: bed().client,
    lookups: new ProjectLookups(bed().client),
    withoutBulk: new Map(),
    withoutList: new Map(),
    sleep: async () => undefined,
  };
}

/** A service that shows uploads altered. */
function showing(alter: (upload: DocumentUpload) => DocumentUpload): Sender {
  const shown = (data: unknown): unknown => {
    if (Array.isArray(data)) return data.map(shown);
    const isUpload = typeof data === 'object' && data !== null && 'uploadStatus' in data;
    return isUpload ? alter(data as DocumentUpload) : data;
  };
  const send: Sender['send'] = async (...input) => {
    const answer = await bed().client.send(...input);
    return { ...answer, data: shown(answer.data) as typeof answer.data };
  };
  return { send };
}

/** An upload is analysed until its `look`th look; the others are through. */
function analysingUntil(look: number, uploadId: string | undefined) {
  const seen = { looks: 0 };
  const client = showing(upload => {
    const isUnderWay = upload.id === uploadId && ++seen.looks < look;
    const ml = isUnderWay ? 'in_progress' : 'completed';
    return { ...upload, integrationStatuses: { ml, filenameScraping: null } };
  });
  return { client, seen };
}

/** As Temporal does it: each attempt begins with what the one before left. */
async function readInAttempts(
  uploadIds: readonly UploadId[],
  deps: ReadDeps,
  poll: NonNullable<Parameters<typeof readUploads>[1]['poll']>,
  naming: Parameters<typeof readUploads>[1]['naming'] = 'file',
  left?: object,
) {
  return await inAttempts(inAttempt => read(uploadIds, deps, poll, naming, inAttempt), left);
}

/** Again and again, as Temporal does, each with what the one before has left. */
async function inAttempts<Result>(
  work: (inAttempt: ActivityScope) => Promise<Result>,
  left?: object,
): Promise<{ readonly pauses: readonly number[]; readonly result: Result }> {
  const pauses: number[] = [];
  for (let lastDetails: unknown = left; pauses.length < 100; ) {
    const inAttempt = {
      ...scope,
      lastDetails,
      comeBack: (inMs: number, details: object): never => {
        pauses.push(inMs);
        lastDetails = JSON.parse(JSON.stringify(details));
        throw new NotYetError('Later', Date.now() + inMs);
      },
    };
    try {
      return { pauses, result: await work(inAttempt) };
    } catch (error: unknown) {
      if (!(error instanceof NotYetError)) throw error;
    }
  }
  throw new Error('It looks for ever.');
}

async function read(
  uploadIds: readonly UploadId[],
  deps = reading(),
  poll?: Parameters<typeof readUploads>[1]['poll'],
  naming: Parameters<typeof readUploads>[1]['naming'] = 'file',
  inAttempt: Parameters<typeof readUploads>[2] = scope,
) {
  return await readUploads(
    deps,
    {
      project,
      defaults: { Status: 'Shared', Type: 'Document', Revision: 'A' },
      naming,
      files: uploadIds.map((_, index) => ({ fileName: `f-${index}.pdf`, mimeType: 'application/pdf' })),
      items: uploadIds.map((uploadId, index) => ({
        index,
        uploadId,
        fileName: `f-${index}.pdf`,
        mimeType: 'application/pdf',
        values: {},
      })),
      ...(poll === undefined ? {} : { poll }),
    },
    inAttempt,
  );
}

/** Uploads with everything they need, and the event ids of now. */
async function ready(count: number) {
  const uploadIds = await create(count);
  const { fields } = await new ProjectLookups(bed().client).rules(project);
  const idOf = (name: string) => fields.find(field => field.name === name)!;
  await link(uploadIds);
  const lookups = new ProjectLookups(bed().client);
  const value = async (name: string, text: string) =>
    (await lookups.candidates(project, idOf(name), text)).find(({ label }) => label === text)!.id;
  const writes = [
    { fieldId: idOf('type').id, values: [await value('type', 'Document')] },
    { fieldId: idOf('status').id, values: [await value('status', 'Shared')] },
    { fieldId: idOf('revision').id, values: ['A'] },
  ];
  await writeValues(
    reading(),
    {
      project,
      onlyEmpty: true,
      items: uploadIds.map((uploadId, index) => ({ index, uploadId, fields: writes })),
    },
    scope,
  );
  const { documents } = await read(uploadIds, reading(), { times, lookedMs: 0, mayPart: false });
  return documents.map((document, index) => ({
    index,
    uploadId: uploadIds[index]!,
    eventId: document.kind === 'found' ? document.eventId : ('' as EventId),
  }));
}

type Ready = Awaited<ReturnType<typeof ready>>[number];

describe('creating uploads', () => {
  test.each(['missing-id', 'extra-id'] as const)('an answer with a %s counts as lost', async kind => {
    await bed().control.addFault({ route: 'uploads.create', action: { kind } });
    const error = await errorOf(createUploads(bed().client, { project, files: files(3) }, scope));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', effect: 'unknown' });
  });

  test.each([
    ['a number', 17],
    ['no ULID', 'U1'],
    ['longer than one', `${'0'.repeat(26)}1`],
  ])('an answer with an id that is %s counts as lost: no later request could name it', async (_, odd) => {
    const [first, last] = ['01HF7YAT31JZHSMW1CG6Q6MHB7', '01hf7yat31jzhsmw1cg6q6mhb8'];
    const answer = (ids: readonly unknown[]) => ({
      kind: 'malformed' as const,
      effect: true,
      body: JSON.stringify({ data: ids.map(id => ({ id })) }),
    });
    await bed().control.addFault({ route: 'uploads.create', action: answer([first, odd, last]) });
    await bed().control.addFault({ route: 'uploads.create', action: answer([first, last]) });
    const error = await errorOf(createUploads(bed().client, { project, files: files(3) }, scope));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', fault: 'response', effect: 'unknown' });
    const { created } = await createUploads(bed().client, { project, files: files(2) }, scope);
    expect(created.map(({ uploadId }) => uploadId)).toEqual([first, last]);
  });

  test('a file the service refuses is found by halving, the others are created once each', async () => {
    await bed().control.addFault({
      route: 'uploads.create',
      match: { fileName: 'f-5.pdf' },
      times: 0,
      action: { kind: 'request-refusal', reasonCode: 'INVALID_PROPERTY' },
    });
    const { created, refused } = await createUploads(bed().client, { project, files: files(8) }, scope);
    expect(refused).toMatchObject([{ index: 5, reason: { code: 'INVALID_PROPERTY' } }]);
    expect(created.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 6, 7]);
    const uploads = await bed().control.uploads();
    for (const { index, uploadId } of created) {
      expect(uploads.find(({ id }) => id === uploadId)?.fileName).toBe(`f-${index}.pdf`);
    }
  });

  describe('where one name makes the request fail, each time and without a reason', () => {
    const failFor = async (fileName?: string, skip = 0) =>
      await bed().control.addFault({
        route: 'uploads.create',
        ...(fileName === undefined ? {} : { match: { fileName } }),
        skip,
        times: 0,
        action: { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' },
      });
    const createIn = async (attempt: number, count: number, more = {}) =>
      await createUploads(bed().client, { project, files: files(count), ...more }, { ...scope, attempt });
    const indexesOf = (of: readonly { readonly index: number }[]) =>
      of.map(({ index }) => index).sort((one, other) => one - other);
    const requests = async () => (await bed().control.requests())['uploads.create'];

    test.each([
      ['together', {}],
      ['one by one', { oneByOne: true }],
    ])('that file is refused once others get through, and these are created (%s)', async (_, more) => {
      await failFor('f-5.pdf');
      expect(await errorOf(createIn(2, 8, more))).toMatchObject({ code: 'INTERNAL_ERROR' });
      const { created, refused } = await createIn(3, 8, more);
      expect(refused).toMatchObject([{ index: 5, reason: { code: 'UNKNOWN_FAILURE' } }]);
      expect(indexesOf(created)).toEqual([0, 1, 2, 3, 4, 6, 7]);
      const uploads = await bed().control.uploads();
      for (const { index, uploadId } of created) {
        expect(uploads.find(({ id }) => id === uploadId)?.fileName).toBe(`f-${index}.pdf`);
      }
    });

    test('of two files, too, at whichever attempt', async () => {
      await failFor('f-1.pdf');
      const ends = [await createIn(3, 2), await createIn(4, 2)];
      for (const { created, refused } of ends) {
        expect([indexesOf(created), indexesOf(refused)]).toEqual([[0], [1]]);
      }
    });

    test('a file that is alone is not refused: nobody else tells', async () => {
      await failFor('f-0.pdf');
      expect(await errorOf(createIn(50, 1))).toMatchObject({ code: 'INTERNAL_ERROR' });
    });

    test('an outage is waited out, and costs three requests', async () => {
      await failFor();
      expect(await errorOf(createIn(50, 100))).toMatchObject({ code: 'INTERNAL_ERROR' });
      expect(await requests()).toBe(3);
    });

    test('so is one that begins when another file has got through', async () => {
      await failFor('f-5.pdf');
      await failFor(undefined, 3);
      expect(await errorOf(createIn(3, 8))).toMatchObject({ code: 'INTERNAL_ERROR' });
    });

    test('one by one, what an attempt before has made is proof enough', async () => {
      await failFor('f-2.pdf');
      const reports: unknown[] = [];
      const report = (details: object) => void reports.push(details);
      const input = { project, files: files(3), oneByOne: true };
      await errorOf(createUploads(bed().client, input, { ...scope, report }));
      const again = { ...scope, attempt: 3, lastDetails: reports.at(-1) };
      const { created, refused } = await createUploads(bed().client, input, again);
      expect([indexesOf(created), indexesOf(refused)]).toEqual([[0, 1], [2]]);
    });
  });

  test('one by one, a further attempt makes only what the one before has not made', async () => {
    const input = { project, files: files(3), oneByOne: true };
    const reports: unknown[] = [];
    const first = await createUploads(bed().client, input, {
      ...scope,
      report: details => void reports.push(details),
    });
    // As after a worker that died when it had made two of them.
    const again = await createUploads(bed().client, input, { ...scope, lastDetails: reports[1] });
    expect((await bed().control.requests())['uploads.create']).toBe(4);
    expect(again.created.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(again.created.slice(0, 2)).toEqual(first.created.slice(0, 2));
  });

  test('a project without its naming standard configured is for a person', async () => {
    const unconfigured = { ...project, projectId: DEFAULT_PROJECTS.unconfigured };
    expect(
      await errorOf(createUploads(bed().client, { project: unconfigured, files: files(1) }, scope)),
    ).toMatchObject({
      code: 'MISCONFIGURED',
    });
  });
});

describe('linking', () => {
  test('asked = linked + failed + missing, whatever the order of the answer', async () => {
    const uploadIds = await create(4);
    await bed().control.addFault({
      route: 'uploads.patch',
      match: { fileName: 'f-1.pdf' },
      action: { kind: 'drop-from-207' },
    });
    await bed().control.addFault({
      route: 'uploads.patch',
      match: { fileName: 'f-2.pdf' },
      action: { kind: 'fail-in-207', code: 404 },
    });
    expect(await link(uploadIds)).toEqual({
      kind: 'answered',
      linked: [0, 3],
      failed: [{ index: 2, code: '404' }],
      missing: [1],
    });
  });

  test('a second attempt, and a run that was reset, say that the request may have been heard before', async () => {
    const uploadIds = await create(2);
    await bed().control.addFault({ route: 'uploads.patch', action: { kind: 'reply-lost' } });
    expect(await errorOf(link(uploadIds))).toMatchObject({ effect: 'unknown' });
    await bed().control.edit(project.projectId, { kind: 'submit-upload', fileName: 'f-0.pdf' });
    expect(await link(uploadIds, 2)).toEqual({
      kind: 'answered',
      linked: [1],
      failed: [],
      missing: [0],
      repeated: true,
    });
  });

  test('what an unanswered request has linked is not written again: people may have edited it since', async () => {
    const uploadIds = await create(2);
    const { fields } = await reading().lookups.rules(project);
    const fieldId = fields.find(({ name }) => name === 'description')!.id;
    const items = await linkItems(uploadIds, [[0, ['planned']]]);
    const input = { project, fieldIds: [fieldId], items, asked };
    await bed().control.addFault({ route: 'uploads.patch', action: { kind: 'reply-lost' } });
    const deps = reading();
    expect(await errorOf(linkUnlessLinked(deps, input, scope))).toMatchObject({ effect: 'unknown' });
    await writeValues(
      reading(),
      {
        project,
        onlyEmpty: false,
        items: [{ index: 0, uploadId: uploadIds[0]!, fields: [{ fieldId, values: ['a person’s'] }] }],
      },
      scope,
    );
    expect(await linkUnlessLinked(deps, input, { ...scope, attempt: 2 })).toEqual({
      kind: 'answered',
      linked: [0, 1],
      failed: [],
      missing: [],
      repeated: true,
    });
    const shown = await look(deps, project, [{ index: 0, uploadId: uploadIds[0]! }], scope.signal);
    expect(JSON.stringify(shown.get(0))).toContain('a person’s');
  });

  test('values of a person that may have been written, and were changed since, are not written again', async () => {
    const uploadIds = await create(4);
    await link(uploadIds);
    const { fields } = await reading().lookups.rules(project);
    const fieldId = fields.find(({ name }) => name === 'description')!.id;
    const deps = reading();
    const shown = async () =>
      await look(
        deps,
        project,
        uploadIds.map((uploadId, index) => ({ index, uploadId })),
        scope.signal,
      );
    const eventIds = [...(await shown())].sort(([one], [two]) => one - two).map(([, each]) => each);
    const item = (index: number, value: string) => ({
      index,
      uploadId: uploadIds[index]!,
      eventId: (eventIds[index] as DocumentUpload).latestEventId!,
      fields: [{ fieldId, values: [value] }],
    });
    const correct = async (index: number) =>
      await writeValues(deps, { project, onlyEmpty: false, items: [item(index, 'corrected')] }, scope);
    const items = [0, 1].map(index => item(index, 'answered'));
    const input = { project, onlyEmpty: false, items: [...items, item(2, 'answered')], asked };
    await bed().control.addFault({ route: 'uploads.patch', action: { kind: 'reply-lost' } });
    const first = { ...input, items };
    expect(await errorOf(writeUnlessChanged(deps, first, scope))).toMatchObject({ effect: 'unknown' });
    await correct(0);
    const before = (await bed().control.requests())['uploads.patch'];
    expect(await writeUnlessChanged(deps, first, { ...scope, attempt: 2 })).toEqual({
      written: [1],
      missing: [],
      refused: [],
      changed: [0],
    });
    expect((await bed().control.requests())['uploads.patch']).toBe(before);
    // Dispatched again after a reset; nobody has touched the third one, which is written now.
    const afterReset = { ...input, asked: { ...asked, afterReset: true } };
    expect(await writeUnlessChanged(deps, afterReset, scope)).toEqual({
      written: [1, 2],
      missing: [],
      refused: [],
      changed: [0],
    });
    await bed().control.edit(project.projectId, { kind: 'delete-upload', uploadId: uploadIds[1]! });
    const again = { ...input, again: true } as const;
    expect(await writeUnlessChanged(deps, again, scope)).toMatchObject({ missing: [1], changed: [0] });
    const texts = [...(await shown())].map(([index, each]) => [index, JSON.stringify(each)] as const);
    const seen = new Map(texts);
    expect([seen.get(0), seen.get(2)]).toEqual([
      expect.stringContaining('corrected'),
      expect.stringContaining('answered'),
    ]);
  });

  test('asked for the first time, values of a person are written without a look', async () => {
    const uploadIds = await create(1);
    await link(uploadIds);
    const { fields } = await reading().lookups.rules(project);
    const fieldId = fields.find(({ name }) => name === 'description')!.id;
    const items = [{ index: 0, uploadId: uploadIds[0]!, fields: [{ fieldId, values: ['answered'] }] }];
    const { client } = bed();
    const sent: string[] = [];
    const counting: Sender = {
      send: (endpoint, input) => {
        sent.push(endpoint.name);
        return client.send(endpoint, input);
      },
    };
    const deps = { ...reading(), client: counting };
    const result = await writeUnlessChanged(deps, { project, onlyEmpty: false, items, asked }, scope);
    expect([sent, result.written]).toEqual([['uploads.patch'], [0]]);
  });

  test('a project that was without the bulk read a moment ago is not asked for it again', async () => {
    const uploadIds = await create(3);
    const items = await linkItems(uploadIds, []);
    const refusedAtMs = performance.now();
    const deps = { ...reading(), withoutBulk: new Map([[project.projectId, refusedAtMs]]) };
    const before = await bed().control.requests();
    await linkUnlessLinked(deps, { project, fieldIds: [], items, asked }, { ...scope, attempt: 2 });
    // One is asked for by itself, and the others in the list.
    expect(await bed().control.requests()).toEqual({
      ...before,
      'uploads.show': 1,
      'uploads.list': 1,
      'uploads.patch': 2,
    });
    expect(deps.withoutBulk.get(project.projectId)).toBe(refusedAtMs);
  });

  test('with neither the bulk read nor the list, what was linked is found by itself and not written again', async () => {
    await bed().control.configure({ bulkRead: false });
    await bed().control.addFault({
      route: 'uploads.list',
      times: 0,
      action: { kind: 'status', status: 404 },
    });
    const uploadIds = await create(2);
    const items = await linkItems(uploadIds, []);
    const input = { project, fieldIds: [], items, asked };
    const deps = reading();
    await linkUnlessLinked(deps, { ...input, items: items.slice(0, 1) }, scope);
    const { 'uploads.patch': patched = 0 } = await bed().control.requests();
    expect(await linkUnlessLinked(deps, input, { ...scope, attempt: 2 })).toMatchObject({
      kind: 'answered',
      linked: [0, 1],
    });
    expect(await linkUnlessLinked(deps, input, { ...scope, attempt: 4 })).toEqual({
      kind: 'answered',
      linked: [0, 1],
      failed: [],
      missing: [],
      repeated: true,
    });
    expect((await bed().control.requests())['uploads.patch']).toBe(patched + 1);
  });

  test('what a list too long to be read whole does not show is asked for by itself before it is written again', async () => {
    const items = await linkItems(await create(3), []);
    await linkUnlessLinked(reading(), { project, fieldIds: [], items, asked }, scope);
    const { 'uploads.patch': patched } = await bed().control.requests();
    let pages = 0;
    const send = async (...input: Parameters<Sender['send']>) => {
      if (input[0].name === 'uploads.list') {
        const data = [{ id: `other ${pages++}` }];
        return { data, total: 5_000, nextSearch: `?page=${pages + 1}` };
      }
      return await bed().client.send(...input);
    };
    const deps = {
      ...reading(),
      client: { send } as unknown as Sender,
      withoutBulk: new Map([[project.projectId, performance.now()]]),
    };
    const again = await linkUnlessLinked(
      deps,
      { project, fieldIds: [], items, asked },
      { ...scope, attempt: 2 },
    );
    expect(again).toMatchObject({ kind: 'answered', linked: [0, 1, 2], repeated: true });
    expect((await bed().control.requests())['uploads.patch']).toBe(patched);
    expect(pages).toBe(20);
  });

  test('where one gets through and the others do not, each is linked once all the same', async () => {
    const items = await linkItems(await create(3), []);
    const input = { project, fieldIds: [], items, asked };
    const away = { route: 'uploads.patch', action: { kind: 'status', status: 503 } } as const;
    await bed().control.addFault(away);
    expect(await errorOf(linkUnlessLinked(reading(), input, scope))).toMatchObject({ status: 503 });
    await bed().control.addFault({ ...away, skip: 1 });
    const second = linkUnlessLinked(reading(), input, { ...scope, attempt: 2 });
    expect(await errorOf(second)).toMatchObject({ status: 503 });
    const statuses = (await bed().control.uploads()).map(({ status }) => status);
    expect(statuses.filter(status => status === 'COMPLETED')).toHaveLength(1);
    const third = await linkUnlessLinked(reading(), input, { ...scope, attempt: 3 });
    expect(third.kind === 'answered' && [...third.linked].sort()).toEqual([0, 1, 2]);
    const effects = (await bed().control.operations()).map(({ what }) => what);
    expect(effects.filter(what => what === 'upload-completed')).toHaveLength(3);
    expect(effects).not.toContain('upload-updated');
  });

  test('one that may be linked and cannot be read is not written again, and holds no other back', async () => {
    const uploadIds = await create(3);
    const items = await linkItems(uploadIds, []);
    const input = { project, fieldIds: [], items, asked };
    await linkUnlessLinked(reading(), { ...input, items: items.slice(0, 2) }, scope);
    const { 'uploads.patch': patched = 0 } = await bed().control.requests();
    const deps = { ...reading(), client: unreadable(uploadIds[1]!) };
    expect(await linkUnlessLinked(deps, input, { ...scope, attempt: 2 })).toEqual({
      kind: 'answered',
      linked: [0, 2],
      failed: [],
      missing: [1],
      repeated: true,
    });
    expect((await bed().control.requests())['uploads.patch']).toBe(patched + 1);
    expect(await linkUnlessLinked(deps, input, { ...scope, attempt: 5 })).toMatchObject({
      linked: [0, 2],
      missing: [1],
    });
    expect((await bed().control.requests())['uploads.patch']).toBe(patched + 1);
  });

  test('a 500 is repeated by Temporal at first, then taken for one document’s trouble', async () => {
    const uploadIds = await create(1);
    await bed().control.addFault({
      route: 'uploads.patch',
      times: 0,
      action: { kind: 'storage-unverified' },
    });
    expect(await errorOf(link(uploadIds))).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(await link(uploadIds, 3)).toEqual({ kind: 'failed' });
  });

  test.each([
    ['a page with a 500', { kind: 'html', status: 500 }],
    ['a page with a 403', { kind: 'html', status: 403 }],
    ['a 504', { kind: 'status', status: 504 }],
    ['no answer', { kind: 'reply-lost' }],
  ] as const)('%s each time may be for one document’s values as well', async (_, action) => {
    const uploadIds = await create(1);
    await bed().control.addFault({ route: 'uploads.patch', times: 0, action });
    expect(await errorOf(link(uploadIds, 2))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await link(uploadIds, 3)).toEqual({ kind: 'failed' });
  });

  test.each([404, 410])(
    'a %d is of the project, and for a person: no document is asked for by it',
    async status => {
      const uploadIds = await create(2);
      await bed().control.addFault({ route: 'uploads.patch', action: { kind: 'status', status } });
      expect(await errorOf(link(uploadIds))).toMatchObject({ code: 'MISCONFIGURED', status });
    },
  );

  test('an outage is never taken for one document’s trouble', async () => {
    const uploadIds = await create(1);
    await bed().control.addFault({
      route: 'uploads.patch',
      times: 0,
      action: { kind: 'unavailable', retryAfter: 1 },
    });
    expect(await errorOf(link(uploadIds, 50))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('writing values', () => {
  // Remarks are nothing that the analysis would fill meanwhile.
  test('only empty fields are written, and a refused value is found among the others', async () => {
    const uploadIds = await create(4);
    await link(uploadIds);
    const { fields } = await new ProjectLookups(bed().client).rules(project);
    const remarks = fields.find(({ name }) => name === 'remarks')!.id;
    await bed().control.edit(project.projectId, {
      kind: 'edit-upload',
      uploadId: uploadIds[0]!,
      field: 'remarks',
      values: ['a person’s'],
    });
    const result = await writeValues(
      reading(),
      {
        project,
        onlyEmpty: true,
        items: uploadIds.map((uploadId, index) => ({
          index,
          uploadId,
          fields: [
            index === 2
              ? { fieldId: 'NO-SUCH-FIELD', values: ['x'] }
              : { fieldId: remarks, values: ['ours'] },
          ],
        })),
      },
      scope,
    );
    expect(result.refused).toMatchObject([{ index: 2 }]);
    expect([...result.written].sort()).toEqual([0, 1, 3]);
    const uploads = await bed().control.uploads();
    expect(uploads.find(({ id }) => id === uploadIds[0])?.fields.remarks?.values).toEqual(['a person’s']);
    expect(uploads.find(({ id }) => id === uploadIds[1])?.fields.remarks?.values).toEqual(['ours']);
  });
});

describe('the field of a refused value is told as people know it', () => {
  const said =
    'The service refused one of the values of this document. The service names the field "Status".';
  const listIds = async () => {
    const { fields } = await reading().lookups.rules(project);
    const idOf = (name: string) => fields.find(field => field.name === name)!.id;
    return { remarks: idOf('remarks'), status: idOf('status') };
  };

  test('where values are written', async () => {
    const uploadIds = await create(3);
    const { remarks, status } = await listIds();
    const items = uploadIds.map((uploadId, index) => ({
      index,
      uploadId,
      fields: [
        { fieldId: remarks, values: ['ours'] },
        ...(index === 1 ? [{ fieldId: status, values: ['invented'] }] : []),
      ],
    }));
    const { refused } = await writeValues(reading(), { project, onlyEmpty: true, items }, scope);
    expect(refused).toMatchObject([{ index: 1, reason: { code: 'INVALID_PROPERTY', text: said } }]);
  });

  test('where files are linked', async () => {
    const { remarks, status } = await listIds();
    const items = await linkItems(await create(1), [
      [0, ['ours']],
      [1, ['invented']],
    ]);
    const input = { project, fieldIds: [remarks, status], items, asked };
    const result = await linkUnlessLinked(reading(), input, scope);
    expect(result).toMatchObject({ kind: 'refused', refusals: [{ field: 'Status' }] });
    const probed = await probeLinking(reading(), input, scope);
    expect(probed).toMatchObject({ result: { kind: 'refused', refusals: [{ field: 'Status' }] } });
  });

  test('and the refusal is one where the fields cannot be had just now', async () => {
    const { status } = await listIds();
    const items = await linkItems(await create(1), [[0, ['invented']]]);
    await bed().control.addFault({ route: 'fields.list', action: { kind: 'status', status: 403 } });
    const result = await linkUnlessLinked(reading(), { project, fieldIds: [status], items, asked }, scope);
    expect(result).toEqual({
      kind: 'refused',
      refusals: [{ reasonCode: 'INVALID_PROPERTY', message: expect.any(String) }],
    });
  });
});

test('values that make the request fail each time are found among the others, and refused', async () => {
  const uploadIds = await create(5);
  const items = uploadIds.map((uploadId, index) => ({ index, uploadId, fields: [] }));
  const writeIn = async (attempt: number, some = items) =>
    await writeValues(reading(), { project, onlyEmpty: true, items: some }, { ...scope, attempt });
  await bed().control.addFault({
    route: 'uploads.patch',
    match: { uploadId: uploadIds[3]! },
    times: 0,
    action: { kind: 'html', status: 403 },
  });
  expect(await errorOf(writeIn(2))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const { written, missing, refused } = await writeIn(3);
  expect([...written].sort()).toEqual([0, 1, 2, 4]);
  expect(missing).toEqual([]);
  expect(refused).toMatchObject([{ index: 3, reason: { code: 'UNKNOWN_FAILURE' } }]);
  expect(await errorOf(writeIn(50, items.slice(3, 4)))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('values of the last one that fail each time are refused as well, by one that is written already', async () => {
  const uploadIds = await create(2);
  await link(uploadIds);
  const { fields } = await reading().lookups.rules(project);
  const fieldId = fields.find(({ name }) => name === 'remarks')!.id;
  const items = uploadIds.map((uploadId, index) => ({
    index,
    uploadId,
    fields: [{ fieldId, values: ['given'] }],
  }));
  const input = { project, onlyEmpty: false, items, asked };
  await bed().control.addFault({
    route: 'uploads.patch',
    match: { uploadId: uploadIds[1]! },
    times: 0,
    action: { kind: 'html', status: 403 },
  });
  let lastDetails: unknown;
  const writeIn = async (attempt: number) => {
    const report = (details: object) => {
      lastDetails = details;
    };
    return await writeUnlessChanged(reading(), input, { ...scope, attempt, lastDetails, report });
  };
  for (const attempt of [1, 2, 3]) expect(await errorOf(writeIn(attempt))).toBeDefined();
  const { written, refused } = await writeIn(4);
  expect(written).toEqual([0]);
  expect(refused).toMatchObject([{ index: 1, reason: { code: 'UNKNOWN_FAILURE' } }]);
});

test.each([404, 410])(
  'values are not written where the project answers %d: that is for a person',
  async status => {
    const uploadIds = await create(1);
    await bed().control.addFault({ route: 'uploads.patch', action: { kind: 'status', status } });
    const items = uploadIds.map((uploadId, index) => ({ index, uploadId, fields: [] }));
    expect(await errorOf(writeValues(reading(), { project, onlyEmpty: true, items }, scope))).toMatchObject({
      code: 'MISCONFIGURED',
      status,
    });
  },
);

describe('reading uploads', () => {
  test('says of all of them by which requirement they go, each requirement once', async () => {
    const uploadIds = await create(3);
    await link(uploadIds);
    const { documents, requirements } = await read(uploadIds);
    expect(requirements).toEqual([
      { when: 'the default of the project', asks: expect.arrayContaining(['Type', 'Status']) },
    ]);
    // Absent for the first.
    expect(documents.map(document => 'requirement' in document)).toEqual([false, false, false]);
  });

  test('one request reads a hundred; hidden, deleted and found are told apart', async () => {
    const uploadIds = await create(3);
    await link(uploadIds);
    await bed().control.edit(project.projectId, { kind: 'delete-upload', uploadId: uploadIds[1]! });
    const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV' as UploadId;
    const before = (await bed().control.requests())['uploads.show'] ?? 0;
    const { documents } = await read([uploadIds[0]!, uploadIds[1]!, unknown]);
    expect(documents.map(({ kind }) => kind)).toEqual(['found', 'deleted', 'hidden']);
    const requests = await bed().control.requests();
    // Only what the bulk read leaves out is asked for by itself.
    expect((requests['uploads.show'] ?? 0) - before).toBe(2);
  });

  test('without the bulk read the list of uploads is read, and the 404 is paid once', async () => {
    await bed().control.configure({ bulkRead: false });
    const uploadIds = await create(3);
    await link(uploadIds);
    const deps = reading();
    const { documents } = await read(uploadIds, deps);
    expect(documents.map(({ kind }) => kind)).toEqual(['found', 'found', 'found']);
    await read(uploadIds, deps);
    const { 'uploads.selected': selected, 'uploads.list': lists, ...others } = await bed().control.requests();
    expect([selected, lists]).toEqual([1, 2]);
    expect(others).not.toHaveProperty('uploads.show');
  });

  test('without bulk read and list every upload is read by itself', async () => {
    await bed().control.configure({ bulkRead: false });
    await bed().control.addFault({ route: 'uploads.list', action: { kind: 'status', status: 404 } });
    const uploadIds = await create(3);
    await link(uploadIds);
    const deps = reading();
    await read(uploadIds, deps);
    await read(uploadIds, deps);
    const { 'uploads.selected': selected, 'uploads.list': lists, ...others } = await bed().control.requests();
    expect([selected, lists]).toEqual([1, 1]);
    expect(others['uploads.show']).toBe(6);
  });

  test('a project that could not be read at once is asked again a quarter of an hour later', async () => {
    await bed().control.configure({ bulkRead: false });
    const uploadIds = await create(2);
    await link(uploadIds);
    const deps = reading();
    // Forward only: the rate gate keeps its windows by the same clock. Whole: the sum of a fraction and a
    // quarter of an hour may be less than a quarter of an hour later, in a process that is minutes old.
    const startMs = Math.ceil(performance.now());
    const clock = jest.spyOn(performance, 'now').mockReturnValue(startMs);
    try {
      await read(uploadIds, deps);
      await bed().control.configure({ bulkRead: true });
      clock.mockReturnValue(startMs + 14 * 60_000);
      await read(uploadIds, deps);
      expect((await bed().control.requests())['uploads.selected']).toBe(1);
      clock.mockReturnValue(startMs + 15 * 60_000);
      await read(uploadIds, deps);
      expect((await bed().control.requests())['uploads.selected']).toBe(2);
    } finally {
      clock.mockRestore();
    }
    expect((await bed().control.requests())['uploads.list']).toBe(2);
  });

  test('no list of documents, fields or values is asked for in larger pages than the service gives', async () => {
    // A service that refuses more than 100 a page, rather than giving fewer.
    await bed().control.configure({ clampPageSize: false });
    const uploadIds = await create(3);
    await link(uploadIds);
    expect((await read(uploadIds)).documents.map(({ kind }) => kind)).toEqual(['found', 'found', 'found']);
    const lookups = new ProjectLookups(bed().client);
    const { fields } = await lookups.rules(project);
    expect(fields.length).toBeGreaterThan(3);
    for (const field of fields) await lookups.candidates(project, field, 'x');
  });

  test('polling upload by upload looks when the analysis is likely over, not before', async () => {
    await bed().control.configure({ bulkRead: false });
    const uploadIds = await create(4);
    await link(uploadIds);
    const withoutList = new Map([[project.projectId, performance.now()]]);
    const deps = { ...reading(), withoutList };
    await bed().control.addFault({ route: 'analysis', action: { kind: 'analysis-error' } });
    const poll = { times: { ...times, typicalMs: 28_000 }, lookedMs: 0, mayPart: true };
    const { pauses } = await readInAttempts(uploadIds, deps, poll);
    expect(pauses[0]).toBeGreaterThan(27_000);
  });

  test('between two looks the attempt ends; the next one knows who had ended, and asks nothing more of them', async () => {
    const uploadIds = await create(3);
    await link(uploadIds);
    const asked: string[][] = [];
    const { client } = analysingUntil(3, uploadIds[1]);
    const listening: Sender = {
      send: async (...input) => {
        const { body } = input[1] as { readonly body?: { readonly ids?: string[] } };
        if (body?.ids !== undefined) asked.push(body.ids);
        return await client.send(...input);
      },
    };
    const poll = {
      times: { firstLookMs: 5_000, everyMs: 8_000, typicalMs: 20_000, forMs: 180_000 },
      lookedMs: 0,
      mayPart: false,
    };
    const { result, pauses } = await readInAttempts(uploadIds, { ...reading(), client: listening }, poll);
    expect(pauses[0]).toBe(5_000);
    expect(pauses).toHaveLength(3);
    expect(asked).toEqual([uploadIds, [uploadIds[1]], [uploadIds[1]]]);
    expect(result.documents).toMatchObject(
      [0, 1, 2].map(index => ({ kind: 'found', index, analysed: true })),
    );
    const waited = result.documents.map(each => each.kind === 'found' && each.analysis?.waitedMs);
    expect(waited[0]).toBeLessThan(6_000);
    expect(waited[1]).toBeGreaterThanOrEqual(15_000);
    expect(result.lookedMs).toBeGreaterThanOrEqual(pauses.reduce((sum, each) => sum + each));
  });

  test('names that were given in one attempt are told by a later one, and given once', async () => {
    const uploadIds = await create(2);
    await link(uploadIds);
    await read(uploadIds, reading(), { times, lookedMs: 0, mayPart: false });
    const { client } = analysingUntil(2, uploadIds[0]);
    const poll = {
      times: { firstLookMs: 5_000, everyMs: 8_000, typicalMs: 20_000, forMs: 180_000 },
      lookedMs: 0,
      mayPart: false,
      isToName: true as const,
    };
    const before = (await bed().control.requests())['uploads.patch'];
    const { result, pauses } = await readInAttempts(uploadIds, { ...reading(), client }, poll, 'stem');
    expect(pauses).toHaveLength(2);
    expect(result.named).toEqual([
      { index: 0, name: 'f-0' },
      { index: 1, name: 'f-1' },
    ]);
    expect((await bed().control.requests())['uploads.patch']).toBe((before ?? 0) + 1);
  });

  test('a worker of an earlier build left the time alone: everything is looked at again, after the usual pause', async () => {
    const uploadIds = await create(1);
    await link(uploadIds);
    const poll = {
      times: { firstLookMs: 5_000, everyMs: 8_000, typicalMs: 20_000, forMs: 180_000 },
      lookedMs: 0,
      mayPart: false,
    };
    const client = showing(upload => ({
      ...upload,
      integrationStatuses: { ml: 'completed', filenameScraping: null },
    }));
    const deps = { ...reading(), client };
    const { result, pauses } = await readInAttempts(uploadIds, deps, poll, 'file', { lookedMs: 30_000 });
    expect(pauses).toEqual([8_000]);
    expect(result.lookedMs).toBeGreaterThanOrEqual(38_000);
  });

  test('polling goes on until nothing is analysed any more', async () => {
    const uploadIds = await create(2);
    await link(uploadIds);
    const { client, seen } = analysingUntil(3, uploadIds[1]);
    const poll = { times, lookedMs: 0, mayPart: false };
    const { documents } = await read(uploadIds, { ...reading(), client }, poll);
    expect(documents).toMatchObject([
      { kind: 'found', analysed: true },
      { kind: 'found', analysed: true },
    ]);
    expect(seen.looks).toBe(3);
  });

  test('names are given between two looks, to what is seen to be the documents’ own, and what is told is of after that', async () => {
    const uploadIds = await create(3);
    await link(uploadIds);
    // Its true end moves the event id too, and must be over by then.
    await read(uploadIds, reading(), { times, lookedMs: 0, mayPart: false });
    let looks = 0;
    const client = showing(upload => {
      const at = uploadIds.indexOf(upload.id);
      if (at === 0) looks++;
      const ml = looks === 1 && at !== 2 ? ('in_progress' as const) : ('completed' as const);
      const shown = { ...upload, integrationStatuses: { ml, filenameScraping: null } };
      return at === 1 ? { ...shown, otherTexts: ['f-0.pdf'] } : shown;
    });
    const poll = { times, lookedMs: 0, mayPart: false, isToName: true as const };
    const { documents, named } = await read(uploadIds, { ...reading(), client }, poll, 'stem');
    expect(named).toEqual([
      { index: 0, name: 'f-0' },
      { index: 2, name: 'f-2' },
    ]);
    expect(documents.map(each => each.kind === 'found' && each.rename?.values)).toEqual([
      undefined,
      ['f-1'],
      undefined,
    ]);
    const uploads = await bed().control.uploads();
    const names = uploadIds.map(id => uploads.find(each => each.id === id)?.fields.name?.values);
    expect(names).toEqual([['f-0'], ['f-1.pdf'], ['f-2']]);
    const [first] = documents;
    const now = await look(reading(), project, [{ index: 0, uploadId: uploadIds[0]! }], scope.signal);
    expect(now.get(0)).toMatchObject({ latestEventId: first?.kind === 'found' && first.eventId });
    const again = await read(uploadIds.slice(0, 1), reading(), poll, 'stem');
    expect(again.named ?? []).toEqual([]);
  });

  test.each([
    ['was not heard', { kind: 'status', status: 503 }, ['f-0', 'f-1']],
    ['was heard, and its answer lost', { kind: 'reply-lost' }, [undefined, undefined]],
  ] as const)(
    'a request for names that %s is not repeated by the polling: its last look tells',
    async (_, action, wished) => {
      const uploadIds = await create(2);
      await link(uploadIds);
      await read(uploadIds, reading(), { times, lookedMs: 0, mayPart: false });
      const { client } = analysingUntil(2, uploadIds[0]);
      await bed().control.addFault({ route: 'uploads.patch', action });
      const before = (await bed().control.requests())['uploads.patch'] ?? 0;
      const poll = { times, lookedMs: 0, mayPart: false, isToName: true as const };
      const { documents, named } = await read(uploadIds, { ...reading(), client }, poll, 'stem');
      expect((await bed().control.requests())['uploads.patch']).toBe(before + 1);
      expect(named).toEqual([]);
      const found = documents.flatMap(each => (each.kind === 'found' ? [each] : []));
      expect(found.map(({ rename }) => rename?.values[0])).toEqual(wished);
      const items = uploadIds.map((uploadId, index) => ({ index, uploadId }));
      const now = await look(reading(), project, items, scope.signal);
      expect(found.map(({ eventId }) => eventId)).toEqual(
        items.map(({ index }) => (now.get(index) as DocumentUpload).latestEventId),
      );
    },
  );

  test('names that are turned away again and again are left to the write that follows', async () => {
    const uploadIds = await create(2);
    await link(uploadIds);
    await read(uploadIds, reading(), { times, lookedMs: 0, mayPart: false });
    const poll = { times, lookedMs: 0, mayPart: false, isToName: true as const };
    const readIn = async (attempt: number) => {
      const { client } = analysingUntil(2, uploadIds[0]);
      const send: Sender['send'] = async (endpoint, input) => {
        if (endpoint.method !== 'PATCH') return await client.send(endpoint, input);
        throw new RateLimitedError('429', { effect: 'rejected', status: 429, retryAtMs: Date.now() + 1_000 });
      };
      const deps = { ...reading(), client: { send } };
      return await read(uploadIds, deps, poll, 'stem', { ...scope, attempt });
    };
    for (const attempt of [1, 2])
      expect(await errorOf(readIn(attempt))).toMatchObject({ code: 'RATE_LIMITED' });
    const { documents, named } = await readIn(3);
    expect(named).toEqual([]);
    expect(documents).toMatchObject([{ rename: { values: ['f-0'] } }, { rename: { values: ['f-1'] } }]);
  });

  test('names are asked for again by the next attempt where a person is to repair something first', async () => {
    const uploadIds = await create(1);
    await link(uploadIds);
    const client = showing(upload => ({
      ...upload,
      integrationStatuses: { ml: 'in_progress', filenameScraping: null },
    }));
    await bed().control.addFault({ route: 'uploads.patch', action: { kind: 'status', status: 403 } });
    const poll = { times, lookedMs: 0, mayPart: false, isToName: true as const };
    const error = await errorOf(read(uploadIds, { ...reading(), client }, poll, 'stem'));
    expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
  });

  test('an upload that is shown without an event id, in bulk and by itself, has none', async () => {
    const uploadIds = await create(1);
    await link(uploadIds);
    const client = showing(upload => ({ ...upload, latestEventId: null }));
    const { documents } = await read(uploadIds, { ...reading(), client });
    expect(documents).toMatchObject([{ kind: 'found', eventId: '' }]);
  });

  test('what lacks a value gets the default, what the analysis found stays', async () => {
    const uploadIds = await create(1);
    await link(uploadIds);
    const { documents } = await read(uploadIds, reading(), { times, lookedMs: 0, mayPart: false });
    const [document] = documents;
    expect(document).toMatchObject({ kind: 'found', analysed: true, missing: [] });
    const { fields } = await new ProjectLookups(bed().client).rules(project);
    const filled =
      document?.kind === 'found'
        ? document.fill.map(({ fieldId }) => fields.find(({ id }) => id === fieldId)?.name)
        : [];
    expect(filled).toEqual(['status']);
    expect(document).toMatchObject({
      analysis: { waitedMs: expect.any(Number), found: ['Type', 'Revision'], lacked: ['Status'] },
    });
  });
});

describe('submitting', () => {
  /** However late it is by the host's own clock. */
  const at = (temporalMs: number) => ({ ...scope, temporalMs: () => temporalMs });

  test('a second attempt never sends: it cannot know what the first one did', async () => {
    const items = await ready(1);
    expect(await submitRevisions(bed().client, { project, items, asked }, { ...scope, attempt: 2 })).toEqual({
      kind: 'unknown',
    });
    expect((await bed().control.requests())['revisions.create']).toBeUndefined();
  });

  test.each([
    [{ kind: 'reply-lost' }, 'unknown'],
    [{ kind: 'cut-answer' }, 'unknown'],
    [{ kind: 'html', status: 502 }, 'unknown'],
    [{ kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' }, 'unknown'],
    [{ kind: 'malformed', body: '{"data":{}}' }, 'unknown'],
    [{ kind: 'rate-limited' }, 'not-sent'],
  ] as const)('%j is %s', async (action, kind) => {
    const items = await ready(2);
    await bed().control.addFault({ route: 'revisions.create', action });
    expect(await submitRevisions(bed().client, { project, items, asked }, scope)).toMatchObject({ kind });
  });

  test('when it may be sent again is told as a duration, which holds by any clock', async () => {
    const waits = { effect: 'not-sent', retryAtMs: Date.now() + 3_600_000 } as const;
    const client: Sender = { send: () => Promise.reject(new RateLimitedError('The limit is spent', waits)) };
    const result = await submitRevisions(client, { project, items: [], asked }, at(5));
    expect(result).toEqual({ kind: 'not-sent', retryInMs: expect.any(Number) });
    const { retryInMs = 0 } = result as { readonly retryInMs?: number };
    expect(Math.abs(retryInMs - 3_600_000)).toBeLessThan(60_000);
  });

  test('a worker that stops before it sends says that nothing was sent', async () => {
    const items = await ready(1);
    const stopping = new AbortController();
    stopping.abort(new Error('stopping'));
    expect(
      await submitRevisions(bed().client, { project, items, asked }, { ...scope, signal: stopping.signal }),
    ).toEqual({ kind: 'not-sent' });
  });

  test('what may not be told any more is not sent', async () => {
    const items = await ready(1);
    const sendByMs = Date.now() + 60_000;
    const request = { project, items, asked, sendByMs };
    expect(await submitRevisions(bed().client, request, at(sendByMs))).toEqual({ kind: 'not-sent' });
    // An attempt that lay long in its queue takes Temporal's time for earlier than it is.
    const past = { ...request, sendByMs: Date.now() };
    expect(await submitRevisions(bed().client, past, at(past.sendByMs - 60_000))).toEqual({
      kind: 'not-sent',
    });
    expect((await bed().control.requests())['revisions.create']).toBeUndefined();
    // A wait for the rate limit or a token ends in time as well.
    const client = {
      send: async (_: unknown, { signal }: { signal?: AbortSignal }) =>
        await new Promise<never>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    } as unknown as Sender;
    expect(await submitRevisions(client, request, at(sendByMs - 10))).toEqual({ kind: 'not-sent' });
  });

  describe('whoever is told by Temporal when the attempt began', () => {
    /** What Temporal says of that. */
    const begun = (lastStartedMs: number): Client => {
      const own = { activityId: 'test', lastStartedTime: msToTs(lastStartedMs) };
      const described = { pendingActivities: [own] };
      return {
        options: { namespace: 'test' },
        withAbortSignal: (_: AbortSignal, run: () => unknown) => run(),
        withDeadline: (_: number, ask: () => unknown) => ask(),
        workflowService: { describeWorkflowExecution: async () => described },
      } as unknown as Client;
    };
    const sent = {
      send: async (_: unknown, { signal }: { signal: AbortSignal }) => {
        signal.throwIfAborted();
        return { data: { revisionIds: [], failures: [] } };
      },
    } as unknown as Sender;
    const submit = async (beginsMs: number, sendByMs: number, toldMs: number) =>
      await new MockActivityEnvironment({ activityId: 'test' }, { client: begun(beginsMs) }).run(
        async () => await submitRevisions(sent, { project, items: [], asked, sendByMs }, at(toldMs)),
      );

    test('says it in time, though the clock of the host is minutes ahead', async () => {
      const temporalMs = Date.now() - 300_000;
      expect(await submit(temporalMs, temporalMs + 60_000, temporalMs)).toMatchObject({ kind: 'answered' });
    });

    test('says nothing late, though all attempts lay long and the clock of the host is behind', async () => {
      const temporalMs = Date.now() + 300_000;
      const early = temporalMs - 120_000;
      expect(await submit(temporalMs, temporalMs - 5_000, early)).toEqual({ kind: 'not-sent' });
    });
  });

  test('nor is it after garbage was collected, which takes a time-out with it that nothing holds', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const client = {
      send: async (_: unknown, { signal }: { signal: AbortSignal }) => {
        const sinceMs = performance.now();
        while (performance.now() - sinceMs < 600) {
          collect();
          await delay(5);
          signal.throwIfAborted();
        }
        return { data: { revisionIds: [], failures: [] } };
      },
    } as unknown as Sender;
    const sendByMs = Date.now() + 60_000;
    const request = { project, items: [], asked, sendByMs };
    const signal = AbortSignal.any([new AbortController().signal]);
    const result = await submitRevisions(client, request, { ...at(sendByMs - 200), signal });
    expect(result).toEqual({ kind: 'not-sent' });
  });

  test('reviews against it are dated by the clock of all hosts, for they are known only so long', async () => {
    const items = await ready(1);
    await bed().control.edit(project.projectId, { kind: 'start-workflow', name: 'f-0.pdf' });
    const named = { reasonCode: 'WORKFLOW_CONFLICT', reviews: expect.any(String), namedAtMs: 5 };
    expect(await submitRevisions(bed().client, { project, items, asked }, at(5))).toMatchObject({
      kind: 'refused',
      refusals: [named],
    });
  });

  test('nobody there to connect to is not sent', async () => {
    const items = await ready(1);
    await bed().control.setOutages({ api: 'refuse' });
    const result = await submitRevisions(bed().client, { project, items, asked }, scope);
    await bed().control.setOutages({ api: 'none' });
    expect(result).toMatchObject({ kind: 'not-sent' });
  });

  test('a consumed upload is refused as not found, by 422 or 404', async () => {
    const items = await ready(1);
    await submitRevisions(bed().client, { project, items, asked }, scope);
    for (const consumedStatus of [422, 404] as const) {
      await bed().control.configure({ consumedStatus });
      expect(await submitRevisions(bed().client, { project, items, asked }, scope)).toMatchObject({
        kind: 'refused',
        refusals: [{ reasonCode: 'UPLOAD_NOT_FOUND' }],
      });
    }
  });
});

/** Of one upload no read can be read; the others are as they are. */
function unreadable(odd: UploadId): Sender {
  const fault = { fault: 'response', effect: 'unknown', status: 200 } as const;
  const send: Sender['send'] = async (endpoint, input) => {
    const { uploadId } = (input.params ?? {}) as { readonly uploadId?: string };
    if (uploadId === odd) throw new ServiceUnavailableError('The answer is odd', fault);
    const answer = await bed().client.send(endpoint, input);
    if (!Array.isArray(answer.data)) return answer;
    const data = answer.data.map((each: { readonly id?: string }) => (each.id === odd ? null : each));
    return { ...answer, data: data as typeof answer.data };
  };
  return { send };
}

test('one upload that cannot be read is looked for beside the others, and told as that in the end', async () => {
  const uploadIds = await create(3);
  await link(uploadIds);
  const deps = { ...reading(), client: unreadable(uploadIds[1]!) };
  const { documents } = await read(uploadIds, deps);
  expect(documents.map(({ kind }) => kind)).toEqual(['found', 'hidden', 'found']);
  const items = uploadIds.map((uploadId, index) => ({ index, uploadId }));
  const found = await findAbsent(deps, { project, items, times: { everyMs: 1, forMs: 2 } }, scope);
  expect(found.documents.map(({ kind }) => kind)).toEqual(['shown', 'unreadable', 'shown']);
});

test('an answer at the end of the time that cannot be read says nothing: such an upload alone is looked for on', async () => {
  const uploadIds = await create(3);
  const [odd, , incomplete] = uploadIds;
  await link(uploadIds.slice(0, 2));
  const asked: string[] = [];
  const isRead = () => asked.filter(each => each === odd).length > 2;
  const client: Sender = {
    send: async (endpoint, input) => {
      const { uploadId } = (input.params ?? {}) as { readonly uploadId?: string };
      if (uploadId !== undefined) asked.push(uploadId);
      return await (isRead() ? bed().client : unreadable(odd!)).send(endpoint, input);
    },
  };
  const items = uploadIds.map((uploadId, index) => ({ index, uploadId }));
  const times = { everyMs: 1, forMs: 4 };
  const found = await findAbsent({ ...reading(), client }, { project, items, times }, scope);
  expect(found.documents.map(({ kind }) => kind)).toEqual(['shown', 'shown', 'hidden']);
  expect(asked.filter(each => each === incomplete)).toHaveLength(1);
});

describe('looking again for uploads that are not shown', () => {
  const lookAgain = { everyMs: 10, forMs: 30 };

  async function kindsOf(uploadIds: readonly UploadId[], deps = reading()) {
    const items = uploadIds.map((uploadId, index) => ({ index, uploadId }));
    const { documents } = await findAbsent(deps, { project, items, times: lookAgain }, scope);
    return documents.map(({ kind }) => kind);
  }

  test('one that a replica shows late is found, and costs no request by itself', async () => {
    const uploadIds = await create(2);
    await link(uploadIds);
    await bed().control.addFault({
      route: 'uploads.selected',
      times: 2,
      action: { kind: 'malformed', body: '{"data":[]}' },
    });
    expect(await kindsOf(uploadIds)).toEqual(['shown', 'shown']);
    expect((await bed().control.requests())['uploads.selected']).toBe(3);
  });

  test('one that the bulk read does not show to the end is found by itself', async () => {
    const uploadIds = await create(1);
    await link(uploadIds);
    await bed().control.addFault({
      route: 'uploads.selected',
      times: 0,
      action: { kind: 'malformed', body: '{"data":[]}' },
    });
    expect(await kindsOf(uploadIds)).toEqual(['shown']);
  });

  test('where the whole project answers 404, nothing is said of its uploads: the project is told as unknown', async () => {
    const uploadIds = await create(2);
    await link(uploadIds);
    for (const route of ['uploads.selected', 'uploads.list', 'uploads.show', 'fields.list'] as const) {
      await bed().control.addFault({ route, times: 0, action: { kind: 'status', status: 404 } });
    }
    await expect(kindsOf(uploadIds)).rejects.toMatchObject({ code: 'MISCONFIGURED' });
  });

  test.each([404, 410])(
    'a %d of a gateway that has lost the routes of uploads alone says nothing of them: it is an outage',
    async status => {
      const uploadIds = await create(2);
      await link(uploadIds);
      const body = { message: 'no Route matched with those values' };
      for (const route of ['uploads.selected', 'uploads.list'] as const) {
        await bed().control.addFault({ route, times: 0, action: { kind: 'status', status: 404, body } });
      }
      await bed().control.addFault({
        route: 'uploads.show',
        times: 0,
        action: { kind: 'status', status, body },
      });
      await expect(kindsOf(uploadIds)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status });
    },
  );

  test('with neither the bulk read nor the list, each is asked for by itself', async () => {
    await bed().control.configure({ bulkRead: false });
    await bed().control.addFault({
      route: 'uploads.list',
      times: 0,
      action: { kind: 'status', status: 404 },
    });
    const uploadIds = await create(3);
    await link(uploadIds.slice(0, 2));
    await bed().control.edit(project.projectId, { kind: 'delete-upload', uploadId: uploadIds[1]! });
    expect(await kindsOf(uploadIds)).toEqual(['shown', 'deleted', 'hidden']);
  });

  test('one that cannot be had by itself is found by the other kind of read', async () => {
    const uploadIds = await create(1);
    await link(uploadIds);
    await bed().control.addFault({
      route: 'uploads.show',
      times: 0,
      action: { kind: 'status', status: 404 },
    });
    expect(await kindsOf(uploadIds)).toEqual(['shown']);
    await bed().control.configure({ bulkRead: false });
    expect(await kindsOf(uploadIds)).toEqual(['shown']);
  });

  test.each([true, false])(
    'submitted, deleted, INCOMPLETE and there are told apart (bulk read: %s)',
    async bulkRead => {
      const [consumed, deleted, there] = (await ready(3)) as [Ready, Ready, Ready];
      await submitRevisions(bed().client, { project, items: [consumed], asked }, scope);
      await bed().control.edit(project.projectId, { kind: 'delete-upload', uploadId: deleted.uploadId });
      const [incomplete] = (await create(1)) as [UploadId];
      await bed().control.configure({ bulkRead, incompleteIsHidden: false });
      expect(await kindsOf([consumed.uploadId, deleted.uploadId, there.uploadId, incomplete])).toEqual([
        'hidden',
        'deleted',
        'shown',
        'incomplete',
      ]);
    },
  );

  test('an outage does not use up the time: the next attempt counts on', async () => {
    const slept: number[] = [];
    const deps = { ...reading(), sleep: async (ms: number) => void slept.push(ms) };
    const uploadIds = ['01ARZ3NDEKTSV4RRFFQ69G5FAV' as UploadId];
    const items = uploadIds.map((uploadId, index) => ({ index, uploadId }));
    const late = { ...scope, attempt: 2, lastDetails: { lookedMs: 20 } };
    await findAbsent(deps, { project, items, times: lookAgain }, late);
    expect(slept).toEqual([10]);
  });

  test('between two looks the attempt ends; what was seen is not asked for again', async () => {
    const deps = { ...reading(), sleep: () => Promise.reject(new Error('It slept in its slot.')) };
    const uploadIds = await create(2);
    await link(uploadIds.slice(0, 1));
    await bed().control.configure({ incompleteIsHidden: false });
    const asked: (readonly string[])[] = [];
    const client: Sender = {
      send: async (...input) => {
        const { body } = input[1] as { readonly body?: { readonly ids?: string[] } };
        if (body?.ids !== undefined) asked.push(body.ids);
        return await bed().client.send(...input);
      },
    };
    const items = uploadIds.map((uploadId, index) => ({ index, uploadId }));
    const times = { everyMs: 20_000, forMs: 50_000 };
    const { pauses, result } = await inAttempts(inAttempt =>
      findAbsent({ ...deps, client }, { project, items, times }, inAttempt),
    );
    expect(pauses).toEqual([20_000, 20_000, 10_000]);
    expect(asked).toEqual([uploadIds, uploadIds.slice(1), uploadIds.slice(1)]);
    expect(result.documents.map(({ kind }) => kind)).toEqual(['shown', 'incomplete']);
  });
});

describe('asking the submission itself', () => {
  const ours: SeeHold = async () => 'ours';

  const endsOf = async (items: readonly Ready[]) => {
    const { documents } = await submitAgain(
      { client: bed().client, seeHold: ours },
      { project, items },
      scope,
    );
    return [...documents].sort((one, other) => one.index - other.index).map(({ end }) => end);
  };

  test.each([
    ['every-upload', 422],
    ['workflow-conflict', 422],
    ['workflow-conflict', 404],
  ] as const)(
    'what was heard is consumed, what was not becomes a revision (%s, %d)',
    async (refusalsName, consumedStatus) => {
      const items = await ready(3);
      await submitRevisions(bed().client, { project, items: items.slice(0, 2), asked }, scope);
      await bed().control.configure({ refusalsName, consumedStatus });
      const [first, second, third] = await endsOf(items);
      expect([first, second]).toEqual([{ kind: 'consumed' }, { kind: 'consumed' }]);
      const revision = (await bed().control.revisions()).find(
        ({ uploadId }) => uploadId === items[2]!.uploadId,
      );
      expect(third).toEqual({ kind: 'submitted', revisionId: revision?.id, paired: 'certain' });
      expect(await endsOf(items)).toEqual(Array(3).fill({ kind: 'consumed' }));
      expect((await bed().control.revisions()).filter(({ uploadId }) => uploadId !== null)).toHaveLength(3);
    },
  );

  test('a failure of one, or a stale event id, settles nothing of it', async () => {
    const items = await ready(2);
    const stale = items.map(item => ({ ...item, eventId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' as EventId }));
    expect(await endsOf([items[0]!, stale[1]!])).toEqual([
      { kind: 'submitted', revisionId: expect.any(String), paired: 'certain' },
      { kind: 'unclear' },
    ]);
  });

  test('a refusal of another kind is no word of being submitted', async () => {
    const items = await ready(2);
    await bed().control.addFault({
      route: 'revisions.create',
      times: 0,
      action: { kind: 'request-refusal', reasonCode: 'FILE_KEY_MISMATCH' },
    });
    expect(await endsOf(items)).toEqual([{ kind: 'unclear' }, { kind: 'unclear' }]);
  });

  const withCode = (code: string) => ({
    error: { code, details: [{ reason_code: code, message: 'None.' }] },
  });

  describe.each([
    ['nothing that can be read', { errors: 'Not found' }],
    ['that there is no such upload', withCode('UPLOAD_NOT_FOUND')],
  ])('a 404 that says %s', (_, body) => {
    const answer404 = async (route: 'revisions.create' | 'fields.list') => {
      await bed().control.addFault({ route, times: 0, action: { kind: 'status', status: 404, body } });
    };

    test('is the word of being submitted in a project that is known', async () => {
      const items = await ready(2);
      await submitRevisions(bed().client, { project, items, asked }, scope);
      await answer404('revisions.create');
      expect(await endsOf(items)).toEqual([{ kind: 'consumed' }, { kind: 'consumed' }]);
    });

    test('has the project asked for once, whatever the size of the group', async () => {
      const items = await ready(3);
      await answer404('revisions.create');
      const routes: string[] = [];
      const client: Sender = {
        send: async (...input) => {
          routes.push(input[0].name);
          return await bed().client.send(...input);
        },
      };
      await submitAgain({ client, seeHold: ours }, { project, items }, scope);
      expect(routes).toEqual(['revisions.create', 'fields.list', ...items.map(() => 'revisions.create')]);
    });

    test('is no word of any upload where the whole project answers so', async () => {
      const items = await ready(2);
      await answer404('revisions.create');
      await answer404('fields.list');
      await expect(endsOf(items)).rejects.toMatchObject({ code: 'MISCONFIGURED' });
    });
  });

  test.each([
    ['that something else is not found', withCode('NOT_FOUND')],
    ['a code that is not known', { reason_code: 'PROJECT_NOT_FOUND', message: 'There is no such project.' }],
  ])('a 404 that says %s is no word of being submitted', async (_, body) => {
    const items = await ready(2);
    await bed().control.addFault({
      route: 'revisions.create',
      times: 0,
      action: { kind: 'status', status: 404, body },
    });
    expect(await endsOf(items)).toEqual([{ kind: 'unclear' }, { kind: 'unclear' }]);
  });

  test('an answer that is lost is asked for again, by another attempt', async () => {
    const items = await ready(1);
    await bed().control.addFault({ route: 'revisions.create', action: { kind: 'reply-lost' } });
    expect(
      await errorOf(submitAgain({ client: bed().client, seeHold: ours }, { project, items }, scope)),
    ).toMatchObject({
      effect: 'unknown',
    });
    expect(await endsOf(items)).toEqual([{ kind: 'consumed' }]);
  });

  test('what an attempt was told before it broke off is kept, with the ids of its revisions', async () => {
    const items = await ready(3);
    await submitRevisions(bed().client, { project, items: items.slice(0, 1), asked }, scope);
    await bed().control.configure({ refusalsName: 'workflow-conflict' });
    let sent = 0;
    const client: Sender = {
      send: async (...input) => {
        sent += 1;
        // All three, which is refused without a name, the first, the second, and no third.
        if (sent === 4) throw new ServiceUnavailableError('none', { fault: 'network', effect: 'unknown' });
        return await bed().client.send(...input);
      },
    };
    let lastDetails: unknown;
    const report = (details: object) => {
      lastDetails = structuredClone(details);
    };
    const attempt = async () =>
      await submitAgain({ client, seeHold: ours }, { project, items }, { ...scope, lastDetails, report });
    expect(await errorOf(attempt())).toMatchObject({ effect: 'unknown' });
    const { documents } = await attempt();
    expect(sent).toBe(5);
    const revisions = await bed().control.revisions();
    const endOf = ({ uploadId }: Ready) => ({
      kind: 'submitted',
      revisionId: revisions.find(revision => revision.uploadId === uploadId)?.id,
      paired: 'certain',
    });
    expect(documents).toEqual([
      { index: items[0]!.index, end: { kind: 'consumed' } },
      { index: items[1]!.index, end: endOf(items[1]!) },
      { index: items[2]!.index, end: endOf(items[2]!) },
    ]);
  });

  const batch = { share: 'tender', batchId: 'B' };

  test.each([
    ['seen to be ours', 'ours', 1, true],
    ["another one's by now", 'lost', 1, false],
    ['not to be seen here, and was not asked for by the run', 'unseen', 1, false],
  ] as const)('of a batch that is %s', async (_, seen: HoldSeen, attempt, isSubmitted) => {
    const items = await ready(2);
    const seeHold: SeeHold = async asked => (asked === batch ? seen : 'lost');
    const deps = { client: bed().client, seeHold };
    const input = { project, items, batch, isHoldToSee: true } as const;
    const result = await submitAgain(deps, input, { ...scope, attempt });
    expect(result.holdToSee).toEqual(isSubmitted ? undefined : { attempts: 0 });
    expect(result.documents).toHaveLength(isSubmitted ? 2 : 0);
    const revisions = await bed().control.revisions();
    expect(revisions.filter(({ uploadId }) => uploadId !== null)).toHaveLength(isSubmitted ? 2 : 0);
  });

  test('a batch that was taken over between two attempts: what the first was told is told, and nothing goes out', async () => {
    const items = await ready(2);
    const told = [{ index: items[0]!.index, end: { kind: 'consumed' } }];
    const deps = { client: bed().client, seeHold: async (): Promise<HoldSeen> => 'lost' };
    const later = { ...scope, attempt: 2, lastDetails: { told } };
    expect(await submitAgain(deps, { project, items, batch }, later)).toMatchObject({
      documents: told,
      holdToSee: { attempts: 1 },
    });
    expect((await bed().control.revisions()).filter(({ uploadId }) => uploadId !== null)).toEqual([]);
  });

  test('what it was told before it would stand still is told, and nothing of the others', async () => {
    const items = await ready(2);
    await bed().control.configure({ refusalsName: 'workflow-conflict' });
    await submitRevisions(bed().client, { project, items: items.slice(1), asked }, scope);
    let sent = 0;
    const client: Sender = {
      send: async (...input) => {
        sent += 1;
        // Both, which is refused without a name, the first, and no second.
        if (sent === mayNot) throw new AccessDeniedError('not you', { effect: 'rejected' });
        return await bed().client.send(...input);
      },
    };
    let mayNot = 1;
    expect(await errorOf(submitAgain({ client, seeHold: ours }, { project, items }, scope))).toMatchObject({
      code: 'ACCESS_DENIED',
    });
    [sent, mayNot] = [0, 3];
    const { documents } = await submitAgain({ client, seeHold: ours }, { project, items }, scope);
    const [revision] = (await bed().control.revisions()).filter(
      ({ uploadId }) => uploadId === items[0]!.uploadId,
    );
    const end = { kind: 'submitted', revisionId: revision?.id, paired: 'certain' };
    expect(documents).toEqual([{ index: items[0]!.index, end }]);
  });
});
test('a name that a Mac has decomposed goes out composed', async () => {
  const [composed, decomposed] = ['Pl\u00e4n.pdf', 'Pla\u0308n.pdf'];
  const bodies: unknown[] = [];
  const { client } = bed();
  const listening: Sender = {
    send: (endpoint, input) => {
      bodies.push('body' in input ? input.body : undefined);
      return client.send(endpoint, input);
    },
  };
  const one = { index: 0, fileName: decomposed, mimeType: 'application/pdf' };
  await createUploads(listening, { project, files: [one] }, scope);
  expect(bodies).toEqual([{ uploads: [{ fileName: composed, mimeType: 'application/pdf' }] }]);
});
