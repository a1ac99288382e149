import { mapping } from '../common/json.values.js';
import { warnOfAddress } from './address.warnings.js';
import { OLD_LABELS } from './node-label.warnings.js';
import { isSameContent, itemsOf, textOf, textsOf } from './validation/field.report.js';
import { STORAGE_WARNINGS } from './storage.warnings.js';
import { WORKLOAD_WARNINGS } from './workload.warnings.js';

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';
const ENFORCED = `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;
const SLICE_CONTROLLERS = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']);
const INGRESS_CLASS = 'kubernetes.io/ingress.class';
const OLD_CLASS = `annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`;
const EXTERNAL_ID = 'spec.externalID: this field is deprecated, and is unused by Kubernetes';
const TOKENS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';

type Values = Readonly<Record<string, unknown>>;

/** The warnings about objects that are accepted, but will not do what they seem to, by `plural.group`. */
export const KIND_WARNINGS: Readonly<
  Record<string, (object: Values, previous: Values | undefined) => readonly string[]>
> = {
  ...WORKLOAD_WARNINGS,
  ...STORAGE_WARNINGS,
  nodes: ({ spec }) => [
    ...(mapping(spec)['configSource'] ? ['spec.configSource: the feature is removed'] : []),
    ...(mapping(spec)['externalID'] ? [EXTERNAL_ID] : []),
  ],
  serviceaccounts: ({ metadata }, previous) =>
    isEnforced(metadata) && !isEnforced(previous?.['metadata']) ? [ENFORCED] : [],
  endpoints: warnOfEndpoints,
  'ingresses.networking.k8s.io': ({ metadata, spec }, previous) => {
    const isOld = !previous && mapping(spec)['ingressClassName'] === undefined;
    return isOld && INGRESS_CLASS in mapping(mapping(metadata)['annotations']) ? [OLD_CLASS] : [];
  },
  'runtimeclasses.node.k8s.io': ({ scheduling }) =>
    Object.keys(mapping(mapping(scheduling)['nodeSelector'])).flatMap((key) =>
      OLD_LABELS[key] ? [`scheduling.nodeSelector: ${OLD_LABELS[key]}`] : [],
    ),
  secrets: warnOfCertificates,
  services: warnOfServices,
  'endpointslices.discovery.k8s.io': warnOfSlices,
  'csidrivers.storage.k8s.io': warnOfTokens,
};

function isEnforced(metadata: unknown): boolean {
  return MOUNTABLE in mapping(mapping(metadata)['annotations']);
}

/** Warns of addresses in another form than the controller of endpoints writes. */
function warnOfEndpoints({ metadata, subsets }: Values): readonly string[] {
  if (mapping(mapping(metadata)['labels'])['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return itemsOf(subsets).flatMap((subset, index) =>
    ['addresses', 'notReadyAddresses'].flatMap((field) =>
      itemsOf(subset[field]).flatMap(({ ip }, place) =>
        warnOfAddress(`subsets[${index}].${field}[${place}].ip`, textOf(ip)),
      ),
    ),
  );
}

function warnOfSlices({ metadata, addressType, endpoints }: Values, previous: Values | undefined): readonly string[] {
  const isOld = !previous && addressType === 'FQDN';
  const found = isOld ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  const manager = mapping(mapping(metadata)['labels'])['endpointslice.kubernetes.io/managed-by'];
  if (addressType === 'FQDN' || SLICE_CONTROLLERS.has(textOf(manager))) return found;
  const addresses = itemsOf(endpoints).flatMap(({ addresses: list }, index) =>
    textsOf(list).flatMap((address, place) => warnOfAddress(`endpoints[${index}].addresses[${place}]`, address)),
  );
  return [...found, ...addresses];
}

/** Warns of tokens that drivers get as attributes of volumes, which appear in logs. */
function warnOfTokens({ spec }: Values, previous: Values | undefined): readonly string[] {
  const { tokenRequests, serviceAccountTokenInSecrets } = mapping(spec);
  const isAsked = Array.isArray(tokenRequests) && tokenRequests.length > 0;
  if (!isAsked || serviceAccountTokenInSecrets !== undefined) return [];
  return isSameContent(tokenRequests, mapping(previous?.['spec'])['tokenRequests']) ? [] : [TOKENS];
}

function warnOfCertificates({ type, data }: Values): readonly string[] {
  if (type !== 'kubernetes.io/tls') return [];
  const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => {
    return Buffer.from(String(mapping(data)[name] ?? ''), 'base64').toString('latin1');
  });
  if (!certificate!.includes('-----BEGIN ')) return ['tls: failed to find any PEM data in certificate input'];
  return key!.includes('-----BEGIN ') ? [] : ['tls: failed to find any PEM data in key input'];
}

function warnOfServices({ metadata, spec }: Values): readonly string[] {
  const { annotations } = mapping(metadata);
  const fields = mapping(spec);
  const { type, clusterIP, clusterIPs, externalIPs, loadBalancerIP, externalName } = fields;
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None';
  const hasExternal = Array.isArray(externalIPs) && externalIPs.length > 0;
  const addresses = { clusterIPs: clusterIP === 'None' ? [] : clusterIPs, externalIPs };
  const mode = `annotation ${TOPOLOGY_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`;
  const found: readonly (string | false)[] = [
    TOPOLOGY_HINTS in mapping(annotations) && mode,
    ...warnOfAddresses('spec.clusterIPs', addresses.clusterIPs),
    isHeadless && !!loadBalancerIP && 'spec.loadBalancerIP is ignored for headless services',
    isHeadless && hasExternal && 'spec.externalIPs is ignored for headless services',
    isHeadless && fields['sessionAffinity'] !== 'None' && 'spec.SessionAffinity is ignored for headless services',
    ...warnOfAddresses('spec.externalIPs', externalIPs),
    hasExternal &&
      !isHeadless &&
      type !== 'ExternalName' &&
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ...(loadBalancerIP ? warnOfAddress('spec.loadBalancerIP', String(loadBalancerIP)) : []),
    type === 'ExternalName' && hasExternal && 'spec.externalIPs is ignored when spec.type is "ExternalName"',
    type !== 'ExternalName' && !!externalName && 'spec.externalName is ignored when spec.type is not "ExternalName"',
    fields['trafficDistribution'] === 'PreferClose' &&
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  ];
  return found.filter((each) => typeof each === 'string');
}

function warnOfAddresses(path: string, addresses: unknown): readonly string[] {
  return textsOf(addresses).flatMap((address, index) => warnOfAddress(`${path}[${index}]`, address));
}
