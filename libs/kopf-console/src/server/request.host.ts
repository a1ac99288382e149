import { isIP } from 'node:net';
import { ConsoleError } from '../console.error.js';
import { headerOf, type ConsoleRequest } from './console.request.js';

/**
 * Checks the host that a request names. A page of another site can let its own name lead to this machine, and then read what is served here
 * as if it were its own (DNS rebinding): it is recognised by its name, as it cannot choose another one.
 *
 * @param hosts the names that are allowed; without them, requests that come from this machine, as by `kubectl port-forward`, must name
 *   `localhost` or an address, and all others can name any host: what comes through an Ingress has come for the name that leads there.
 * @throws ConsoleError 403
 */
export function checkHost(request: Pick<ConsoleRequest, 'raw'>, hosts: readonly string[] | undefined): void {
  const name = nameOf(headerOf(request, 'host') ?? '');
  const { remoteAddress = '' } = request.raw.socket;
  if (hosts ? hosts.includes(name) : !isLoopback(remoteAddress) || isLocal(name)) return;
  throw new ConsoleError(
    403,
    `The console is not served for the host ${name}: the option hosts of KopfConsoleModule names those for which it is.`,
  );
}

/** The name without the port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}

function isLocal(name: string): boolean {
  return name === '' || name === 'localhost' || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) > 0;
}
