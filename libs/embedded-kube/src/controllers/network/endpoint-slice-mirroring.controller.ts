import type { ControllerContext } from '../controller.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { objectKey } from '../work.queue.js';
import { ENDPOINTS, ENDPOINTS_MANAGER_LABEL } from './endpoints.controller.js';
import { type BackendPort, serviceSpec } from './service.backends.js';
import { SERVICES } from './service.controller.js';
import { groupByPorts, MANAGED_BY_LABEL, SERVICE_NAME_LABEL, SLICES, SliceWriter } from './slice.writer.js';

const MANAGER = 'endpointslicemirroring-controller.k8s.io';
const SKIP_LABEL = 'endpointslice.kubernetes.io/skip-mirror';
/** The annotations of Endpoints that slices do not take over. */
const OWN_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'endpoints.kubernetes.io/over-capacity',
]);

interface Address {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: object;
}

interface Subset {
  readonly addresses?: readonly Address[];
  readonly notReadyAddresses?: readonly Address[];
  readonly ports?: readonly BackendPort[];
}

/** The controller that mirrors Endpoints without a selector of their service, which users write by hand, as EndpointSlices. */
export class EndpointSliceMirroringController extends ReconcilingController {
  readonly name = 'endpointslice-mirroring-controller';
  private writer: SliceWriter;

  constructor() {
    super(ENDPOINTS);
  }

  override start(context: ControllerContext): void {
    this.writer = new SliceWriter(context.client);
    super.start(context);
  }

  protected override watchOthers(): (() => void)[] {
    return [
      this.client.watch(SERVICES, ({ object }) => this.queue.add(objectKey(object))),
      this.client.watch(SLICES, ({ type, object }) => {
        const { labels, namespace } = object.metadata;
        if (type !== 'ADDED' && labels?.[MANAGED_BY_LABEL] === MANAGER) {
          this.queue.add(`${namespace}/${labels[SERVICE_NAME_LABEL]}`);
        }
      }),
    ];
  }

  protected async reconcile(endpoints: KubeObject): Promise<void> {
    const { namespace, name = '', uid = '', labels = {}, annotations = {}, deletionTimestamp } = endpoints.metadata;
    const service = this.client.get(SERVICES, namespace, name);
    const isMirrored =
      service &&
      !serviceSpec(service).selector &&
      !deletionTimestamp &&
      labels[SKIP_LABEL] !== 'true' &&
      annotations['control-plane.alpha.kubernetes.io/leader'] === undefined;
    if (!isMirrored) {
      await this.writer.remove(name, namespace, MANAGER);
      return;
    }
    const own = Object.entries(annotations).filter(([key]) => !OWN_ANNOTATIONS.has(key));
    const { [ENDPOINTS_MANAGER_LABEL]: _, ...kept } = labels;
    const identity = {
      service: name,
      namespace,
      manager: MANAGER,
      labels: kept,
      ...(own.length && { annotations: Object.fromEntries(own) }),
      owner: { apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true },
    };
    await this.writer.write(identity, groupsOf((endpoints['subsets'] ?? []) as readonly Subset[]));
  }

  protected override async reconcileGone(namespace: string | undefined, name: string): Promise<void> {
    await this.writer.remove(name, namespace, MANAGER);
  }
}

function groupsOf(subsets: readonly Subset[]) {
  const endpoints = subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const named = ports.map((port) => ({ name: '', ...port }));
    const of = (address: Address, ready: boolean): [Address, object[], object] => [
      address,
      named,
      mirror(address, ready),
    ];
    return [...addresses.map((each) => of(each, true)), ...notReadyAddresses.map((each) => of(each, false))];
  });
  return ['IPv4', 'IPv6'].flatMap((addressType) => {
    const ofType = endpoints.filter(([{ ip }]) => ip.includes(':') === (addressType === 'IPv6'));
    return groupByPorts(
      addressType,
      ofType.map(([, ports, endpoint]): [object[], object] => [ports, endpoint]),
    );
  });
}

function mirror({ ip, hostname, nodeName, targetRef }: Address, ready: boolean): object {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef && { targetRef }),
    ...(nodeName && { nodeName }),
  };
}
