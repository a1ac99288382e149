import { limited } from '../cell.format.js';
import { canonicalQuantity } from '../../resources/quantity.js';
import type { Loose } from '../table.types.js';

/** Returns the metrics of an autoscaler as `cpu: 40%/80%`: the current values and what is aimed at. */
export function scalingTargets({ spec = {}, status = {} }: Loose): string {
  // Version 1 has one metric, in separate fields.
  if (!spec.metrics && spec.targetCPUUtilizationPercentage !== undefined) {
    const current = status.currentCPUUtilizationPercentage;
    return `cpu: ${current === undefined ? '<unknown>' : `${current}%`}/${spec.targetCPUUtilizationPercentage}%`;
  }
  const metrics: Loose[] = spec.metrics ?? [];
  if (!metrics.length) return '<none>';
  const targets = metrics.map((metric, index) => targetText(metric, status.currentMetrics?.[index] ?? {}));
  return limited(targets, 2, ', ');
}

function targetText(metric: Loose, current: Loose): string {
  switch (metric.type) {
    case 'External':
      return valueText(metric.external.target, current.external?.current);
    case 'Object':
      return valueText(metric.object.target, current.object?.current);
    case 'Pods':
      return `${quantity(current.pods?.current?.averageValue)}/${quantity(metric.pods.target.averageValue)}`;
    case 'Resource':
      return resourceText(metric.resource, current.resource?.current);
    case 'ContainerResource':
      return resourceText(metric.containerResource, current.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

function valueText(target: Loose, current: Loose | undefined): string {
  if (target.averageValue !== undefined)
    return `${quantity(current?.averageValue)}/${quantity(target.averageValue)} (avg)`;
  return `${quantity(current?.value)}/${quantity(target.value)}`;
}

function resourceText({ name, target }: Loose, current: Loose | undefined): string {
  if (target.averageValue !== undefined)
    return `${name}: ${quantity(current?.averageValue)}/${quantity(target.averageValue)}`;
  const percent = (value: unknown, absent: string): string => (value === undefined ? absent : `${String(value)}%`);
  return `${name}: ${percent(current?.averageUtilization, '<unknown>')}/${percent(target.averageUtilization, '<auto>')}`;
}

function quantity(value: unknown): string {
  return value === undefined ? '<unknown>' : canonicalQuantity(value);
}
