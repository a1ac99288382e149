import type { ControllerContext } from '../controller.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { backendSelector, backendsOf, HEADLESS_LABEL, serviceSpec, targetOf } from './service.backends.js';
import { ServiceController } from './service.controller.js';
import { groupByPorts, MANAGED_BY_LABEL, SERVICE_NAME_LABEL, SLICES, SliceWriter } from './slice.writer.js';

const MANAGER = 'endpointslice-controller.k8s.io';

/** The controller of the EndpointSlices of services with a selector. */
export class EndpointSliceController extends ServiceController {
  readonly name = 'endpointslice-controller';
  private writer: SliceWriter;

  override start(context: ControllerContext): void {
    this.writer = new SliceWriter(context.client);
    super.start(context);
  }

  protected override watchOthers(): (() => void)[] {
    const slices = this.client.watch(SLICES, ({ type, object }) => {
      const { labels, namespace } = object.metadata;
      // Another client has deleted or changed a slice: it is restored.
      if (type !== 'ADDED' && labels?.[MANAGED_BY_LABEL] === MANAGER) {
        this.queue.add(`${namespace}/${labels[SERVICE_NAME_LABEL]}`);
      }
    });
    return [...super.watchOthers(), slices];
  }

  protected async reconcile(service: KubeObject): Promise<void> {
    if (!backendSelector(service) || service.metadata.deletionTimestamp) return;
    const { namespace, name = '', uid = '', labels = {} } = service.metadata;
    const { publishNotReadyAddresses = false, clusterIP, ipFamilies } = serviceSpec(service);
    const endpoints = backendsOf(service, this.podsOf(service)).map((backend): [object[], object] => {
      const { ip, pod, nodeName, hostname, serving, terminating, ports } = backend;
      const ready = publishNotReadyAddresses || (serving && !terminating);
      const endpoint = {
        addresses: [ip],
        conditions: { ready, serving, terminating },
        ...(hostname && { hostname }),
        targetRef: targetOf(pod),
        ...(nodeName && { nodeName }),
      };
      return [ports.map((port) => ({ name: '', ...port })), endpoint];
    });
    const addressType = ipFamilies?.[0] ?? 'IPv4';
    const groups = groupByPorts(addressType, endpoints);
    const isHeadless = clusterIP === 'None' || !clusterIP;
    const identity = {
      service: name,
      namespace,
      manager: MANAGER,
      labels: { ...labels, ...(isHeadless && { [HEADLESS_LABEL]: '' }) },
      owner: { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true },
    };
    // A service without pods has an empty slice.
    await this.writer.write(identity, groups.length ? groups : [{ addressType, ports: [], endpoints: [] }]);
  }

  protected override async reconcileGone(namespace: string | undefined, name: string): Promise<void> {
    await this.writer.remove(name, namespace, MANAGER);
  }
}
