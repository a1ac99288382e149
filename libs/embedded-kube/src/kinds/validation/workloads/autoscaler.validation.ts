import { label, pathSegment } from '../../../resources/name.rules.js';
import { compareQuantities } from '../../../resources/quantity.js';
import { type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateContainerResource, validateQuantity } from '../resource.validation.js';

const METRIC_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = new Set(['Utilization', 'Value', 'AverageValue']);
const LONGEST_WINDOW = 3600;
const LONGEST_PERIOD = 1800;
const RAW_OR_SHARE = 'target raw value and a target utilization';

/** The sources of metrics in the order in which they are looked at, with the types that go with them. */
const SOURCES: readonly (readonly [string, string, (report: FieldReport, path: string, source: Values) => void])[] = [
  [
    'object',
    'Object',
    (report, path, source) => {
      validateReference(report, `${path}.describedObject`, structOf(source['describedObject']) ?? {}, true);
      const target = validateMetric(report, path, source);
      if (target['value'] !== undefined || target['averageValue'] !== undefined) return;
      report.required(`${path}.target.averageValue`, 'must set either a target value or averageValue');
    },
  ],
  [
    'external',
    'External',
    (report, path, source) => {
      const { value, averageValue } = validateMetric(report, path, source);
      if (value === undefined && averageValue === undefined) {
        const rule = 'must set either a target value for metric or a per-pod target';
        report.required(`${path}.target.averageValue`, rule);
      } else if (value !== undefined && averageValue !== undefined) {
        const rule = 'may not set both a target value for metric and a per-pod target';
        report.forbidden(`${path}.target.value`, rule);
      }
    },
  ],
  [
    'pods',
    'Pods',
    (report, path, source) => {
      if (validateMetric(report, path, source)['averageValue'] !== undefined) return;
      report.required(`${path}.target.averageValue`, 'must specify a positive target averageValue');
    },
  ],
  [
    'resource',
    'Resource',
    (report, path, source) => {
      report.requiredText(`${path}.name`, source['name'], 'must specify a resource name');
      validateResourceTarget(report, `${path}.target`, structOf(source['target']) ?? {});
    },
  ],
  [
    'containerResource',
    'ContainerResource',
    (report, path, source) => {
      const { name, container } = source;
      if (report.requiredText(`${path}.name`, name, 'must specify a resource name')) {
        validateContainerResource(report, `${path}.name`, textOf(name));
      }
      if (report.requiredText(`${path}.container`, container, 'must specify a container')) {
        report.named(`${path}.container`, container, label);
      }
      validateResourceTarget(report, `${path}.target`, structOf(source['target']) ?? {});
    },
  ],
];

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
  validateReference(report, 'spec.scaleTargetRef', structOf(spec['scaleTargetRef']) ?? {}, false);
  const metrics = itemsOf(spec['metrics']);
  for (const [index, metric] of metrics.entries()) validateSource(report, `spec.metrics[${index}]`, metric);
  const scalesToZero = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (minReplicas === 0 && !scalesToZero) {
    const rule = 'must specify at least one Object or External metric to support scaling to zero replicas';
    report.forbidden('spec.metrics', rule);
  }
  const behavior = structOf(spec['behavior']);
  for (const field of ['scaleUp', 'scaleDown']) {
    const rules = structOf(behavior?.[field]);
    if (rules) validateScaling(report, `spec.behavior.${field}`, rules);
  }
}

function validateReference(report: FieldReport, path: string, reference: Values, mayBeCore: boolean): void {
  const { kind, name, apiVersion } = reference;
  report.namedRequired(`${path}.kind`, kind, pathSegment);
  report.namedRequired(`${path}.name`, name, pathSegment);
  const version = textOf(apiVersion);
  if (version.split('/').length > 2) {
    report.invalid(`${path}.apiVersion`, version, `unexpected GroupVersion string: ${version}`);
  } else if (!mayBeCore && !version.split('/').slice(0, -1).join('')) {
    report.invalid(`${path}.apiVersion`, version, 'apiVersion must specify API group');
  }
}

