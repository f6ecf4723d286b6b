// Lists, page by page (specification, Pagination). The Link header leads on and Total checks it; how full a
// page is says nothing, for the service may silently give fewer items than asked.
import { type Endpoint, type PageQuery, routeOf } from './endpoint';
import { ServiceUnavailableError } from './errors';
import type { Sender, SendInput, ServiceResponse } from './service-client';

/** Items a page of what the specification calls general lists; at most 2,000 are recommended. */
export const LIST_PAGE = 1_000;

/** The same of lists whose items carry long texts, or much else: a page has to fit into one response. */
export const RICH_PAGE = 100;

export interface PageLimits {
  /** More pages than any real list has: a list that never ends is a fault, not a long list. */
  readonly maxPages?: number;
}

const MAX_PAGES = 1_000;

/**
 * Yields each page's items in order, following `Link: rel="next"`; where that is missing although Total
 * says there is more, the next page number is asked for. Throws ServiceUnavailableError when the list
 * goes in circles or never ends.
 */
export async function* fetchPages<Params, Query extends PageQuery, Item>(
  client: Sender,
  endpoint: Endpoint<Params, Query, undefined, readonly Item[]>,
  input: SendInput<NoInfer<Params>, NoInfer<Query>, undefined>,
  limits: PageLimits = {},
): AsyncGenerator<readonly Item[], void, undefined> {
  const maxPages = limits.maxPages ?? MAX_PAGES;
  const visited = new Set<string>();
  let next: { readonly search?: string; readonly page: number } = { page: input.query?.page ?? 1 };
  let seen = (next.page - 1) * (input.query?.perPage ?? 0);
  let previous = '';
  for (let count = 0; ; count++) {
    if (count >= maxPages) throw listFault(endpoint, `has more than ${maxPages} pages`);
    const response: ServiceResponse<readonly Item[]> = await client.send(endpoint, {
      ...input,
      ...(next.search === undefined
        ? { query: { ...input.query, page: next.page } as Query }
        : { search: next.search }),
    });
    const text = JSON.stringify(response.data);
    if (response.data.length > 0 && text === previous) throw listFault(endpoint, 'gives the same page again');
    previous = text;
    seen += response.data.length;
    yield response.data;
    if (response.nextSearch !== undefined) {
      if (visited.has(response.nextSearch)) throw listFault(endpoint, 'leads back to a page already read');
      visited.add(response.nextSearch);
      next = { search: response.nextSearch, page: next.page + 1 };
    } else if (response.data.length > 0 && response.total !== undefined && seen < response.total) {
      next = { page: next.page + 1 };
    } else {
      return;
    }
  }
}

/** All items of a list. Use it for lists that are known to be short, such as fields and requirements. */
export async function fetchAll<Params, Query extends PageQuery, Item>(
  client: Sender,
  endpoint: Endpoint<Params, Query, undefined, readonly Item[]>,
  input: SendInput<NoInfer<Params>, NoInfer<Query>, undefined>,
  limits: PageLimits = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of fetchPages(client, endpoint, input, limits)) items.push(...page);
  return items;
}

function listFault(endpoint: Parameters<typeof routeOf>[0], what: string): ServiceUnavailableError {
  const route = routeOf(endpoint);
  return new ServiceUnavailableError(`${route}: the list ${what}`, {
    fault: 'response',
    effect: 'unknown',
    route,
  });
}
