import { label, subdomain } from '../../../resources/name.rules.js';
import { compareQuantities } from '../../../resources/quantity.js';
import { validateClaimSpec } from '../storage/claim.validation.js';
import { validateFieldRef, validateResourceFieldRef } from './env.validation.js';
import { type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateIscsi } from '../storage/network-volume.validation.js';
import { validateLabelSelector, validateLabels } from '../selector.validation.js';
import { validateInnerPath } from '../text.rules.js';
import {
  requiring,
  SHARED_SOURCES,
  type SourceRule,
  validateDriverName,
  validateSecretNames,
  validateStorageOs,
} from '../storage/volume-source.rules.js';

const DOWNWARD_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const SHORTEST_TOKEN = 600;

/** The kinds of volumes in the order in which they are looked at, with what they require. */
const SOURCES: readonly (readonly [string, SourceRule])[] = [
  ['emptyDir', () => undefined],
  ['hostPath', SHARED_SOURCES.hostPath],
  ['gitRepo', requiring('repository')],
  ['gcePersistentDisk', SHARED_SOURCES.gcePersistentDisk],
  ['awsElasticBlockStore', SHARED_SOURCES.awsElasticBlockStore],
  ['secret', (report, path, source) => validateKeys(report, path, source, 'secretName')],
  ['nfs', SHARED_SOURCES.nfs],
  ['iscsi', (report, path, source) => validateIscsi(report, path, source)],
  ['glusterfs', requiring('endpoints', 'path')],
  ['flocker', SHARED_SOURCES.flocker],
  ['persistentVolumeClaim', requiring('claimName')],
  ['rbd', SHARED_SOURCES.rbd],
  [
    'cinder',
    (report, path, source) => {
      requiring('volumeID')(report, path, source);
      validateSecretNames(report, `${path}.secretRef`, source['secretRef'], false);
    },
  ],
  ['cephfs', requiring('monitors')],
  ['quobyte', SHARED_SOURCES.quobyte],
  ['downwardAPI', validateDownward],
  ['fc', SHARED_SOURCES.fc],
  ['flexVolume', requiring('driver')],
  ['configMap', (report, path, source) => validateKeys(report, path, source, 'name')],
  ['azureFile', requiring('secretName', 'shareName')],
  ['vsphereVolume', SHARED_SOURCES.vsphereVolume],
  ['photonPersistentDisk', SHARED_SOURCES.photonPersistentDisk],
  ['portworxVolume', SHARED_SOURCES.portworxVolume],
  ['azureDisk', SHARED_SOURCES.azureDisk],
  ['storageos', (report, path, source) => validateStorageOs(report, path, source, false)],
  ['projected', validateProjected],
  ['scaleIO', SHARED_SOURCES.scaleIO],
  ['csi', validateCsi],
  ['ephemeral', validateEphemeral],
  [
    'image',
    (report, path, source) => {
      report.oneOfRequired(`${path}.pullPolicy`, source['pullPolicy'], ['Always', 'IfNotPresent', 'Never']);
    },
  ],
];
/** The names by which messages call fields, where they differ. */
const CALLED: Readonly<Record<string, string>> = { downwardAPI: 'downwarAPI', cephfs: 'cephFS' };

/** Checks the volumes of a pod. @returns those that are valid, by their names */
export function validateVolumes(report: FieldReport, path: string, list: unknown): ReadonlyMap<string, Values> {
  const valid = new Map<string, Values>();
  for (const [index, volume] of itemsOf(list).entries()) {
    const at = `${path}[${index}]`;
    const found = report.errors.length;
    validateSource(report, at, volume);
    const name = textOf(volume['name']);
    report.namedRequired(`${at}.name`, name, label);
    if (valid.has(name)) report.duplicate(`${at}.name`, name);
    if (report.errors.length === found) valid.set(name, volume);
  }
  return valid;
}

function validateSource(report: FieldReport, path: string, volume: Values): void {
  const given = SOURCES.filter(([field]) => structOf(volume[field]));
  const { sizeLimit } = structOf(volume['emptyDir']) ?? {};
  if (sizeLimit !== undefined && compareQuantities(sizeLimit, '0') < 0) {
    report.forbidden(`${path}.emptyDir.sizeLimit`, 'SizeLimit field must be a valid resource quantity');
  }
  for (const [index, [field, rule]] of given.entries()) {
    if (index === 0) rule(report, `${path}.${field}`, volume[field] as Values);
    else report.forbidden(`${path}.${CALLED[field] ?? field}`, 'may not specify more than 1 volume type');
  }
  if (given.length === 0) report.required(path, 'must specify a volume type');
}

function validateKeys(report: FieldReport, path: string, source: Values, nameField: string): void {
  report.requiredText(`${path}.${nameField}`, source[nameField]);
  report.fileMode(`${path}.defaultMode`, source['defaultMode']);
  for (const [index, item] of itemsOf(source['items']).entries())
    validateKeyPath(report, `${path}.items[${index}]`, item);
}

