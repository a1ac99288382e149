import { isIP, isIPv6 } from 'node:net';

/** Maps addresses that mean all interfaces, and cannot be connected to, to those that can. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The host by which a server can be reached on its own machine that listens at the address. */
export function accessibleHost(addr: string | undefined): string {
  if (!addr) return 'localhost';
  const plain = isIPv6(addr) ? new URL(`http://[${addr}]`).hostname.slice(1, -1) : addr;
  return UNSPECIFIED[plain] ?? plain;
}

/** Makes the URL of a server; the port is left out if it is the protocol's own. */
export function createServerUrl(protocol: 'http' | 'https', host: string, port: number, path: string): string {
  const isDefault = port === (protocol === 'https' ? 443 : 80);
  return `${protocol}://${isIPv6(host) ? `[${host}]` : host}${isDefault ? '' : `:${port}`}${path}`;
}

/** Makes the path that webhooks are under: with a slash at its beginning but none at its end; empty for the root. */
export function normalizePath(path = ''): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner && `/${inner}`;
}

/** The names by which a service is reached in its cluster. */
export function serviceNames(name: string, namespace: string): readonly string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`, name];
}

/** Returns the names without repetitions, and without addresses that cannot be connected to. */
export function cleanNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => (isIP(name) ? accessibleHost(name) : name)))];
}

/** Names the developer's machine as clusters on it do. */
export const LOCAL_HOSTS = {
  k3d: 'host.k3d.internal',
  minikube: 'host.minikube.internal',
  dockerDesktop: 'host.docker.internal',
} as const;
