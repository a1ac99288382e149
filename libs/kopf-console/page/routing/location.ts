import { BASE } from '../api/base.address.js';
import { Store } from '../platform/store.js';

/** The place in the page that its address names. */
export interface PageLocation {
  /** The decoded parts of the path below the base: `['objects', 'pods', 'default', 'web-1']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function readLocation(): PageLocation {
  const path = location.pathname.slice(BASE.pathname.length).split('/').filter(Boolean).map(decode);
  return { path, query: new URLSearchParams(location.search) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const pageLocation = new Store<PageLocation>(readLocation());

/** Parameters that stay when the viewer goes from screen to screen. */
const LASTING = ['operator'];

/** Forms the address of a place in the page, with its parameters; those that are undefined or empty are left out. */
export function hrefOf(
  path: readonly string[],
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string {
  const url = new URL(path.map(encodeURIComponent).join('/'), BASE);
  const present = pageLocation.get().query;
  for (const name of LASTING) {
    const value = present.get(name);
    if (value) url.searchParams.set(name, value);
  }
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '' && value !== false) url.searchParams.set(name, String(value));
  }
  return `${url.pathname}${url.search}`;
}

/** Goes to a place in the page. */
export function navigate(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  pageLocation.set(readLocation());
}

/** Changes parameters of the present place, without an entry in the history: filters. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  navigate(`${url.pathname}${url.search}`, { replace: true });
}

/** Opens links within the page without loading the page again. */
export function handleLinks(): void {
  addEventListener('popstate', () => pageLocation.set(readLocation()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith(BASE.pathname)) return;
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    navigate(`${link.pathname}${link.search}`);
  });
}
