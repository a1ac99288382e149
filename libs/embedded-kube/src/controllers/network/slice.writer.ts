import { jsonEqual, sortedJson } from '../../common/json.values.js';
import type { KubeObject, OwnerReference } from '../../resources/kube-object.js';
import type { ControllerClient, ResourceId } from '../controller.js';
import { ignoringGone } from '../work.queue.js';

export const SLICES: ResourceId = { group: 'discovery.k8s.io', plural: 'endpointslices' };
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
export const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
/** The most endpoints of one slice. */
const CAPACITY = 100;

/** The wanted endpoints of one address type with the same ports. */
export interface SliceGroup {
  readonly addressType: string;
  readonly ports: readonly object[];
  readonly endpoints: readonly object[];
}

/** The identity of the slices of one service: their manager, their owner, and their labels. */
export interface SliceIdentity {
  readonly service: string;
  readonly namespace: string | undefined;
  readonly manager: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
}

/** The writer of the slices of a service: it brings them in line with the wanted endpoints, with as few writes as there are differences. */
export class SliceWriter {
  constructor(private readonly client: ControllerClient) {}

  async write(identity: SliceIdentity, groups: readonly SliceGroup[]): Promise<void> {
    const { service, namespace, manager } = identity;
    const labels = { ...identity.labels, [SERVICE_NAME_LABEL]: service, [MANAGED_BY_LABEL]: manager };
    const left = new Set(this.of(service, namespace, manager));
    for (const { addressType, ports, endpoints } of groups.flatMap(inSlices)) {
      const content = { addressType, endpoints, ports };
      const equal = [...left].find(
        (slice) => slice['addressType'] === addressType && jsonEqual(slice['ports'] ?? [], ports),
      );
      const slice = equal ?? [...left].find((each) => each['addressType'] === addressType);
      if (slice) {
        left.delete(slice);
        await this.change(slice, content, labels);
      } else {
        await this.create(identity, content, labels);
      }
    }
    for (const slice of left) await this.delete(slice);
  }

  /** Deletes the slices of a service that is gone. */
  async remove(service: string, namespace: string | undefined, manager: string): Promise<void> {
    for (const slice of this.of(service, namespace, manager)) await this.delete(slice);
  }

  private of(service: string, namespace: string | undefined, manager: string): KubeObject[] {
    return this.client.list(SLICES, namespace).filter(({ metadata: { labels, deletionTimestamp } }) => {
      const isOurs = labels?.[SERVICE_NAME_LABEL] === service && labels[MANAGED_BY_LABEL] === manager;
      return isOurs && !deletionTimestamp;
    });
  }

  private async create(
    { service, namespace, owner, annotations }: SliceIdentity,
    content: object,
    labels: object,
  ): Promise<void> {
    const metadata = {
      generateName: `${service}-`,
      labels,
      ...(annotations && { annotations }),
      ownerReferences: [owner],
    };
    await this.client.create(SLICES, namespace, { metadata, ...content });
  }

  private async change(
    slice: KubeObject,
    content: { endpoints: readonly object[]; ports: readonly object[] },
    labels: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { namespace, name = '', uid, labels: before = {} } = slice.metadata;
    const isSame =
      jsonEqual(slice['endpoints'] ?? [], content.endpoints) && jsonEqual(slice['ports'] ?? [], content.ports);
    if (isSame && jsonEqual(before, labels)) return;
    const stale = Object.fromEntries(Object.keys(before).flatMap((key) => (key in labels ? [] : [[key, null]])));
    const patch = { metadata: { uid, labels: { ...stale, ...labels } }, ...content };
    await ignoringGone(this.client.patch(SLICES, namespace, name, patch));
  }

  private async delete({ metadata }: KubeObject): Promise<void> {
    await ignoringGone(this.client.delete(SLICES, metadata.namespace, metadata.name ?? ''));
  }
}

/** Returns the groups, each of at most as many endpoints as a slice holds. */
function inSlices(group: SliceGroup): SliceGroup[] {
  if (group.endpoints.length <= CAPACITY) return [group];
  const count = Math.ceil(group.endpoints.length / CAPACITY);
  return Array.from({ length: count }, (_each, index) => ({
    ...group,
    endpoints: group.endpoints.slice(index * CAPACITY, (index + 1) * CAPACITY),
  }));
}

/** Groups endpoints by their ports. */
export function groupByPorts(
  addressType: string,
  endpoints: Iterable<readonly [readonly object[], object]>,
): SliceGroup[] {
  const groups = new Map<string, { ports: readonly object[]; endpoints: object[] }>();
  for (const [ports, endpoint] of endpoints) {
    const key = sortedJson(ports);
    const group = groups.get(key);
    if (group) group.endpoints.push(endpoint);
    else groups.set(key, { ports, endpoints: [endpoint] });
  }
  return [...groups.values()].map((group) => ({ addressType, ...group }));
}
