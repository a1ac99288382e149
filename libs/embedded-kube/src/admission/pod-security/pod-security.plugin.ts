import { jsonEqual, mapping } from '../../common/json.values.js';
import { invalid } from '../../errors/status.errors.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import type { Draft, KubeObject } from '../../resources/kube-object.js';
import { kindName } from '../../resources/served.resource.js';
import type { ObjectStore } from '../../storage/object.store.js';
import { denied } from '../admission.denial.js';
import type { AdmissionPlugin } from '../admission.plugin.js';
import { type SecurityPolicy, securityPolicy, type SecurityStandard } from './pod-security.policy.js';
import { CheckedPod, type SecurityViolation } from './security.check.js';

/** The paths of pods in the kinds that make them. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  podtemplates: ['template'],
  replicationcontrollers: ['spec', 'template'],
  'replicasets.apps': ['spec', 'template'],
  'deployments.apps': ['spec', 'template'],
  'statefulsets.apps': ['spec', 'template'],
  'daemonsets.apps': ['spec', 'template'],
  'jobs.batch': ['spec', 'template'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template'],
};
/** Subresources through which the containers of a pod can change. */
const CHANGING = new Set([undefined, 'ephemeralcontainers', 'resize']);

type Pod = Draft | KubeObject;

/** The plugin that holds pods to the standard in the labels of their namespace (`pod-security.kubernetes.io/enforce`), or warns. */
export class PodSecurityPlugin implements AdmissionPlugin {
  readonly name = 'PodSecurity';

  constructor(private readonly store: ObjectStore) {}

  validate(attributes: AdmissionAttributes): void {
    const { served, object, operation, subresource } = attributes;
    if (!object || operation === 'DELETE') return;
    if (served.storageKey === 'namespaces') {
      if (!subresource) this.validateNamespace(attributes, object);
    } else if (served.storageKey === 'pods') this.validatePod(attributes, object);
    else if (!subresource && TEMPLATES[served.storageKey]) this.validateWorkload(attributes, object);
  }

  private validateNamespace(attributes: AdmissionAttributes, namespace: Draft): void {
    const { served, previous, warn } = attributes;
    const policy = securityPolicy(namespace.metadata.labels);
    const old = previous && securityPolicy(previous.metadata.labels);
    if (policy.errors.length > 0 && !(old && jsonEqual(old.errors, policy.errors))) {
      throw invalid(kindName(served), namespace.metadata.name ?? '', policy.errors);
    }
    if (!old || !policy.enforce.isStricterThan(old.enforce)) return;
    for (const warning of this.warningsOf(namespace.metadata.name ?? '', policy.enforce)) warn(warning);
  }

  private validatePod(attributes: AdmissionAttributes, pod: Draft): void {
    const { subresource, previous } = attributes;
    if (!CHANGING.has(subresource) || (previous && !isSignificant(pod, previous))) return;
    const policy = this.policyOf(attributes);
    if (!policy) return;
    const checked = checkedPod(pod);
    const violations = policy.enforce.violations(checked);
    if (violations.length > 0) {
      throw denied(attributes, `violates PodSecurity "${policy.enforce}": ${describe(violations)}`);
    }
    warnOf(attributes, policy, checked);
  }

  private validateWorkload(attributes: AdmissionAttributes, workload: Draft): void {
    const policy = this.policyOf(attributes);
    if (!policy || policy.warn.level === 'privileged') return;
    const path = TEMPLATES[attributes.served.storageKey]!;
    const template = path.reduce<unknown>((value, field) => mapping(value)[field], workload);
    const { metadata, spec } = mapping(template);
    if (spec !== undefined) warnOf(attributes, policy, new CheckedPod(annotationsOf(metadata), mapping(spec)));
  }

  /** @returns nothing if the namespace asks for nothing */
  private policyOf({ namespace }: AdmissionAttributes): SecurityPolicy | undefined {
    const labels = this.store.collection('namespaces').get('', namespace)?.object.metadata.labels;
    const policy = securityPolicy(labels);
    const isFree = policy.enforce.level === 'privileged' && policy.warn.level === 'privileged';
    return isFree ? undefined : policy;
  }

  /** Finds the pods of a namespace that would be rejected now, as warnings. */
  private warningsOf(namespace: string, standard: SecurityStandard): string[] {
    const pods = new Map<string, string[]>();
    for (const { object } of this.store.collection('pods').list(namespace)) {
      const violations = standard.violations(checkedPod(object));
      if (violations.length === 0) continue;
      const reasons = violations.map(({ reason }) => reason).join(', ');
      pods.set(reasons, [...(pods.get(reasons) ?? []), object.metadata.name ?? '']);
    }
    if (pods.size === 0) return [];
    const lines = [...pods].map(([reasons, names]) => `${others(names)}: ${reasons}`).toSorted();
    const head = `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level "${standard}"`;
    return [head, ...lines];
  }
}

function warnOf({ warn }: AdmissionAttributes, policy: SecurityPolicy, pod: CheckedPod): void {
  const violations = policy.warn.violations(pod);
  if (violations.length > 0) warn(`would violate PodSecurity "${policy.warn}": ${describe(violations)}`);
}

function checkedPod({ metadata, spec }: Pod): CheckedPod {
  return new CheckedPod(metadata.annotations ?? {}, mapping(spec));
}

function annotationsOf(metadata: unknown): Readonly<Record<string, string>> {
  return mapping(mapping(metadata)['annotations']) as Readonly<Record<string, string>>;
}

function describe(violations: readonly SecurityViolation[]): string {
  return violations.map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason)).join(', ');
}

/** Writes the first of several pods: `a (and 2 other pods)`. */
function others(names: readonly string[]): string {
  const [first = ''] = names.toSorted();
  if (names.length === 1) return first;
  return `${first} (and ${names.length - 1} other ${names.length === 2 ? 'pod' : 'pods'})`;
}

/** Whether an update of a pod can violate more than the pod did before. */
function isSignificant(pod: Pod, previous: Pod): boolean {
  const significant = ({ metadata, spec }: Pod): unknown => {
    const { containers, initContainers, ephemeralContainers } = mapping(spec);
    const security = Object.entries(metadata.annotations ?? {}).filter(([key]) => /apparmor|seccomp/.test(key));
    return [containers ?? [], initContainers ?? [], ephemeralContainers ?? [], Object.fromEntries(security)];
  };
  return !jsonEqual(significant(pod), significant(previous));
}
