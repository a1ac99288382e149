import { BlockList, isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the proxy that the environment names for a server: `HTTPS_PROXY`, or `HTTP_PROXY` for servers without TLS and where there is no other,
 * unless `NO_PROXY` excepts the server; also in lower case.
 *
 * `NO_PROXY` is a list, separated by commas or spaces, as Go's `httpproxy` reads it, and so kubectl:
 *
 * - `*`: everything;
 * - an address, or a range of addresses: `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`; names are not looked up for it;
 * - a domain: `example.com` is the host and all hosts below it, `.example.com` and `*.example.com` are those below it only;
 * - with a port, what is meant on this port only: `example.com:6443`, `10.1.2.3:6443`, `[fd00::1]:6443`. Ranges have no ports.
 *
 * @returns the URL of the proxy.
 */
export function findProxy(server: URL, environment: Environment): string | undefined {
  const read = (name: string): string | undefined =>
    environment[name.toLowerCase()] || environment[name.toUpperCase()] || undefined;
  const proxy = (server.protocol === 'https:' ? read('HTTPS_PROXY') : undefined) ?? read('HTTP_PROXY');
  if (proxy === undefined || isExcepted(server, read('NO_PROXY') ?? '')) return undefined;
  return /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/** Whether `NO_PROXY` excepts the server. */
export function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const own = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && matches(entry, host, own));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const range = /^([\da-f.:]+)\/(\d+)$/.exec(entry);
  if (range) return isIP(host) !== 0 && isInRange(host, range[1], Number(range[2]));
  const [, name = entry, only] = splitPort(entry) ?? [];
  if (only !== undefined && only !== port) return false;
  const address = name.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isIP(host) !== 0 && isInRange(host, address, isIPv4(address) ? 32 : 128);
  const domain = name.replace(/^\*(?=\.)/, '');
  if (domain === '' || domain === '.') return false;
  if (domain.startsWith('.')) return host.endsWith(`.${toAscii(domain.slice(1))}`);
  const ascii = toAscii(domain);
  return host === ascii || host.endsWith(`.${ascii}`);
}

/** Splits off a port. An IPv6 address can have one only with brackets. */
function splitPort(entry: string): readonly [string, string, string] | undefined {
  const found = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry);
  return found ? [found[0], found[1], found[2]] : undefined;
}

function isInRange(host: string, address: string, bits: number): boolean {
  const list = new BlockList();
  try {
    list.addSubnet(address, bits, familyOf(address));
  } catch {
    // The entry is not a valid range, and excepts nothing.
    return false;
  }
  return list.check(host, familyOf(host));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/**
 * Converts an internationalised name to the form of URLs. Other texts are returned unchanged, as a URL would complete a part of an address
 * to a whole one.
 */
function toAscii(domain: string): string {
  return (/[^\p{ASCII}]/u.test(domain) && domainToASCII(domain)) || domain;
}
