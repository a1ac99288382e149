import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validatePort } from '../pods/probe.validation.js';
import {
  isHeadless,
  validateAddresses,
  validateKeptAddresses,
  validateKeptFamilies,
} from './service-address.validation.js';
import { validateEndpointAddress } from './endpoint-slice.validation.js';
import { validateLabels } from '../selector.validation.js';
import { validateAddress, validateRange } from '../text.rules.js';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const LONGEST_AFFINITY = 86_400;
const ONLY_BALANCERS = "may only be used when `type` is 'LoadBalancer'";
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
const ONLY_EXTERNAL = 'may only be set for externally-accessible services';

/** Reports annotations that ask for what the type has not, or contradict one another. */
export function validateServiceAnnotations(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const { annotations = {} } = object.metadata;
  const [hints, mode] = [annotations[TOPOLOGY_HINTS], annotations[TOPOLOGY_MODE]];
  if (hints !== undefined && mode !== undefined && hints !== mode) {
    const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
    report.invalid(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, detail);
  }
  const { type, loadBalancerSourceRanges } = structOf(object['spec']) ?? {};
  const ranges = annotations[SOURCE_RANGES];
  if (ranges === undefined || countOf(loadBalancerSourceRanges) > 0) return;
  const path = `metadata.annotations[${SOURCE_RANGES}]`;
  if (type !== 'LoadBalancer') report.forbidden(path, ONLY_BALANCERS);
  if (ranges.trim() === '' || previous?.metadata.annotations?.[SOURCE_RANGES] === ranges) return;
  for (const range of ranges.split(',')) validateRange(report, path, range.trim());
}

