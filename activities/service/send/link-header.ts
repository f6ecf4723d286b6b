// The `Link` header of lists (specification, Pagination). Only the query of the next page is taken from it,
// and only when it points to where we already are: a bearer token must not follow a link elsewhere.
import { responseFault } from './http-exchange';

/**
 * Query string of the `next` link, without `?`; `undefined` when there is none (an empty header is one page).
 * Throws ServiceUnavailableError when it leads to another origin or path.
 */
export function nextLink(
  header: string | undefined,
  here: { readonly origin: string; readonly path: string },
  route: string,
): string | undefined {
  for (const { target, relations } of parseLinks(header ?? '')) {
    if (!relations.includes('next')) continue;
    if (!URL.canParse(target, `${here.origin}${here.path}`))
      throw responseFault(route, 200, 'has a Link that is no address');
    const url = new URL(target, `${here.origin}${here.path}`);
    const current = new URL(`${here.origin}${here.path}`);
    if (url.origin !== current.origin || url.pathname !== current.pathname) {
      throw responseFault(route, 200, 'has a Link that leads elsewhere');
    }
    return url.search.slice(1);
  }
  return undefined;
}

interface Link {
  readonly target: string;
  readonly relations: readonly string[];
}

/**
 * RFC 8288, as far as lists need it: `<target>; rel="a b"`, joined by commas that
 * may also stand inside the target.
 */
function parseLinks(header: string): readonly Link[] {
  const links: Link[] = [];
  for (const [, target = '', parameters = ''] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    links.push({ target, relations: (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/) });
  }
  return links;
}
