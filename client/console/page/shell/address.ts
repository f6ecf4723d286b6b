// Which address means which view. Pure; router.ts holds the address that is shown.

export interface Address {
  /** Below the path prefix: `/jobs/tender/TR-0142`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export type Params = Readonly<Record<string, string>>;

/** @returns the parts that the pattern names (`/jobs/:share`), decoded; undefined when it does not fit. */
export function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return undefined;
      continue;
    }
    const decoded = decode(value);
    if (decoded === undefined || decoded === '') return undefined;
    params[part.slice(1)] = decoded;
  }
  return params;
}

/** `/jobs/:share` with its parts, each encoded. */
export function fillPath(pattern: string, params: Params): string {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** The path with the query behind it; empty values are left out, and without any the `?` is, too. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter(
    (one): one is [string, string] => one[1] !== undefined && one[1] !== '',
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Takes the prefix off a path as the browser has it; undefined where the path does not lie below it. */
export function toAddress(pathname: string, search: string, prefix: string): Address | undefined {
  if (!`${pathname}/`.startsWith(prefix)) return undefined;
  const path = `/${pathname.slice(prefix.length)}`.replace(/(.)\/+$/, '$1');
  return { path, query: Object.fromEntries(new URLSearchParams(search)) };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
