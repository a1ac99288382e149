import type { KubeObject, OwnerReference } from '../../resources/kube-object.js';
import { jobSpec } from './job.statuses.js';
import { INDEX_ANNOTATION } from './job.counts.js';
import { type PodDraft, podOf } from './workload.pods.js';

/** The longest name that leaves room for the suffix that the server generates. */
const LONGEST_NAME = 63 - 5;

interface Container {
  readonly env?: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
}

/**
 * Makes a pod of a job.
 *
 * @param index the completion index of an indexed job: the pod finds it in its annotation, its host name, and its environment
 * @param failures how often the index has failed
 */
export function jobPod(
  job: KubeObject,
  owner: OwnerReference,
  index: number | undefined,
  failures: number | undefined,
): PodDraft {
  const { name = '', uid = '' } = job.metadata;
  const { template, backoffLimitPerIndex } = jobSpec(job);
  const draft = podOf(template, owner);
  const labels = {
    ...draft.metadata.labels,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
    ...(index !== undefined && { [INDEX_ANNOTATION]: String(index) }),
  };
  const prefix = index === undefined ? `${name}-` : `${name}-${index}-`;
  const generateName = prefix.length > LONGEST_NAME ? `${prefix.slice(0, LONGEST_NAME - 1)}-` : prefix;
  if (index === undefined) return { ...draft, metadata: { ...draft.metadata, generateName, labels } };
  const counts: Record<string, string> =
    backoffLimitPerIndex === undefined ? {} : { [FAILURES_ANNOTATION]: String(failures ?? 0) };
  const annotations = { ...draft.metadata.annotations, [INDEX_ANNOTATION]: String(index), ...counts };
  return {
    ...draft,
    metadata: { ...draft.metadata, generateName, labels, annotations },
    spec: {
      ...draft.spec,
      hostname: `${name}-${index}`,
      containers: withIndex(draft.spec['containers']),
      ...(Array.isArray(draft.spec['initContainers']) && { initContainers: withIndex(draft.spec['initContainers']) }),
    },
  };
}

const FAILURES_ANNOTATION = 'batch.kubernetes.io/job-index-failure-count';
const INDEX_VARIABLE = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_ANNOTATION}']` } },
};

function withIndex(containers: unknown): object[] {
  return ((containers ?? []) as readonly Container[]).map((container) => {
    const { env = [] } = container;
    return env.some(({ name }) => name === INDEX_VARIABLE.name)
      ? container
      : { ...container, env: [...env, INDEX_VARIABLE] };
  });
}
