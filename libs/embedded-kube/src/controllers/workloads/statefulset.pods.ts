import type { KubeObject, OwnerReference } from '../../resources/kube-object.js';
import type { LabelSelectorObject } from '../../selectors/label.selector.js';
import { type PodDraft, podOf, type PodTemplate } from './workload.pods.js';
import type { Revision } from './revision.history.js';

export const REVISION_LABEL = 'controller-revision-hash';

/** The spec of a stateful set. */
export interface StatefulSetSpec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly selector?: LabelSelectorObject;
  readonly template?: PodTemplate;
  readonly podManagementPolicy?: string;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly ordinals?: { readonly start?: number };
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: number | string };
  };
  readonly volumeClaimTemplates?: readonly KubeObject[];
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
}

export function setSpec({ spec }: KubeObject): StatefulSetSpec {
  return (spec ?? {}) as StatefulSetSpec;
}

/** Returns the ordinal in a pod's name; undefined for a name that the set would not give. */
export function ordinalOf(set: KubeObject, pod: KubeObject): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name = '' } = pod.metadata;
  const ordinal = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^\d{1,9}$/.test(ordinal) ? Number(ordinal) : undefined;
}

/** Returns the name of the claim that a template makes for one pod. */
export function claimName(template: KubeObject, set: KubeObject, ordinal: number): string {
  return `${template.metadata.name}-${set.metadata.name}-${ordinal}`;
}

/** Returns the pod of an ordinal, with its identity and its volumes. */
export function statefulPod(set: KubeObject, revision: Revision, ordinal: number, owner: OwnerReference): PodDraft {
  const { serviceName, volumeClaimTemplates = [] } = setSpec(set);
  const { $patch: _, ...template } = revision.data.spec.template as PodTemplate & { $patch?: string };
  const draft = podOf(template, owner);
  const name = `${set.metadata.name}-${ordinal}`;
  const claimed = volumeClaimTemplates.map((each) => ({
    name: each.metadata.name,
    persistentVolumeClaim: { claimName: claimName(each, set, ordinal) },
  }));
  const names = new Set(claimed.map((volume) => volume.name));
  const others = ((draft.spec['volumes'] ?? []) as { name: string }[]).filter((volume) => !names.has(volume.name));
  const volumes = [...claimed, ...others];
  const labels = {
    ...draft.metadata.labels,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [REVISION_LABEL]: revision.metadata.name ?? '',
    'statefulset.kubernetes.io/pod-name': name,
  };
  return {
    ...draft,
    metadata: { ...draft.metadata, name, labels },
    spec: {
      ...draft.spec,
      hostname: name,
      ...(serviceName && { subdomain: serviceName }),
      ...(volumes.length && { volumes }),
    },
  };
}

export function revisionLabel(pod: KubeObject): string | undefined {
  return pod.metadata.labels?.[REVISION_LABEL];
}
