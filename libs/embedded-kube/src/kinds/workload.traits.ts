import { mapping } from '../common/json.values.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { isSameContent } from './validation/field.report.js';
import { validateJobStatus } from './validation/workloads/job-status.validation.js';
import { validateJob } from './validation/workloads/job.validation.js';
import { ruledBy, ruledByParts, ruledBySpec } from './validation/kind.rules.js';
import { validateDaemonSetStatus } from './validation/workloads/workload-status.validation.js';
import { validateDaemonSet } from './validation/workloads/workload.validation.js';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const JOB_UID = 'batch.kubernetes.io/controller-uid';

/** The traits of jobs, which select the pods that carry their identity, unless a selector is given by hand. */
export const JOB_TRAITS: BuiltinTraits = {
  generation: true,
  orphansDependents: true,
  deletionWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  validate: ruledByParts(ruledBy(validateJob), validateJobStatus),
  defaults: (draft) => {
    const labels = templateLabels(draft);
    if (labels && Object.keys(draft.metadata.labels ?? {}).length === 0) draft.metadata.labels = labels;
  },
  prepareForCreate: (draft) => {
    const { labels = {} } = draft.metadata;
    const areThoseOfPods = labels === templateLabels(draft) || Object.keys(labels).length === 0;
    addSelector(draft);
    const ofPods = templateLabels(draft);
    if (areThoseOfPods && ofPods) draft.metadata.labels = ofPods;
  },
  prepareForStatus: (draft) => {
    const labels = templateLabels(draft);
    if (labels && Object.keys(draft.metadata.labels ?? {}).length === 0) draft.metadata.labels = labels;
  },
};

function templateLabels(draft: Draft): Readonly<Record<string, string>> | undefined {
  const { labels } = mapping(mapping(mapping(draft['spec'])['template'])['metadata']);
  return labels as Readonly<Record<string, string>> | undefined;
}

function addSelector(draft: Draft): void {
  const spec = mapping(draft['spec']);
  if (spec['manualSelector'] === true) return;
  const { uid, name = '' } = draft.metadata;
  const template = mapping(spec['template']);
  const metadata = mapping(template['metadata']);
  const own = { [JOB_UID]: uid, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, 'job-name': name };
  // Labels that contradict are rejected afterwards.
  const labels = { ...own, ...mapping(metadata['labels']) };
  const selector = mapping(spec['selector']);
  draft['spec'] = {
    ...spec,
    selector: { ...selector, matchLabels: { [JOB_UID]: uid, ...mapping(selector['matchLabels']) } },
    template: { ...template, metadata: { ...metadata, labels: Object.fromEntries(Object.entries(labels).sort()) } },
  };
}

/** The traits of daemon sets, which count the changes of their template in an annotation, as clients of earlier versions expect. */
export const DAEMON_SET_TRAITS: BuiltinTraits = {
  generation: true,
  validate: ruledByParts(ruledBySpec(validateDaemonSet), validateDaemonSetStatus),
  defaults: (draft) => {
    if (draft.metadata.annotations?.[TEMPLATE_GENERATION] === undefined) setTemplateGeneration(draft, 0);
  },
  prepareForCreate: (draft) => setTemplateGeneration(draft, 1),
  prepareForUpdate: (draft, previous) => {
    const count = Number(previous.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
    const [template, old] = [draft, previous].map(({ spec }) => mapping(spec)['template']);
    setTemplateGeneration(draft, isSameContent(template, old) ? count : count + 1);
  },
  prepareForStatus: (draft, { metadata }) =>
    setTemplateGeneration(draft, Number(metadata.annotations?.[TEMPLATE_GENERATION] ?? 1)),
};

function setTemplateGeneration(draft: Draft, count: number): void {
  draft.metadata.annotations = { ...draft.metadata.annotations, [TEMPLATE_GENERATION]: String(count) };
}

/** Keeps the labels of an object whose status is written. */
export function keepLabels(draft: Draft, { metadata: { labels } }: KubeObject): void {
  const { labels: _, ...metadata } = draft.metadata;
  draft.metadata = { ...metadata, ...(labels && { labels }) };
}
