// The address that is shown. Filters, sorting and the opened row live in it: a link shows somebody else the
// same.
import { signal } from '@preact/signals';
import { type Address, toAddress, withQuery } from './address';

/** The path that the page lies below on its host, with `/` at its end: `/` or `/drawbridge/`. */
const PREFIX = new URL('.', document.baseURI).pathname;

function read(): Address {
  return toAddress(location.pathname, location.search, PREFIX) ?? { path: '/', query: {} };
}

export const address = signal<Address>(read());

/** The prefix with an address behind it, for links and for the API. */
export function href(path: string): string {
  return `${PREFIX}${path.replace(/^\//, '')}`;
}

interface HowToGo {
  /** Makes no entry in the history: for filters as they are typed. */
  readonly replace?: boolean;
}

/** What would be lost by going to that path, or off the page where there is none; undefined for nothing. */
type Guard = (to: string | undefined) => string | undefined;
const guards = new Set<Guard>();

/**
 * The guard is asked before the view is left: where something would be lost, the person decides. The result
 * takes the guard away.
 */
export function guardLeaving(guard: Guard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

function mayGo(to: string): boolean {
  return [...guards].every(guard => {
    const lost = guard(to);
    return lost === undefined || confirm(lost);
  });
}

/** Loads the page anew, and asks nothing: what would be lost is not for who is there now. */
export function beginAnew(): void {
  guards.clear();
  addEventListener('beforeunload', event => event.stopImmediatePropagation(), { capture: true });
  location.reload();
}

export function navigate(to: string, { replace = false }: HowToGo = {}): void {
  const url = new URL(href(to), location.origin);
  const next = toAddress(url.pathname, url.search, PREFIX);
  if (next === undefined) return;
  const isLeaving = next.path !== address.value.path;
  if (isLeaving && !mayGo(next.path)) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  address.value = next;
  if (isLeaving && !replace) scrollTo(0, 0);
}

/** Changes some of what stands behind `?`; an empty text takes it away. */
export function changeQuery(change: Readonly<Record<string, string>>): void {
  const { path, query } = address.value;
  navigate(withQuery(path, { ...query, ...change }), { replace: true });
}

/** Links of the page change the address without loading it anew. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    const next = read();
    if (next.path === address.value.path || mayGo(next.path)) address.value = next;
    // The browser shows the other address already: it is set back.
    else history.pushState(null, '', href(withQuery(address.value.path, address.value.query)));
  });
  addEventListener('beforeunload', event => {
    if ([...guards].some(guard => guard(undefined) !== undefined)) event.preventDefault();
  });
  document.addEventListener('click', event => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || link.hash !== '') return;
    const path = toAddress(link.pathname, link.search, PREFIX)?.path;
    if (path === undefined || path.startsWith('/api/') || path.startsWith('/metrics')) return;
    event.preventDefault();
    navigate(`${path}${link.search}`);
  });
}
