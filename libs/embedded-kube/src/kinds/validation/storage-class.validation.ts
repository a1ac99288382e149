import type { Draft, KubeObject } from '../../resources/kube-object.js';
import { qualifiedName } from '../../resources/name.rules.js';
import { countOf, type FieldReport, isSameContent, structOf, textOf } from './field.report.js';
import { validateUnchanged } from './workload.validation.js';

export function validateStorageClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  if (previous) {
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
      validateUnchanged(report, field, object[field], previous[field]);
    }
    return;
  }
  validateProvisioner(report, 'provisioner', object['provisioner']);
  validateParameters(report, object['parameters'], true);
  report.oneOf('reclaimPolicy', object['reclaimPolicy'], ['Delete', 'Retain']);
  report.oneOf('volumeBindingMode', object['volumeBindingMode'], ['Immediate', 'WaitForFirstConsumer']);
}

/** The class of attributes of volumes: only its metadata changes. */
export function validateAttributesClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  if (previous && object['driverName'] !== previous['driverName']) {
    report.forbidden('driverName', 'updates to driverName are forbidden.');
  }
  if (previous && !isSameContent(object['parameters'] ?? {}, previous['parameters'] ?? {})) {
    report.forbidden('parameters', 'updates to parameters are forbidden.');
  }
  validateProvisioner(report, 'driverName', object['driverName']);
  validateParameters(report, object['parameters'], false);
}

function validateProvisioner(report: FieldReport, path: string, value: unknown): void {
  const name = textOf(value);
  if (!name) return report.required(path);
  for (const problem of qualifiedName(name.toLowerCase())) report.invalid(path, name, problem);
}

function validateParameters(report: FieldReport, value: unknown, mayBeEmpty: boolean): void {
  for (const key of Object.keys(structOf(value) ?? {})) {
    if (!key) report.invalid('parameters', key, 'field can not be empty.');
  }
  if (!mayBeEmpty && countOf(value) === 0) report.required('parameters', 'must contain at least one key/value pair');
}
