import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { type FieldReport, structOf, type Values } from '../field.report.js';

/** The counts of a status: none may be negative, and none of the second ones larger than what the key names. */
interface CountRules {
  readonly counts: readonly string[];
  readonly atMostReplicas?: readonly string[];
  /** The name by which the error calls the number of ready replicas. */
  readonly readyName?: string;
  readonly keepsCollisions?: boolean;
}

/** Checks the numbers in the status of a workload, as its controller writes them. */
function countsChecked({ counts, atMostReplicas = [], readyName, keepsCollisions }: CountRules) {
  return (report: FieldReport, object: Draft, previous: KubeObject | undefined): void => {
    const status = structOf(object['status']) ?? {};
    for (const name of counts) report.nonNegative(`status.${name}`, status[name]);
    for (const name of atMostReplicas) validateAtMost(report, status, name, 'replicas', 'status.replicas');
    if (readyName) validateAtMost(report, status, 'availableReplicas', 'readyReplicas', readyName);
    if (keepsCollisions) validateCollisions(report, status, structOf(previous?.['status']) ?? {});
  };
}

function validateAtMost(report: FieldReport, status: Values, name: string, limit: string, limitName: string): void {
  if (numberOf(status, name) <= numberOf(status, limit)) return;
  report.invalid(`status.${name}`, numberOf(status, name), `cannot be greater than ${limitName}`);
}

/** Checks the count of collisions of names of templates, which only grows, as the next name depends on it. */
function validateCollisions(report: FieldReport, status: Values, old: Values): void {
  const isLess = numberOf(status, 'collisionCount') < numberOf(old, 'collisionCount');
  const isGone = old['collisionCount'] !== undefined && status['collisionCount'] === undefined;
  if (isLess || isGone) {
    report.invalid('status.collisionCount', numberOf(status, 'collisionCount'), 'cannot be decremented');
  }
}

function numberOf(status: Values, name: string): number {
  return Number(status[name] ?? 0);
}

/** The rule for the status of a Deployment. */
export const validateDeploymentStatus = countsChecked({
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  atMostReplicas: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  readyName: 'readyReplicas',
  keepsCollisions: true,
});

/** The rule for the status of a ReplicaSet or a ReplicationController. */
export const validateReplicaStatus = countsChecked({
  counts: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ],
  atMostReplicas: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  readyName: 'readyReplicas',
});

/** The rule for the status of a StatefulSet. */
export const validateStatefulSetStatus = countsChecked({
  counts: [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  atMostReplicas: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  readyName: 'status.readyReplicas',
  keepsCollisions: true,
});

/** The rule for the status of a DaemonSet. */
export const validateDaemonSetStatus = countsChecked({
  counts: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
  keepsCollisions: true,
});

/** The rule for the status of a HorizontalPodAutoscaler. */
export const validateAutoscalerStatus = countsChecked({ counts: ['currentReplicas', 'desiredReplicas'] });
