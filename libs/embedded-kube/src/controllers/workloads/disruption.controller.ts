import { timestamp } from '../../common/timestamps.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { type LabelSelector, labelSelectorOf, type LabelSelectorObject } from '../../selectors/label.selector.js';
import type { ResourceId } from '../controller.js';
import { controllerOf } from '../controlled.objects.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { objectKey } from '../work.queue.js';
import { isReady, phaseOf, PODS, resolveAmount, withCondition, type WorkloadCondition } from './workload.pods.js';

const BUDGETS: ResourceId = { group: 'policy', plural: 'poddisruptionbudgets' };
/** The time after which an evicted pod that still exists counts again, in milliseconds. */
const DISRUPTION_TIMEOUT = 120_000;

interface BudgetSpec {
  readonly selector?: LabelSelectorObject;
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
}

interface BudgetStatus {
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly conditions?: readonly WorkloadCondition[];
}

/** The controller that counts the pods of disruption budgets, and how many of them may be evicted now. */
export class DisruptionController extends ReconcilingController {
  readonly name = 'disruption-controller';

  constructor() {
    super(BUDGETS);
  }

  protected override get eventSource(): string {
    return 'controllermanager';
  }

  protected override watchOthers(): (() => void)[] {
    return [
      this.client.watch(PODS, ({ object, previous }) => {
        for (const budget of this.client.list(BUDGETS, object.metadata.namespace)) {
          const selector = selectorOf(budget);
          const labels = [object.metadata.labels, ...(previous ? [previous.metadata.labels] : [])];
          if (selector && labels.some((each) => selector.matches(each))) this.queue.add(objectKey(budget));
        }
      }),
    ];
  }

  protected async reconcile(budget: KubeObject, key: string): Promise<void> {
    const selector = selectorOf(budget);
    const all = this.client.list(PODS, budget.metadata.namespace);
    const pods = selector ? all.filter(({ metadata }) => selector.matches(metadata.labels)) : [];
    if (!pods.length) await this.events.normal(budget, 'NoPods', 'No matching pods found');
    const counted = pods.filter((pod) => !['Succeeded', 'Failed'].includes(phaseOf(pod)));
    const { expected, desired } = this.expectations(budget, counted);
    const { disruptedPods, wait } = this.disrupted(budget, counted);
    const isHealthy = (pod: KubeObject): boolean =>
      isReady(pod) && !pod.metadata.deletionTimestamp && !(pod.metadata.name! in disruptedPods);
    const current = counted.filter(isHealthy).length;
    const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, current - desired);
    const { conditions } = (budget.status ?? {}) as BudgetStatus;
    const { generation: observedGeneration } = budget.metadata;
    const isAllowed = disruptionsAllowed > 0;
    const condition = {
      type: 'DisruptionAllowed',
      status: isAllowed ? 'True' : 'False',
      reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration,
    };
    const next = withCondition(conditions, condition, timestamp(this.clock.now()));
    await this.updateStatus(budget, {
      ...(Object.keys(disruptedPods).length && { disruptedPods }),
      currentHealthy: current,
      desiredHealthy: desired,
      disruptionsAllowed,
      expectedPods: expected,
      observedGeneration,
      conditions: next.map((each) => (each.type === condition.type ? { ...each, observedGeneration } : each)),
    });
    if (wait !== undefined) this.queue.addAfter(key, wait);
  }

  private expectations(budget: KubeObject, pods: readonly KubeObject[]): { expected: number; desired: number } {
    const { minAvailable, maxUnavailable } = (budget.spec ?? {}) as BudgetSpec;
    if (maxUnavailable !== undefined) {
      const expected = this.scaleOf(pods);
      return { expected, desired: Math.max(0, expected - resolveAmount(maxUnavailable, expected, true)) };
    }
    if (typeof minAvailable !== 'string') return { expected: pods.length, desired: minAvailable ?? 0 };
    const expected = this.scaleOf(pods);
    return { expected, desired: resolveAmount(minAvailable, expected, true) };
  }

  /** Returns the number of pods that their workloads ask for; a pod of a workload without a size counts for itself. */
  private scaleOf(pods: readonly KubeObject[]): number {
    const sizes = new Map<string, number>();
    for (const pod of pods) {
      let workload = controllerOf(pod);
      let scale: number | undefined;
      // A deployment's size counts, not that of its ReplicaSet.
      while (workload) {
        const resource = this.client.resourceOf(workload.apiVersion, workload.kind);
        const owner = resource && this.client.get(resource, pod.metadata.namespace, workload.name);
        if (!owner || owner.metadata.uid !== workload.uid) break;
        scale = (owner.spec as { replicas?: number } | undefined)?.replicas;
        const parent = controllerOf(owner);
        if (!parent) break;
        workload = parent;
      }
      const counts = workload && scale !== undefined;
      sizes.set(counts ? workload!.uid : (pod.metadata.uid ?? ''), counts ? scale! : 1);
    }
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** Returns the pods that were evicted just now and still exist, and when the next of them counts again. */
  private disrupted(budget: KubeObject, pods: readonly KubeObject[]) {
    const { disruptedPods = {} } = (budget.status ?? {}) as BudgetStatus;
    const kept: Record<string, string> = {};
    let wait: number | undefined;
    for (const { metadata } of pods) {
      const since = disruptedPods[metadata.name ?? ''];
      if (!since || metadata.deletionTimestamp) continue;
      const left = Date.parse(since) + DISRUPTION_TIMEOUT - this.clock.now();
      if (left <= 0) continue;
      kept[metadata.name!] = since;
      wait = Math.min(wait ?? left, left);
    }
    return { disruptedPods: kept, wait };
  }
}

/** Returns the budget's selector: an empty one selects all pods of the namespace, none at all selects nothing. */
function selectorOf({ spec }: KubeObject): LabelSelector | undefined {
  const { selector } = (spec ?? {}) as BudgetSpec;
  return selector && labelSelectorOf(selector);
}
