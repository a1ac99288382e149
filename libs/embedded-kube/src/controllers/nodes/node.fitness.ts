// nodes: simulated nodes, the scheduler that assigns pods to them, and the kubelet that takes pods through their phases.
// Nothing is executed: tests say how fast and with which outcome pods run.
// May import: the rest of controllers.

import type { KubeObject } from '../../resources/kube-object.js';
import { compareQuantities } from '../../resources/quantity.js';
import { LabelSelector } from '../../selectors/label.selector.js';
import { LabelRequirement } from '../../selectors/label.requirement.js';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

interface NodeRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface NodeTerm {
  readonly matchExpressions?: readonly NodeRequirement[];
  readonly matchFields?: readonly NodeRequirement[];
}

/** The parts of a pod's spec that decide where it may run. */
export interface SchedulingSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly NodeTerm[] };
    };
  };
}

function schedulingOf({ spec }: KubeObject): SchedulingSpec {
  return (spec ?? {}) as SchedulingSpec;
}

/** Checks whether the node selector and the required node affinity of a pod allow a node. */
export function matchesNode(pod: KubeObject, node: KubeObject): boolean {
  const { nodeSelector = {}, affinity } = schedulingOf(pod);
  const { labels = {} } = node.metadata;
  if (!Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)) return false;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return !terms || terms.some((term) => matchesTerm(term, node));
}

/** Returns the first taint of a node that a pod does not tolerate, of those that keep pods away. */
export function untoleratedTaint(
  pod: KubeObject,
  node: KubeObject,
  more: readonly Toleration[] = [],
): Taint | undefined {
  const { taints = [] } = (node.spec ?? {}) as { taints?: readonly Taint[] };
  const tolerations = [...(schedulingOf(pod).tolerations ?? []), ...more];
  const keepsAway = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';
  return taints.find((taint) => keepsAway(taint) && !tolerations.some((each) => tolerates(each, taint)));
}

/** Whether no new pods are assigned to a node. */
export function isUnschedulable({ spec }: KubeObject): boolean {
  return (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true;
}

/** Returns the reasons why a pod does not fit beside those that a node has already, in the scheduler's words; none if it fits. */
export function shortages(pod: KubeObject, node: KubeObject, load: NodeLoad): string[] {
  const { allocatable = {} } = (node.status ?? {}) as { allocatable?: Readonly<Record<string, string>> };
  const isShort = ([resource, amount]: [string, number]): boolean =>
    amount > 0 && load.requested(resource) + amount > amountOf(allocatable[resource]);
  const names = [...requestsOf(pod)].filter(isShort).map(([resource]) => `Insufficient ${resource}`);
  return load.pods + 1 > amountOf(allocatable['pods'] ?? '110') ? ['Too many pods', ...names] : names;
}

/** The number of pods of a node, and what they request. */
export class NodeLoad {
  private readonly counted = new Map<string, ReadonlyMap<string, number>>();
  private readonly sums = new Map<string, number>();

  get pods(): number {
    return this.counted.size;
  }

  requested(resource: string): number {
    return this.sums.get(resource) ?? 0;
  }

  add(key: string, pod: KubeObject): void {
    this.remove(key);
    const requests = requestsOf(pod);
    this.counted.set(key, requests);
    for (const [resource, amount] of requests) this.sums.set(resource, this.requested(resource) + amount);
  }

  remove(key: string): void {
    for (const [resource, amount] of this.counted.get(key) ?? []) {
      this.sums.set(resource, this.requested(resource) - amount);
    }
    this.counted.delete(key);
  }
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeTerm, { metadata }: KubeObject): boolean {
  if (!matchExpressions.length && !matchFields.length) return false;
  const fields = { 'metadata.name': metadata.name ?? '' };
  return (
    selectorOf(matchExpressions).matches(metadata.labels) &&
    matchFields.every(({ key, operator, values = [] }) => {
      const isListed = values.includes(fields[key as keyof typeof fields]);
      return operator === 'NotIn' ? !isListed : isListed;
    })
  );
}

const OPERATORS = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!', Gt: '>', Lt: '<' } as const;

function selectorOf(requirements: readonly NodeRequirement[]): LabelSelector {
  return new LabelSelector(
    requirements.map(({ key, operator, values = [] }) => {
      return LabelRequirement.create(key, OPERATORS[operator as keyof typeof OPERATORS] ?? 'exists', values);
    }),
  );
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || (!!key && value === (taint.value ?? ''));
}

function amountOf(quantity: unknown): number {
  return compareQuantities(quantity, '0');
}

type Requests = Readonly<Record<string, string>>;

interface Requesting {
  readonly resources?: { readonly requests?: Requests };
  readonly restartPolicy?: string;
}

/** Returns the requests of a pod: the sum of its containers, or the greatest of its init containers, and the overhead. */
function requestsOf({ spec }: KubeObject): ReadonlyMap<string, number> {
  const {
    containers = [],
    initContainers = [],
    overhead = {},
  } = (spec ?? {}) as {
    containers?: readonly Requesting[];
    initContainers?: readonly Requesting[];
    overhead?: Requests;
  };
  const sums = new Map<string, number>();
  const add = (requests: Requests = {}): void => {
    for (const [name, amount] of Object.entries(requests)) sums.set(name, (sums.get(name) ?? 0) + amountOf(amount));
  };
  for (const { resources } of containers) add(resources?.requests);
  for (const { resources, restartPolicy } of initContainers) if (restartPolicy === 'Always') add(resources?.requests);
  for (const { resources } of initContainers) {
    for (const [name, amount] of Object.entries(resources?.requests ?? {})) {
      sums.set(name, Math.max(sums.get(name) ?? 0, amountOf(amount)));
    }
  }
  add(overhead);
  return sums;
}
