/**
 * The address of the console, with a slash at its end. Scripts are in its folder `assets`, so that the page need not know behind which
 * prefixes and proxies it is.
 */
export const BASE = new URL('..', import.meta.url);
