import { age, formatLabels, formatSelector, limited, textOr } from '../cell.format.js';
import type { CellPrinter, Loose } from '../table.types.js';

/** The cells of services, ingresses, and other network kinds. */
export const NETWORK_CELLS: Readonly<Record<string, CellPrinter>> = {
  services: (object, now) => {
    const { spec = {} } = object;
    return [
      object.metadata.name,
      textOr(spec.type, ''),
      spec.clusterIPs?.[0] ?? '<none>',
      externalAddresses(object),
      (spec.ports ?? []).map(portText).join(',') || '<none>',
      age(object, now),
      formatLabels(spec.selector),
    ];
  },
  endpoints: (object, now) => [object.metadata.name, endpointAddresses(object.subsets ?? []), age(object, now)],
  'endpointslices.discovery.k8s.io': (object, now) => {
    const ports = (object.ports ?? []).map(({ port, name }: Loose) => String(port ?? name ?? '*'));
    const addresses = (object.endpoints ?? []).flatMap((endpoint: Loose) => endpoint.addresses ?? []);
    return [
      object.metadata.name,
      textOr(object.addressType, ''),
      limited(ports, 3, ',') || '<unset>',
      limited(addresses, 3, ',') || '<unset>',
      age(object, now),
    ];
  },
  'ingresses.networking.k8s.io': (object, now) => [
    object.metadata.name,
    object.spec?.ingressClassName ?? '<none>',
    ingressHosts(object.spec?.rules ?? []),
    balancerAddresses(object),
    object.spec?.tls?.length ? '80, 443' : '80',
    age(object, now),
  ],
  'ingressclasses.networking.k8s.io': (object, now) => {
    const { metadata, spec = {} } = object;
    const isDefault = metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
    const { apiGroup, kind, name } = spec.parameters ?? {};
    return [
      metadata.name + (isDefault ? ' (default)' : ''),
      textOr(spec.controller, ''),
      spec.parameters ? `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}` : '<none>',
      age(object, now),
    ];
  },
  'networkpolicies.networking.k8s.io': (object, now) => [
    object.metadata.name,
    formatSelector(object.spec?.podSelector),
    age(object, now),
  ],
  'servicecidrs.networking.k8s.io': (object, now) => [
    object.metadata.name,
    (object.spec?.cidrs ?? []).join(','),
    age(object, now),
  ],
  'ipaddresses.networking.k8s.io': (object, now) => {
    const { group, resource = '', namespace, name } = object.spec?.parentRef ?? {};
    const parent = [group ? `${resource}.${group}` : resource, namespace, name].filter(Boolean).join('/');
    return [object.metadata.name, object.spec?.parentRef ? parent : '<none>', age(object, now)];
  },
};

function externalAddresses(service: Loose): string {
  const { type, externalIPs = [], externalName = '' } = service.spec ?? {};
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>';
    case 'LoadBalancer':
      return [balancerAddresses(service), ...externalIPs].filter(Boolean).join(',') || '<pending>';
    case 'ExternalName':
      return externalName;
    default:
      return '<unknown>';
  }
}

function balancerAddresses(object: Loose): string {
  const ingress: Loose[] = object.status?.loadBalancer?.ingress ?? [];
  const addresses = ingress.map(({ ip, hostname }) => ip || hostname).filter(Boolean);
  return [...new Set(addresses)].sort().join(',');
}

function portText({ port, nodePort, protocol }: Loose): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function ingressHosts(rules: readonly Loose[]): string {
  const hosts: string[] = [];
  let hasMore = false;
  for (const { host } of rules) {
    if (hosts.length === 3) hasMore = true;
    else if (host) hosts.push(host);
  }
  if (!hosts.length) return '*';
  return hasMore ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

function endpointAddresses(subsets: readonly Loose[]): string {
  if (!subsets.length) return '<none>';
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    if (!ports.length) return addresses.map(({ ip }: Loose) => ip);
    return ports.flatMap(({ port }: Loose) => addresses.map(({ ip }: Loose) => hostPort(ip, port)));
  });
  return limited(all, 3, ',');
}

function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}
