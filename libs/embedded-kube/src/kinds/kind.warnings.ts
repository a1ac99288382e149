import { mapping } from '../common/json.values.js';
import { warnOfAddress } from './address.warnings.js';
import { isSameContent, textsOf } from './validation/field.report.js';
import { warnOfClaim } from './volume.warnings.js';
import { WORKLOAD_WARNINGS } from './workload.warnings.js';

const EXTERNAL_ID = 'spec.externalID: this field is deprecated, and is unused by Kubernetes';
const TOKENS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';

type Values = Readonly<Record<string, unknown>>;

/** Tells what the writer of an object should know, by `plural.group`: it is accepted, but will not do what it seems to. */
export const KIND_WARNINGS: Readonly<
  Record<string, (object: Values, previous: Values | undefined) => readonly string[]>
> = {
  ...WORKLOAD_WARNINGS,
  nodes: ({ spec }) => (mapping(spec)['externalID'] ? [EXTERNAL_ID] : []),
  secrets: warnOfCertificates,
  services: warnOfServices,
  persistentvolumeclaims: ({ spec }) => warnOfClaim(mapping(spec), 'spec'),
  'endpointslices.discovery.k8s.io': ({ addressType }, previous) =>
    !previous && addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
  'csidrivers.storage.k8s.io': warnOfTokens,
};

/** Tokens that drivers get as attributes of volumes stand in logs. */
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
