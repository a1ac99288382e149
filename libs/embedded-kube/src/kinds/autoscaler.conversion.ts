import { mapping } from '../common/json.values.js';
import type { KubeObject } from '../resources/kube-object.js';

type Values = Readonly<Record<string, unknown>>;

/** The annotations in which `autoscaling/v1` keeps what it has no fields for. */
const KEPT = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

/** Converts an autoscaler of `autoscaling/v2` to `autoscaling/v1`, which has a field only for the utilization of CPUs. */
export function toFirstAutoscaler({ metadata, spec, status, ...rest }: KubeObject): KubeObject {
  const { metrics, behavior, ...others } = mapping(spec);
  const { currentMetrics, conditions, ...current } = mapping(status);
  const [cpu, remaining] = split(metrics, 'target');
  const [usage, measured] = split(currentMetrics, 'current');
  const kept = { metrics: remaining, behavior, currentMetrics: measured, conditions };
  return {
    ...rest,
    metadata: withAnnotations(metadata, kept),
    spec: { ...others, ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }) },
    status: { currentReplicas: 0, ...current, ...(usage !== undefined && { currentCPUUtilizationPercentage: usage }) },
  };
}

/** Converts an autoscaler of `autoscaling/v1` to `autoscaling/v2`. */
export function toSecondAutoscaler({ metadata, spec, status, ...rest }: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: cpu, ...others } = mapping(spec);
  const { currentCPUUtilizationPercentage: usage, ...current } = mapping(status);
  const annotations = { ...metadata.annotations };
  const take = (name: string): unknown => {
    const text = annotations[name];
    delete annotations[name];
    return parsed(text);
  };
  const metrics = [...list(take(KEPT.metrics)), ...utilization(cpu, 'target')];
  const behavior = take(KEPT.behavior);
  const measured = [...list(take(KEPT.currentMetrics)), ...utilization(usage, 'current')];
  const conditions = take(KEPT.conditions);
  const { annotations: _, ...head } = metadata;
  return {
    ...rest,
    metadata: { ...head, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: { ...others, ...(metrics.length > 0 && { metrics }), ...(behavior !== undefined && { behavior }) },
    status: {
      ...current,
      currentMetrics: measured.length > 0 ? measured : null,
      ...(conditions !== undefined && { conditions }),
    },
  };
}

/** Takes the utilization of CPUs out of a list of metrics. */
function split(metrics: unknown, field: 'target' | 'current'): [unknown, unknown[] | undefined] {
  const isCpu = (metric: unknown): boolean => {
    const { type, resource } = mapping(metric);
    const { name, [field]: value } = mapping(resource);
    return type === 'Resource' && name === 'cpu' && mapping(value)['averageUtilization'] !== undefined;
  };
  const all = list(metrics);
  const rest = all.filter((metric) => !isCpu(metric));
  const found = all.find(isCpu);
  const value = mapping(mapping(mapping(found)['resource'])[field])['averageUtilization'];
  return [value, rest.length > 0 ? rest : undefined];
}

function utilization(percentage: unknown, field: 'target' | 'current'): Values[] {
  if (percentage === undefined) return [];
  const value = { ...(field === 'target' && { type: 'Utilization' }), averageUtilization: percentage };
  return [{ type: 'Resource', resource: { name: 'cpu', [field]: value } }];
}

function withAnnotations(metadata: KubeObject['metadata'], kept: Values): KubeObject['metadata'] {
  const added = Object.entries(kept).filter(([, value]) => value !== undefined && value !== null);
  if (added.length === 0) return metadata;
  const annotations = added.map(([name, value]) => [KEPT[name as keyof typeof KEPT], JSON.stringify(value)]);
  return { ...metadata, annotations: { ...metadata.annotations, ...Object.fromEntries(annotations) } };
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Parses an annotation, which users may have written: returns `undefined` for a text that is no JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