export function validateService(report: FieldReport, spec: Values, old: Values | undefined): void {
  const { type } = spec;
  if (old) {
    validateKeptAddresses(report, spec, old);
    validateKeptFamilies(report, spec, old);
  }
  const ports = itemsOf(spec['ports']);
  if (
    old?.['type'] === 'LoadBalancer' &&
    type === 'LoadBalancer' &&
    old['loadBalancerClass'] !== spec['loadBalancerClass']
  ) {
    report.invalid('spec.loadBalancerClass', spec['loadBalancerClass'], 'may not change once set');
  }
  // The real server looks at the class twice.
  if (old) validateBalancerClass(report, spec);
  const checked = [old, spec].filter(
    (each) => each?.['type'] === 'LoadBalancer' && each['externalTrafficPolicy'] === 'Local',
  );
  if (checked.length === 2 && old?.['healthCheckNodePort'] !== spec['healthCheckNodePort']) {
    report.forbidden('spec.healthCheckNodePort', 'field is immutable');
  }
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') report.required('spec.ports');
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    report.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`);
  }
  if (type === 'ExternalName') validateExternalName(report, spec);
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    validateServicePort(report, `spec.ports[${index}]`, port, ports.length > 1, names);
  }
  validateLabels(report, 'spec.selector', spec['selector']);
  report.oneOfRequired('spec.sessionAffinity', spec['sessionAffinity'], ['ClientIP', 'None']);
  if (spec['sessionAffinity'] === 'ClientIP') validateAffinity(report, structOf(spec['sessionAffinityConfig']));
  validateAddresses(report, spec);
  for (const [index, address] of textsOf(spec['externalIPs']).entries()) {
    const path = `spec.externalIPs[${index}]`;
    if (validateAddress(report, path, address)) validateEndpointAddress(report, path, address);
  }
  report.oneOfRequired('spec.type', type, TYPES);
  validateUniquePorts(report, ports, type);
  validateSourceRanges(report, spec);
  if (spec['allocateLoadBalancerNodePorts'] !== undefined && type !== 'LoadBalancer') {
    report.forbidden('spec.allocateLoadBalancerNodePorts', ONLY_BALANCERS);
  }
  validateBalancerClass(report, spec);
  validateTraffic(report, spec);
}

function validateExternalName(report: FieldReport, spec: Values): void {
  const detail = 'may not be set for ExternalName services';
  for (const field of ['clusterIPs', 'ipFamilies'])
    if (countOf(spec[field]) > 0) report.forbidden(`spec.${field}`, detail);
  if (spec['ipFamilyPolicy'] !== undefined) report.forbidden('spec.ipFamilyPolicy', detail);
  const name = textOf(spec['externalName']).replace(/\.$/, '');
  report.namedRequired('spec.externalName', name, subdomain);
}

function validateServicePort(
  report: FieldReport,
  path: string,
  port: Values,
  isOneOfMany: boolean,
  names: Set<string>,
): void {
  const name = textOf(port['name']);
  if (isOneOfMany && !name) report.required(`${path}.name`);
  else if (name) {
    report.named(`${path}.name`, name, label);
    if (names.has(name)) report.duplicate(`${path}.name`, name);
    names.add(name);
  }
  report.port(`${path}.port`, port['port'] ?? 0);
  report.oneOfRequired(`${path}.protocol`, port['protocol'], PROTOCOLS);
  validatePort(report, `${path}.targetPort`, port['targetPort'] ?? 0);
  if (port['appProtocol'] !== undefined) report.named(`${path}.appProtocol`, port['appProtocol'], qualifiedName);
}

function validateAffinity(report: FieldReport, config: Values | undefined): void {
  const path = 'spec.sessionAffinityConfig';
  if (!config) return report.required(path, 'when session affinity type is ClientIP');
  const client = structOf(config['clientIP']);
  if (!client) return report.required(`${path}.clientIP`, 'when session affinity type is ClientIP');
  const seconds = client['timeoutSeconds'];
  if (seconds === undefined) {
    return report.required(`${path}.clientIP.timeoutSeconds`, 'when session affinity type is ClientIP');
  }
  if (Number(seconds) > 0 && Number(seconds) <= LONGEST_AFFINITY) return;
  const detail = `must be greater than 0 and less than ${LONGEST_AFFINITY}`;
  report.invalid(`${path}.clientIP.timeoutSeconds`, seconds, detail);
}

function validateUniquePorts(report: FieldReport, ports: readonly Values[], type: unknown): void {
  if (type === 'ClusterIP') {
    for (const [index, { nodePort }] of ports.entries()) {
      if (nodePort) report.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'");
    }
  }
  const [nodePorts, numbers] = [new Set<string>(), new Set<string>()];
  for (const [index, { nodePort, protocol }] of ports.entries()) {
    const key = `${textOf(protocol)}/${textOf(nodePort)}`;
    if (nodePort && nodePorts.has(key)) report.duplicate(`spec.ports[${index}].nodePort`, nodePort);
    nodePorts.add(key);
  }
  for (const [index, { port, protocol }] of ports.entries()) {
    const key = `${textOf(protocol)}/${textOf(port)}`;
    if (numbers.has(key)) {
      const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      report.duplicate(`spec.ports[${index}]`, shown);
    }
    numbers.add(key);
  }
}

function validateSourceRanges(report: FieldReport, spec: Values): void {
  const ranges = textsOf(spec['loadBalancerSourceRanges']);
  const path = 'spec.LoadBalancerSourceRanges';
  if (ranges.length > 0 && spec['type'] !== 'LoadBalancer') {
    report.forbidden(path, ONLY_BALANCERS);
  }
  for (const [index, range] of ranges.entries()) validateRange(report, `${path}[${index}]`, range.trim());
}

function validateBalancerClass(report: FieldReport, { type, loadBalancerClass }: Values): void {
  if (loadBalancerClass === undefined) return;
  if (type === 'LoadBalancer') report.named('spec.loadBalancerClass', loadBalancerClass, qualifiedName);
  else report.forbidden('spec.loadBalancerClass', ONLY_BALANCERS);
}

function validateTraffic(report: FieldReport, spec: Values): void {
  const { type, externalTrafficPolicy, healthCheckNodePort } = spec;
  const isOpen =
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && countOf(spec['externalIPs']) > 0);
  if (isOpen) report.oneOfRequired('spec.externalTrafficPolicy', externalTrafficPolicy, ['Cluster', 'Local']);
  else if (externalTrafficPolicy) report.invalid('spec.externalTrafficPolicy', externalTrafficPolicy, ONLY_EXTERNAL);
  if (healthCheckNodePort && !(type === 'LoadBalancer' && externalTrafficPolicy === 'Local')) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    report.invalid('spec.healthCheckNodePort', healthCheckNodePort, detail);
  }
  report.oneOfOptional('spec.internalTrafficPolicy', spec['internalTrafficPolicy'], ['Cluster', 'Local']);
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  report.oneOfOptional('spec.trafficDistribution', spec['trafficDistribution'], distributions);
}
