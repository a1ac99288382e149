import { label, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { type FieldReport, structOf, textOf, type Values } from '../field.report.js';
import { configKey, envName, validateNoBacksteps } from '../text.rules.js';

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const CONVERTIBLE = new Set([...ENV_FIELDS, 'metadata.annotations', 'metadata.labels']);

/** Checks the environment variables of a container. */
export function validateEnv(report: FieldReport, path: string, variables: readonly Values[]): void {
  for (const [index, { name, value, valueFrom }] of variables.entries()) {
    const at = `${path}[${index}]`;
    report.namedRequired(`${at}.name`, name, envName);
    const source = structOf(valueFrom);
    if (source) validateSource(report, `${at}.valueFrom`, source, value);
  }
}

function validateSource(report: FieldReport, path: string, source: Values, value: unknown): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  const given = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(structOf).length;
  if (structOf(fieldRef)) validateFieldRef(report, `${path}.fieldRef`, fieldRef as Values, ENV_FIELDS);
  if (structOf(resourceFieldRef)) {
    validateResourceFieldRef(report, `${path}.resourceFieldRef`, resourceFieldRef as Values, false);
  }
  for (const [field, reference] of [
    ['configMapKeyRef', configMapKeyRef],
    ['secretKeyRef', secretKeyRef],
  ] as const) {
    const { name, key } = structOf(reference) ?? {};
    if (!structOf(reference)) continue;
    report.named(`${path}.${field}.name`, name, subdomain);
    report.namedRequired(`${path}.${field}.key`, key, configKey);
  }
  const file = structOf(fileKeyRef);
  if (file) {
    report.namedRequired(`${path}.fileKeyRef.key`, file['key'], envName);
    report.namedRequired(`${path}.fileKeyRef.volumeName`, file['volumeName'], label);
    if (report.requiredText(`${path}.fileKeyRef.path`, file['path'])) {
      validateNoBacksteps(report, `${path}.fileKeyRef.path`, textOf(file['path']));
    }
  }
  if (given === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    report.invalid(path, '', detail);
  } else if (value) report.invalid(path, '', 'may not be specified when `value` is not empty');
  else if (given > 1) report.invalid(path, '', 'may not have more than one field specified at a time');
}

/** Checks a reference to a field of the pod; with a key for one label or annotation. */
export function validateFieldRef(
  report: FieldReport,
  path: string,
  reference: Values,
  supported: readonly string[],
): void {
  if (!report.requiredText(`${path}.apiVersion`, reference['apiVersion'])) return;
  if (!report.requiredText(`${path}.fieldPath`, reference['fieldPath'])) return;
  const fieldPath = textOf(reference['fieldPath']);
  const [, base, key] = /^(.*)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (reference['apiVersion'] !== 'v1' || !CONVERTIBLE.has(base ?? fieldPath)) {
    const version = textOf(reference['apiVersion']);
    const problem =
      version === 'v1' ? `field label not supported: ${fieldPath}` : `unsupported pod version: ${version}`;
    return report.invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`);
  }
  if (base === 'metadata.annotations') report.named(path, key?.toLowerCase(), qualifiedName);
  else if (base === 'metadata.labels') report.named(path, key, qualifiedName);
  else if (base !== undefined) report.invalid(path, base, 'does not support subscript');
  else report.oneOf(`${path}.fieldPath`, fieldPath, supported);
}

/** Checks a reference to limits and requests of a container. */
export function validateResourceFieldRef(
  report: FieldReport,
  path: string,
  reference: Values,
  ofVolume: boolean,
): void {
  const { containerName, resource } = reference;
  const name = textOf(resource);
  if (ofVolume && !containerName) report.required(`${path}.containerName`);
  else if (!name) report.required(`${path}.resource`);
  else if (!/^(limits|requests)\.hugepages-/.test(name)) report.oneOf(`${path}.resource`, name, RESOURCE_FIELDS);
}

/** Checks the config maps and secrets whose keys become environment variables. */
export function validateEnvFrom(report: FieldReport, path: string, sources: readonly Values[]): void {
  for (const [index, source] of sources.entries()) {
    if (source['prefix']) report.named(`${path}[${index}].prefix`, source['prefix'], envName);
    const given = ['configMapRef', 'secretRef'].filter((field) => structOf(source[field]));
    for (const field of given) {
      report.namedRequired(`${path}[${index}].${field}.name`, structOf(source[field])?.['name'], subdomain);
    }
    if (given.length === 0) report.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`');
    else if (given.length > 1) report.invalid(path, '', 'may not have more than one field specified at a time');
  }
}
