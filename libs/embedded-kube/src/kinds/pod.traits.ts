import { FieldReport, isSameContent } from './validation/field.report.js';
import { validatePodOnly, validatePodSpec } from './validation/pod.validation.js';
import { mapping } from '../common/json.values.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { qosClass } from './pod.quality.js';

type Values = Readonly<Record<string, unknown>>;

const DEFAULT_GRACE_PERIOD = 30;
const FINISHED = new Set<unknown>(['Succeeded', 'Failed']);

const FIXED_RULE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export const POD_TRAITS: BuiltinTraits = {
  generation: true,
  returnsDeleted: true,
  // A pod is the same on whatever node it runs.
  counted: ({ spec, ...others }) => ({ ...others, spec: { ...mapping(spec), nodeName: undefined } }),
  initialStatus: ({ spec }) => ({ phase: 'Pending', qosClass: qosClass(mapping(spec)) }),
  defaults: (draft) => {
    draft['spec'] = {
      serviceAccountName: 'default',
      serviceAccount: 'default',
      ...mapping(draft['spec']),
    };
  },
  validate: ({ spec }, previous, subresource) => {
    if (previous && isSameContent(spec, previous['spec'])) return [];
    const report = new FieldReport();
    validatePodSpec(report, 'spec', mapping(spec), true);
    validatePodOnly(report, 'spec', mapping(spec));
    if (!previous) return report.errors;
    const old = mapping(previous['spec']);
    if (subresource === 'ephemeralcontainers') {
      validateKeptContainers(report, mapping(spec), old);
      return report.errors;
    }
    const next = old['nodeName'] ? mapping(spec) : { ...mapping(spec), nodeName: undefined };
    if (!isSameContent(fixed(next), fixed(old))) report.forbidden('spec', FIXED_RULE);
    return report.errors;
  },
  gracePeriod: ({ spec, status }, requested) => {
    const { nodeName, terminationGracePeriodSeconds } = mapping(spec);
    // Nobody runs it, so nobody has to end it.
    if (!nodeName || FINISHED.has(mapping(status)['phase'])) return 0;
    return requested ?? Number(terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD);
  },
};

/** Containers for debugging stay as they were added. */
function validateKeptContainers(report: FieldReport, spec: Values, old: Values): void {
  const named = (list: unknown): Map<unknown, unknown> =>
    new Map((Array.isArray(list) ? list : []).map((each: unknown) => [mapping(each)['name'], each]));
  const present = named(spec['ephemeralContainers']);
  for (const [name, container] of named(old['ephemeralContainers'])) {
    const is = `existing ephemeral containers ${JSON.stringify(name)} may not be`;
    if (!present.has(name)) report.forbidden('spec.ephemeralContainers', `${is} removed\n`);
    else if (!isSameContent(present.get(name), container)) {
      report.forbidden('spec.ephemeralContainers', `${is} changed\n`);
    }
  }
}

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
