/** Pagination as the specification has it: page, per_page, and the headers Link, Total and Per-Page. */
import type { World } from '../world';
import { type Answer, invalidProperty } from './answer';
import type { RouteRequest } from './route';

/** Page sizes of a kind of list. */
export interface PageSizes {
  default: number;
  maximum: number;
}

/** Document management lists (specification, Limits). */
export const DOCUMENT_PAGES: PageSizes = { default: 10, maximum: 100 };
/** Everything else; the default is not in the specification. */
export const GENERAL_PAGES: PageSizes = { default: 100, maximum: 2000 };

/** One page of `items` with its headers; `wrap` makes the body. */
export function pageAnswer<T>(
  items: readonly T[],
  request: RouteRequest,
  world: World,
  sizes: PageSizes,
  wrap: (page: T[]) => unknown,
  status = 200,
): Answer {
  const page = positive(request.query, 'page') ?? 1;
  const asked = positive(request.query, 'per_page') ?? sizes.default;
  if (asked > sizes.maximum && !world.settings.clampPageSize) {
    throw invalidProperty([{ field: 'per_page', message: `at most ${sizes.maximum}` }]);
  }
  // Lowered in silence all the same: whoever counts on a full page then leaves rows out.
  if (asked > sizes.maximum) {
    world.log.violation('page-too-large', request.route, request.number, { asked, maximum: sizes.maximum });
  }
  const perPage = Math.min(asked, sizes.maximum);
  const last = Math.max(1, Math.ceil(items.length / perPage));
  if (page > last) world.log.remark('page-past-the-end', request.route, request.number, { page, last });
  return {
    status,
    headers: {
      Link: linkHeader(world.urls.api, request.target, page, last),
      Total: String(items.length),
      'Per-Page': String(perPage),
    },
    json: wrap(items.slice((page - 1) * perPage, page * perPage)),
  };
}

/** Empty when everything fits on one page. Page 2 has no `prev`: so the specification lists it. */
function linkHeader(origin: string, target: string, page: number, last: number): string {
  if (last === 1) return '';
  const links: string[] = [];
  const link = (rel: string, to: number) => {
    const url = new URL(target, origin);
    url.searchParams.set('page', String(to));
    links.push(`<${url.href}>; rel="${rel}"`);
  };
  if (page > 1) link('first', 1);
  if (page > 2) link('prev', page - 1);
  if (page < last) link('next', page + 1);
  link('last', last);
  return links.join(', ');
}

function positive(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw invalidProperty([{ field: name, message: 'a whole number from 1' }]);
  return Number(text);
}
