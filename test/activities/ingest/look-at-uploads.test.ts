// Reading uploads at once, by the bulk read or by the project's list: all pages of the answer, and nothing by
// itself that a page has shown.
import { findListed, readOne, readOneByOne, readTogether } from '../../../activities/ingest/look-at-uploads';
import {
  type DocumentUpload,
  listUploads,
  readSelectedUploads,
} from '../../../activities/service/endpoints/document-uploads';
import { NotFoundError, ServiceUnavailableError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import type { UploadId } from '../../../workflows/contract';

const PAGE = 40;

/** A service that gives fewer a page than it is asked for, as the contract allows. */
function pagingService(ids: readonly string[]) {
  const asked: string[] = [];
  const client = {
    send: async (endpoint: { readonly name: string }, request: { readonly search?: string }) => {
      asked.push(`${endpoint.name}${request.search ?? ''}`);
      const first = Number(request.search?.slice(1) ?? 0);
      const data = ids.slice(first, first + PAGE).map(id => ({ id, latestEventId: `E-${id}` }));
      return { data, nextSearch: first + PAGE < ids.length ? `?${first + PAGE}` : undefined };
    },
  };
  return { client: client as unknown as Sender, asked };
}

test('what is on the second and the third page is found there', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `U${index}`);
  const { client, asked } = pagingService(ids);
  const found = await readTogether(
    { client, withoutBulk: new Map(), withoutList: new Map() },
    { companyId: '1', projectId: '2' },
    ids.map((id, index) => ({ index, uploadId: id as UploadId })),
    new AbortController().signal,
  );
  if (found === 'unsupported') throw new Error('It is supported.');
  expect([...found].map(([index, upload]) => [index, (upload as DocumentUpload).id])).toEqual(
    ids.map((id, index) => [index, id]),
  );
  expect(asked).toEqual(['uploads.selected', 'uploads.selected?40', 'uploads.selected?80']);
});

/** A project without the bulk read, in which these uploads lie, with or without a list of them. */
function listingService(
  listed: readonly string[],
  hasList = true,
  notFound: () => Error = () => new NotFoundError('no such route', { effect: 'rejected', status: 404 }),
) {
  const asked: string[] = [];
  const client = {
    send: async (
      { name }: { readonly name: string },
      {
        query,
        params,
      }: { readonly query?: { readonly page?: number }; readonly params: { uploadId?: string } },
    ) => {
      asked.push(name);
      const toUpload = (id: string | undefined) => ({ id, latestEventId: `E-${id}` });
      if (name === 'uploads.show') return { data: toUpload(params.uploadId) };
      if (name === 'uploads.selected' || !hasList) throw notFound();
      const first = ((query?.page ?? 1) - 1) * 100;
      return { data: listed.slice(first, first + 100).map(toUpload), total: listed.length };
    },
  };
  const deps = { client: client as unknown as Sender, withoutBulk: new Map(), withoutList: new Map() };
  const look = async (ids: readonly string[]) =>
    await readTogether(
      deps,
      { companyId: '1', projectId: '2' },
      ids.map((id, index) => ({ index, uploadId: id as UploadId })),
      new AbortController().signal,
    );
  return { look, asked: () => asked.splice(0) };
}

const OURS = Array.from({ length: 20 }, (_, index) => `U${index}`);

test('without the bulk read the list of uploads is read, and what it does not show is asked for by itself', async () => {
  const { look, asked } = listingService(OURS.slice(1));
  expect(await look(OURS)).toHaveProperty('size', OURS.length);
  expect(asked()).toEqual(['uploads.selected', 'uploads.list', 'uploads.show']);
  await look(OURS);
  expect(asked()).toEqual(['uploads.list', 'uploads.show']);
  await look(['U3']);
  expect(asked()).toEqual(['uploads.show']);
});

test('a list that is long with uploads of others is not read again', async () => {
  const others = Array.from({ length: 1_000 }, (_, index) => `other ${index}`);
  const { look, asked } = listingService([...others, ...OURS]);
  expect(await look(OURS)).toHaveProperty('size', OURS.length);
  expect(asked()).toEqual([
    'uploads.selected',
    'uploads.list',
    'uploads.list',
    ...OURS.map(() => 'uploads.show'),
  ]);
  expect(await look(OURS)).toBe('unsupported');
  expect(asked()).toEqual([]);
});

test('where there is no list either, that is known from then on', async () => {
  const { look, asked } = listingService(OURS, false);
  expect(await look(OURS)).toBe('unsupported');
  expect(asked()).toEqual(['uploads.selected', 'uploads.list']);
  expect(await look(OURS)).toBe('unsupported');
  expect(asked()).toEqual([]);
});

test('a gateway that has no such route, and answers 404 with a page of its own, keeps no batch waiting', async () => {
  const page = () =>
    new ServiceUnavailableError('no JSON', { effect: 'unknown', status: 404, fault: 'response' });
  const { look, asked } = listingService(OURS, false, page);
  expect(await look(OURS)).toBe('unsupported');
  expect(asked()).toEqual(['uploads.selected', 'uploads.list']);
});

