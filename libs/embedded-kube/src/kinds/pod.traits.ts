import { forbiddenField, requiredField } from '../errors/field.error.js';
import { jsonEqual, mapping } from '../common/json.values.js';
import type { Draft } from '../resources/kube-object.js';
import type { BuiltinTraits } from './builtin.strategy.js';

const DEFAULT_GRACE_PERIOD = 30;
const FINISHED = new Set<unknown>(['Succeeded', 'Failed']);

const FIXED_RULE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

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
  validate: ({ spec }, previous) => {
    const { containers } = mapping(spec);
    if (!Array.isArray(containers) || containers.length === 0) return [requiredField('spec.containers')];
    if (!previous) return [];
    const old = mapping(previous['spec']);
    const next = old['nodeName'] ? mapping(spec) : { ...mapping(spec), nodeName: undefined };
    return jsonEqual(fixed(next), fixed(old)) ? [] : [forbiddenField('spec', FIXED_RULE)];
  },
  gracePeriod: ({ spec, status }, requested) => {
    const { nodeName, terminationGracePeriodSeconds } = mapping(spec);
    // Nobody runs it, so nobody has to end it.
    if (!nodeName || FINISHED.has(mapping(status)['phase'])) return 0;
    return requested ?? Number(terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD);
  },
};

/** Returns the part of a pod that cannot change; its node is set once. */
function fixed(value: unknown): object {
  const { activeDeadlineSeconds: _, tolerations: __, terminationGracePeriodSeconds: ___, ...spec } = mapping(value);
  const withoutImages = (containers: unknown): unknown =>
    Array.isArray(containers) ? containers.map((each) => ({ ...mapping(each), image: '' })) : containers;
  return {
    ...spec,
    nodeName: spec['nodeName'],
    containers: withoutImages(spec['containers']),
    initContainers: withoutImages(spec['initContainers']) ?? [],
  };
}

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
