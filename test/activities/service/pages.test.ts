import fc from 'fast-check';
import { z } from 'zod';
import type { Endpoint, PageQuery } from '../../../activities/service/endpoint';
import { fetchAll, fetchPages } from '../../../activities/service/pages';
import { errorOf, useClientBed } from './client-bed';
import { json } from './scripted-service';

const bed = useClientBed();

const listThings: Endpoint<Record<string, never>, PageQuery, undefined, readonly number[]> = {
  name: 'things.list',
  method: 'GET',
  origin: 'api',
  path: '/rest/v1.0/things',
  query: query => ({ page: query.page, per_page: query.perPage }),
  response: z.array(z.number()),
  success: [200],
  repeatable: 'yes',
};
const input = { params: {}, companyId: '5001' };

/** Serves `items` in pages of at most `most`, with the headers of the specification. */
function serveList(items: readonly number[], most: number, { link = true, total = true } = {}): void {
  bed().service.answer((request, response) => {
    const url = new URL(request.url, bed().service.url);
    const page = Number(url.searchParams.get('page') ?? 1);
    const perPage = Math.min(most, Number(url.searchParams.get('per_page') ?? 10));
    const last = Math.max(1, Math.ceil(items.length / perPage));
    const to = (number: number, rel: string) =>
      `<${bed().service.url}/rest/v1.0/things?page=${number}&per_page=${perPage}>; rel="${rel}"`;
    const links = [
      ...(page > 1 ? [to(1, 'first')] : []),
      ...(page > 2 ? [to(page - 1, 'prev')] : []),
      ...(page < last ? [to(page + 1, 'next')] : []),
      to(last, 'last'),
    ];
    json(response, 200, items.slice((page - 1) * perPage, page * perPage), {
      ...(link ? { link: last === 1 ? '' : links.join(', ') } : {}),
      ...(total ? { total: String(items.length), 'per-page': String(perPage) } : {}),
    });
  });
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('every item comes once and in order, whatever the page size asked and given', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (count, most, perPage, link) => {
        serveList(upTo(count), most, { link });
        expect(await fetchAll(bed().client, listThings, { ...input, query: { perPage } })).toEqual(
          upTo(count),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test('a page that the service makes smaller than asked is not taken for the last', async () => {
  serveList(upTo(250), 100);
  const sizes: number[] = [];
  for await (const page of fetchPages(bed().client, listThings, { ...input, query: { perPage: 2_000 } })) {
    sizes.push(page.length);
  }
  expect(sizes).toEqual([100, 100, 50]);
  expect(bed().service.seen).toHaveLength(3);
});

test('an empty Link header is one page and one request', async () => {
  serveList(upTo(4), 10);
  expect(await fetchAll(bed().client, listThings, input)).toEqual([0, 1, 2, 3]);
  expect(bed().service.seen).toHaveLength(1);
});

test('a list without paging headers is one page', async () => {
  serveList(upTo(4), 10, { link: false, total: false });
  expect(await fetchAll(bed().client, listThings, input)).toHaveLength(4);
  expect(bed().service.seen).toHaveLength(1);
});

test('a Total that counts more than can be seen costs one more request, not an endless loop', async () => {
  bed().service.answer((request, response) =>
    json(response, 200, request.url.includes('page=2') ? [] : [1, 2], { total: '3' }),
  );
  expect(await fetchAll(bed().client, listThings, input)).toEqual([1, 2]);
  expect(bed().service.seen).toHaveLength(2);
});

test.each([
  ['another host', 'https://elsewhere.example/rest/v1.0/things?page=2'],
  ['another path', '/rest/v1.0/secrets?page=2'],
  ['no address', 'http://['],
])('a Link to %s is not followed', async (_, target) => {
  bed().service.answer((_request, response) => json(response, 200, [1], { link: `<${target}>; rel="next"` }));
  expect(await errorOf(fetchAll(bed().client, listThings, input))).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    fault: 'response',
  });
  expect(bed().service.seen).toHaveLength(1);
});

test('a list that goes in circles ends as a fault', async () => {
  let page = 0;
  bed().service.answer((_, response) => {
    page += 1;
    json(response, 200, [page], { link: `<?page=${(page % 2) + 1}>; rel="next"` });
  });
  expect(await errorOf(fetchAll(bed().client, listThings, input))).toMatchObject({ fault: 'response' });
  expect(bed().service.seen.length).toBeLessThanOrEqual(3);
});

test('a service that ignores the page number ends as a fault', async () => {
  bed().service.answer((_, response) => json(response, 200, [1, 2], { total: '100' }));
  expect(await errorOf(fetchAll(bed().client, listThings, input))).toMatchObject({ fault: 'response' });
  expect(bed().service.seen).toHaveLength(2);
});

test('a list that never ends is cut at the page limit', async () => {
  let page = 0;
  bed().service.answer((_, response) => {
    page += 1;
    json(response, 200, [page], { link: `<?page=${page + 1}>; rel="next"` });
  });
  expect(await errorOf(fetchAll(bed().client, listThings, input, { maxPages: 5 }))).toMatchObject({
    fault: 'response',
  });
  expect(bed().service.seen).toHaveLength(5);
});
