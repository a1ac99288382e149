import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { qualifiedName } from '../../../resources/name.rules.js';
import {
  countOf,
  type FieldReport,
  isSameContent,
  itemsOf,
  structOf,
  textOf,
  textsOf,
  type Values,
} from '../field.report.js';

const MOST_PARAMETERS = 512;
const MOST_BYTES = 256 * 1024;

export function validateStorageClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  validateProvisioner(report, 'provisioner', object['provisioner']);
  validateParameters(report, object['parameters'], true);
  report.oneOf('reclaimPolicy', object['reclaimPolicy'], ['Delete', 'Retain']);
  report.oneOf('volumeBindingMode', object['volumeBindingMode'], ['Immediate', 'WaitForFirstConsumer']);
  validateTopologies(report, 'allowedTopologies', itemsOf(object['allowedTopologies']));
  if (!previous) return;
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
    report.unchanged(field, object[field], previous[field]);
  }
}

/** Checks the parts of the cluster in which volumes of a class may lie. */
function validateTopologies(report: FieldReport, path: string, terms: readonly Values[]): void {
  // The real server compares each term with as many empty ones, too, and reports an empty term as often.
  const seen: ReadonlyMap<string, string>[] = terms.map(() => new Map());
  for (const [index, term] of terms.entries()) {
    const keys = new Map<string, string>();
    for (const [position, requirement] of itemsOf(term['matchLabelExpressions']).entries()) {
      const at = `${path}[${index}].matchLabelExpressions[${position}]`;
      const [key, values] = [textOf(requirement['key']), textsOf(requirement['values'])];
      if (values.length === 0) report.required(`${at}.values`);
      for (const [place, value] of values.entries()) {
        if (values.indexOf(value) < place) report.duplicate(`${at}.values[${place}]`, value);
      }
      report.named(`${at}.key`, key, qualifiedName);
      if (keys.has(key)) report.duplicate(`${at}.key`, key);
      keys.set(key, JSON.stringify([...new Set(values)].sort()));
    }
    for (const other of seen) {
      const isSame = other.size === keys.size && [...keys].every(([key, values]) => other.get(key) === values);
      if (isSame) report.duplicate(`${path}[${index}].matchLabelExpressions`, '');
    }
    seen.push(keys);
  }
}

/** Checks a class of attributes of volumes, of which only the metadata changes. */
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
  const entries = Object.entries(structOf(value) ?? {});
  if (entries.length > MOST_PARAMETERS) return report.tooLong('parameters', MOST_PARAMETERS);
  for (const [key] of entries) if (!key) report.invalid('parameters', key, 'field can not be empty.');
  const size = entries.reduce((sum, [key, text]) => sum + Buffer.byteLength(key + textOf(text)), 0);
  if (size > MOST_BYTES) report.tooLong('parameters', MOST_BYTES);
  if (!mayBeEmpty && countOf(value) === 0) report.required('parameters', 'must contain at least one key/value pair');
}
