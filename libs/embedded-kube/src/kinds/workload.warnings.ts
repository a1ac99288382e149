import { mapping } from '../common/json.values.js';
import { label } from '../resources/name.rules.js';
import { warnOfPod } from './pod.warnings.js';
import { itemsOf, textOf, type Values } from './validation/field.report.js';
import { warnOfClaim } from './volume.warnings.js';

type Warnings = (object: Values, previous: Values | undefined) => readonly string[];

const IN_POD = "this is used in the Pod's hostname";
const IN_PODS = 'this is used in Pod names and hostnames';
const HISTORY =
  'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
/** The numbers of indexes of a job, and of pods at a time, beyond which failed indexes may be forgotten. */
const MOST_INDEXES = 100_000;
const MOST_PODS = 10_000;

/** The warnings about workloads, by `plural.group`. Templates are looked at when they are new, or may have changed. */
export const WORKLOAD_WARNINGS: Readonly<Record<string, Warnings>> = {
  // Programs update pods far more often than people do.
  pods: (pod, previous) => (previous ? [] : [...warnOfName(pod, previous, IN_POD), ...warnOfPod(pod, '')]),
  podtemplates: whenChanged((object) => warnOfPod(mapping(object['template']), 'template.')),
  // The real server looks at the former template in an update.
  replicationcontrollers: named(whenChanged((object, previous) => ofTemplate(previous ?? object))),
  'deployments.apps': named(whenChanged(ofTemplate)),
  'replicasets.apps': named(whenChanged(ofTemplate)),
  'daemonsets.apps': (set, previous) =>
    previous && templateGeneration(set) === templateGeneration(previous) ? [] : ofTemplate(set),
  'statefulsets.apps': (set, previous) => [...whenChanged(ofTemplate)(set, previous), ...warnOfSet(set, previous)],
  'jobs.batch': named(whenChanged((job) => warnOfJob(mapping(job['spec']), 'spec'))),
  'cronjobs.batch': (job, previous) => [
    ...named(
      whenChanged(({ spec }) =>
        warnOfJob(mapping(mapping(mapping(spec)['jobTemplate'])['spec']), 'spec.jobTemplate.spec'),
      ),
    )(job, previous),
    ...warnOfZone(job, previous),
  ],
};

function whenChanged(warnings: Warnings): Warnings {
  return (object, previous) =>
    previous && generationOf(object) === generationOf(previous) ? [] : warnings(object, previous);
}

function named(warnings: Warnings): Warnings {
  return (object, previous) => [...warnOfName(object, previous, IN_PODS), ...warnings(object, previous)];
}

function warnOfName({ metadata }: Values, previous: Values | undefined, use: string): readonly string[] {
  const problems = previous ? [] : label(textOf(mapping(metadata)['name']));
  if (problems.length === 0) return [];
  const hint = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: ${use}, ${hint}: [${problems.join(' ')}]`];
}

function ofTemplate({ spec }: Values): readonly string[] {
  return warnOfPod(mapping(mapping(spec)['template']), 'spec.template.');
}

function warnOfSet({ spec }: Values, previous: Values | undefined): readonly string[] {
  const { volumeClaimTemplates, revisionHistoryLimit } = mapping(spec);
  const claims = itemsOf(volumeClaimTemplates).flatMap((claim, index) =>
    // The path of an update is written like that.
    warnOfClaim(mapping(claim['spec']), `spec.volumeClaimTemplates[${index}]${previous ? '.Spec' : ''}`),
  );
  return [...claims, ...(Number(revisionHistoryLimit) < 0 ? [HISTORY] : [])];
}

function warnOfJob(spec: Values, path: string): readonly string[] {
  const isIndexed = spec['completionMode'] === 'Indexed';
  const isLarge = Number(spec['completions']) > MOST_INDEXES && Number(spec['parallelism']) > MOST_PODS;
  const rule =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  return [
    ...(isIndexed && isLarge ? [`${path}: ${rule}`] : []),
    ...warnOfPod(mapping(spec['template']), `${path}.template.`),
  ];
}

function warnOfZone({ spec }: Values, previous: Values | undefined): readonly string[] {
  if (!previous || !textOf(mapping(spec)['schedule']).includes('TZ')) return [];
  const page = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/';
  return [`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${page} for more details`];
}

function generationOf({ metadata }: Values): unknown {
  return mapping(metadata)['generation'];
}

function templateGeneration({ metadata }: Values): unknown {
  return mapping(mapping(metadata)['annotations'])[TEMPLATE_GENERATION];
}
