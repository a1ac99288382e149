import { isIP, isIPv6 } from 'node:net';

/** The addresses that clients can connect to, by the addresses that stand for all interfaces. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the host by which a server that listens at the address is reached on the same machine. */
export function accessibleHost(addr: string | undefined): string {
  if (!addr) return 'localhost';
  const plain = isIPv6(addr) ? new URL(`http://[${addr}]`).hostname.slice(1, -1) : addr;
  return UNSPECIFIED[plain] ?? plain;
}

/** Creates the URL of a server; the default port of the protocol is left out. */
export function createServerUrl(protocol: 'http' | 'https', host: string, port: number, path: string): string {
  const isDefault = port === (protocol === 'https' ? 443 : 80);
  return `${protocol}://${isIPv6(host) ? `[${host}]` : host}${isDefault ? '' : `:${port}`}${path}`;
}

/** Normalizes the path of all webhooks: with a slash at its beginning, but none at its end; empty for the root. */
export function normalizePath(path = ''): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner && `/${inner}`;
}

/** Returns the names by which a service is reached in its cluster. */
export function serviceNames(name: string, namespace: string): readonly string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`, name];
}

/** Returns the names without repetitions, and without addresses that cannot be connected to. */
export function cleanNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => (isIP(name) ? accessibleHost(name) : name)))];
}

/** The names of the developer's machine in the clusters that run on it. */
export const LOCAL_HOSTS = {
  k3d: 'host.k3d.internal',
  minikube: 'host.minikube.internal',
  dockerDesktop: 'host.docker.internal',
} as const;
