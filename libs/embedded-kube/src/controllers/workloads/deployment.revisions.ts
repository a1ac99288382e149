import { jsonEqual } from '../../common/json.values.js';
import type { KubeObject, OwnerReference } from '../../resources/kube-object.js';
import { allOf, DEPLOYMENT_ANNOTATIONS, deploymentSpec, deploymentStatus } from './deployment.types.js';
import { type ReplicaSets, revisionOf, rollingLimits, stateOf } from './deployment.types.js';
import { templateHash, withoutHash } from './template.hash.js';

export const HASH_LABEL = 'pod-template-hash';
/** The longest annotation with earlier revisions, in characters. */
const HISTORY_LENGTH = 2000;
const { revision, revisionHistory, desiredReplicas, maxReplicas } = DEPLOYMENT_ANNOTATIONS;
/** The annotations of a deployment that its ReplicaSets do not take over. */
const OWN_ANNOTATIONS = new Set<string>([
  ...Object.values(DEPLOYMENT_ANNOTATIONS),
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
]);

/** Separates the ReplicaSet of the present template, the oldest if there are several, from the others. */
export function sortReplicaSets(deployment: KubeObject, sets: readonly KubeObject[]): ReplicaSets {
  const wanted = withoutHash(deploymentSpec(deployment).template, HASH_LABEL);
  const byAge = sets.toSorted(byCreation);
  const current = byAge.find((set) => jsonEqual(withoutHash(stateOf(set).spec.template, HASH_LABEL), wanted));
  return { current, old: byAge.filter((set) => set !== current) };
}

/** Orders objects by their creation, then by their names. */
export function byCreation({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  const [a, b] = [`${left.creationTimestamp} ${left.name}`, `${right.creationTimestamp} ${right.name}`];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the next revision: one more than the greatest of the old ReplicaSets. */
export function nextRevision({ old }: ReplicaSets): bigint {
  return old.map(revisionOf).reduce((most, each) => (each > most ? each : most), 0n) + 1n;
}

/** Returns the annotations of the current ReplicaSet; its revision grows, never shrinks, and earlier ones are remembered. */
export function replicaSetAnnotations(
  deployment: KubeObject,
  set: KubeObject | undefined,
  next: bigint,
): Readonly<Record<string, string>> {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !OWN_ANNOTATIONS.has(key));
  const before = set?.metadata.annotations ?? {};
  const spec = deploymentSpec(deployment);
  const annotations: Record<string, string> = {
    ...before,
    ...Object.fromEntries(own),
    [desiredReplicas]: before[desiredReplicas] ?? String(spec.replicas),
    [maxReplicas]: before[maxReplicas] ?? String(spec.replicas + rollingLimits(spec).maxSurge),
  };
  const last = before[revision];
  if (set && revisionOf(set) >= next) return annotations;
  annotations[revision] = String(next);
  if (last) {
    const history = [...(before[revisionHistory]?.split(',') ?? []), last];
    while (history.join(',').length > HISTORY_LENGTH) history.shift();
    annotations[revisionHistory] = history.join(',');
  }
  return annotations;
}

/** Returns the annotations of a ReplicaSet with the size of its deployment, for proportional scaling. */
export function sizeAnnotations(deployment: KubeObject): Readonly<Record<string, string>> {
  const spec = deploymentSpec(deployment);
  return {
    [desiredReplicas]: String(spec.replicas),
    [maxReplicas]: String(spec.replicas + rollingLimits(spec).maxSurge),
  };
}

/** Returns the ReplicaSet of the present template, still to be created. */
export function newReplicaSet(
  deployment: KubeObject,
  sets: ReplicaSets,
  replicas: number,
  owner: OwnerReference,
): { name: string; object: object } {
  const { template, selector, minReadySeconds } = deploymentSpec(deployment);
  const hash = templateHash(withoutHash(template, HASH_LABEL), deploymentStatus(deployment).collisionCount);
  const name = `${deployment.metadata.name}-${hash}`;
  const labels = { ...template?.metadata?.labels, [HASH_LABEL]: hash };
  const annotations = replicaSetAnnotations(deployment, undefined, nextRevision(sets));
  const object = {
    metadata: { name, labels, annotations, ownerReferences: [owner] },
    spec: {
      replicas,
      ...(minReadySeconds && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
  return { name, object };
}

/** Returns the old ReplicaSets beyond the history limit that are empty, the oldest revisions first. */
export function dispensableSets(deployment: KubeObject, { old }: ReplicaSets): KubeObject[] {
  const { revisionHistoryLimit = 10 } = deploymentSpec(deployment);
  const alive = old.filter(({ metadata }) => !metadata.deletionTimestamp);
  const surplus = alive.toSorted((left, right) => (revisionOf(left) < revisionOf(right) ? -1 : 1));
  return surplus.slice(0, Math.max(0, alive.length - revisionHistoryLimit)).filter((set) => {
    const { spec, status } = stateOf(set);
    return !spec.replicas && !status.replicas && status.observedGeneration === set.metadata.generation;
  });
}

/** Whether the deployment's size has changed since a ReplicaSet was scaled last. */
export function isResized(deployment: KubeObject, sets: ReplicaSets): boolean {
  const desired = String(deploymentSpec(deployment).replicas);
  return allOf(sets).some((set) => {
    const known = set.metadata.annotations?.[desiredReplicas];
    return stateOf(set).spec.replicas > 0 && known !== undefined && known !== desired;
  });
}
