import { ConsoleError } from '../console.error.js';
import { headerOf, type ConsoleRequest } from './console.request.js';

/**
 * Checks that a request comes from the console's own page, or from no page at all.
 *
 * @throws ConsoleError 403 if another site's page has sent it.
 */
export function checkOrigin(request: Pick<ConsoleRequest, 'raw'>): void {
  const site = headerOf(request, 'sec-fetch-site');
  // Browsers set it, and no page can; but only where the connection is safe, or to this machine.
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') throw refuse();
    return;
  }
  const origin = headerOf(request, 'origin');
  if (origin === undefined) return;
  // Proxies can have changed the host; no page can set the other header without being asked first.
  const hosts = [headerOf(request, 'host'), headerOf(request, 'x-forwarded-host')?.split(',', 1)[0].trim()];
  if (!URL.canParse(origin) || !hosts.includes(new URL(origin).host)) throw refuse();
}

/**
 * Checks that a request that does something was made by the console's own script: forms and links of other pages cannot make such a request,
 * and their scripts are not allowed to.
 *
 * @throws ConsoleError 403, or 400 if it is no JSON.
 */
export function checkAction(request: Pick<ConsoleRequest, 'raw'>): void {
  checkOrigin(request);
  if (headerOf(request, 'x-kopf-console') === undefined) {
    throw new ConsoleError(
      403,
      'The header x-kopf-console is missing: actions are asked for by the page of the console only.',
    );
  }
  const type = headerOf(request, 'content-type')?.split(';', 1)[0].trim().toLowerCase();
  if (type !== 'application/json') throw new ConsoleError(400, 'The content type must be application/json.');
}

function refuse(): ConsoleError {
  return new ConsoleError(403, 'The request comes from a page of another site.');
}
