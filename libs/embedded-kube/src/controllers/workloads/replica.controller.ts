import { type LabelSelector, labelSelectorOf, type LabelSelectorObject } from '../../selectors/label.selector.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { ControlledObjects, specSelector } from '../controlled.objects.js';
import { statusOf as podStatus } from '../nodes/pod.statuses.js';
import { ReconcilingController } from '../reconciling.controller.js';
import {
  deletePod,
  isActive,
  isAvailable,
  isReady,
  isTerminating,
  messageOf,
  nextAvailability,
  phaseOf,
  podOf,
  PODS,
  type PodTemplate,
  readyCondition,
  withCondition,
  type WorkloadCondition,
} from './workload.pods.js';

interface ReplicaSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector?: LabelSelectorObject;
  readonly template?: PodTemplate;
}

interface ReplicaStatus {
  readonly conditions?: readonly WorkloadCondition[];
}

/** The differences between ReplicaSets and the ReplicationControllers that they have replaced. */
export interface ReplicaFlavor {
  readonly name: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly selectorOf: (owner: KubeObject) => LabelSelector | undefined;
}

export const REPLICA_SETS: ReplicaFlavor = {
  name: 'replicaset-controller',
  group: 'apps',
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  selectorOf: specSelector,
};

export const REPLICATION_CONTROLLERS: ReplicaFlavor = {
  name: 'replication-controller',
  group: '',
  apiVersion: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  selectorOf: ({ spec }) => {
    const { selector, template } = (spec ?? {}) as { selector?: Record<string, string>; template?: PodTemplate };
    const matchLabels = selector ?? template?.metadata?.labels ?? {};
    return Object.keys(matchLabels).length ? labelSelectorOf({ matchLabels }) : undefined;
  },
};

/** The controller of as many pods of a template as asked for: it creates missing ones, and deletes those first that matter least. */
export class ReplicaController extends ReconcilingController {
  readonly name: string;
  private pods: ControlledObjects;

  constructor(private readonly flavor: ReplicaFlavor) {
    super({ group: flavor.group, plural: flavor.plural });
    this.name = flavor.name;
  }

  protected override watchOthers(): (() => void)[] {
    const { apiVersion: ownerApiVersion, kind: ownerKind, selectorOf } = this.flavor;
    const ownership = { resource: PODS, owner: this.resource, ownerApiVersion, ownerKind, selectorOf };
    this.pods = new ControlledObjects(this.client, ownership, (key) => this.queue.add(key));
    return [this.pods.start()];
  }

  protected async reconcile(owner: KubeObject, key: string): Promise<void> {
    const { replicas = 1, minReadySeconds = 0 } = specOf(owner);
    const since = this.clock.now();
    const active = (await this.pods.claim(owner)).filter(isActive);
    const error = owner.metadata.deletionTimestamp ? undefined : await this.scale(owner, active, replicas);
    await this.report(owner, active.length - replicas, error);
    const wait = nextAvailability(this.pods.of(owner).filter(isActive), minReadySeconds, since);
    if (wait !== undefined) this.queue.addAfter(key, wait);
    // The queue tries again, later and later, as long as pods cannot be created.
    if (error) throw error;
  }

  private async scale(owner: KubeObject, active: readonly KubeObject[], replicas: number): Promise<unknown> {
    try {
      for (let missing = replicas - active.length; missing > 0; missing--) {
        await this.createPod(owner);
        const pause = this.turns.step();
        if (pause) await pause;
      }
    } catch (error) {
      await this.events.warning(owner, 'FailedCreate', `Error creating: ${messageOf(error)}`);
      return error;
    }
    if (active.length <= replicas) return undefined;
    const dispensable = active.toSorted(byDispensability).slice(0, active.length - replicas);
    for (const pod of dispensable) {
      await deletePod(this.client, pod);
      await this.events.normal(owner, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    }
    return undefined;
  }

  private async createPod(owner: KubeObject): Promise<void> {
    const { name, namespace } = owner.metadata;
    const draft = podOf(specOf(owner).template, this.pods.referenceTo(owner));
    const metadata = { ...draft.metadata, generateName: `${name}-` };
    const pod = await this.client.create(PODS, namespace, { ...draft, metadata });
    await this.events.normal(owner, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  }

  private async report(owner: KubeObject, surplus: number, error: unknown): Promise<void> {
    const { minReadySeconds = 0, template } = specOf(owner);
    const pods = this.pods.of(owner);
    const active = pods.filter(isActive);
    const labels = labelSelectorOf({ matchLabels: template?.metadata?.labels ?? {} });
    const now = this.clock.now();
    const { conditions } = (owner.status ?? {}) as ReplicaStatus;
    const others = conditions?.filter(({ type }) => type !== 'ReplicaFailure') ?? [];
    const reason = surplus > 0 ? 'FailedDelete' : 'FailedCreate';
    const failure = { type: 'ReplicaFailure', status: 'True', reason, message: messageOf(error) };
    const next = error ? withCondition(conditions, failure, this.now) : others;
    await this.updateStatus(owner, {
      replicas: active.length,
      fullyLabeledReplicas: active.filter(({ metadata }) => labels.matches(metadata.labels)).length || undefined,
      readyReplicas: active.filter(isReady).length || undefined,
      availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length || undefined,
      ...(this.flavor.group === 'apps' && { terminatingReplicas: pods.filter(isTerminating).length }),
      observedGeneration: owner.metadata.generation,
      conditions: next.length ? next : undefined,
    });
  }
}

function specOf(owner: KubeObject): ReplicaSpec {
  return (owner.spec ?? {}) as ReplicaSpec;
}

/** Orders pods by how little they are missed, as the real controller: not assigned, pending, not ready, cheap, young. */
function byDispensability(left: KubeObject, right: KubeObject): number {
  for (const criterion of CRITERIA) {
    const difference = criterion(left) - criterion(right);
    if (difference) return difference;
  }
  return 0;
}

const PHASES = ['Pending', 'Unknown', 'Running'];
const CRITERIA: readonly ((pod: KubeObject) => number)[] = [
  ({ spec }) => ((spec as { nodeName?: string } | undefined)?.nodeName ? 1 : 0),
  (pod) => PHASES.indexOf(phaseOf(pod)),
  (pod) => (isReady(pod) ? 1 : 0),
  ({ metadata }) => Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
  (pod) => -Date.parse(readyCondition(pod)?.lastTransitionTime ?? '1970-01-01T00:00:00Z'),
  (pod) => -Math.max(0, ...(podStatus(pod).containerStatuses ?? []).map(({ restartCount }) => restartCount)),
  ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
];
