// network: what is behind services: Endpoints, EndpointSlices, and the mirroring of the former by the latter.
// No traffic is forwarded; clients and operators read where it would go.
// May import: the rest of controllers.

import { jsonEqual } from '../../common/json.values.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { isReady, phaseOf } from '../workloads/workload.pods.js';

export const HEADLESS_LABEL = 'service.kubernetes.io/headless';

/** The parts of a service's spec on which its endpoints depend. */
export interface ServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly ipFamilies?: readonly string[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly publishNotReadyAddresses?: boolean;
  readonly ports?: readonly ServicePort[];
}

interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
  readonly appProtocol?: string;
}

/** A port of a backend. */
export interface BackendPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** A pod behind a service. */
export interface Backend {
  readonly ip: string;
  readonly pod: KubeObject;
  readonly nodeName: string | undefined;
  readonly hostname: string | undefined;
  /** Whether the backend serves traffic, even if it is being deleted. */
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly ports: readonly BackendPort[];
}

interface PodView {
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostname?: string;
    readonly subdomain?: string;
    readonly containers?: readonly {
      readonly ports?: readonly {
        readonly name?: string;
        readonly containerPort: number;
        readonly protocol?: string;
      }[];
    }[];
  };
  readonly status?: { readonly podIPs?: readonly { readonly ip: string }[] };
}

export function serviceSpec({ spec }: KubeObject): ServiceSpec {
  return (spec ?? {}) as ServiceSpec;
}

/** Returns the service's selector; undefined if the endpoints of the service are not up to the controller. */
export function backendSelector(service: KubeObject): Readonly<Record<string, string>> | undefined {
  const { type, selector } = serviceSpec(service);
  return type === 'ExternalName' || !selector || !Object.keys(selector).length ? undefined : selector;
}

export function matchesLabels(
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** Returns the pods behind a service that have an address and have not ended. */
export function backendsOf(service: KubeObject, pods: readonly KubeObject[]): Backend[] {
  const { ports, clusterIP, ipFamilies } = serviceSpec(service);
  const selector = backendSelector(service);
  const wantsIpv6 = ipFamilies?.[0] === 'IPv6';
  return pods.flatMap((pod): Backend[] => {
    const { spec, status } = pod as PodView;
    const ip = status?.podIPs?.find((each) => each.ip.includes(':') === wantsIpv6)?.ip;
    const isOver = phaseOf(pod) === 'Failed' || phaseOf(pod) === 'Succeeded';
    if (!ip || isOver || !selector || !matchesLabels(selector, pod.metadata.labels)) return [];
    const resolved = (ports ?? []).flatMap((port) => resolvePort(port, pod as PodView));
    if (!resolved.length && (ports?.length || clusterIP !== 'None')) return [];
    const isNamed = spec?.hostname && spec.subdomain === service.metadata.name;
    return [
      {
        ip,
        pod,
        nodeName: spec?.nodeName,
        hostname: isNamed ? spec.hostname : undefined,
        serving: isReady(pod),
        terminating: pod.metadata.deletionTimestamp !== undefined,
        ports: resolved,
      },
    ];
  });
}

export function targetOf({ metadata }: KubeObject): object {
  const { namespace, name, uid } = metadata;
  return { kind: 'Pod', namespace, name, uid };
}

/** Compares what counts for services: addresses, readiness, labels, deletion. */
export function isSameBackend(before: KubeObject, after: KubeObject): boolean {
  const [{ status: left }, { status: right }] = [before, after] as [PodView, PodView];
  return (
    before.metadata.labels === after.metadata.labels &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.spec === after.spec &&
    (left === right || jsonEqual(left?.podIPs, right?.podIPs)) &&
    phaseOf(before) === phaseOf(after) &&
    isReady(before) === isReady(after)
  );
}

function resolvePort(
  { name, targetPort, port, protocol = 'TCP', appProtocol }: ServicePort,
  pod: PodView,
): BackendPort[] {
  const wanted = targetPort ?? port;
  const containerPorts = pod.spec?.containers?.flatMap(({ ports = [] }) => ports) ?? [];
  const number =
    typeof wanted === 'number'
      ? wanted
      : containerPorts.find((each) => each.name === wanted && (each.protocol ?? 'TCP') === protocol)?.containerPort;
  if (number === undefined) return [];
  return [{ ...(name && { name }), port: number, protocol, ...(appProtocol && { appProtocol }) }];
}
