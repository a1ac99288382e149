import { jsonEqual } from '../common/json.values.js';
import type { ControllerClient, ResourceId } from './controller.js';

const NAMESPACE = 'default';
const NAME = 'kubernetes';
const SERVICES: ResourceId = { group: '', plural: 'services' };
const ENDPOINTS: ResourceId = { group: '', plural: 'endpoints' };
const SLICES: ResourceId = { group: 'discovery.k8s.io', plural: 'endpointslices' };
/** The first address of the network of services. */
const CLUSTER_IP = '10.96.0.1';
/** The address in place of a loopback address, which endpoints cannot have: it is of a network for documentation only. */
const ADVERTISED = '192.0.2.1';

/** The address of the server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Publishes the server as the service `default/kubernetes`, which clients in pods and Kubernetes' own tests look for.
 *
 * @param address `undefined` if only the same process is served: then the service has no endpoints
 */
export async function publishServer(client: ControllerClient, address: ServerAddress | undefined): Promise<void> {
  const ports = [{ name: 'https', protocol: 'TCP', port: 443, targetPort: address?.port ?? 6443 }];
  const spec = { clusterIP: CLUSTER_IP, ports, type: 'ClusterIP', sessionAffinity: 'None' };
  await publish(client, SERVICES, { component: 'apiserver', provider: NAME }, { spec });
  if (!address) return;
  const { host, port } = address;
  const ip = /^(127\.|::1$|localhost$|0\.0\.0\.0$|::$)/.test(host) ? ADVERTISED : host;
  const subsets = [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }];
  await publish(client, ENDPOINTS, { 'endpointslice.kubernetes.io/skip-mirror': 'true' }, { subsets });
  await publish(
    client,
    SLICES,
    { 'kubernetes.io/service-name': NAME },
    {
      addressType: ip.includes(':') ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      ports: [{ name: 'https', protocol: 'TCP', port }],
    },
  );
}

async function publish(
  client: ControllerClient,
  resource: ResourceId,
  labels: Readonly<Record<string, string>>,
  content: Readonly<Record<string, unknown>>,
): Promise<void> {
  const current = client.get(resource, NAMESPACE, NAME);
  if (!current) {
    await client.create(resource, NAMESPACE, { metadata: { name: NAME, labels }, ...content });
    return;
  }
  const { spec, ...others } = content;
  const next = { ...current, ...others, ...(spec !== undefined && { spec: { ...(current.spec as object), ...spec } }) };
  if (!jsonEqual(next, current)) await client.update(resource, NAMESPACE, NAME, next);
}
