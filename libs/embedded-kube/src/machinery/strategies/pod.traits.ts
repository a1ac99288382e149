import { requiredField } from '../../errors/field.error.js';
import { type Draft, mapping } from '../draft.js';
import type { BuiltinTraits } from './builtin.traits.js';

const DEFAULT_GRACE_PERIOD = 30;
const FINISHED = new Set<unknown>(['Succeeded', 'Failed']);

export const POD_TRAITS: BuiltinTraits = {
  generation: true,
  returnsDeleted: true,
  initialStatus: { phase: 'Pending', qosClass: 'BestEffort' },
  defaults: (draft) => {
    draft['spec'] = {
      serviceAccountName: 'default',
      serviceAccount: 'default',
      ...defaultPodSpec(mapping(draft['spec'])),
      enableServiceLinks: true,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    };
  },
  validate: ({ spec }) => {
    const { containers } = mapping(spec);
    return Array.isArray(containers) && containers.length > 0 ? [] : [requiredField('spec.containers')];
  },
  gracePeriod: ({ spec, status }, requested) => {
    const { nodeName, terminationGracePeriodSeconds } = mapping(spec);
    // Nobody runs it, so nobody has to end it.
    if (!nodeName || FINISHED.has(mapping(status)['phase'])) return 0;
    return requested ?? (terminationGracePeriodSeconds as number | undefined) ?? DEFAULT_GRACE_PERIOD;
  },
};

/** Sets the defaults of the pods that a workload makes. */
export function defaultTemplate(draft: Draft): void {
  const spec = mapping(draft['spec']);
  const template = mapping(spec['template']);
  draft['spec'] = { ...spec, template: { ...template, spec: defaultPodSpec(mapping(template['spec'])) } };
}

function defaultPodSpec(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    ...spec,
    ...(Array.isArray(spec['containers']) && { containers: spec['containers'].map(defaultContainer) }),
    restartPolicy: spec['restartPolicy'] ?? 'Always',
    terminationGracePeriodSeconds: spec['terminationGracePeriodSeconds'] ?? DEFAULT_GRACE_PERIOD,
    dnsPolicy: spec['dnsPolicy'] ?? 'ClusterFirst',
    securityContext: spec['securityContext'] ?? {},
    schedulerName: spec['schedulerName'] ?? 'default-scheduler',
  };
}

function defaultContainer(value: unknown): unknown {
  const container = mapping(value);
  const image = String(container['image'] ?? '');
  const hasTag = /:(?!latest$)[^/:]+$/.test(image) || image.includes('@');
  return {
    ...container,
    resources: container['resources'] ?? {},
    terminationMessagePath: container['terminationMessagePath'] ?? '/dev/termination-log',
    terminationMessagePolicy: container['terminationMessagePolicy'] ?? 'File',
    imagePullPolicy: container['imagePullPolicy'] ?? (hasTag ? 'IfNotPresent' : 'Always'),
  };
}