function validateKeyPath(report: FieldReport, path: string, { key, path: target, mode }: Values): void {
  report.requiredText(`${path}.key`, key);
  report.requiredText(`${path}.path`, target);
  validateInnerPath(report, `${path}.path`, target, true);
  report.fileMode(`${path}.mode`, mode);
}

function validateDownward(report: FieldReport, path: string, source: Values): void {
  report.fileMode(`${path}.defaultMode`, source['defaultMode']);
  for (const item of itemsOf(source['items'])) validateDownwardFile(report, path, item);
}

function validateDownwardFile(report: FieldReport, path: string, file: Values): void {
  report.requiredText(`${path}.path`, file['path']);
  validateInnerPath(report, `${path}.path`, file['path'], true);
  const [fieldRef, resourceFieldRef] = [structOf(file['fieldRef']), structOf(file['resourceFieldRef'])];
  if (fieldRef) {
    validateFieldRef(report, `${path}.fieldRef`, fieldRef, DOWNWARD_FIELDS);
    if (resourceFieldRef) {
      report.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    }
  } else if (resourceFieldRef) validateResourceFieldRef(report, `${path}.resourceFieldRef`, resourceFieldRef, true);
  else report.required(path, 'one of fieldRef and resourceFieldRef is required');
  report.fileMode(`${path}.mode`, file['mode']);
}

function validateProjected(report: FieldReport, path: string, source: Values): void {
  report.fileMode(`${path}.defaultMode`, source['defaultMode']);
  const paths = new Set<string>();
  for (const [index, each] of itemsOf(source['sources']).entries()) {
    validateProjection(report, path, `${path}.sources[${index}]`, each, paths);
  }
}

function validateProjection(report: FieldReport, path: string, at: string, source: Values, paths: Set<string>): void {
  const claim = (target: unknown, value: unknown): void => {
    const text = textOf(target);
    if (text && paths.has(text)) report.invalid(path, value, 'conflicting duplicate paths');
    paths.add(text);
  };
  for (const field of ['secret', 'configMap']) {
    const projection = structOf(source[field]);
    if (!projection) continue;
    report.requiredText(`${at}.${field}.name`, projection['name']);
    for (const [index, item] of itemsOf(projection['items']).entries()) {
      validateKeyPath(report, `${at}.${field}.items[${index}]`, item);
      claim(item['path'], textOf(projection['name']));
    }
  }
  for (const file of itemsOf(structOf(source['downwardAPI'])?.['items'])) {
    validateDownwardFile(report, `${at}.downwardAPI`, file);
    claim(file['path'], file['path']);
  }
  const token = structOf(source['serviceAccountToken']);
  if (token) validateToken(report, path, at, token);
  const bundle = structOf(source['clusterTrustBundle']);
  if (bundle) validateBundle(report, `${at}.clusterTrustBundle`, bundle);
  const given = Object.values(source).filter(structOf).length;
  if (given > 1) report.forbidden(at, 'may not specify more than 1 volume type per source');
}

function validateToken(
  report: FieldReport,
  path: string,
  at: string,
  { expirationSeconds, path: target }: Values,
): void {
  const field = `${at}.serviceAccountToken.expirationSeconds`;
  if (Number(expirationSeconds) < SHORTEST_TOKEN) {
    report.invalid(field, expirationSeconds, 'may not specify a duration less than 10 minutes');
  }
  if (Number(expirationSeconds) > 2 ** 32) {
    report.invalid(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  }
  if (report.requiredText(`${path}.path`, target)) validateInnerPath(report, `${path}.path`, target, true);
}

function validateBundle(report: FieldReport, path: string, bundle: Values): void {
  const { name, signerName } = bundle;
  if (name !== undefined && signerName !== undefined) {
    report.invalid(path, bundle, 'only one of name and signerName may be used');
  } else if (name !== undefined) {
    report.requiredText(`${path}.name`, name, 'must be a valid object name');
    for (const problem of subdomain(textOf(name))) {
      report.invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${problem}`);
    }
  } else if (signerName !== undefined) {
    report.requiredText(`${path}.signerName`, signerName, 'must be a valid signer name');
    validateLabelSelector(report, `${path}.labelSelector`, bundle['labelSelector']);
  } else report.required(path, 'either name or signerName must be specified');
  report.requiredText(`${path}.path`, bundle['path']);
  validateInnerPath(report, `${path}.path`, bundle['path'], true);
}

function validateCsi(report: FieldReport, path: string, source: Values): void {
  validateDriverName(report, `${path}.driver`, source['driver']);
  const reference = structOf(source['nodePublishSecretRef']);
  if (!reference) return;
  if (report.requiredText(`${path}.nodePublishSecretRef.name`, reference['name'])) {
    report.named(`${path}.name`, reference['name'], subdomain);
  }
}

function validateEphemeral(report: FieldReport, path: string, source: Values): void {
  const template = structOf(source['volumeClaimTemplate']);
  if (!template) return report.required(`${path}.volumeClaimTemplate`);
  const metadata = structOf(template['metadata']) ?? {};
  validateLabels(report, `${path}.volumeClaimTemplate.metadata.labels`, metadata['labels']);
  validateClaimSpec(report, `${path}.volumeClaimTemplate.spec`, structOf(template['spec']) ?? {});
}