function validateSource(report: FieldReport, path: string, metric: Values): void {
  const type = textOf(metric['type']);
  if (!type) report.required(`${path}.type`, 'must specify a metric source type');
  report.oneOf(`${path}.type`, type, METRIC_TYPES);
  const given = SOURCES.filter(([field]) => structOf(metric[field]));
  const [first] = given;
  if (first) first[2](report, `${path}.${first[0]}`, metric[first[0]] as Values);
  const expected = SOURCES.find(([, each]) => each === type)?.[0];
  if (expected === undefined) report.oneOf(`${path}.type`, type, METRIC_TYPES);
  else if (!structOf(metric[expected])) {
    report.required(`${path}.${expected}`, 'must populate information for the given metric source');
  }
  if (given.length === 1) return;
  for (const [field] of given) {
    if (field !== expected) report.forbidden(`${path}.${field}`, 'must populate the given metric source only');
  }
}

/** @returns the target of the metric */
function validateMetric(report: FieldReport, path: string, source: Values): Values {
  const metric = structOf(source['metric']) ?? {};
  const target = structOf(source['target']) ?? {};
  if (report.requiredText(`${path}.metric.name`, metric['name'], 'must specify a metric name')) {
    report.named(`${path}.metric.name`, metric['name'], pathSegment);
  }
  validateTarget(report, `${path}.target`, target);
  return target;
}

function validateResourceTarget(report: FieldReport, path: string, target: Values): void {
  validateTarget(report, path, target);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    report.required(`${path}.averageUtilization`, 'must set either a target raw value or a target utilization');
  } else if (averageUtilization !== undefined && averageValue !== undefined) {
    report.forbidden(`${path}.averageValue`, `may not set both a ${RAW_OR_SHARE}`);
  }
}

function validateTarget(report: FieldReport, path: string, target: Values): void {
  const type = textOf(target['type']);
  if (!type) report.required(`${path}.type`, 'must specify a metric target type');
  if (!TARGET_TYPES.has(type)) {
    report.invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue');
  }
  for (const field of ['value', 'averageValue']) {
    const value = target[field];
    if (value !== undefined && compareQuantities(value, '0') <= 0) {
      report.invalid(`${path}.${field}`, value, 'must be positive');
    }
  }
  const share = target['averageUtilization'];
  if (share !== undefined && Number(share) < 1) {
    report.invalid(`${path}.averageUtilization`, share, 'must be greater than 0');
  }
}

function validateScaling(report: FieldReport, path: string, rules: Values): void {
  const { stabilizationWindowSeconds: window, tolerance } = rules;
  const at = `${path}.stabilizationWindowSeconds`;
  if (Number(window) < 0) report.invalid(at, window, 'must be greater than or equal to zero');
  if (Number(window) > LONGEST_WINDOW) {
    report.invalid(at, window, `must be less than or equal to ${LONGEST_WINDOW}`);
  }
  report.oneOfOptional(`${path}.selectPolicy`, rules['selectPolicy'], ['Disabled', 'Max', 'Min']);
  const policies = itemsOf(rules['policies']);
  if (policies.length === 0) report.required(`${path}.policies`, 'must specify at least one Policy');
  for (const [index, { type, value, periodSeconds: period = 0 }] of policies.entries()) {
    const policy = `${path}.policies[${index}]`;
    report.oneOf(`${policy}.type`, type, ['Percent', 'Pods']);
    report.positive(`${policy}.value`, value);
    report.positive(`${policy}.periodSeconds`, period);
    if (Number(period) > LONGEST_PERIOD) {
      report.invalid(`${policy}.periodSeconds`, period, `must be less than or equal to ${LONGEST_PERIOD}`);
    }
  }
  if (tolerance !== undefined) validateQuantity(report, `${path}.tolerance`, tolerance);
}