test.each([503, 502, undefined])('an outage (%p) says nothing of a route: it is passed on', async status => {
  const away = () => new ServiceUnavailableError('away', { effect: 'unknown', status, fault: 'status' });
  await expect(listingService(OURS, false, away).look(OURS)).rejects.toThrow('away');
});

describe('a single read', () => {
  const asked = '01HF7YAT31JZHSMW1CG6Q6MHB7' as UploadId;
  const read = async (id: string) =>
    await readOne(
      { send: async () => ({ data: { id, latestEventId: 'E1' } }) } as unknown as Sender,
      { companyId: '1', projectId: '2' },
      asked,
      new AbortController().signal,
    );

  test('of another upload is an answer that cannot be used, and says nothing of ours', async () => {
    await expect(read('01HF7YAT31JZHSMW1CG6Q6MHB8')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      fault: 'response',
      effect: 'unknown',
    });
  });

  test('of the upload is that, in small letters as well: an id is the same in either', async () => {
    expect(await read(asked)).toMatchObject({ latestEventId: 'E1' });
    expect(await read(asked.toLowerCase())).toMatchObject({ latestEventId: 'E1' });
  });
});

describe('an upload that cannot be read', () => {
  const project = { companyId: '1', projectId: '2' };
  const { signal } = new AbortController();
  const fault = () =>
    new ServiceUnavailableError('odd', { effect: 'unknown', status: 200, fault: 'response' });
  const itemsOf = (ids: readonly string[]) => ids.map((id, index) => ({ index, uploadId: id as UploadId }));

  /** A service in which a field of some uploads has no id; `isOddAlone`: when asked for singly, too. */
  function oddService(odd: readonly string[], { hasBulk = true, isOddAlone = false } = {}) {
    const asked: string[] = [];
    const wire = (id: string) => ({
      id,
      latest_event_id: 'E',
      fields: odd.includes(id) ? [{ name: 'x' }] : [],
    });
    const client = {
      send: async (
        { name }: { readonly name: string },
        request: {
          readonly body?: { readonly ids: string[] };
          readonly params: { readonly uploadId: string };
        },
      ) => {
        asked.push(name);
        const { uploadId: id } = request.params;
        if (name === 'uploads.show') {
          if (isOddAlone && odd.includes(id)) throw fault();
          return { data: { id, latestEventId: 'E' } };
        }
        const answer = { data: OURS.map(wire) };
        if (name === 'uploads.list') return { data: listUploads.response.parse(answer), total: OURS.length };
        if (!hasBulk) throw new NotFoundError('none', { effect: 'rejected', status: 404 });
        return { data: readSelectedUploads.response.parse(answer) };
      },
    };
    const deps = { client: client as unknown as Sender, withoutBulk: new Map(), withoutList: new Map() };
    return { deps, asked };
  }

  test.each([
    ['the bulk read', true],
    ['the list', false],
  ])('in %s is left out of it, and asked for by itself', async (_, hasBulk) => {
    const { deps, asked } = oddService(['U3'], { hasBulk });
    const found = await readTogether(deps, project, itemsOf(OURS), signal);
    expect(found).toHaveProperty('size', OURS.length);
    expect(asked.filter(name => name === 'uploads.show')).toHaveLength(1);
  });

  test('that is another one’s, or nobody’s, costs nothing', async () => {
    const { deps, asked } = oddService(['U3']);
    const others = OURS.filter(id => id !== 'U3');
    expect(await readTogether(deps, project, itemsOf(others), signal)).toHaveProperty('size', others.length);
    expect(asked).toEqual(['uploads.selected']);
  });

  test('alone as well concerns that one document', async () => {
    const { deps } = oddService(['U3'], { isOddAlone: true });
    const found = await readTogether(deps, project, itemsOf(OURS), signal);
    if (found === 'unsupported') throw new Error('It is supported.');
    expect([...found].filter(([, each]) => each === 'unreadable')).toEqual([[3, 'unreadable']]);
    const singly = await readOneByOne(deps, project, itemsOf(OURS), signal);
    expect([...singly].filter(([, each]) => typeof each !== 'object')).toEqual([[3, 'unreadable']]);
  });

  test('may be ours: it is not concluded that a list without ours has all', async () => {
    const { deps } = oddService(['U3']);
    const listed = await findListed(deps, project, itemsOf(['U2', 'U3']), signal);
    expect(listed).toMatchObject({ isAll: false, shown: new Map([['U2', { id: 'U2' }]]) });
  });

  test('where none can be read, is the service’s fault and not theirs: they are waited for', async () => {
    const { deps } = oddService(OURS, { isOddAlone: true });
    await expect(readOneByOne(deps, project, itemsOf(OURS), signal)).rejects.toThrow('odd');
  });
});
