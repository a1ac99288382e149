import { jsonEqual, sortedJson } from '../../common/json.values.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ResourceId } from '../controller.js';
import { ignoringGone } from '../work.queue.js';
import {
  type Backend,
  backendSelector,
  backendsOf,
  HEADLESS_LABEL,
  serviceSpec,
  targetOf,
} from './service.backends.js';
import { ServiceController } from './service.controller.js';

export const ENDPOINTS: ResourceId = { group: '', plural: 'endpoints' };
export const ENDPOINTS_MANAGER_LABEL = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';

/** The controller of the Endpoints of services with a selector. */
export class EndpointsController extends ServiceController {
  readonly name = 'endpoints-controller';

  protected async reconcile(service: KubeObject): Promise<void> {
    if (!backendSelector(service) || service.metadata.deletionTimestamp) return;
    const { namespace, name = '', labels: own } = service.metadata;
    const { publishNotReadyAddresses = false, clusterIP } = serviceSpec(service);
    const backends = backendsOf(service, this.podsOf(service)).filter(
      ({ terminating }) => !terminating || publishNotReadyAddresses,
    );
    const subsets = subsetsOf(backends, publishNotReadyAddresses);
    const isHeadless = clusterIP === 'None' || !clusterIP;
    const labels = { ...own, ...(isHeadless && { [HEADLESS_LABEL]: '' }), [ENDPOINTS_MANAGER_LABEL]: MANAGER };
    const current = this.client.get(ENDPOINTS, namespace, name);
    if (!current) {
      const object = { metadata: { name, labels }, ...(subsets.length && { subsets }) };
      await this.client.create(ENDPOINTS, namespace, object);
      return;
    }
    const isSame = jsonEqual(current['subsets'] ?? [], subsets) && jsonEqual(current.metadata.labels, labels);
    if (isSame) return;
    const { uid } = current.metadata;
    const stale = Object.keys(current.metadata.labels ?? {}).filter((key) => !(key in labels));
    const removals = Object.fromEntries(stale.map((key) => [key, null]));
    const patch = { metadata: { uid, labels: { ...removals, ...labels } }, subsets: subsets.length ? subsets : null };
    await ignoringGone(this.client.patch(ENDPOINTS, namespace, name, patch));
  }

  protected override async reconcileGone(namespace: string | undefined, name: string): Promise<void> {
    const left = this.client.get(ENDPOINTS, namespace, name);
    if (left) await ignoringGone(this.client.delete(ENDPOINTS, namespace, name));
  }
}

/** Returns the subsets: addresses with the same ports stand together, those that are ready apart from the others. */
function subsetsOf(backends: readonly Backend[], publishesAll: boolean): object[] {
  const groups = new Map<string, { ports: Backend['ports']; ready: object[]; notReady: object[] }>();
  const byAddress = backends.toSorted((left, right) => (left.ip < right.ip ? -1 : 1));
  for (const { ip, pod, nodeName, hostname, serving, ports } of byAddress) {
    const sorted = ports.toSorted((left, right) => (sortedJson(left) < sortedJson(right) ? -1 : 1));
    const key = sortedJson(sorted);
    const group = groups.get(key) ?? { ports: sorted, ready: [], notReady: [] };
    groups.set(key, group);
    const address = { ip, ...(hostname && { hostname }), nodeName, targetRef: targetOf(pod) };
    (serving || publishesAll ? group.ready : group.notReady).push(address);
  }
  return [...groups]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { ports, ready, notReady }]) => ({
      ...(ready.length && { addresses: ready }),
      ...(notReady.length && { notReadyAddresses: notReady }),
      ...(ports.length && { ports }),
    }));
}
