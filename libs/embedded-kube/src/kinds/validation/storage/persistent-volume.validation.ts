import { posix } from 'node:path';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, subdomain } from '../../../resources/name.rules.js';
import { canonicalQuantity, compareQuantities } from '../../../resources/quantity.js';
import { unsupportedField } from '../../../errors/field.error.js';
import { ACCESS_MODES } from './claim.validation.js';
import { countOf, type FieldReport, isSameContent, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateIscsi } from './network-volume.validation.js';
import { validateNodeSelector } from '../selector.validation.js';
import { validateNoBacksteps } from '../text.rules.js';
import {
  requiring,
  SHARED_SOURCES,
  type SourceRule,
  validateDriverName,
  validateSecretNames,
  validateStorageOs,
} from './volume-source.rules.js';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const MODES = ['Block', 'Filesystem'];
const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];
const INLINE = 'in the context of inline volumes';

/** The kinds of volumes in the order in which they are looked at, with what they require. */
const SOURCES: readonly (readonly [string, SourceRule])[] = [
  ['hostPath', SHARED_SOURCES.hostPath],
  ['gcePersistentDisk', SHARED_SOURCES.gcePersistentDisk],
  ['awsElasticBlockStore', SHARED_SOURCES.awsElasticBlockStore],
  [
    'glusterfs',
    (report, path, source) => {
      requiring('endpoints', 'path')(report, path, source);
      const namespace = source['endpointsNamespace'];
      const at = `${path}.endpointsNamespace`;
      if (namespace === '')
        report.invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name');
      else if (namespace !== undefined) report.named(at, namespace, label);
    },
  ],
  ['flocker', SHARED_SOURCES.flocker],
  ['nfs', SHARED_SOURCES.nfs],
  ['rbd', SHARED_SOURCES.rbd],
  ['quobyte', SHARED_SOURCES.quobyte],
  ['cephfs', requiring('monitors')],
  ['iscsi', (report, path, source) => validateIscsi(report, path, source, '')],
  [
    'cinder',
    (report, path, source) => {
      requiring('volumeID')(report, path, source);
      validateSecretNames(report, `${path}.secretRef`, source['secretRef'], true);
    },
  ],
  ['fc', SHARED_SOURCES.fc],
  [
    'flexVolume',
    (report, path, source) => {
      requiring('driver')(report, path, source);
      for (const key of Object.keys(structOf(source['options']) ?? {})) {
        const domain = `.${key.split('/')[0]!.toLowerCase()}`;
        if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) continue;
        report.invalid(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved');
      }
    },
  ],
  [
    'azureFile',
    (report, path, source) => {
      requiring('secretName', 'shareName')(report, path, source);
      if (source['secretNamespace'] === '') report.required(`${path}.secretNamespace`);
    },
  ],
  ['vsphereVolume', SHARED_SOURCES.vsphereVolume],
  ['photonPersistentDisk', SHARED_SOURCES.photonPersistentDisk],
  ['portworxVolume', SHARED_SOURCES.portworxVolume],
  ['azureDisk', SHARED_SOURCES.azureDisk],
  ['scaleIO', SHARED_SOURCES.scaleIO],
  [
    'local',
    (report, path, source) => {
      if (report.requiredText(`${path}.path`, source['path']))
        validateNoBacksteps(report, `${path}.path`, textOf(source['path']));
    },
  ],
  ['storageos', (report, path, source) => validateStorageOs(report, path, source, true)],
  ['csi', validateCsi],
];
/** The names by which messages call fields, where they differ. */
const CALLED: Readonly<Record<string, string>> = { cephfs: 'cephFS' };

/** Checks a volume of the cluster, whose place never changes. */
export function validatePersistentVolume(report: FieldReport, spec: Values, old: Values | undefined): void {
  validateVolumeSpec(report, 'spec', spec, false);
  if (!old) return;
  // The real server checks all of it twice in an update, and lists each cause as often.
  report.errors.push(...report.errors);
  const [next, before] = [sourceOf(spec), sourceOf(old)];
  const [csi, oldCsi] = [structOf(next['csi']), structOf(before['csi'])];
  if (csi && oldCsi && oldCsi['controllerExpandSecretRef'] === undefined) {
    next['csi'] = { ...csi, controllerExpandSecretRef: undefined };
  }
  if (!isSameContent(next, before)) {
    report.forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation');
  }
  report.unchanged('volumeMode', spec['volumeMode'], old['volumeMode']);
  if (old['volumeAttributesClassName'] !== undefined && spec['volumeAttributesClassName'] === undefined) {
    report.forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden');
  }
}

/** Returns the first status of a volume; its phase changes at the time of the call. */
export function initialVolumeStatus({ metadata }: Draft | KubeObject): object {
  return { phase: 'Pending', lastPhaseTransitionTime: metadata.creationTimestamp };
}

