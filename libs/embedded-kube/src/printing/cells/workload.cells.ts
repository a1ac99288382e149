import {
  age,
  conditionStatus,
  containerCells,
  count,
  formatLabels,
  formatSelector,
  since,
  textOr,
} from '../cell.format.js';
import { humanDuration } from '../human.duration.js';
import type { CellPrinter, Loose } from '../table.types.js';

/** The cells of workloads. */
export const WORKLOAD_CELLS: Readonly<Record<string, CellPrinter>> = {
  replicationcontrollers: (object, now) => [
    ...replicaCells(object, now),
    ...containerCells(object.spec?.template),
    formatLabels(object.spec?.selector),
  ],
  'replicasets.apps': (object, now) => [...replicaCells(object, now), ...templateCells(object.spec)],
  'deployments.apps': (object, now) => [
    object.metadata.name,
    `${count(object.status?.readyReplicas)}/${count(object.spec?.replicas)}`,
    count(object.status?.updatedReplicas),
    count(object.status?.availableReplicas),
    age(object, now),
    ...templateCells(object.spec),
  ],
  'statefulsets.apps': (object, now) => [
    object.metadata.name,
    `${count(object.status?.readyReplicas)}/${count(object.spec?.replicas)}`,
    age(object, now),
    ...containerCells(object.spec?.template),
  ],
  'daemonsets.apps': (object, now) => [
    object.metadata.name,
    count(object.status?.desiredNumberScheduled),
    count(object.status?.currentNumberScheduled),
    count(object.status?.numberReady),
    count(object.status?.updatedNumberScheduled),
    count(object.status?.numberAvailable),
    formatLabels(object.spec?.template?.spec?.nodeSelector),
    age(object, now),
    ...templateCells(object.spec),
  ],
  'jobs.batch': (object, now) => [
    object.metadata.name,
    jobStatus(object),
    jobCompletions(object),
    jobDuration(object.status ?? {}, now),
    age(object, now),
    ...templateCells(object.spec),
  ],
  'cronjobs.batch': (object, now) => [
    object.metadata.name,
    textOr(object.spec?.schedule, ''),
    textOr(object.spec?.timeZone, '<none>'),
    object.spec?.suspend === undefined ? '<unset>' : object.spec.suspend ? 'True' : 'False',
    count(object.status?.active?.length),
    object.status?.lastScheduleTime ? since(object.status.lastScheduleTime, now) : '<none>',
    age(object, now),
    ...templateCells(object.spec?.jobTemplate?.spec),
  ],
  'controllerrevisions.apps': (object, now) => {
    const owners: Loose[] = object.metadata.ownerReferences ?? [];
    const owner = owners.find(({ controller }) => controller);
    return [object.metadata.name, owner ? resourceName(owner) : '<none>', count(object.revision), age(object, now)];
  },
};

function replicaCells(object: Loose, now: number): (string | number)[] {
  const { spec = {}, status = {} } = object;
  return [
    object.metadata.name,
    count(spec.replicas),
    count(status.replicas),
    count(status.readyReplicas),
    age(object, now),
  ];
}

function templateCells(spec: Loose | undefined): [string, string, string] {
  return [...containerCells(spec?.template), formatSelector(spec?.selector)];
}

function jobStatus({ metadata, status = {} }: Loose): string {
  const is = (type: string): boolean => conditionStatus(status.conditions, type) === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (metadata.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function jobCompletions({ spec = {}, status = {} }: Loose): string {
  const succeeded = count(status.succeeded);
  if (typeof spec.completions === 'number') return `${succeeded}/${spec.completions}`;
  return count(spec.parallelism) > 1 ? `${succeeded}/1 of ${spec.parallelism}` : `${succeeded}/1`;
}

function jobDuration({ startTime, completionTime }: Loose, now: number): string {
  if (!startTime) return '';
  return humanDuration((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime));
}

function resourceName({ apiVersion, kind, name }: Loose): string {
  const [group] = String(apiVersion).includes('/') ? String(apiVersion).split('/') : [''];
  return `${[kind, group].filter(Boolean).join('.').toLowerCase()}/${name}`;
}
