import type { Draft, KubeObject } from '../../resources/kube-object.js';
import { labelValue, pathSegment, qualifiedName, subdomain } from '../../resources/name.rules.js';
import { countOf, type FieldReport, isSameContent, itemsOf, structOf, textOf, type Values } from './field.report.js';
import { validateLabelSelector } from './selector.validation.js';
import { dnsLabel, validateAddress } from './text.rules.js';
import { validateAtMostAll, validateShare, validateUnchanged } from './workload.validation.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const HIGHEST_PRIORITY = 1_000_000_000;

/** Taints of nodes; the real server names their path wrongly. */
export function validateNode(report: FieldReport, object: Draft): void {
  const taints = itemsOf(structOf(object['spec'])?.['taints']);
  const seen = new Set<string>();
  for (const [index, { key, value, effect }] of taints.entries()) {
    const path = `metadata.taints[${index}]`;
    report.named(`${path}.key`, key, qualifiedName);
    const problems = labelValue(textOf(value));
    if (problems.length > 0) report.invalid(`${path}.value`, value, problems.join(';'));
    report.oneOfRequired(`${path}.effect`, effect, EFFECTS);
    const id = `${textOf(key)}:${textOf(effect)}`;
    if (seen.has(id)) report.duplicate(path, { Key: key, Value: textOf(value), Effect: effect, TimeAdded: null });
    seen.add(id);
  }
}

export function validateEndpoints(report: FieldReport, object: Draft): void {
  for (const [index, subset] of itemsOf(object['subsets']).entries()) {
    const path = `subsets[${index}]`;
    const ports = itemsOf(subset['ports']);
    if (countOf(subset['addresses']) + countOf(subset['notReadyAddresses']) === 0) {
      report.required(path, 'must specify `addresses` or `notReadyAddresses`');
    }
    for (const field of ['addresses', 'notReadyAddresses']) {
      for (const [position, { ip, hostname, nodeName }] of itemsOf(subset[field]).entries()) {
        const at = `${path}.${field}[${position}]`;
        validateAddress(report, `${at}.ip`, ip);
        if (hostname) report.named(`${at}.hostname`, hostname, dnsLabel);
        if (nodeName !== undefined) report.named(`${at}.nodeName`, nodeName, subdomain);
      }
    }
    for (const [position, port] of ports.entries()) {
      const at = `${path}.ports[${position}]`;
      if (ports.length > 1 && !port['name']) report.required(`${at}.name`);
      else if (port['name']) report.named(`${at}.name`, port['name'], dnsLabel);
      report.port(`${at}.port`, port['port'] ?? 0);
      report.oneOfRequired(`${at}.protocol`, port['protocol'], PROTOCOLS);
      if (port['appProtocol'] !== undefined) report.named(`${at}.appProtocol`, port['appProtocol'], qualifiedName);
    }
  }
}

export function validateDisruptionBudget(report: FieldReport, spec: Values): void {
  for (const field of ['minAvailable', 'maxUnavailable']) {
    if (spec[field] === undefined) continue;
    validateShare(report, `spec.${field}`, spec[field]);
    validateAtMostAll(report, `spec.${field}`, spec[field]);
  }
  if (spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined) {
    report.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set');
  }
  validateLabelSelector(report, 'spec.selector', spec['selector']);
  const policies = ['AlwaysAllow', 'IfHealthyBudget'];
  report.oneOfOptional('spec.unhealthyPodEvictionPolicy', spec['unhealthyPodEvictionPolicy'], policies);
}

export function validatePriorityClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const value = object['value'] ?? 0;
  if (previous) {
    if (value !== (previous['value'] ?? 0)) report.forbidden('value', 'may not be changed in an update.');
    return validateUnchanged(report, 'preemptionPolicy', object['preemptionPolicy'], previous['preemptionPolicy']);
  }
  const isSystem = object.metadata.name?.startsWith('system-') === true;
  if (isSystem) {
    const rule = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    report.forbidden('metadata.name', `${rule}${object.metadata.name} is not a known system priority class`);
  } else if (Number(value) > HIGHEST_PRIORITY) {
    report.forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`);
  }
  report.oneOfOptional('preemptionPolicy', object['preemptionPolicy'], ['PreemptLowerPriority', 'Never']);
}

export function validateLease(report: FieldReport, spec: Values): void {
  const { leaseDurationSeconds, leaseTransitions, preferredHolder, strategy } = spec;
  if (leaseDurationSeconds !== undefined && Number(leaseDurationSeconds) <= 0) {
    report.invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0');
  }
  report.nonNegative('spec.leaseTransitions', leaseTransitions);
  if (preferredHolder && !strategy)
    report.forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined');
}

export function validateAutoscaler(report: FieldReport, spec: Values): void {
  const { minReplicas, maxReplicas = 0 } = spec;
  if (minReplicas !== undefined && Number(minReplicas) < 1) {
    report.invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1');
  }
  if (maxReplicas === 0) report.required('spec.maxReplicas', 'must be set and greater than 0');
  else if (Number(maxReplicas) < 0)
    report.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1');
  if (minReplicas !== undefined && Number(maxReplicas) < Number(minReplicas)) {
    report.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`');
  }
  const { kind, name, apiVersion } = structOf(spec['scaleTargetRef']) ?? {};
  report.namedRequired('spec.scaleTargetRef.kind', kind, pathSegment);
  report.namedRequired('spec.scaleTargetRef.name', name, pathSegment);
  if (!apiVersion) report.invalid('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group');
}

export function validateRuntimeClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  if (previous) return validateUnchanged(report, 'handler', object['handler'] ?? '', previous['handler'] ?? '');
  report.namedRequired('handler', object['handler'], dnsLabel);
}

/** The spec of an attachment of a volume never changes. */
export function validateAttachment(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  const source = structOf(spec['source']) ?? {};
  validateDriver(report, 'spec.attacher', spec['attacher']);
  const { inlineVolumeSpec, persistentVolumeName } = source;
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) report.required('spec.source', detail);
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined)
    report.forbidden('spec.source', detail);
  else if (persistentVolumeName === '') {
    report.required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName');
  }
  report.named('spec.nodeName', spec['nodeName'] ?? '', subdomain);
  if (previous && !isSameContent(spec, previous['spec'])) report.invalid('spec', spec, 'field is immutable');
}

function validateDriver(report: FieldReport, path: string, value: unknown): void {
  const name = textOf(value);
  if (!name) return report.required(path);
  report.named(path, name.toLowerCase(), subdomain);
}