/** @param inline whether the volume is part of an attachment */
export function validateVolumeSpec(report: FieldReport, path: string, spec: Values, inline: boolean): void {
  if (inline) {
    if (spec['claimRef'] !== undefined) report.forbidden(`${path}.claimRef`, `may not be specified ${INLINE}`);
    if (countOf(spec['capacity']) > 0) report.forbidden(`${path}.capacity`, `may not be specified ${INLINE}`);
    if (!structOf(spec['csi'])) report.required(`${path}.csi`, `has to be specified ${INLINE}`);
  }
  validateAccessModes(report, `${path}.accessModes`, textsOf(spec['accessModes']));
  if (!inline) validateCapacity(report, `${path}.capacity`, structOf(spec['capacity']));
  const policy = textOf(spec['persistentVolumeReclaimPolicy']);
  if (policy && !inline) report.oneOf(`${path}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES);
  else if (policy && policy !== 'Retain')
    report.forbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${INLINE}`);
  const affinity = structOf(spec['nodeAffinity']);
  if (affinity) validateVolumeAffinity(report, `${path}.nodeAffinity`, affinity, inline);
  validateSources(report, path, spec, affinity !== undefined && !inline);
  const host = structOf(spec['hostPath']);
  if (host && posix.normalize(textOf(host['path'])).replace(/(.)\/$/, '$1') === '/' && policy === 'Recycle') {
    const rule = "may not be 'recycle' for a hostPath mount of '/'";
    report.forbidden(`${path}.persistentVolumeReclaimPolicy`, rule);
  }
  validateClass(report, path, spec, inline);
}

function validateAccessModes(report: FieldReport, path: string, modes: readonly string[]): void {
  if (modes.length === 0) report.required(path);
  for (const mode of modes) report.oneOf(path, mode, ACCESS_MODES);
  const isShared = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (modes.includes('ReadWriteOncePod') && isShared) {
    report.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
  }
}

function validateCapacity(report: FieldReport, path: string, capacity: Values | undefined): void {
  const entries = Object.entries(capacity ?? {});
  if (entries.length === 0) report.required(path);
  if (capacity?.['storage'] === undefined || entries.length > 1) {
    report.errors.push(unsupportedField(path, capacity ?? null, ['storage']));
  }
  for (const [name, quantity] of entries) {
    const at = `${path}[${name}]`;
    if (compareQuantities(quantity, '0') < 0) {
      report.invalid(at, Math.ceil(compareQuantities(quantity, '0')), 'must be a valid resource quantity');
    }
    if (compareQuantities(quantity, '0') <= 0)
      report.invalid(at, canonicalQuantity(quantity), 'must be greater than zero');
  }
}

function validateVolumeAffinity(report: FieldReport, path: string, affinity: Values, inline: boolean): void {
  const required = structOf(affinity['required']);
  if (inline) report.forbidden(path, `may not be specified ${INLINE}`);
  else if (required) validateNodeSelector(report, `${path}.required`, required);
  else report.required(`${path}.required`, 'must specify required node constraints');
}

function validateSources(report: FieldReport, path: string, spec: Values, hasAffinity: boolean): void {
  let count = 0;
  for (const [field, rule] of SOURCES) {
    const source = structOf(spec[field]);
    if (!source) continue;
    count++;
    // The real server does not count these.
    if (count > 1 && field !== 'flexVolume') {
      report.forbidden(`${path}.${CALLED[field] ?? field}`, 'may not specify more than 1 volume type');
      continue;
    }
    rule(report, `${path}.${field}`, source);
    if (field === 'local' && !hasAffinity)
      report.required(`${path}.nodeAffinity`, 'Local volume requires node affinity');
  }
  if (count === 0) report.required(path, 'must specify a volume type');
}

function validateClass(report: FieldReport, path: string, spec: Values, inline: boolean): void {
  const { storageClassName, volumeMode, volumeAttributesClassName } = spec;
  if (storageClassName && inline) report.forbidden(`${path}.storageClassName`, `may not be specified ${INLINE}`);
  else if (storageClassName) report.named(`${path}.storageClassName`, storageClassName, subdomain);
  if (inline && volumeMode !== undefined && volumeMode !== 'Filesystem') {
    report.forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${INLINE}`);
  } else if (!inline) report.oneOfOptional(`${path}.volumeMode`, volumeMode, MODES);
  if (volumeAttributesClassName === undefined || inline) return;
  const at = `${path}.volumeAttributesClassName`;
  if (volumeAttributesClassName === '') report.required(at, 'an empty string is disallowed');
  else report.named(at, volumeAttributesClassName, subdomain);
  if (!structOf(spec['csi'])) {
    report.required(`${path}.csi`, 'has to be specified when using volumeAttributesClassName');
  }
}

function validateCsi(report: FieldReport, path: string, source: Values): void {
  validateDriverName(report, `${path}.driver`, source['driver']);
  report.requiredText(`${path}.volumeHandle`, source['volumeHandle']);
  for (const field of CSI_SECRETS) {
    const reference = structOf(source[field]);
    if (!reference) continue;
    report.namedRequired(`${path}.${field}.name`, reference['name'], subdomain);
    report.namedRequired(`${path}.${field}.namespace`, reference['namespace'], label);
  }
}

function sourceOf(spec: Values): Record<string, unknown> {
  return Object.fromEntries(SOURCES.map(([field]) => [field, spec[field]]));
}
