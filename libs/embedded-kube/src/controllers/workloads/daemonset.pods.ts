import type { KubeObject, OwnerReference } from '../../resources/kube-object.js';
import { matchesNode, type SchedulingSpec, untoleratedTaint } from '../nodes/node.fitness.js';
import { type PodDraft, podOf, type PodTemplate } from './workload.pods.js';

export const DAEMON_HASH_LABEL = 'controller-revision-hash';

/** The spec of a daemon set. */
export interface DaemonSetSpec {
  readonly template?: PodTemplate;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxUnavailable?: number | string; readonly maxSurge?: number | string };
  };
}

export function daemonSpec({ spec }: KubeObject): DaemonSetSpec {
  return (spec ?? {}) as DaemonSetSpec;
}

/** The taints that daemons tolerate, so that they stay on nodes with these problems. */
const TOLERATED: readonly (readonly [condition: string, effect: string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

/** Returns the tolerations that every daemon has. */
function daemonTolerations(isOnHostNetwork: boolean): { key: string; operator: string; effect: string }[] {
  const all = isOnHostNetwork ? [...TOLERATED, ['network-unavailable', 'NoSchedule'] as const] : TOLERATED;
  return all.map(([condition, effect]) => ({ key: `node.kubernetes.io/${condition}`, operator: 'Exists', effect }));
}

/** Returns the pod of one node, which an affinity binds to it. */
export function daemonPod(set: KubeObject, hash: string, nodeName: string, owner: OwnerReference): PodDraft {
  const draft = podOf(daemonSpec(set).template, owner);
  const { tolerations = [], affinity } = draft.spec as SchedulingSpec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
  const nodeSelectorTerms = terms?.length ? terms.map((term) => ({ ...term, matchFields })) : [{ matchFields }];
  const generation = set.metadata.annotations?.['deprecated.daemonset.template.generation'];
  const labels = {
    ...draft.metadata.labels,
    [DAEMON_HASH_LABEL]: hash,
    ...(generation && { 'pod-template-generation': generation }),
  };
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return {
    ...draft,
    metadata: { ...draft.metadata, generateName: `${set.metadata.name}-`, labels },
    spec: {
      ...draft.spec,
      affinity: { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, ...required } },
      tolerations: [...tolerations, ...daemonTolerations(draft.spec['hostNetwork'] === true)],
    },
  };
}

/** Checks whether a daemon set wants a pod on a node, and whether one that is there may stay. */
export function wantsNode(set: KubeObject, node: KubeObject): { readonly runs: boolean; readonly stays: boolean } {
  const { template } = daemonSpec(set);
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: template?.spec };
  if (!matchesNode(pod, node)) return { runs: false, stays: false };
  const taint = untoleratedTaint(pod, node, daemonTolerations(template?.spec?.['hostNetwork'] === true));
  return { runs: !taint, stays: taint?.effect !== 'NoExecute' };
}

/** Returns the node of a daemon: the one that it runs on, or the one that its affinity binds it to. */
export function nodeOfDaemon({ spec }: KubeObject): string {
  const { nodeName, affinity } = (spec ?? {}) as SchedulingSpec;
  const [term] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return nodeName ?? term?.matchFields?.[0]?.values?.[0] ?? '';
}
