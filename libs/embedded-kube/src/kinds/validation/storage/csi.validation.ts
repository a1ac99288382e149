// Drivers of storage, what nodes have of them, their capacity, and attached volumes.
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { type FieldReport, isSameContent, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateVolumeSpec } from './persistent-volume.validation.js';
import { validateQuantity } from '../resource.validation.js';
import { validateLabelSelector } from '../selector.validation.js';
import { validateDriverName } from './volume-source.rules.js';

const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLES = ['Persistent', 'Ephemeral'];
const SHORTEST_TOKEN = 600;
const LONGEST_NODE_ID = 256;

export function validateCsiDriver(report: FieldReport, spec: Values, old: Values | undefined): void {
  report.oneOfOptional('spec.fsGroupPolicy', spec['fsGroupPolicy'], GROUP_POLICIES);
  validateTokenRequests(report, 'spec.tokenRequests', itemsOf(spec['tokenRequests']));
  for (const mode of textsOf(spec['volumeLifecycleModes'])) {
    report.oneOf('spec.volumeLifecycleModes', mode, LIFECYCLES);
  }
  const period = spec['nodeAllocatableUpdatePeriodSeconds'];
  if (period !== undefined && Number(period) < 10) {
    report.invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, 'must be greater than or equal to 10 seconds');
  }
  const inSecrets = spec['serviceAccountTokenInSecrets'];
  if (inSecrets !== undefined && itemsOf(spec['tokenRequests']).length === 0) {
    const rule = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    report.invalid('spec.serviceAccountTokenInSecrets', inSecrets, rule);
  }
  if (!old) return;
  report.unchanged('spec.attachedRequired', spec['attachRequired'], old['attachRequired']);
  report.unchanged('spec.volumeLifecycleModes', spec['volumeLifecycleModes'], old['volumeLifecycleModes']);
}

function validateTokenRequests(report: FieldReport, path: string, requests: readonly Values[]): void {
  const audiences = new Set<string>();
  for (const [index, { audience, expirationSeconds }] of requests.entries()) {
    const name = textOf(audience);
    if (audiences.has(name)) {
      report.duplicate(`${path}[${index}].audience`, name);
      continue;
    }
    audiences.add(name);
    const at = `${path}[${index}].expirationSeconds`;
    if (Number(expirationSeconds) < SHORTEST_TOKEN) {
      report.invalid(at, expirationSeconds, 'may not specify a duration less than 10 minutes');
    }
    if (Number(expirationSeconds) > 2 ** 32) {
      report.invalid(at, expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
    }
  }
}

export function validateCsiNode(report: FieldReport, spec: Values, old: Values | undefined): void {
  const drivers = itemsOf(spec['drivers']);
  const names = new Set<string>();
  for (const [index, driver] of drivers.entries()) {
    const at = `spec.drivers[${index}]`;
    const name = textOf(driver['name']);
    validateDriverName(report, `${at}.name`, name);
    const id = textOf(driver['nodeID']);
    report.requiredText(`${at}.nodeID`, id);
    if (Buffer.byteLength(id) > LONGEST_NODE_ID) {
      report.invalid(`${at}.nodeID`, id, `must be ${LONGEST_NODE_ID} characters or less`);
    }
    report.nonNegative(`${at}.allocatable.count`, structOf(driver['allocatable'])?.['count']);
    if (names.has(name)) report.duplicate(`${at}.name`, name);
    names.add(name);
    validateTopologyKeys(report, at, textsOf(driver['topologyKeys']));
  }
  const before = itemsOf(old?.['drivers']);
  for (const each of before) {
    for (const driver of drivers.filter(({ name }) => textOf(name) === textOf(each['name']))) {
      const [next, previous] = [driver, each].map((value) => ({ ...value, allocatable: undefined }));
      report.unchanged('spec.drivers', next, previous);
    }
  }
}

function validateTopologyKeys(report: FieldReport, path: string, keys: readonly string[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (!key) report.required(path);
    if (seen.has(key)) report.duplicate(path, key);
    seen.add(key);
    report.named(path, key, qualifiedName);
  }
}

/** Checks the capacity of a class of storage in a part of the cluster. */
export function validateStorageCapacity(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const { nodeTopology, storageClassName, capacity } = object;
  validateLabelSelector(report, 'nodeTopology', nodeTopology);
  report.named('storageClassName', storageClassName, subdomain);
  if (capacity !== undefined) validateQuantity(report, 'capacity', capacity);
  if (!previous) return;
  // A topology of all nodes is not the same as none.
  const isOther = (nodeTopology === undefined) !== (previous['nodeTopology'] === undefined);
  if (isOther) report.invalid('nodeTopology', nodeTopology, 'field is immutable');
  else report.unchanged('nodeTopology', nodeTopology, previous['nodeTopology']);
  report.unchanged('storageClassName', storageClassName ?? '', previous['storageClassName'] ?? '');
}

/** Checks an attachment of a volume, the spec of which never changes. */
export function validateAttachment(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  const source = structOf(spec['source']) ?? {};
  validateDriverName(report, 'spec.attacher', spec['attacher']);
  const { persistentVolumeName } = source;
  const inline = structOf(source['inlineVolumeSpec']);
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inline && persistentVolumeName === undefined) report.required('spec.source', detail);
  else if (inline && persistentVolumeName !== undefined) report.forbidden('spec.source', detail);
  else if (persistentVolumeName === '') {
    report.required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName');
  } else if (inline) validateVolumeSpec(report, 'spec.source.inlineVolumeSpec', inline, true);
  report.named('spec.nodeName', spec['nodeName'], subdomain);
  if (persistentVolumeName !== undefined) {
    report.named('spec.source.persistentVolumeName', persistentVolumeName, subdomain);
  }
  if (previous && !isSameContent(spec, previous['spec'])) report.invalid('spec', spec, 'field is immutable');
}
