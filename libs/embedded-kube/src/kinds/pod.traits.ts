import { FieldReport, isSameContent, itemsOf } from './validation/field.report.js';
import { validatePodStatus } from './validation/pods/pod-status.validation.js';
import { isSamePodSpec, validatePodChange } from './validation/pods/pod-update.validation.js';
import { validatePodOnly, validatePodSpec } from './validation/pods/pod.validation.js';
import { mapping } from '../common/json.values.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { qosClass } from './pod.quality.js';

type Values = Readonly<Record<string, unknown>>;

const DEFAULT_GRACE_PERIOD = 30;
const FINISHED = new Set<unknown>(['Succeeded', 'Failed']);

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

export const POD_TRAITS: BuiltinTraits = {
  generation: true,
  returnsDeleted: true,
  // A pod is the same on every node.
  counted: ({ spec, ...others }) => ({ ...others, spec: { ...mapping(spec), nodeName: undefined } }),
  initialStatus: ({ spec, metadata }) => ({
    phase: 'Pending',
    ...(itemsOf(mapping(spec)['schedulingGates']).length > 0 && {
      conditions: [{ ...GATED, lastTransitionTime: metadata.creationTimestamp }],
    }),
    qosClass: qosClass(mapping(spec)),
  }),
  prepareForStatus: (draft, { status, metadata: { ownerReferences } }) => {
    const { ownerReferences: _, ...metadata } = draft.metadata;
    draft.metadata = { ...metadata, ...(ownerReferences && { ownerReferences }) };
    const { qosClass } = mapping(status);
    const next = mapping(draft['status']);
    if (next['qosClass'] === undefined && qosClass !== undefined) draft['status'] = { ...next, qosClass };
  },
  validate: ({ spec, status }, previous, subresource) => {
    const report = new FieldReport();
    if (previous && subresource === 'status' && !isSameContent(status, previous['status'])) {
      validatePodStatus(report, mapping(status), mapping(previous['status']), mapping(previous['spec']));
    }
    if (previous && isSamePodSpec(mapping(spec), mapping(previous['spec']))) return report.errors;
    validatePodSpec(report, 'spec', mapping(spec), true);
    validatePodOnly(report, 'spec', mapping(spec));
    if (!previous) {
      const ephemeral = itemsOf(mapping(spec)['ephemeralContainers']);
      if (ephemeral.length > 0) report.forbidden('spec.ephemeralContainers', 'cannot be set on create');
      return report.errors;
    }
    const old = mapping(previous['spec']);
    if (subresource === 'ephemeralcontainers') {
      validateKeptContainers(report, mapping(spec), old);
      return report.errors;
    }
    // Only a binding assigns a pod to a node.
    if (subresource !== 'binding') validatePodChange(report, mapping(spec), old);
    return report.errors;
  },
  gracePeriod: ({ spec, status }, requested) => {
    const { nodeName, terminationGracePeriodSeconds } = mapping(spec);
    // The pod runs on no node, so no kubelet has to end it.
    if (!nodeName || FINISHED.has(mapping(status)['phase'])) return 0;
    return requested ?? Number(terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD);
  },
};

/** Checks that containers for debugging stay as they were added. */
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
